/* Initializer and finalizer kernels of a module, which construct and destroy its program-scope variables,
 * each executed by one work-item. [CL 3.2 R2, SPIRV 3.6] */
#include "sched.h"

static enum mm_class execute_kernel(struct in_instance *instance, uint32_t kernel, struct mm_error *err)
{
    const struct in_launch launch = {.instance = instance,
                                     .kernel = kernel,
                                     .dimensions = 1,
                                     .global_size = {1, 1, 1},
                                     .local_size = {1, 1, 1},
                                     .sub_group_size = 1};
    struct in_run *run = NULL;
    enum mm_class result = in_run_create(&launch, &run, err);
    for (bool done = false; result == MM_OK && !done;)
        result = in_run_step(run, 0, &done, err);
    in_run_destroy(run);
    return result;
}

enum mm_class in_run_own_kernels(struct in_instance *instance, enum in_kernel_use use, struct mm_error *err)
{
    const struct in_module *m = instance->module;
    const struct in_environment environment = instance->environment_copy;
    /* these kernels belong to no command and cannot enqueue commands */
    instance->environment_copy = (struct in_environment){.context = environment.context,
                                                         .find_object = environment.find_object,
                                                         .print = environment.print,
                                                         .finding = environment.finding};
    enum mm_class result = MM_OK;
    for (uint32_t k = 0; k < m->kernel_count && result == MM_OK; k++)
        if (m->kernels[k].info.use == use)
            result = execute_kernel(instance, k, err);
    instance->environment_copy = environment;
    return result;
}
