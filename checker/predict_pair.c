/* One question: what must have happened for two accesses to be reached, and the program that Z3 is asked
 * about.
 *
 * The work-items of the two stop there; others come as far as values that were read, and barriers, demand.
 * All other reads return what they returned, so that everybody comes the same way. */
#include "checker/predict.h"

#include <stdio.h>
#include <string.h>

static uint32_t position(const struct ck_predict_window *w, uint32_t event)
{
    const struct ck_predict_item *item = &w->items[w->events[event].item];
    uint32_t low = 0, high = item->count;
    while (low + 1 < high) {
        uint32_t middle = (low + high) / 2;
        if (item->events[middle] <= event)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ITEM comes at least to its event at POSITION.  False: it stops before that. */
static bool demand(const struct ck_predict_window *w, struct ck_predict_pair *pair, uint32_t item,
                   uint32_t at, bool *changed)
{
    if (pair->cut[item] > at)
        return true;
    if (item == w->events[pair->a].item || item == w->events[pair->b].item)
        return false;
    pair->cut[item] = at + 1;
    *changed = true;
    return true;
}

static bool same_barrier(const struct mm_event *x, const struct mm_event *y)
{
    return x->instance == y->instance && x->effective_scope == y->effective_scope;
}

static uint32_t sub_group(const struct ck_predict_window *w, const struct ck_predict_item *item)
{
    uint32_t size = 1;
    for (int i = 0; i < 3; i++)
        size *= w->command.local_size[i] ? w->command.local_size[i] : 1;
    return item->index % size / (w->command.sub_group_size ? w->command.sub_group_size : size);
}

/* Who leaves a barrier has met all others there. */
static bool demand_barrier(const struct ck_predict_window *w, struct ck_predict_pair *pair,
                           const struct ck_predict_event *exit, bool *changed)
{
    const struct ck_predict_item *me = &w->items[exit->item];
    for (uint32_t i = 0; i < w->item_count; i++) {
        const struct ck_predict_item *other = &w->items[i];
        if (other->group != me->group ||
            (exit->event.effective_scope == MM_SCOPE_SUB_GROUP && sub_group(w, other) != sub_group(w, me)))
            continue;
        for (uint32_t k = 0; k < other->count; k++) {
            const struct mm_event *e = &w->events[other->events[k]].event;
            if (e->kind == MM_BARRIER_ENTRY && same_barrier(e, &exit->event) &&
                !demand(w, pair, i, k, changed))
                return false;
        }
    }
    return true;
}

static bool demand_all(const struct ck_predict_window *w, struct ck_predict_pair *pair, uint32_t item,
                       bool *changed)
{
    for (uint32_t k = 0; k < pair->cut[item]; k++) {
        uint32_t index = w->items[item].events[k];
        const struct ck_predict_event *e = &w->events[index];
        if (e->event.kind == MM_BARRIER_EXIT && !demand_barrier(w, pair, e, changed))
            return false;
        if (e->writer != UINT32_MAX && index != pair->a && index != pair->b)
            demand(w, pair, w->events[e->writer].item, position(w, e->writer), changed);
    }
    return true;
}

bool ck_predict_close(const struct ck_predict_window *w, struct ck_predict_pair *pair)
{
    memset(pair->cut, 0, w->item_count * sizeof *pair->cut);
    pair->cut[w->events[pair->a].item] = position(w, pair->a) + 1;
    pair->cut[w->events[pair->b].item] = position(w, pair->b) + 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < w->item_count; i++)
            if (!demand_all(w, pair, i, &changed))
                return false;
    }
    return true;
}

/* ---- what matters ----------------------------------------------------------------------------- */

static bool writes(const struct mm_event *e)
{
    return e->kind == MM_WRITE || e->kind == MM_RMW;
}

/* EVENT does not happen before the two race. */
static bool is_cut(const struct ck_predict_window *w, const struct ck_predict_pair *pair, uint32_t event)
{
    return event != UINT32_MAX && position(w, event) >= pair->cut[w->events[event].item];
}

/* Places that two of those who take part use, one of them writing, or where somebody has read what then is
 * not written: the question's answer is no, unless others write the same. */
