/* The filter between a trace and its consumer that re-executes launches (docs/reexecution.md#expansion):
 * renumbering of ids and routing of records. */
#include "interp/replay/expand.h"
#include "interp/replay/expand_internal.h"
#include "memmodel/base/array.h"
#include <stdio.h>
#include <sys/stat.h>

/* ---- ids ----------------------------------------------------------------------------------- */

uint64_t in_shift_id(const struct in_shift *shift, uint64_t id)
{
    size_t n = shift->count; /* number of steps that apply: often all of them */
    if (n > 0 && id < shift->steps[n - 1].from)
        mm_partition(n, shift->count, id >= shift->steps[n].from);
    return n > 0 && id != 0 ? id + shift->steps[n - 1].add : id;
}

/* Maps ids from NEXT on to ids after the largest one in the output; false: out of memory. */
static bool extend_shift(struct in_shift *shift, uint64_t next)
{
    uint64_t add = shift->out - shift->seen, last = shift->count > 0 ? shift->steps[shift->count - 1].add : 0;
    if (add == last)
        return true;
    struct in_shift_step step = {next, add};
    return mm_append(&shift->steps, &shift->count, &step);
}

static void note_seen_id(struct in_shift *shift, uint64_t id)
{
    shift->seen = id > shift->seen ? id : shift->seen;
}

static void note_output_id(struct in_shift *shift, uint64_t id)
{
    shift->out = id > shift->out ? id : shift->out;
}

enum mm_class in_expand_check(struct in_expander *e, enum mm_input limit, uint64_t amount)
{
    return e->file ? mm_input_check(limit, e->file_size, amount, e->file, &e->error) : MM_OK;
}

/* ---- to the consumer ------------------------------------------------------------------------- */

static enum mm_class out_events(void *context, const struct mm_event *events, size_t count)
{
    struct in_expander *e = context;
    e->events.out += count;
    if (e->stopped == MM_OK)
        e->stopped = mm_sink_events(e->to, events, count);
    return e->stopped;
}

static enum mm_class out_record(void *context, const struct mm_record *record)
{
    struct in_expander *e = context;
    if (record->type == MM_RECORD_SOURCE)
        note_output_id(&e->sources, record->source.id);
    if (record->type == MM_RECORD_ALLOCATION)
        note_output_id(&e->allocations, record->allocation.id);
    return e->stopped = e->to->record(e->to->context, record);
}

/* ---- from the trace -------------------------------------------------------------------------- */

static enum mm_class stop_without_memory(struct in_expander *e)
{
    return e->stopped = in_expand_no_memory(e);
}

/* A note that events are missing, because the launch was not recorded; re-execution supplies them. */
static bool is_missing_events_note(const struct mm_event *event)
{
    return event->kind == MM_API_CALL && (event->semantics & MM_REPLAYED);
}

static uint32_t shift_id(const struct in_shift *shift, uint32_t id)
{
    return (uint32_t)in_shift_id(shift, id);
}

static enum mm_class expand_event(struct in_expander *e, const struct mm_event *given)
{
    struct mm_event event = *given;
    e->events.seen++;
    if (is_missing_events_note(given)) {
        mm_recorder_flush(e->recorder);
        return extend_shift(&e->events, e->events.seen) ? e->stopped : stop_without_memory(e);
    }
    event.source = shift_id(&e->sources, event.source);
    event.allocation = shift_id(&e->allocations, event.allocation);
    mm_recorder_event(e->recorder, &event, NULL, 0);
    if (event.kind == MM_FREE)
        in_mirror_free(e, given->allocation);
    return e->stopped;
}

static enum mm_class expand_events(void *context, const struct mm_event *events, size_t count)
{
    struct in_expander *e = context;
    for (size_t k = 0; k < count && e->stopped == MM_OK; k++)
        expand_event(e, &events[k]);
    return e->stopped;
}

static enum mm_class expand_replay(struct in_expander *e, const struct mm_replay *replay)
{
    e->stopped = in_expand_launch(e, replay);
    if (e->stopped != MM_OK)
        return e->stopped;
    if (e->sources.out > UINT32_MAX / 2 || e->allocations.out > UINT32_MAX / 2)
        return e->stopped = mm_fail(&e->error, MM_LIMIT, "trace.replay", "the trace has too many ids");
    bool shifted_on = extend_shift(&e->events, e->events.seen) &&
                      extend_shift(&e->sources, e->sources.seen + 1) &&
                      extend_shift(&e->allocations, e->allocations.seen + 1);
    return shifted_on ? MM_OK : stop_without_memory(e);
}

