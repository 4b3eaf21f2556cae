/* Constant propagation across the work-items of a launch, once all are lowered: memory that no work-item
 * writes, and constant operands of group functions.  Threads are folded again until a fixed point. */
#include "tools/explore/memory/hidden.h"
#include "tools/explore/memory/memory.h"
#include "tools/explore/program/build.h"
#include "tools/explore/program/passes.h"

#include <string.h>

enum { MAX_ROUNDS = 16, WORD = 8 };

struct ex_known {     /* of an object */
    bool written;     /* some thread writes, or may write, to it */
    bool read;        /* hidden objects: some load has an unknown value */
    uint8_t *counts;  /* hidden objects, by word: stores; 2: several, one of no constant, or one in a loop */
    uint64_t *values; /* by word: the value of its only store */
};

/* ---- known memory ------------------------------------------------------------------------------- */

static bool in_loop(const struct ck_thread *t, uint32_t i)
{
    for (uint32_t k = i; k < t->instr_count; k++)
        if (ck_instr_is_jump(&t->instrs[k]) && t->instrs[k].target <= i)
            return true;
    return false;
}

static void note_store(struct ex *ex, struct ex_known *known, const struct ck_thread *t, uint32_t i)
{
    const struct ck_instr *instr = &t->instrs[i];
    uint64_t address, value;
    if (!ex_is_const(ex, instr->address, &address))
        return; /* mailboxes are only written at constant addresses */
    uint64_t word = (address & UINT32_MAX) / WORD;
    bool constant = instr->op == CK_STORE && ex_is_const(ex, instr->value, &value) && !in_loop(t, i);
    if (constant)
        known->values[word] = value;
    known->counts[word] = known->counts[word] == 0 && constant ? 1 : 2;
}

/* An asynchronous copy writes to its target, where the agents that are added later write. */
static void note_copy_target(struct ex *ex, uint32_t target)
{
    const struct ck_program *p = ex->program;
    uint64_t root = ex_root(ex, target);
    for (uint32_t o = 0; o < p->object_count; o++)
        if (!p->objects[o].hidden && (!root || root == CK_OBJECT_BASE(o)))
            ex->build.known[o].written = true;
}

static void note_access(struct ex *ex, const struct ck_thread *t, uint32_t i)
{
    const struct ck_program *p = ex->program;
    const struct ck_instr *instr = &t->instrs[i];
    if (ex_is_copy_target(instr))
        note_copy_target(ex, instr->value);
    uint64_t root = ex_root(ex, instr->address), address;
    for (uint32_t o = 0; o < p->object_count; o++) {
        struct ex_known *known = &ex->build.known[o];
        if ((root && root >> 32 != CK_OBJECT_BASE(o) >> 32) || (!root && p->objects[o].hidden))
            continue;
        known->written = known->written || instr->op != CK_LOAD;
        if (p->objects[o].hidden && instr->op != CK_LOAD)
            note_store(ex, known, t, i);
        if (p->objects[o].hidden && instr->op == CK_LOAD)
            known->read = known->read || !ex_is_const(ex, instr->address, &address);
    }
}

static bool is_known_load(struct ex *ex, uint32_t address, unsigned size)
{
    uint64_t at, value;
    return ex_is_const(ex, address, &at) && ex_known_memory(ex, at, size, &value);
}

static void find_known_memory(struct ex *ex)
{
    const struct ck_program *p = ex->program;
    ex->build.known = ex_alloc(ex, p->object_count * sizeof *ex->build.known);
    for (uint32_t o = 0; o < p->object_count; o++)
        if (p->objects[o].hidden) {
            ex->build.known[o].counts = ex_alloc(ex, p->objects[o].size / WORD);
            ex->build.known[o].values = ex_alloc(ex, p->objects[o].size / WORD * sizeof(uint64_t));
        }
    for (uint32_t t = 0; t < p->thread_count; t++)
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++)
            if (ck_instr_is_access(&p->threads[t].instrs[i]))
                note_access(ex, &p->threads[t], i);
    for (uint32_t t = 0; t < p->thread_count; t++)
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++) {
            const struct ck_instr *instr = &p->threads[t].instrs[i];
            uint64_t root = instr->op == CK_LOAD ? ex_root(ex, instr->address) : 0;
            uint32_t o = (uint32_t)(root >> 32) - 1;
            if (root && o < p->object_count && p->objects[o].hidden)
                ex->build.known[o].read =
                    ex->build.known[o].read || !is_known_load(ex, instr->address, instr->size);
        }
}

bool ex_known_memory(struct ex *ex, uint64_t at, unsigned size, uint64_t *value)
{
    if (!ex->build.known || at >> 32 == 0 || (at >> 32) - 1 >= ex->program->object_count)
        return false;
    const uint32_t o = (uint32_t)(at >> 32) - 1;
    const struct ck_object *object = &ex->program->objects[o];
    const struct ex_known *known = &ex->build.known[o];
    uint64_t offset = at & UINT32_MAX;
    if (offset + size > object->size)
        return false;
    if (object->hidden) {
        *value = known->values[offset / WORD];
        return known->counts[offset / WORD] == 1 && size == WORD;
    }
    if (known->written || object->uninitialized || object->alias_of != o)
        return false;
    *value = ex_initial_bytes(object, offset, size);
    return true;
}

