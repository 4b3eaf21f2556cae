/* What the module fuzzer and the test of its corpus share: bytes become a module, and every kernel of a
 * module that loads runs to an end, a finding or the step limit, with arguments made up for it. */
#ifndef TESTS_FUZZ_FUZZ_MODULE_H
#define TESTS_FUZZ_FUZZ_MODULE_H

#include "interp/image/image.h"
#include "interp/interp.h"

#include <stdlib.h>
#include <string.h>

enum { FZ_ARGUMENTS = 12, FZ_ROOM = 4096, FZ_KERNELS = 4 };
static unsigned char fz_memory[FZ_ARGUMENTS][FZ_ROOM];
static struct in_object fz_objects[FZ_ARGUMENTS];
static int fz_handle;

static const struct in_object *fz_find(void *context, uint64_t address)
{
    (void)context;
    for (int k = 0; k < FZ_ARGUMENTS; k++)
        if (address - fz_objects[k].address < fz_objects[k].size)
            return &fz_objects[k];
    return NULL;
}
static void fz_print(void *context, const char *text, size_t size)
{
    size_t *sum = context;
    for (size_t k = 0; k < size; k++)
        *sum += (unsigned char)text[k];
}
static void fz_finding(void *context, const struct in_finding *f)
{
    size_t *sum = context;
    *sum += strlen(f->message) + strlen(f->clause) + strlen(f->source->file) + strlen(f->source->function) +
            strlen(f->source->opcode) +
            (f->object != NULL && f->object->name != NULL ? strlen(f->object->name) : 0);
}
static int fz_enqueue(void *context, const struct in_enqueue *e, void **event)
{
    size_t *sum = context;
    for (uint32_t k = 0; k < e->block_size; k++)
        *sum += ((const unsigned char *)e->block)[k];
    if (event != NULL)
        *event = &fz_handle;
    return e->queue == NULL ? -102 : 0;
}
static int fz_marker(void *context, void *queue, void *const *wait, uint32_t count, void **event)
{
    (void)context, (void)queue, (void)wait, (void)count;
    *event = &fz_handle;
    return 0;
}
static void *fz_get(void *context)
{
    (void)context;
    return &fz_handle;
}
static void fz_event(void *context, void *event)
{
    (void)context, (void)event;
}
static void fz_status(void *context, void *event, int status)
{
    (void)context, (void)event, (void)status;
}
static bool fz_valid(void *context, void *event)
{
    (void)context;
    return event == &fz_handle;
}
static void fz_capture(void *context, void *event, int info, void *value)
{
    (void)context, (void)event, (void)info;
    memset(value, 0, 16);
}
static enum mm_class fz_record(void *context, const struct mm_record *record)
{
    size_t *sum = context;
    *sum += record->type == MM_RECORD_EVENT ? record->event.size : (size_t)record->type;
    return MM_OK;
}

static uint32_t fz_hash(const uint8_t *data, size_t size)
{
    uint32_t h = 2166136261u;
    for (size_t k = 0; k < size; k++)
        h = (h ^ data[k]) * 16777619u;
    return h ^ h >> 15;
}

static void fz_arguments(const struct in_kernel_info *info, struct in_argument *args, struct in_image *images,
                         struct in_pipe *pipes)
{
    static const struct in_sampler sampler = {true, IN_ADDRESS_REPEAT, IN_FILTER_LINEAR};
    for (uint32_t k = 0; k < FZ_ARGUMENTS; k++) {
        for (int b = 0; b < FZ_ROOM; b++)
            fz_memory[k][b] = (unsigned char)(b % 4 == 0 ? b / 4 % 7 : 0);
        fz_objects[k] = (struct in_object){.address = (uint64_t)(uintptr_t)fz_memory[k],
                                           .size = FZ_ROOM,
                                           .id = k + 1,
                                           .region = MM_GLOBAL,
                                           .origin = MM_ORIGIN_BUFFER,
                                           .name = "buffer"};
        images[k] = (struct in_image){.kind = IN_IMAGE_2D,
                                      .order = IN_ORDER_RGBA,
                                      .type = IN_CHANNEL_FLOAT,
                                      .width = 4,
                                      .height = 4,
                                      .depth = 1,
                                      .array_size = 1,
                                      .row_pitch = 64,
                                      .slice_pitch = 256,
                                      .data = fz_memory[k]};
        pipes[k] = (struct in_pipe){.packet_size = 4, .max_packets = 8, .object = &fz_objects[k]};
        if (k < info->argument_count && info->arguments[k].kind == IN_ARG_PIPE &&
            info->arguments[k].element_size <= 64)
            pipes[k].packet_size = info->arguments[k].element_size;
        args[k] = (struct in_argument){.value = fz_memory[k],
                                       .address = fz_objects[k].address,
                                       .object = &fz_objects[k],
                                       .local_size = 256,
                                       .image = &images[k],
                                       .sampler = &sampler,
                                       .pipe = &pipes[k],
                                       .queue = &fz_handle};
    }
}

