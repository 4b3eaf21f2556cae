/* Order among a module's types and constants: each id is defined before its uses [SPIRV 2.4].  The
 * translator writes constants type by type, and so parts of a bitcast vector before the vector.  Scalars that
 * LLVM bitcasts to vectors come as vectors of one component, which there are none of [SPIRV 2.16.1]: the
 * types become structures, and the scalar is bitcast. */
#include "ref-runtime/compiler/helper.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

enum { HEADER_WORDS = 5, DEEPEST = 1000 };
struct order {
    const uint32_t *words;
    size_t begin, end; /* of the types, constants and variables of the module */
    uint32_t bound;
    uint32_t *at;    /* by id: its instruction in the section, 0: elsewhere */
    uint8_t *placed; /* by id: 1 begun, 2 done */
    uint32_t *out;
    size_t out_count;
};

static bool is_annotation(uint32_t opcode)
{
    return (opcode >= SpvOpSourceContinued && opcode <= SpvOpMemberName && opcode != SpvOpUndef) ||
           opcode == SpvOpString || opcode == SpvOpExtension || opcode == SpvOpExtInstImport ||
           (opcode >= SpvOpMemoryModel && opcode <= SpvOpCapability) || opcode == SpvOpModuleProcessed ||
           opcode == SpvOpExecutionModeId ||
           (opcode >= SpvOpDecorate && opcode <= SpvOpGroupMemberDecorate) || opcode == SpvOpDecorateId ||
           opcode == SpvOpDecorateString || opcode == SpvOpMemberDecorateString;
}

static bool is_type(uint32_t opcode)
{
    return opcode >= SpvOpTypeVoid && opcode <= SpvOpTypePipe;
}

/* Words [*FROM, result) of instruction W are ids that have to be defined before it. */
static uint32_t id_operands(const uint32_t *w, uint32_t *from)
{
    uint32_t length = w[0] >> 16, last = length;
    *from = 2;
    switch (w[0] & 0xffff) {
    case SpvOpTypeVector:
    case SpvOpTypeImage:
    case SpvOpTypeSampledImage:
    case SpvOpTypeRuntimeArray:
        last = 3;
        break;
    case SpvOpTypeArray:
    case SpvOpTypeStruct:
    case SpvOpTypeFunction:
        break;
    case SpvOpTypePointer:
        *from = 3;
        break;
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        *from = 3;
        break;
    case SpvOpVariable:
        *from = 4;
        break;
    case SpvOpSpecConstantOp:
        *from = 4;
        last = length < 4                      ? length
               : w[3] == SpvOpCompositeExtract ? 5
               : w[3] == SpvOpCompositeInsert  ? 6
               : w[3] == SpvOpVectorShuffle    ? 6
                                               : length;
        break;
    default:
        last = *from;
    }
    return last < length ? last : length;
}

static bool is_single(const uint32_t *w)
{
    return w[0] == (4u << 16 | SpvOpTypeVector) && w[3] == 1;
}

/* The scalar in the constant vector ID of one component; else ID. */
static uint32_t scalar_of(const struct order *o, uint32_t id)
{
    const uint32_t *w = id < o->bound && o->at[id] ? o->words + o->at[id] : NULL;
    bool single = w && w[0] == (4u << 16 | SpvOpConstantComposite) && w[1] < o->bound && o->at[w[1]] &&
                  is_single(o->words + o->at[w[1]]);
    return single ? w[3] : id;
}

static void order_emit(struct order *o, const uint32_t *w)
{
    uint32_t *to = o->out + o->out_count;
    memcpy(to, w, (w[0] >> 16) * 4);
    if (is_single(w))
        to[0] = 3u << 16 | SpvOpTypeStruct;
    else if (w[0] == (5u << 16 | SpvOpSpecConstantOp) && w[3] == SpvOpBitcast)
        to[4] = scalar_of(o, w[4]);
    o->out_count += to[0] >> 16;
}

static void emit_with_operands(struct order *o, size_t at, int depth);

static void need_id(struct order *o, uint32_t id, int depth)
{
    if (id < o->bound && o->at[id] && !o->placed[id] && depth < DEEPEST)
        emit_with_operands(o, o->at[id], depth + 1);
}

