/* SPIR-V modules for exploring: assembling, the table of instructions, types, constants, decorations.
 * What is not used stays words.  [SPIRV 2.3, 2.4] */
#define SPV_ENABLE_UTILITY_CODE
#include "checker/program/condition.h"
#include "tools/explore/explore.h"
#define kDefaultMaxIdBound ex_spirv_max_id_bound
#include <spirv-tools/libspirv.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BOUND = 1 << 20 };

void ex_fail(struct ex *ex, enum mm_class cls, const char *rule, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    mm_fail_at(ex->err, cls, rule, ex->file, ex->current ? ex->current->line : 0,
               ex->current ? ex->current->column : 0, "%s", text);
    longjmp(ex->failed, 1);
}

void *ex_alloc(struct ex *ex, size_t size)
{
    void *p = mm_arena_alloc(ex->arena, size ? size : 1);
    if (!p)
        ex_fail(ex, MM_LIMIT, "memory", "out of memory");
    return p;
}

/* ---- the text ----------------------------------------------------------------------------------- */

/* Lines of the text that hold an instruction, in order: that is how instructions find their lines. */
static void find_lines(struct ex *ex, size_t size)
{
    uint32_t line = 1, capacity = 0;
    for (size_t i = 0; i < size; i++)
        capacity += ex->text[i] == '\n';
    ex->lines = ex_alloc(ex, (capacity + 2) * sizeof *ex->lines);
    for (const char *p = ex->text; p && *p; line++) {
        const char *end = strchr(p, '\n');
        const char *op = p + strspn(p, " \t\r");
        if (*op == '%') {
            const char *equal = op + strcspn(op, "=\n;");
            op = *equal == '=' ? equal + 1 + strspn(equal + 1, " \t") : equal;
        }
        if (strncmp(op, "Op", 2) == 0 && strncmp(op, "OpSource ", 9) != 0)
            ex->lines[ex->line_count++] = line;
        p = end ? end + 1 : NULL;
    }
}

/* What the assembler may not know is blanked out: the source language says nothing about execution. */
static void drop_sources(char *text)
{
    for (char *p = text; p && *p; p = strchr(p, '\n'), p += p != NULL) {
        char *op = p + strspn(p, " \t\r");
        if (strncmp(op, "OpSource ", 9) == 0)
            memset(op, ' ', strcspn(op, "\n"));
    }
}

/* Negative numbers for constants of unsigned types, which the assembler refuses, become the numbers that have
 * the same bits. */
static unsigned unsigned_width(const char *text, const char *type, size_t length)
{
    for (const char *p = text; (p = strstr(p, "OpTypeInt")) != NULL; p += 9) {
        const char *line = p;
        unsigned width, is_signed;
        while (line > text && line[-1] != '\n')
            line--;
        line += strspn(line, " \t");
        if (strncmp(line, type, length) == 0 && strchr(" \t=", line[length]) &&
            sscanf(p + 9, "%u %u", &width, &is_signed) == 2 && width <= 64 && width && !is_signed)
            return width;
    }
    return 0;
}

static char *without_negatives(struct ex *ex, const char *text)
{
    size_t room = strlen(text) * 2 + 64, at = 0;
    char *out = ex_alloc(ex, room);
    for (const char *p = text; *p && at + 32 < room;) {
        static const char *const words[] = {"OpConstant ", "OpSpecConstant "};
        const char *found = NULL;
        for (int i = 0; i < 2 && !found; i++)
            found = strncmp(p, words[i], strlen(words[i])) == 0 ? p + strlen(words[i]) : NULL;
        const char *type = found ? found + strspn(found, " \t") : NULL;
        size_t length = type ? strcspn(type, " \t\n") : 0;
        const char *number = type ? type + length + strspn(type + length, " \t") : NULL;
        unsigned width = number && *number == '-' ? unsigned_width(text, type, length) : 0;
        if (!width) {
            out[at++] = *p++;
            continue;
        }
        char *end;
        uint64_t value = 0 - (uint64_t)strtoull(number + 1, &end, 0);
        value &= width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
        memcpy(out + at, p, (size_t)(number - p));
        at += (size_t)(number - p);
        at += (size_t)snprintf(out + at, room - at, "%llu", (unsigned long long)value);
        p = end;
    }
    return out;
}

/* Text with names for the ids that the header lines mention, so that they are found again. */
static char *with_names(struct ex *ex, size_t size, size_t *new_size)
{
    size_t room = size + 16;
    for (uint32_t i = 0; i < ex->input_count; i++)
        room += 2 * strlen(ex->inputs[i].name) + 32;
    char *text = ex_alloc(ex, room);
    memcpy(text, ex->text, size);
    size_t at = size;
    text[at++] = '\n';
    for (uint32_t i = 0; i < ex->input_count; i++)
        at += (size_t)snprintf(text + at, room - at, "OpName %%%s \"refcl.input.%s\"\n", ex->inputs[i].name,
                               ex->inputs[i].name);
    *new_size = at;
    return text;
}

