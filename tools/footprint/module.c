/* Programs of a layer's trace as modules, and the post-dominators of their blocks. */
#include "memmodel/base/array.h"
#include "ref-runtime/compiler/compiler.h"
#include "ref-runtime/runtime.h"
#include "tools/footprint/evaluate.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- modules ------------------------------------------------------------------------------------- */

/* OpenCL C with the options of the program's build. */
static bool compile_text(const char *text, size_t size, unsigned number, struct rt_binary *binary)
{
    size_t options = strnlen(text, size);
    char file[32], *log = NULL;
    struct mm_error err = {0};
    if (options + 1 >= size)
        return false;
    snprintf(file, sizeof file, "program%u.cl", number);
    struct rt_compile_request request = {.source = text + options + 1,
                                         .source_size = strnlen(text + options + 1, size - options - 1),
                                         .file = file,
                                         .options = text,
                                         .extensions = rt_extension_names(true),
                                         .features = rt_feature_names(true)};
    bool done = rt_compile(&request, binary, &log, &err) == MM_OK;
    mm_free(log);
    return done;
}

static bool reads_atomically(uint32_t opcode)
{
    return opcode == SpvOpAtomicLoad || (opcode >= SpvOpAtomicExchange && opcode <= SpvOpAtomicXor) ||
           opcode == SpvOpAtomicFlagTestAndSet;
}

static bool number_instructions(struct fp_module *m)
{
    size_t words;
    in_spirv_words(m->module, &words);
    m->numbers = mm_alloc_zero(words + 1, sizeof(*m->numbers));
    m->places = mm_alloc_zero(words + 1, sizeof(*m->places));
    m->types = mm_alloc_zero(in_spirv_bound(m->module), sizeof(*m->types));
    struct in_inst inst = {0};
    while (m->numbers && m->places && m->types && in_spirv_next(m->module, &inst)) {
        m->numbers[inst.word] = inst.number;
        m->places[inst.number] = (struct fp_place){inst.line, inst.column};
        const struct in_id *type = inst.result ? in_spirv_id(m->module, inst.type) : NULL;
        if (type)
            m->types[inst.result] = type->ty;
        m->has_atomics |= reads_atomically(inst.opcode);
    }
    return m->numbers && m->places && m->types;
}

static bool decode(struct fp_module *m, const void *words, size_t size)
{
    struct in_spirv_options options = {.name = "program"};
    struct mm_error err = {0};
    if (in_spirv_read(words, size, &options, &m->module, &err) != MM_OK) {
        m->module = NULL;
        return false;
    }
    return in_spirv_declare(m->module, NULL, &err) == MM_OK && number_instructions(m);
}

static void analyze(struct fp_module *m)
{
    struct ly_program_head head;
    memcpy(&head, m->bytes, sizeof head);
    const char *text = (const char *)m->bytes + sizeof head;
    size_t size = m->size - sizeof head;
    struct rt_binary binary = {0};
    bool known = false;
    if (head.kind == LY_PROGRAM_IL)
        known = decode(m, text, size);
    if (head.kind == LY_PROGRAM_SOURCE && compile_text(text, size, m->number, &binary))
        known = decode(m, binary.data, binary.size);
    mm_free(binary.data);
    if (!known)
        m->module = NULL; /* what was read of it stays: this is rare */
}

struct fp_module *fp_module_find(const void *bytes, size_t size)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct fp_module *modules;
    static uint32_t count;
    if (size < sizeof(struct ly_program_head))
        return NULL;
    pthread_mutex_lock(&lock);
    struct fp_module *m = modules;
    while (m && (m->size != size || memcmp(m->bytes, bytes, size) != 0))
        m = m->next;
    if (!m && (m = mm_alloc_zero(1, sizeof(*m))) && (m->bytes = mm_alloc(size))) {
        memcpy(m->bytes, bytes, size);
        m->size = size;
        m->number = ++count;
        m->next = modules;
        modules = m;
        analyze(m);
    }
    pthread_mutex_unlock(&lock);
    return m;
}

/* ---- call graph ----------------------------------------------------------------------------------- */

enum { MOST_FUNCTIONS = 1024 };
struct search {
    const struct in_module *module;
    uint32_t opcode;
    const struct in_function *seen[MOST_FUNCTIONS];
    size_t count;
};

