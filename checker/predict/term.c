/* Terms (struct mm_term): symbolic values of the record, as operations on values read, attached to the events
 * of the window; path conditions are separate pseudo-events.  A term whose reads lie before the window is
 * constant (docs/prediction.md#terms). */
#include "checker/predict/predict.h"
#include "memmodel/base/array.h"

#include <string.h>

/* MOST: terms kept.  DEEPEST: operations above each other, beyond which a term is opaque, as terms are
 * traversed recursively.  GAP: between a term's number and the latest one, in a valid trace. */
enum { MOST = 1 << 21, DEEPEST = 200, GAP = 1 << 17 };

/* Represents discarded terms: opaque, with the recorded value. */
static struct ck_predict_term discarded = {.op = MM_TERM_OPAQUE, .opaque = true};

struct ck_predict_term *ck_predict_term(const struct ck_predictor *p, uint32_t command, uint32_t id)
{
    const struct ck_predict_terms *t = command < p->term_count ? &p->terms[command] : NULL;
    return t && id > t->base && id - t->base <= t->count ? &t->list[id - t->base - 1] : &discarded;
}

/* ---- records ----------------------------------------------------------------------------------- */

bool ck_predict_reach(void *array, uint32_t *capacity, uint32_t id, size_t size)
{
    uint32_t before = *capacity;
    char *items;
    if (id < before)
        return true;
    if ((size_t)id + 1 > UINT32_MAX || !mm_reserve_u32(array, capacity, (size_t)id + 1, size))
        return false;
    memcpy(&items, array, sizeof items);
    memset(items + before * size, 0, (*capacity - before) * size);
    return true;
}

static struct ck_predict_terms *command_terms(struct ck_predictor *p, uint32_t command)
{
    return ck_predict_reach(&p->terms, &p->term_count, command, sizeof *p->terms) ? &p->terms[command] : NULL;
}

/* Adds term ID. */
static struct ck_predict_term *new_term(struct ck_predictor *p, uint32_t command, uint32_t id)
{
    struct ck_predict_terms *t = command_terms(p, command);
    if (!t || id <= t->base || id - t->base > t->count + GAP)
        return NULL;
    uint32_t wanted = id - t->base;
    if (!mm_reserve(&t->list, &t->capacity, wanted))
        return NULL;
    for (; t->count < wanted; t->count++, p->terms_kept++)
        t->list[t->count] = discarded;
    return &t->list[wanted - 1];
}

/* Defines a term, which is symbolic in this window if an operand is. */
static void define_term(struct ck_predictor *p, const struct mm_term *record, struct ck_predict_term *to)
{
    const uint32_t ids[] = {record->a, record->b, record->c};
    *to = (struct ck_predict_term){.id = record->id,
                                   .a = record->a,
                                   .b = record->b,
                                   .c = record->c,
                                   .event = CK_NO_EVENT,
                                   .value = record->value,
                                   .op = record->op,
                                   .size = record->size,
                                   .opaque = record->op == MM_TERM_OPAQUE};
    if (record->op == MM_TERM_READ)
        to->window = p->window_number;
    for (int k = 0; k < 3; k++) {
        const struct ck_predict_term *x = ids[k] ? ck_predict_term(p, record->agent.command, ids[k]) : NULL;
        if (!x)
            continue;
        to->opaque |= x->opaque;
        to->depth = x->depth >= to->depth ? (uint16_t)(x->depth + 1) : to->depth;
        to->window = x->window == p->window_number ? x->window : to->window;
    }
    to->opaque |= to->depth > DEEPEST;
    to->depth = to->depth > DEEPEST ? DEEPEST : to->depth;
}

static struct ck_predict_pending *pending_terms(struct ck_predictor *p, struct mm_agent agent)
{
    for (uint32_t i = 0; i < p->pending_count; i++)
        if (p->pending[i].agent.command == agent.command && p->pending[i].agent.index == agent.index)
            return &p->pending[i];
    struct ck_predict_pending *pending = mm_add(&p->pending, &p->pending_count);
    if (pending)
        *pending = (struct ck_predict_pending){.agent = agent, .update = MM_UPDATE_COUNT};
    return pending;
}

