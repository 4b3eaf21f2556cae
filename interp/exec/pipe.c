/* Pipes: packets in a ring, reservations that are committed in the order in which they were made.
 * [SPIRV 3.49.22], [CLC 6.15.18], [CL 5.4].  Each built-in is atomic. */
#include "interp/lower/lower.h"
#include "memmodel/trace/mutex.h"
#include <string.h>

/* Positions count packets since the pipe was made.  Packets [read_count, read_reserved) are being read,
 * [write_count, write_reserved) being written; those in [read_reserved, write_count) are available. */
struct reservation {
    uint64_t id, start;
    uint32_t count;
    bool write, committed;
};
struct reservations {
    uint64_t last_id;
    uint32_t count, capacity;
    struct reservation list[];
};

static struct mm_mutex pipes = MM_MUTEX;

void in_pipe_clear(struct in_pipe *pipe)
{
    if (!pipe)
        return;
    mm_free(pipe->reservations);
    pipe->reservations = NULL;
    pipe->read_count = pipe->write_count = pipe->read_reserved = pipe->write_reserved = 0;
}

static struct reservation *reservation_add(struct in_pipe *p, bool write, uint64_t start, uint32_t count)
{
    struct reservations *r = p->reservations;
    if (!r || r->count == r->capacity) {
        uint32_t more = !r ? 16 : 2 * r->capacity;
        struct reservations *grown = mm_realloc(r, sizeof *r + more * sizeof *r->list);
        if (!grown)
            return NULL;
        if (!r)
            grown->last_id = grown->count = 0;
        grown->capacity = more;
        p->reservations = r = grown;
    }
    struct reservation *v = &r->list[r->count++];
    *v = (struct reservation){++r->last_id, start, count, write, false};
    return v;
}

static struct reservation *reservation_find(const struct in_pipe *p, uint64_t id, bool write)
{
    struct reservations *r = p->reservations;
    for (uint32_t k = 0; r && k < r->count; k++)
        if (r->list[k].id == id && r->list[k].write == write && !r->list[k].committed)
            return &r->list[k];
    return NULL;
}

/* Committed reservations take effect once all earlier ones have been committed. */
static void advance_pipe(struct in_pipe *p, bool write)
{
    struct reservations *r = p->reservations;
    uint64_t *position = write ? &p->write_count : &p->read_count;
    for (uint32_t k = 0; r && k < r->count;) {
        const struct reservation *v = &r->list[k];
        if (v->write != write || !v->committed || v->start != *position) {
            k++;
            continue;
        }
        *position += v->count;
        memmove(&r->list[k], &r->list[k + 1], (--r->count - k) * sizeof *r->list);
        k = 0;
    }
}

static struct reservation *reserve_packets(struct in_pipe *p, bool write, uint32_t count)
{
    uint64_t room =
        write ? p->max_packets - (p->write_reserved - p->read_count) : p->write_count - p->read_reserved;
    uint64_t *head = write ? &p->write_reserved : &p->read_reserved;
    if (count == 0 || count > room)
        return NULL;
    struct reservation *v = reservation_add(p, write, *head, count);
    if (v)
        *head += count;
    return v;
}

/* ---- instructions ------------------------------------------------------------------------ */

static uint64_t value_at(const struct in_item *item, int32_t slot, uint64_t size)
{
    uint64_t v = 0;
    memcpy(&v, item->frame + slot, size < 8 ? size : 8);
    return v;
}

static struct in_pipe *pipe_of(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                               int32_t slot, uint64_t packet_size)
{
    const struct in_handle *h = in_handle_of(run, value_at(item, slot, 8));
    struct in_pipe *p = h ? h->pipe : NULL;
    if (!p || !p->object) {
        in_raise(run, item, pc, "invalid-pipe", "CLC 6.15.18", "the pipe is not a pipe object");
        run->outcome.stopped = true;
        return NULL;
    }
    if (packet_size != p->packet_size) {
        in_raise_at(run, item, pc, "pipe-packet-size", "CLC 6.15.18", (struct in_range){p->object, 0, 0},
                    "packets of %llu bytes in a pipe of packets of %u bytes", (unsigned long long)packet_size,
                    p->packet_size);
        run->outcome.stopped = true;
        return NULL;
    }
    return p;
}

/* Copies one packet between the ring and the kernel's memory. */
static bool transfer_packet(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                            struct in_pipe *p, struct in_fat *to_from, uint64_t position, bool write)
{
    uint64_t size = p->packet_size, at = p->object->address + position % p->max_packets * size;
    uint8_t *packet = (uint8_t *)(uintptr_t)at;
    uint8_t *m = in_touch(run, item, pc, to_from, (struct in_reference){to_from->address, size, 0, !write});
    if (!m)
        return false;
    memcpy(write ? packet : m, write ? m : packet, size);
    bool shared = to_from->object->region != MM_PRIVATE;
    if (run->full)
        run->switch_budget -= 1 + shared;
    if (!run->full || !run->launch.recorder)
        return true;
    const struct in_range memory = {to_from->object, to_from->address, size};
    if (shared && write)
        in_record_access(run, item, pc, &memory, MM_READ, m, 0);
    in_record_access(run, item, pc, &(struct in_range){p->object, at, size}, write ? MM_WRITE : MM_READ,
                     packet, 0);
    if (shared && !write)
        in_record_access(run, item, pc, &memory, MM_WRITE, m, 0);
    return true;
}