static void mark_places(const struct ck_predict_window *w, const struct ck_predict_pair *pair,
                        uint32_t *owner, bool *used)
{
    for (uint32_t i = 0; i < w->place_count; i++)
        owner[i] = UINT32_MAX;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < w->item_count; i++)
            for (uint32_t k = 0; k < pair->cut[i]; k++) {
                const struct ck_predict_event *e = &w->events[w->items[i].events[k]];
                if (e->place == UINT32_MAX)
                    continue;
                if (pass == 0 && e->event.kind != MM_WRITE && is_cut(w, pair, e->writer))
                    used[e->place] = true;
                if (pass == 0 && writes(&e->event))
                    owner[e->place] = i;
                else if (pass == 1 && owner[e->place] != UINT32_MAX && owner[e->place] != i)
                    used[e->place] = true;
            }
}

uint32_t ck_predict_select(const struct ck_predict_window *w, const struct ck_predict_pair *pair, bool *kept)
{
    uint32_t *owner = mm_alloc((w->place_count + 1) * sizeof *owner), count = 0;
    bool *used = mm_alloc_zero(w->place_count + 1, sizeof *used);
    memset(kept, 0, w->count * sizeof *kept);
    if (owner && used)
        mark_places(w, pair, owner, used);
    for (uint32_t i = 0; owner && used && i < w->item_count; i++) {
        bool active = false;
        for (uint32_t k = 0; k < pair->cut[i]; k++) {
            const struct ck_predict_event *e = &w->events[w->items[i].events[k]];
            active |= e->place != UINT32_MAX && used[e->place];
        }
        for (uint32_t k = 0; active && k < pair->cut[i]; k++) {
            const struct ck_predict_event *e = &w->events[w->items[i].events[k]];
            bool keep = e->place == UINT32_MAX ? e->event.size == 0 : used[e->place];
            kept[w->items[i].events[k]] = keep;
            count += keep;
        }
    }
    mm_free(owner);
    mm_free(used);
    return count;
}

void ck_predict_initial(const struct ck_predict_window *w, uint32_t place, uint8_t *bytes)
{
    const struct ck_predict_place *p = &w->places[place];
    uint64_t size = p->to - p->from;
    memset(bytes, 0xa5, size);
    for (uint32_t i = w->count; i-- > 0;) { /* the first that touches a byte is the last to say */
        const struct ck_predict_event *e = &w->events[i];
        bool reads = e->event.kind != MM_WRITE && !(e->event.attributes & MM_NO_VALUE);
        if (e->place != place)
            continue;
        uint64_t value = e->known ? e->before : e->event.value_read;
        for (uint32_t b = 0; b < e->event.size; b++)
            bytes[e->event.offset - p->from + b] =
                b < 8 && (e->known || reads) ? (uint8_t)(value >> (8 * b)) : 0xa5;
    }
}

/* ---- the program ------------------------------------------------------------------------------ */

struct build {
    const struct ck_predictor *p;
    const struct ck_predict_window *w;
    const struct ck_predict_pair *pair;
    struct ck_program *program;
    bool *kept;
    uint32_t *objects; /* by place */
    uint32_t groups[64], group_count;
    bool failed;
};

static uint32_t expr(struct build *b, enum ck_expr_op op, unsigned size, uint64_t imm, uint32_t x, uint32_t y)
{
    uint64_t mask = size < 8 ? (UINT64_C(1) << (8 * size)) - 1 : UINT64_MAX;
    uint32_t i = ck_program_add_expr(
        b->program, &(struct ck_expr){.op = op, .size = (uint8_t)size, .a = x, .b = y, .imm = imm & mask});
    b->failed |= i == UINT32_MAX;
    return i;
}

static uint32_t group_number(struct build *b, uint32_t group)
{
    for (uint32_t i = 0; i < b->group_count; i++)
        if (b->groups[i] == group)
            return i;
    if (b->group_count == sizeof b->groups / sizeof *b->groups) {
        b->failed = true;
        return 0;
    }
    b->groups[b->group_count] = group;
    return b->group_count++;
}

