/* Lowering of instructions outside the other families, and the C functions that implement rare
 * instructions. */
#include "interp/ext/convert.h"
#include "interp/lower/lower.h"
#include <string.h>

enum mm_class in_lower_none(struct in_lower *l, const struct in_inst *i)
{
    (void)i;
    return l->result;
}

enum mm_class in_lower_foreign(struct in_lower *l, const struct in_inst *i)
{
    return in_bad(l->m, i->word, l->err, "CL env 2", "%s is not an instruction of the OpenCL environment",
                  in_opcode_name(i->opcode));
}

enum mm_class in_lower_line(struct in_lower *l, const struct in_inst *i)
{
    const struct in_id *file = &l->m->ids[i->operands[0]];
    if (file->kind == IN_ID_STRING)
        l->place.file = file->string;
    l->place.line = i->operands[1];
    l->place.column = i->operands[2];
    return l->result;
}

enum mm_class in_lower_no_line(struct in_lower *l, const struct in_inst *i)
{
    (void)i;
    l->place.line = l->place.column = 0;
    return l->result;
}

enum mm_class in_lower_size_of(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *ty = in_ty_of(l, i->operands[0])->element;
    uint64_t size = ty ? ty->size : 0;
    if (in_ty_of(l, i->result)->kind != IN_TY_INT)
        return in_bad(l->m, i->word, l->err, "SPIRV 2.16.1", "the result type of OpSizeOf is not an integer");
    in_alias(l, i, in_const_alloc(l, &size, sizeof size));
    return l->result;
}

bool in_is_pointer(const struct in_lower *l, const struct in_inst *i, uint32_t operand)
{
    return operand < i->operand_count && in_ty_of(l, i->operands[operand])->kind == IN_TY_POINTER;
}

enum mm_class in_no_pointer(struct in_lower *l, const struct in_inst *i)
{
    return in_bad(l->m, i->word, l->err, "SPIRV 2.16.1", "%s without a pointer", in_opcode_name(i->opcode));
}

/* The generic call: operands that are ids become slots, literal operands stay in LITERAL.  Only one of
 * these instructions returns a pointer (struct in_fat). */
enum mm_class in_call_c(struct in_lower *l, const struct in_inst *i, in_call_fn fn)
{
    if (in_ty_of(l, i->result)->kind == IN_TY_POINTER && i->opcode != SpvOpGenericCastToPtrExplicit)
        return in_bad(l->m, i->word, l->err, "SPIRV 2.16.1", "the result type of %s is not a pointer",
                      in_opcode_name(i->opcode));
    struct in_call *call = in_make_call(l, i);
    if (!call)
        return l->result;
    call->fn = fn;
    for (uint32_t k = 0; k < i->operand_count; k++) {
        if (!l->m->is_id[i->word + (uint32_t)(i->operands - i->w) + k]) {
            call->literal = i->operands[k];
            continue;
        }
        call->types[call->operand_count] = in_ty_of(l, i->operands[k]);
        call->operand[call->operand_count++] = in_slot(l, i->operands[k]);
    }
    call->result = i->result != 0 ? in_dest(l, i) : 0;
    in_emit(l, IN_CALLC, 0, 0, 0, 0)->p = call;
    return l->result;
}

/* ---- arithmetic with wide results -------------------------------------------------------- */

static uint64_t operand_value(const struct in_item *item, int32_t slot, uint32_t index, uint64_t size)
{
    uint64_t v = 0;
    memcpy(&v, item->frame + slot + index * size, size);
    return v;
}

static int64_t sign_extend(uint64_t v, uint64_t size)
{
    return (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);
}

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 swide;

/* Low and high half of sum, difference or product. [SPIRV OpIAddCarry .. OpSMulExtended] */
static bool run_wide(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                     const struct in_call *c)
{
    (void)run;
    (void)pc;
    const struct in_ty *ty = c->types[0];
    uint64_t size = in_scalar(ty)->size;
    unsigned bits = (unsigned)(8 * size);
    uint8_t *low = item->frame + c->result, *high = low + c->ty->offsets[1];
    for (uint32_t k = 0; k < in_count(ty); k++) {
        uint64_t x = operand_value(item, c->operand[0], k, size),
                 y = operand_value(item, c->operand[1], k, size), l, h;
        wide p = c->opcode == SpvOpSMulExtended ? (wide)((swide)sign_extend(x, size) * sign_extend(y, size))
                                                : (wide)x * y;
        wide s = (wide)x + y;
        l = c->opcode == SpvOpIAddCarry ? (uint64_t)s : c->opcode == SpvOpISubBorrow ? x - y : (uint64_t)p;
        h = c->opcode == SpvOpIAddCarry    ? (uint64_t)(s >> bits)
            : c->opcode == SpvOpISubBorrow ? x < y
                                           : (uint64_t)(p >> bits);
        memcpy(low + k * size, &l, size);
        memcpy(high + k * size, &h, size);
    }
    return true;
}