static bool search_function(struct search *s, const struct in_function *function)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->seen[i] == function)
            return false;
    if (s->count == MOST_FUNCTIONS)
        return true;
    s->seen[s->count++] = function;
    for (uint32_t word = function->word; function->has_body && word < function->end;) {
        struct in_inst inst;
        in_inst_at(s->module, word, &inst);
        const struct in_function *called =
            inst.opcode == SpvOpFunctionCall ? in_spirv_function(s->module, inst.operands[0]) : NULL;
        if (inst.opcode == s->opcode || (called && search_function(s, called)))
            return true;
        word += inst.count;
    }
    return false;
}

bool fp_reaches(const struct in_module *module, const struct in_function *function, uint32_t opcode)
{
    struct search s = {.module = module, .opcode = opcode};
    return search_function(&s, function);
}

/* ---- post-dominators ------------------------------------------------------------------------------ */

enum { MOST_BLOCKS = 256, SET_WORDS = MOST_BLOCKS / 64 + 1 };
struct blocks {
    uint32_t labels[MOST_BLOCKS], words[MOST_BLOCKS]; /* of OpLabel */
    uint32_t ends[MOST_BLOCKS];                       /* words of terminators */
    size_t count;
    uint64_t after[MOST_BLOCKS][SET_WORDS]; /* post-dominators of the block, itself included */
};

static void find_blocks(const struct in_module *module, const struct in_function *function, struct blocks *b)
{
    b->count = 0;
    for (uint32_t word = function->word; word < function->end;) {
        struct in_inst inst;
        in_inst_at(module, word, &inst);
        if (inst.opcode == SpvOpLabel) {
            if (b->count == MOST_BLOCKS) {
                b->count = MOST_BLOCKS + 1;
                return;
            }
            b->labels[b->count] = inst.result;
            b->words[b->count++] = word;
        } else if (b->count && in_is_terminator(inst.opcode)) {
            b->ends[b->count - 1] = word;
        }
        word += inst.count;
    }
}

static size_t index_of(const struct blocks *b, uint32_t label)
{
    size_t i = 0;
    while (i < b->count && b->labels[i] != label)
        i++;
    return i;
}

/* The common post-dominators of the successors of block I; false: it has none. */
static bool meet_successors(const struct in_module *module, const struct blocks *b, size_t i,
                            uint64_t met[SET_WORDS])
{
    struct in_inst end;
    bool any = false;
    in_inst_at(module, b->ends[i], &end);
    memset(met, 0xff, SET_WORDS * sizeof(*met));
    uint32_t first = end.opcode == SpvOpBranch ? 0 : 1;
    uint32_t step = 1;
    if (end.opcode != SpvOpBranch && end.opcode != SpvOpBranchConditional && end.opcode != SpvOpSwitch)
        return false;
    for (uint32_t k = first; k < end.operand_count; k += step) {
        size_t to = index_of(b, end.operands[k]); /* weights and literals are no labels, or another block's */
        if (end.opcode == SpvOpBranchConditional && k > 2)
            break;
        if (to == b->count)
            continue;
        any = true;
        for (size_t w = 0; w < SET_WORDS; w++)
            met[w] &= b->after[to][w];
    }
    return any;
}

static void find_after(const struct in_module *module, struct blocks *b)
{
    memset(b->after, 0xff, sizeof b->after);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = b->count; i-- > 0;) {
            uint64_t met[SET_WORDS];
            if (!meet_successors(module, b, i, met))
                memset(met, 0, sizeof met);
            met[i / 64] |= UINT64_C(1) << i % 64;
            changed |= memcmp(met, b->after[i], sizeof met) != 0;
            memcpy(b->after[i], met, sizeof met);
        }
    }
}

static size_t size_of(const uint64_t set[SET_WORDS], size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += set[i / 64] >> i % 64 & 1;
    return n;
}

/* The nearest of those after a block has the most after it. */
uint32_t fp_meeting(const struct in_module *module, const struct in_function *function, uint32_t block)
{
    struct blocks *b = mm_alloc(sizeof(*b));
    uint32_t found = 0;
    size_t most = 0;
    if (!b)
        return 0;
    find_blocks(module, function, b);
    size_t at = b->count <= MOST_BLOCKS ? index_of(b, block) : b->count;
    if (at < b->count)
        find_after(module, b);
    for (size_t i = 0; at < b->count && i < b->count; i++) {
        size_t size = size_of(b->after[i], b->count);
        if (i != at && (b->after[at][i / 64] >> i % 64 & 1) && size > most) {
            most = size;
            found = b->words[i];
        }
    }
    mm_free(b);
    return found;
}
