/* Suppression lists, and the filters of kinds and kernels, applied to an execution with findings. */
#include "checker/checker.h"
#include "tests/fuzz/reader.h"

#include <stdlib.h>
#include <string.h>

static void add_record(const struct mm_sink *sink, const struct mm_record *record)
{
    if (sink->record(sink->context, record) != MM_OK)
        abort();
}

static void add_write(const struct mm_sink *sink, uint32_t command, uint32_t item, uint32_t source)
{
    add_record(sink, &(struct mm_record){.type = MM_RECORD_EVENT,
                                         .event = {.kind = MM_WRITE,
                                                   .agent = {command, item},
                                                   .allocation = 1,
                                                   .offset = 0,
                                                   .size = 4,
                                                   .source = source}});
}

/* Findings in files with several forms of names, races in two commands, and one finding without a
 * position. */
static void run_execution(struct ck_detector *detector)
{
    static const char *const files[] = {"src/a.cl", "a:b.cl", "", "/x/y.h", "k[1].cl"};
    static const char *const kinds[] = {"uninitialized", "out-of-bounds", "api-misuse", "leak", "assertion"};
    static const char *const kernels[] = {"copy", "add_one"};
    enum { FILES = sizeof files / sizeof *files };
    struct mm_sink sink;
    ck_detector_sink(detector, &sink);
    add_record(&sink, &(struct mm_record){.type = MM_RECORD_ALLOCATION,
                                          .allocation = {.id = 1, .size = 64, .name = "buffer 1"}});
    for (uint32_t i = 0; i < FILES; i++)
        add_record(
            &sink,
            &(struct mm_record){
                .type = MM_RECORD_SOURCE,
                .source = {
                    .id = i + 1, .line = 9 * i + 3, .file = files[i], .function = "", .opcode = "OpStore"}});
    for (uint32_t command = 1; command <= 2; command++) {
        add_record(&sink, &(struct mm_record){.type = MM_RECORD_COMMAND,
                                              .command = {.id = command,
                                                          .queue = 1,
                                                          .dimensions = 1,
                                                          .global_size = {4, 1, 1},
                                                          .local_size = {2, 1, 1},
                                                          .kind = "clEnqueueNDRangeKernel",
                                                          .kernel = kernels[command - 1]}});
        for (uint32_t i = 0; i < 4; i++)
            add_write(&sink, command, i, command + i % 2);
    }
    for (uint32_t i = 0; i < FILES; i++)
        add_record(&sink,
                   &(struct mm_record){
                       .type = MM_RECORD_FINDING,
                       .finding = {
                           .kind = kinds[i], .clause = "", .message = "", .agent = {i % 3, 0}, .source = i}});
    ck_detector_finish(detector);
    ck_detector_filter(detector, false);
}

/* The list; after a zero byte, kinds as for --only; after another one, kernels and the first and the last
 * launch. */
static bool read_suppressions(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    const char *only = strlen(text) < size ? text + strlen(text) + 1 : NULL;
    const char *kernels = only && only + strlen(only) < text + size ? only + strlen(only) + 1 : NULL;
    struct ck_detector *detector =
        ck_detector_create(&(struct ck_detector_options){.races = true,
                                                         .memory = true,
                                                         .only = only,
                                                         .kernels = kernels,
                                                         .first_launch = kernels ? 1 + size % 2 : 0,
                                                         .last_launch = kernels ? 1 + size % 3 : 0});
    struct mm_error err = {0};
    bool good = detector != NULL && ck_detector_suppress(detector, text, "fuzz", &err) == MM_OK;
    if (good)
        run_execution(detector);
    mm_free(text);
    ck_detector_destroy(detector);
    return good;
}

const struct fuzz_reader fuzz_suppressions = {"suppressions", read_suppressions, NULL};