enum mm_class in_lower_wide(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *ty = in_ty_of(l, i->result);
    if (ty->kind != IN_TY_STRUCT || ty->count != 2)
        return in_bad(l->m, i->word, l->err, "SPIRV 3.49.13", "the result type is not a pair");
    return in_call_c(l, i, run_wide);
}

/* [CLC 6.15.3.1 R1-R3] */
static bool run_bitfield(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                         const struct in_call *c)
{
    (void)run;
    (void)pc;
    const struct in_ty *ty = c->ty;
    uint64_t size = in_scalar(ty)->size;
    bool insert = c->opcode == SpvOpBitFieldInsert;
    uint32_t at = insert ? 2 : 1;
    uint64_t offset = operand_value(item, c->operand[at], 0, in_scalar(c->types[at])->size);
    uint64_t count = operand_value(item, c->operand[at + 1], 0, in_scalar(c->types[at + 1])->size);
    offset = offset > 63 ? 63 : offset;
    uint64_t mask = count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
    for (uint32_t k = 0; k < in_count(ty); k++) {
        uint64_t x = operand_value(item, c->operand[0], k, size), r = x >> offset & mask;
        if (insert)
            r = (x & ~(mask << offset)) | (operand_value(item, c->operand[1], k, size) & mask) << offset;
        else if (c->opcode == SpvOpBitFieldSExtract && count > 0 && count < 64 && (r >> (count - 1) & 1))
            r |= ~mask;
        memcpy(item->frame + c->result + k * size, &r, size);
    }
    return true;
}

enum mm_class in_lower_bitfield(struct in_lower *l, const struct in_inst *i)
{
    return in_call_c(l, i, run_bitfield);
}

/* Integer dot products; packed 4x8 operands are scalars of 32 bits. */
/* [CLC 6.15.3 R1-R3] */
static bool run_idot(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                     const struct in_call *c)
{
    (void)run;
    (void)pc;
    const struct in_ty *ty = c->types[0];
    bool packed = ty->kind == IN_TY_INT;
    uint64_t size = packed ? 1 : in_scalar(ty)->size;
    uint32_t n = packed ? 4 : in_count(ty), op = c->opcode;
    bool s1 = op != SpvOpUDotKHR && op != SpvOpUDotAccSatKHR,
         s2 = op == SpvOpSDotKHR || op == SpvOpSDotAccSatKHR;
    swide sum = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint64_t x = operand_value(item, c->operand[0], k, size),
                 y = operand_value(item, c->operand[1], k, size);
        sum += (s1 ? (swide)sign_extend(x, size) : (swide)x) * (s2 ? (swide)sign_extend(y, size) : (swide)y);
    }
    unsigned bits = c->ty->width;
    if (c->operand_count > 2) {
        uint64_t accumulator = operand_value(item, c->operand[2], 0, c->ty->size);
        sum += s1 ? (swide)sign_extend(accumulator, c->ty->size) : (swide)accumulator;
        swide top = s1 ? ((swide)1 << (bits - 1)) - 1 : ((swide)1 << bits) - 1, bottom = s1 ? -top - 1 : 0;
        sum = sum > top ? top : sum < bottom ? bottom : sum;
    }
    uint64_t result = (uint64_t)sum;
    memcpy(item->frame + c->result, &result, c->ty->size);
    return true;
}

enum mm_class in_lower_idot(struct in_lower *l, const struct in_inst *i)
{
    return in_call_c(l, i, run_idot);
}

/* ---- pointers and assumptions ------------------------------------------------------------ */

static const struct in_object *resolve_object(struct in_run *run, struct in_item *item, struct in_fat *p)
{
    if (p->object == &in_unknown) {
        const struct in_object *o = in_find(run, item, p->address);
        p->object = o ? o : &in_unknown;
    }
    return p->object;
}

