/* Clocks: immutable piecewise constant maps. */
#include "checker/race/clock.h"
#include "checker/race/race.h"
#include "memmodel/base/array.h"

#include <string.h>

/* Clocks of at most CK_POOLED pieces are allocated from blocks, each twice the size of the one before;
 * dropped clocks are kept in free lists by their number of pieces.  An execution with many commands keeps and
 * drops millions of them. */
enum { LEAST_BLOCK = 1 << 10, MOST_BLOCK = 1 << 16 };
struct ck_clock_block {
    struct ck_clock_block *next;
    size_t size; /* of BYTES */
    _Alignas(16) uint8_t bytes[];
};
struct free_clock {
    struct free_clock *next;
};

static size_t clock_bytes(size_t count)
{
    return sizeof(struct ck_clock) + count * sizeof(struct ck_piece);
}

static bool add_block(struct ck_clocks *clocks)
{
    size_t size = clocks->blocks ? 2 * clocks->blocks->size : LEAST_BLOCK;
    size = size < MOST_BLOCK ? size : MOST_BLOCK;
    struct ck_clock_block *block = ck_budget_alloc(clocks->budget, sizeof *block + size);
    if (!block)
        return false;
    block->next = clocks->blocks;
    block->size = size;
    clocks->blocks = block;
    clocks->room = size;
    return true;
}

static struct ck_clock *clock_alloc(struct ck_clocks *clocks, size_t count)
{
    size_t bytes = clock_bytes(count);
    if (count > CK_POOLED)
        return ck_budget_alloc(clocks->budget, bytes);
    struct free_clock *reused = clocks->free[count];
    if (reused) {
        clocks->free[count] = reused->next;
        return (struct ck_clock *)reused;
    }
    if (clocks->room < bytes && !add_block(clocks))
        return NULL;
    clocks->room -= bytes;
    return (struct ck_clock *)(void *)(clocks->blocks->bytes + clocks->room);
}

static void clock_free(struct ck_clocks *clocks, struct ck_clock *clock)
{
    if (clock->count > CK_POOLED) {
        ck_budget_free(clocks->budget, clock, clock_bytes(clock->count));
        return;
    }
    struct free_clock **list = &clocks->free[clock->count], *dropped = (struct free_clock *)clock;
    dropped->next = *list;
    *list = dropped;
}

struct ck_clock *ck_clock_ref(struct ck_clock *clock)
{
    if (clock)
        clock->references++;
    return clock;
}

void ck_clock_drop(struct ck_clocks *clocks, struct ck_clock *clock)
{
    if (!clock || --clock->references)
        return;
    for (int i = 0; i < CK_CLOCK_MEMOS; i++)
        if (clocks->memos[i].clock == clock)
            clocks->memos[i].clock = NULL;
    clock_free(clocks, clock);
}

void ck_clock_set(struct ck_clocks *clocks, struct ck_clock **into, struct ck_clock *from)
{
    ck_clock_ref(from);
    ck_clock_drop(clocks, *into);
    *into = from;
}

void ck_clock_move(struct ck_clocks *clocks, struct ck_clock *from, struct ck_clock *to, uint32_t n)
{
    if (n == 0 || from == to)
        return;
    if (to)
        to->references += n;
    if (from)
        from->references -= n - 1;
    ck_clock_drop(clocks, from);
}

uint64_t ck_clock_get(const struct ck_clock *clock, uint64_t agent)
{
    if (!clock)
        return 0;
    size_t n; /* pieces that start at or before AGENT */
    mm_partition(n, clock->count, clock->pieces[n].start <= agent);
    return n ? clock->pieces[n - 1].time : 0;
}

void ck_clock_find(const struct ck_clock *clock, uint64_t agent, struct ck_clock_memo *memo)
{
    size_t n; /* pieces that start at or before AGENT */
    mm_partition(n, clock->count, clock->pieces[n].start <= agent);
    uint64_t first = n ? clock->pieces[n - 1].start : 0,
             last = n < clock->count ? clock->pieces[n].start - 1 : UINT64_MAX;
    *memo = (struct ck_clock_memo){clock, first, last - first, n ? clock->pieces[n - 1].time : 0};
}

bool ck_clock_covers(const struct ck_clock *clock, uint64_t first, uint64_t last, uint64_t time)
{
    for (uint32_t i = 0; clock && i < clock->count && clock->pieces[i].start <= first; i++) {
        uint64_t end = i + 1 < clock->count ? clock->pieces[i + 1].start : UINT64_MAX;
        if (last < end)
            return clock->pieces[i].time >= time;
    }
    return false;
}

static bool reserve_scratch(struct ck_clocks *clocks, size_t count)
{
    return ck_budget_reserve(clocks->budget, &clocks->scratch, &clocks->scratch_capacity, count,
                             sizeof *clocks->scratch);
}

