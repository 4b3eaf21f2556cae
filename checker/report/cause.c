/* Findings with one cause: one missing barrier, fence, event or wait shows at many places and memory objects.
 *
 * The cause of a race within a command is the change that is known to help against it, or the two places; of
 * a race between commands or with the host, what would have to be ordered.  Causes are one where one change
 * includes the other: the wider scope of the same atomics, the wait for the same copy; and without a known
 * change, where races on a memory object share an access, and the lines of one are among those of the other,
 * or where one barrier could stand between the accesses of both.  A barrier that not all work-items reach is
 * the cause of the races between accesses before and after it.  Fingerprints are of the text around a
 * finding, so that they survive changes elsewhere in the file. */
#include "checker/report/report.h"
#include "memmodel/base/hash.h"

#include <inttypes.h>
#include <string.h>

enum { KEY = 1600, PART = 500 }; /* bytes of a text that identifies a cause; of one access in it */

static const char *kernel_of(const struct ck_access *access)
{
    const struct mm_command *c = access->command;
    return !c ? "" : c->kernel && *c->kernel ? c->kernel : c->kind ? c->kind : "";
}

/* Appends the issuer of an access, without what differs between iterations of the host's loops. */
static void put_issuer(const struct ck_access *access, char *text)
{
    const struct mm_source *call = access->call            ? access->call
                                   : access->agent.command ? NULL
                                                           : &access->source;
    snprintf(text, PART, "%.200s@%.250s:%" PRIu32, access->agent.command ? kernel_of(access) : "host",
             call && call->file ? call->file : "", call ? call->line : 0);
}

static void put_place(const struct ck_access *access, char *text)
{
    snprintf(text, PART, "%.200s@%.250s:%" PRIu32 ":%" PRIu32, kernel_of(access),
             access->source.file ? access->source.file : "", access->source.line, access->source.column);
}

static bool is_race(const struct ck_finding *f)
{
    return f->access_count == 2;
}

static uint64_t cause_of(const struct ck_finding *f)
{
    char parts[2][PART] = {"", ""}, key[KEY];
    const struct ck_access *a = f->accesses;
    bool apart = is_race(f) && a[0].agent.command != a[1].agent.command;
    for (size_t i = 0; i < f->access_count; i++)
        (apart ? put_issuer : put_place)(&a[i], parts[i]);
    bool swap = strcmp(parts[0], parts[1]) > 0;
    if (f->access_count == 0 || strcmp(f->kind, CK_NEEDLESS_WAIT) == 0)
        snprintf(key, sizeof key, "message|%s|%.1000s", f->kind, ck_report_message(f));
    else if (is_race(f) && !apart && f->fix && f->verified)
        snprintf(key, sizeof key, "fix|%s|%.500s|%.900s", f->kind, kernel_of(a), f->fix);
    else
        snprintf(key, sizeof key, "%s|%s|%.500s|%.500s", apart ? "order" : "places", f->kind, parts[swap],
                 parts[!swap]);
    return mm_fnv1a(MM_FNV1A, key, strlen(key)) ^ f->process;
}

/* ---- causes that include one another ------------------------------------------------------------------ */

static bool same_place(const struct mm_source *a, const struct mm_source *b)
{
    return a && b && a->line && a->line == b->line && a->column == b->column && a->file && b->file &&
           strcmp(a->file, b->file) == 0;
}

static bool is_among(const struct mm_source *place, const struct ck_finding *f)
{
    return same_place(place, f->changed[0]) || same_place(place, f->changed[1]);
}

/* True if A and B need the same scope, B of atomics that are among those of A. */
static bool has_scope_of(const struct ck_finding *a, const struct ck_finding *b)
{
    return a->verified && b->verified && a->change.scope && a->change.scope == b->change.scope &&
           !a->change.fence_flags && !b->change.fence_flags && is_among(b->changed[0], a) &&
           (!b->changed[1] || is_among(b->changed[1], a));
}

