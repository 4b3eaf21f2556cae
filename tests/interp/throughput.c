/* Runs one kernel of a SPIR-V file over buffers of zeros and prints instructions and time: a measurement, not
 * a test.  throughput FILE.spv KERNEL GLOBAL LOCAL [record]; pointer arguments get 64 MiB at most, values are
 * N = GLOBAL. */
#include "interp/interp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void on_finding(void *context, const struct in_finding *f)
{
    (void)context;
    printf("finding %s: %s (%s:%u, work-item %u)\n", f->kind, f->message, f->source->file, f->source->line,
           f->work_item);
}

static void on_print(void *context, const char *text, size_t size)
{
    (void)context;
    fwrite(text, 1, size, stdout);
}

static enum mm_class drop(void *context, const struct mm_record *record)
{
    (void)context;
    (void)record;
    return MM_OK;
}

static void *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return NULL;
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    void *data = malloc(*size);
    if (data == NULL || fread(data, 1, *size, f) != *size)
        return NULL;
    fclose(f);
    return data;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    size_t size;
    void *words = read_file(argv[1], &size);
    struct mm_error err;
    struct in_module *module;
    struct in_module_options options = {.name = argv[1]};
    if (words == NULL)
        return 2;
    double start = now();
    if (in_module_create(words, size, &options, &module, NULL, &err) != MM_OK) {
        printf("%s [%s]\n", err.message, err.rule);
        return 1;
    }
    printf("load %.3f ms\n", 1e3 * (now() - start));
    size_t kernel = in_module_find_kernel(module, argv[2]);
    if (kernel == SIZE_MAX)
        return 2;
    const struct in_kernel_info *info = in_module_kernel(module, kernel);
    struct mm_sink sink = {.record = drop};
    struct mm_recorder *recorder =
        argc > 5 && strcmp(argv[5], "record") == 0 ? mm_recorder_create(&sink) : NULL;
    struct in_environment environment = {.print = on_print, .finding = on_finding};
    struct in_instance *instance;
    if (in_instance_create(module, &environment, recorder, &instance, &err) != MM_OK)
        return 1;
    uint64_t global = strtoull(argv[3], NULL, 0);
    uint64_t value = global;
    struct in_argument args[32] = {{0}};
    struct in_object objects[32] = {{0}};
    for (uint32_t k = 0; k < info->argument_count && k < 32; k++) {
        uint64_t bytes = global * info->arguments[k].element_size;
        if (bytes > 64 << 20)
            bytes = 64 << 20;
        if (info->arguments[k].kind == IN_ARG_VALUE) {
            args[k].value = &value;
        } else if (info->arguments[k].kind == IN_ARG_LOCAL) {
            args[k].local_size = strtoull(argv[4], NULL, 0) * 8;
        } else {
            args[k].address = (uint64_t)(uintptr_t)calloc(1, bytes);
            objects[k] = (struct in_object){.address = args[k].address,
                                            .size = bytes,
                                            .id = k + 1,
                                            .region = MM_GLOBAL,
                                            .name = "buffer"};
            args[k].object = &objects[k];
        }
    }
    struct in_launch launch = {.instance = instance,
                               .kernel = kernel,
                               .arguments = args,
                               .dimensions = 1,
                               .global_size = {global},
                               .local_size = {(uint32_t)strtoul(argv[4], NULL, 0)},
                               .sub_group_size = 8,
                               .checks = true,
                               .recorder = recorder,
                               .command = 1};
    struct in_run *run;
    if (in_run_create(&launch, &run, &err) != MM_OK) {
        printf("%s\n", err.message);
        return 1;
    }
    bool done = false;
    start = now();
    enum mm_class result = in_run_step(run, 0, &done, &err);
    double seconds = now() - start;
    double count = (double)in_run_instruction_count(run);
    printf("result %d, %.0f instructions in %.3f s: %.1f M/s, %.1f ns per work-item\n", result, count,
           seconds, 1e-6 * count / seconds, 1e9 * seconds / (double)global);
    in_run_destroy(run);
    in_instance_destroy(instance);
    in_module_release(module);
    return 0;
}
