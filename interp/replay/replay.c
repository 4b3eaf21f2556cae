/* Recording of launches for re-execution (docs/reexecution.md#records).  Numbers are LEB128: 7 bits in a
 * byte, the least significant first; strings are a length and bytes. */
#include "interp/replay/replay.h"
#include "interp/exec/exec.h"
#include "interp/replay/variables.h"
#include "memmodel/base/array.h"
#include "memmodel/base/hash.h"
#include "memmodel/trace/trace.h"
#include <string.h>

/* ---- address independence ------------------------------------------------------------------ */

static bool is_pointer(const struct in_module *m, uint32_t id)
{
    const struct in_ty *ty = in_type_of(m, id);
    return ty && ty->kind == IN_TY_POINTER;
}

/* A pointer that may lead to SVM, which is at the same addresses in each execution. */
static bool is_global_pointer(const struct in_ty *ty)
{
    return ty && ty->kind == IN_TY_POINTER &&
           (ty->storage == SpvStorageClassCrossWorkgroup || ty->storage == SpvStorageClassGeneric);
}

static bool is_other_pointer(const struct in_ty *ty)
{
    return ty && ty->kind == IN_TY_POINTER && !is_global_pointer(ty);
}

static bool is_any_pointer(const struct in_ty *ty)
{
    return ty && ty->kind == IN_TY_POINTER;
}

/* Whether memory shared with other work-items or the host may contain pointers for which COUNTS is true. */
static bool holds_pointers(const struct in_ty *ty, bool (*counts)(const struct in_ty *ty))
{
    switch (ty->kind) {
    case IN_TY_POINTER:
        return ty->storage != SpvStorageClassFunction && counts(ty->element);
    case IN_TY_ARRAY:
        return counts(ty->element);
    case IN_TY_STRUCT:
        for (uint32_t k = 0; k < ty->count; k++)
            if (counts(ty->members[k]))
                return true;
        return false;
    default:
        return false;
    }
}

/* Whether values of type TY contain pointers. */
static bool contains_pointers(const struct in_ty *ty)
{
    bool contains = is_any_pointer(ty) || (ty && ty->kind == IN_TY_ARRAY && contains_pointers(ty->element));
    for (uint32_t k = 0; ty && ty->kind == IN_TY_STRUCT && k < ty->count && !contains; k++)
        contains = contains_pointers(ty->members[k]);
    return contains;
}

static bool is_comparison(uint32_t opcode)
{
    return opcode == SpvOpIEqual || opcode == SpvOpINotEqual;
}

/* Whether every use of the integer ID is a comparison for equality: equality of pointers does not depend on
 * the addresses of allocations. */
static bool only_compared(const struct in_module *m, uint32_t id)
{
    for (struct in_inst i = {0}; in_spirv_next(m, &i);)
        for (uint32_t k = 1; k < i.count && !is_comparison(i.opcode); k++)
            if (m->is_id[i.word + k] && i.w[k] == id && i.opcode != SpvOpName && i.opcode != SpvOpDecorate)
                return false;
    return true;
}

/* Whether the result of the instruction may differ between executions: it converts an address to an integer
 * or an integer to an address, or reads a clock, which engines count differently. */
static bool is_irreproducible(const struct in_module *m, const struct in_inst *i)
{
    switch (i->opcode) {
    case SpvOpConvertPtrToU:
        return !only_compared(m, i->result);
    case SpvOpConvertUToPtr:
    case SpvOpPtrDiff:
    case SpvOpReadClockKHR:
        return true;
    case SpvOpBitcast:
        return i->operand_count > 0 && is_pointer(m, i->result) != is_pointer(m, i->operands[0]);
    default:
        return false;
    }
}

/* Whether pointers of type TY lead to a pointer in private memory. */
static bool leads_to_private_pointer(const struct in_ty *ty)
{
    return is_any_pointer(ty) && ty->storage == SpvStorageClassFunction && is_any_pointer(ty->element);
}

/* The same in a kernel that may follow pointers to SVM (IN_REPLAY_FOLLOWS_SVM): SVM has the same addresses in
 * each execution, but what the kernel puts in memory must not contain addresses. */