/* True if A lacks a wait for the copy that B lacks a wait for, or that makes an access of B. */
static bool has_copy_of(const struct ck_finding *a, const struct ck_finding *b)
{
    if (!a->fix || !a->verified || !a->change.wait)
        return false;
    if (b->change.wait)
        return b->fix && b->verified && same_place(a->changed[0], b->changed[0]);
    return strcmp(b->kind, "unwaited-copy") == 0 && b->access_count &&
           same_place(a->changed[0], &b->accesses[0].source);
}

static bool is_within_command(const struct ck_finding *f)
{
    return is_race(f) && f->commands != CK_ACROSS_COMMANDS &&
           f->accesses[0].agent.command == f->accesses[1].agent.command;
}

static bool same_memory(const struct ck_finding *a, const struct ck_finding *b)
{
    return a->allocation && b->allocation &&
           (a->allocation->id == b->allocation->id ||
            (a->allocation->region == MM_LOCAL && b->allocation->region == MM_LOCAL && a->allocation->name &&
             b->allocation->name && *a->allocation->name &&
             strcmp(a->allocation->name, b->allocation->name) == 0));
}

static bool has_line(const struct ck_finding *f, const struct mm_source *place)
{
    bool has = false;
    for (int i = 0; i < 2; i++) {
        const struct mm_source *own = &f->accesses[i].source;
        has |= place->line && own->line == place->line && own->file && place->file &&
               strcmp(own->file, place->file) == 0;
    }
    return has;
}

static bool share_place(const struct ck_finding *a, const struct ck_finding *b)
{
    bool shared = false;
    for (int i = 0; i < 4; i++)
        shared |= same_place(&a->accesses[i / 2].source, &b->accesses[i % 2].source);
    return shared;
}

/* True if no change is known for either, one access is the same, and the lines of B are among those of A. */
static bool has_lines_of(const struct ck_finding *a, const struct ck_finding *b)
{
    return is_within_command(a) && is_within_command(b) && !a->fix && !b->fix &&
           strcmp(a->kind, b->kind) == 0 && same_memory(a, b) &&
           strcmp(kernel_of(a->accesses), kernel_of(b->accesses)) == 0 && share_place(a, b) &&
           has_line(a, &b->accesses[0].source) && has_line(a, &b->accesses[1].source);
}

/* The statement of KERNEL that makes the access: the outermost call. */
static const struct mm_source *statement_of(const struct ck_access *access)
{
    return access->depth ? access->stack[access->depth - 1] : &access->source;
}

/* True if A is on a line before B in the same function; columns say nothing about the order of operands. */
static bool is_before(const struct mm_source *a, const struct mm_source *b)
{
    return a->line && a->line < b->line && a->file && b->file && strcmp(a->file, b->file) == 0 &&
           a->function && b->function && strcmp(a->function, b->function) == 0;
}

/* Fills SPAN with the two statements of a race within a command, in the order of their lines; false unless
 * they are on two lines of one function. */
static bool span_of(const struct ck_finding *f, const struct mm_source *span[2])
{
    if (!is_within_command(f))
        return false;
    const struct mm_source *a = statement_of(&f->accesses[0]), *b = statement_of(&f->accesses[1]);
    bool ordered = is_before(a, b);
    span[0] = ordered ? a : b;
    span[1] = ordered ? b : a;
    return is_before(span[0], span[1]);
}

/* True if the only known change is a barrier at a point that was not tried. */
static bool lacks_barrier(const struct ck_finding *f)
{
    return !f->fix || (f->change.barrier.before && !f->verified);
}

/* True if an access of F also races with itself in another work-item, which no barrier prevents. */
static bool races_with_itself(const struct ck_detector *detector, const struct ck_finding *f)
{
    bool found = false;
    for (size_t i = 0; i < ck_detector_finding_count(detector) && !found; i++) {
        const struct ck_finding *g = ck_detector_finding(detector, i);
        found = is_within_command(g) && same_memory(f, g) &&
                same_place(&g->accesses[0].source, &g->accesses[1].source) && share_place(f, g);
    }
    return found;
}

