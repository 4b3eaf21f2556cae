/* Collective operations of work-groups and sub-groups: all of MEMBERS (in the order of their local ids) wait
 * at one instruction; each gets its result. [SPIRV 3.49.21, 3.49.24], [CLC 6.15.16, 6.15.17 R2, R3;
 * CLC 6.15.20 R1; CLC 6.15.20.1 R2; CLC 6.15.20.2 R1; CLC 6.15.20.3 R1;
 * CLC 6.15.20.4 R1], [CL 3.3.6 W9, B9] */
#include "collective.h"
#include "interp/ext/convert.h"
#include "reduction.h"
#include <string.h>

static void put_result(const struct in_gathering *g, uint32_t member, const void *value, uint64_t size)
{
    memcpy(g->members[member]->frame + g->w->result, value, size);
}

static uint32_t lane_of(const struct in_gathering *g, uint32_t member)
{
    return g->members[member]->local_linear % g->run->launch.sub_group_size;
}

/* ---- reductions and scans ---------------------------------------------------------------- */

/* Reduces or scans one element of the members [FROM, TO). */
static void scan_element(const struct in_gathering *g, const struct in_reduction *r, uint32_t from,
                         uint32_t to, uint64_t offset)
{
    const struct in_ty *s = in_scalar(g->w->ty);
    uint64_t total = in_reduction_identity(r, s);
    bool reduce =
        g->w->operation == SpvGroupOperationReduce || g->w->operation == SpvGroupOperationClusteredReduce;
    for (uint32_t m = from; m < to; m++) {
        uint64_t value = in_number(in_gathered(g, m, 0) + offset, s);
        uint64_t next = m == from ? value : in_reduction_combine(r, total, value, s);
        uint64_t result = g->w->operation == SpvGroupOperationExclusiveScan ? total : next;
        if (!reduce)
            memcpy(g->members[m]->frame + g->w->result + offset, &result, s->size);
        total = next;
    }
    for (uint32_t m = from; m < to && reduce; m++)
        memcpy(g->members[m]->frame + g->w->result + offset, &total, s->size);
}

static void reduce_members(const struct in_gathering *g, const struct in_reduction *r)
{
    const struct in_ty *s = in_scalar(g->w->ty);
    uint64_t cluster = UINT32_MAX;
    if (g->w->operation == SpvGroupOperationClusteredReduce && g->w->operand_count > 1)
        cluster = in_number(in_gathered(g, 0, 1), g->w->last);
    cluster = cluster == 0 ? 1 : cluster;
    for (uint32_t from = 0, to; from < g->count; from = to) {
        for (to = from + 1; to < g->count; to++)
            if (cluster != UINT32_MAX && lane_of(g, to) / cluster != lane_of(g, from) / cluster)
                break;
        for (uint32_t e = 0; e < in_count(g->w->ty); e++)
            scan_element(g, r, from, to, e * s->size);
    }
}

/* ---- votes and ballots ------------------------------------------------------------------- */

static void put_flag(const struct in_gathering *g, bool flag)
{
    uint8_t byte = flag;
    for (uint32_t m = 0; m < g->count; m++)
        put_result(g, m, &byte, 1);
}

static void vote_members(const struct in_gathering *g, bool all)
{
    bool result = all;
    for (uint32_t m = 0; m < g->count; m++)
        result = all ? result && *in_gathered(g, m, 0) : result || *in_gathered(g, m, 0);
    put_flag(g, result);
}

/* Bitwise equality would distinguish -0 from 0 and equate NaNs: floats compare as floats. */
static void all_equal(const struct in_gathering *g)
{
    const struct in_ty *s = in_scalar(g->w->from);
    bool result = true;
    for (uint32_t m = 0; m < g->count; m++)
        for (uint32_t e = 0; e < in_count(g->w->from); e++) {
            uint64_t a = in_number(in_gathered(g, 0, 0) + e * s->size, s),
                     b = in_number(in_gathered(g, m, 0) + e * s->size, s);
            result &=
                s->kind == IN_TY_FLOAT ? in_bits_to_f64(a, s->width) == in_bits_to_f64(b, s->width) : a == b;
        }
    put_flag(g, result);
}

static void ballot_members(const struct in_gathering *g)
{
    uint32_t mask[4] = {0};
    for (uint32_t m = 0; m < g->count; m++)
        if (*in_gathered(g, m, 0) && lane_of(g, m) < 128)
            mask[lane_of(g, m) / 32] |= 1u << (lane_of(g, m) % 32);
    for (uint32_t m = 0; m < g->count; m++)
        put_result(g, m, mask, sizeof mask);
}

static uint32_t mask_bit(const uint32_t *mask, uint64_t n)
{
    return n < 128 ? mask[n / 32] >> (n % 32) & 1 : 0;
}

