/* Random programs for the hunt, and their lowering to what the engines decide about. */
#ifndef TESTS_HUNT_GENERATE_H
#define TESTS_HUNT_GENERATE_H

#include "tests/hunt/hunt.h"

#include <string.h>

static uint64_t random_state;

static uint32_t pick(uint32_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % below;
}

static bool reads(const struct hunt_op *op)
{
    return op->kind <= WAIT || op->kind == RMW || op->kind == CAS;
}

static enum mm_order pick_order(const enum mm_order *orders, uint32_t count)
{
    return orders[pick(count)];
}

/* Images are read and written plainly. */
static void as_image(struct hunt_op *op)
{
    if (op->kind >= RMW)
        op->kind = STORE;
    op->order = MM_ORDER_NONE;
}

static void generate_op(const struct hunt_program *p, const struct hunt_thread *t, uint32_t index,
                        struct hunt_op *op, uint32_t *adds)
{
    static const enum mm_order load_orders[] = {MM_ORDER_NONE, MM_RELAXED, MM_ACQUIRE, MM_SEQ_CST};
    static const enum mm_order store_orders[] = {MM_ORDER_NONE, MM_RELAXED, MM_RELEASE, MM_SEQ_CST};
    static const enum mm_order all_orders[] = {MM_RELAXED, MM_ACQUIRE, MM_RELEASE, MM_ACQ_REL, MM_SEQ_CST};
    static const enum mm_scope scopes[] = {MM_SCOPE_WORK_ITEM, MM_SCOPE_SUB_GROUP, MM_SCOPE_WORK_GROUP,
                                           MM_SCOPE_DEVICE,    MM_SCOPE_DEVICE,    MM_SCOPE_ALL_SVM_DEVICES};
    static const enum ck_rmw_op rmws[] = {CK_RMW_XCHG, CK_RMW_ADD, CK_RMW_AND, CK_RMW_UMIN};
    static const enum hunt_kind kinds[] = {LOAD,  LOAD,      LOAD, LOAD, STORE, STORE, STORE,
                                           STORE, STORE_REG, RMW,  CAS,  FENCE, FENCE};
    int sources[MAX_OPS];
    uint32_t source_count = 0;

    for (uint32_t i = 0; i < index; i++) {
        if (reads(&t->ops[i]))
            sources[source_count++] = (int)i;
    }
    *op = (struct hunt_op){
        .kind = kinds[pick(sizeof kinds / sizeof *kinds)], .guard = -1, .source = -1, .index = -1};
    if (op->kind == STORE_REG && source_count == 0)
        op->kind = STORE;
    if (source_count && pick(5) == 0) {
        op->guard = sources[pick(source_count)];
        op->guard_value = pick(3);
    }
    op->location = pick(p->location_count);
    op->value = 1 + pick(2);
    op->expected = pick(3);
    op->scope = scopes[pick(6)];
    op->flags = p->image && pick(2) ? MM_FENCE_IMAGE : 1 + pick(3);
    op->weak = pick(2);
    op->rmw = rmws[pick(4)];
    if (op->kind == RMW && op->rmw == CK_RMW_ADD && ++*adds > 1)
        op->rmw = CK_RMW_AND;
    if (op->kind == STORE_REG)
        op->source = sources[pick(source_count)];
    if (op->kind == LOAD && pick(12) == 0)
        op->kind = WAIT;
    if (op->kind <= WAIT)
        op->order = pick_order(load_orders, 4);
    else if (op->kind == STORE || op->kind == STORE_REG)
        op->order = pick_order(store_orders, 4);
    else
        op->order = pick_order(all_orders, 5);
    op->order_fail = load_orders[1 + pick(3)];
    if (op->kind < FENCE && p->locations[op->location].region == MM_IMAGE)
        as_image(op);
    if (op->order == MM_ORDER_NONE)
        op->scope = MM_SCOPE_NONE;
    else if (t->host)
        op->scope = MM_SCOPE_ALL_SVM_DEVICES;
}

