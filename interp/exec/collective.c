/* Collective operations of work-groups and sub-groups: all of MEMBERS (in the order of their local ids) wait
 * at one instruction; each gets its result. [SPIRV 3.49.21, 3.49.24], [CLC 6.15.16, 6.15.19], [CL 3.3.6 W9,
 * B9] */
#include "check.h"
#include "exec.h"
#include "interp/ext/convert.h"
#include "interp/weak/weak.h"
#include "reduction.h"
#include <string.h>

struct gathering {
    struct in_run *run;
    struct in_item **members;
    uint32_t count;
    const struct in_wait *w;
};

static uint8_t *operand(const struct gathering *g, uint32_t member, uint32_t k)
{
    return g->members[member]->frame + g->w->operand[k];
}

static uint64_t number(const uint8_t *p, const struct in_ty *ty)
{
    uint64_t v = 0;
    memcpy(&v, p, ty->size < 8 ? ty->size : 8);
    return v;
}

static void put(const struct gathering *g, uint32_t member, const void *value, uint64_t size)
{
    memcpy(g->members[member]->frame + g->w->result, value, size);
}

static uint32_t lane(const struct gathering *g, uint32_t member)
{
    return g->members[member]->local_linear % g->run->launch.sub_group_size;
}

/* ---- reductions and scans ---------------------------------------------------------------- */

/* One element of members [FROM, TO). */
static void scan(const struct gathering *g, const struct in_reduction *r, uint32_t from, uint32_t to,
                 uint64_t offset)
{
    const struct in_ty *s = in_scalar(g->w->ty);
    uint64_t total = in_reduction_identity(r, s);
    bool reduce =
        g->w->operation == SpvGroupOperationReduce || g->w->operation == SpvGroupOperationClusteredReduce;
    for (uint32_t m = from; m < to; m++) {
        uint64_t value = number(operand(g, m, 0) + offset, s);
        uint64_t next = m == from ? value : in_reduction_combine(r, total, value, s);
        uint64_t result = g->w->operation == SpvGroupOperationExclusiveScan ? total : next;
        if (!reduce)
            memcpy(g->members[m]->frame + g->w->result + offset, &result, s->size);
        total = next;
    }
    for (uint32_t m = from; m < to && reduce; m++)
        memcpy(g->members[m]->frame + g->w->result + offset, &total, s->size);
}

static void reduce(const struct gathering *g, const struct in_reduction *r)
{
    const struct in_ty *s = in_scalar(g->w->ty);
    uint64_t cluster = UINT32_MAX;
    if (g->w->operation == SpvGroupOperationClusteredReduce && g->w->operand_count > 1)
        cluster = number(operand(g, 0, 1), g->w->last);
    cluster = cluster == 0 ? 1 : cluster;
    for (uint32_t from = 0, to; from < g->count; from = to) {
        for (to = from + 1; to < g->count; to++)
            if (cluster != UINT32_MAX && lane(g, to) / cluster != lane(g, from) / cluster)
                break;
        for (uint32_t e = 0; e < in_count(g->w->ty); e++)
            scan(g, r, from, to, e * s->size);
    }
}

/* ---- votes and ballots ------------------------------------------------------------------- */

static void put_flag(const struct gathering *g, bool flag)
{
    uint8_t byte = flag;
    for (uint32_t m = 0; m < g->count; m++)
        put(g, m, &byte, 1);
}

static void vote(const struct gathering *g, bool all)
{
    bool result = all;
    for (uint32_t m = 0; m < g->count; m++)
        result = all ? result && *operand(g, m, 0) : result || *operand(g, m, 0);
    put_flag(g, result);
}

/* Bitwise equality would tell -0 from 0 and equate NaNs: floats compare as floats. */
static void all_equal(const struct gathering *g)
{
    const struct in_ty *s = in_scalar(g->w->from);
    bool result = true;
    for (uint32_t m = 0; m < g->count; m++)
        for (uint32_t e = 0; e < in_count(g->w->from); e++) {
            uint64_t a = number(operand(g, 0, 0) + e * s->size, s),
                     b = number(operand(g, m, 0) + e * s->size, s);
            result &=
                s->kind == IN_TY_FLOAT ? in_bits_to_f64(a, s->width) == in_bits_to_f64(b, s->width) : a == b;
        }
    put_flag(g, result);
}

static void ballot(const struct gathering *g)
{
    uint32_t mask[4] = {0};
    for (uint32_t m = 0; m < g->count; m++)
        if (*operand(g, m, 0) && lane(g, m) < 128)
            mask[lane(g, m) / 32] |= 1u << (lane(g, m) % 32);
    for (uint32_t m = 0; m < g->count; m++)
        put(g, m, mask, sizeof mask);
}

