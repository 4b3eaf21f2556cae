/* The word of a list that was probably meant. */
#ifndef MEMMODEL_BASE_NEAREST_H
#define MEMMODEL_BASE_NEAREST_H

#include <stddef.h>
#include <string.h>

enum { MM_NEAREST_LONGEST = 64 };

static inline size_t mm_nearest_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The optimal string alignment distance, in three rows of the table. */
static inline size_t mm_nearest_distance(const char *a, const char *b)
{
    size_t rows[3][MM_NEAREST_LONGEST + 1], m = strlen(a), n = strlen(b);
    if (m > MM_NEAREST_LONGEST || n > MM_NEAREST_LONGEST)
        return MM_NEAREST_LONGEST;
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *now = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            now[j] = mm_nearest_least(mm_nearest_least(above[j], now[j - 1]) + 1,
                                      above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = mm_nearest_least(now[j], before[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

/* The one of COUNT words with the fewest insertions, deletions, exchanges of neighbors and replacements of
 * letters to WORD; NULL if that takes more than a third of its length. */
static inline const char *mm_nearest(const char *word, const char *const *words, size_t count)
{
    const char *best = NULL;
    size_t few = strlen(word) / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        size_t d = words[i] ? mm_nearest_distance(word, words[i]) : few;
        if (d < few) {
            few = d;
            best = words[i];
        }
    }
    return best;
}

#endif
