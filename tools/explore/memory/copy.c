/* Asynchronous copies: a separate thread, an agent, executes the accesses of each copy.  It starts after the
 * call of one work-item, any of them, as each may make any part of the copy and the source is not
 * synchronized.  It ends before wait_group_events returns in each work-item that waits.  Nothing else orders
 * it.  [CLC 6.15.11]
 *
 * Work-items and agents synchronize by hidden flags: a pair for each work-item and one for the end, in global
 * and in local memory.  They are released and acquired, so that earlier accesses are ordered in both regions.
 *
 * Calls and waits are first lowered to requests: stores of their operands, with a point.  After constant
 * propagation the operands are constants, and accesses to the flags replace the requests. */
#include "tools/explore/memory/hidden.h"
#include "tools/explore/memory/memory.h"
#include "tools/explore/module/module.h"
#include "tools/explore/program/build.h"
#include "tools/explore/value/value.h"

#include <stdio.h>
#include <string.h>

enum { WORD = 8, MAX_ELEMENTS = 1024, MAX_EVENTS = 64, MAX_CALLS = 256 };
enum { COPY_FENCE = 0x46454e00 }; /* in_is_copy_fence() */
/* The words of a call's request, in this order, and that of a wait. */
enum { TO, FROM, COUNT, STRIDE, EVENT, KEY, CALL_WORDS, WAIT_WORD = CALL_WORDS };

struct copy { /* requested by a work-group */
    uint64_t words[CALL_WORDS];
    uint32_t site, work_group;
    uint32_t flags[2]; /* objects: global, local; of the members, then of the end, then of choices */
    bool outside;      /* it accesses memory outside of objects: the calls fault, and there is no agent */
};
struct call { /* by the current thread: instruction FIRST and those after it */
    uint32_t first;
    struct copy *copy;
};
struct copies {
    struct ex *ex;
    struct copy *items;
    uint32_t count, members;
};

/* ---- lowering ----------------------------------------------------------------------------------- */

/* An atomic access of work-group scope to hidden memory. */
static struct ck_instr flag_access(struct ex *ex, enum ck_op op, uint8_t order, uint32_t address)
{
    struct ck_instr i = ex_instr(op);
    i.size = WORD;
    i.order = i.order_fail = order;
    i.scope = MM_SCOPE_WORK_GROUP;
    i.attributes = MM_ATOMIC;
    i.reg = op == CK_STORE ? CK_NO_REG : ex_new_reg(ex, WORD);
    i.value = op == CK_LOAD ? CK_NO_EXPR : ex_const(ex, 1, WORD);
    i.expected = op == CK_CAS ? ex_const(ex, 0, WORD) : CK_NO_EXPR;
    i.address = address;
    i.line = ex->current ? ex->current->line : 0;
    i.column = ex->current ? ex->current->column : 0;
    return i;
}

static void store_request(struct ex *ex, uint32_t site, unsigned word, uint32_t value)
{
    uint32_t object = ex_hidden_object(
        ex, &(struct ex_hidden){.site = site, .size = (WAIT_WORD + 1) * WORD, .region = MM_GLOBAL});
    struct ck_instr store =
        flag_access(ex, CK_STORE, MM_RELAXED, ex_const(ex, CK_OBJECT_BASE(object) + word * WORD, WORD));
    store.value = value;
    store.site = site;
    store.point = word + 1;
    ex_emit(ex, store);
}

bool ex_is_copy_target(const struct ck_instr *instr)
{
    return instr->op == CK_STORE && instr->point == TO + 1;
}