/* Bits of a ballot value, each member for itself.  Bits below the largest sub-group size count, also those
 * without a work-item in a partial sub-group; scans count below the work-item. [CLC 6.15.20.1 R1] */
static uint32_t ballot_bits(const struct in_gathering *g, uint32_t m, const uint32_t *mask)
{
    uint32_t size = g->run->launch.sub_group_size, me = lane_of(g, m), to = size, count = 0, first = 0,
             last = 0;
    if (g->w->opcode == SpvOpGroupNonUniformBallotBitCount) {
        to = g->w->operation == SpvGroupOperationInclusiveScan   ? me + 1
             : g->w->operation == SpvGroupOperationExclusiveScan ? me
                                                                 : size;
    }
    for (uint32_t k = 0; k < to; k++) {
        if (!mask_bit(mask, k))
            continue;
        if (count++ == 0)
            first = k;
        last = k;
    }
    return g->w->opcode == SpvOpGroupNonUniformBallotBitCount  ? count
           : g->w->opcode == SpvOpGroupNonUniformBallotFindLSB ? first
                                                               : last;
}

static void ballot_query(const struct in_gathering *g)
{
    for (uint32_t m = 0; m < g->count; m++) {
        uint32_t mask[4];
        uint64_t value;
        memcpy(mask, in_gathered(g, m, 0), sizeof mask);
        switch (g->w->opcode) {
        case SpvOpGroupNonUniformInverseBallot:
            value = mask_bit(mask, lane_of(g, m));
            break;
        case SpvOpGroupNonUniformBallotBitExtract:
            value = mask_bit(mask, in_number(in_gathered(g, m, 1), g->w->last));
            break;
        default:
            value = ballot_bits(g, m, mask);
            break;
        }
        put_result(g, m, &value, g->w->ty->size);
    }
}

/* ---- exchanges --------------------------------------------------------------------------- */

/* Results are written after all sources are read: a result's slot may be another member's source. */
struct exchange {
    const uint8_t *from;
    uint8_t bytes[128];
};

static const uint8_t *at_lane(const struct in_gathering *g, uint64_t wanted, uint32_t k)
{
    for (uint32_t m = 0; m < g->count; m++)
        if (lane_of(g, m) == wanted)
            return in_gathered(g, m, k);
    return NULL; /* not an active work-item: the value is undefined; here 0 */
}

/* The source of a rotation within a cluster, or within the maximum size, even if the sub-group is smaller
 * [CLC 6.15.20.5 R1]. */
static const uint8_t *rotated_source(const struct in_gathering *g, uint32_t m, uint64_t delta)
{
    uint64_t cluster =
        g->w->operand_count > 2 ? in_number(in_gathered(g, m, 2), g->w->last) : g->run->launch.sub_group_size;
    cluster = cluster == 0 ? 1 : cluster;
    uint64_t base = lane_of(g, m) / cluster * cluster;
    return at_lane(g, base + (lane_of(g, m) - base + delta) % cluster, 0);
}

static const uint8_t *shuffle_source(const struct in_gathering *g, uint32_t m)
{
    uint64_t me = lane_of(g, m);
    uint32_t last = g->w->operand_count - 1;
    uint64_t n =
        last > 0 ? in_number(in_gathered(
                                 g, m, last > 1 && g->w->opcode == SpvOpGroupNonUniformRotateKHR ? 1 : last),
                             g->w->last)
                 : 0;
    const uint32_t most = g->run->launch.sub_group_size;
    switch (g->w->opcode) {
    case SpvOpGroupNonUniformBroadcastFirst:
    case SpvOpSubgroupFirstInvocationKHR:
        return in_gathered(g, 0, 0);
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
        return rotated_source(g, m, n);
    default:
        return at_lane(g, n, 0);
    }
}

/* All work-items have to name the same one. */
static void check_same_id(const struct in_gathering *g, const char *clause)
{
    size_t size = g->w->last->size;
    uint32_t m = 1;
    while (m < g->count && memcmp(in_gathered(g, 0, 1), in_gathered(g, m, 1), size) == 0)
        m++;
    if (m < g->count)
        in_raise(
            g->run, g->members[m], g->members[m]->pc - 1, "different-arguments", clause,
            "the work-item that this work-item broadcasts from differs from that of work-item %u of its group",
            g->members[0]->agent);
}

