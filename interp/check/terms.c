/* Symbolic execution beside concrete execution: values of a work-item as terms over the values that it reads,
 * for prediction (checker/predict/predict.h).  Terms of the bytes of its block, and their records. */
#include "interp/check/terms.h"
#include "memmodel/base/array.h"
#include <string.h>

enum { MOST = 1 << 16 }; /* terms of one work-item; beyond half of that all values become concrete again */

bool in_terms_begin(struct in_run *run, struct in_item *item)
{
    struct in_terms *t = mm_alloc_zero(1, sizeof *t + run->code->frame.size * sizeof *t->of);
    item->terms = t;
    if (t)
        t->update = MM_UPDATE_COUNT;
    return t != NULL;
}

void in_terms_end(struct in_item *item)
{
    if (item->terms)
        mm_free(item->terms->list);
    mm_free(item->terms);
    item->terms = NULL;
}

/* ---- terms ------------------------------------------------------------------------------------- */

static void send_term(struct in_run *run, const struct in_item *item, struct mm_term term)
{
    struct mm_record record = {.type = MM_RECORD_TERM, .term = term};
    record.term.agent = (struct mm_agent){run->launch.command, item->agent};
    in_record_flush(run);
    mm_recorder_record(run->launch.recorder, &record);
}

static uint32_t term_add(const struct in_terms_at *x, uint32_t size)
{
    struct in_terms *t = x->t;
    if (t->count + 1 >= MOST || x->run->recording.terms == UINT32_MAX)
        return 0;
    if (!mm_reserve(&t->list, &t->capacity, t->count + UINT64_C(2)))
        return 0;
    t->list[++t->count] = (struct in_term){++x->run->recording.terms, (uint8_t)size, false};
    return t->count;
}

static uint32_t id_of(const struct in_terms *t, uint32_t term)
{
    return term != 0 ? t->list[term].id : 0;
}

void in_terms_keep_operand(const struct in_terms_at *x, struct in_operand o)
{
    if (o.term == 0 || x->t->list[o.term].kept)
        return;
    x->t->list[o.term].kept = true;
    send_term(
        x->run, x->item,
        (struct mm_term){
            .op = MM_TERM_KEEP, .size = x->t->list[o.term].size, .a = id_of(x->t, o.term), .value = o.value});
}

static struct in_operand constant_term(const struct in_terms_at *x, struct in_operand o, uint32_t size)
{
    if (o.term != 0)
        return o;
    uint32_t term = term_add(x, size);
    if (term != 0)
        send_term(x->run, x->item,
                  (struct mm_term){
                      .op = MM_TERM_CONST, .size = (uint8_t)size, .id = id_of(x->t, term), .value = o.value});
    return (struct in_operand){term, o.value};
}

uint32_t in_terms_read(const struct in_terms_at *x, uint32_t size, bool flag)
{
    x->t->size = (uint8_t)size;
    x->t->read = term_add(x, size);
    x->t->flag = flag && x->t->read != 0 ? term_add(x, 1) : 0;
    return flag ? x->t->flag : x->t->read;
}

/* Creates a term.  Its record holds one constant; further constant operands become separate terms. */
uint32_t in_terms_make(const struct in_terms_at *x, enum mm_term_op op, uint32_t size, struct in_operand a,
                       struct in_operand b, struct in_operand c)
{
    if (op == MM_TERM_SELECT) {
        b = constant_term(x, b, size);
        c = constant_term(x, c, size);
    }
    uint32_t term = term_add(x, size);
    if (term == 0 || (op == MM_TERM_SELECT && (b.term == 0 || c.term == 0))) {
        in_terms_keep_operand(x, a);
        in_terms_keep_operand(x, b);
        in_terms_keep_operand(x, c);
        return 0;
    }
    send_term(x->run, x->item,
              (struct mm_term){.op = (uint8_t)op,
                               .size = (uint8_t)size,
                               .id = id_of(x->t, term),
                               .a = id_of(x->t, a.term),
                               .b = id_of(x->t, b.term),
                               .c = id_of(x->t, c.term),
                               .value = a.term == 0   ? a.value
                                        : b.term == 0 ? b.value
                                                      : 0});
    return term;
}