/* The same barrier somewhere in every work-item with room for it; sometimes a slightly different one. */
static void place_barriers(struct hunt_program *p)
{
    struct hunt_op barrier = {
        .kind = BARRIER, .guard = -1, .source = -1, .index = -1, .order = MM_ACQ_REL, .site = 1};

    barrier.sub_group = pick(4) == 0;
    barrier.scope =
        pick(3) ? (barrier.sub_group ? MM_SCOPE_SUB_GROUP : MM_SCOPE_WORK_GROUP) : MM_SCOPE_DEVICE;
    barrier.flags = 1 + pick(p->image ? 7 : 3);
    for (uint32_t t = 0; t < p->thread_count; t++) {
        struct hunt_thread *thread = &p->threads[t];
        uint32_t at = pick(thread->op_count + 1);

        if (pick(20) == 0)
            barrier.site = 2;
        if (barrier.sub_group)
            barrier.site = 3;
        if (pick(10) == 0)
            barrier.flags = 1 + pick(p->image ? 7 : 3);
        if (thread->op_count == MAX_OPS || thread->host)
            continue;
        for (uint32_t i = at; i < thread->op_count; i++) {
            thread->ops[i].guard += thread->ops[i].guard >= (int)at;
            thread->ops[i].source += thread->ops[i].source >= (int)at;
        }
        memmove(&thread->ops[at + 1], &thread->ops[at], (thread->op_count - at) * sizeof *thread->ops);
        thread->ops[at] = barrier;
        thread->op_count++;
    }
}

/* The first two locations become an array; some accesses to it take their index from earlier reads. */
static void make_array(struct hunt_program *p)
{
    uint32_t initial = p->locations[1].initial;

    if (p->location_count < 2 || p->image || pick(4))
        return;
    p->array = true;
    p->locations[1] = p->locations[0];
    p->locations[1].initial = initial;
    for (uint32_t t = 0; t < p->thread_count; t++) {
        struct hunt_thread *thread = &p->threads[t];

        for (uint32_t i = 1; i < thread->op_count; i++) {
            uint32_t from = pick(i);

            if (thread->ops[i].kind < FENCE && thread->ops[i].kind != WAIT && thread->ops[i].location < 2 &&
                reads(&thread->ops[from]) && pick(3))
                thread->ops[i].index = (int)from;
        }
    }
}

void hunt_generate(uint64_t seed, struct hunt_program *p)
{
    static const enum mm_region regions[] = {MM_GLOBAL, MM_GLOBAL, MM_GLOBAL,
                                             MM_LOCAL,  MM_LOCAL,  MM_REGION_NONE};
    static const enum mm_origin origins[] = {MM_ORIGIN_BUFFER,           MM_ORIGIN_BUFFER,
                                             MM_ORIGIN_BUFFER,           MM_ORIGIN_FINE_SVM,
                                             MM_ORIGIN_FINE_SVM_ATOMICS, MM_ORIGIN_COARSE_SVM};
    bool kernels, host;
    uint32_t adds = 0, accesses = 0, most = 7;

    random_state = (seed + 1) * 0x9E3779B97F4A7C15U;
    for (int i = 0; i < 8; i++)
        pick(2);
    memset(p, 0, sizeof *p);
    p->thread_count = 2 + pick(3);
    p->location_count = 1 + pick(MAX_LOCATIONS);
    for (uint32_t i = 0; i < p->location_count; i++) {
        p->locations[i] = (struct hunt_location){.region = regions[pick(6)],
                                                 .origin = origins[pick(6)],
                                                 .non_atomic = pick(4) == 0,
                                                 .initial = pick(8) == 0};
    }
    p->image = pick(8) == 0;
    kernels = pick(6) == 0;
    host = pick(8) == 0;
    if (p->image)
        p->locations[0] = (struct hunt_location){.region = MM_IMAGE, .origin = MM_ORIGIN_BUFFER};
    for (uint32_t t = 0; t < p->thread_count; t++) {
        struct hunt_thread *thread = &p->threads[t];

        thread->device = pick(4) == 0;
        thread->host = host && t == 0;
        thread->kernel = kernels ? pick(2) : 0;
        thread->work_group = pick(2) + 2 * thread->kernel;
        thread->sub_group = pick(2);
        thread->op_count = 1 + pick(p->thread_count > 3 ? 2 : p->thread_count > 2 ? 3 : 4);
        for (uint32_t i = 0; i < thread->op_count; i++) {
            struct hunt_op *op = &thread->ops[i];

            generate_op(p, thread, i, op, &adds);
            accesses += op->kind == RMW || op->kind == CAS ? 2 : op->kind < RMW;
            if (accesses > most) {
                thread->op_count = i;
                break;
            }
        }
    }
    if (pick(4) == 0)
        place_barriers(p);
    p->quantifier = (enum ck_quantifier)pick(3);
    p->atom_count = 1 + pick(3);
    for (uint32_t i = 0; i < p->atom_count; i++) {
        struct hunt_atom *a = &p->atoms[i];
        uint32_t t = pick(p->thread_count), r = pick(MAX_OPS);

        a->value = pick(3);
        a->thread = t;
        a->index = r;
        a->is_register = r < p->threads[t].op_count && reads(&p->threads[t].ops[r]);
        if (!a->is_register)
            a->index = pick(p->location_count);
    }
    make_array(p);
}