static void lower_copy_call(struct ex *ex, const struct in_inst *inst)
{
    if (inst->operand_count < 6)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.21", "an asynchronous copy lacks operands");
    if (ex_scope(ex, inst->operands[0]) != MM_SCOPE_WORK_GROUP)
        ex_fail(ex, MM_LIMIT, "explore.copy",
                "an asynchronous copy of other than a work-group is not explored: use async_work_group_copy");
    uint32_t counter = ex_new_counter(ex), zero = ex_const(ex, 0, WORD), words[CALL_WORDS];
    uint32_t execution = ex_hold(ex, ex_binary(ex, CK_ADD, ex_reg_expr(ex, counter), ex_const(ex, 1, 4)));
    ex_assign(ex, counter, execution);
    for (unsigned i = 0; i < CALL_WORDS - 1; i++)
        words[i] = ex_resize(ex, ex_scalar(ex, inst->operands[1 + i]), WORD, false);
    ex_emit_hidden_barrier(ex, false);
    uint32_t site = ex->item.site, number = ex_const(ex, site, WORD);
    uint32_t high = ex_binary(ex, CK_SHL, ex_resize(ex, execution, WORD, false), ex_const(ex, 32, WORD));
    words[KEY] = ex_hold(ex, ex_binary(ex, CK_OR, high, number));
    uint32_t given = ex_binary(ex, CK_NE, words[EVENT], zero);
    words[EVENT] = ex_hold(ex, ex_select(ex, given, words[EVENT], words[KEY]));
    for (unsigned i = 0; i < CALL_WORDS; i++)
        store_request(ex, site, i, words[i]);
    ex_note_copy(ex, site, inst);
    ex_set_scalar(ex, inst, words[EVENT]);
}

static void lower_wait(struct ex *ex, const struct in_inst *inst)
{
    uint64_t count;
    if (inst->operand_count < 3)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.21", "a wait for events lacks operands");
    if (ex_is_const(ex, ex_scalar(ex, inst->operands[1]), &count) && (count & ~UINT64_C(0xff)) == COPY_FENCE)
        ex_fail(
            ex, MM_LIMIT, "explore.copy",
            "async_work_group_copy_fence is not explored: wait with wait_group_events and call work_group_barrier");
    if (!ex_is_const(ex, ex_scalar(ex, inst->operands[1]), &count) || count > MAX_EVENTS)
        ex_fail(
            ex, MM_LIMIT, "explore.copy",
            "wait_group_events for a variable number of events, or more than %d, is not explored: wait with "
            "a constant number",
            MAX_EVENTS);
    ex_emit_hidden_barrier(ex, false);
    uint32_t site = ex->item.site;
    for (uint64_t i = 0; i < count; i++)
        store_request(ex, site, WAIT_WORD, ex_load_element(ex, inst->operands[2], i, WORD));
}

bool ex_copy(struct ex *ex, const struct in_inst *inst)
{
    if (inst->opcode == SpvOpGroupAsyncCopy)
        lower_copy_call(ex, inst);
    else if (inst->opcode == SpvOpGroupWaitEvents)
        lower_wait(ex, inst);
    else
        return false;
    return true;
}

/* ---- requests ----------------------------------------------------------------------------------- */

static uint64_t constant_operand(struct ex *ex, const struct ck_instr *store)
{
    uint64_t value;
    if (!ex_is_const(ex, store->value, &value))
        ex_fail(
            ex, MM_LIMIT, "explore.copy",
            "an asynchronous copy, or a wait, whose operands depend on values read is not explored: let constants and "
            "arguments determine pointers, sizes and events, or copy by loads and stores");
    return value;
}

static void set_place(struct ex *ex, struct in_inst *here, const struct ck_instr *instr)
{
    *here = (struct in_inst){.line = instr->line, .column = instr->column};
    ex->current = here;
}

static uint32_t flag_object(struct copies *c, const struct copy *copy, uint8_t region)
{
    const struct ex_hidden wanted = {.site = copy->site,
                                     .work_group = copy->work_group,
                                     .sub_group = (uint32_t)(copy->words[KEY] >> 32),
                                     .size = (2 * (uint64_t)c->members + 1) * WORD,
                                     .region = region};
    return ex_hidden_object(c->ex, &wanted);
}

