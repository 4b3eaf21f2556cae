/* Pruning of combinations of traces by projections to a few locations. */
#ifndef CHECKER_SEARCH_VIEW_H
#define CHECKER_SEARCH_VIEW_H

#include "checker/search/internal.h"

struct sx_views;
/* Whether there are enough combinations for views to pay. */
bool sx_views_help(const struct sx *sx);
/* Lives as long as the traces; NULL: out of memory. */
struct sx_views *sx_views_create(struct sx *sx);
/* Whether the traces chosen for the threads up to T are compatible.  To be called for T only after all
 * threads before it were allowed. */
bool sx_views_allow(struct sx_views *views, uint32_t t, const struct sx_trace *const *chosen);

#endif
