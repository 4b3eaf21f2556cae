/* Findings that depend on what `refcl kernel --auto` chose: the launch is made again with fewer work-items,
 * and with each of its inputs alone.  Whether the choice is one that the kernel is meant for is left to the
 * reader. */
#include "tools/cmd/kernel.h"
#include "tools/launch/spec.h"
#include "tools/session/barrier.h"
#include "tools/session/launch.h"
#include "tools/session/process.h"

#include <string.h>

enum { SECONDS = 20, TEXT = 400 };

struct dependence {
    bool is_gone;    /* in a smaller launch */
    unsigned inputs; /* bit N: found with input N */
    char text[TEXT];
};
struct judge {
    struct kernel_choices *choices;
    const struct session *session;
    struct ck_detector *detector;
    struct session_patience patience;
    struct dependence *findings;
};

static void add_text(struct dependence *d, const char *before, const char *what)
{
    size_t n = strlen(d->text);
    snprintf(d->text + n, TEXT - n, "%s%s%s", n ? "; " : "", before, what);
}

/* Smaller launches have fewer pairs of work-items that could race, and smaller indices. */
static bool depends_on_size(const struct ck_finding *f)
{
    return f->access_count == 2 || strcmp(f->kind, "out-of-bounds") == 0;
}

static void try_smaller(struct judge *j)
{
    const struct kernel_choices *choices = j->choices;
    char **words, sizes[200];
    for (unsigned n = 0; (words = choices->smaller(choices->context, n, sizes, sizeof sizes)); n++) {
        struct session_processes processes;
        const struct ck_detector *again = session_launch_quietly(words, j->session, &j->patience, &processes);
        for (size_t i = 0; again && i < ck_detector_finding_count(j->detector); i++) {
            const struct ck_finding *f = ck_detector_finding(j->detector, i);
            if (!depends_on_size(f) || j->findings[i].is_gone || session_has_finding(again, f))
                continue;
            j->findings[i].is_gone = true;
            add_text(&j->findings[i], "not found with ", sizes);
        }
        session_processes_close(&processes);
        if (!again)
            return;
    }
}

/* ---- inputs -------------------------------------------------------------------------------------- */

/* A finding may depend on the inputs unless it was found in as many commands as there are inputs. */
static bool may_depend(const struct ck_finding *f, unsigned inputs)
{
    return f->access_count < 2 || f->commands < (unsigned)__builtin_popcount(inputs);
}

static bool try_input(struct judge *j, unsigned input, char *const *argv)
{
    static char option[] = "input";
    struct session_processes processes;
    char number[12];
    size_t count = 0;
    while (argv[count])
        count++;
    char **words = mm_alloc((count + 3) * sizeof *words);
    if (!words)
        return false;
    words[0] = argv[0];
    words[1] = option;
    words[2] = number;
    memcpy(words + 3, argv + 1, count * sizeof *words);
    snprintf(number, sizeof number, "%u", input);
    const struct ck_detector *again = session_launch_quietly(words, j->session, &j->patience, &processes);
    for (size_t i = 0; again && i < ck_detector_finding_count(j->detector); i++)
        if (session_has_finding(again, ck_detector_finding(j->detector, i)))
            j->findings[i].inputs |= 1u << input;
    session_processes_close(&processes);
    mm_free(words);
    return again != NULL;
}

/* Names the inputs that have the finding, or those that lack it where they are fewer: ALL are those of memory
 * alone. */
static void name_inputs(struct dependence *d, unsigned all)
{
    char names[200] = "";
    unsigned found = d->inputs & all;
    bool has_it = 2 * __builtin_popcount(found) <= __builtin_popcount(all);
    for (unsigned k = 0; all >> k; k++)
        if (all >> k & 1 && (found >> k & 1) == has_it)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "",
                     spec_input_name(k));
    if (found && found != all)
        add_text(d, has_it ? "found only with memory that holds " : "not found with memory that holds ",
                 names);
}

/* The launch with the other VALUES of input OTHER has the memory of SPEC_INPUT_SMALL, if memory changes at
 * all. */