/* Renumbers the ids of a record. */
static void shift_record(struct in_expander *e, struct mm_record *r)
{
    switch (r->type) {
    case MM_RECORD_EDGE:
        r->edge.from = in_shift_id(&e->events, r->edge.from);
        r->edge.to = in_shift_id(&e->events, r->edge.to);
        break;
    case MM_RECORD_ALLOCATION:
        note_seen_id(&e->allocations, r->allocation.id);
        r->allocation.id = shift_id(&e->allocations, r->allocation.id);
        break;
    case MM_RECORD_SOURCE:
        note_seen_id(&e->sources, r->source.id);
        r->source.id = shift_id(&e->sources, r->source.id);
        r->source.caller = shift_id(&e->sources, r->source.caller);
        break;
    case MM_RECORD_ARGUMENT:
        r->argument.allocation = shift_id(&e->allocations, r->argument.allocation);
        break;
    case MM_RECORD_FINDING:
        r->finding.allocation = shift_id(&e->allocations, r->finding.allocation);
        r->finding.source = shift_id(&e->sources, r->finding.source);
        break;
    default:
        break;
    }
}

static enum mm_class expand_record(void *context, const struct mm_record *given)
{
    struct in_expander *e = context;
    struct mm_record record = *given;
    if (e->stopped != MM_OK)
        return e->stopped;
    switch (given->type) {
    case MM_RECORD_EVENT:
        return expand_event(e, &given->event);
    case MM_RECORD_CONTENT:
        return e->stopped = in_mirror_content(e, &given->content);
    case MM_RECORD_PROGRAM:
        return e->stopped = in_expand_program(e, &given->program);
    case MM_RECORD_REPLAY:
        return expand_replay(e, &given->replay);
    default:
        break;
    }
    if (given->type == MM_RECORD_ALLOCATION && in_mirror_create(e, &given->allocation) != MM_OK)
        return e->stopped = MM_LIMIT;
    shift_record(e, &record);
    mm_recorder_record(e->recorder, &record);
    return e->stopped;
}

/* ---- reading ----------------------------------------------------------------------------------- */

static void expander_destroy(struct in_expander *e)
{
    mm_recorder_destroy(e->recorder);
    in_expand_programs_destroy(e);
    in_mirrors_destroy(e);
    mm_free(e->events.steps);
    mm_free(e->sources.steps);
    mm_free(e->allocations.steps);
    mm_free(e);
}

static enum mm_class expand_trace(int fd, const char *name, bool is_file, const struct mm_sink *sink,
                                  bool *complete, struct mm_error *err)
{
    struct in_expander *e = mm_alloc_zero(1, sizeof *e);
    struct mm_sink out = {.context = e, .record = out_record, .events = out_events},
                   in = {.context = e, .record = expand_record, .events = expand_events};
    struct mm_error error = {0};
    *complete = false;
    if (e)
        e->recorder = mm_recorder_create(&out);
    if (!e || !e->recorder) {
        mm_free(e);
        return mm_fail(err, MM_LIMIT, "trace.memory", "out of memory for a trace reader");
    }
    e->to = sink;
    if (is_file) {
        struct stat status = {0};
        e->file = name;
        e->file_size = fstat(fd, &status) == 0 ? (uint64_t)status.st_size : 0; /* 0 of a pipe */
    }
    enum mm_class cls = (is_file ? mm_trace_read_file : mm_trace_read)(fd, name, &in, complete, &error);
    mm_recorder_flush(e->recorder);
    if (cls == MM_OK && e->stopped != MM_OK) {
        cls = mm_fail(&error, e->stopped, "trace.sink", "the consumer of the trace stopped");
        *complete = false;
    }
    if (e->error.cls != MM_OK) {
        error = e->error;
        cls = error.cls;
        snprintf(error.file, sizeof error.file, "%s", name ? name : "");
    }
    if (err)
        *err = error;
    expander_destroy(e);
    return cls;
}

enum mm_class in_expand_trace(int fd, const char *name, const struct mm_sink *sink, bool *complete,
                              struct mm_error *err)
{
    return expand_trace(fd, name, false, sink, complete, err);
}

enum mm_class in_expand_file(int fd, const char *name, const struct mm_sink *sink, bool *complete,
                             struct mm_error *err)
{
    return expand_trace(fd, name, true, sink, complete, err);
}