/* True if one missing barrier (of a work-group, of all) could separate the accesses of A and those of B. */
static bool shares_gap(const struct ck_detector *detector, const struct ck_finding *a,
                       const struct ck_finding *b)
{
    const struct mm_source *in_a[2], *in_b[2];
    return strcmp(a->kind, b->kind) == 0 && a->reason && b->reason && strcmp(a->reason, b->reason) == 0 &&
           lacks_barrier(a) && lacks_barrier(b) && span_of(a, in_a) && span_of(b, in_b) &&
           strcmp(kernel_of(a->accesses), kernel_of(b->accesses)) == 0 && is_before(in_a[0], in_b[1]) &&
           is_before(in_b[0], in_a[1]) && !races_with_itself(detector, a) && !races_with_itself(detector, b);
}

/* True if A is about a barrier that not all work-items reach, and that is between the accesses of the race
 * B. */
static bool has_barrier_of(const struct ck_finding *a, const struct ck_finding *b)
{
    const struct mm_source *span[2];
    if (strcmp(a->kind, "barrier-divergence") != 0 || !a->access_count || !span_of(b, span) ||
        strcmp(kernel_of(a->accesses), kernel_of(b->accesses)) != 0 ||
        memcmp(b->accesses[0].group_id, b->accesses[1].group_id, sizeof b->accesses[0].group_id) != 0)
        return false;
    const struct mm_source *barrier = statement_of(a->accesses);
    return is_before(span[0], barrier) && is_before(barrier, span[1]);
}

static bool is_unwritten_read(const struct ck_finding *f)
{
    return strcmp(f->kind, "uninitialized-read") == 0 && f->access_count;
}

/* True if B is a read of uninitialized memory that the race A lets precede the first write. */
static bool has_read_of(const struct ck_finding *a, const struct ck_finding *b)
{
    return is_within_command(a) && is_unwritten_read(b) && same_memory(a, b) &&
           (same_place(&a->accesses[0].source, &b->accesses[0].source) ||
            same_place(&a->accesses[1].source, &b->accesses[0].source));
}

static bool cause_includes(const struct ck_finding *a, const struct ck_finding *b)
{
    return has_scope_of(a, b) || has_copy_of(a, b) || has_lines_of(a, b) || has_read_of(a, b) ||
           has_barrier_of(a, b);
}

static bool same_cause(const struct ck_detector *detector, const struct ck_finding *a,
                       const struct ck_finding *b)
{
    return a->process == b->process &&
           (cause_includes(a, b) || cause_includes(b, a) || shares_gap(detector, a, b));
}

/* Merges the causes A and B. */
static void join_causes(size_t *first, size_t count, size_t a, size_t b)
{
    size_t one = a < b ? a : b, other = a < b ? b : a;
    for (size_t i = other; i < count; i++)
        if (first[i] == other)
            first[i] = one;
}

/* Finding I is about a value that depends on an uninitialized one: gives it the cause of the kernel's reads
 * of uninitialized memory, if these have a single cause. */
static void join_reads(const struct ck_detector *detector, size_t *first, size_t i)
{
    const struct ck_finding *f = ck_detector_finding(detector, i);
    size_t count = ck_detector_finding_count(detector), cause = count;
    bool one = strcmp(f->kind, "uninitialized") == 0 && f->access_count;
    for (size_t k = 0; k < count && one; k++) {
        const struct ck_finding *read = ck_detector_finding(detector, k);
        if (!is_unwritten_read(read) || read->process != f->process ||
            strcmp(kernel_of(read->accesses), kernel_of(f->accesses)) != 0)
            continue;
        one = cause == count || cause == first[k];
        cause = first[k];
    }
    if (one && cause != count && cause != first[i])
        join_causes(first, count, cause, first[i]);
}