static void name_values(struct dependence *d, enum spec_input other, const char *values, unsigned all)
{
    const unsigned same = all >> SPEC_INPUT_SMALL & 1 ? 1u << SPEC_INPUT_SMALL : 1;
    if (d->inputs & same && !(d->inputs >> other & 1))
        add_text(d, "not found with ", values);
    else if (d->inputs == 1u << other)
        add_text(d, "found only with ", values);
}

static void try_inputs(struct judge *j, char *const *argv)
{
    const unsigned inputs = j->choices->inputs,
                   all = inputs & ~(1u << SPEC_INPUT_OTHER | 1u << SPEC_INPUT_TAIL);
    bool good = false;
    for (size_t i = 0; i < ck_detector_finding_count(j->detector); i++)
        good |= inputs > 1 && may_depend(ck_detector_finding(j->detector, i), inputs);
    for (unsigned k = 0; inputs >> k && good; k++)
        if (inputs >> k & 1)
            good = try_input(j, k, argv);
    for (size_t i = 0; i < ck_detector_finding_count(j->detector) && good; i++)
        if (may_depend(ck_detector_finding(j->detector, i), inputs)) {
            name_inputs(&j->findings[i], all);
            if (inputs >> SPEC_INPUT_OTHER & 1)
                name_values(&j->findings[i], SPEC_INPUT_OTHER, j->choices->others, all);
            if (inputs >> SPEC_INPUT_TAIL & 1)
                name_values(&j->findings[i], SPEC_INPUT_TAIL, j->choices->tails, all);
        }
}

/* ---- sizes of memory --------------------------------------------------------------------------------- */

static bool is_outside(const struct ck_finding *f)
{
    return strcmp(f->kind, "out-of-bounds") == 0 && f->access_count && f->allocation &&
           f->accesses[0].argument;
}

/* Some kernels access elements beyond those of their work-items: by one or by a row that may be a mistake, by
 * more rows it is meant. */
static void try_exact(struct judge *j)
{
    struct kernel_choices *choices = j->choices;
    struct session_processes wide;
    char text[TEXT];
    char **words = choices->exact(choices->context, false);
    struct session_processes *exact = words ? mm_alloc_zero(1, sizeof *exact) : NULL;
    if (!exact || !session_launch_quietly(words, j->session, &j->patience, exact)) {
        if (exact)
            session_processes_close(exact);
        mm_free(exact);
        return;
    }
    choices->exact_launch = exact;
    struct ck_detector *found = exact->first->detector;
    const size_t count = ck_detector_finding_count(found);
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= is_outside(ck_detector_finding(found, i)) &&
               !session_has_finding(j->detector, ck_detector_finding(found, i));
    words = any ? choices->exact(choices->context, true) : NULL;
    if (!words)
        return;
    const struct ck_detector *rows = session_launch_quietly(words, j->session, &j->patience, &wide);
    for (size_t i = 0; i < count && rows; i++) {
        const struct ck_finding *f = ck_detector_finding(found, i);
        if (!is_outside(f) || session_has_finding(j->detector, f) || session_has_finding(rows, f))
            continue;
        snprintf(text, sizeof text, "found only where '%s' has one element for each work-item",
                 f->accesses[0].argument);
        ck_detector_add_hint(j->detector, found, i, CK_POSSIBLE_OUTSIDE, text);
    }
    session_processes_close(&wide);
}

void kernel_close_choices(struct kernel_choices *choices)
{
    if (choices->exact_launch)
        session_processes_close(choices->exact_launch);
    mm_free(choices->exact_launch);
    choices->exact_launch = NULL;
}

/* ---- all ----------------------------------------------------------------------------------------- */

void kernel_explain_choices(void *context, const struct session *session, struct ck_detector *detector,
                            char **argv)
{
    size_t count = ck_detector_finding_count(detector);
    struct judge j = {
        .choices = context, .session = session, .detector = detector, .patience = {.seconds = SECONDS}};
    j.findings = count ? mm_alloc_zero(count, sizeof *j.findings) : NULL;
    if (j.findings) {
        try_smaller(&j);
        try_inputs(&j, argv);
    }
    for (size_t i = 0; i < count && j.findings; i++)
        if (*j.findings[i].text)
            ck_detector_depends(detector, i, j.findings[i].text);
    mm_free(j.findings);
    try_exact(&j);
}
