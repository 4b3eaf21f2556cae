/* Findings as compiler-style diagnostics: location, message, source line with a caret, notes. */
#include "checker/race/words.h"
#include "checker/report/report.h"
#include "memmodel/base/escape.h"

#include <inttypes.h>
#include <string.h>

enum { WIDEST = 200 }; /* bytes of an excerpt */

struct style {
    const char *bold, *error, *note, *caret, *off;
};
static const struct style plain = {"", "", "", "", ""};
static const struct style colored = {"\033[1m", "\033[1;31m", "\033[1;36m", "\033[1;32m", "\033[0m"};

MM_PRINTF(3, 4) static void put_note(const struct style *style, FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(out, "%snote:%s", style->note, style->off);
    mm_vprint(out, format, arguments);
    va_end(arguments);
}

static void put_place(const struct mm_source *source, FILE *out)
{
    if (source->file && *source->file)
        mm_print(out, "%s:", source->file);
    if (source->line)
        mm_print(out, "%" PRIu32 ":", source->line);
    if (source->line && source->column)
        mm_print(out, "%" PRIu32 ":", source->column);
    if ((source->file && *source->file) || source->line)
        fputc(' ', out);
}

const char *ck_source_line(const char *text, uint32_t line)
{
    while (text && --line)
        text = (text = strchr(text, '\n')) ? text + 1 : NULL;
    return text;
}

/* True for UTF-8 continuation bytes. */
static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The first byte to print of a long line, so that the column is visible. */
static size_t first_shown(const char *line, size_t length, uint32_t column)
{
    size_t at = length > WIDEST && column > WIDEST / 2 ? column - WIDEST / 2 : 0;
    while (at < length && is_continuation(line[at]))
        at++;
    return at;
}

/* The line with a caret below the column; tabs are kept so that the caret fits whatever their width. */
static void put_excerpt(const struct ck_detector *detector, const struct mm_source *source,
                        const struct style *style, FILE *out)
{
    const char *text = source->file && *source->file ? ck_detector_text(detector, source->file) : NULL;
    const char *line = source->line ? ck_source_line(text, source->line) : NULL;
    if (!line)
        return;
    size_t length = strcspn(line, "\r\n"), from = first_shown(line, length, source->column);
    size_t to = length - from > WIDEST ? from + WIDEST : length;
    while (to < length && is_continuation(line[to]))
        to++;
    mm_print(out, "%6" PRIu32 " | %s", source->line, from ? "..." : "");
    for (size_t i = from, n; i < to; i += n + (i + n < to)) {
        for (n = 0; i + n < to && line[i + n] != '\t';)
            n++;
        mm_put_terminal(line + i, n, out);
        if (i + n < to)
            fputc('\t', out);
    }
    fputs(to < length ? "...\n" : "\n", out);
    if (source->column <= from || source->column > to)
        return;
    mm_print(out, "       | %s", from ? "   " : "");
    for (size_t i = from; i + 1 < source->column; i++)
        if (!is_continuation(line[i]))
            fputc(line[i] == '\t' ? '\t' : ' ', out);
    fprintf(out, "%s^%s\n", style->caret, style->off);
}

static void put_triple(FILE *out, const char *what, const uint64_t id[3])
{
    mm_print(out, "%s (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", what, id[0], id[1], id[2]);
}

/* Prints the agent of an access, and the memory of finding OF; NULL: the memory is printed already. */
static void put_agent(const struct ck_access *access, const struct ck_finding *of, FILE *out)
{
    char agent[300], where[200] = "";
    ck_words_agent(access, true, agent, sizeof agent);
    if (of && of->allocation)
        ck_words_location(of, where, sizeof where);
    const char *opcode = access->source.line || !access->source.opcode ? "" : access->source.opcode;
    bool call = access->event.kind == MM_KIND_COUNT && !access->agent.command;
    mm_print(out, "%s%s%s%s%s%s by %s", call ? "a call" : ck_words_access(&access->event),
             *opcode ? " (" : "", opcode, *opcode ? ")" : "", *where ? " to " : "", where, agent);
    if (!access->command || access->agent.index == MM_INDEX_RUNTIME || mm_is_copy(&access->event))
        return;
    put_triple(out, ", local id", access->local_id);
    put_triple(out, ", work-group", access->group_id);
}

static void put_order(const struct ck_access *access, FILE *out)
{
    if (!(access->event.attributes & MM_ATOMIC))
        return;
    mm_print(out, ", memory_order_%s", mm_order_name((enum mm_order)access->event.order));
    if (access->event.scope)
        mm_print(out, ", memory_scope_%s", mm_scope_name((enum mm_scope)access->event.scope));
}

