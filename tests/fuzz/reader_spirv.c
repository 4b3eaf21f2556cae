/* SPIR-V modules: every kernel of a module that loads runs to an end, a finding or the step limit, with
 * generated arguments.  The mutator knows instructions: it changes operands, copies, drops and moves whole
 * instructions. */
#include "interp/image/image.h"
#include "interp/interp.h"
#include "tests/fuzz/reader.h"

#include <stdlib.h>
#include <string.h>

enum { FZ_ARGUMENTS = 12, FZ_ROOM = 4096, FZ_KERNELS = 4, FZ_CONSTANTS = 8 };
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
    static const struct in_sampler sampler = {
        .normalized = true, .addressing = IN_ADDRESS_REPEAT, .filter = IN_FILTER_LINEAR};
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
    const bool has_terms = recorder != NULL && (mode >> 14 & 3) != 0 && (mode >> 9 & 1) != 0;
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
                               .zero_local = (mode >> 8 & 1) != 0,
                               .weak = (mode >> 14 & 3) == 0,
                               .detail = has_terms ? IN_TERMS : IN_NO_DETAIL,
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

/* Modules with an addressing model other than Physical64 belong to another environment. */
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

/* Replaces *MODULE by one with values for its specialization constants, including sizes of other types.
 * False: there is none. */
static bool fz_specialize(const uint8_t *data, size_t size, struct in_module_options options,
                          struct in_module **module, uint32_t mode)
{
    static const uint64_t values[] = {0, 1, 2, 3, 255, 4096, UINT32_MAX, UINT64_MAX};
    struct in_spec_constant constants[FZ_CONSTANTS];
    struct mm_error err;
    char *warnings = NULL;
    size_t count = in_module_spec_constant_count(*module);
    count = count < FZ_CONSTANTS ? count : FZ_CONSTANTS;
    for (size_t k = 0; k < count; k++) {
        constants[k] = *in_module_spec_constant(*module, k);
        constants[k].value = values[(mode >> k) % (sizeof values / sizeof *values)];
        if (mode >> k & 1)
            constants[k].size = 1u << (mode >> (k + 1) & 3);
    }
    options.constants = constants;
    options.constant_count = count;
    in_module_release(*module);
    bool loaded = in_module_create(data, size, &options, module, &warnings, &err) == MM_OK;
    mm_free(warnings);
    return loaded;
}

/* Whether the module loads. */
static bool read_spirv(const uint8_t *data, size_t size)
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
    struct in_module_options options = {.name = "fuzz",
                                        .subscripts = true,
                                        .literal_legacy_atomics = (mode >> 7 & 1) != 0,
                                        .zero_private = (mode >> 6 & 1) != 0,
                                        .any_environment = is_foreign(data, size)};
    struct in_module *module = NULL;
    struct in_instance *instance = NULL;
    char *warnings = NULL;
    struct mm_error err;
    if (in_module_create(data, size, &options, &module, &warnings, &err) != MM_OK) {
        mm_free(warnings);
        return false;
    }
    mm_free(warnings);
    if (in_module_spec_constant_count(module) && (mode >> 5 & 1) != 0 &&
        !fz_specialize(data, size, options, &module, mode))
        return false;
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

/* ---- mutation --------------------------------------------------------------------------------- */

static uint64_t state_;
static uint32_t pick(uint32_t n)
{
    state_ = state_ * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state_ >> 33) % (n == 0 ? 1 : n);
}

enum { MOST_INSTRUCTIONS = 8192, HEAD = 5 };
struct layout {
    uint32_t *words, count, room;
    uint32_t at[MOST_INSTRUCTIONS], instructions;
};

static void find_instructions(struct layout *l)
{
    l->instructions = 0;
    for (uint32_t at = HEAD; at < l->count && l->instructions < MOST_INSTRUCTIONS; at += l->words[at] >> 16) {
        if (l->words[at] >> 16 == 0 || l->words[at] >> 16 > l->count - at)
            return;
        l->at[l->instructions++] = at;
    }
}

static uint32_t interesting(const struct layout *l)
{
    static const uint32_t values[] = {0,   1,          2,          3,          4,          7,    8,
                                      16,  31,         32,         33,         63,         64,   255,
                                      256, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 65536};
    switch (pick(4)) {
    case 0:
        return values[pick(sizeof values / sizeof *values)];
    case 1:
        return pick(l->words[3] < 100000 ? l->words[3] : 100);
    case 2:
        return pick(200);
    default:
        return l->words[HEAD + pick(l->count - HEAD)];
    }
}

static void change_operand(struct layout *l)
{
    uint32_t at = l->at[pick(l->instructions)], length = l->words[at] >> 16;
    if (length < 2)
        return;
    uint32_t *word = &l->words[at + 1 + pick(length - 1)];
    switch (pick(5)) {
    case 0:
        *word += pick(5) - 2;
        break;
    case 1:
        *word ^= 1u << pick(32);
        break;
    default:
        *word = interesting(l);
    }
}

/* Opcodes with close numbers often have the same operands, and so have extended instructions. */
static void change_opcode(struct layout *l)
{
    uint32_t at = l->at[pick(l->instructions)], length = l->words[at] >> 16, opcode = l->words[at] & 0xffff;
    if (opcode == 12 && length > 4 && pick(3) > 0)
        l->words[at + 4] = pick(205);
    else
        l->words[at] = length << 16 | (pick(4) > 0 ? (opcode + pick(9) - 4) & 0xffff : pick(450));
}

static void insert(struct layout *l, uint32_t to, const uint32_t *words, uint32_t length)
{
    if (length > l->room - l->count)
        return;
    memmove(l->words + to + length, l->words + to, (l->count - to) * 4ul);
    memcpy(l->words + to, words, length * 4ul);
    l->count += length;
}

static void drop(struct layout *l, uint32_t at, uint32_t length)
{
    memmove(l->words + at, l->words + at + length, (l->count - at - length) * 4ul);
    l->count -= length;
}

static void move_instruction(struct layout *l)
{
    uint32_t copy[256], n = pick(l->instructions), from = l->at[n], length = l->words[from] >> 16,
                        how = pick(4);
    uint32_t to = l->at[how == 0 ? pick(l->instructions) : (n + pick(9)) % l->instructions];
    if (length > 256)
        return;
    memcpy(copy, l->words + from, length * 4ul);
    if (how == 3) {
        drop(l, from, length);
    } else if (how == 2) { /* a copy with a new result */
        if (length > 2)
            copy[2] = l->words[3]++;
        insert(l, to, copy, length);
    } else {
        drop(l, from, length);
        insert(l, to > from ? to - length : to, copy, length);
    }
}

static size_t mutate(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    state_ = seed;
    if (size < 4 * (HEAD + 2) || pick(20) == 0)
        return 0;
    static struct layout l;
    l.room = (uint32_t)(max / 4);
    l.words = malloc(l.room * 4ul);
    l.count = (uint32_t)(size / 4);
    if (l.words == NULL)
        return size;
    memcpy(l.words, data, l.count * 4ul);
    for (uint32_t n = 1 + pick(3); n > 0; n--) {
        find_instructions(&l);
        if (l.instructions == 0)
            break;
        uint32_t how = pick(10);
        if (how < 6)
            change_operand(&l);
        else if (how < 8)
            change_opcode(&l);
        else
            move_instruction(&l);
    }
    size = l.count * 4ul;
    memcpy(data, l.words, size);
    free(l.words);
    return size;
}

const struct fuzz_reader fuzz_spirv = {"spirv", read_spirv, mutate};