void hunt_add_locks(struct hunt_program *p)
{
    uint32_t lock = pick(p->location_count);
    bool barriers = false, locks = pick(2), local = false;

    for (uint32_t l = 0; l < p->location_count; l++)
        local = local || p->locations[l].region == MM_LOCAL;
    for (uint32_t t = 0; t < p->thread_count; t++) {
        p->threads[t].host = false;
        if (local) /* no other group accesses local memory */
            p->threads[t].device = p->threads[t].kernel = p->threads[t].work_group = 0;
        for (uint32_t i = 0; i < p->threads[t].op_count; i++) {
            struct hunt_op *op = &p->threads[t].ops[i];

            barriers = barriers || op->kind == BARRIER;
            if (op->kind != RMW && op->kind != CAS)
                continue;
            op->repeats = locks && p->locations[op->location].region != MM_IMAGE && pick(4);
            if (!op->repeats)
                continue;
            op->kind = RMW;
            op->rmw = CK_RMW_XCHG;
            op->location = lock;
            op->index = -1;
            op->value = 1;
            op->expected = 0;
        }
    }
    if (p->locations[lock].region == MM_IMAGE)
        return;
    for (uint32_t t = 0; t < p->thread_count && locks; t++) {
        for (uint32_t i = 0; i < p->threads[t].op_count; i++) {
            struct hunt_op *op = &p->threads[t].ops[i];

            if ((op->kind == STORE || op->kind == STORE_REG) && op->location == lock && op->index < 0 &&
                pick(3))
                *op = (struct hunt_op){.kind = STORE,
                                       .guard = op->guard,
                                       .guard_value = op->guard_value,
                                       .source = -1,
                                       .index = -1,
                                       .location = lock,
                                       .order = op->order,
                                       .scope = op->scope};
        }
    }
    if (!barriers && pick(2))
        place_barriers(p);
}

/* A value of two bytes, one of which may be zero. */
static uint32_t wide(uint32_t value)
{
    return value | pick(3) << 8;
}

/* The accesses of a thread up to OP, in cells. */
static uint32_t cells_until(const struct hunt_thread *t, uint32_t op)
{
    uint32_t cells = 0;

    for (uint32_t i = 0; i <= op; i++) {
        const struct hunt_op *o = &t->ops[i];
        uint32_t halves = o->kind == RMW || o->kind == CAS ? 2 : o->kind < RMW;

        cells += o->part == WHOLE ? 2 * halves : halves;
    }
    return cells;
}

/* The first access of location L becomes one of half of it, if none is. */
static void cut_location(struct hunt_program *p, uint32_t l)
{
    struct hunt_op *first = NULL;

    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].op_count; i++) {
            struct hunt_op *op = &p->threads[t].ops[i];

            if (op->kind >= FENCE || op->location != l)
                continue;
            if (op->part != WHOLE)
                return;
            first = first ? first : op;
        }
    }
    if (!first)
        return;
    first->part = LOW;
    first->value &= 0xff;
    first->expected &= 0xff;
}

