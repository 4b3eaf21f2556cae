/* Findings: undefined behavior of a work-item is reported to the environment and recorded. */
#include "interp/exec/exec.h"
#include "memmodel/base/array.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void set_coordinates(struct in_finding *f, const struct in_item *item)
{
    if (!item->group)
        return;
    in_item_ids(item, f->local_id, f->global_id);
    memcpy(f->group_id, item->group->id, sizeof f->group_id);
}

static uint32_t source_index(const struct in_run *run, const struct in_insn *pc)
{
    return pc ? run->code->sources.of_insn[pc - run->insns] : 0;
}

static void record_finding(struct in_run *run, const struct in_item *item, const struct in_finding *f,
                           const struct in_insn *pc)
{
    struct mm_record record = {.type = MM_RECORD_FINDING};
    record.finding =
        (struct mm_finding){.kind = f->kind,
                            .clause = f->clause,
                            .message = f->message,
                            .agent = {run->launch.command, f->work_item},
                            .source = pc ? in_record_source(run, item, pc) : 0,
                            .allocation = f->object ? f->object->id : 0,
                            .offset = f->object ? f->address - f->object->address + f->object->offset : 0,
                            .size = f->size};
    in_record_flush(run);
    mm_recorder_record(run->launch.recorder, &record);
}

enum { MOST_REPORTS = 100 }; /* of one finding at one instruction, per launch */
struct in_raised {
    const struct in_insn *pc;
    const char *kind;
    uint32_t count;
};

/* Counts the finding; true if it was reported MOST_REPORTS times already. */
static bool is_reported_often(struct in_run *run, const struct in_insn *pc, const char *kind)
{
    for (uint32_t k = 0; k < run->outcome.raised_count; k++)
        if (run->outcome.raised[k].pc == pc && strcmp(run->outcome.raised[k].kind, kind) == 0)
            return run->outcome.raised[k].count == MOST_REPORTS ||
                   run->outcome.raised[k].count++ == MOST_REPORTS;
    struct in_raised raised = {pc, kind, 1};
    mm_append(&run->outcome.raised, &run->outcome.raised_count, &raised);
    return false;
}

static void raise_report(struct in_run *run, const struct in_item *item, const struct in_insn *pc,
                         const struct in_finding *f)
{
    if (run->launch.recorder)
        record_finding(run, item, f, pc);
    if (run->instance->environment_copy.finding)
        run->instance->environment_copy.finding(run->instance->environment_copy.context, f);
}

/* Reports F, whose kind, clause, message and memory are set. */
static void raise_finding(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                          struct in_finding *f)
{
    f->of_copy = run->copying;
    f->source = &run->code->sources.list[source_index(run, pc)];
    if (item) {
        f->work_item = item->agent;
        set_coordinates(f, item);
    }
    if (!is_reported_often(run, pc, f->kind))
        raise_report(run, item, pc, f);
    uint32_t most = run->launch.max_findings == 0 ? 1 : run->launch.max_findings;
    /* Work-items without synchronization may read values before they are written: in race detection an
     * uninitialized value must not end the launch and hide the race. */
    if (run->launch.recorder && strcmp(f->kind, "uninitialized") == 0 && most < 32)
        most = 32;
    run->outcome.findings += run->outcome.findings < UINT32_MAX;
    run->outcome.stopped |= run->outcome.findings >= most && most < UINT32_MAX;
}

void in_raise(struct in_run *run, struct in_item *item, const struct in_insn *pc, const char *kind,
              const char *clause, const char *format, ...)
{
    struct in_finding f = {.kind = kind, .clause = clause};
    va_list list;
    va_start(list, format);
    vsnprintf(f.message, sizeof f.message, format, list);
    va_end(list);
    raise_finding(run, item, pc, &f);
}

void in_raise_at(struct in_run *run, struct in_item *item, const struct in_insn *pc, const char *kind,
                 const char *clause, struct in_range range, const char *format, ...)
{
    struct in_finding f = {.kind = kind,
                           .clause = clause,
                           .object = range.object,
                           .address = range.address,
                           .size = range.size > UINT32_MAX ? UINT32_MAX : (uint32_t)range.size};
    va_list list;
    va_start(list, format);
    vsnprintf(f.message, sizeof f.message, format, list);
    va_end(list);
    raise_finding(run, item, pc, &f);
}
