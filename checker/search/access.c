/* Memory accesses of a thread under execution.  An access that other accesses overlap in part is split into
 * pieces, each an event; all its reads precede its writes.  docs/search.md#locations */
#include "checker/search/walker.h"

#include <string.h>

/* ---- pieces ------------------------------------------------------------------------------------- */

unsigned sx_piece_shift(const struct sx *sx, const struct sx_access *a, unsigned k)
{
    return 8 * (sx->values.locations[a->locations[k]].offset - a->start);
}

uint64_t sx_piece(const struct sx *sx, const struct sx_access *a, unsigned k, uint64_t value)
{
    return value >> sx_piece_shift(sx, a, k) & sx_mask(sx->values.locations[a->locations[k]].size);
}

void sx_push_piece(struct sx_walker *w, enum sx_kind kind, const struct sx_access *a, unsigned k,
                   uint64_t value, uint64_t depends)
{
    uint32_t location = a->locations[k], effect = w->last_effect;
    uint32_t cost =
        kind == SX_WRITE && !w->stepwise ? sx_cost(w->sx, w->events, w->event_count, location, depends) : 0;
    struct sx_event *e = sx_push(w, kind, a->instr);

    if (!e)
        return;
    if (kind == SX_WRITE && a->instr->op != CK_STORE) {
        struct sx_event *read = e - a->count;

        e->rmw_write = read->rmw_read = true;
        for (uint32_t r = 0; r < a->count; r++)
            e->own_reads |= sx_read_bit(w->events, w->event_count - 1 - k - a->count + r);
        if (a->instr->op == CK_CAS)
            e->control_depends |= sx_depends(w->sx->program, a->instr->expected, w->depends);
        if (a->instr->op == CK_RMW && read->value == value)
            w->last_effect = effect; /* memory is unchanged */
    }
    if (kind == SX_WRITE && sx_is_lost_store(w, a->instr, location))
        w->last_effect = effect;
    e->data_depends = depends;
    e->address_depends = a->depends;
    e->location = location;
    e->object = a->object;
    e->value = value;
    e->start = a->start;
    e->access = a->count > 1 ? w->event_count - k : 0;
    if (kind == SX_WRITE && !w->stepwise && !sx_note_store(w->sx, location, value, cost))
        w->failed = true;
}

static void note_user(struct sx_walker *w, uint32_t location)
{
    struct sx_location *l = &w->sx->values.locations[location];
    uint32_t self = (uint32_t)(w->thread - w->sx->program->threads) + 1;

    if (l->owner == 0)
        l->owner = self;
    if (l->owner == self || l->shared)
        return;
    l->shared = true;
    w->sx->iteration.sharing_changed = true;
}

/* Whether the address of access I, or what it writes or expects, is a value that is assumed to be unused. */
static bool uses_unset(const struct sx_walker *w, const struct ck_instr *i)
{
    return sx_is_unset(w, i->address) || (i->op != CK_LOAD && sx_is_unset(w, i->value)) ||
           (i->op == CK_CAS && sx_is_unset(w, i->expected));
}

struct sx_access sx_begin_access(struct sx_walker *w, uint32_t pc)
{
    const struct ck_program *p = w->sx->program;
    const struct ck_instr *i = &w->thread->instrs[pc];
    uint64_t address = ck_eval_expr(p, i->address, w->block);
    struct sx_access a = {.instr = i, .pc = pc, .depends = sx_depends(p, i->address, w->depends)};
    bool fault = false;

    if (w->sx->unknown.assumed && uses_unset(w, i)) {
        sx_note_use(w->sx);
        w->failed = true;
        return a;
    }
    a.count = sx_locate(w->sx, address, i->size, &a.object, &fault, a.locations);
    if (w->sx->guess)
        sx_note_address(w->sx, (uint32_t)(w->thread - p->threads), pc, address);
    if (fault || sx_strays(w->sx, i, address)) {
        sx_walker_finish(w, SX_FAULT);
        a.count = 0;
        return a;
    }
    if (a.count > 1 && !w->sx->features.models_overlap && (ck_instr_is_atomic(i) || i->op >= CK_RMW)) {
        sx_limit(w->sx, "search.overlap",
                 "the model does not define atomic accesses that overlap accesses of another size");
        a.count = 0;
    }
    w->failed = w->failed || a.count == 0;
    for (unsigned k = 0; k < a.count; k++)
        note_user(w, a.locations[k]);
    if (a.count)
        a.start = w->sx->values.locations[a.locations[0]].offset;
    return a;
}

/* ---- reads ------------------------------------------------------------------------------------------ */

uint64_t sx_read_bits(const struct sx_walker *w, const struct sx_access *a)
{
    uint64_t bits = 0;

    for (uint32_t e = w->event_count - a->count; e < w->event_count; e++)
        bits |= sx_read_bit(w->events, e);
    return bits;
}

uint64_t sx_written_depends(const struct sx_walker *w, const struct sx_access *a, uint64_t read)
{
    const struct ck_instr *i = a->instr;
    uint64_t operand = sx_depends(w->sx->program, i->value, w->depends);

    return i->op == CK_RMW && i->rmw != CK_RMW_XCHG ? operand | read : operand;
}

void sx_fail_exchange(struct sx_walker *w, const struct sx_access *a)
{
    for (uint32_t e = w->event_count - a->count; e < w->event_count; e++)
        w->events[e].order = a->instr->order_fail;
}

