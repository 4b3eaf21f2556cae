/* Programs of a layer's trace as modules, and the post-dominators of their blocks. */
#include "interp/module/flow.h"
#include "memmodel/base/array.h"
#include "ref-runtime/compiler/compiler.h"
#include "ref-runtime/runtime.h"
#include "tools/footprint/run.h"

#include <pthread.h>
#include <spirv/unified1/OpenCL.std.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- modules ------------------------------------------------------------------------------------- */

/* Compiles OpenCL C with the options of the program's build. */
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
    return in_is_atomic(opcode) && opcode != SpvOpAtomicStore && opcode != SpvOpAtomicFlagClear;
}

static bool number_instructions(struct fp_module *m)
{
    size_t words;
    in_spirv_words(m->module, &words);
    m->numbers = mm_alloc_zero(words + 1, sizeof *m->numbers);
    m->instructions = mm_alloc_zero(words + 1, sizeof *m->instructions);
    m->types = mm_alloc_zero(in_spirv_bound(m->module), sizeof *m->types);
    m->post_dominators = mm_alloc_zero(in_spirv_bound(m->module), sizeof *m->post_dominators);
    m->repeated = mm_alloc_zero(in_spirv_bound(m->module), sizeof *m->repeated);
    struct in_inst inst = {0};
    bool known = m->numbers && m->instructions && m->types && m->post_dominators && m->repeated;
    while (known && in_spirv_next(m->module, &inst)) {
        m->numbers[inst.word] = inst.number;
        m->instructions[inst.number] = inst;
        const struct in_id *type = inst.result ? in_spirv_id(m->module, inst.type) : NULL;
        if (type)
            m->types[inst.result] = type->ty;
        m->has_atomics |= reads_atomically(inst.opcode);
        m->prints |= inst.opcode == SpvOpExtInst && inst.operands[1] == OpenCLstd_Printf;
    }
    return known;
}

static bool decode_module(struct fp_module *m, const void *words, size_t size)
{
    struct in_spirv_options options = {.name = "program"};
    struct mm_error err = {0};
    if (in_spirv_read(words, size, &options, &m->module, &err) != MM_OK) {
        m->module = NULL;
        return false;
    }
    return in_spirv_declare(m->module, NULL, &err) == MM_OK && number_instructions(m);
}