/* [CLC 6.15.20.6 R1; CLC 6.15.20.7 R1] */
static void shuffle_members(const struct in_gathering *g)
{
    if (g->run->launch.checks && g->w->opcode == SpvOpGroupNonUniformBroadcast)
        check_same_id(g, "CLC 6.15.20");
    uint64_t size = g->w->ty->reg_size;
    struct exchange *x = mm_alloc_zero(g->count, sizeof *x);
    if (!x || size > sizeof x->bytes) {
        g->run->outcome.limit = true;
        mm_free(x);
        return;
    }
    for (uint32_t m = 0; m < g->count; m++) {
        x[m].from = shuffle_source(g, m);
        if (x[m].from)
            memcpy(x[m].bytes, x[m].from, size);
    }
    for (uint32_t m = 0; m < g->count; m++)
        put_result(g, m, x[m].bytes, size);
    mm_free(x);
}

/* The local id is a scalar (the first dimension, or the place in the sub-group) or a vector. */
static void broadcast_value(const struct in_gathering *g)
{
    uint32_t scope;
    memcpy(&scope, g->members[0]->frame + g->w->scope, sizeof scope);
    const char *clause = scope == SpvScopeSubgroup ? "CLC 6.15.20" : "CLC 6.15.16";
    if (g->run->launch.checks)
        check_same_id(g, clause);
    const struct in_ty *ty = g->w->last, *s = in_scalar(ty);
    const uint8_t *id = in_gathered(g, 0, 1);
    uint64_t n = 0, stride = 1;
    for (uint32_t k = 0; k < in_count(ty); k++) {
        n += in_number(id + k * s->size, s) * stride;
        stride *= k < 3 ? g->members[0]->group->size[k] : 1;
    }
    uint8_t value[128] = {0};
    uint64_t size = g->w->ty->reg_size;
    if (n < g->count && size <= sizeof value)
        memcpy(value, in_gathered(g, (uint32_t)n, 0), size);
    else if (g->run->launch.checks)
        in_raise(g->run, g->members[0], g->members[0]->pc - 1, "out-of-bounds", clause,
                 "broadcast from work-item %llu of a group of %u", (unsigned long long)n, g->count);
    for (uint32_t m = 0; m < g->count; m++)
        put_result(g, m, value, size);
}

static void elect_member(const struct in_gathering *g)
{
    for (uint32_t m = 0; m < g->count; m++)
        put_result(g, m, &(uint8_t){m == 0}, 1);
}

/* ---- the others --------------------------------------------------------------------------- */

/* The number of work-group operations so far identifies a named barrier: all work-items of the group execute
 * this. */
static void make_barrier(const struct in_gathering *g)
{
    struct in_named_barrier barrier = {g->members[0]->instances[0],
                                       (uint32_t)in_number(in_gathered(g, 0, 0), g->w->from)};
    for (uint32_t m = 0; m < g->count; m++)
        put_result(g, m, &barrier, sizeof barrier);
}

void in_collective(struct in_run *run, struct in_item **members, uint32_t count, const struct in_wait *wait)
{
    const struct in_gathering g = {run, members, count, wait};
    const struct in_reduction *r = in_reduction_find(wait->opcode);
    if (r) {
        reduce_members(&g, r);
        return;
    }
    switch (wait->opcode) {
    case SpvOpGroupAll:
    case SpvOpGroupNonUniformAll:
    case SpvOpSubgroupAllKHR:
    case SpvOpGroupAny:
    case SpvOpGroupNonUniformAny:
    case SpvOpSubgroupAnyKHR:
        vote_members(&g, wait->opcode == SpvOpGroupAll || wait->opcode == SpvOpGroupNonUniformAll ||
                             wait->opcode == SpvOpSubgroupAllKHR);
        break;
    case SpvOpGroupNonUniformAllEqual:
    case SpvOpSubgroupAllEqualKHR:
        all_equal(&g);
        break;
    case SpvOpGroupNonUniformElect:
        elect_member(&g);
        break;
    case SpvOpGroupNonUniformBallot:
    case SpvOpSubgroupBallotKHR:
        ballot_members(&g);
        break;
    case SpvOpGroupNonUniformInverseBallot:
    case SpvOpGroupNonUniformBallotBitExtract:
    case SpvOpGroupNonUniformBallotBitCount:
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB:
        ballot_query(&g);
        break;
    case SpvOpGroupBroadcast:
        broadcast_value(&g);
        break;
    case SpvOpGroupAsyncCopy:
    case SpvOpGroupWaitEvents:
        in_copy_collective(run, members, count, wait);
        break;
    case SpvOpGroupReserveReadPipePackets:
    case SpvOpGroupReserveWritePipePackets:
    case SpvOpGroupCommitReadPipe:
    case SpvOpGroupCommitWritePipe:
        in_pipe_collective(run, members, count, wait);
        break;
    case SpvOpNamedBarrierInitialize:
        make_barrier(&g);
        break;
    default:
        shuffle_members(&g);
        break;
    }
}