/* All accesses to PLACE are of all of it. */
static bool uniform(const struct build *b, uint32_t place)
{
    const struct ck_predict_place *p = &b->w->places[place];
    uint64_t size = p->to - p->from;
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return false;
    for (uint32_t i = 0; i < b->w->count; i++)
        if (b->kept[i] && b->w->events[i].place == place && b->w->events[i].event.size != size)
            return false;
    return true;
}

static void add_object(struct build *b, uint32_t place, uint32_t group)
{
    const struct ck_predict_place *p = &b->w->places[place];
    const struct mm_allocation *a =
        p->allocation < b->p->allocation_count ? &b->p->allocations[p->allocation] : NULL;
    uint64_t size = p->to - p->from, bytes[8], *values = NULL;
    bool whole = uniform(b, place);
    if (!a || size > sizeof bytes) {
        b->failed = true;
        return;
    }
    values = mm_arena_alloc(b->program->arena, 8 * sizeof *values);
    ck_predict_initial(b->w, place, (uint8_t *)bytes);
    for (uint64_t i = 0; values && i < size; i++) {
        if (whole)
            values[0] |= (uint64_t)((uint8_t *)bytes)[i] << (8 * i);
        else
            values[i] = ((uint8_t *)bytes)[i];
    }
    struct ck_object object = {.name = mm_arena_strdup(b->program->arena, a->name ? a->name : ""),
                               .size = size,
                               .element_size = (uint8_t)(whole ? size : 1),
                               .region = a->region == MM_LOCAL ? MM_LOCAL : MM_GLOBAL,
                               .origin = a->origin != MM_ORIGIN_NONE ? a->origin : MM_ORIGIN_BUFFER,
                               .work_group = a->region == MM_LOCAL ? (int32_t)group_number(b, group) : -1,
                               .alias_of = b->program->object_count,
                               .initial = values};
    b->objects[place] = values && object.name ? ck_program_add_object(b->program, &object) : UINT32_MAX;
    b->failed |= b->objects[place] == UINT32_MAX;
}

static void emit(struct build *b, uint32_t thread, struct ck_instr instr)
{
    b->failed |= ck_program_add_instr(b->program, thread, &instr) == UINT32_MAX;
}

/* The value read is what it was. */
static void assume(struct build *b, uint32_t thread, uint32_t reg, const struct mm_event *e)
{
    uint32_t left = expr(b, CK_REG, e->size, reg, 0, 0);
    uint32_t right = expr(b, CK_CONST, e->size, e->value_read, 0, 0);
    emit(b, thread,
         (struct ck_instr){.op = CK_ASSUME,
                           .value = expr(b, CK_EQ, 4, 0, left, right),
                           .reg = CK_NO_REG,
                           .reg2 = CK_NO_REG});
}

static void add_access(struct build *b, uint32_t thread, uint32_t index)
{
    const struct ck_predict_event *x = &b->w->events[index];
    const struct mm_event *e = &x->event;
    bool atomic = e->attributes & MM_ATOMIC;
    if ((e->size != 1 && e->size != 2 && e->size != 4 && e->size != 8) || e->attributes & MM_NO_VALUE) {
        b->failed = true;
        return;
    }
    struct ck_instr instr = {.op = e->kind == MM_READ    ? CK_LOAD
                                   : e->kind == MM_WRITE ? CK_STORE
                                                         : CK_RMW,
                             .size = (uint8_t)e->size,
                             .order = atomic ? e->order : MM_ORDER_NONE,
                             .scope = !atomic                     ? MM_SCOPE_NONE
                                      : e->scope != MM_SCOPE_NONE ? e->scope
                                                                  : MM_SCOPE_DEVICE,
                             .attributes = (uint8_t)(e->attributes & MM_ATOMIC),
                             .rmw = CK_RMW_XCHG,
                             .reg = CK_NO_REG,
                             .reg2 = CK_NO_REG,
                             .line = index + 1};
    uint64_t address = CK_OBJECT_BASE(b->objects[x->place]) + e->offset - b->w->places[x->place].from;
    instr.address = expr(b, CK_CONST, 8, address, 0, 0);
    if (e->kind != MM_READ)
        instr.value = expr(b, CK_CONST, e->size, e->value_written, 0, 0);
    if (e->kind != MM_WRITE)
        instr.reg = ck_program_add_reg(b->program, thread, NULL, (uint8_t)e->size, false);
    emit(b, thread, instr);
    if (e->kind != MM_WRITE && index != b->pair->a && index != b->pair->b)
        assume(b, thread, instr.reg, e);
}

