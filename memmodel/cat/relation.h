/* Relation algebra on bit matrices.  All functions take the number of events N of the universe; sets have
 * mm_rel_words(n) words, relations n times as many.  Results may alias operands only where said so. */
#ifndef MEMMODEL_CAT_RELATION_H
#define MEMMODEL_CAT_RELATION_H

#include "memmodel/cat/cat.h"

static inline uint32_t mm_rel_words(uint32_t n)
{
    return (n + 63) / 64;
}
/* Words of a relation (or of a set). */
static inline size_t mm_rel_size(uint32_t n, enum mm_cat_type type)
{
    return (size_t)mm_rel_words(n) * (type == MM_CAT_REL ? n : 1);
}
static inline bool mm_set_has(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}
static inline void mm_set_add(uint64_t *set, uint32_t i)
{
    set[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline void mm_set_remove(uint64_t *set, uint32_t i)
{
    set[i / 64] &= ~((uint64_t)1 << (i % 64));
}
static inline bool mm_rel_has(uint32_t n, const uint64_t *r, uint32_t i, uint32_t j)
{
    return mm_set_has(r + (size_t)i * mm_rel_words(n), j);
}
static inline void mm_rel_add(uint32_t n, uint64_t *r, uint32_t i, uint32_t j)
{
    mm_set_add(r + (size_t)i * mm_rel_words(n), j);
}
static inline void mm_rel_remove(uint32_t n, uint64_t *r, uint32_t i, uint32_t j)
{
    mm_set_remove(r + (size_t)i * mm_rel_words(n), j);
}

/* Word by word, on WORDS words: sets and relations alike; OUT may be A or B. */
void mm_bits_or(uint64_t *out, const uint64_t *a, const uint64_t *b, size_t words);
void mm_bits_and(uint64_t *out, const uint64_t *a, const uint64_t *b, size_t words);
void mm_bits_minus(uint64_t *out, const uint64_t *a, const uint64_t *b, size_t words);
bool mm_bits_empty(const uint64_t *a, size_t words);
bool mm_bits_equal(const uint64_t *a, const uint64_t *b, size_t words);

/* Complement within the universe; OUT may be A. */
void mm_set_complement(uint32_t n, uint64_t *out, const uint64_t *a);
void mm_rel_complement(uint32_t n, uint64_t *out, const uint64_t *a);

void mm_rel_seq(uint32_t n, uint64_t *out, const uint64_t *a, const uint64_t *b);
void mm_rel_inverse(uint32_t n, uint64_t *out, const uint64_t *a);
void mm_rel_plus(uint32_t n, uint64_t *out, const uint64_t *a);     /* OUT may be A */
void mm_rel_star(uint32_t n, uint64_t *out, const uint64_t *a);     /* OUT may be A */
void mm_rel_optional(uint32_t n, uint64_t *out, const uint64_t *a); /* OUT may be A */
void mm_rel_identity(uint32_t n, uint64_t *out, const uint64_t *set);
void mm_rel_product(uint32_t n, uint64_t *out, const uint64_t *a, const uint64_t *b);
void mm_rel_domain(uint32_t n, uint64_t *set, const uint64_t *a);
void mm_rel_range(uint32_t n, uint64_t *set, const uint64_t *a);
bool mm_rel_irreflexive(uint32_t n, const uint64_t *a);
/* SCRATCH: one relation and one set. */
bool mm_rel_acyclic(uint32_t n, const uint64_t *a, uint64_t *scratch);
/* A shortest path of at least one edge from FROM to TO: fills PATH (room for n + 1) with FROM ... TO and
 * returns the number of edges; 0 if there is none or no memory. */
uint32_t mm_rel_path(uint32_t n, const uint64_t *a, uint32_t from, uint32_t to, uint32_t *path);
/* A shortest cycle: as mm_rel_path with equal ends. */
uint32_t mm_rel_cycle(uint32_t n, const uint64_t *a, uint32_t *path);

#endif