_Noreturn static void fail_too_many_copies(struct ex *ex)
{
    ex_fail(
        ex, MM_LIMIT, "explore.copy",
        "more than %d asynchronous copies are not explored: launch fewer work-groups, or copy more at once",
        MAX_CALLS);
}

/* The copy with the operands WORDS that WORK_GROUP requests; created on first use. */
static struct copy *find_copy(struct copies *c, uint32_t site, uint32_t work_group, const uint64_t *words)
{
    for (uint32_t i = 0; i < c->count; i++) {
        struct copy *copy = &c->items[i];
        if (copy->work_group != work_group || copy->words[KEY] != words[KEY])
            continue;
        if (memcmp(copy->words, words, sizeof copy->words) != 0)
            ex_fail(c->ex, MM_INVALID, "CLC 6.15.11",
                    "the work-items of a work-group ask for different asynchronous copies");
        return copy;
    }
    if (c->count == MAX_CALLS)
        fail_too_many_copies(c->ex);
    struct copy *copy = &c->items[c->count++];
    *copy = (struct copy){.site = site, .work_group = work_group};
    memcpy(copy->words, words, sizeof copy->words);
    copy->flags[0] = flag_object(c, copy, MM_GLOBAL);
    copy->flags[1] = flag_object(c, copy, MM_LOCAL);
    return copy;
}

/* ---- elements --------------------------------------------------------------------------------------- */

struct shape {
    const struct in_ty *element;
    uint64_t size, count, steps[2]; /* bytes of an element; from one to the next, by TO and FROM */
};

/* The stride counts elements of the side that is in global memory. */
static struct shape shape_of(struct ex *ex, uint32_t site, const uint64_t *words)
{
    const struct in_ty *pointer = ex_type_of(ex, ex_copy_inst(ex, site)->operands[1]);
    const struct in_ty *element = ex_pointed(ex, pointer);
    uint64_t size = ex_element_size(element);
    unsigned strided = pointer->storage == SpvStorageClassWorkgroup ? FROM : TO;
    struct shape shape = {element, size, words[COUNT], {size, size}};
    if (words[STRIDE] && __builtin_mul_overflow(size, words[STRIDE], &shape.steps[strided]))
        shape.steps[strided] = UINT64_MAX;
    return shape;
}

/* Whether all elements from ADDRESS on, STEP bytes apart, are in the object that ADDRESS is in. */
static bool is_inside(const struct ex *ex, uint64_t address, uint64_t step, const struct shape *shape)
{
    uint64_t object = (address >> 32) - 1, last;
    if (shape->count == 0)
        return true;
    if (object >= ex->program->object_count || __builtin_mul_overflow(shape->count - 1, step, &last))
        return false;
    return !__builtin_add_overflow(last, (uint32_t)address, &last) &&
           !__builtin_add_overflow(last, shape->size, &last) && last <= ex->program->objects[object].size;
}

/* ---- flags -------------------------------------------------------------------------------------- */

static uint32_t flag_address(struct ex *ex, const struct copy *copy, int region, uint32_t word)
{
    return ex_const(ex, CK_OBJECT_BASE(copy->flags[region]) + (uint64_t)word * WORD, WORD);
}

/* ---- work-items --------------------------------------------------------------------------------- */

struct rewrite { /* of the current thread */
    struct copies *c;
    struct ck_instr *out;
    uint32_t count, member, work_group;
    struct copy *requests[MAX_CALLS];
    uint32_t request_count;
};

static void put_instruction(struct rewrite *r, struct ck_instr instr)
{
    r->out = ex_grow(r->c->ex, r->out, r->count, sizeof *r->out);
    r->out[r->count++] = instr;
}

/* An access outside of all objects. */
static void put_fault(struct rewrite *r)
{
    struct ex *ex = r->c->ex;
    struct ck_instr load = ex_load(ex, ex_const(ex, 0, WORD), 1);
    load.line = ex->current->line;
    load.column = ex->current->column;
    put_instruction(r, load);
}

