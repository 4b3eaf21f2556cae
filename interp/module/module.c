/* Modules: creation, reference counts, queries. [CL 5.8.1] */
#include "interp/sched/sched.h"
#include "validate.h"
#include <string.h>

static void destroy_module(struct in_module *m)
{
    for (uint32_t k = 0; k < m->kernel_count; k++) {
        in_native_forget(m->kernels[k].code);
        in_code_destroy(m->kernels[k].code);
    }
    mm_free(m->kernels);
    mm_free(m->entries);
    mm_free(m->functions);
    mm_free(m->globals);
    mm_free(m->storages);
    mm_free(m->spec);
    mm_free(m->ids);
    mm_free(m->is_id);
    mm_free(m->words);
    mm_arena_destroy(m->arena);
    mm_free(m);
}

struct in_module *in_module_new(const struct in_module_options *options)
{
    struct in_module *m = mm_alloc_zero(1, sizeof *m);
    if (!m || !(m->arena = mm_arena_create()) ||
        !(m->name = mm_arena_strdup(m->arena, options->name ? options->name : ""))) {
        if (m)
            mm_arena_destroy(m->arena);
        mm_free(m);
        return NULL;
    }
    atomic_init(&m->references, 1);
    m->decoding.options = options;
    m->target.literal_legacy = options->literal_legacy_atomics;
    m->target.subscripts = options->subscripts;
    return m;
}

enum mm_class in_module_create(const void *words, size_t size, const struct in_module_options *options,
                               struct in_module **module, char **warnings, struct mm_error *err)
{
    static const struct in_module_options defaults = {.name = NULL};
    *module = NULL;
    if (warnings)
        *warnings = NULL;
    struct in_module *m = in_module_new(options ? options : &defaults);
    if (!m)
        return mm_out_of_memory(err);
    enum mm_class result = in_parse(m, words, size, m->decoding.options->strict, IN_MAX_BOUND, err);
    if (result == MM_OK && m->decoding.options->any_environment)
        result = in_arrange(m, err);
    if (result == MM_OK)
        result = in_validate(m, warnings, err);
    enum mm_class (*const stages[])(struct in_module *, struct mm_error *) = {
        in_copy_byval,        in_zero_private, in_scan,         in_declare_all,
        in_check_environment, in_kernels,      in_lower_kernels};
    for (size_t k = 0; k < sizeof stages / sizeof *stages && result == MM_OK; k++)
        result = stages[k](m, err);
    m->decoding.options = NULL;
    if (result != MM_OK) {
        destroy_module(m);
        return result;
    }
    *module = m;
    return MM_OK;
}

void in_module_retain(struct in_module *module)
{
    atomic_fetch_add(&module->references, 1);
}

void in_module_release(struct in_module *module)
{
    if (module && atomic_fetch_sub(&module->references, 1) == 1)
        destroy_module(module);
}

size_t in_module_kernel_count(const struct in_module *module)
{
    return module->kernel_count;
}

const struct in_kernel_info *in_module_kernel(const struct in_module *module, size_t i)
{
    return i < module->kernel_count ? &module->kernels[i].info : NULL;
}

size_t in_module_find_kernel(const struct in_module *module, const char *name)
{
    for (size_t i = 0; i < module->kernel_count; i++)
        if (strcmp(module->kernels[i].info.name, name) == 0)
            return i;
    return SIZE_MAX;
}

static const char *shown_name(const struct in_id *id)
{
    return *id->linkage != 0 ? id->linkage : *id->name != 0 ? id->name : "(unnamed)";
}

const char *in_module_undefined(const struct in_module *module)
{
    enum { IMPORT = 1 };
    struct in_inst i = {0};
    for (uint32_t k = 0; k < module->global_count; k++) {
        const struct in_id *id = &module->ids[module->globals[k].id];
        if (id->linkage_type == IMPORT && module->globals[k].initializer == 0 && id->builtin == IN_NO_BUILTIN)
            return shown_name(id);
    }
    while (in_spirv_next(module, &i)) {
        const struct in_id *id = i.opcode == SpvOpFunctionCall ? &module->ids[i.operands[0]] : NULL;
        if (id && id->kind == IN_ID_FUNCTION && !module->functions[id->index].has_body)
            return shown_name(id);
    }
    return NULL;
}

size_t in_module_spec_constant_count(const struct in_module *module)
{
    return module->spec_count;
}

const struct in_spec_constant *in_module_spec_constant(const struct in_module *module, size_t i)
{
    return i < module->spec_count ? &module->spec[i] : NULL;
}

uint64_t in_module_program_scope_bytes(const struct in_module *module)
{
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < module->global_count; k++)
        if (module->globals[k].storage == SpvStorageClassCrossWorkgroup)
            bytes += module->globals[k].ty->size;
    return bytes;
}
