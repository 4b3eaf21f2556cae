/* Relation algebra on bit matrices: one pass over words where possible, Warshall for closures. */
#include "memmodel/cat/relation.h"

#include <string.h>

void mm_bits_or(uint64_t *out, const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        out[i] = a[i] | b[i];
}

void mm_bits_and(uint64_t *out, const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        out[i] = a[i] & b[i];
}

void mm_bits_minus(uint64_t *out, const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        out[i] = a[i] & ~b[i];
}

bool mm_bits_empty(const uint64_t *a, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (a[i])
            return false;
    return true;
}

bool mm_bits_equal(const uint64_t *a, const uint64_t *b, size_t words)
{
    return words == 0 || memcmp(a, b, words * sizeof *a) == 0;
}

/* Mask of the bits of a set's last word that represent events. */
static uint64_t last_mask(uint32_t n)
{
    return n % 64 ? ((uint64_t)1 << (n % 64)) - 1 : ~(uint64_t)0;
}

void mm_set_complement(uint32_t n, uint64_t *out, const uint64_t *a)
{
    uint32_t words = mm_rel_words(n);

    for (uint32_t i = 0; i < words; i++)
        out[i] = ~a[i];
    if (words)
        out[words - 1] &= last_mask(n);
}

void mm_rel_complement(uint32_t n, uint64_t *out, const uint64_t *a)
{
    uint32_t words = mm_rel_words(n);

    for (uint32_t i = 0; i < n; i++)
        mm_set_complement(n, out + (size_t)i * words, a + (size_t)i * words);
}

static void seq_small(uint32_t n, uint64_t *out, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t row = 0;

        for (uint64_t left = a[i]; left; left &= left - 1)
            row |= b[__builtin_ctzll(left)];
        out[i] = row;
    }
}

void mm_rel_seq(uint32_t n, uint64_t *out, const uint64_t *a, const uint64_t *b)
{
    uint32_t words = mm_rel_words(n);

    if (words <= 1) {
        seq_small(n, out, a, b);
        return;
    }
    memset(out, 0, mm_rel_size(n, MM_CAT_REL) * sizeof *out);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *row = out + (size_t)i * words;

        for (uint32_t w = 0; w < words; w++) {
            for (uint64_t left = a[(size_t)i * words + w]; left; left &= left - 1) {
                uint32_t k = w * 64 + (uint32_t)__builtin_ctzll(left);

                mm_bits_or(row, row, b + (size_t)k * words, words);
            }
        }
    }
}

void mm_rel_inverse(uint32_t n, uint64_t *out, const uint64_t *a)
{
    uint32_t words = mm_rel_words(n);

    memset(out, 0, mm_rel_size(n, MM_CAT_REL) * sizeof *out);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t w = 0; w < words; w++)
            for (uint64_t left = a[(size_t)i * words + w]; left; left &= left - 1)
                mm_rel_add(n, out, w * 64 + (uint32_t)__builtin_ctzll(left), i);
    }
}

void mm_rel_plus(uint32_t n, uint64_t *out, const uint64_t *a)
{
    uint32_t words = mm_rel_words(n);

    if (out != a)
        memcpy(out, a, mm_rel_size(n, MM_CAT_REL) * sizeof *out);
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t *via = out + (size_t)k * words;

        if (mm_bits_empty(via, words))
            continue;
        for (uint32_t i = 0; i < n; i++) {
            uint64_t *row = out + (size_t)i * words;

            if (i != k && mm_set_has(row, k))
                mm_bits_or(row, row, via, words);
        }
    }
}

void mm_rel_optional(uint32_t n, uint64_t *out, const uint64_t *a)
{
    if (out != a)
        memcpy(out, a, mm_rel_size(n, MM_CAT_REL) * sizeof *out);
    for (uint32_t i = 0; i < n; i++)
        mm_rel_add(n, out, i, i);
}

void mm_rel_star(uint32_t n, uint64_t *out, const uint64_t *a)
{
    mm_rel_plus(n, out, a);
    mm_rel_optional(n, out, out);
}

