/* `refcl kernel --replay`: a child process replays a witness, prints each step and records events for the
 * checks of the session. The replay decides whether the execution matches the file. */
#include "memmodel/base/escape.h"
#include "tools/session/session.h"
#include "tools/tool.h"
#include "tools/verdict_text.h"
#include "tools/witness/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_VALUES = 16 };

struct steps {
    const struct witness *witness;
    const char *path;
    FILE *out; /* NULL: nothing is printed */
    uint32_t printed;
    uint32_t *last_write, *write_before; /* by object, by event: indices of earlier events */
    bool waits;
};

/* ---- words ---------------------------------------------------------------------------------------- */

/* Prints line LINE without surrounding white space. */
static void print_line(const char *source, uint32_t line, FILE *out)
{
    for (; source && *source && line > 1; source++)
        line -= *source == '\n';
    if (!source || line != 1)
        return;
    source += strspn(source, " \t");
    char text[71];
    size_t length = strcspn(source, "\r\n");
    snprintf(text, sizeof text, "%.*s", (int)(length < 70 ? length : 70), source);
    for (char *tab = text; (tab = strchr(tab, '\t'));)
        *tab = ' ';
    if (length)
        mm_print(out, "    | %s%s", text, length < 70 ? "" : "...");
}

static bool events_overlap(const struct ck_event *a, const struct ck_event *b)
{
    return a->object == b->object && a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

/* The last earlier write to bytes of H. */
static uint32_t newest_write(const struct steps *s, const struct ck_event *h)
{
    const struct ck_event *all = s->witness->execution->events;
    uint32_t i = s->last_write[h->object];
    while (i != CK_NO_EVENT && !events_overlap(&all[i], h))
        i = s->write_before[i];
    return i;
}

static void print_source(const struct steps *s, const struct ck_event *h)
{
    const struct ck_event *all = s->witness->execution->events;
    const struct ck_event *from = h->source == CK_NO_EVENT ? NULL : &all[h->source];
    uint32_t last = newest_write(s, h);
    if (from && from->kind != MM_INIT && from->step > h->step)
        mm_print(s->out, ", which step %u will write", from->step);
    else if (from && from->kind != MM_INIT)
        mm_print(s->out, ", from step %u", from->step);
    else
        mm_print(s->out, ", as it was before");
    if (from && last != CK_NO_EVENT && last != h->source && from->step < all[last].step)
        mm_print(s->out, ": an old value, step %u wrote a newer one", all[last].step);
}

static void print_access(const struct steps *s, const struct ck_event *h)
{
    const struct ck_object *o = &s->witness->program->objects[h->object];
    char element[120], value[MM_SCALAR_TEXT];
    verdict_element(o, h->offset, h->size, element, sizeof element);
    verdict_value_text(o, h->offset, h->value, h->size, value);
    mm_print(s->out, " %s = %s", element, value);
    if (h->order)
        mm_print(s->out, " (%s)", mm_order_name((enum mm_order)h->order));
    if (h->kind == MM_READ)
        print_source(s, h);
}

static void on_step(void *context, uint32_t index, bool again)
{
    static const char *const verbs[MM_KIND_COUNT] = {
        [MM_READ] = "reads", [MM_WRITE] = "writes", [MM_FENCE] = "fence", [MM_BARRIER_ENTRY] = "barrier"};
    struct steps *s = context;
    const struct witness *w = s->witness;
    const struct ck_event *h = &w->execution->events[index];
    s->waits |= again;
    if (again)
        return;
    s->printed++;
    if (s->out) {
        mm_print(s->out, "%5u  %s  line %u: %s", h->step, w->program->threads[h->thread].name, h->line,
                 verbs[h->kind] ? verbs[h->kind] : mm_kind_name((enum mm_kind)h->kind));
        if (h->object != CK_NO_OBJECT)
            print_access(s, h);
        else if (h->order)
            mm_print(s->out, " (%s)", mm_order_name((enum mm_order)h->order));
        print_line(w->source, h->line, s->out);
        fputc('\n', s->out);
    }
    if (h->kind == MM_WRITE) {
        s->write_before[index] = s->last_write[h->object];
        s->last_write[h->object] = index;
    }
}

/* ---- before and after ----------------------------------------------------------------------------- */

static void print_head(const struct steps *s)
{
    const struct witness *w = s->witness;
    char what[WITNESS_TEXT];
    witness_describe(w->program, w->execution, what);
    mm_print(s->out, "%s: kernel %s, %u work-items, by %s: %s\n", w->file, w->program->name,
             w->global[0] * w->global[1] * w->global[2], w->model, what + (*what == ' '));
    for (size_t i = 0; i < w->condition_count; i++)
        mm_print(s->out, "    condition: %s\n", w->conditions[i]);
    if (w->condition_count && w->execution->shows == CK_SHOWS_STATE)
        mm_print(s->out, "    which is %s in this final state\n", w->satisfies ? "true" : "false");
}

static bool is_shown(const struct ck_object *o)
{
    return !o->hidden && o->region != MM_PRIVATE && o->region != MM_CONSTANT && o->size;
}

static void print_object(const struct steps *s, uint32_t object)
{
    const struct ck_object *o = &s->witness->program->objects[object];
    uint64_t count = o->size / o->element_size;
    mm_print(s->out, "    %s =", o->name);
    for (uint64_t i = 0; i < count && i < MOST_VALUES; i++) {
        char value[MM_SCALAR_TEXT];
        verdict_value_text(o, i * o->element_size,
                           replay_final_value(s->witness, object, i * o->element_size, o->element_size),
                           o->element_size, value);
        mm_print(s->out, " %s", value);
    }
    mm_print(s->out, "%s\n", count > MOST_VALUES ? " ..." : "");
}

static void print_end(const struct steps *s, enum replay_result result, const char *why)
{
    const struct witness *w = s->witness;
    if (s->waits)
        mm_print(s->out,
                 "       does not terminate: the remaining work-items repeat these loop iterations\n");
    if (result == REPLAY_SAME && w->execution->shows == CK_SHOWS_STATE) {
        mm_print(s->out, "final memory:\n");
        for (uint32_t i = 0; i < w->program->object_count; i++)
            if (is_shown(&w->program->objects[i]))
                print_object(s, i);
    }
    if (result != REPLAY_SAME)
        mm_print(s->out, "departs from the witness after %u steps: %s\n", s->printed, why);
}

/* ---- the program of the session -------------------------------------------------------------------- */

static int run_replay(void *context, int trace)
{
    struct steps *s = context;
    const struct witness *w = s->witness;
    char why[WITNESS_TEXT] = "";
    struct mm_error err = {0};
    struct mm_sink sink;
    size_t objects = (w->program->object_count + 1) * sizeof *s->last_write;
    s->last_write = mm_alloc(objects);
    s->write_before = mm_alloc((w->execution->count + 1) * sizeof *s->write_before);
    if (!s->last_write || !s->write_before)
        return tool_error(EXIT_TOOL, "out of memory");
    memset(s->last_write, 0xFF, objects);
    if (mm_trace_writer(trace, MM_TRACE_UNCOMPRESSED, NULL, &sink, &err) != MM_OK)
        return tool_report(&err);
    struct replay_listener listener = {s, on_step, mm_recorder_create(&sink)};
    if (!listener.recorder)
        return tool_error(EXIT_TOOL, "out of memory");
    if (s->out)
        print_head(s);
    enum replay_result result = replay_witness(w, &listener, why);
    if (s->out)
        print_end(s, result, why);
    mm_recorder_destroy(listener.recorder);
    mm_free(s->last_write);
    mm_free(s->write_before);
    return result == REPLAY_SAME ? EXIT_CLEAN : result == REPLAY_DIFFERS ? EXIT_FINDINGS : EXIT_UNKNOWN;
}

static bool has_race(const struct ck_detector *detector)
{
    for (size_t i = 0; i < ck_detector_finding_count(detector); i++)
        if (strstr(ck_detector_finding(detector, i)->kind, "race"))
            return true;
    return false;
}

/* Compares the replay with the finding in the file; the detector must report a race of the default model as
 * well. */
static int judge_replay(void *context, const struct ck_detector *detector, int status)
{
    const struct steps *s = context;
    const struct witness *w = s->witness;
    bool race = w->execution->shows == CK_SHOWS_FLAG && strstr(w->execution->flag, "race");
    bool ours = strcmp(w->model, "opencl.cat") == 0 && w->switch_count == 0;
    if (status == EXIT_CLEAN && race && !has_race(detector) && ours)
        return tool_error(EXIT_FINDINGS, "%s: replayed, but the detector finds no race", s->path);
    if (status == EXIT_CLEAN && s->out)
        mm_print(s->out, "replayed: %s is what happens%s\n", s->path,
                 race && !has_race(detector) ? ", a race by that model alone" : "");
    return status;
}

static bool to_stdout(const char *name)
{
    return name && strcmp(name, "-") == 0;
}

int replay_run(struct session *session, const char *path)
{
    struct witness witness;
    bool taken = to_stdout(session->report.json) || to_stdout(session->report.sarif) ||
                 to_stdout(session->report.junit);
    struct steps steps = {.witness = &witness,
                          .path = path,
                          .out = session->report.quiet ? NULL
                                 : taken               ? stderr
                                                       : stdout};
    struct session_program program = {&steps, run_replay, judge_replay};
    char *words[] = {(char *)(uintptr_t)path, NULL};
    int code = witness_read(&witness, path);
    if (code)
        return code;
    session->program = &program;
    session->execution.memory_mode = "weak";
    code = session_run(session, words);
    witness_close(&witness);
    return code;
}
