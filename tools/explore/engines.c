/* refcl explore: runs an engine on a program, with increasing loop bounds. */
#include "memmodel/base/clock.h"
#include "tools/explore/command.h"
#include "tools/final_order.h"
#include "tools/interrupt.h"

#include <limits.h>
#include <string.h>

enum { MAX_UNROLL = 1 << 12 };

/* ---- models --------------------------------------------------------------------------------------- */

/* Replaces *CAT, the model at PATH, by the same model with the order of final values. */
static int with_final_order(const struct explore *e, const char *path, bool z3, struct mm_cat_model **cat)
{
    char *text, *longer;
    size_t size;
    struct mm_error err = {0};
    int code = explore_read_file(MM_INPUT_CAT, path, &text, &size);
    if (code)
        return code;
    longer = tool_with_final_order(*cat, text, z3);
    mm_free(text);
    mm_cat_destroy(*cat);
    *cat = NULL;
    if (!longer)
        return tool_error(EXIT_TOOL, "out of memory");
    if (mm_cat_parse(longer, path, e->switches.items, cat, &err) != MM_OK)
        code = tool_report(&err);
    mm_free(longer);
    return code;
}

static int load_model(struct explore *e, bool vulkan, bool z3, struct mm_cat_model **cat)
{
    char path[PATH_MAX];
    struct mm_error err = {0};
    int code = tool_find_model(e->model ? e->model : vulkan ? "vulkan.cat" : "opencl.cat", path);
    if (code)
        return code;
    if (mm_cat_load(path, e->switches.items, cat, &err) != MM_OK)
        return tool_report(&err);
    mm_cat_destroy(e->named);
    if (mm_cat_load(path, e->switches.items, &e->named, &err) != MM_OK)
        return tool_report(&err);
    return with_final_order(e, path, z3, cat);
}

uint64_t explore_now_ms(const struct explore *e)
{
    return mm_clock_ms(e->options.cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC);
}

/* WANTED milliseconds, or the time left for the file if that is less. */
static unsigned time_for(const struct explore *e, unsigned wanted)
{
    uint64_t now = explore_now_ms(e), left = now < e->until_ms ? e->until_ms - now : 1;
    return wanted && left < wanted ? (unsigned)left : wanted;
}

/* Whether search may decide programs without atomic operations by one execution: under refcl's own models,
 * with initial values that happen before everything. */
static bool is_drf_model(const struct explore *e, bool vulkan)
{
    const char *name = e->model ? e->model : vulkan ? "vulkan.cat" : "opencl.cat";
    bool drf = strcmp(name, "opencl.cat") == 0 || strcmp(name, "opencl-scoped-sc.cat") == 0;
    for (size_t i = 0; i < e->switches.count; i++)
        drf = drf && strncmp(e->switches.items[i], "init=", 5) != 0;
    return drf;
}

static int ask_once(struct explore *e, const struct ck_program *program, bool z3,
                    const struct ck_options *options, struct ck_verdict *v)
{
    struct mm_cat_model *cat = NULL;
    struct mm_error err = {0};
    int failed = load_model(e, program->vulkan, z3, &cat);
    if (failed)
        return failed;
    enum mm_class r = z3 ? ck_z3(program, cat, options, v, &err) : ck_search(program, cat, options, v, &err);
    mm_cat_destroy(cat);
    guard_name_limit(&e->guard, &v->limit);
    return r == MM_OK ? 0 : tool_report(&err);
}

bool explore_exceeds_bound(const struct ck_verdict *v)
{
    return v->limit.cls &&
           (strcmp(v->limit.rule, "search.bound") == 0 || strcmp(v->limit.rule, "bound") == 0);
}

static size_t finding_count(const struct ck_verdict *v)
{
    return (size_t)(v->race == CK_YES) + (v->usage == CK_YES) + (v->condition == CK_NO) +
           (v->divergence == CK_YES) + (v->termination == CK_NO) + v->flag_count;
}

/* Replaces V by NEXT, a verdict for a larger bound, unless NEXT is incomplete without a new finding; true:
 * replaced. */
static bool replace_verdict(struct ck_verdict *v, struct ck_verdict *next)
{
    bool better = !next->limit.cls || explore_exceeds_bound(next) || finding_count(next) > finding_count(v);
    double time_ms = v->time_ms + next->time_ms;
    ck_verdict_clear(better ? v : next);
    *v = better ? *next : *v;
    v->time_ms = time_ms;
    return better;
}

/* The time left for the file, less a twentieth of its limit for presenting the verdict. */
static unsigned time_left(const struct explore *e)
{
    unsigned left = time_for(e, e->options.timeout_ms), margin = e->options.timeout_ms / 20;
    return left > margin ? left - margin : 0;
}

/* Doubles the bound of loops until the answers no longer depend on it, or the time is used. */
static int deepen_loops(struct explore *e, const struct ck_program *program, bool z3,
                        struct ck_options options, struct ck_verdict *v)
{
    int failed = 0;
    while (!failed && explore_exceeds_bound(v) && v->race != CK_YES && options.unroll < MAX_UNROLL) {
        struct ck_verdict next = {0};
        options.unroll *= 2;
        options.bound = z3 ? options.unroll : options.bound;
        options.timeout_ms = time_left(e);
        if (e->options.timeout_ms && !options.timeout_ms)
            break;
        failed = ask_once(e, program, z3, &options, &next);
        if (!failed && !replace_verdict(v, &next))
            break;
    }
    return failed;
}

static bool has_trip_counts(const struct ck_program *program)
{
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t i = 0; i < program->threads[t].instr_count; i++)
            if (program->threads[t].instrs[i].trip_count)
                return true;
    return false;
}

static void clear_trip_counts(struct ck_program *program)
{
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t i = 0; i < program->threads[t].instr_count; i++)
            program->threads[t].instrs[i].trip_count = 0;
}

/* Loops of known trip count that are too long for the engine: a few iterations of each may show a finding. */
static int shorten_loops(struct explore *e, struct ck_program *program, bool z3, struct ck_options options,
                         struct ck_verdict *v)
{
    struct ck_verdict next = {0};
    options.timeout_ms = time_for(e, options.timeout_ms ? options.timeout_ms / 3 + 1 : 0);
    clear_trip_counts(program);
    int failed = ask_once(e, program, z3, &options, &next);
    if (!failed && finding_count(&next) > 0)
        replace_verdict(v, &next);
    else
        ck_verdict_clear(&next);
    return failed;
}

int explore_ask(struct explore *e, struct ck_program *program, bool z3, unsigned timeout_ms,
                struct ck_verdict *v)
{
    struct ck_options options = e->options;
    options.interrupted = &tool_interrupted;
    options.drf = is_drf_model(e, program->vulkan);
    bool counted = has_trip_counts(program);
    options.timeout_ms = time_for(e, counted ? timeout_ms - timeout_ms / 4 : timeout_ms);
    options.memory_limit = guard_soft_memory(&e->guard);
    if (z3)
        options.bound = options.unroll; /* Z3 counts the back edges taken */
    int failed = ask_once(e, program, z3, &options, v);
    if (!failed && options.deepens)
        failed = deepen_loops(e, program, z3, options, v);
    if (!failed && counted && v->limit.cls && !explore_exceeds_bound(v) && finding_count(v) == 0)
        failed = shorten_loops(e, program, z3, options, v);
    if (!failed && tool_interrupted && v->limit.cls) /* a larger bound might have decided it */
        mm_fail(&v->limit, MM_LIMIT, CK_INTERRUPTED, "interrupted");
    return failed;
}
