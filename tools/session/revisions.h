/* Under which revisions of the specification a race is one. */
#ifndef TOOLS_SESSION_REVISIONS_H
#define TOOLS_SESSION_REVISIONS_H

#include "tools/session/verify.h"

/* Sets ck_finding.revisions of the races of DETECTOR, by judging the trace in FD (-1: none) again. */
void session_revisions(struct ck_detector *detector, struct session_places *places, int fd,
                       session_reader *reader);

#endif