static bool follows_irreproducibly(const struct in_module *m, const struct in_inst *i)
{
    const struct in_ty *first = i->operand_count > 0 ? in_type_of(m, i->operands[0]) : NULL;
    bool to_private = is_any_pointer(first) && first->storage == SpvStorageClassFunction;
    switch (i->opcode) {
    case SpvOpStore:
        return !to_private && contains_pointers(in_type_of(m, i->operands[1]));
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        return !to_private;
    case SpvOpConvertUToPtr:
        return !is_global_pointer(in_type_of(m, i->result));
    case SpvOpBitcast:
        return is_any_pointer(first) && !leads_to_private_pointer(in_type_of(m, i->result)) &&
               (!is_pointer(m, i->result) || (first->element && contains_pointers(first->element)));
    default:
        return is_irreproducible(m, i);
    }
}

/* The same in a kernel of which all global memory is SVM (IN_REPLAY_KEEPS_SVM). */
static bool keeps_irreproducibly(const struct in_module *m, const struct in_inst *i)
{
    const struct in_ty *first = i->operand_count > 0 ? in_type_of(m, i->operands[0]) : NULL;
    switch (i->opcode) {
    case SpvOpPtrCastToGeneric: /* generic pointers are to lead to global memory alone */
        return !is_global_pointer(first);
    case SpvOpConvertPtrToU:
    case SpvOpPtrDiff:
        return !is_global_pointer(first);
    case SpvOpConvertUToPtr:
        return !is_global_pointer(in_type_of(m, i->result));
    case SpvOpBitcast:
        return is_pointer(m, i->result) != is_any_pointer(first) &&
               (is_other_pointer(first) || is_other_pointer(in_type_of(m, i->result)));
    default:
        return is_irreproducible(m, i);
    }
}

enum {
    MAX_TYPES = 1 << 20,
    MAX_DEPTH = 256
}; /* visited for one kernel, and nested; beyond that, true is the safe answer */

/* Whether memory that a value or variable of type TY leads to may contain pointers.  A cycle of types
 * contains a structure with a pointer, which ends the recursion. */
static bool leads_to_pointers(const struct in_ty *ty, uint32_t *left, unsigned depth)
{
    if (!ty)
        return false;
    if (*left == 0 || depth == MAX_DEPTH || holds_pointers(ty, is_any_pointer))
        return true;
    --*left;
    bool leads = (ty->kind == IN_TY_POINTER || ty->kind == IN_TY_ARRAY) &&
                 leads_to_pointers(ty->element, left, depth + 1);
    for (uint32_t k = 0; ty->kind == IN_TY_STRUCT && k < ty->count && !leads; k++)
        leads = leads_to_pointers(ty->members[k], left, depth + 1);
    return leads;
}

static bool uses_pointers_in_memory(const struct in_module *m, const struct in_inst *i, uint32_t *left)
{
    bool uses = leads_to_pointers(in_type_of(m, i->result), left, 0);
    for (uint32_t k = 1; k < i->count && !uses; k++)
        uses = m->is_id[i->word + k] && leads_to_pointers(in_type_of(m, i->w[k]), left, 0);
    return uses;
}

static uint32_t callee_of(const struct in_module *m, const struct in_inst *i)
{
    return i->opcode == SpvOpFunctionCall && m->ids[i->operands[0]].kind == IN_ID_FUNCTION
               ? m->ids[i->operands[0]].index
               : UINT32_MAX;
}

/* Whether any memory that the module declares may contain pointers other than to SVM. */
static bool has_other_pointers(const struct in_module *m)
{
    bool has = false;
    for (uint32_t id = 0; id < m->bound && !has; id++)
        has = m->ids[id].kind == IN_ID_TYPE && holds_pointers(m->ids[id].ty, is_other_pointer);
    return has || in_replay_variables_escape(m);
}

struct reach {
    const struct in_module *m;
    enum in_replay_class class;
    uint8_t *seen; /* a byte per function */
    uint32_t left; /* types to be visited at most */
};