static void put_pipe_result(const struct in_item *item, const struct in_call *c, uint64_t value)
{
    memcpy(item->frame + c->result, &value, c->ty->size < 8 ? c->ty->size : 8);
}

/* read_pipe and write_pipe without a reservation: one packet, reserved and committed at once. */
static bool run_packet(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                       const struct in_call *c)
{
    bool write = c->opcode == SpvOpWritePipe;
    struct in_pipe *p =
        pipe_of(run, item, pc, c->operand[0], value_at(item, c->operand[2], c->types[2]->size));
    struct in_fat *pointer = (struct in_fat *)(void *)(item->frame + c->operand[1]);
    uint64_t result = UINT64_MAX;
    mm_mutex_lock(&pipes);
    struct reservation *v = p ? reserve_packets(p, write, 1) : NULL;
    if (v) {
        result = transfer_packet(run, item, pc, p, pointer, v->start, write) ? 0 : UINT64_MAX;
        v->committed = true;
        advance_pipe(p, write);
    }
    mm_mutex_unlock(&pipes);
    put_pipe_result(item, c, result);
    return !run->outcome.stopped;
}

static void bad_reservation(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                            const struct in_pipe *p, uint64_t id)
{
    in_raise_at(run, item, pc, "invalid-reservation", "CLC 6.15.18", (struct in_range){p->object, 0, 0},
                "reservation %llu is not an active reservation of the pipe in this direction",
                (unsigned long long)id);
    run->outcome.stopped = true;
}

static bool run_reserved_packet(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                                const struct in_call *c)
{
    bool write = c->opcode == SpvOpReservedWritePipe;
    struct in_pipe *p =
        pipe_of(run, item, pc, c->operand[0], value_at(item, c->operand[4], c->types[4]->size));
    uint64_t id = value_at(item, c->operand[1], 8), index = value_at(item, c->operand[2], c->types[2]->size);
    struct in_fat *pointer = (struct in_fat *)(void *)(item->frame + c->operand[3]);
    uint64_t result = UINT64_MAX;
    mm_mutex_lock(&pipes);
    const struct reservation *v = p ? reservation_find(p, id, write) : NULL;
    if (v && index < v->count) {
        result = transfer_packet(run, item, pc, p, pointer, v->start + index, write) ? 0 : UINT64_MAX;
    } else if (v) {
        in_raise_at(run, item, pc, "out-of-bounds", "CLC 6.15.18", (struct in_range){p->object, 0, 0},
                    "packet %llu of a reservation of %u", (unsigned long long)index, v->count);
        run->outcome.stopped = true;
    } else if (p) {
        bad_reservation(run, item, pc, p, id);
    }
    mm_mutex_unlock(&pipes);
    put_pipe_result(item, c, result);
    return !run->outcome.stopped;
}

static uint64_t reserve_id(struct in_pipe *p, bool write, uint32_t count)
{
    mm_mutex_lock(&pipes);
    const struct reservation *v = p ? reserve_packets(p, write, count) : NULL;
    uint64_t id = v ? v->id : 0;
    mm_mutex_unlock(&pipes);
    return id;
}

static void commit_reservation(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                               struct in_pipe *p, uint64_t id, bool write)
{
    if (!p)
        return;
    mm_mutex_lock(&pipes);
    struct reservation *v = reservation_find(p, id, write);
    if (v) {
        v->committed = true;
        advance_pipe(p, write);
    } else {
        bad_reservation(run, item, pc, p, id);
    }
    mm_mutex_unlock(&pipes);
    if (run->full)
        run->switch_budget--;
}

static bool run_reserve(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                        const struct in_call *c)
{
    struct in_pipe *p =
        pipe_of(run, item, pc, c->operand[0], value_at(item, c->operand[2], c->types[2]->size));
    uint32_t count = (uint32_t)value_at(item, c->operand[1], c->types[1]->size);
    put_pipe_result(item, c, reserve_id(p, c->opcode == SpvOpReserveWritePipePackets, count));
    return !run->outcome.stopped;
}

static bool run_commit(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                       const struct in_call *c)
{
    struct in_pipe *p =
        pipe_of(run, item, pc, c->operand[0], value_at(item, c->operand[2], c->types[2]->size));
    commit_reservation(run, item, pc, p, value_at(item, c->operand[1], 8), c->opcode == SpvOpCommitWritePipe);
    return !run->outcome.stopped;
}