static void rewrite_call(struct rewrite *r, const struct ck_instr *stores)
{
    struct ex *ex = r->c->ex;
    uint64_t words[CALL_WORDS];
    for (unsigned i = 0; i < CALL_WORDS; i++)
        words[i] = constant_operand(ex, &stores[i]);
    struct copy *copy = find_copy(r->c, stores->site, r->work_group, words);
    if (r->request_count == MAX_CALLS)
        fail_too_many_copies(ex);
    r->requests[r->request_count++] = copy;
    struct shape shape = shape_of(ex, copy->site, words);
    copy->outside = !is_inside(ex, words[TO], shape.steps[TO], &shape) ||
                    !is_inside(ex, words[FROM], shape.steps[FROM], &shape);
    if (copy->outside)
        put_fault(r);
    for (int region = 0; region < 2; region++)
        put_instruction(r, flag_access(ex, CK_STORE, MM_RELEASE, flag_address(ex, copy, region, r->member)));
}

/* Waits for the copies with this event that the work-item has requested. */
static void rewrite_wait(struct rewrite *r, const struct ck_instr *store)
{
    struct ex *ex = r->c->ex;
    uint64_t event = constant_operand(ex, store);
    bool found = false;
    for (uint32_t i = 0; i < r->request_count; i++) {
        if (r->requests[i]->words[EVENT] != event)
            continue;
        found = true;
        for (int region = 0; region < 2; region++) {
            struct ck_instr load =
                flag_access(ex, CK_LOAD, MM_ACQUIRE, flag_address(ex, r->requests[i], region, r->c->members));
            put_instruction(r, load);
            put_instruction(r, (struct ck_instr){.op = CK_ASSUME,
                                                 .site = store->site,
                                                 .value = ex_binary(ex, CK_NE, ex_reg_expr(ex, load.reg),
                                                                    ex_const(ex, 0, WORD))});
        }
    }
    if (!found)
        ex_fail(ex, MM_INVALID, "CLC 6.15.11",
                "wait_group_events for an event that no copy of the work-item has");
}

static void rewrite_thread(struct copies *c, uint32_t thread)
{
    struct ex *ex = c->ex;
    struct ck_thread *t = &ex->program->threads[thread];
    struct rewrite *r = ex_alloc(ex, sizeof *r);
    uint32_t *place = ex_alloc(ex, (t->instr_count + 1) * sizeof *place);
    struct in_inst here;
    *r = (struct rewrite){.c = c, .member = thread % c->members, .work_group = t->work_group};
    ex->item.thread = thread;
    for (uint32_t i = 0; i < t->instr_count; i++) {
        const struct ck_instr *instr = &t->instrs[i];
        place[i] = r->count;
        set_place(ex, &here, instr);
        if (!instr->point)
            put_instruction(r, *instr);
        else if (instr->point == WAIT_WORD + 1)
            rewrite_wait(r, instr);
        else if (ex_is_copy_target(instr))
            rewrite_call(r, instr);
    }
    place[t->instr_count] = r->count;
    for (uint32_t i = 0; i < r->count; i++)
        if (ck_instr_is_jump(&r->out[i]))
            r->out[i].target = place[r->out[i].target];
    t->instrs = r->out;
    t->instr_count = r->count;
    ex->current = NULL;
}

/* ---- agents ------------------------------------------------------------------------------------- */

/* Branches to END unless the agent reads the flags that work-item MEMBER sets at its call. */
static void after_call(struct ex *ex, const struct copy *copy, uint32_t member, uint32_t end)
{
    for (int region = 0; region < 2; region++) {
        struct ck_instr load = flag_access(ex, CK_LOAD, MM_ACQUIRE, flag_address(ex, copy, region, member));
        ex_emit(ex, load);
        ex_branch_if_zero(ex, ex_reg_expr(ex, load.reg), end);
    }
}