static bool is_excluded(struct reach *r, const struct in_inst *i)
{
    switch (r->class) {
    case IN_REPLAY_FOLLOWS_SVM:
        return follows_irreproducibly(r->m, i);
    case IN_REPLAY_KEEPS_SVM:
        return keeps_irreproducibly(r->m, i);
    default:
        return is_irreproducible(r->m, i) || uses_pointers_in_memory(r->m, i, &r->left);
    }
}

/* Whether function INDEX or a callee contains an instruction that the class excludes. */
static bool reaches_excluded(struct reach *r, uint32_t index)
{
    struct in_inst i;
    if (index >= r->m->function_count || r->seen[index])
        return false;
    r->seen[index] = 1;
    for (uint32_t at = r->m->functions[index].word; at < r->m->functions[index].end; at += i.count) {
        in_inst_at(r->m, at, &i);
        if (is_excluded(r, &i) || reaches_excluded(r, callee_of(r->m, &i)))
            return true;
    }
    return false;
}

static bool is_of_class(const struct in_module *m, size_t kernel, enum in_replay_class class)
{
    struct reach r = {m, class, mm_alloc_zero(m->function_count + 1, 1), MAX_TYPES};
    bool is = r.seen && !(class != IN_REPLAY_ALWAYS && has_other_pointers(m)) &&
              !reaches_excluded(&r, m->kernels[kernel].function);
    mm_free(r.seen);
    return is;
}

enum in_replay_class in_replay_class(const struct in_instance *instance, size_t kernel, size_t size)
{
    const struct in_module *m = instance->module;
    struct in_code *code = m->kernels[kernel].code;
    int class = atomic_load(&code->noted.replay_class);
    if (class == 0) {
        class = size <= MM_TRACE_BYTES_MAX / 2 ? IN_REPLAY_ALWAYS : IN_REPLAY_KEEPS_SVM + 1;
        while (class <= IN_REPLAY_KEEPS_SVM && !is_of_class(m, kernel, (enum in_replay_class) class))
            class ++;
        class = class <= IN_REPLAY_KEEPS_SVM ? class : IN_REPLAY_NEVER;
        atomic_store(&code->noted.replay_class, class);
    }
    return (enum in_replay_class) class;
}

/* ---- encoding ------------------------------------------------------------------------------ */

struct writer {
    uint8_t *data;
    size_t used, room;
    bool failed;
};

static bool make_room(struct writer *o, size_t size)
{
    o->failed |= o->room - o->used < size && !mm_reserve(&o->data, &o->room, o->used + size);
    return !o->failed;
}

static void put_bytes(struct writer *o, const void *bytes, size_t size)
{
    if (size == 0 || !make_room(o, size))
        return;
    memcpy(o->data + o->used, bytes, size);
    o->used += size;
}

static void put_number(struct writer *o, uint64_t value)
{
    if (!make_room(o, IN_REPLAY_NUMBER))
        return;
    for (; value >= 0x80; value >>= 7)
        o->data[o->used++] = (uint8_t)(value | 0x80);
    o->data[o->used++] = (uint8_t)value;
}

static void put_string(struct writer *o, const char *s)
{
    size_t length = s ? strnlen(s, 4096) : 0;
    put_number(o, length);
    put_bytes(o, s, length);
}

/* ---- programs ------------------------------------------------------------------------------ */

bool in_replay_has_program(const struct in_run *run)
{
    return run->instance->recorded != 0;
}

void in_replay_program(const struct in_run *run, const void *spirv, size_t size,
                       const struct in_module_options *options)
{
    static atomic_uint last;
    struct in_instance *in = run->instance;
    struct writer o = {0};
    put_number(&o, IN_REPLAY_FORMAT);
    put_string(&o, REFCL_VERSION);
    put_number(&o, (options->subscripts ? IN_REPLAY_SUBSCRIPTS : 0) |
                       (options->literal_legacy_atomics ? IN_REPLAY_LITERAL_LEGACY : 0) |
                       (options->zero_private ? IN_REPLAY_ZERO_PRIVATE : 0));
    put_string(&o, options->name);
    put_number(&o, size);
    put_number(&o, mm_checksum(spirv, size));
    put_bytes(&o, spirv, size);
    put_number(&o, run->module->global_count);
    for (uint32_t k = 0; k < run->module->global_count; k++)
        put_number(&o, in->objects[k].id);
    if (!o.failed) {
        struct mm_record record = {.type = MM_RECORD_PROGRAM};
        in->recorded = atomic_fetch_add(&last, 1) + 1;
        record.program = (struct mm_program){in->recorded, (uint32_t)o.used, o.data};
        mm_recorder_record(run->launch.recorder, &record);
    }
    mm_free(o.data);
}

