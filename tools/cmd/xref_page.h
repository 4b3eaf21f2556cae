/* refcl xref diff --html: the changes between two versions of a specification as a page. */
#ifndef TOOLS_CMD_XREF_PAGE_H
#define TOOLS_CMD_XREF_PAGE_H

#include "tools/cmd/xref_verdicts.h"

struct xref_page {
    const char *before, *after; /* names of the versions */
    const struct xr_matrix *matrix;
    const struct xr_diff *diff;
    const struct xref_verdicts *verdicts;
    const char *revisions; /* NULL: no verdicts */
};
/* PATH "-": standard output.  Returns an exit code. */
int xref_page_write(const char *path, const struct xref_page *page);

#endif
