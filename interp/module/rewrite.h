/* Stages that replace the words of a module before its id table is made: new words, and whether each is an
 * id. */
#ifndef INTERP_MODULE_REWRITE_H
#define INTERP_MODULE_REWRITE_H

#include "module.h"

struct in_rewrite {
    uint32_t *words;
    uint8_t *is_id;
    uint32_t count;
};

/* Room for CAPACITY words.  False: no memory. */
static inline bool in_rewrite_begin(struct in_rewrite *r, uint32_t capacity)
{
    *r = (struct in_rewrite){mm_alloc(capacity * sizeof *r->words), mm_alloc(capacity), 0};
    return r->words && r->is_id;
}

static inline void in_rewrite_drop(const struct in_rewrite *r)
{
    mm_free(r->words);
    mm_free(r->is_id);
}

static inline void in_rewrite_put(struct in_rewrite *r, uint32_t word, uint8_t is_id)
{
    r->words[r->count] = word;
    r->is_id[r->count++] = is_id;
}

/* COUNT words of M from word AT on. */
static inline void in_rewrite_copy(struct in_rewrite *r, const struct in_module *m, uint32_t at,
                                   uint32_t count)
{
    for (uint32_t k = at; k < at + count; k++)
        in_rewrite_put(r, m->words[k], m->is_id[k]);
}

/* The new words become those of M. */
static inline void in_rewrite_end(const struct in_rewrite *r, struct in_module *m, uint32_t bound)
{
    mm_free(m->words);
    mm_free(m->is_id);
    m->words = r->words;
    m->is_id = r->is_id;
    m->word_count = r->count;
    m->bound = m->words[3] = bound;
}

#endif