static bool is_recorded_variable(const struct in_module *m, uint32_t k)
{
    return m->globals[k].storage == SpvStorageClassCrossWorkgroup && m->globals[k].ty->size > 0;
}

uint64_t in_replay_unrecorded_bytes(const struct in_instance *in, unsigned generation)
{
    uint64_t bytes = 0;
    for (uint32_t k = 0; in->recorded_generation != generation && k < in->module->global_count; k++)
        bytes += is_recorded_variable(in->module, k) ? in->objects[k].size : 0;
    return bytes;
}

static void record_variable(const struct in_run *run, uint32_t k)
{
    const struct in_object *o = &run->instance->objects[k];
    struct mm_record record = {
        .type = MM_RECORD_CONTENT,
        .content = {o->id, 0, o->size, (const void *)(uintptr_t)o->address},
    };
    if (is_recorded_variable(run->module, k))
        mm_recorder_record(run->launch.recorder, &record);
}

void in_replay_begin(const struct in_run *run, unsigned generation)
{
    struct in_instance *in = run->instance;
    for (uint32_t k = 0; in->recorded_generation != generation && k < run->module->global_count; k++)
        record_variable(run, k);
    in->recorded_generation = generation;
}

/* ---- launches ------------------------------------------------------------------------------ */

enum { LINE = 64, MOST_LINES = 128, WHOLE = 512 /* bytes for each line */ };

/* Checksum of an object; of a large one, of COUNT lines at equal distances: with each launch the next ones,
 * which a processor has prefetched. */
static uint64_t object_checksum(const struct in_object *o, uint32_t launch, uint64_t count)
{
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)o->address;
    if (o->size <= count * WHOLE)
        return mm_checksum(bytes, o->size);
    uint64_t step = o->size / count, lines[MOST_LINES];
    uint64_t first = launch % ((step - LINE) / LINE + 1) * LINE;
    for (uint64_t k = 0; k < count; k++)
        lines[k] = mm_checksum(bytes + k * step + first, LINE);
    return mm_checksum(lines, count * sizeof lines[0]);
}

/* Fewer for small launches, which would take less time than the cache misses of the checksum. */
static uint64_t sampled_lines(const struct in_launch *launch)
{
    enum { ITEMS = 64 }; /* for a line */
    uint64_t count = 1;
    for (uint32_t k = 0; k < launch->dimensions && count < MOST_LINES * ITEMS; k++)
        count *= launch->global_size[k];
    count /= ITEMS;
    return count < 1 ? 1 : count < MOST_LINES ? count : MOST_LINES;
}

static bool has_object(const struct in_argument *a)
{
    return a->object && a->address != 0;
}

static bool is_global(const struct in_argument_info *info)
{
    return info->kind == IN_ARG_GLOBAL || info->kind == IN_ARG_CONSTANT;
}

static bool is_writable_memory(const struct in_argument_info *info)
{
    return is_global(info) || (info->kind == IN_ARG_IMAGE && info->access != IN_READ_ONLY);
}

uint64_t in_replay_sample(const struct in_launch *launch, const struct in_kernel_info *info)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < info->argument_count; k++) {
        const struct in_argument *a = &launch->arguments[k];
        if (is_writable_memory(&info->arguments[k]) && has_object(a) && !a->object->read_only)
            sum = sum * UINT64_C(0x9e3779b97f4a7c15) +
                  object_checksum(a->object, launch->command, sampled_lines(launch));
    }
    return sum;
}