static void fz_launch(struct in_instance *instance, const struct in_kernel_info *info, size_t kernel,
                      uint32_t mode, struct mm_recorder *recorder)
{
    struct in_argument args[FZ_ARGUMENTS];
    struct in_image images[FZ_ARGUMENTS];
    struct in_pipe pipes[FZ_ARGUMENTS];
    if (info->argument_count > FZ_ARGUMENTS)
        return;
    for (uint32_t a = 0; a < info->argument_count; a++)
        if (info->arguments[a].size > FZ_ROOM)
            return;
    fz_arguments(info, args, images, pipes);
    struct in_launch launch = {.instance = instance,
                               .kernel = kernel,
                               .arguments = args,
                               .dimensions = 1,
                               .global_size = {5, 1, 1},
                               .local_size = {3, 1, 1},
                               .sub_group_size = 2,
                               .schedule = (mode >> 14 & 3) == 0 ? IN_RANDOM : (enum in_schedule)(mode % 3),
                               .seed = mode,
                               .step_limit = 5000,
                               .max_findings = 20,
                               .checks = true,
                               .uninitialized = (mode >> 4 & 1) != 0,
                               .recorder = recorder,
                               .weak = (mode >> 14 & 3) == 0,
                               .command = 1};
    struct in_run *run = NULL;
    struct mm_error err;
    bool done = in_run_create(&launch, &run, &err) != MM_OK;
    while (!done)
        in_run_step(run, 1000, &done, &err);
    in_run_destroy(run);
    for (uint32_t k = 0; k < FZ_ARGUMENTS; k++)
        in_pipe_clear(&pipes[k]);
}

/* Modules with another addressing model than Physical64 are those of another environment. */
static bool is_foreign(const uint8_t *data, size_t size)
{
    uint32_t word;
    for (size_t at = 20; at + 8 <= size && at < 400; at += 4) {
        memcpy(&word, data + at, sizeof word);
        if (word == (3u << 16 | 14)) /* OpMemoryModel: other than Physical64 */
            return memcpy(&word, data + at + 4, sizeof word), word != 2;
    }
    return false;
}

/* Whether the module loads. */
static bool fz_try(const uint8_t *data, size_t size)
{
    size_t sum = 0;
    uint32_t mode = fz_hash(data, size);
    struct in_environment environment = {.context = &sum,
                                         .find_object = fz_find,
                                         .print = fz_print,
                                         .finding = fz_finding,
                                         .enqueue_kernel = fz_enqueue,
                                         .enqueue_marker = fz_marker,
                                         .default_queue = fz_get,
                                         .create_user_event = fz_get,
                                         .retain_event = fz_event,
                                         .release_event = fz_event,
                                         .set_user_event_status = fz_status,
                                         .is_valid_event = fz_valid,
                                         .capture_profiling = fz_capture};
    struct in_module_options options = {
        .name = "fuzz", .subscripts = true, .any_environment = is_foreign(data, size)};
    struct in_module *module = NULL;
    struct in_instance *instance = NULL;
    char *warnings = NULL;
    struct mm_error err;
    if (in_module_create(data, size, &options, &module, &warnings, &err) != MM_OK) {
        mm_free(warnings);
        return false;
    }
    mm_free(warnings);
    struct mm_recorder *recorder = NULL;
    if ((mode >> 12 & 1) != 0)
        recorder = mm_recorder_create(&(struct mm_sink){.context = &sum, .record = fz_record});
    if (in_instance_create(module, &environment, recorder, &instance, &err) == MM_OK)
        for (size_t n = 0; n < in_module_kernel_count(module) && n < FZ_KERNELS; n++)
            fz_launch(instance, in_module_kernel(module, n), n, mode, recorder);
    in_instance_destroy(instance);
    mm_recorder_destroy(recorder);
    in_module_release(module);
    return true;
}

#endif
