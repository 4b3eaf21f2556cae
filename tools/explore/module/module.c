/* SPIR-V modules for exploring: assembling, and the table of instructions.  [SPIRV 2.3, 2.4] */
#include "tools/explore/module/module.h"
#include "checker/program/condition.h"
#include "tools/explore/inputs/inputs.h"
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
    const struct in_inst *place = cls == MM_LIMIT ? ex_nearest_place(ex, ex->current) : ex->current;
    mm_fail_at(ex->err, cls, rule, ex->module.file, place ? place->line : 0, place ? place->column : 0, "%s",
               text);
    longjmp(ex->failed, 1);
}

void ex_fail_option(struct ex *ex, const char *option, unsigned column, const char *message)
{
    mm_fail_at(ex->err, MM_INVALID, "explore.arguments", option, 0, column, "%s", message);
    longjmp(ex->failed, 1);
}

void *ex_alloc(struct ex *ex, size_t size)
{
    void *p = mm_arena_alloc(ex->arena, size ? size : 1);
    if (!p)
        ex_no_memory(ex);
    return p;
}

void ex_no_memory(struct ex *ex)
{
    ex_fail(ex, MM_LIMIT, "memory", "out of memory");
}

uint32_t ex_check_added(struct ex *ex, uint32_t index)
{
    if (index == CK_NOT_ADDED)
        ex_no_memory(ex);
    return index;
}

void *ex_grow(struct ex *ex, void *array, uint32_t count, size_t item)
{
    if (count & (count - 1))
        return array;
    void *bigger = ex_alloc(ex, (count ? 2 * (size_t)count : 1) * item);
    if (count)
        memcpy(bigger, array, count * item);
    return bigger;
}

/* ---- the text ----------------------------------------------------------------------------------- */

/* Returns the number of instructions of TEXT, and their line numbers in *LINES. */
static uint32_t find_lines(struct ex *ex, const char *text, uint32_t **lines)
{
    uint32_t line = 1, count = 0;
    *lines = NULL;
    for (const char *p = text; p && *p; line++) {
        const char *end = strchr(p, '\n');
        const char *op = p + strspn(p, " \t\r");
        if (*op == '%') {
            const char *equal = op + strcspn(op, "=\n;");
            op = *equal == '=' ? equal + 1 + strspn(equal + 1, " \t") : equal;
        }
        if (strncmp(op, "Op", 2) == 0 && strncmp(op, "OpSource ", 9) != 0) {
            *lines = ex_grow(ex, *lines, count, sizeof **lines);
            (*lines)[count++] = line;
        }
        p = end ? end + 1 : NULL;
    }
    return count;
}

/* Blanks OpSource lines: the assembler may not know the language, and execution does not depend on it. */
static void drop_sources(char *text)
{
    for (char *p = text; p && *p; p = strchr(p, '\n'), p += p != NULL) {
        char *op = p + strspn(p, " \t\r");
        if (strncmp(op, "OpSource ", 9) == 0)
            memset(op, ' ', strcspn(op, "\n"));
    }
}

/* The width of the unsigned integer TYPE (LENGTH characters); 0: it is not one. */
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

/* Replaces negative constants of unsigned types, which the assembler rejects, by the numbers with the same
 * bits. */
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

/* TEXT with a decoration for each id that header lines name, by which find_inputs() finds them. */
#define INPUT_PREFIX "refcl.input."
static char *with_inputs(struct ex *ex, const char *text)
{
    size_t at = strlen(text), room = at + 16;
    for (uint32_t i = 0; i < ex->config.input_count; i++)
        room += 2 * strlen(ex->config.inputs[i].name) + 64;
    char *out = ex_alloc(ex, room);
    memcpy(out, text, at);
    out[at++] = '\n';
    for (uint32_t i = 0; i < ex->config.input_count; i++)
        at += (size_t)snprintf(out + at, room - at,
                               "OpDecorateString %%%s UserSemantic \"" INPUT_PREFIX "%s\"\n",
                               ex->config.inputs[i].name, ex->config.inputs[i].name);
    return out;
}