void ck_clocks_clear(struct ck_clocks *clocks)
{
    ck_budget_free(clocks->budget, clocks->scratch, clocks->scratch_capacity * sizeof *clocks->scratch);
    clocks->scratch = NULL;
    clocks->scratch_capacity = 0;
    for (struct ck_clock_block *block = clocks->blocks, *next; block; block = next) {
        next = block->next;
        ck_budget_free(clocks->budget, block, sizeof *block + block->size);
    }
    clocks->blocks = NULL;
    clocks->room = 0;
    memset(clocks->free, 0, sizeof clocks->free);
}

/* Writes the pointwise maximum (LEAST: minimum) of A and B to OUT and returns the number of pieces; *IS_A is
 * set if the result equals A. */
static size_t merge_pieces(struct ck_piece *out, const struct ck_piece *a, size_t a_count,
                           const struct ck_piece *b, size_t b_count, bool least, bool *is_a)
{
    size_t i = 0, j = 0, n = 0;
    uint64_t a_time = 0, b_time = 0, last = 0;
    *is_a = true;
    while (i < a_count || j < b_count) {
        uint64_t start;
        if (j == b_count || (i < a_count && a[i].start <= b[j].start))
            start = a[i].start;
        else
            start = b[j].start;
        if (i < a_count && a[i].start == start)
            a_time = a[i++].time;
        if (j < b_count && b[j].start == start)
            b_time = b[j++].time;
        uint64_t time = (a_time > b_time) != least ? a_time : b_time;
        if (time != a_time)
            *is_a = false;
        if (time != last)
            out[n++] = (struct ck_piece){start, time};
        last = time;
    }
    return n;
}

static void join_pieces(struct ck_clocks *clocks, struct ck_clock **into, const struct ck_piece *pieces,
                        size_t count, bool least)
{
    const struct ck_clock *a = *into;
    size_t a_count = a ? a->count : 0;
    bool is_a;
    if (!reserve_scratch(clocks, a_count + count))
        return;
    size_t n = merge_pieces(clocks->scratch, a ? a->pieces : NULL, a_count, pieces, count, least, &is_a);
    if (is_a)
        return;
    struct ck_clock *result = clock_alloc(clocks, n);
    if (!result)
        return;
    result->references = 1;
    result->count = (uint32_t)n;
    memcpy(result->pieces, clocks->scratch, n * sizeof *result->pieces);
    ck_clock_drop(clocks, *into);
    *into = result;
}

/* True if A is pointwise at least B. */
static bool clock_covers(const struct ck_clock *a, const struct ck_clock *b)
{
    size_t i = 0;
    uint64_t a_time = 0;
    for (size_t j = 0; j < b->count; j++) {
        uint64_t end = j + 1 < b->count ? b->pieces[j + 1].start : UINT64_MAX;
        while (i < a->count && a->pieces[i].start <= b->pieces[j].start)
            a_time = a->pieces[i++].time;
        if (a_time < b->pieces[j].time)
            return false;
        for (; i < a->count && a->pieces[i].start < end; i++) {
            a_time = a->pieces[i].time;
            if (a_time < b->pieces[j].time)
                return false;
        }
    }
    return true;
}

void ck_clock_join_other(struct ck_clocks *clocks, struct ck_clock **into, const struct ck_clock *from)
{
    if (!*into || (from->count >= (*into)->count && clock_covers(from, *into))) {
        ck_clock_set(clocks, into, (struct ck_clock *)(uintptr_t)from);
        return;
    }
    join_pieces(clocks, into, from->pieces, from->count, false);
}

void ck_clock_raise(struct ck_clocks *clocks, struct ck_clock **into, uint64_t first, uint64_t last,
                    uint64_t time)
{
    const struct ck_piece pieces[2] = {{first, time}, {last + 1, 0}};
    join_pieces(clocks, into, pieces, last == UINT64_MAX ? 1 : 2, false);
}

void ck_clock_join_points(struct ck_clocks *clocks, struct ck_clock **into, const struct ck_clock *from)
{
    struct ck_clock *kept = ck_clock_ref((struct ck_clock *)(uintptr_t)from); /* joining drops clocks */
    for (uint32_t i = 0; kept && i < kept->count; i++) {
        uint64_t first = kept->pieces[i].start, time = kept->pieces[i].time,
                 last = i + 1 < kept->count ? kept->pieces[i + 1].start - 1 : UINT64_MAX;
        if (time >= CK_ALWAYS) {
            ck_clock_raise(clocks, into, first, last, time);
            continue;
        }
        if (time && ck_is_host(first))
            ck_clock_raise(clocks, into, first, last < UINT32_MAX ? last : UINT32_MAX, time);
        for (uint64_t runtime = first | MM_INDEX_RUNTIME; time && runtime >= first && runtime <= last;
             runtime += UINT64_C(1) << 32)
            if (!ck_is_host(runtime))
                ck_clock_raise(clocks, into, runtime, runtime, time);
    }
    ck_clock_drop(clocks, kept);
}

void ck_clock_meet(struct ck_clocks *clocks, struct ck_clock **into, const struct ck_clock *other)
{
    if (*into && *into != other)
        join_pieces(clocks, into, other ? other->pieces : NULL, other ? other->count : 0, true);
}
