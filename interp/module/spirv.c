/* The read interface (interp/spirv.h). */
#include "validate.h"
#include <string.h>

/* DEBUG: keep instructions that do not affect execution (names, lines). */
static enum mm_class read_module(const void *words, size_t size, const struct in_spirv_options *options,
                                 bool debug, struct in_module **module, struct mm_error *err)
{
    static const struct in_module_options any = {.any_environment = true};
    struct in_module_options named = any;
    named.name = options->name;
    *module = NULL;
    struct in_module *m = in_module_new(&named);
    if (!m)
        return mm_out_of_memory(err);
    m->decoding.options = &any;
    m->decoding.unvalidated = true;
    m->source.lines = options->lines;
    m->source.count = options->line_count;
    enum mm_class result =
        in_parse(m, words, size, debug, options->bound_limit > 0 ? options->bound_limit : IN_MAX_BOUND, err);
    if (result == MM_OK)
        result = in_scan(m, err);
    if (result != MM_OK) {
        in_module_release(m);
        return result;
    }
    *module = m;
    return MM_OK;
}

enum mm_class in_spirv_read(const void *words, size_t size, const struct in_spirv_options *options,
                            struct in_module **module, struct mm_error *err)
{
    return read_module(words, size, options, true, module, err);
}

enum mm_class in_spirv_validate(const void *words, size_t size, const char *name, struct mm_error *err)
{
    static const struct in_module_options kernel = {0};
    const struct in_spirv_options options = {.name = name};
    struct in_module *m = NULL;
    enum mm_class result = read_module(words, size, &options, false, &m, err);
    if (result != MM_OK)
        return result;
    if (m->target.memory_model == SpvMemoryModelOpenCL)
        m->decoding.options = &kernel;
    result = in_validate(m, NULL, err);
    in_module_release(m);
    return result;
}

enum mm_class in_spirv_declare(struct in_module *module, const struct in_spirv_values *values,
                               struct mm_error *err)
{
    module->decoding.values = values;
    return in_declare_all(module, err);
}

static void set_default(struct in_module *m, const struct in_inst *i, uint64_t value)
{
    uint32_t *w = m->words + i->word;
    if (i->opcode != SpvOpSpecConstant)
        w[0] = i->count << 16 | (value != 0 ? SpvOpSpecConstantTrue : SpvOpSpecConstantFalse);
    for (uint32_t k = 0; i->opcode == SpvOpSpecConstant && k < i->operand_count && k < 2; k++)
        w[3 + k] = (uint32_t)(value >> (32 * k));
}

enum mm_class in_spirv_specialize(void *words, size_t size, const struct in_spec_constant *constants,
                                  size_t count, struct mm_error *err)
{
    const struct in_spirv_options options = {.name = ""};
    struct in_module *m = NULL;
    enum mm_class result = in_spirv_read(words, size, &options, &m, err);
    for (struct in_inst i = {0}; result == MM_OK && in_spirv_next(m, &i);)
        for (size_t k = 0; k < count; k++)
            if (i.opcode >= SpvOpSpecConstantTrue && i.opcode <= SpvOpSpecConstant &&
                m->ids[i.result].spec_id == constants[k].id)
                set_default(m, &i, constants[k].value);
    if (result == MM_OK)
        memcpy(words, m->words, size);
    in_module_release(m);
    return result;
}

uint32_t in_spirv_bound(const struct in_module *module)
{
    return module->bound;
}

const struct in_id *in_spirv_id(const struct in_module *module, uint32_t id)
{
    return id < module->bound ? &module->ids[id] : NULL;
}

const struct in_function *in_spirv_function(const struct in_module *module, uint32_t id)
{
    bool known = id < module->bound && module->ids[id].kind == IN_ID_FUNCTION;
    return known ? &module->functions[module->ids[id].index] : NULL;
}

const struct in_entry *in_spirv_entry(const struct in_module *module, size_t i)
{
    return i < module->entry_count ? &module->entries[i] : NULL;
}

uint32_t in_spirv_memory_model(const struct in_module *module)
{
    return module->target.memory_model;
}

const uint32_t *in_spirv_words(const struct in_module *module, size_t *count)
{
    *count = module->word_count;
    return module->words;
}