static uint32_t bit(const uint32_t *mask, uint64_t n)
{
    return n < 128 ? mask[n / 32] >> (n % 32) & 1 : 0;
}

/* Bits of a ballot value, each member for itself; only the sub-group's bits count. */
static uint32_t ballot_bits(const struct gathering *g, uint32_t m, const uint32_t *mask)
{
    uint32_t size = in_sub_group_size(g->members[m]), me = lane(g, m), to = size, count = 0, first = 0,
             last = 0;
    if (g->w->opcode == SpvOpGroupNonUniformBallotBitCount) {
        to = g->w->operation == SpvGroupOperationInclusiveScan   ? me + 1
             : g->w->operation == SpvGroupOperationExclusiveScan ? me
                                                                 : size;
    }
    for (uint32_t k = 0; k < to; k++) {
        if (!bit(mask, k))
            continue;
        if (count++ == 0)
            first = k;
        last = k;
    }
    return g->w->opcode == SpvOpGroupNonUniformBallotBitCount  ? count
           : g->w->opcode == SpvOpGroupNonUniformBallotFindLSB ? first
                                                               : last;
}

static void ballot_query(const struct gathering *g)
{
    for (uint32_t m = 0; m < g->count; m++) {
        uint32_t mask[4];
        uint64_t value;
        memcpy(mask, operand(g, m, 0), sizeof mask);
        switch (g->w->opcode) {
        case SpvOpGroupNonUniformInverseBallot:
            value = bit(mask, lane(g, m));
            break;
        case SpvOpGroupNonUniformBallotBitExtract:
            value = bit(mask, number(operand(g, m, 1), g->w->last));
            break;
        default:
            value = ballot_bits(g, m, mask);
            break;
        }
        put(g, m, &value, g->w->ty->size);
    }
}

/* ---- exchanges --------------------------------------------------------------------------- */

/* Results are written when all sources have been read: a result's slot may be another's source. */
struct exchange {
    const uint8_t *from;
    uint8_t bytes[128];
};

static const uint8_t *at_lane(const struct gathering *g, uint64_t wanted, uint32_t k)
{
    for (uint32_t m = 0; m < g->count; m++)
        if (lane(g, m) == wanted)
            return operand(g, m, k);
    return NULL; /* not active: the value is undefined, here zero */
}

static const uint8_t *rotated(const struct gathering *g, uint32_t m, uint64_t delta)
{
    uint64_t cluster =
        g->w->operand_count > 2 ? number(operand(g, m, 2), g->w->last) : in_sub_group_size(g->members[m]);
    cluster = cluster == 0 ? 1 : cluster;
    uint64_t base = lane(g, m) / cluster * cluster;
    return at_lane(g, base + (lane(g, m) - base + delta) % cluster, 0);
}

static const uint8_t *source(const struct gathering *g, uint32_t m)
{
    uint64_t me = lane(g, m);
    uint32_t last = g->w->operand_count - 1;
    uint64_t n =
        last > 0 ? number(operand(g, m, last > 1 && g->w->opcode == SpvOpGroupNonUniformRotateKHR ? 1 : last),
                          g->w->last)
                 : 0;
    const uint32_t most = g->run->launch.sub_group_size;
    switch (g->w->opcode) {
    case SpvOpGroupNonUniformBroadcastFirst:
    case SpvOpSubgroupFirstInvocationKHR:
        return operand(g, 0, 0);
    case SpvOpGroupNonUniformShuffleXor:
    case SpvOpSubgroupShuffleXorINTEL:
        return at_lane(g, me ^ n, 0);
    case SpvOpGroupNonUniformShuffleUp:
        return at_lane(g, me - n, 0);
    case SpvOpGroupNonUniformShuffleDown:
        return at_lane(g, me + n, 0);
    case SpvOpSubgroupShuffleDownINTEL: /* current, next, delta */
        return me + n < most ? at_lane(g, me + n, 0) : at_lane(g, me + n - most, 1);
    case SpvOpSubgroupShuffleUpINTEL: /* previous, current, delta */
        return me >= n ? at_lane(g, me - n, 1) : at_lane(g, me + most - n, 0);
    case SpvOpGroupNonUniformRotateKHR:
        return rotated(g, m, n);
    default:
        return at_lane(g, n, 0);
    }
}

static void shuffle(const struct gathering *g)
{
    uint64_t size = g->w->ty->reg_size;
    struct exchange *x = mm_alloc_zero(g->count, sizeof *x);
    if (x == NULL || size > sizeof x->bytes) {
        g->run->limit = true;
        mm_free(x);
        return;
    }
    for (uint32_t m = 0; m < g->count; m++) {
        x[m].from = source(g, m);
        if (x[m].from != NULL)
            memcpy(x[m].bytes, x[m].from, size);
    }
    for (uint32_t m = 0; m < g->count; m++)
        put(g, m, x[m].bytes, size);
    mm_free(x);
}

