/* The memory that launches on any driver certainly access, computed from the program's source or SPIR-V.
 *
 * The input is a trace of tools/layer; footprint_read() passes it on with accesses in place of the
 * launches. */
#ifndef TOOLS_FOOTPRINT_FOOTPRINT_H
#define TOOLS_FOOTPRINT_FOOTPRINT_H

#include "memmodel/memmodel.h"

/* Whether a record of a program or a launch is the layer's, which only a footprint takes. */
bool footprint_is_layer(const struct mm_record *record);

/* A filter that passes a layer's trace on to TO, with accesses in place of launches. */
struct footprint;
/* POSSIBLE: also passes what each launch may access, as events with MM_POSSIBLE.  NULL: out of memory. */
struct footprint *footprint_create(const struct mm_sink *to, bool possible);
void footprint_sink(struct footprint *footprint, struct mm_sink *sink);
void footprint_destroy(struct footprint *footprint);
/* The parts of the program that were not checked, separated by commas; "" if all were. */
const char *footprint_not_checked(const struct footprint *footprint);
/* Whether the program's own accesses are in the trace, besides those of commands. */
bool footprint_has_host(const struct footprint *footprint);

/* mm_trace_read for such a trace. */
enum mm_class footprint_read(int fd, const char *name, const struct mm_sink *sink, bool *complete,
                             struct mm_error *err);
/* The same with what launches may touch.  False: some launch may touch what no argument of it leads to, or
 * something of the trace is not checked: that is not among the events.  PRINTS (NULL: not asked): a program
 * that is launched prints. */
bool footprint_read_possible(int fd, const struct mm_sink *sink, bool *prints);

#endif
