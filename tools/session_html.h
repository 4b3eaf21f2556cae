/* A page for looking at findings: the events around each, in the columns of those who did them. */
#ifndef TOOLS_SESSION_HTML_H
#define TOOLS_SESSION_HTML_H

#include "checker/checker.h"

/* Writes it to NAME.  FD: the trace, -1 if it was too long to keep; then the page has no events. */
int session_html(const struct ck_detector *detector, int fd, const char *command_line, const char *name);

#endif