uint32_t in_terms_two(const struct in_terms_at *x, enum mm_term_op op, uint32_t size, struct in_operand a,
                      struct in_operand b)
{
    return a.term == 0 && b.term == 0 ? 0 : in_terms_make(x, op, size, a, b, in_terms_constant(0));
}

uint32_t in_terms_one(const struct in_terms_at *x, enum mm_term_op op, uint32_t size, struct in_operand a)
{
    return a.term == 0 ? 0 : in_terms_make(x, op, size, a, in_terms_constant(0), in_terms_constant(0));
}

/* ---- slots ------------------------------------------------------------------------------------- */

uint32_t in_terms_of(const struct in_terms_at *x, int32_t slot)
{
    if (slot < 0 || (uint32_t)slot >= x->run->code->frame.size)
        return 0;
    uint32_t of = x->t->of[slot];
    return of != 0 && x->t->list[of >> 4].kept ? 0 : of;
}

/* SIZE bytes of a term, starting at the byte in OF. */
static struct in_operand slice_operand(const struct in_terms_at *x, uint32_t of, uint32_t size,
                                       uint64_t value)
{
    uint32_t term = of >> 4, shift = 8 * (of & 15), whole = x->t->list[term].size;
    struct in_operand o = {term, 0};
    if (shift != 0)
        o.term = in_terms_two(x, MM_TERM_LSHR, whole, o, in_terms_constant(shift));
    if (size < whole)
        o.term = in_terms_one(x, MM_TERM_TRUNC, size, o);
    o.value = value;
    return o;
}

/* A term composed from bytes of several terms. */
static struct in_operand compose_operand(const struct in_terms_at *x, int32_t slot, uint32_t size)
{
    struct in_operand all = in_terms_constant(0);
    for (uint32_t k = 0; k < size; k++) {
        uint32_t of = in_terms_of(x, slot + (int32_t)k);
        uint64_t value = in_terms_number(x, slot + (int32_t)k, 1);
        struct in_operand byte =
            of != 0 ? slice_operand(x, of, 1, value) : in_terms_constant(value << (8 * k));
        if (of != 0) {
            byte.term = size > 1 ? in_terms_one(x, MM_TERM_ZEXT, size, byte) : byte.term;
            byte.term =
                k > 0 ? in_terms_two(x, MM_TERM_SHL, size, byte, in_terms_constant(8 * k)) : byte.term;
            byte.value = value << (8 * k);
        }
        uint64_t sum = all.value | byte.value;
        all.term = k > 0 ? in_terms_two(x, MM_TERM_OR, size, all, byte) : byte.term;
        all.value = sum;
    }
    return all;
}

struct in_operand in_terms_operand(const struct in_terms_at *x, int32_t slot, uint32_t size)
{
    uint32_t first = in_terms_of(x, slot);
    uint64_t value = in_terms_number(x, slot, size);
    bool none = true, row = first != 0;
    for (uint32_t k = 0; k < size; k++) {
        uint32_t of = in_terms_of(x, slot + (int32_t)k);
        none &= of == 0;
        row &= of == first + k;
    }
    return none  ? in_terms_constant(value)
           : row ? slice_operand(x, first, size, value)
                 : compose_operand(x, slot, size);
}

void in_terms_set(const struct in_terms_at *x, int32_t slot, uint64_t size, uint32_t term)
{
    for (uint64_t k = 0; slot >= 0 && k < size && (uint64_t)slot + k < x->run->code->frame.size; k++)
        x->t->of[(uint64_t)slot + k] = term != 0 ? (term << 4) + (uint32_t)k : 0;
}

void in_terms_move(const struct in_terms_at *x, int32_t to, int32_t from, uint64_t size)
{
    uint64_t most = x->run->code->frame.size;
    if (to < 0 || (uint64_t)to + size > most)
        return;
    if (from < 0 || (uint64_t)from + size > most)
        in_terms_set(x, to, size, 0); /* constants */
    else
        memmove(x->t->of + to, x->t->of + from, size * sizeof *x->t->of);
}