void hunt_overlap(struct hunt_program *p)
{
    uint32_t left = 10;

    p->overlaps = true;
    p->array = false;
    for (uint32_t t = 0; t < p->thread_count; t++) {
        struct hunt_thread *thread = &p->threads[t];

        for (uint32_t i = 0; i < thread->op_count; i++) {
            struct hunt_op *op = &thread->ops[i];

            op->index = -1;
            op->part = (enum hunt_part)pick(3);
            if (op->guard >= 0 && thread->ops[op->guard].part == WHOLE)
                op->guard_value = wide(op->guard_value);
            if (op->part == WHOLE) {
                op->value = wide(op->value);
                op->expected = wide(op->expected);
            }
            if (cells_until(thread, i) > left)
                thread->op_count = i;
        }
        left -= thread->op_count ? cells_until(thread, thread->op_count - 1) : 0;
    }
    for (uint32_t l = 0; l < p->location_count; l++)
        cut_location(p, l);
    for (uint32_t i = 0; i < p->atom_count; i++) {
        struct hunt_atom *a = &p->atoms[i];

        if (a->is_register && a->index >= p->threads[a->thread].op_count) {
            a->is_register = false;
            a->index = 0;
        }
        if (!a->is_register || p->threads[a->thread].ops[a->index].part == WHOLE)
            a->value = wide(a->value);
    }
}

void hunt_print(const struct hunt_program *p, FILE *out)
{
    static const char *const kinds[] = {"load", "wait", "store", "store-reg",
                                        "rmw",  "cas",  "fence", "barrier"};
    static const char *const parts[] = {"", ".low", ".high"};
    static const char *const quantifiers[] = {"exists", "~exists", "forall"};

    if (p->array)
        fprintf(out, "#  x0 and x1 are an array\n");
    for (uint32_t i = 0; i < p->location_count; i++)
        fprintf(out, "#  x%u: %s%s %s = %u\n", i, p->locations[i].non_atomic ? "non-atomic " : "",
                mm_region_name(p->locations[i].region), mm_origin_name(p->locations[i].origin),
                p->locations[i].initial);
    for (uint32_t t = 0; t < p->thread_count; t++) {
        const struct hunt_thread *thread = &p->threads[t];

        fprintf(out, "#  P%u@ %sdevice %u, kernel %u, work-group %u, sub-group %u\n", t,
                thread->host ? "host, " : "", thread->device, thread->kernel, thread->work_group,
                thread->sub_group);
        for (uint32_t i = 0; i < thread->op_count; i++) {
            const struct hunt_op *op = &thread->ops[i];

            fprintf(out, "#    r%u ", i);
            if (op->guard >= 0)
                fprintf(out, "if (r%d == %u) ", op->guard, op->guard_value);
            if (op->index >= 0)
                fprintf(out, "[r%d & 1] ", op->index);
            fprintf(out, "%s x%u%s value %u expected %u source r%d %s/%s %s flags %u site %u%s rmw %d%s%s\n",
                    kinds[op->kind], op->location, parts[op->part], op->value, op->expected, op->source,
                    mm_order_name(op->order), mm_order_name(op->order_fail), mm_scope_name(op->scope),
                    op->flags, op->site, op->sub_group ? " sub-group" : "", op->rmw, op->weak ? " weak" : "",
                    op->repeats ? " repeats" : "");
        }
    }
    fprintf(out, "#  %s", quantifiers[p->quantifier]);
    for (uint32_t i = 0; i < p->atom_count; i++) {
        const struct hunt_atom *a = &p->atoms[i];

        if (a->is_register)
            fprintf(out, " %u:r%u=%u", a->thread, a->index, a->value);
        else
            fprintf(out, " x%u=%u", a->index, a->value);
    }
    fprintf(out, "\n");
}

/* ---- lowering ---------------------------------------------------------------------------------- */

static uint32_t constant(struct ck_program *c, uint64_t value, uint8_t size)
{
    return ck_program_add_expr(c, &(struct ck_expr){.op = CK_CONST, .size = size, .imm = value});
}

static uint32_t binary(struct ck_program *c, enum ck_expr_op op, uint32_t a, uint32_t b)
{
    return ck_program_add_expr(c, &(struct ck_expr){.op = op, .size = 4, .a = a, .b = b});
}

static uint32_t reg(struct ck_program *c, int r)
{
    return ck_program_add_expr(c, &(struct ck_expr){.op = CK_REG, .size = 4, .imm = (uint64_t)r});
}

static uint8_t size_of(const struct hunt_program *p, const struct hunt_op *op)
{
    return !p->overlaps ? 4 : op->part == WHOLE ? 2 : 1;
}

