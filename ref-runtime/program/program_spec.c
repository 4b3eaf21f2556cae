/* Specialization: the constants of a SPIR-V module get the values that the application set, in the module
 * itself, so that what is compiled, linked or saved later has them too [CL 5.8.3, SPIRV 2.9]. */
#include "ref-runtime/program/program.h"

#include <string.h>

enum {
    OP_SPEC_TRUE = 48,
    OP_SPEC_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_DECORATE = 71,
    DECORATION_SPEC_ID = 1,
    HEADER_WORDS = 5,
    MAGIC = 0x07230203
};

struct words {
    uint32_t *at;
    size_t count;
    bool swapped; /* the module has the other byte order */
};

static uint32_t get(const struct words *w, size_t i)
{
    return w->swapped ? __builtin_bswap32(w->at[i]) : w->at[i];
}

static void set(const struct words *w, size_t i, uint32_t value)
{
    w->at[i] = w->swapped ? __builtin_bswap32(value) : value;
}

/* Words of the instruction at I, 0 at the end or where the module is broken: that is the validator's matter.
 */
static size_t length(const struct words *w, size_t i)
{
    size_t n = i < w->count ? get(w, i) >> 16 : 0;
    return n <= w->count - i ? n : 0;
}

/* Which of the COUNT constants TARGET is, NULL if none. */
static const struct in_spec_constant *find(const struct words *w, uint32_t target,
                                           const struct in_spec_constant *constants, size_t count)
{
    for (size_t i = HEADER_WORDS, n; (n = length(w, i)) > 0; i += n) {
        if ((get(w, i) & 0xffff) != OP_DECORATE || n < 4 || get(w, i + 1) != target ||
            get(w, i + 2) != DECORATION_SPEC_ID)
            continue;
        for (size_t k = 0; k < count; k++)
            if (constants[k].id == get(w, i + 3))
                return &constants[k];
    }
    return NULL;
}

void rt_il_specialize(void *il, size_t size, const struct in_spec_constant *constants, size_t count)
{
    struct words w = {.at = il, .count = size / 4};
    if (count == 0 || w.count < HEADER_WORDS)
        return;
    w.swapped = w.at[0] != MAGIC;
    for (size_t i = HEADER_WORDS, n; (n = length(&w, i)) > 0; i += n) {
        uint32_t op = get(&w, i) & 0xffff;
        if (op < OP_SPEC_TRUE || op > OP_SPEC_CONSTANT || n < 3)
            continue;
        const struct in_spec_constant *c = find(&w, get(&w, i + 2), constants, count);
        if (!c)
            continue;
        if (op != OP_SPEC_CONSTANT)
            set(&w, i, (uint32_t)n << 16 | (uint32_t)(c->value ? OP_SPEC_TRUE : OP_SPEC_FALSE));
        for (size_t k = 3; op == OP_SPEC_CONSTANT && k < n && k < 5; k++)
            set(&w, i + k, (uint32_t)(c->value >> (k == 3 ? 0 : 32)));
    }
}