/* Prints the calls that led to a place in function INNERMOST. */
static void put_stack(const char *innermost, const struct mm_source *const *stack, uint32_t depth,
                      const struct style *style, FILE *out)
{
    for (uint32_t i = 0; i < depth; i++) {
        put_place(stack[i], out);
        put_note(style, out, " '%s' is called here, in '%s'\n", i ? stack[i - 1]->function : innermost,
                 stack[i]->function);
    }
}

/* Prints where the command was enqueued, or recorded in a command buffer, unless it is printed already. */
static void put_call(const struct ck_access *access, bool said, const struct style *style, FILE *out)
{
    uint32_t parent = access->command ? access->command->parent : 0;
    if (!access->call || said)
        return;
    bool recorded = parent && strncmp(access->call->opcode, "clCommand", strlen("clCommand")) == 0;
    put_place(access->call, out);
    put_note(style, out, " command %" PRIu32 " is %s here by ", access->agent.command,
             recorded ? "recorded" : "enqueued");
    if (recorded)
        mm_print(out, "%s, and part of command %" PRIu32 "\n", access->call->opcode, parent);
    else if (parent)
        mm_print(out, "command %" PRIu32 "\n", parent);
    else
        mm_print(out, "%s, host thread %" PRIu32 ", on queue %" PRIu32 "\n", access->call->opcode,
                 access->caller, access->command ? access->command->queue : 0);
    put_stack(access->call->function, access->call_stack, access->call_depth, style, out);
}

/* The other kinds of accesses that raced at the same two places. */
static void put_pairs(const struct ck_finding *f, const struct style *style, FILE *out)
{
    const char *names[15][2];
    size_t count = ck_words_pairs(f->pairs, names, 15);
    if (count < 2)
        return;
    put_note(style, out, " seen as");
    for (size_t i = 0; i < count; i++)
        mm_print(out, "%s %s/%s", i ? "," : "", names[i][0], names[i][1]);
    fputc('\n', out);
}

enum { MOST_OF_CAUSE = 12 }; /* findings of one cause that are listed */

/* Prints one line with the place of the access and of the access that it races with. */
static void put_other(const struct ck_finding *f, const struct style *style, FILE *out)
{
    const struct ck_access *a = f->accesses;
    char where[200] = "";
    if (f->allocation)
        ck_words_location(f, where, sizeof where);
    if (f->access_count)
        put_place(&a[0].source, out);
    put_note(style, out, " the same cause: %s%s%s", f->kind, *where ? " on " : "", where);
    if (f->access_count == 2 && a[1].source.line)
        mm_print(out, ", with the %s at line %" PRIu32,
                 ck_words_access(&a[1].event) + (ck_words_access(&a[1].event)[1] == 'n' ? 3 : 2),
                 a[1].source.line);
    else if (!f->allocation)
        mm_print(out, ": %s", ck_report_message(f));
    fputc('\n', out);
}

/* True if the two findings have the same text, like those about local memory of several launches. */
static bool reads_alike(const struct ck_finding *a, const struct ck_finding *b)
{
    char where[2][200] = {"", ""};
    if (strcmp(a->kind, b->kind) != 0 || a->access_count != b->access_count ||
        !a->allocation != !b->allocation)
        return false;
    for (size_t i = 0; i < a->access_count; i++) {
        const struct mm_source *x = &a->accesses[i].source, *y = &b->accesses[i].source;
        if (x->line != y->line || x->column != y->column ||
            strcmp(x->file ? x->file : "", y->file ? y->file : "") != 0)
            return false;
    }
    if (a->allocation) {
        ck_words_location(a, where[0], sizeof where[0]);
        ck_words_location(b, where[1], sizeof where[1]);
    }
    return strcmp(where[0], where[1]) == 0;
}

/* True if an earlier finding with the same cause has the same text as finding K. */
static bool is_printed(const struct ck_detector *detector, size_t k, const size_t *first)
{
    const struct ck_finding *f = ck_detector_finding(detector, k);
    for (size_t i = first[k]; i < k; i++)
        if (first[i] == first[k] && reads_alike(ck_detector_finding(detector, i), f))
            return true;
    return false;
}

/* Prints the other findings with the same cause as finding I. */
static void put_others(const struct ck_detector *detector, size_t i, const size_t *first,
                       const struct style *style, FILE *out)
{
    size_t others = 0;
    for (size_t k = i + 1; k < ck_detector_finding_count(detector); k++)
        if (first[k] == i && !is_printed(detector, k, first) && ++others <= MOST_OF_CAUSE)
            put_other(ck_detector_finding(detector, k), style, out);
    if (others > MOST_OF_CAUSE)
        put_note(style, out, " the same cause: %zu more\n", others - MOST_OF_CAUSE);
}

