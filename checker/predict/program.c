/* The program of a query: a thread for each agent, with its recorded accesses, fences and barriers and its
 * path conditions as assumptions over the values read.  The fixed order becomes edges between events
 * (docs/prediction.md#the-program). */
#include "checker/predict/predict.h"

#include <stdio.h>
#include <string.h>

enum { GROUPS = 256 }; /* work-groups of a query */

struct build {
    struct ck_predictor *p;
    const struct ck_predict_window *w;
    const struct ck_predict_pair *pair;
    struct ck_program *program;
    bool *kept;
    uint32_t *objects; /* by place */
    uint32_t *threads; /* by item */
    uint32_t *regs;    /* by event: register of the value read, CK_NO_REG: the recorded value */
    uint32_t groups[GROUPS], group_count;
    bool failed;
};

static uint32_t add_expr(struct build *b, enum ck_expr_op op, unsigned size, uint64_t imm, uint32_t x,
                         uint32_t y)
{
    uint64_t mask = size < 8 ? (UINT64_C(1) << (8 * size)) - 1 : UINT64_MAX;
    uint32_t i = ck_program_add_expr(
        b->program, &(struct ck_expr){.op = op, .size = (uint8_t)size, .a = x, .b = y, .imm = imm & mask});
    b->failed |= i == CK_NOT_ADDED;
    return i;
}

static uint32_t group_number(struct build *b, uint32_t group)
{
    for (uint32_t i = 0; i < b->group_count; i++)
        if (b->groups[i] == group)
            return i;
    if (b->group_count == GROUPS) {
        b->failed = true;
        return 0;
    }
    b->groups[b->group_count] = group;
    return b->group_count++;
}

/* ---- memory ------------------------------------------------------------------------------------- */

/* True if all relevant accesses to PLACE cover all of its bytes. */
static bool is_uniform(const struct build *b, uint32_t place)
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

static void add_object(struct build *b, uint32_t place)
{
    const struct ck_predict_place *p = &b->w->places[place];
    const struct mm_allocation *a =
        p->allocation < b->p->allocation_count ? &b->p->allocations[p->allocation].info : NULL;
    uint64_t size = p->to - p->from, bytes[8], *values = NULL;
    bool whole = is_uniform(b, place);
    if (!a || size > sizeof bytes) {
        b->failed = true;
        return;
    }
    values = mm_arena_alloc(b->program->arena, 8 * sizeof *values);
    ck_predict_initial(b->w, place, (uint8_t *)bytes);
    for (uint64_t i = 0; values && i < size; i++)
        if (whole)
            values[0] |= (uint64_t)((uint8_t *)bytes)[i] << (8 * i);
        else
            values[i] = ((uint8_t *)bytes)[i];
    struct ck_object object = {.name = mm_arena_strdup(b->program->arena, a->name ? a->name : ""),
                               .size = size,
                               .element_size = (uint8_t)(whole ? size : 1),
                               .region = a->region == MM_LOCAL ? MM_LOCAL : MM_GLOBAL,
                               .origin = a->origin != MM_ORIGIN_NONE ? a->origin : MM_ORIGIN_BUFFER,
                               .work_group = a->region == MM_LOCAL ? (int32_t)group_number(b, p->group) : -1,
                               .alias_of = b->program->object_count,
                               .initial = values};
    b->objects[place] = values && object.name ? ck_program_add_object(b->program, &object) : CK_NO_OBJECT;
    b->failed |= b->objects[place] == CK_NO_OBJECT;
}

/* ---- instructions ------------------------------------------------------------------------------- */

static void add_instr(struct build *b, uint32_t thread, struct ck_instr instr)
{
    b->failed |= ck_program_add_instr(b->program, thread, &instr) == CK_NOT_ADDED;
}

static void assume_equal(struct build *b, uint32_t thread, uint32_t left, uint32_t right, bool equal)
{
    uint32_t value = add_expr(b, equal ? CK_EQ : CK_NE, 4, 0, left, right);
    add_instr(b, thread,
              (struct ck_instr){.op = CK_ASSUME, .value = value, .reg = CK_NO_REG, .reg2 = CK_NO_REG});
}

/* ---- terms -------------------------------------------------------------------------------------- */

static uint32_t make_term_expr(struct build *b, uint32_t command, uint32_t id);

static uint32_t operand_expr(struct build *b, uint32_t command, const struct ck_predict_term *t, uint32_t id)
{
    unsigned size = ck_predict_operand_size(b->p, command, t);
    return id ? make_term_expr(b, command, id) : add_expr(b, CK_CONST, size, t->value, 0, 0);
}