static void add_event(struct build *b, uint32_t thread, uint32_t index)
{
    const struct mm_event *e = &b->w->events[index].event;
    struct ck_instr instr = {.op = CK_FENCE,
                             .order = e->order,
                             .scope = e->scope,
                             .fence_flags = e->fence_flags,
                             .reg = CK_NO_REG,
                             .reg2 = CK_NO_REG,
                             .value = CK_NO_EXPR,
                             .line = index + 1};
    if (b->w->events[index].place != UINT32_MAX) {
        add_access(b, thread, index);
        return;
    }
    if (e->kind == MM_BARRIER_EXIT)
        return;
    if (e->kind == MM_BARRIER_ENTRY) {
        instr.op = CK_BARRIER;
        instr.site = e->site;
        instr.sub_group = e->effective_scope == MM_SCOPE_SUB_GROUP;
        instr.value = expr(b, CK_CONST, 4, e->instance, 0, 0);
    }
    emit(b, thread, instr);
}

static void add_thread(struct build *b, uint32_t item)
{
    const struct ck_predict_item *it = &b->w->items[item];
    char name[16];
    snprintf(name, sizeof name, "P%u", b->program->thread_count);
    struct ck_thread thread = {.name = mm_arena_strdup(b->program->arena, name),
                               .work_group = group_number(b, it->group),
                               .sub_group = sub_group(b->w, it),
                               .kernel = 1};
    uint32_t t = thread.name ? ck_program_add_thread(b->program, &thread) : UINT32_MAX;
    b->failed |= t == UINT32_MAX;
    for (uint32_t k = 0; !b->failed && k < b->pair->cut[item]; k++)
        if (b->kept[it->events[k]])
            add_event(b, t, it->events[k]);
    if (!b->failed)
        emit(b, t, (struct ck_instr){.op = CK_END, .reg = CK_NO_REG, .reg2 = CK_NO_REG});
}

static void add_all(struct build *b)
{
    for (uint32_t i = 0; i < b->w->place_count; i++)
        b->objects[i] = UINT32_MAX;
    for (uint32_t i = 0; i < b->w->count && !b->failed; i++) {
        uint32_t place = b->kept[i] ? b->w->events[i].place : UINT32_MAX;
        if (place != UINT32_MAX && b->objects[place] == UINT32_MAX)
            add_object(b, place, b->w->items[b->w->events[i].item].group);
    }
    for (uint32_t i = 0; i < b->w->item_count && !b->failed; i++) {
        bool any = false;
        for (uint32_t k = 0; k < b->pair->cut[i] && !any; k++)
            any = b->kept[b->w->items[i].events[k]];
        if (any)
            add_thread(b, i);
    }
    b->program->condition = ck_program_add_prop(b->program, &(struct ck_prop){.op = CK_PROP_TRUE});
    b->program->name = b->program->file = "prediction";
}

struct ck_program *ck_predict_program(const struct ck_predictor *p, const struct ck_predict_window *w,
                                      const struct ck_predict_pair *pair)
{
    struct build b = {.p = p, .w = w, .pair = pair};
    struct mm_error err;
    b.kept = mm_alloc(w->count + 1);
    b.objects = mm_alloc((w->place_count + 1) * sizeof *b.objects);
    uint32_t count = b.kept ? ck_predict_select(w, pair, b.kept) : 0;
    if (b.objects && count > 1 && count <= p->options.events)
        b.program = ck_program_create();
    if (b.program)
        add_all(&b);
    mm_free(b.kept);
    mm_free(b.objects);
    if (b.program && (b.failed || ck_program_validate(b.program, &err) != MM_OK)) {
        ck_program_destroy(b.program);
        b.program = NULL;
    }
    return b.program;
}