static void put_pointer(struct writer *o, const struct in_argument *a)
{
    const struct in_object *object = a->object;
    put_number(o, object->id);
    put_number(o, a->address - object->address);
    put_number(o, object->offset);
    put_number(o, object->size);
    put_number(o, object->region);
    put_number(o, object->origin);
    put_number(o, (object->read_only ? IN_REPLAY_READ_ONLY : 0) |
                      (object->write_only ? IN_REPLAY_WRITE_ONLY : 0));
    put_string(o, object->name);
}

static void put_image(struct writer *o, const struct in_argument *a)
{
    const struct in_image *i = a->image;
    put_pointer(o, a);
    put_number(o, i->kind);
    put_number(o, i->order);
    put_number(o, i->type);
    put_number(o, i->width);
    put_number(o, i->height);
    put_number(o, i->depth);
    put_number(o, i->array_size);
    put_number(o, i->row_pitch);
    put_number(o, i->slice_pitch);
    put_number(o, i->levels);
}

static void put_float(struct writer *o, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(o, bits);
}

static void put_sampler(struct writer *o, const struct in_sampler *s)
{
    put_number(o, s->normalized);
    put_number(o, s->addressing);
    put_number(o, s->filter);
    put_number(o, s->has_mip);
    put_number(o, s->mip_filter);
    put_float(o, s->lod_min);
    put_float(o, s->lod_max);
}

static void put_argument(struct writer *o, const struct in_argument_info *info, const struct in_argument *a)
{
    if (is_global(info)) {
        put_number(o, has_object(a) ? IN_REPLAY_POINTER : IN_REPLAY_NULL);
        if (has_object(a))
            put_pointer(o, a);
    } else if (info->kind == IN_ARG_LOCAL) {
        put_number(o, IN_REPLAY_LOCAL);
        put_number(o, a->local_size);
    } else if (info->kind == IN_ARG_IMAGE) {
        put_number(o, IN_REPLAY_IMAGE);
        put_image(o, a);
    } else if (info->kind == IN_ARG_SAMPLER) {
        put_number(o, IN_REPLAY_SAMPLER);
        put_sampler(o, a->sampler);
    } else {
        put_number(o, IN_REPLAY_VALUE);
        put_number(o, info->size);
        put_bytes(o, a->value, info->size);
    }
}

static void put_launch(struct writer *o, const struct in_launch *l, const struct in_kernel_info *info,
                       bool follows)
{
    put_string(o, info->name);
    put_number(o, l->dimensions);
    for (int k = 0; k < 3; k++) {
        put_number(o, l->global_size[k]);
        put_number(o, l->global_offset[k]);
        put_number(o, l->local_size[k]);
    }
    put_number(o, l->sub_group_size);
    put_number(o, l->device);
    put_number(o, (l->checks ? IN_REPLAY_CHECKS : 0) | (l->zero_local ? IN_REPLAY_ZERO_LOCAL : 0) |
                      (follows ? IN_REPLAY_FOLLOWS : 0));
    put_number(o, l->local_pattern);
    put_number(o, l->step_limit);
    put_number(o, info->argument_count);
    for (uint32_t k = 0; k < info->argument_count; k++)
        put_argument(o, &info->arguments[k], &l->arguments[k]);
    put_number(o, in_replay_sample(l, info));
}

/* When out of memory, an empty record marks the launch as not re-executable. */
void in_replay_record(const struct in_run *run, size_t size)
{
    enum { USUAL = 1024 /* bytes */ };
    struct in_launch launch = run->launch;
    struct writer o = {0};
    uint32_t program = run->instance->recorded;
    launch.arguments = run->arguments;
    o.failed = !mm_reserve(&o.data, &o.room, USUAL);
    put_launch(&o, &launch, run->info,
               in_replay_class(run->instance, launch.kernel, size) != IN_REPLAY_ALWAYS);
    bool whole = program != 0 && !o.failed;
    struct mm_record record = {.type = MM_RECORD_REPLAY};
    record.replay =
        (struct mm_replay){launch.command, whole ? program : 1, whole ? (uint32_t)o.used : 0, o.data};
    mm_recorder_record(launch.recorder, &record);
    mm_free(o.data);
}