void mm_rel_identity(uint32_t n, uint64_t *out, const uint64_t *set)
{
    memset(out, 0, mm_rel_size(n, MM_CAT_REL) * sizeof *out);
    for (uint32_t i = 0; i < n; i++)
        if (mm_set_has(set, i))
            mm_rel_add(n, out, i, i);
}

void mm_rel_product(uint32_t n, uint64_t *out, const uint64_t *a, const uint64_t *b)
{
    uint32_t words = mm_rel_words(n);

    for (uint32_t i = 0; i < n; i++)
        if (mm_set_has(a, i))
            memcpy(out + (size_t)i * words, b, words * sizeof *b);
        else
            memset(out + (size_t)i * words, 0, words * sizeof *b);
}

void mm_rel_domain(uint32_t n, uint64_t *set, const uint64_t *a)
{
    uint32_t words = mm_rel_words(n);

    memset(set, 0, words * sizeof *set);
    for (uint32_t i = 0; i < n; i++)
        if (!mm_bits_empty(a + (size_t)i * words, words))
            mm_set_add(set, i);
}

void mm_rel_range(uint32_t n, uint64_t *set, const uint64_t *a)
{
    uint32_t words = mm_rel_words(n);

    memset(set, 0, words * sizeof *set);
    for (uint32_t i = 0; i < n; i++)
        mm_bits_or(set, set, a + (size_t)i * words, words);
}

bool mm_rel_irreflexive(uint32_t n, const uint64_t *a)
{
    for (uint32_t i = 0; i < n; i++)
        if (mm_rel_has(n, a, i, i))
            return false;
    return true;
}

/* Removes, until nothing changes, the events with no edge to a remaining event. */
bool mm_rel_acyclic(uint32_t n, const uint64_t *a, uint64_t *scratch)
{
    uint32_t words = mm_rel_words(n), count = n;
    uint64_t *left = scratch;
    bool changed = true;

    memset(left, 0, words * sizeof *left);
    mm_set_complement(n, left, left);
    while (changed && count) {
        changed = false;
        for (uint32_t i = n; i-- > 0;) {
            const uint64_t *row = a + (size_t)i * words;
            uint64_t any = 0;

            if (!mm_set_has(left, i))
                continue;
            for (uint32_t w = 0; w < words; w++)
                any |= row[w] & left[w];
            if (any)
                continue;
            left[i / 64] &= ~((uint64_t)1 << (i % 64));
            count--;
            changed = true;
        }
    }
    return count == 0;
}

uint32_t mm_rel_path(uint32_t n, const uint64_t *a, uint32_t from, uint32_t to, uint32_t *path)
{
    uint32_t *queue = mm_alloc_zero((size_t)n * 2, sizeof *queue);
    uint32_t *before = queue ? queue + n : NULL; /* predecessor + 1; 0: not reached */
    uint32_t head = 0, tail = 0, length = 0;

    if (!queue)
        return 0;
    queue[tail++] = from;
    while (head < tail && before[to] == 0) {
        uint32_t i = queue[head++];

        for (uint32_t j = 0; j < n; j++) {
            if (!mm_rel_has(n, a, i, j) || before[j])
                continue;
            before[j] = i + 1;
            if (j != from && tail < n)
                queue[tail++] = j;
        }
    }
    if (before[to]) {
        uint32_t at = to;

        do {
            at = before[at] - 1;
            length++;
        } while (at != from);
        at = to;
        path[length] = to;
        for (uint32_t i = length; i-- > 0;) {
            at = before[at] - 1;
            path[i] = at;
        }
    }
    mm_free(queue);
    return length;
}

uint32_t mm_rel_cycle(uint32_t n, const uint64_t *a, uint32_t *path)
{
    uint32_t best = 0, from = 0;

    for (uint32_t i = 0; i < n && best != 1; i++) {
        uint32_t length = mm_rel_path(n, a, i, i, path);

        if (length && (best == 0 || length < best)) {
            best = length;
            from = i;
        }
    }
    return best ? mm_rel_path(n, a, from, from, path) : 0;
}
