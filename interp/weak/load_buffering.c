/* Load buffering: a relaxed read whose value is not yet used may execute after the po-later relaxed write to
 * another location, because no rule orders the two (docs/weak-memory.md#load-buffering).  The work-item
 * executes the write, yields, and performs the read when it runs again [CL 3.3.4, 3.3.6 G19] */
#include "history.h"
#include "interp/fault.h"
#include <string.h>

enum { FAR = 64 }; /* instructions by which a read is postponed, at most */

/* Uses the order that is executed, which a seeded fault may have changed. */
static bool is_relaxed(const struct in_item *item, const struct in_atomic *a)
{
    enum mm_order order = in_order_of(in_get32(item, a->order));
    enum mm_scope scope = in_scope_of(in_get32(item, a->scope));
    if (__builtin_expect(in_fault_now != IN_NO_FAULT, 0))
        in_fault_atomic(!in_atomic_stores(a) && a->opcode != SpvOpAtomicLoad, &order, &scope);
    return order == MM_RELAXED;
}

/* Slots of the pending value: the result and its copies. */
struct pending {
    int32_t slots[1 + IN_LATE_COPIES];
    uint32_t count;
};

/* Whether the value at SLOT, up to 16 bytes, may overlap a pending slot. */
static bool overlaps_pending(const struct pending *pending, int32_t slot)
{
    for (uint32_t k = 0; k < pending->count; k++)
        if (slot > pending->slots[k] - 16 && slot < pending->slots[k] + 8)
            return true;
    return false;
}

/* True if an operand or the result of A overlaps the slots of the pending value. */
static bool uses_pending(const struct in_atomic *a, const struct pending *pending)
{
    const int32_t slots[] = {a->pointer, a->scope, a->order, a->order2, a->value, a->comparator, a->result};
    for (size_t k = 0; k < sizeof slots / sizeof *slots; k++)
        if (slots[k] != 0 && overlaps_pending(pending, slots[k]))
            return true;
    return false;
}

static bool copies_atomic(const struct in_insn *i, const struct in_atomic *a, struct pending *pending)
{
    uint64_t move = a->size == 1 ? IN_MOV_1 : a->size == 2 ? IN_MOV_2 : a->size == 4 ? IN_MOV_4 : IN_MOV_8;
    if (i->op != move || i->a != a->result || overlaps_pending(pending, i->d) ||
        pending->count > IN_LATE_COPIES)
        return false;
    pending->slots[pending->count++] = i->d;
    return true;
}

#define SCALARS(n)                                                                                           \
    case IN_##n##_8:                                                                                         \
    case IN_##n##_16:                                                                                        \
    case IN_##n##_32:                                                                                        \
    case IN_##n##_64:

/* Computes from registers of up to 16 bytes, and nothing else. */
static bool is_simple(uint64_t op)
{
    switch (op) {
    case IN_MOV_1:
    case IN_MOV_2:
    case IN_MOV_4:
    case IN_MOV_8:
    case IN_MOV_16:
    case IN_SX_32_64:
    case IN_ZX_32_64:
    case IN_TR_64_32:
    case IN_PTRX:
    case IN_PTRXI:
    case IN_PTRK:
        SCALARS(ADD)
        SCALARS(SUB)
        SCALARS(MUL)
        SCALARS(AND)
        SCALARS(OR)
        SCALARS(XOR)
        SCALARS(SHL)
        SCALARS(LSHR)
        SCALARS(ASHR)
        return true;
    default:
        return false;
    }
}

/* A relaxed fence has no effect [CLC 6.15.12.5] */
static bool is_no_fence(const struct in_item *item, const struct in_insn *i)
{
    if (i->op != IN_FENCE || i->a >= 0 || i->b >= 0)
        return false;
    enum mm_order order = in_order_of(in_get32(item, i->b));
    if (__builtin_expect(in_fault_now != IN_NO_FAULT, 0))
        in_fault_fence(&order, &(enum mm_scope){MM_SCOPE_DEVICE}, &(uint32_t){0});
    return order == MM_RELAXED || order == MM_ORDER_NONE;
}

/* Whether A, at PC, can be postponed after the next relaxed write. */
static bool write_follows(const struct in_run *run, const struct in_item *item, const struct in_insn *pc,
                          const struct in_atomic *a, struct pending *pending)
{
    const struct in_insn *code = run->code->insns + (pc - run->insns);
    for (int n = 1; n < FAR; n++) {
        const struct in_insn *i = &code[n];
        if (i->op == IN_ATOMIC) {
            const struct in_atomic *b = i->p;
            bool known = b->order < 0 && b->scope < 0; /* constants */
            return b->opcode != SpvOpAtomicLoad && known && is_relaxed(item, b) && !uses_pending(b, pending);
        }
        if (copies_atomic(i, a, pending) || is_no_fence(item, i))
            continue;
        if (!is_simple(i->op) || overlaps_pending(pending, i->d) || overlaps_pending(pending, i->a) ||
            overlaps_pending(pending, i->b) || overlaps_pending(pending, i->c))
            return false;
    }
    return false;
}

static uint64_t cell_of(const struct in_item *item, const struct in_insn *pc)
{
    const struct in_atomic *a = pc->p;
    return ((const struct in_fat *)(const void *)(item->frame + a->pointer))->address >> 3;
}

bool in_weak_catch_up(struct in_run *run, struct in_item *item)
{
    struct in_weak_item *state = item->weak;
    const struct in_insn *late = state ? state->late : NULL;
    if (!late)
        return true;
    const struct in_atomic *a = late->p;
    state->late = NULL;
    if (!in_atomic_now(run, item, late, a))
        return false;
    for (uint32_t k = 0; k < state->late_count; k++)
        memcpy(item->frame + state->late_copies[k], item->frame + a->result, a->size);
    return true;
}

bool in_weak_postpones(struct in_run *run, struct in_item *item, const struct in_insn *pc)
{
    const struct in_atomic *a = pc->p;
    struct in_weak_item *state = !run->launch.oracle ? in_weak_item(run, item) : NULL;
    if (!state)
        return false;
    if (state->late) {
        if (cell_of(item, pc) == cell_of(item, state->late))
            in_weak_catch_up(run, item);
        run->switch_budget = 0;
        return false;
    }
    bool flag = a->opcode == SpvOpAtomicFlagTestAndSet;
    if (in_atomic_stores(a) || flag || a->result == 0 || run->launch.recorder || !is_relaxed(item, a))
        return false;
    struct in_weak *w = run->weak;
    struct pending pending = {.slots = {a->result}, .count = 1};
    w->random = w->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    if ((w->random >> 40) % 4 != 0 || !write_follows(run, item, pc, a, &pending))
        return false;
    state->late = pc;
    state->late_count = pending.count - 1;
    memcpy(state->late_copies, pending.slots + 1, sizeof state->late_copies);
    return true;
}