static spv_result_t on_header(void *user, spv_endianness_t endian, uint32_t magic, uint32_t version,
                              uint32_t generator, uint32_t bound, uint32_t reserved)
{
    struct ex *ex = user;
    (void)endian, (void)magic, (void)version, (void)generator, (void)reserved;
    ex->bound = bound;
    if (bound > MAX_BOUND) {
        mm_fail(ex->err, MM_LIMIT, "explore.bound", "the module has more than %d ids", MAX_BOUND);
        return SPV_ERROR_INVALID_BINARY;
    }
    return SPV_SUCCESS;
}

static bool grow_insts(struct ex *ex)
{
    if (ex->inst_count < ex->inst_capacity)
        return true;
    uint32_t capacity = ex->inst_capacity ? ex->inst_capacity * 2 : 256;
    struct ex_inst *bigger = mm_arena_alloc(ex->arena, capacity * sizeof *bigger);
    if (!bigger)
        return false;
    if (ex->inst_count)
        memcpy(bigger, ex->insts, ex->inst_count * sizeof *bigger);
    ex->insts = bigger;
    ex->inst_capacity = capacity;
    return true;
}

/* The place of an instruction: its line of the text, or what OpLine says. [SPIRV 3.49.2] */
static void find_place(struct ex *ex, struct ex_inst *inst)
{
    if (inst->opcode == SpvOpLine && inst->count > 2) {
        ex->line = inst->words[1];
        ex->column = inst->words[2];
    } else if (inst->opcode == SpvOpNoLine || inst->opcode == SpvOpFunctionEnd) {
        ex->line = ex->column = 0;
    }
    bool in_text = ex->inst_count < ex->line_count;
    inst->line = in_text ? ex->lines[ex->inst_count] : ex->line;
    inst->column = in_text ? 0 : ex->column;
}

static spv_result_t on_instruction(void *user, const spv_parsed_instruction_t *parsed)
{
    struct ex *ex = user;
    bool has_result = false, has_type = false;
    SpvHasResultAndType((SpvOp)parsed->opcode, &has_result, &has_type);
    uint32_t skip = 1U + has_result + has_type;
    uint32_t count = parsed->num_words - skip;
    uint32_t *words = mm_arena_alloc(ex->arena, (count + 1) * sizeof *words);
    if (!words || !grow_insts(ex)) {
        mm_fail(ex->err, MM_LIMIT, "memory", "out of memory");
        return SPV_ERROR_OUT_OF_MEMORY;
    }
    memcpy(words, parsed->words + skip, count * sizeof *words);
    struct ex_inst *inst = &ex->insts[ex->inst_count];
    *inst = (struct ex_inst){.opcode = parsed->opcode,
                             .count = (uint16_t)count,
                             .type = has_type ? parsed->type_id : 0,
                             .result = has_result ? parsed->result_id : 0,
                             .words = words};
    find_place(ex, inst);
    ex->inst_count++;
    return SPV_SUCCESS;
}

/* Results of shaders are in memory that all work-items share, as they are for exploring. */
static void share_output(uint32_t *inst)
{
    uint32_t op = *inst & 0xFFFF, at = op == SpvOpTypePointer ? 2 : 3;
    if ((op == SpvOpTypePointer || op == SpvOpVariable) && *inst >> 16 > at &&
        inst[at] == SpvStorageClassOutput)
        inst[at] = SpvStorageClassCrossWorkgroup;
}

/* The module for the interpreter: without names, as none may stand where with_names put them. */
static void keep_words(struct ex *ex, const uint32_t *words, size_t count)
{
    uint32_t *kept = ex_alloc(ex, count * sizeof *kept);
    size_t at = 5; /* the header */
    memcpy(kept, words, at * sizeof *kept);
    ex->word_count = at;
    for (size_t length; at < count; at += length) {
        length = words[at] >> 16 ? words[at] >> 16 : count - at;
        if ((words[at] & 0xFFFF) == SpvOpName || length > count - at)
            continue;
        memcpy(kept + ex->word_count, words + at, length * sizeof *kept);
        share_output(kept + ex->word_count);
        ex->word_count += length;
    }
    ex->words = kept;
}

static bool parse_words(struct ex *ex, spv_context context, const uint32_t *words, size_t count)
{
    spv_diagnostic diagnostic = NULL;
    spv_result_t r = spvBinaryParse(context, ex, words, count, on_header, on_instruction, &diagnostic);
    if (r != SPV_SUCCESS && ex->err->cls == MM_OK)
        mm_fail_at(ex->err, MM_INVALID, "SPIRV 2.3", ex->file, 0, 0, "not a SPIR-V module: %s",
                   diagnostic ? diagnostic->error : "malformed");
    spvDiagnosticDestroy(diagnostic);
    return r == SPV_SUCCESS;
}