/* The local id is a scalar (the first dimension, or the place in the sub-group) or a vector. */
static void broadcast(const struct gathering *g)
{
    const struct in_ty *ty = g->w->last, *s = in_scalar(ty);
    const uint8_t *id = operand(g, 0, 1);
    uint32_t scope;
    uint64_t n = 0, stride = 1;
    memcpy(&scope, g->members[0]->frame + g->w->scope, sizeof scope);
    for (uint32_t k = 0; k < in_count(ty); k++) {
        n += number(id + k * s->size, s) * stride;
        stride *= k < 3 ? g->members[0]->group->size[k] : 1;
    }
    uint8_t value[128] = {0};
    uint64_t size = g->w->ty->reg_size;
    if (n < g->count && size <= sizeof value)
        memcpy(value, operand(g, (uint32_t)n, 0), size);
    else if (g->run->launch.checks)
        in_raise(g->run, g->members[0], g->members[0]->pc - 1, "out-of-bounds", "CLC 6.15.16", NULL, 0, 0,
                 "broadcast from work-item %llu of a group of %u", (unsigned long long)n, g->count);
    for (uint32_t m = 0; m < g->count; m++)
        put(g, m, value, size);
}

static void elect(const struct gathering *g)
{
    for (uint32_t m = 0; m < g->count; m++)
        put(g, m, &(uint8_t){m == 0}, 1);
}

/* ---- async copies ------------------------------------------------------------------------ */

/* COUNT elements; the stride counts elements on the global side. */
static void copy_element(const struct gathering *g, struct in_fat *to, struct in_fat *from, uint64_t t,
                         uint64_t f, uint64_t size)
{
    struct in_run *run = g->run;
    struct in_item *item = g->members[0];
    const struct in_insn *pc = item->pc - 1;
    const uint8_t *s = in_touch(run, item, pc, from, f, size, 0, false);
    uint8_t *d = s != NULL ? in_touch(run, item, pc, to, t, size, 0, true) : NULL;
    if (d == NULL)
        return;
    bool record = run->full && run->launch.recorder != NULL, weak = run->weak != NULL;
    if (weak)
        s = in_weak_read(run, item, from->object, f, size);
    if (record)
        in_record_access(run, item, pc, from->object, f, (uint32_t)size, MM_READ, s, NULL, 0);
    if (record && weak)
        in_weak_recorded(run);
    if (weak)
        in_weak_write_begin(run, item, to->object, t, size);
    memmove(d, s, size);
    if (item->shadow != NULL)
        in_shadow_copy(run, item, to, t, from, f, size);
    if (weak)
        in_weak_write_end(run, item, to->object, t, size);
    if (record)
        in_record_access(run, item, pc, to->object, t, (uint32_t)size, MM_WRITE, NULL, d, 0);
    if (record && weak)
        in_weak_recorded(run);
}

/* Operands FROM to TO are the same for all, as the function demands. */
static bool agree(const struct gathering *g, uint32_t from, uint32_t to, const char *what)
{
    for (uint32_t k = from; k < to; k++) {
        const bool pointer = k < 2 && g->w->opcode == SpvOpGroupAsyncCopy;
        for (uint32_t m = 1; m < g->count; m++) {
            if (memcmp(operand(g, 0, k), operand(g, m, k),
                       pointer ? sizeof(uint64_t) : g->w->size_ty->size) == 0)
                continue;
            in_raise(g->run, g->members[m], g->members[m]->pc - 1, "different-arguments", "CLC 6.15.11", NULL,
                     0, 0, "%s of this work-item differs from that of work-item %u of its work-group", what,
                     g->members[0]->agent);
            return false;
        }
    }
    return true;
}

#define EVENT (UINT64_C(0x6576656e) << 32) /* the upper half of events */

/* The copy happens here, when all have asked for it, by the first of them. [CLC 6.15.11] */
static void async_copy(const struct gathering *g)
{
    struct in_fat to, from;
    if (g->run->launch.checks && !agree(g, 0, 4, "an argument of the asynchronous copy") && g->run->stopped)
        return;
    uint64_t event, size = g->w->from->element != NULL ? g->w->from->element->size : 1;
    memcpy(&to, operand(g, 0, 0), sizeof to);
    memcpy(&from, operand(g, 0, 1), sizeof from);
    uint64_t count = number(operand(g, 0, 2), g->w->size_ty),
             stride = number(operand(g, 0, 3), g->w->size_ty);
    bool to_local = g->w->from->storage == SpvStorageClassWorkgroup;
    stride = stride == 0 ? 1 : stride;
    for (uint64_t k = 0; k < (stride == 1 ? count > 0 : count) && !g->run->stopped; k++) {
        uint64_t t = to.address + k * size * (to_local ? 1 : stride);
        uint64_t f = from.address + k * size * (to_local ? stride : 1);
        copy_element(g, &to, &from, t, f, stride == 1 ? size * count : size);
    }
    for (uint32_t m = 0; m < g->count; m++) {
        event = number(operand(g, m, 4), g->w->ty);
        event = event != 0 ? event : EVENT | g->w->site;
        put(g, m, &event, sizeof event);
    }
}

