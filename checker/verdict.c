/* Verdicts: what both engines fill in, and how it is given back. */
#include "checker/checker.h"

#include <string.h>

void ck_verdict_clear(struct ck_verdict *verdict)
{
    if (!verdict)
        return;
    mm_arena_destroy(verdict->arena);
    memset(verdict, 0, sizeof *verdict);
}