static bool assemble(struct ex *ex, spv_context context, const char *text, size_t size)
{
    spv_diagnostic diagnostic = NULL;
    spv_binary binary = NULL;
    spv_result_t r = spvTextToBinary(context, text, size, &binary, &diagnostic);
    if (r != SPV_SUCCESS)
        mm_fail_at(ex->err, MM_INVALID, "spirv.text", ex->file,
                   diagnostic ? (unsigned)diagnostic->position.line + 1 : 0,
                   diagnostic ? (unsigned)diagnostic->position.column + 1 : 0, "%s",
                   diagnostic ? diagnostic->error : "not SPIR-V text");
    bool ok = r == SPV_SUCCESS && parse_words(ex, context, binary->code, binary->wordCount);
    if (ok)
        keep_words(ex, binary->code, binary->wordCount);
    spvDiagnosticDestroy(diagnostic);
    spvBinaryDestroy(binary);
    return ok;
}

/* ---- ids ---------------------------------------------------------------------------------------- */

static struct ex_id *id_at(struct ex *ex, uint32_t id)
{
    if (id == 0 || id >= ex->bound)
        ex_fail(ex, MM_INVALID, "SPIRV 2.3", "id %u is out of bounds", id);
    return &ex->ids[id];
}

static const char *string_at(struct ex *ex, const struct ex_inst *inst, uint32_t at)
{
    uint32_t words = inst->count > at ? inst->count - at : 0;
    char *text = ex_alloc(ex, words * sizeof(uint32_t) + 1);
    if (words)
        memcpy(text, inst->words + at, words * sizeof(uint32_t));
    return text;
}

static void decorate(struct ex *ex, const struct ex_inst *inst)
{
    struct ex_id *id = id_at(ex, inst->words[0]);
    switch (inst->words[1]) {
    case SpvDecorationBuiltIn:
        id->builtin = (int32_t)inst->words[2];
        break;
    case SpvDecorationArrayStride:
        id->stride = inst->words[2];
        break;
    case SpvDecorationCPacked:
        id->packed = true;
        break;
    case SpvDecorationSaturatedConversion:
        id->saturated = true;
        break;
    case SpvDecorationFPRoundingMode:
        id->rounding = inst->count > 2 && inst->words[2] < 4 ? (uint8_t)(inst->words[2] + 1) : 0;
        break;
    default:
        break;
    }
}

static void note_name(struct ex *ex, const struct ex_inst *inst)
{
    static const char prefix[] = "refcl.input.";
    const char *name = string_at(ex, inst, 1);
    struct ex_id *id = id_at(ex, inst->words[0]);
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) {
        id->name = name;
        return;
    }
    for (uint32_t i = 0; i < ex->input_count; i++)
        if (strcmp(ex->inputs[i].name, name + sizeof prefix - 1) == 0)
            ex->inputs[i].id = inst->words[0];
}

static void note_function(struct ex *ex, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < ex->inst_count && ex->insts[end].opcode != SpvOpFunctionEnd)
        end++;
    if (end == ex->inst_count)
        ex_fail(ex, MM_INVALID, "SPIRV 2.4", "a function has no end");
    ex->functions[ex->function_count] = (struct ex_function){ex->insts[first].result, first, end + 1};
    id_at(ex, ex->insts[first].result)->function = ++ex->function_count;
}

/* First pass: what can stand anywhere or refers forward. */
static void collect(struct ex *ex)
{
    uint32_t functions = 0, entries = 0;
    for (uint32_t i = 0; i < ex->inst_count; i++) {
        functions += ex->insts[i].opcode == SpvOpFunction;
        entries += ex->insts[i].opcode == SpvOpEntryPoint;
    }
    ex->functions = ex_alloc(ex, functions * sizeof *ex->functions);
    ex->entries = ex_alloc(ex, entries * sizeof *ex->entries);
    for (uint32_t i = 0; i < ex->inst_count; i++) {
        const struct ex_inst *inst = &ex->insts[i];
        ex->current = inst;
        if (inst->result)
            id_at(ex, inst->result)->inst = inst;
        if (inst->result && inst->type)
            ex->ids[inst->result].type_id = inst->type;
        if (inst->opcode == SpvOpEntryPoint)
            ex->entries[ex->entry_count++] = (struct ex_entry){inst->words[1], string_at(ex, inst, 2)};
        else if (inst->opcode == SpvOpMemoryModel)
            ex->vulkan = inst->words[1] != SpvMemoryModelOpenCL;
        else if (inst->opcode == SpvOpName)
            note_name(ex, inst);
        else if (inst->opcode == SpvOpDecorate && inst->count > 1)
            decorate(ex, inst);
        else if (inst->opcode == SpvOpFunction)
            note_function(ex, i);
    }
}