/* Adds a term record; false without memory: terms from here on are missing. */
static bool add_term_record(struct ck_predictor *p, const struct mm_term *t)
{
    bool condition = t->op == MM_TERM_CONDITION || t->op == MM_TERM_KEEP || t->op == MM_TERM_MEET,
         access = t->op == MM_TERM_READ || t->op == MM_TERM_WRITE || t->op == MM_TERM_BEFORE ||
                  t->op == MM_TERM_UPDATE;
    struct ck_predict_term *to = t->id ? new_term(p, t->agent.command, t->id) : NULL;
    if (t->id && !to)
        return false;
    if (to)
        define_term(p, t, to);
    if (condition)
        return ck_predict_add_condition(p, t);
    struct ck_predict_pending *pending = access ? pending_terms(p, t->agent) : NULL;
    if (access && !pending)
        return false;
    if (t->op == MM_TERM_READ) {
        pending->read = t->id;
    } else if (t->op == MM_TERM_BEFORE) {
        pending->known = true;
        pending->before = t->value;
    } else if (access) {
        pending->written = t->a;
        pending->compared = t->b;
        pending->update = t->op == MM_TERM_UPDATE ? (uint8_t)t->value : MM_UPDATE_COUNT;
    }
    return true;
}

void ck_predict_handle_term(struct ck_predictor *p, const struct mm_term *t)
{
    p->lost |= !add_term_record(p, t);
}

void ck_predict_attach(struct ck_predictor *p, struct ck_predict_event *e, uint32_t index)
{
    e->update = MM_UPDATE_COUNT;
    for (uint32_t i = 0; i < p->pending_count; i++) {
        struct ck_predict_pending *x = &p->pending[i];
        if (x->agent.command != e->event.agent.command || x->agent.index != e->event.agent.index)
            continue;
        struct ck_predict_term *read = ck_predict_term(p, x->agent.command, x->read);
        bool here = read->window == p->window_number;
        e->read = here ? x->read : 0; /* else the value is constant */
        e->written = x->written;
        e->compared = x->compared;
        e->update = x->update;
        e->before = e->known ? e->before : x->before;
        e->known |= x->known;
        if (read->op == MM_TERM_READ) {
            read->event = here ? index : CK_NO_EVENT;
            read->value = e->event.value_read;
        }
        *x = p->pending[--p->pending_count];
        return;
    }
}

void ck_predict_end_terms(struct ck_predictor *p, const struct ck_predict_window *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        const struct ck_predict_event *e = &w->events[i];
        struct ck_predict_term *t = ck_predict_term(p, e->event.agent.command, e->read);
        if (t->op != MM_TERM_READ || e->event.kind == CK_PREDICT_CONDITION)
            continue;
        t->event = CK_NO_EVENT;
        t->value = e->event.value_read;
    }
    p->window_number++;
    if (p->terms_kept <= MOST)
        return;
    for (uint32_t c = 0; c < p->term_count; c++) {
        p->terms[c].base += p->terms[c].count;
        p->terms[c].count = 0;
    }
    p->terms_kept = 0;
}

void ck_predict_destroy_terms(struct ck_predictor *p)
{
    for (uint32_t c = 0; c < p->term_count; c++)
        mm_free(p->terms[c].list);
    mm_free(p->terms);
    mm_free(p->pending);
}

/* ---- values ------------------------------------------------------------------------------------ */