static uint32_t make_expr(struct build *b, uint32_t command, const struct ck_predict_term *t)
{
    struct ck_expr e = {.op = ck_predict_expr_op(t->op), .size = t->size};
    if (t->op == MM_TERM_READ && t->event != CK_NO_EVENT && b->regs[t->event] != CK_NO_REG)
        return add_expr(b, CK_REG, t->size, b->regs[t->event], 0, 0);
    if (t->op == MM_TERM_READ || t->op == MM_TERM_CONST || t->window != b->p->window_number)
        return add_expr(b, CK_CONST, t->size, ck_predict_value(b->p, command, t->id, b->pair->read), 0, 0);
    unsigned count = ck_expr_operands(e.op);
    e.a = operand_expr(b, command, t, t->a);
    e.b = count > 1 ? operand_expr(b, command, t, t->b) : 0;
    e.c = count > 2 ? operand_expr(b, command, t, t->c) : 0;
    uint32_t made = ck_program_add_expr(b->program, &e);
    b->failed |= made == CK_NOT_ADDED;
    return made;
}

/* The expression of a term that is not opaque. */
static uint32_t make_term_expr(struct build *b, uint32_t command, uint32_t id)
{
    struct ck_predict_term *t = ck_predict_term(b->p, command, id);
    if (t->made != b->p->stamp) {
        t->expr = make_expr(b, command, t);
        t->made = b->p->stamp;
    }
    return t->expr;
}

/* Term ID of SIZE bytes; OTHERWISE, the recorded value, if it is opaque: the reads it depends on are
 * fixed. */
static uint32_t term_expr(struct build *b, uint32_t command, uint32_t id, unsigned size, uint64_t otherwise)
{
    const struct ck_predict_term *t = ck_predict_term(b->p, command, id);
    b->failed |= !t->opaque && t->size != size;
    return t->opaque ? add_expr(b, CK_CONST, size, otherwise, 0, 0) : make_term_expr(b, command, id);
}

static void add_condition(struct build *b, uint32_t thread, const struct ck_predict_event *e)
{
    uint32_t command = e->event.agent.command;
    const struct ck_predict_term *t = ck_predict_term(b->p, command, e->read);
    if (t->opaque)
        return; /* the reads that it depends on are fixed */
    uint64_t value = e->keeps ? e->event.value_read : 0;
    assume_equal(b, thread, make_term_expr(b, command, e->read), add_expr(b, CK_CONST, t->size, value, 0, 0),
                 e->keeps || !e->event.value_read);
}

/* ---- accesses ----------------------------------------------------------------------------------- */

/* Adds the operation and the operand of the write X to INSTR. */
static void add_written(struct build *b, const struct ck_predict_event *x, struct ck_instr *instr)
{
    static const uint8_t updates[MM_UPDATE_COUNT] = {
        [MM_UPDATE_EXCHANGE] = CK_RMW_XCHG, [MM_UPDATE_ADD] = CK_RMW_ADD,     [MM_UPDATE_SUB] = CK_RMW_SUB,
        [MM_UPDATE_AND] = CK_RMW_AND,       [MM_UPDATE_OR] = CK_RMW_OR,       [MM_UPDATE_XOR] = CK_RMW_XOR,
        [MM_UPDATE_SMIN] = CK_RMW_SMIN,     [MM_UPDATE_SMAX] = CK_RMW_SMAX,   [MM_UPDATE_UMIN] = CK_RMW_UMIN,
        [MM_UPDATE_UMAX] = CK_RMW_UMAX,     [MM_UPDATE_COMPARE] = CK_RMW_XCHG};
    const struct mm_event *e = &x->event;
    bool opaque = ck_predict_term(b->p, e->agent.command, x->written)->opaque;
    bool adds = x->update == MM_UPDATE_ADD, subtracts = x->update == MM_UPDATE_SUB;
    uint64_t value = adds        ? e->value_written - e->value_read
                     : subtracts ? e->value_read - e->value_written
                                 : e->value_written;
    instr->rmw = CK_RMW_XCHG;
    if (x->update < MM_UPDATE_COUNT && (!opaque || adds || subtracts))
        instr->rmw = updates[x->update];
    instr->value = term_expr(b, e->agent.command, x->written, e->size, value);
}