/* to_global, to_local, to_private: null unless the pointer points there. [CLC 6.15.10] */
static bool run_cast(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                     const struct in_call *c)
{
    (void)pc;
    struct in_fat *p = (struct in_fat *)(void *)(item->frame + c->operand[0]);
    const struct in_object *o = resolve_object(run, item, p);
    enum mm_region r = (enum mm_region)o->region;
    bool fits = c->ty->storage == SpvStorageClassWorkgroup  ? r == MM_LOCAL
                : c->ty->storage == SpvStorageClassFunction ? r == MM_PRIVATE
                                                            : r == MM_GLOBAL || r == MM_PROGRAM_SCOPE;
    *(struct in_fat *)(void *)(item->frame + c->result) = fits ? *p : (struct in_fat){0, &in_unknown};
    return true;
}

enum mm_class in_lower_cast_explicit(struct in_lower *l, const struct in_inst *i)
{
    return in_call_c(l, i, run_cast);
}

static bool run_mem_semantics(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                              const struct in_call *c)
{
    (void)pc;
    enum mm_region r =
        (enum mm_region)resolve_object(run, item, (struct in_fat *)(void *)(item->frame + c->operand[0]))
            ->region;
    uint32_t mask = r == MM_LOCAL     ? SpvMemorySemanticsWorkgroupMemoryMask
                    : r == MM_PRIVATE ? 0
                                      : SpvMemorySemanticsCrossWorkgroupMemoryMask;
    memcpy(item->frame + c->result, &mask, sizeof mask);
    return true;
}

enum mm_class in_lower_mem_semantics(struct in_lower *l, const struct in_inst *i)
{
    return in_is_pointer(l, i, 0) ? in_call_c(l, i, run_mem_semantics) : in_no_pointer(l, i);
}

static bool run_assume(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                       const struct in_call *c)
{
    if (run->launch.checks && item->frame[c->operand[0]] == 0)
        in_raise(run, item, pc, "false-assumption", "SPIRV OpAssumeTrueKHR", "an assumption does not hold");
    return !run->outcome.stopped;
}

enum mm_class in_lower_assume(struct in_lower *l, const struct in_inst *i)
{
    return in_call_c(l, i, run_assume);
}

/* ---- rare arithmetic --------------------------------------------------------------------- */

/* A float rounded to half precision; subnormals become zero. [SPIRV OpQuantizeToF16] */
static bool run_quantize(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                         const struct in_call *c)
{
    (void)run;
    (void)pc;
    for (uint32_t k = 0; k < in_count(c->ty); k++) {
        float x, r;
        memcpy(&x, item->frame + c->operand[0] + 4 * k, sizeof x);
        uint16_t half = in_half_from_f64((double)x);
        r = in_half_to_f32((half & 0x7c00) == 0 ? half & 0x8000 : half);
        memcpy(item->frame + c->result + 4 * k, &r, sizeof r);
    }
    return true;
}

enum mm_class in_lower_quantize(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *s = in_scalar(in_ty_of(l, i->result));
    if (s->kind != IN_TY_FLOAT || s->width != 32 || in_ty_of(l, i->operands[0]) != in_ty_of(l, i->result))
        return in_bad(l->m, i->word, l->err, "SPIRV 3.49.11",
                      "the operand of OpQuantizeToF16 is not a 32-bit float");
    return in_call_c(l, i, run_quantize);
}

/* A deterministic clock: it counts its reads and the executed instructions. [CLC 6.15.21 R1]
 * [SPV_KHR_shader_clock] */
static bool run_read_clock(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                           const struct in_call *c)
{
    (void)pc;
    uint64_t now = run->executed + ++run->clock_reads;
    memcpy(item->frame + c->result, &now, sizeof now);
    return true;
}

enum mm_class in_lower_read_clock(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *type = in_ty_of(l, i->result), *s = in_scalar(type);
    uint32_t count = type->kind == IN_TY_VECTOR ? type->count : 1;
    if (s->kind != IN_TY_INT || !((s->width == 64 && count == 1) || (s->width == 32 && count == 2)))
        return in_bad(l->m, i->word, l->err, "SPIRV OpReadClockKHR",
                      "the clock is neither a 64-bit integer nor a vector of two 32-bit integers");
    return in_call_c(l, i, run_read_clock);
}

/* ---- async copies ------------------------------------------------------------------------ */

/* A collective operation of the group: the last work-item to arrive performs the copy. */
enum mm_class in_lower_async_copy(struct in_lower *l, const struct in_inst *i)
{
    return in_is_pointer(l, i, 1) && in_is_pointer(l, i, 2) ? in_lower_group(l, i) : in_no_pointer(l, i);
}

enum mm_class in_lower_wait_events(struct in_lower *l, const struct in_inst *i)
{
    return in_is_pointer(l, i, 2) ? in_lower_group(l, i) : in_no_pointer(l, i);
}