static uint32_t resized(struct ck_program *c, uint32_t expr, uint8_t size)
{
    uint8_t now = c->exprs[expr].size;
    enum ck_expr_op op = size < now ? CK_TRUNC : CK_ZEXT;

    return size == now ? expr : ck_program_add_expr(c, &(struct ck_expr){.op = op, .size = size, .a = expr});
}

static struct ck_instr new_instr(enum ck_op op)
{
    return (struct ck_instr){.op = op,
                             .reg = CK_NO_REG,
                             .reg2 = CK_NO_REG,
                             .address = CK_NO_EXPR,
                             .value = CK_NO_EXPR,
                             .expected = CK_NO_EXPR};
}

/* Branches to TARGET unless register R is VALUE. */
static void branch_unless(struct ck_program *c, uint32_t t, int r, uint32_t value, uint32_t target)
{
    struct ck_instr in = new_instr(CK_BRANCH);

    in.value = binary(c, CK_EQ, reg(c, r), constant(c, value, 4));
    in.target = target;
    ck_program_add_instr(c, t, &in);
}

static uint32_t object_of(const struct hunt_program *p, uint32_t location)
{
    return p->array && location > 0 ? location - 1 : location;
}

static uint32_t offset_of(const struct hunt_program *p, uint32_t location)
{
    return p->array && location == 1 ? 4 : 0;
}

static uint32_t address_of(struct ck_program *c, const struct hunt_program *p, const struct hunt_op *op)
{
    uint32_t index, scaled;

    if (op->index < 0)
        return constant(
            c, CK_OBJECT_BASE(object_of(p, op->location)) + offset_of(p, op->location) + (op->part == HIGH),
            8);
    index = resized(c, binary(c, CK_AND, reg(c, op->index), constant(c, 1, 4)), 8);
    scaled = ck_program_add_expr(
        c, &(struct ck_expr){.op = CK_MUL, .size = 8, .a = index, .b = constant(c, 4, 8)});
    return ck_program_add_expr(
        c, &(struct ck_expr){.op = CK_ADD, .size = 8, .a = constant(c, CK_OBJECT_BASE(0), 8), .b = scaled});
}

/* The access or fence; the value read goes to register INDEX. */
static void lower_effect(struct ck_program *c, const struct hunt_program *p, uint32_t t, uint32_t index,
                         const struct hunt_op *op)
{
    static const enum ck_op ops[] = {CK_LOAD, CK_LOAD, CK_STORE, CK_STORE,
                                     CK_RMW,  CK_CAS,  CK_FENCE, CK_BARRIER};
    struct ck_instr in = new_instr(ops[op->kind]), widen = new_instr(CK_ASSIGN);

    in.size = size_of(p, op);
    in.order = (uint8_t)op->order;
    in.order_fail = (uint8_t)op->order_fail;
    in.scope = (uint8_t)op->scope;
    in.fence_flags = op->kind <= CAS ? 0 : (uint8_t)op->flags;
    in.attributes = op->kind <= CAS && op->order != MM_ORDER_NONE ? MM_ATOMIC : 0;
    in.rmw = (uint8_t)op->rmw;
    in.weak = op->weak;
    in.sub_group = op->sub_group;
    in.site = op->kind == BARRIER ? op->site : 0;
    if (reads(op))
        in.reg = in.size == 4 ? index : ck_program_add_reg(c, t, "part", in.size, false);
    if (op->kind <= CAS)
        in.address = address_of(c, p, op);
    if (op->kind == STORE || op->kind == RMW || op->kind == CAS)
        in.value = constant(c, op->value, in.size);
    if (op->kind == STORE_REG)
        in.value = resized(c, binary(c, CK_AND, reg(c, op->source), constant(c, hunt_stored(p, op->part), 4)),
                           in.size);
    if (op->kind == CAS)
        in.expected = constant(c, op->expected, in.size);
    ck_program_add_instr(c, t, &in);
    if (!reads(op) || in.size == 4)
        return;
    widen.reg = index;
    widen.value = resized(
        c, ck_program_add_expr(c, &(struct ck_expr){.op = CK_REG, .size = in.size, .imm = in.reg}), 4);
    ck_program_add_instr(c, t, &widen);
}

