/* Replays a trace with additional order between commands: events of the later commands are delayed. */
#ifndef TOOLS_SESSION_ORDER_H
#define TOOLS_SESSION_ORDER_H

#include "tools/session/verify.h"

enum { SESSION_ORDERS = 16 };
struct session_order {
    struct ck_order orders[SESSION_ORDERS];
    size_t count;
};
/* Reads TRACE into SINK with ORDER.  MM_OK; MM_UNDEFINED: ORDER contradicts the recorded order; others: the
 * outcome under ORDER cannot be determined. */
enum mm_class session_order_read(const struct session_trace *trace, const struct session_order *order,
                                 const struct mm_sink *sink);

#endif