static bool run_pipe_query(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                           const struct in_call *c)
{
    if (c->opcode == SpvOpIsValidReserveId) {
        uint64_t id = value_at(item, c->operand[0], 8);
        put_pipe_result(item, c, id != 0 && id != UINT64_MAX); /* CLK_NULL_RESERVE_ID has all bits set */
        return true;
    }
    const struct in_pipe *p =
        pipe_of(run, item, pc, c->operand[0], value_at(item, c->operand[1], c->types[1]->size));
    uint64_t n = 0;
    mm_mutex_lock(&pipes);
    if (p)
        n = c->opcode == SpvOpGetMaxPipePackets ? p->max_packets : p->write_count - p->read_count;
    mm_mutex_unlock(&pipes);
    put_pipe_result(item, c, n);
    return !run->outcome.stopped;
}

/* Work-group and sub-group forms: one reservation, or commit, for all MEMBERS, which wait at the same
 * instruction. */
void in_pipe_collective(struct in_run *run, struct in_item **members, uint32_t count, const struct in_wait *w)
{
    struct in_item *item = members[0];
    const struct in_insn *pc = item->pc - 1;
    struct in_pipe *p = pipe_of(run, item, pc, w->operand[0], value_at(item, w->operand[2], 4));
    bool write = w->opcode == SpvOpGroupReserveWritePipePackets || w->opcode == SpvOpGroupCommitWritePipe;
    if (w->opcode == SpvOpGroupCommitReadPipe || w->opcode == SpvOpGroupCommitWritePipe) {
        commit_reservation(run, item, pc, p, value_at(item, w->operand[1], 8), write);
        return;
    }
    uint64_t id = reserve_id(p, write, (uint32_t)value_at(item, w->operand[1], 4));
    for (uint32_t k = 0; k < count; k++)
        memcpy(members[k]->frame + w->result, &id, sizeof id);
}

/* ---- program-scope pipes ------------------------------------------------------------------ */

/* A pipe storage constant is its number in the module, from 1. */
static bool run_from_storage(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                             const struct in_call *c)
{
    uint64_t n = value_at(item, c->operand[0], 8);
    (void)pc;
    bool known = n >= 1 && n <= run->instance->storage_count;
    put_pipe_result(item, c, known ? (uint64_t)(uintptr_t)&run->instance->storages[n - 1] : 0);
    return true;
}

static bool make_storage(struct in_instance *in, uint32_t k)
{
    const struct in_pipe_storage *s = &in->module->storages[k];
    uint64_t bytes = (uint64_t)s->packet_size * s->capacity;
    struct in_object *o = mm_alloc_zero(1, sizeof *o + bytes + 128);
    struct in_pipe *p = mm_alloc_zero(1, sizeof *p);
    if (!o || !p) {
        mm_free(o);
        mm_free(p);
        return false;
    }
    o->address = ((uint64_t)(uintptr_t)(o + 1) + 127) & ~UINT64_C(127);
    o->size = bytes;
    o->region = MM_PIPE;
    o->name = "program-scope pipe";
    o->id = in->module->global_count + k + 1;
    if (in->recorder) {
        struct mm_record record = {.type = MM_RECORD_ALLOCATION};
        o->id = mm_recorder_new_allocation(in->recorder);
        record.allocation =
            (struct mm_allocation){.id = o->id, .region = MM_PIPE, .size = bytes, .name = o->name};
        mm_recorder_record(in->recorder, &record);
    }
    p->packet_size = s->packet_size;
    p->max_packets = s->capacity;
    p->object = o;
    in->storages[k] = (struct in_handle){.object = o, .pipe = p};
    return true;
}

bool in_pipe_storages_create(struct in_instance *in)
{
    in->storages = mm_alloc_zero(in->module->storage_count + 1, sizeof *in->storages);
    if (!in->storages)
        return false;
    for (; in->storage_count < in->module->storage_count; in->storage_count++)
        if (!make_storage(in, in->storage_count))
            return false;
    return true;
}

void in_pipe_storages_destroy(struct in_instance *in)
{
    for (uint32_t k = 0; k < in->storage_count; k++) {
        in_pipe_clear(in->storages[k].pipe);
        mm_free((void *)(uintptr_t)in->storages[k].object);
        mm_free(in->storages[k].pipe);
    }
    mm_free(in->storages);
}

/* ---- lowering ---------------------------------------------------------------------------- */

enum mm_class in_lower_pipe_packet(struct in_lower *l, const struct in_inst *i)
{
    return in_is_pointer(l, i, 1) ? in_call_c(l, i, run_packet) : in_no_pointer(l, i);
}
enum mm_class in_lower_pipe_reserved(struct in_lower *l, const struct in_inst *i)
{
    return in_is_pointer(l, i, 3) ? in_call_c(l, i, run_reserved_packet) : in_no_pointer(l, i);
}
enum mm_class in_lower_pipe_reserve(struct in_lower *l, const struct in_inst *i)
{
    return in_call_c(l, i, run_reserve);
}
enum mm_class in_lower_pipe_commit(struct in_lower *l, const struct in_inst *i)
{
    return in_call_c(l, i, run_commit);
}
enum mm_class in_lower_pipe_query(struct in_lower *l, const struct in_inst *i)
{
    return in_call_c(l, i, run_pipe_query);
}
enum mm_class in_lower_pipe_from_storage(struct in_lower *l, const struct in_inst *i)
{
    return in_call_c(l, i, run_from_storage);
}