/* Outputs of shaders become global memory, as in the program. */
static void share_output(uint32_t *inst)
{
    uint32_t op = *inst & 0xFFFF, at = op == SpvOpTypePointer ? 2 : 3;
    if ((op == SpvOpTypePointer || op == SpvOpVariable) && *inst >> 16 > at &&
        inst[at] == SpvStorageClassOutput)
        inst[at] = SpvStorageClassCrossWorkgroup;
}

/* The module for the interpreter: without names, and without decorations where with_inputs put them. */
static void keep_words(struct ex *ex)
{
    size_t count, at = 5; /* the header */
    const uint32_t *words = in_spirv_words(ex->module.decoded, &count);
    uint32_t *kept = ex_alloc(ex, count * sizeof *kept);
    memcpy(kept, words, at * sizeof *kept);
    for (const struct in_inst *i = ex->module.insts; i->word < count; i++) {
        if (i->opcode == SpvOpName || i->opcode == SpvOpDecorateString)
            continue;
        memcpy(kept + at, i->w, i->count * sizeof *kept);
        share_output(kept + at);
        at += i->count;
    }
    ex->module.words = kept;
    ex->module.word_count = at;
}

/* ---- decoding ----------------------------------------------------------------------------------- */

static void list_instructions(struct ex *ex)
{
    struct ex_module *m = &ex->module;
    struct in_inst i = {0}, *list;
    size_t words;
    while (in_spirv_next(m->decoded, &i))
        m->inst_count++;
    m->insts = list = ex_alloc(ex, (m->inst_count + (size_t)1) * sizeof *list);
    m->bound = in_spirv_bound(m->decoded);
    m->definitions = ex_alloc(ex, (m->bound + (size_t)1) * sizeof *m->definitions);
    m->shapes = ex_alloc(ex, (m->bound + (size_t)1 + EX_EXTRA_TYPES) * sizeof *m->shapes);
    for (i = (struct in_inst){0}; in_spirv_next(m->decoded, &i);) {
        list[i.number] = i;
        if (i.result)
            m->definitions[i.result] = &list[i.number];
    }
    in_spirv_words(m->decoded, &words);
    list[m->inst_count].word = (uint32_t)words;
}

const struct in_inst *ex_definition(const struct ex *ex, uint32_t id)
{
    return id < ex->module.bound ? ex->module.definitions[id] : NULL;
}

const struct in_inst *ex_first(const struct ex *ex, const struct in_function *function)
{
    return ex->module.definitions[function->id];
}

static void decode_module(struct ex *ex, const void *words, size_t size, const uint32_t *lines,
                          uint32_t line_count)
{
    const struct in_spirv_options options = {
        .name = ex->module.file, .bound_limit = MAX_BOUND, .lines = lines, .line_count = line_count};
    if (in_spirv_read(words, size, &options, &ex->module.decoded, ex->err) != MM_OK)
        longjmp(ex->failed, 1);
    ex->module.vulkan = in_spirv_memory_model(ex->module.decoded) != SpvMemoryModelOpenCL;
    list_instructions(ex);
    keep_words(ex);
}

/* ---- names -------------------------------------------------------------------------------------- */

/* Sets the ids of the inputs that with_inputs() decorated. */
static void find_inputs(struct ex *ex)
{
    const size_t length = strlen(INPUT_PREFIX);
    for (const struct in_inst *i = ex->module.insts; i < ex->module.insts + ex->module.inst_count; i++) {
        const char *name = i->opcode == SpvOpDecorateString ? (const char *)(i->operands + 2) : "";
        for (uint32_t k = 0; strncmp(name, INPUT_PREFIX, length) == 0 && k < ex->config.input_count; k++)
            if (strcmp(ex->config.inputs[k].name, name + length) == 0)
                ex->config.inputs[k].id = i->operands[0];
    }
}