/* EVENT as MEMBER has it in its list. */
static void check_event(const struct gathering *g, uint32_t member, uint64_t address, const uint8_t *event)
{
    struct in_item *item = g->members[member];
    const uint8_t *shadow = in_shadow(item, address, sizeof(uint64_t));
    uint64_t value, none = 0;
    memcpy(&value, event, sizeof value);
    if (shadow != NULL && memcmp(shadow, &none, sizeof none) != 0)
        in_raise(g->run, item, item->pc - 1, "uninitialized", "CLC 6.15.11", NULL, address, sizeof value,
                 "the work-group waits for an event that was never given a value");
    else if (value >> 32 != EVENT >> 32)
        in_raise(g->run, item, item->pc - 1, "invalid-event", "CLC 6.15.11", NULL, address, sizeof value,
                 "the work-group waits for %s, which no asynchronous copy made",
                 value == 0 ? "the event 0" : "an event");
}

/* Copies are complete when they are issued; what is waited for has to be one. */
static void wait_events(const struct gathering *g)
{
    for (uint32_t m = 0; g->run->launch.checks && m < g->count && !g->run->stopped; m++) {
        struct in_fat list;
        memcpy(&list, operand(g, m, 1), sizeof list);
        uint64_t count = number(operand(g, m, 0), g->w->from);
        for (uint64_t k = 0; k < count && !g->run->stopped; k++) {
            uint64_t address = list.address + k * sizeof address;
            const uint8_t *event = in_touch(g->run, g->members[m], g->members[m]->pc - 1, &list, address,
                                            sizeof address, 0, false);
            if (event == NULL)
                break;
            check_event(g, m, address, event);
        }
    }
}

/* The number of work-group operations so far tells named barriers apart: all of the group are here. */
static void make_barrier(const struct gathering *g)
{
    struct in_named_barrier barrier = {g->members[0]->instances[0],
                                       (uint32_t)number(operand(g, 0, 0), g->w->from)};
    for (uint32_t m = 0; m < g->count; m++)
        put(g, m, &barrier, sizeof barrier);
}

void in_collective(struct in_run *run, struct in_item **members, uint32_t count, const struct in_wait *wait)
{
    const struct gathering g = {run, members, count, wait};
    const struct in_reduction *r = in_reduction_find(wait->opcode);
    if (r != NULL) {
        reduce(&g, r);
        return;
    }
    switch (wait->opcode) {
    case SpvOpGroupAll:
    case SpvOpGroupNonUniformAll:
    case SpvOpSubgroupAllKHR:
    case SpvOpGroupAny:
    case SpvOpGroupNonUniformAny:
    case SpvOpSubgroupAnyKHR:
        vote(&g, wait->opcode == SpvOpGroupAll || wait->opcode == SpvOpGroupNonUniformAll ||
                     wait->opcode == SpvOpSubgroupAllKHR);
        break;
    case SpvOpGroupNonUniformAllEqual:
    case SpvOpSubgroupAllEqualKHR:
        all_equal(&g);
        break;
    case SpvOpGroupNonUniformElect:
        elect(&g);
        break;
    case SpvOpGroupNonUniformBallot:
    case SpvOpSubgroupBallotKHR:
        ballot(&g);
        break;
    case SpvOpGroupNonUniformInverseBallot:
    case SpvOpGroupNonUniformBallotBitExtract:
    case SpvOpGroupNonUniformBallotBitCount:
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB:
        ballot_query(&g);
        break;
    case SpvOpGroupBroadcast:
        broadcast(&g);
        break;
    case SpvOpGroupAsyncCopy:
        async_copy(&g);
        break;
    case SpvOpGroupReserveReadPipePackets:
    case SpvOpGroupReserveWritePipePackets:
    case SpvOpGroupCommitReadPipe:
    case SpvOpGroupCommitWritePipe:
        in_pipe_collective(run, members, count, wait);
        break;
    case SpvOpGroupWaitEvents:
        wait_events(&g);
        break;
    case SpvOpNamedBarrierInitialize:
        make_barrier(&g);
        break;
    default:
        shuffle(&g);
        break;
    }
}