/* A weak compare-exchange, which may fail spuriously, chooses whether the copy starts after the call of
 * MEMBER. */
static void choose_member(struct copies *c, const struct copy *copy, uint32_t member, uint32_t other)
{
    struct ex *ex = c->ex;
    struct ck_instr cas =
        flag_access(ex, CK_CAS, MM_RELAXED, flag_address(ex, copy, 0, c->members + 1 + member));
    cas.weak = true;
    cas.reg2 = ex_new_reg(ex, 1);
    ex_emit(ex, cas);
    ex_branch_if_zero(ex, ex_reg_expr(ex, cas.reg2), other);
}

static void copy_element(struct ex *ex, const struct in_ty *element, uint64_t to, uint64_t from)
{
    const struct ex_shape *shape = ex_shape(ex, element);
    for (uint32_t i = 0; i < shape->count; i++) {
        unsigned size = shape->scalars[i].size;
        struct ck_instr access = ex_load(ex, ex_const(ex, from + shape->scalars[i].offset, WORD), size);
        ex_emit(ex, access);
        access.op = CK_STORE;
        access.value = ex_reg_expr(ex, access.reg);
        access.reg = CK_NO_REG;
        access.address = ex_const(ex, to + shape->scalars[i].offset, WORD);
        ex_emit(ex, access);
    }
}

static void copy_elements(struct ex *ex, const struct copy *copy)
{
    struct shape shape = shape_of(ex, copy->site, copy->words);
    if (shape.count > MAX_ELEMENTS || ex_shape(ex, shape.element)->count == 0)
        ex_fail(ex, MM_LIMIT, "explore.copy",
                "an asynchronous copy of more than %d elements is not explored: copy fewer", MAX_ELEMENTS);
    for (uint64_t i = 0; i < shape.count; i++)
        copy_element(ex, shape.element, copy->words[TO] + i * shape.steps[TO],
                     copy->words[FROM] + i * shape.steps[FROM]);
}

static void add_agent(struct copies *c, const struct copy *copy)
{
    struct ex *ex = c->ex;
    char name[32];
    snprintf(name, sizeof name, "copy %u", (unsigned)(copy - c->items));
    const struct ck_thread thread = {
        .name = name, .work_group = copy->work_group, .sub_group = c->members + 1, .agent = true};
    ex->item.thread = ex_check_added(ex, ck_program_add_thread(ex->program, &thread));
    ex->item.label_count = 0;
    ex->current = ex_copy_inst(ex, copy->site);
    uint32_t end = ex_new_label(ex), body = ex_new_label(ex);
    for (uint32_t member = 0; member < c->members; member++) {
        uint32_t other = ex_new_label(ex);
        if (member + 1 < c->members)
            choose_member(c, copy, member, other);
        after_call(ex, copy, member, end);
        ex_jump(ex, body);
        ex_place_label(ex, other);
    }
    ex_place_label(ex, body);
    copy_elements(ex, copy);
    for (int region = 0; region < 2; region++)
        ex_emit(ex, flag_access(ex, CK_STORE, MM_RELEASE, flag_address(ex, copy, region, c->members)));
    ex_place_label(ex, end);
    ex_emit(ex, (struct ck_instr){.op = CK_END});
    ex_resolve_labels(ex);
    ex->current = NULL;
}

void ex_add_agents(struct ex *ex)
{
    const uint32_t *n = ex->config.launch.local, threads = ex->program->thread_count;
    struct copies c = {.ex = ex, .members = n[0] * n[1] * n[2]};
    c.items = ex_alloc(ex, MAX_CALLS * sizeof *c.items);
    for (uint32_t t = 0; t < threads; t++)
        rewrite_thread(&c, t);
    for (uint32_t i = 0; i < c.count; i++)
        if (!c.items[i].outside)
            add_agent(&c, &c.items[i]);
}