/* Assumes the recorded value of a fixed read, or the recorded outcome of a compare-exchange. */
static void assume_read(struct build *b, uint32_t thread, uint32_t index)
{
    const struct ck_predict_event *x = &b->w->events[index];
    const struct mm_event *e = &x->event;
    bool racing = ck_predict_is_last(b->w, b->pair, index), equal = e->kind == MM_RMW;
    bool opaque = ck_predict_term(b->p, e->agent.command, x->compared)->opaque;
    uint32_t reg = add_expr(b, CK_REG, e->size, b->regs[index], 0, 0);
    if (b->pair->free[index] == CK_PREDICT_FIXED && !racing)
        assume_equal(b, thread, reg, add_expr(b, CK_CONST, e->size, e->value_read, 0, 0), true);
    else if (x->update == MM_UPDATE_COMPARE && (equal || !opaque))
        assume_equal(b, thread, reg, term_expr(b, e->agent.command, x->compared, e->size, e->value_read),
                     equal);
}

static void add_access(struct build *b, uint32_t thread, uint32_t index)
{
    const struct ck_predict_event *x = &b->w->events[index];
    const struct mm_event *e = &x->event;
    bool atomic = e->attributes & MM_ATOMIC;
    bool racing = ck_predict_is_last(b->w, b->pair, index);
    bool unknown = e->attributes & MM_NO_VALUE && e->kind != MM_WRITE && !racing;
    if ((e->size != 1 && e->size != 2 && e->size != 4 && e->size != 8) || unknown) {
        b->failed = true;
        return;
    }
    uint8_t widest = e->agent.command ? MM_SCOPE_DEVICE : MM_SCOPE_ALL_SVM_DEVICES;
    struct ck_instr instr = {.op = e->kind == MM_READ    ? CK_LOAD
                                   : e->kind == MM_WRITE ? CK_STORE
                                                         : CK_RMW,
                             .size = (uint8_t)e->size,
                             .order = atomic ? e->order : MM_ORDER_NONE,
                             .scope = !atomic                     ? MM_SCOPE_NONE
                                      : e->scope != MM_SCOPE_NONE ? e->scope
                                                                  : widest,
                             .attributes = (uint8_t)(e->attributes & MM_ATOMIC),
                             .reg = CK_NO_REG,
                             .reg2 = CK_NO_REG,
                             .point = index + 1,
                             .line = index + 1};
    uint64_t address = CK_OBJECT_BASE(b->objects[x->place]) + e->offset - b->w->places[x->place].from;
    instr.address = add_expr(b, CK_CONST, 8, address, 0, 0);
    if (e->kind != MM_READ)
        add_written(b, x, &instr);
    if (e->kind != MM_WRITE)
        instr.reg = ck_program_add_reg(b->program, thread, NULL, (uint8_t)e->size, false);
    add_instr(b, thread, instr);
    b->regs[index] = instr.reg;
    if (e->kind != MM_WRITE)
        assume_read(b, thread, index);
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
                             .point = index + 1,
                             .line = index + 1};
    if (b->w->events[index].place != CK_PREDICT_NO_PLACE) {
        add_access(b, thread, index);
        return;
    }
    if (e->kind == MM_BARRIER_EXIT)
        return;
    if (e->kind == MM_BARRIER_ENTRY) {
        instr.op = CK_BARRIER;
        instr.site = e->site;
        instr.sub_group = e->effective_scope == MM_SCOPE_SUB_GROUP;
        instr.value = add_expr(b, CK_CONST, 4, e->instance, 0, 0);
    }
    add_instr(b, thread, instr);
}

/* The command of the host that COMMAND descends from. */
static uint32_t root_of(const struct ck_predictor *p, uint32_t command)
{
    while (command < p->command_count && p->commands[command].parent && p->commands[command].parent < command)
        command = p->commands[command].parent;
    return command;
}

static void add_thread(struct build *b, uint32_t item)
{
    const struct ck_predict_item *it = &b->w->items[item];
    bool known = it->agent.command && it->agent.command < b->p->command_count;
    char name[16];
    snprintf(name, sizeof name, "%c%u", it->agent.command ? 'P' : 'H', b->program->thread_count);
    struct ck_thread thread = {.name = mm_arena_strdup(b->program->arena, name),
                               .device = known ? b->p->commands[it->agent.command].device : 0,
                               .work_group = group_number(b, it->group),
                               .sub_group = it->sub_group,
                               .host = !it->agent.command,
                               .kernel = root_of(b->p, it->agent.command)};
    uint32_t t = thread.name ? ck_program_add_thread(b->program, &thread) : CK_NO_THREAD;
    b->threads[item] = t;
    b->failed |= t == CK_NO_THREAD;
    for (uint32_t k = 0; !b->failed && k < b->pair->cut[item]; k++) {
        const struct ck_predict_event *e = &b->w->events[it->events[k]];
        if (e->event.kind == CK_PREDICT_CONDITION)
            add_condition(b, t, e);
        else if (b->kept[it->events[k]])
            add_event(b, t, it->events[k]);
    }
    if (!b->failed)
        add_instr(b, t, (struct ck_instr){.op = CK_END, .reg = CK_NO_REG, .reg2 = CK_NO_REG});
}

