/* The options of `refcl run`, `refcl kernel` and `refcl trace check` that say how a session is checked and reported. */
#ifndef TOOLS_SESSION_OPTIONS_H
#define TOOLS_SESSION_OPTIONS_H

#include "tools/session/session.h"
#include "tools/tool.h"

/* For a struct session. */
extern const struct tool_option session_options[];

#endif
