/* Verifies suggested fixes: replays the trace with the change applied to its events.  The recorded order of
 * events is kept: a fix passes if the same execution has no such race with it; otherwise it is withdrawn.
 * Time is bounded: a fix that could not be verified in time is reported as not checked. */
#include "tools/session/verify.h"
#include "memmodel/base/array.h"
#include "memmodel/base/clock.h"
#include "tools/session/order.h"
#include "tools/session/reexecute.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TRIED = 20, SECONDS = 5 };

/* A sink that passes records to SINK with CHANGE applied.  An instruction in a function has one source id for
 * each call chain to it.  A change names a source location, so all of these ids map to it. */
struct changer {
    struct mm_sink sink;
    const struct ck_change *change;
    struct mm_source place[2]; /* of change->source, file NULL: unknown */
    uint8_t *change_index;     /* by source id: 1 + index in change->source, 0: unchanged */
    size_t source_count;       /* elements of CHANGE_INDEX */
};

static enum mm_class change_event(const struct changer *changer, const struct mm_event *event)
{
    struct mm_event changed = *event;
    uint8_t which = event->source < changer->source_count ? changer->change_index[event->source] : 0;
    if (which)
        changed.source = changer->change->source[which - 1];
    ck_change_apply(changer->change, &changed);
    changed.source = event->source;
    return changer->sink.events(changer->sink.context, &changed, 1);
}

static bool same_place(const struct mm_source *a, const struct mm_source *b)
{
    return a->line && a->line == b->line && a->column == b->column && a->file && b->file &&
           strcmp(a->file, b->file) == 0 && strcmp(a->opcode, b->opcode) == 0;
}

static void note_source(struct changer *changer, const struct mm_source *source)
{
    for (int i = 0; i < 2; i++) {
        if (!same_place(source, &changer->place[i]))
            continue;
        if (source->id >= changer->source_count) {
            size_t known = changer->source_count;
            if (!mm_reserve(&changer->change_index, &changer->source_count, (size_t)source->id + 1))
                return;
            memset(changer->change_index + known, 0, changer->source_count - known);
        }
        changer->change_index[source->id] = (uint8_t)(i + 1);
        return;
    }
}

static enum mm_class change_record(void *context, const struct mm_record *record)
{
    struct changer *changer = context;
    if (record->type == MM_RECORD_EVENT)
        return change_event(changer, &record->event);
    if (record->type == MM_RECORD_SOURCE)
        note_source(changer, &record->source);
    return changer->sink.record(changer->sink.context, record);
}

static enum mm_class change_events(void *context, const struct mm_event *events, size_t count)
{
    enum mm_class cls = MM_OK;
    for (size_t i = 0; i < count && cls == MM_OK; i++)
        cls = change_event(context, &events[i]);
    return cls;
}