/* What the instruction names, and then the instruction. */
static void emit_with_operands(struct order *o, size_t at, int depth)
{
    const uint32_t *w = o->words + at;
    uint32_t opcode = w[0] & 0xffff, length = w[0] >> 16, from, result = 0;
    if (length > 2 && !is_type(opcode) && opcode != SpvOpLine) {
        result = w[2];
        if (result < o->bound && o->at[result] == at)
            o->placed[result] = 1;
        need_id(o, w[1], depth);
    } else if (length > 1 && is_type(opcode)) {
        result = w[1];
        o->placed[result < o->bound ? result : 0] = 1;
    }
    for (uint32_t last = id_operands(w, &from); from < last; from++)
        need_id(o, w[from], depth);
    order_emit(o, w);
    if (result < o->bound)
        o->placed[result] = 2;
}

/* Finds the end of the section and the position of each id; whether an id is used before its definition. */
static bool examine_section(struct order *o, size_t count)
{
    bool late = false;
    for (size_t at = HEADER_WORDS; at < count && o->words[at] >> 16; at += o->words[at] >> 16) {
        const uint32_t *w = o->words + at;
        uint32_t opcode = w[0] & 0xffff, length = w[0] >> 16;
        if (opcode == SpvOpFunction)
            break;
        o->end = at + length;
        if (is_annotation(opcode) && !o->begin)
            continue;
        o->begin = o->begin ? o->begin : at;
        uint32_t id = is_type(opcode) && length > 1 ? w[1] : length > 2 && opcode != SpvOpLine ? w[2] : 0;
        if (id && id < o->bound)
            o->at[id] = (uint32_t)at;
    }
    for (size_t at = o->begin; at < o->end && !late; at += o->words[at] >> 16) {
        const uint32_t *w = o->words + at;
        uint32_t from;
        late = is_single(w);
        for (uint32_t last = id_operands(w, &from); from < last && !is_type(w[0] & 0xffff); from++)
            late |= w[from] < o->bound && o->at[w[from]] > at;
    }
    return late;
}

/* The same in functions; WORDS are the module's, of which no types or constants have moved yet. */
static void cast_scalars(const struct order *o, uint32_t *words, size_t count)
{
    for (size_t at = o->end; at < count && words[at] >> 16; at += words[at] >> 16) {
        uint32_t *w = words + at;
        if (w[0] != (4u << 16 | SpvOpBitcast))
            continue;
        uint32_t scalar = scalar_of(o, w[3]);
        bool same = scalar != w[3] && scalar < o->bound && o->at[scalar] && words[o->at[scalar] + 1] == w[1];
        w[0] = 4u << 16 | (same ? SpvOpCopyObject : SpvOpBitcast);
        w[3] = scalar;
    }
}

enum mm_class rt_helper_order(struct rt_binary *binary)
{
    uint32_t *words = (uint32_t *)binary->data;
    size_t count = binary->size / 4;
    struct order o = {.words = words, .bound = words[3]};
    o.at = mm_alloc_zero((size_t)o.bound + 1, sizeof *o.at);
    o.placed = mm_alloc_zero((size_t)o.bound + 1, 1);
    bool late = o.at && o.placed && examine_section(&o, count);
    o.out = late ? mm_alloc((o.end - o.begin) * sizeof *o.out) : NULL;
    enum mm_class result = o.at && o.placed && (o.out || !late) ? MM_OK : MM_LIMIT;
    for (size_t at = o.begin; late && o.out && at < o.end; at += words[at] >> 16) {
        uint32_t opcode = words[at] & 0xffff, length = words[at] >> 16;
        uint32_t id = is_type(opcode) && length > 1 ? words[at + 1] : length > 2 ? words[at + 2] : 0;
        if (id >= o.bound || o.at[id] != at || !o.placed[id])
            emit_with_operands(&o, at, 0);
    }
    if (late && o.out) {
        cast_scalars(&o, words, count);
        memcpy(words + o.begin, o.out, o.out_count * 4);
        memmove(words + o.begin + o.out_count, words + o.end, (count - o.end) * 4);
        binary->size -= (o.end - o.begin - o.out_count) * 4;
    }
    mm_free(o.at);
    mm_free(o.placed);
    mm_free(o.out);
    return result;
}
