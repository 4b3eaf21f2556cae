/* Verifies suggested barriers: launches the kernel again with a barrier inserted in its source. */
#ifndef TOOLS_SESSION_BARRIER_H
#define TOOLS_SESSION_BARRIER_H

#include "tools/session/session.h"

/* ARGV: the command line of the launch; its last word is session->source. */
void session_try_barriers(const struct session *session, struct ck_detector *detector, char **argv);
/* Whether DETECTOR, of a repeated launch, has a finding of the same kind at the same lines as FINDING. */
bool session_has_finding(const struct ck_detector *detector, const struct ck_finding *finding);
/* uniform.c: marks the races of plain writes at whose places each element is only ever written one value.
 * The launches are repeated with values recorded, if there are such races. */
void session_mark_uniform(const struct session *session, struct ck_detector *detector, char **argv);

#endif