/* Member offsets, once all types are known: they come before the types. */
static void place_members(struct ex *ex)
{
    for (uint32_t i = 0; i < ex->inst_count; i++) {
        const struct ex_inst *inst = &ex->insts[i];
        if (inst->opcode == SpvOpTypeStruct || inst->opcode == SpvOpFunction)
            break;
        if (inst->opcode != SpvOpMemberDecorate || inst->count < 4 || inst->words[2] != SpvDecorationOffset)
            continue;
        struct ex_id *id = id_at(ex, inst->words[0]);
        if (!id->type) {
            id->type = ex_alloc(ex, sizeof *id->type);
            id->type->offsets = NULL;
        }
        uint32_t member = inst->words[1];
        if (member >= 4096)
            ex_fail(ex, MM_LIMIT, "explore.struct", "a structure has more than 4096 members");
        if (!id->type->offsets) {
            id->type->offsets = ex_alloc(ex, 4096 * sizeof *id->type->offsets);
            memset(id->type->offsets, 0xFF, 4096 * sizeof *id->type->offsets);
        }
        id->type->offsets[member] = inst->words[3];
    }
}

/* Names that the text does not define as ids are those of the source. */
void ex_find_names(struct ex *ex)
{
    for (uint32_t i = 0; i < ex->input_count; i++)
        for (uint32_t id = 1; id < ex->bound && !ex->inputs[i].id; id++)
            if (ex->ids[id].inst && ex->ids[id].name && strcmp(ex->ids[id].name, ex->inputs[i].name) == 0 &&
                (ex->ids[id].inst->opcode == SpvOpVariable ||
                 ex->ids[id].inst->opcode == SpvOpFunctionParameter ||
                 ex->ids[id].inst->opcode == SpvOpSpecConstant))
                ex->inputs[i].id = id;
}

void ex_decode(struct ex *ex, const uint32_t *words, size_t count)
{
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    bool ok;
    if (ex->text) {
        size_t size = strlen(ex->text), new_size;
        find_lines(ex, size);
        char *text = with_names(ex, size, &new_size);
        text[new_size] = 0;
        drop_sources(text);
        text = without_negatives(ex, text);
        ok = assemble(ex, context, text, strlen(text));
    } else {
        ok = parse_words(ex, context, words, count);
        keep_words(ex, words, count);
    }
    spvContextDestroy(context);
    if (!ok)
        longjmp(ex->failed, 1);
    ex->ids = ex_alloc(ex, (ex->bound + (size_t)1) * sizeof *ex->ids);
    for (uint32_t i = 0; i < ex->bound; i++)
        ex->ids[i].builtin = -1;
    collect(ex);
    place_members(ex);
    ex->current = NULL;
}

enum mm_class ex_read(const void *data, size_t size, const char *file, struct ex **out, struct mm_error *err)
{
    struct mm_arena *arena = mm_arena_create();
    struct ex *ex = arena ? mm_arena_alloc(arena, sizeof *ex) : NULL;
    uint32_t magic = 0;
    *out = NULL;
    *err = (struct mm_error){0};
    if (!ex) {
        mm_arena_destroy(arena);
        return mm_fail(err, MM_LIMIT, "memory", "out of memory");
    }
    ex->arena = arena;
    ex->err = err;
    ex->file = file;
    for (int i = 0; i < 3; i++)
        ex->launch.global[i] = ex->launch.local[i] = 1;
    ex->launch.sub_group = 1;
    if (setjmp(ex->failed)) {
        ex_destroy(ex);
        return err->cls;
    }
    if (size >= 4)
        memcpy(&magic, data, sizeof magic);
    if (magic == SpvMagicNumber || __builtin_bswap32(magic) == SpvMagicNumber) {
        uint32_t *words = ex_alloc(ex, size);
        memcpy(words, data, size);
        ex_decode(ex, words, size / sizeof *words);
    } else {
        char *text = ex_alloc(ex, size + 1);
        memcpy(text, data, size);
        if (strlen(text) != size)
            ex_fail(ex, MM_INVALID, "spirv.text", "neither a SPIR-V binary nor SPIR-V text");
        ex->text = text;
        ex_read_headers(ex);
        ex_decode(ex, NULL, 0);
    }
    *out = ex;
    return MM_OK;
}

void ex_destroy(struct ex *ex)
{
    if (!ex)
        return;
    ck_program_destroy(ex->program);
    ck_condition_destroy(ex->condition);
    mm_arena_destroy(ex->arena);
}