int session_verify_file(void)
{
    const char *folder = getenv("TMPDIR");
    return open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

enum mm_class session_trace_read(const struct session_trace *trace, const struct mm_sink *sink,
                                 bool *complete)
{
    if (trace->fd < 0 || lseek(trace->fd, 0, SEEK_SET) != 0)
        return MM_LIMIT;
    return trace->read(trace->fd, "trace", sink, complete, NULL);
}

struct ck_detector *session_trace_judge(const struct session_trace *trace, const struct ck_detector *detector,
                                        enum mm_revision revision)
{
    struct ck_detector_options options = {.races = true,
                                          .weak = ck_detector_is_weak(detector),
                                          .max_findings = 1,
                                          .revision = revision,
                                          .locate = session_places_locate,
                                          .locate_context = trace->places};
    return ck_detector_create(&options);
}

/* The trace judged again with the change of one finding.  Other findings often need the same change: it is
 * judged for all at once. */
struct retrial {
    struct ck_change change;    /* of events */
    struct session_order order; /* COUNT 0: not of commands */
    struct ck_detector *again;  /* NULL: none yet */
    enum mm_class result;
};

static void close_retrial(struct retrial *retrial)
{
    if (retrial->again)
        ck_detector_destroy(retrial->again);
    *retrial = (struct retrial){.again = NULL};
}

/* Judges TRACE with the change of FINDING, unless RETRIAL has that; false: the trace cannot be read. */
static bool change_events_of(struct retrial *retrial, struct ck_detector *detector,
                             const struct session_trace *trace, const struct ck_finding *finding)
{
    if (retrial->again && retrial->order.count == 0 &&
        memcmp(&retrial->change, &finding->change, sizeof retrial->change) == 0)
        return true;
    close_retrial(retrial);
    retrial->change = finding->change;
    retrial->again = session_trace_judge(trace, detector, MM_REVISION_3_0);
    if (!retrial->again)
        return false;
    struct changer changer = {.change = &retrial->change};
    for (int k = 0; k < 2; k++)
        ck_detector_source(detector, finding->change.source[k], &changer.place[k]);
    struct mm_sink sink = {.context = &changer, .record = change_record, .events = change_events};
    bool complete;
    ck_detector_suppose(retrial->again, &retrial->change);
    ck_detector_sink(retrial->again, &changer.sink);
    bool read = session_trace_read(trace, &sink, &complete) == MM_OK;
    retrial->result = ck_detector_status(retrial->again, NULL);
    mm_free(changer.change_index);
    if (!read)
        close_retrial(retrial);
    return read;
}

/* False: the trace cannot be read. */
static bool try_change(struct ck_detector *detector, const struct session_trace *trace, size_t i,
                       struct retrial *retrial)
{
    const struct ck_finding *finding = ck_detector_finding(detector, i);
    if (!change_events_of(retrial, detector, trace, finding))
        return false;
    if (retrial->result == MM_OK)
        ck_detector_verified(detector, i, !ck_detector_race(retrial->again, finding));
    return true;
}

/* ---- orders of commands -------------------------------------------------------------------------- */

static bool is_ordered(const struct session_order *order, const struct ck_order *one)
{
    bool ordered = one->first == 0;
    for (size_t k = 0; k < order->count; k++)
        ordered |= memcmp(&order->orders[k], one, sizeof *one) == 0;
    return ordered;
}

/* Judges TRACE with ORDER, unless RETRIAL has that; false without memory. */
static bool order_commands(struct retrial *retrial, const struct ck_detector *detector,
                           const struct session_trace *trace, const struct session_order *order)
{
    struct mm_sink sink;
    if (retrial->again && retrial->order.count == order->count &&
        memcmp(retrial->order.orders, order->orders, order->count * sizeof *order->orders) == 0)
        return true;
    close_retrial(retrial);
    retrial->order = *order;
    retrial->again = session_trace_judge(trace, detector, MM_REVISION_3_0);
    if (!retrial->again)
        return false;
    ck_detector_sink(retrial->again, &sink);
    retrial->result = session_order_read(trace, &retrial->order, &sink);
    if (retrial->result == MM_OK)
        retrial->result = ck_detector_status(retrial->again, NULL);
    return true;
}

/* Tries orders of commands.  Ordering the first pair may leave other pairs of commands at the same source
 * locations racing: these are ordered as well, until no race is left or the racing pair is ordered
 * already. */
static void try_orders(struct ck_detector *detector, const struct session_trace *trace, size_t i, double end,
                       struct retrial *retrial)
{
    const struct ck_finding *finding = ck_detector_finding(detector, i);
    struct session_order order = {.orders = {finding->change.commands}, .count = 1};
    enum mm_class result = MM_OK;
    bool races = true, continues = true;
    while (races && continues) {
        if (!order_commands(retrial, detector, trace, &order))
            return;
        result = retrial->result;
        const struct ck_finding *race = ck_detector_race(retrial->again, finding);
        races = race != NULL;
        continues = result == MM_OK && races && order.count < SESSION_ORDERS &&
                    mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID) < end &&
                    !is_ordered(&order, &race->change.commands);
        if (continues)
            order.orders[order.count++] = race->change.commands;
    }
    if (result == MM_UNDEFINED || (result == MM_OK && !races))
        ck_detector_verified(detector, i, result == MM_OK);
    if (result == MM_OK && !races && order.count > 1) {
        char fix[700];
        snprintf(fix, sizeof fix, "%s, and so on: %zu pairs", finding->fix, order.count);
        ck_detector_advise(detector, i, fix);
    }
}

/* ---- findings ------------------------------------------------------------------------------------ */

void session_verify(struct ck_detector *detector, const struct session_trace *trace)
{
    double end = mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID) + SECONDS;
    size_t tried = 0;
    struct retrial retrial = {.again = NULL};
    for (size_t i = 0; trace->fd >= 0 && i < ck_detector_finding_count(detector); i++) {
        const struct ck_finding *finding = ck_detector_finding(detector, i);
        bool orders = finding->change.commands.first;
        if (!finding->fix || (!finding->change.source[0] && !orders))
            continue;
        if (tried++ == MOST_TRIED || mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID) >= end)
            break;
        if (orders)
            try_orders(detector, trace, i, end, &retrial);
        else if (!try_change(detector, trace, i, &retrial))
            break;
    }
    close_retrial(&retrial);
}