/* ---- order -------------------------------------------------------------------------------------- */

static void add_edge(struct build *b, uint32_t from, uint32_t to)
{
    struct ck_edge edge = {.relation = "asw",
                           .from_thread = b->threads[b->w->events[from].item],
                           .to_thread = b->threads[b->w->events[to].item],
                           .from_point = from + 1,
                           .to_point = to + 1};
    b->failed |= ck_program_add_edge(b->program, &edge) == CK_NOT_ADDED;
}

/* Edges from the last event of each agent that is ordered before INDEX, and from its last access: the edge
 * from a fence of local memory orders no global accesses. */
static void add_edges(struct build *b, uint32_t index)
{
    const struct ck_predict_window *w = b->w;
    for (uint32_t i = 0; i < w->item_count; i++) {
        const struct ck_predict_item *item = &w->items[i];
        bool any = false;
        if (b->threads[i] == CK_NO_THREAD || i == w->events[index].item)
            continue;
        for (uint32_t k = b->pair->cut[i]; k-- > 0 && !b->failed;) {
            uint32_t from = item->events[k];
            bool access = w->events[from].place != CK_PREDICT_NO_PLACE;
            if (!b->kept[from] || from > index || (any && !access) || !ck_predict_ordered(w, from, index))
                continue;
            add_edge(b, from, index);
            any = true;
            if (access)
                break;
        }
    }
}

static void build_program(struct build *b)
{
    const struct ck_predict_window *w = b->w;
    for (uint32_t i = 0; i < w->place_count; i++)
        b->objects[i] = CK_NO_OBJECT;
    for (uint32_t i = 0; i < w->count; i++)
        b->regs[i] = CK_NO_REG;
    for (uint32_t i = 0; i < w->count && !b->failed; i++) {
        uint32_t place = b->kept[i] ? w->events[i].place : CK_PREDICT_NO_PLACE;
        if (place != CK_PREDICT_NO_PLACE && b->objects[place] == CK_NO_OBJECT)
            add_object(b, place);
    }
    for (uint32_t i = 0; i < w->item_count && !b->failed; i++) {
        bool any = false;
        b->threads[i] = CK_NO_THREAD;
        for (uint32_t k = 0; k < b->pair->cut[i] && !any; k++)
            any = b->kept[w->items[i].events[k]];
        if (any)
            add_thread(b, i);
    }
    for (uint32_t i = 0; i < w->count && !b->failed && w->slot_count > 1; i++)
        if (b->kept[i])
            add_edges(b, i);
    b->program->condition = b->pair->assertion
                                ? ck_assertion_lower(b->pair->assertion, b->p, w, b->objects, b->program)
                                : ck_program_add_prop(b->program, &(struct ck_prop){.op = CK_PROP_TRUE});
    b->failed |= b->program->condition == CK_NOT_ADDED;
    b->program->name = b->program->file = "prediction";
}

struct ck_program *ck_predict_program(struct ck_predictor *p, const struct ck_predict_window *w,
                                      const struct ck_predict_pair *pair)
{
    struct build b = {.p = p, .w = w, .pair = pair};
    struct mm_error err;
    b.kept = mm_alloc(w->count + 1);
    b.objects = mm_alloc((w->place_count + 1) * sizeof *b.objects);
    b.threads = mm_alloc((w->item_count + 1) * sizeof *b.threads);
    b.regs = mm_alloc((w->count + 1) * sizeof *b.regs);
    uint32_t count = b.kept ? ck_predict_select(p, w, pair, b.kept) : 0;
    p->stamp++;
    if (b.objects && b.threads && b.regs && count > 1 && count <= p->options.events)
        b.program = ck_program_create();
    if (b.program)
        build_program(&b);
    mm_free(b.kept);
    mm_free(b.objects);
    mm_free(b.threads);
    mm_free(b.regs);
    if (b.program && (b.failed || ck_program_validate(b.program, &err) != MM_OK)) {
        ck_program_destroy(b.program);
        b.program = NULL;
    }
    return b.program;
}