static void lower_op(struct ck_program *c, const struct hunt_program *p, uint32_t t, uint32_t index,
                     const struct hunt_op *op)
{
    uint32_t guard = c->threads[t].instr_count, first;

    if (op->guard >= 0)
        branch_unless(c, t, op->guard, op->guard_value, 0);
    first = c->threads[t].instr_count;
    lower_effect(c, p, t, index, op);
    if (op->kind == WAIT || op->repeats)
        branch_unless(c, t, (int)index, op->repeats ? op->expected : op->value, first);
    if (op->guard >= 0)
        c->threads[t].instrs[guard].target = c->threads[t].instr_count;
}

static void lower_condition(struct ck_program *c, const struct hunt_program *p)
{
    uint32_t all = ck_program_add_prop(c, &(struct ck_prop){.op = CK_PROP_TRUE});

    for (uint32_t i = 0; i < p->atom_count; i++) {
        const struct hunt_atom *a = &p->atoms[i];
        struct ck_prop atom = {.op = CK_PROP_COMPARE, .compare = CK_EQ};

        atom.left = (struct ck_term){.kind = a->is_register ? CK_TERM_REG : CK_TERM_MEMORY,
                                     .thread = a->thread,
                                     .reg = a->index,
                                     .object = a->is_register ? 0 : object_of(p, a->index),
                                     .offset = a->is_register ? 0 : offset_of(p, a->index)};
        atom.right = (struct ck_term){.kind = CK_TERM_CONST, .value = a->value};
        all = ck_program_add_prop(
            c, &(struct ck_prop){.op = CK_PROP_AND, .a = all, .b = ck_program_add_prop(c, &atom)});
    }
    c->condition = all;
    c->quantifier = p->quantifier;
}

uint32_t hunt_observed_count(const struct hunt_program *p)
{
    uint32_t count = p->location_count;

    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].op_count; i++)
            count += reads(&p->threads[t].ops[i]);
    }
    return count;
}

struct ck_program *hunt_lower(const struct hunt_program *p)
{
    struct ck_program *c = ck_program_create();
    uint64_t initial[2];

    c->name = "hunt";
    /* Search tries the program's constants as out-of-thin-air values: all that the masks leave possible. */
    for (uint32_t i = 0; i <= hunt_stored(p, WHOLE); i++) {
        if ((i & hunt_stored(p, WHOLE)) == i)
            constant(c, i, 4);
    }
    for (uint32_t i = 0; i < p->location_count; i++) {
        bool elements = p->array && i == 0;

        if (p->array && i == 1)
            continue;
        initial[0] = p->locations[i].initial;
        initial[1] = p->locations[1].initial;
        ck_program_add_object(c, &(struct ck_object){.name = "x",
                                                     .size = p->overlaps ? 2
                                                             : elements  ? 8
                                                                         : 4,
                                                     .element_size = p->overlaps ? 2 : 4,
                                                     .region = (uint8_t)p->locations[i].region,
                                                     .origin = (uint8_t)p->locations[i].origin,
                                                     .non_atomic = p->locations[i].non_atomic,
                                                     .work_group = -1,
                                                     .alias_of = object_of(p, i),
                                                     .initial = initial});
    }
    for (uint32_t t = 0; t < p->thread_count; t++) {
        const struct hunt_thread *thread = &p->threads[t];

        ck_program_add_thread(c, &(struct ck_thread){.name = "P",
                                                     .device = thread->device,
                                                     .host = thread->host,
                                                     .kernel = thread->kernel,
                                                     .work_group = thread->work_group,
                                                     .sub_group = thread->sub_group});
        for (uint32_t i = 0; i < MAX_OPS; i++)
            ck_program_add_reg(c, t, "r", 4, true);
        for (uint32_t i = 0; i < thread->op_count; i++)
            lower_op(c, p, t, i, &thread->ops[i]);
        ck_program_add_instr(c, t, &(struct ck_instr){.op = CK_END, .reg = CK_NO_REG, .reg2 = CK_NO_REG});
        for (uint32_t i = 0; i < thread->op_count; i++) {
            if (reads(&thread->ops[i]))
                ck_program_add_observed(c, &(struct ck_term){.kind = CK_TERM_REG, .thread = t, .reg = i});
        }
    }
    for (uint32_t i = 0; i < p->location_count; i++)
        ck_program_add_observed(
            c,
            &(struct ck_term){.kind = CK_TERM_MEMORY, .object = object_of(p, i), .offset = offset_of(p, i)});
    lower_condition(c, p);
    return c;
}

#endif
