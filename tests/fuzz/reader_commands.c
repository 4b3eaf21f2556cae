/* Traces as `refcl explore --trace` reads them: the record of host threads and commands, its cells, and the
 * programs of its first schedules, which search decides within small bounds. */
#include "interp/replay/expand.h"
#include "tests/fuzz/reader.h"
#include "tools/commands/record.h"

#include <stdlib.h>

enum { COMMANDS = 8, CELLS = 4, SCHEDULES = 4, TIMEOUT_MS = 50 };

struct decision {
    struct hc_record *record;
    unsigned schedules;
};

static const struct mm_cat_model *opencl(void)
{
    static struct mm_cat_model *model;
    if (!model && mm_cat_load("memmodel/models/opencl.cat", NULL, &model, NULL) != MM_OK)
        abort();
    return model;
}

static bool decide(void *context, const struct hc_schedule *schedule)
{
    const struct ck_options options = {
        .bound = 1, .timeout_ms = TIMEOUT_MS, .memory_limit = (size_t)1 << 30, .explain = true};
    struct decision *d = context;
    struct hc_record *record = d->record;
    struct ck_verdict verdict = {0};
    struct mm_error err;
    uint32_t parts[2], count = record->cell_count < CELLS ? record->cell_count : CELLS;
    struct ck_program *program = hc_program(record, schedule, record->cells, count);
    if (program && ck_search(program, opencl(), &options, &verdict, &err) == MM_OK) {
        if (hc_program_race(record, &verdict, parts))
            hc_may_synchronize(record, schedule, parts[0], parts[1]);
        ck_verdict_clear(&verdict);
    }
    if (program)
        ck_program_destroy(program);
    return ++d->schedules < SCHEDULES;
}

static bool read_commands(const uint8_t *data, size_t size)
{
    struct hc_record record = {0};
    struct decision d = {.record = &record};
    struct mm_error err = {0};
    struct mm_sink sink;
    bool complete;
    fuzz_as_trace(data, size);
    hc_record_sink(&record, &sink);
    bool accepted = in_expand_trace(fuzz_file_descriptor(), "fuzz", &sink, &complete, &err) == MM_OK;
    if (accepted) {
        hc_record_end(&record, COMMANDS);
        hc_footprint_cells(&record);
        hc_schedules(&record, false, decide, &d);
        if (hc_has_observed_order(&record))
            hc_schedules(&record, true, decide, &d);
    }
    hc_record_clear(&record);
    return accepted;
}

const struct fuzz_reader fuzz_commands = {"commands", read_commands, NULL};
