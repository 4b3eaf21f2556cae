/* The litmus tests whose verdict differs or is undecided under two revisions of the specification. */
#ifndef TOOLS_CMD_XREF_VERDICTS_H
#define TOOLS_CMD_XREF_VERDICTS_H

#include "tools/cmd/xref.h"

/* Verdicts as two letters: the condition h(olds), f(ails) or u(nknown); r: a race or invalid use, -: none, u.
 * Undecided: no letter that is known under both revisions differs, and a letter is u. */
struct xref_verdict {
    char *file, before[3], after[3];
    size_t size; /* instructions of the test's threads */
    bool undecided;
};
struct xref_verdicts {
    struct xref_verdict *tests; /* those that differ or are undecided */
    size_t count, differing, compared;
};
/* REVISIONS: "3.0,3.1.1", values of the switch "version"; FOLDER: of the tests, NULL: those of the repository
 * at ROOT that are not generated.  Returns an exit code. */
int xref_verdicts(const char *root, const char *folder, const char *revisions, struct xref_verdicts *out);
/* NULL if none differs. */
const struct xref_verdict *xref_verdicts_smallest(const struct xref_verdicts *verdicts);
void xref_verdicts_free(struct xref_verdicts *verdicts);

#endif