static void analyze_module(struct fp_module *m)
{
    struct ly_program_head head;
    memcpy(&head, m->bytes, sizeof head);
    const char *text = (const char *)m->bytes + sizeof head;
    size_t size = m->size - sizeof head;
    struct rt_binary binary = {0};
    struct mm_error err = {0};
    bool known = false;
    if (head.kind == LY_PROGRAM_IL)
        known = in_spirv_validate(text, size, "program", &err) == MM_OK && decode_module(m, text, size);
    if (head.kind == LY_PROGRAM_SOURCE && compile_text(text, size, m->number, &binary))
        known = decode_module(m, binary.data, binary.size);
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
    if (!m && (m = mm_alloc_zero(1, sizeof *m)) && (m->bytes = mm_alloc(size))) {
        memcpy(m->bytes, bytes, size);
        m->size = size;
        m->number = ++count;
        m->next = modules;
        modules = m;
        analyze_module(m);
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

struct fp_block {
    uint32_t label, word, end; /* its id; words of OpLabel and the terminator */
};

static bool find_blocks(const struct in_module *module, const struct in_function *function,
                        struct fp_block **blocks, uint32_t *count)
{
    bool good = true;
    for (uint32_t word = function->word; word < function->end && good;) {
        struct in_inst inst;
        in_inst_at(module, word, &inst);
        if (inst.opcode == SpvOpLabel)
            good = mm_append(blocks, count, (&(struct fp_block){.label = inst.result, .word = word}));
        else if (*count && in_is_terminator(inst.opcode))
            (*blocks)[*count - 1].end = word;
        word += inst.count;
    }
    return good;
}

/* The next label among the operands of terminator T from *K on, which is advanced; 0: there is none.
 * Literals of a switch that look like labels of FUNCTION count. */
static uint32_t next_target(const struct in_module *module, const struct in_function *function,
                            const struct in_inst *t, uint32_t *k)
{
    bool conditional = t->opcode == SpvOpBranchConditional;
    if (t->opcode != SpvOpBranch && !conditional && t->opcode != SpvOpSwitch)
        return 0;
    if (*k == 0 && t->opcode != SpvOpBranch)
        *k = 1;                                         /* after the condition or selector */
    while (*k < (conditional ? 3 : t->operand_count)) { /* no weights */
        uint32_t label = t->operands[(*k)++];
        const struct in_id *id = in_spirv_id(module, label);
        if (id && id->kind == IN_ID_LABEL && id->word >= function->word && id->word < function->end)
            return label;
    }
    return 0;
}

/* Adds the edges into BLOCK to the reversed graph, whose node 0 is the end of the function; NODES: of blocks,
 * by label. */
static bool add_reversed_edges(const struct in_module *module, const struct in_function *function,
                               const struct fp_block *block, const uint32_t *nodes, struct in_flow *flow)
{
    struct in_inst end;
    uint32_t k = 0, node = nodes[block->label], label;
    bool any = false, good = true;
    in_inst_at(module, block->end, &end);
    while (good && (label = next_target(module, function, &end, &k))) {
        any = true;
        good = in_flow_add_edge(flow, nodes[label], node);
    }
    return good && (any || in_flow_add_edge(flow, 0, node));
}

/* Computes the immediate post-dominators of all blocks of FUNCTION. */
static void find_post_dominators(const struct fp_module *m, const struct in_function *function)
{
    struct fp_block *blocks = NULL;
    uint32_t count = 0, *dominator = NULL, *nodes = mm_alloc_zero(in_spirv_bound(m->module), sizeof *nodes);
    struct in_flow flow = {0};
    bool good =
        nodes && find_blocks(m->module, function, &blocks, &count) && in_flow_create(&flow, count + 1);
    for (uint32_t i = 0; i < count && good; i++)
        nodes[blocks[i].label] = i + 1;
    for (uint32_t i = 0; i < count && good; i++)
        good = add_reversed_edges(m->module, function, &blocks[i], nodes, &flow);
    good = good && in_flow_sort(&flow) && (dominator = mm_alloc(flow.count * sizeof *dominator));
    if (good)
        in_flow_dominators(&flow, dominator);
    for (uint32_t i = 0; i < count && good; i++) {
        uint32_t next = dominator[i + 1];
        m->post_dominators[blocks[i].label] =
            1 + (next != IN_FLOW_NONE && next != 0 ? blocks[next - 1].word : 0);
    }
    mm_free(dominator);
    mm_free(nodes);
    in_flow_destroy(&flow);
    mm_free(blocks);
}

uint32_t fp_post_dominator(const struct fp_module *m, const struct in_function *function, uint32_t block)
{
    if (!m->post_dominators[block])
        find_post_dominators(m, function);
    return m->post_dominators[block] ? m->post_dominators[block] - 1 : 0; /* 0: also without memory */
}

/* ---- repeated blocks ------------------------------------------------------------------------------ */

/* Appends the labels of the blocks that a path from BLOCK reaches before its post-dominator; SEEN: by
 * label. */
static bool reach_blocks(const struct fp_module *m, const struct in_function *function, uint32_t block,
                         struct fp_blocks *reached, bool *seen)
{
    uint32_t stop = fp_post_dominator(m, function, block), k, label;
    bool good = true;
    for (uint32_t next = 0; good; next++) {
        const struct in_inst *inst = &m->instructions[m->numbers[in_spirv_id(m->module, block)->word]];
        while (!in_is_terminator(inst->opcode))
            inst++;
        for (k = 0; good && (label = next_target(m->module, function, inst, &k));) {
            if (!seen[label] && in_spirv_id(m->module, label)->word != stop)
                good = mm_append(&reached->labels, &reached->count, &label);
            seen[label] = true;
        }
        if (next == reached->count)
            break;
        block = reached->labels[next];
    }
    return good;
}

const struct fp_blocks *fp_repeated_blocks(const struct fp_module *m, const struct in_function *function,
                                           uint32_t block)
{
    struct fp_blocks *blocks = &m->repeated[block];
    if (blocks->known)
        return blocks;
    bool *seen = mm_alloc_zero(in_spirv_bound(m->module), sizeof *seen);
    blocks->known = seen && reach_blocks(m, function, block, blocks, seen);
    if (!blocks->known || !seen[block]) {
        mm_free(blocks->labels);
        *blocks = (struct fp_blocks){.known = blocks->known};
    }
    mm_free(seen);
    return blocks->known ? blocks : NULL;
}