bool ex_is_hidden(const struct ex *ex, uint32_t address)
{
    uint64_t root = ex_root(ex, address);
    return root >> 32 && (root >> 32) - 1 < ex->program->object_count &&
           ex->program->objects[(root >> 32) - 1].hidden;
}

bool ex_is_unread(const struct ex *ex, uint32_t address)
{
    return ex->build.known && ex_is_hidden(ex, address) &&
           !ex->build.known[(ex_root(ex, address) >> 32) - 1].read;
}

/* ---- convergence at group functions ------------------------------------------------------------------- */

static bool is_barrier(const struct ck_instr *i, uint32_t site)
{
    return i->op == CK_BARRIER && i->site == site;
}

static bool has_barrier(const struct ck_thread *t, uint32_t site)
{
    for (uint32_t i = 0; i < t->instr_count; i++)
        if (is_barrier(&t->instrs[i], site))
            return true;
    return false;
}

/* Whether T, if it terminates, has reached barrier SITE exactly once, whatever values it reads. */
static bool always_reaches_once(struct ex *ex, const struct ck_thread *t, uint32_t site)
{
    uint8_t *seen = ex_alloc(ex, t->instr_count + 1);
    seen[0] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < t->instr_count; i++) {
            const struct ck_instr *instr = &t->instrs[i];
            bool jumps = ck_instr_is_jump(instr);
            if (is_barrier(instr, site) && in_loop(t, i))
                return false;
            if (!seen[i] || is_barrier(instr, site))
                continue;
            if (instr->op == CK_END)
                return false;
            if (jumps && !seen[instr->target])
                seen[instr->target] = changed = true;
            if (instr->op != CK_JUMP && !seen[i + 1])
                seen[i + 1] = changed = true;
        }
    }
    return !seen[t->instr_count];
}

static bool all_reach_once(struct ex *ex, uint32_t site)
{
    const struct ck_program *p = ex->program;
    for (uint32_t t = 0; t < p->thread_count; t++)
        if (!p->threads[t].agent && !always_reaches_once(ex, &p->threads[t], site))
            return false;
    return true;
}

/* Non-uniform sub-group functions are supported if all work-items of the launch reach them, or none. */
static void check_convergence(struct ex *ex)
{
    const struct ck_program *p = ex->program;
    for (uint32_t s = 0; s < ex->build.converged_count; s++) {
        const struct ex_site *m = &ex->build.converged[s];
        bool some = false;
        for (uint32_t t = 0; t < p->thread_count; t++)
            some = some || has_barrier(&p->threads[t], m->site);
        ex->current = m->inst;
        if (some && !all_reach_once(ex, m->site))
            ex_fail_unsupported(ex, m->inst, "explore.group", "that perhaps not all work-items reach", NULL);
    }
    ex->current = NULL;
}

/* A mailbox without the current operand is no execution, unless a member misses the barrier.  Where all
 * members reach it, search need not explore prefixes that end at the assumption. */
static void drop_met_assumptions(struct ex *ex, struct ck_thread *t)
{
    for (uint32_t i = 0; i < t->instr_count; i++)
        if (t->instrs[i].op == CK_ASSUME && t->instrs[i].site && all_reach_once(ex, t->instrs[i].site))
            t->instrs[i].site = 0;
}

/* A hash that differs after most changes of a thread. */
static uint64_t thread_fingerprint(const struct ck_thread *t)
{
    uint64_t sum = t->instr_count;
    for (uint32_t i = 0; i < t->instr_count; i++) {
        const struct ck_instr *instr = &t->instrs[i];
        sum = sum * 31 + instr->op;
        if (ck_instr_is_access(instr))
            sum = sum * 31 + instr->address;
        if (ck_instr_writes(instr))
            sum = sum * 31 + instr->value;
    }
    return sum;
}

static void fold_all(struct ex *ex)
{
    const struct ck_program *p = ex->program;
    bool changed = true;
    for (int round = 0; changed && round < MAX_ROUNDS; round++) {
        changed = false;
        find_known_memory(ex);
        for (uint32_t t = 0; t < p->thread_count; t++) {
            uint64_t before = thread_fingerprint(&p->threads[t]);
            ex->item.thread = t;
            ex_fold(ex);
            changed = changed || thread_fingerprint(&p->threads[t]) != before;
        }
    }
}

void ex_propagate(struct ex *ex)
{
    const struct ck_program *p = ex->program;
    bool copies = ex->build.copy_count > 0;
    fold_all(ex);
    for (uint32_t t = 0; t < p->thread_count && copies; t++)
        ex_unroll(ex, t);
    if (copies)
        fold_all(ex);
    check_convergence(ex);
    for (uint32_t t = 0; t < p->thread_count; t++) {
        ex->item.thread = t;
        ex_count_trips(ex);
    }
    if (copies)
        ex_add_agents(ex);
    for (uint32_t t = 0; t < p->thread_count; t++)
        drop_met_assumptions(ex, &p->threads[t]);
}
