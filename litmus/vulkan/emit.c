/* A Vulkan litmus test as a SPIR-V module. */
#include "litmus/vulkan/vulkan.h"

#include <stdlib.h>

static bool make_registers(struct lt_vk_module *m)
{
    for (uint32_t t = 0; t < m->program->thread_count; t++) {
        m->registers[t] = calloc(m->program->threads[t].reg_count + 1u, sizeof **m->registers);
        if (!m->registers[t])
            return false;
    }
    return true;
}

static bool emit_module(struct lt_vk_module *m)
{
    char *body = NULL;
    size_t size = 0;
    lt_kernel_range(m->kernel, m->program);
    m->body = make_registers(m) ? open_memstream(&body, &size) : NULL;
    if (!m->body)
        return false;
    lt_vk_run_function(m);
    lt_vk_collect_function(m);
    bool ok = fclose(m->body) == 0 && !m->failed;
    if (ok && !m->kernel->reason)
        ok = (m->kernel->source = lt_vk_finish(m, body)) != NULL;
    free(body);
    return ok;
}

enum mm_class lt_vk_emit(const struct ck_program *program, bool pointers, struct lt_kernel *kernel,
                         struct mm_error *err)
{
    struct lt_vk_module m = {.program = program, .kernel = kernel};
    *kernel = (struct lt_kernel){.pointers = pointers};
    bool ok = true;
    if (program->thread_count > LT_MAX_THREADS || program->observed_count > LT_MAX_THREADS)
        lt_vk_cannot(&m, "more than 64 threads or observed values");
    else
        lt_vk_check(&m);
    if (!kernel->reason)
        ok = emit_module(&m);
    for (uint32_t t = 0; t < program->thread_count && t < LT_MAX_THREADS; t++)
        free(m.registers[t]);
    mm_free(m.constants);
    return ok ? MM_OK : mm_out_of_memory(err);
}
