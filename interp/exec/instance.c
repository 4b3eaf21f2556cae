/* Program-scope variables of a module on a device. [CLC 6.7.1, 6.7.3] */
#include "exec.h"
#include <string.h>

static bool lives_here(const struct in_global *g)
{
    return g->storage == SpvStorageClassCrossWorkgroup || g->storage == SpvStorageClassUniformConstant ||
           g->argument != UINT32_MAX;
}

static void make_object(struct in_instance *in, uint32_t k)
{
    const struct in_global *g = &in->module->globals[k];
    if (!lives_here(g))
        return;
    bool constant = g->storage == SpvStorageClassUniformConstant || in->module->ids[g->id].constant;
    const char *name = in->module->ids[g->id].name;
    in->objects[k] = (struct in_object){.address = (uint64_t)(uintptr_t)(in->base + g->offset),
                                        .size = g->ty->size,
                                        .id = k + 1,
                                        .region = constant ? MM_CONSTANT : MM_PROGRAM_SCOPE,
                                        .read_only = constant,
                                        .name = name};
    if (!in->recorder)
        return;
    struct mm_record record = {.type = MM_RECORD_ALLOCATION};
    in->objects[k].id = mm_recorder_new_allocation(in->recorder);
    record.allocation = (struct mm_allocation){.id = in->objects[k].id,
                                               .region = in->objects[k].region,
                                               .size = g->ty->size,
                                               .name = name,
                                               .element = in_spirv_scalar(in->module, name, g->ty),
                                               .layout = in_spirv_layout(in->module, name)};
    mm_recorder_record(in->recorder, &record);
}

static void initialize_global(struct in_instance *in, uint32_t k)
{
    const struct in_global *g = &in->module->globals[k];
    const struct in_id *init = &in->module->ids[g->initializer];
    if (!lives_here(g) || g->initializer == 0)
        return;
    uint8_t *to = in->base + g->offset;
    if (init->kind == IN_ID_GLOBAL) {
        memcpy(to, &in->objects[init->index].address, 8);
        return;
    }
    if (init->kind != IN_ID_CONSTANT)
        return;
    memcpy(to, init->bytes, g->ty->size);
    for (const struct in_reloc *r = init->relocs; r; r = r->next) {
        uint64_t address = in->objects[r->variable].address + (uint64_t)r->addend;
        memcpy(to + r->offset, &address, 8);
    }
}

enum mm_class in_instance_create(struct in_module *module, const struct in_environment *environment,
                                 struct mm_recorder *recorder, struct in_instance **instance,
                                 struct mm_error *err)
{
    struct in_instance *in = mm_alloc_zero(1, sizeof *in);
    *instance = NULL;
    if (!in)
        return mm_out_of_memory(err);
    in->module = module;
    in_module_retain(module);
    in->environment_copy = environment ? *environment : (struct in_environment){0};
    in->recorder = recorder;
    in->memory = mm_alloc_zero(1, module->program_bytes + 8192);
    in->objects = mm_alloc_zero(module->global_count + 1, sizeof *in->objects);
    if (!in->memory || !in->objects || !in_pipe_storages_create(in)) {
        in_instance_destroy(in);
        return mm_out_of_memory(err);
    }
    in->base = (uint8_t *)(((uintptr_t)in->memory + 4095) & ~(uintptr_t)4095);
    for (uint32_t k = 0; k < module->global_count; k++)
        make_object(in, k);
    for (uint32_t k = 0; k < module->global_count; k++)
        initialize_global(in, k);
    enum mm_class result = in_run_own_kernels(in, IN_INITIALIZER, err);
    in->made = result == MM_OK;
    if (result == MM_OK)
        *instance = in;
    else
        in_instance_destroy(in);
    return result;
}

void in_instance_destroy(struct in_instance *instance)
{
    if (!instance)
        return;
    if (instance->made)
        in_run_own_kernels(instance, IN_FINALIZER, NULL);
    in_pipe_storages_destroy(instance);
    in_module_release(instance->module);
    mm_free(instance->memory);
    mm_free(instance->objects);
    mm_free(instance);
}

const struct in_object *in_instance_find_object(const struct in_instance *instance, uint64_t address)
{
    if (address - (uint64_t)(uintptr_t)instance->base >= instance->module->program_bytes)
        return NULL;
    for (uint32_t k = 0; k < instance->module->global_count; k++)
        if (address - instance->objects[k].address < instance->objects[k].size)
            return &instance->objects[k];
    return NULL;
}