void ex_find_names(struct ex *ex)
{
    for (uint32_t i = 0; i < ex->config.input_count; i++)
        for (uint32_t id = 1; id < ex->module.bound && !ex->config.inputs[i].id; id++) {
            const struct in_inst *inst = ex_definition(ex, id);
            if (inst && strcmp(ex_id(ex, id)->name, ex->config.inputs[i].name) == 0 &&
                (inst->opcode == SpvOpVariable || inst->opcode == SpvOpFunctionParameter ||
                 inst->opcode == SpvOpSpecConstant))
                ex->config.inputs[i].id = id;
        }
}

static void assemble_program(struct ex *ex)
{
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    spv_diagnostic diagnostic = NULL;
    spv_binary binary = NULL;
    uint32_t *lines, line_count = find_lines(ex, ex->module.text, &lines), *words = NULL;
    char *text = with_inputs(ex, ex->module.text);
    drop_sources(text);
    text = without_negatives(ex, text);
    size_t size = 0;
    spv_result_t r = spvTextToBinary(context, text, strlen(text), &binary, &diagnostic);
    if (r == SPV_SUCCESS) {
        size = binary->wordCount * sizeof *words;
        words = mm_arena_alloc(ex->arena, size);
    }
    if (words)
        memcpy(words, binary->code, size);
    else
        mm_fail_at(ex->err, MM_INVALID, "spirv.text", ex->module.file,
                   diagnostic ? (unsigned)diagnostic->position.line + 1 : 0,
                   diagnostic ? (unsigned)diagnostic->position.column + 1 : 0, "%s",
                   diagnostic ? diagnostic->error : "not SPIR-V text");
    spvDiagnosticDestroy(diagnostic);
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    if (!words)
        longjmp(ex->failed, 1);
    decode_module(ex, words, size, lines, line_count);
}

static void read_module(struct ex *ex, const void *data, size_t size)
{
    if (in_spirv_is(data, size)) {
        if (in_spirv_validate(data, size, ex->module.file, ex->err) != MM_OK)
            longjmp(ex->failed, 1);
        decode_module(ex, data, size, NULL, 0);
        return;
    }
    if (size >= 8 && memcmp(data, "REFCLCAP", 8) == 0)
        ex_fail(
            ex, MM_INVALID, "explore.input",
            "a captured launch, which refcl kernel executes; exploring takes OpenCL C or SPIR-V with --arg");
    char *text = ex_alloc(ex, size + 1);
    memcpy(text, data, size);
    if (strlen(text) != size)
        ex_fail(ex, MM_INVALID, "spirv.text", "neither a SPIR-V binary nor SPIR-V text");
    ex->module.text = text;
    ex_read_headers(ex);
    assemble_program(ex);
    find_inputs(ex);
}

enum mm_class ex_read(const void *data, size_t size, const char *file, struct ex **out, struct mm_error *err)
{
    struct mm_arena *arena = mm_arena_create();
    struct ex *ex = arena ? mm_arena_alloc(arena, sizeof *ex) : NULL;
    *out = NULL;
    *err = (struct mm_error){0};
    if (!ex) {
        mm_arena_destroy(arena);
        return mm_out_of_memory(err);
    }
    ex->arena = arena;
    ex->err = err;
    ex->module.file = file;
    if (setjmp(ex->failed)) {
        ex_destroy(ex);
        return err->cls;
    }
    read_module(ex, data, size);
    *out = ex;
    return MM_OK;
}

void ex_destroy(struct ex *ex)
{
    if (!ex)
        return;
    ck_program_destroy(ex->program);
    ck_condition_destroy(ex->condition);
    mm_map_clear(&ex->build.exprs);
    in_module_release(ex->module.decoded);
    mm_arena_destroy(ex->arena);
}
