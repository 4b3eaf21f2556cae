/* The options of `refcl run`, `refcl kernel` and `refcl trace check` for checks and reports of a session. */
#ifndef TOOLS_SESSION_OPTIONS_H
#define TOOLS_SESSION_OPTIONS_H

#include "tools/session/session.h"
#include "tools/tool.h"

/* Their members are those of struct session. */
extern const struct tool_option session_options[];

#endif