size_t ck_report_causes(const struct ck_detector *detector, size_t *first)
{
    size_t count = ck_detector_finding_count(detector), causes = 0;
    uint64_t *keys = mm_alloc_zero(count + 1, sizeof *keys);
    for (size_t i = 0; i < count; i++) {
        const struct ck_finding *f = ck_detector_finding(detector, i);
        first[i] = i;
        if (keys)
            keys[i] = cause_of(f);
        for (size_t k = 0; keys && k < i; k++) {
            const struct ck_finding *g = ck_detector_finding(detector, k);
            if (first[k] != first[i] && (keys[k] == keys[i] || same_cause(detector, f, g)))
                join_causes(first, i + 1, first[k], first[i]);
        }
    }
    for (size_t i = 0; i < count; i++)
        join_reads(detector, first, i);
    for (size_t i = 0; i < count; i++)
        causes += first[i] == i;
    mm_free(keys);
    return causes;
}

/* ---- severity ----------------------------------------------------------------------------------------- */

const char *ck_report_severity(const struct ck_finding *finding)
{
    static const char *const warnings[] = {"false-assumption", "float-to-integer", "printf-format",
                                           "step-limit",       CK_UNIFORM_WRITE,   "unsigned-overflow"};
    if (strcmp(finding->kind, "leak") == 0 || ck_finding_is_hint(finding))
        return "note";
    for (size_t i = 0; i < sizeof warnings / sizeof *warnings; i++)
        if (strcmp(finding->kind, warnings[i]) == 0)
            return "warning";
    return "error";
}

/* ---- places ------------------------------------------------------------------------------------------- */

static const char *line_text(const struct ck_detector *detector, const struct mm_source *source,
                             size_t *length)
{
    const char *text = source->file && *source->file && source->line
                           ? ck_source_line(ck_detector_text(detector, source->file), source->line)
                           : NULL;
    *length = text ? strcspn(text, "\r\n") : 0;
    return text;
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

uint32_t ck_report_end_column(const struct ck_detector *detector, const struct mm_source *source)
{
    size_t length, at = source->column ? source->column - 1 : 0;
    const char *line = line_text(detector, source, &length);
    if (!line || !source->column || at >= length)
        return source->column ? source->column + 1 : 0;
    do
        at++;
    while (at < length && is_word(line[at - 1]) && is_word(line[at]));
    return (uint32_t)at + 1;
}

static uint64_t hash_text(uint64_t hash, const char *text, size_t length)
{
    return mm_fnv1a(mm_fnv1a(hash, text, length), "|", 1);
}

/* Adds to HASH the function, and the line without surrounding blanks. */
static uint64_t hash_place(uint64_t hash, const struct ck_detector *detector, const struct mm_source *source)
{
    size_t length;
    const char *line = line_text(detector, source, &length),
               *slash = source->file ? strrchr(source->file, '/') : NULL;
    const char *file = slash          ? slash + 1
                       : source->file ? source->file
                                      : "",
               *function = source->function ? source->function : "";
    if (!line) {
        char number[16];
        snprintf(number, sizeof number, "%" PRIu32, source->line);
        hash = hash_text(hash, file, strlen(file));
        return hash_text(hash, number, strlen(number));
    }
    while (length && strchr(" \t", *line))
        line++, length--;
    while (length && strchr(" \t", line[length - 1]))
        length--;
    return hash_text(hash_text(hash, function, strlen(function)), line, length);
}

void ck_report_fingerprint(const struct ck_detector *detector, const struct ck_finding *f, char text[17])
{
    uint64_t hashes[2] = {MM_FNV1A, MM_FNV1A};
    if (f->detector)
        detector = f->detector;
    for (size_t i = 0; i < f->access_count; i++) {
        const char *kernel = kernel_of(&f->accesses[i]), *argument = f->accesses[i].argument;
        hashes[i] = hash_text(hashes[i], kernel, strlen(kernel));
        hashes[i] = hash_text(hashes[i], argument ? argument : "", argument ? strlen(argument) : 0);
        hashes[i] = hash_place(hashes[i], detector, &f->accesses[i].source);
    }
    uint64_t hash = hash_text(MM_FNV1A, f->kind, strlen(f->kind));
    if (!f->access_count)
        hash = hash_text(hash, ck_report_message(f), strlen(ck_report_message(f)));
    snprintf(text, 17, "%016" PRIx64,
             hash ^ (hashes[0] + hashes[1])); /* which access is later does not matter */
}
