/* An HTML page of findings: the events around each, one column for each agent. */
#ifndef TOOLS_SESSION_HTML_H
#define TOOLS_SESSION_HTML_H

#include "tools/session/process.h"

/* Writes the page to NAME.  Findings whose trace was too long to keep have no events. */
int session_html(const struct ck_detector *detector, const struct session_processes *processes,
                 const struct ck_report_options *options, const char *name);

#endif