enum ck_expr_op ck_predict_expr_op(uint8_t op)
{
    static const uint8_t table[MM_TERM_COUNT] = {
        [MM_TERM_CONST] = CK_CONST, [MM_TERM_ADD] = CK_ADD,      [MM_TERM_SUB] = CK_SUB,
        [MM_TERM_MUL] = CK_MUL,     [MM_TERM_UDIV] = CK_UDIV,    [MM_TERM_SDIV] = CK_SDIV,
        [MM_TERM_UREM] = CK_UREM,   [MM_TERM_SREM] = CK_SREM,    [MM_TERM_AND] = CK_AND,
        [MM_TERM_OR] = CK_OR,       [MM_TERM_XOR] = CK_XOR,      [MM_TERM_SHL] = CK_SHL,
        [MM_TERM_LSHR] = CK_LSHR,   [MM_TERM_ASHR] = CK_ASHR,    [MM_TERM_EQ] = CK_EQ,
        [MM_TERM_NE] = CK_NE,       [MM_TERM_ULT] = CK_ULT,      [MM_TERM_ULE] = CK_ULE,
        [MM_TERM_SLT] = CK_SLT,     [MM_TERM_SLE] = CK_SLE,      [MM_TERM_NOT] = CK_NOT,
        [MM_TERM_NEG] = CK_NEG,     [MM_TERM_ZEXT] = CK_ZEXT,    [MM_TERM_SEXT] = CK_SEXT,
        [MM_TERM_TRUNC] = CK_TRUNC, [MM_TERM_SELECT] = CK_SELECT};
    return (enum ck_expr_op)table[op];
}

unsigned ck_predict_operand_size(const struct ck_predictor *p, uint32_t command,
                                 const struct ck_predict_term *t)
{
    bool compares = t->op >= MM_TERM_EQ && t->op <= MM_TERM_SLE;
    bool converts = t->op >= MM_TERM_ZEXT && t->op <= MM_TERM_TRUNC;
    uint32_t other = t->a ? t->a : t->b;
    return (compares || converts) && other ? ck_predict_term(p, command, other)->size : t->size;
}

static uint64_t mask_value(uint64_t value, unsigned size)
{
    return size < 8 ? value & ((UINT64_C(1) << (8 * size)) - 1) : value;
}

static uint64_t evaluate_term(const struct ck_predict_term *t, unsigned size, const uint64_t *v)
{
    switch (t->op) {
    case MM_TERM_CONST:
        return t->value;
    case MM_TERM_SELECT:
        return v[0] ? v[1] : v[2];
    case MM_TERM_ZEXT:
    case MM_TERM_TRUNC:
        return v[0];
    case MM_TERM_SEXT:
        return (uint64_t)ck_sign_extend(v[0], size);
    default:
        return ck_evaluate(ck_predict_expr_op(t->op), v[0], v[1], size);
    }
}

uint64_t ck_predict_value(const struct ck_predictor *p, uint32_t command, uint32_t id, const uint64_t *read)
{
    struct ck_predict_term *t = ck_predict_term(p, command, id);
    if (t->op == MM_TERM_READ)
        return t->event == CK_NO_EVENT ? t->value : read[t->event];
    if (t->opaque)
        return CK_PREDICT_UNKNOWN;
    const uint32_t ids[] = {t->a, t->b, t->c};
    unsigned size = ck_predict_operand_size(p, command, t);
    uint64_t v[3];
    for (int k = 0; k < 3; k++)
        v[k] = ids[k] ? ck_predict_value(p, command, ids[k], read) : mask_value(t->value, size);
    uint64_t value = mask_value(evaluate_term(t, size, v), t->size);
    if (t->window != p->window_number && t != &discarded)
        *t = (struct ck_predict_term){.id = t->id, .op = MM_TERM_CONST, .size = t->size, .value = value};
    return value;
}

/* ---- dependencies ------------------------------------------------------------------------------ */

void ck_predict_leaves(struct ck_predictor *p, uint32_t command, uint32_t id, void (*leaf)(void *, uint32_t),
                       void *context)
{
    uint32_t *stack = NULL, count = 0, capacity = 0;
    p->stamp++;
    for (uint32_t at = id; at || count; at = count ? stack[--count] : 0) {
        struct ck_predict_term *t = at ? ck_predict_term(p, command, at) : &discarded;
        if (t->window != p->window_number || t->stamp == p->stamp)
            continue;
        t->stamp = p->stamp;
        if (t->op == MM_TERM_READ && t->event != CK_NO_EVENT)
            leaf(context, t->event);
        if (!mm_reserve(&stack, &capacity, (size_t)count + 3)) {
            p->lost = true;
            break;
        }
        const uint32_t ids[] = {t->a, t->b, t->c};
        for (int k = 0; k < 3; k++)
            if (ids[k])
                stack[count++] = ids[k];
    }
    mm_free(stack);
}