/* Number of bytes that are one integer of one term. */
static uint32_t piece_size(const struct in_terms_at *x, int32_t slot, uint64_t left)
{
    uint32_t of = in_terms_of(x, slot), size = x->t->list[of >> 4].size;
    if ((of & 15) != 0 || size > left)
        return 1;
    for (uint32_t k = 1; k < size; k++)
        if (in_terms_of(x, slot + (int32_t)k) != of + k)
            return 1;
    return size;
}

void in_terms_keep(const struct in_terms_at *x, int32_t slot, uint64_t size)
{
    for (uint64_t k = 0, step = 1; k < size; k += step) {
        int32_t at = slot + (int32_t)k;
        step = 1;
        if (in_terms_of(x, at) == 0)
            continue;
        step = piece_size(x, at, size - k);
        in_terms_keep_operand(x, in_terms_operand(x, at, (uint32_t)step));
    }
    in_terms_set(x, slot, size, 0);
}

uint32_t in_terms_gather(const struct in_terms_at *x, int32_t slot, uint64_t size, uint32_t before)
{
    uint32_t last = 0;
    for (uint64_t k = 0; k < size; k++) {
        uint32_t term = in_terms_of(x, slot + (int32_t)k) >> 4;
        if (term == 0 || term == last)
            continue;
        struct in_operand o = {term, 0}, all = {before, 0};
        before = before != 0 ? in_terms_two(x, MM_TERM_OPAQUE, 4, all, o) : term;
        last = term;
    }
    return before;
}

void in_terms_condition(const struct in_terms_at *x, uint32_t term, bool value)
{
    if (term != 0)
        send_term(
            x->run, x->item,
            (struct mm_term){.op = MM_TERM_CONDITION, .size = 1, .a = id_of(x->t, term), .value = value});
}

void in_terms_meet(struct in_run *run, struct in_item **members, uint32_t count)
{
    run->recording.terms++; /* reserve a separate number */
    for (uint32_t k = 0; k < count; k++)
        send_term(run, members[k],
                  (struct mm_term){.op = MM_TERM_MEET, .size = 4, .value = run->recording.terms});
}

/* ---- accesses ---------------------------------------------------------------------------------- */

static void clear_access(struct in_terms *t)
{
    t->read = t->written = t->flag = 0;
    t->update = MM_UPDATE_COUNT;
    t->stores = false;
}

void in_terms_access(struct in_run *run, struct in_item *item)
{
    struct in_terms *t = item->terms;
    const struct in_terms_at x = {run, item, NULL, t};
    struct mm_term term = {.op = MM_TERM_WRITE, .size = t->size};
    if (t->read != 0)
        send_term(run, item, (struct mm_term){.op = MM_TERM_READ, .size = t->size, .id = id_of(t, t->read)});
    if (t->flag != 0)
        send_term(
            run, item,
            (struct mm_term){.op = MM_TERM_NE, .size = 1, .id = id_of(t, t->flag), .a = id_of(t, t->read)});
    if (t->stores)
        send_term(run, item, (struct mm_term){.op = MM_TERM_BEFORE, .size = t->size, .value = t->before});
    if (t->update != MM_UPDATE_COUNT) {
        struct in_operand a = constant_term(&x, (struct in_operand){t->written, t->value}, t->size), b = a;
        if (t->update == MM_UPDATE_COMPARE)
            b = constant_term(&x, (struct in_operand){t->compared, t->compared_value}, t->size);
        term = (struct mm_term){.op = MM_TERM_UPDATE,
                                .size = t->size,
                                .a = id_of(t, a.term),
                                .b = id_of(t, b.term),
                                .value = t->update};
        if (a.term != 0 && b.term != 0)
            send_term(run, item, term);
    } else if (t->written != 0) {
        term.a = id_of(t, t->written);
        send_term(run, item, term);
    }
    clear_access(t);
}

/* Drops the previous access: it was out of bounds. */
static void forget_access(struct in_terms *t)
{
    if (t->read != 0)
        t->list[t->read].kept = true;
    if (t->flag != 0)
        t->list[t->flag].kept = true;
    clear_access(t);
}

void in_terms_next(const struct in_terms_at *x)
{
    forget_access(x->t);
    if (x->t->count <= MOST / 2)
        return;
    in_terms_keep(x, 0, x->run->code->frame.size);
    x->t->count = 0;
}