void sx_walker_result(struct sx_walker *w, const struct sx_access *a, uint64_t value, uint64_t depends,
                      bool writes)
{
    const struct ck_instr *i = a->instr;
    bool unset = sx_is_assumed_unused(w->sx, a->object);

    if (i->reg != CK_NO_REG) {
        sx_set_unset(w, i->reg, unset);
        w->block[i->reg] = value;
        w->depends[i->reg] = depends;
    }
    if (i->op == CK_CAS && i->reg2 != CK_NO_REG) {
        sx_set_unset(w, i->reg2, unset);
        w->block[i->reg2] = writes;
        w->depends[i->reg2] = depends | sx_depends(w->sx->program, i->expected, w->depends);
    }
}

void sx_write_pieces(struct sx_walker *w, const struct sx_access *a, uint64_t value, uint64_t depends)
{
    for (unsigned k = 0; k < a->count && !w->failed; k++)
        sx_push_piece(w, SX_WRITE, a, k, sx_piece(w->sx, a, k, value), depends);
}

/* ---- all values that may be read ------------------------------------------------------------------ */

/* Continues after a read that returned VALUE and, for an RMW that writes, the write of WRITTEN.  The events
 * of the read exist. */
static void after_read(struct sx_walker *w, const struct sx_access *a, uint64_t value, bool writes,
                       uint64_t written)
{
    uint64_t depends = sx_read_bits(w, a);

    if (a->instr->op == CK_CAS && !writes)
        sx_fail_exchange(w, a);
    if (writes)
        sx_write_pieces(w, a, written, sx_written_depends(w, a, depends));
    if (w->failed)
        return;
    sx_walker_result(w, a, value, depends, writes);
    sx_walker_run(w, a->pc + 1);
}

/* All pieces of VALUE are read: executes the write, if any, and continues. */
static void use_value(struct sx_walker *w, const struct sx_access *a, uint64_t value, const uint64_t *saved)
{
    const struct ck_program *p = w->sx->program;
    const struct ck_instr *i = a->instr;
    uint64_t operand = i->op == CK_LOAD ? 0 : ck_eval_expr(p, i->value, w->block);
    bool equal = i->op == CK_CAS && value == ck_eval_expr(p, i->expected, w->block);
    uint32_t events = w->event_count, effect = w->last_effect;

    for (int spurious = 0; spurious <= (equal && i->weak) && !w->failed; spurious++) {
        bool write = i->op == CK_RMW || (equal && !spurious);
        uint64_t written = i->op == CK_RMW ? sx_rmw_value(p, i, value, operand) : operand;

        for (uint32_t e = events - a->count; e < events; e++) {
            w->events[e].order = i->order;
            w->events[e].rmw_read = false;
        }
        after_read(w, a, value, write, written);
        memcpy(w->block, saved, w->block_words * sizeof *saved);
        w->event_count = events;
        w->last_effect = effect;
    }
}

/* A location of a kernel that one work-item alone accesses holds the last value that it wrote: no model
 * allows another value.  False: the location is shared, or starts with an unconstrained value that is read
 * now. */
static bool own_value(const struct sx_walker *w, uint32_t location, uint64_t *value)
{
    const struct sx_location *l = &w->sx->values.locations[location];

    if (!w->sx->program->kernel || l->shared)
        return false;
    for (uint32_t i = w->event_count; i-- > 0;) {
        if (w->events[i].location == location) {
            *value = w->events[i].value;
            return true;
        }
    }
    *value = l->initial;
    return !l->unconstrained;
}

/* Tries every possible value of the location, from piece K of the access on; VALUE: of the preceding
 * pieces. */
static void branch_on_read(struct sx_walker *w, const struct sx_access *a, unsigned k, uint64_t value,
                           const uint64_t *saved)
{
    const struct sx_location *l = &w->sx->values.locations[a->locations[k]];
    uint32_t events = w->event_count, effect = w->last_effect, count = l->value_count;
    uint64_t *values = mm_alloc((count + 1) * sizeof *values);
    uint64_t own;
    bool is_own = own_value(w, a->locations[k], &own);

    if (!values) {
        sx_out_of_memory(w->sx);
        w->failed = true;
        return;
    }
    if (count)
        memcpy(values, l->values, count * sizeof *values);
    if (is_own) {
        values[0] = own;
        count = 1;
    }
    for (uint32_t v = 0; v < count && !w->failed; v++) {
        uint64_t all = value | values[v] << sx_piece_shift(w->sx, a, k);

        sx_push_piece(w, SX_READ, a, k, values[v], 0);
        if (w->failed)
            break;
        if (k + 1 < a->count)
            branch_on_read(w, a, k + 1, all, saved);
        else
            use_value(w, a, all, saved);
        w->event_count = events;
        w->last_effect = effect;
    }
    mm_free(values);
}

static void read_value(struct sx_walker *w, const struct sx_access *a)
{
    uint64_t *saved = mm_alloc((w->block_words + 1) * sizeof *saved);

    if (!saved) {
        sx_out_of_memory(w->sx);
        w->failed = true;
        return;
    }
    memcpy(saved, w->block, w->block_words * sizeof *saved);
    branch_on_read(w, a, 0, 0, saved);
    mm_free(saved);
}

bool sx_walker_access(struct sx_walker *w, uint32_t pc)
{
    const struct ck_program *p = w->sx->program;
    struct sx_access a = sx_begin_access(w, pc);
    const struct ck_instr *i = a.instr;

    if (a.count == 0)
        return false;
    if (i->op != CK_STORE) {
        read_value(w, &a);
        return false;
    }
    sx_write_pieces(w, &a, ck_eval_expr(p, i->value, w->block), sx_depends(p, i->value, w->depends));
    return !w->failed;
}