static void put_finding(const struct ck_detector *detector, const struct ck_finding *f,
                        const struct style *style, FILE *out)
{
    if (f->detector)
        detector = f->detector;
    static const struct mm_source nowhere = {.file = ""};
    const struct mm_source *source = f->access_count ? &f->accesses[0].source : &nowhere;
    fputs(style->bold, out);
    put_place(source, out);
    fprintf(out, "%s%s:%s %s", style->error, ck_report_severity(f), style->off, style->bold);
    mm_print(out, "%s%s%s%s", ck_report_message(f), *f->clause ? " [" : "", f->clause, *f->clause ? "]" : "");
    fprintf(out, "%s\n", style->off);
    put_excerpt(detector, source, style, out);
    for (size_t i = 0; i < f->access_count; i++) {
        const struct ck_access *access = &f->accesses[i];
        if (i)
            put_place(&access->source, out);
        put_note(style, out, " %s", f->access_count < 2 ? "" : i ? "earlier: " : "later: ");
        put_agent(access, f->access_count < 2 ? f : NULL, out);
        put_order(access, out);
        fputc('\n', out);
        if (i)
            put_excerpt(detector, &access->source, style, out);
        put_stack(access->source.function, access->stack, access->depth, style, out);
        put_call(access, i && access->agent.command == f->accesses[0].agent.command, style, out);
    }
    if (f->created) {
        put_place(f->created, out);
        put_note(style, out, " %s is created here\n",
                 f->allocation && *f->allocation->name ? f->allocation->name : "the memory");
    }
    if (f->reason)
        put_note(style, out, " %s\n", f->reason);
    if (f->revisions)
        put_note(style, out, " %s\n", f->revisions);
    if (f->depends_on)
        put_note(style, out, " it depends on the launch that was chosen: %s\n", f->depends_on);
    if (f->fix)
        put_note(style, out, " to fix it: %s%s\n", f->fix,
                 f->verified ? " (checked: the change removes this race)" : " (not checked)");
    if (strcmp(f->kind, CK_UNIFORM_WRITE) == 0)
        put_note(
            style, out,
            " all write the same value: a race by the definition all the same (--uniform-writes=ignore)\n");
    put_pairs(f, style, out);
    if (f->process)
        put_note(style, out, " in process %" PRIu32 "\n", f->process);
    if (f->count > 1)
        put_note(style, out, " seen %" PRIu64 " times\n", f->count);
}

void ck_report_text(const struct ck_detector *detector, const struct ck_report_options *options, FILE *out)
{
    const struct style *style = options && options->color ? &colored : &plain;
    size_t count = ck_detector_finding_count(detector);
    struct mm_error limit;
    char ending[300], hidden[200];
    bool failed = ck_report_failed(options, ending, sizeof ending);
    size_t *first = mm_alloc_zero(count + 1, sizeof *first),
           causes = first ? ck_report_causes(detector, first) : count;
    for (size_t i = 0; i < count; i++) {
        if (first && first[i] != i)
            continue;
        put_finding(detector, ck_detector_finding(detector, i), style, out);
        if (first)
            put_others(detector, i, first, style, out);
    }
    mm_free(first);
    if (ck_detector_status(detector, &limit) != MM_OK)
        mm_print(out, "refcl: unknown: %s\n", limit.message);
    const char *unobserved = ck_report_unobserved(options);
    if (options && options->model)
        mm_print(out, "refcl: predictions by %s, sha256 %s\n", options->model->name, options->model->sha256);
    if (unobserved)
        mm_print(out, "refcl: unknown: %s\n", unobserved);
    if (ck_detector_dropped(detector))
        mm_print(out, "refcl: %zu more that are not shown\n", ck_detector_dropped(detector));
    if (ck_report_hidden(detector, hidden, sizeof hidden))
        mm_print(out, "refcl: hidden: %s\n", hidden);
    size_t hints = count - ck_detector_fault_count(detector);
    count -= hints;
    causes -= hints;
    if (hints)
        mm_print(out, "refcl: %zu hint%s, no fault%s\n", hints, hints == 1 ? "" : "s", hints == 1 ? "" : "s");
    if (causes < count)
        mm_print(out, "refcl: %zu findings with %zu cause%s\n", count, causes, causes == 1 ? "" : "s");
    else if (count)
        mm_print(out, "refcl: %zu finding%s\n", count, count == 1 ? "" : "s");
    else if (!failed && !unobserved && ck_detector_status(detector, NULL) == MM_OK)
        mm_print(out, "refcl: no findings\n");
    if (options && options->checked)
        mm_print(out, "refcl: checked: %s%s%.*s%s%s\n", options->checked,
                 *options->not_checked ? "; not checked: " : "", (int)options->more_checks,
                 options->not_checked, options->more_checks ? " (--check all)" : "",
                 options->not_checked + options->more_checks);
    if (failed)
        mm_print(out, "refcl: %s; %s\n", ending,
                 options->observation == CK_OBSERVED_NOTHING ? "nothing that it did was checked"
                                                             : "what it did until then was checked");
}
