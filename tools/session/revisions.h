/* Under which revisions of the specification a race is one. */
#ifndef TOOLS_SESSION_REVISIONS_H
#define TOOLS_SESSION_REVISIONS_H

#include "tools/session/verify.h"

/* Sets ck_finding.revisions of the races of DETECTOR, by judging its trace again, if it was kept. */
void session_revisions(struct ck_detector *detector, const struct session_trace *trace);

#endif
