/* Exhaustive search: the driver (docs/search.md#driver), resource limits, and the values that
 * read-modify-writes write. */
#include "checker/search/exec.h"
#include "memmodel/base/clock.h"

#include <string.h>
#include <sys/resource.h>

enum { FEW_STEPS = 100000 }; /* to find the values of locations: the exploration may do without */

uint64_t sx_mask(unsigned size)
{
    return size >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << (8 * size)) - 1;
}

uint64_t sx_rmw_value(const struct ck_program *program, const struct ck_instr *i, uint64_t old,
                      uint64_t operand)
{
    int64_t x = ck_sign_extend(old, i->size), y = ck_sign_extend(operand, i->size);
    uint64_t value = operand;

    switch ((enum ck_rmw_op)i->rmw) {
    case CK_RMW_XCHG:
        break;
    case CK_RMW_ADD:
        value = old + operand;
        break;
    case CK_RMW_SUB:
        value = old - operand;
        break;
    case CK_RMW_AND:
        value = old & operand;
        break;
    case CK_RMW_OR:
        value = old | operand;
        break;
    case CK_RMW_XOR:
        value = old ^ operand;
        break;
    case CK_RMW_SMIN:
        value = x < y ? old : operand;
        break;
    case CK_RMW_SMAX:
        value = x > y ? old : operand;
        break;
    case CK_RMW_UMIN:
        value = old < operand ? old : operand;
        break;
    case CK_RMW_UMAX:
        value = old > operand ? old : operand;
        break;
    case CK_RMW_APPLY:
        value = ck_apply(program, i->function, (const uint64_t[]){old, operand, 0});
        break;
    }
    return value & sx_mask(i->size);
}

/* ---- limits ------------------------------------------------------------------------------------- */

uint64_t sx_now_us(void)
{
    return mm_clock_ns(CLOCK_MONOTONIC) / 1000;
}

/* A process that was forked just now has used no time: 0 is a reading, unless the system has no such clock
 * (WebAssembly). */
uint64_t sx_processor_us(void)
{
    struct timespec resolution;

    return clock_getres(CLOCK_PROCESS_CPUTIME_ID, &resolution) == 0
               ? mm_clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000
               : sx_now_us();
}

void sx_limit(struct sx *sx, const char *rule, const char *message)
{
    if (!sx->limited)
        mm_fail(&sx->verdict->limit, MM_LIMIT, rule, "%s", message);
    sx->limited = true;
}

bool sx_out_of_memory(struct sx *sx)
{
    sx_limit(sx, "memory", "out of memory");
    return false;
}

bool sx_stop_without_memory(struct sx *sx)
{
    sx->stop = true;
    return sx_out_of_memory(sx);
}

static bool is_in_time(struct sx *sx)
{
    if ((sx->options.interrupted && *sx->options.interrupted) ||
        (sx->split && sx_split_is_interrupted(sx->split))) {
        sx_limit(sx, CK_INTERRUPTED, "interrupted");
        return false;
    }
    if (sx->limits.deadline_us == 0 ||
        (sx_processor_us() < sx->limits.deadline_us && sx_now_us() < sx->limits.wall_deadline_us))
        return true;
    sx_limit(sx, "search.time", "limit reached: time (raise with --timeout)");
    return false;
}

static size_t memory_in_use(struct sx *sx)
{
    struct rusage used;

    if (sx->split)
        return sx_split_memory(sx->split);
    return getrusage(RUSAGE_SELF, &used) == 0 ? (size_t)used.ru_maxrss << 10 : 0;
}

static bool has_memory(struct sx *sx)
{
    if (sx->options.memory_limit == 0 || memory_in_use(sx) <= sx->options.memory_limit)
        return true;
    sx_limit(sx, "memory", "limit reached: memory");
    return false;
}

bool sx_in_bounds(struct sx *sx)
{
    bool within = is_in_time(sx) && has_memory(sx);

    sx->limits.exhausted |= !within;
    return within;
}

/* ---- the driver --------------------------------------------------------------------------------- */

/* Finds the values of all locations within ENOUGH steps of threads (0: no bound).  False: that bound or a
 * limit was reached. */
static bool find_values(struct sx *sx, uint64_t enough)
{
    sx->limits.step_bound = enough ? sx->limits.steps + enough : 0;
    sx->limits.step_bound_exceeded = false;
    return sx_find_traces(sx);
}

/* Explains an outcome that no execution has: constructs all candidates again, unpruned. */
static void explain_outcome(struct sx *sx, bool values_known)
{
    uint64_t candidates = sx->verdict->candidate_count;

    for (size_t i = 0; i < sx->verdict->state_count; i++) {
        if (sx->verdict->states[i].satisfies)
            return;
    }
    if (sx->stop || sx->limited)
        return;
    sx->explains = SX_EXPLAINS_OUTCOME;
    sx_step_through(sx, values_known);
    sx->verdict->candidate_count = candidates;
}

/* Lists the final states that candidates alone have.  A limit that ends this leaves the verdict as it is. */
static void list_forbidden(struct sx *sx, bool values_known)
{
    uint64_t candidates = sx->verdict->candidate_count;
    bool settled = !sx->stop && !sx->limited && sx->final_check == MM_CAT_NO_CHECK;

    if (!settled)
        return;
    sx->explains = SX_EXPLAINS_STATES;
    sx_step_through(sx, values_known);
    sx->verdict->forbidden_complete = !sx->stop && !sx->limited;
    sx->verdict->candidate_count = candidates;
    if (sx->limited)
        sx->verdict->limit = (struct mm_error){0};
    sx->explains = SX_EXPLAINS_NOTHING;
    sx->stop = sx->limited = false;
    sx->exec->explained = 0;
}

static void decide_program(struct sx *sx)
{
    bool values = !sx->options.no_values && find_values(sx, FEW_STEPS);

    if (!values && !sx->limits.step_bound_exceeded && !sx->options.no_values)
        return;
    if (!values && sx->guess && !(values = find_values(sx, 0)))
        return;
    if (sx->program->kernel)
        sx->exchanges = sx_find_symmetry(sx, values);
    while (!sx_step_through(sx, values) && (values = find_values(sx, 0)))
        ;
    if (sx->options.forbidden)
        list_forbidden(sx, values);
    if (sx->options.explain)
        explain_outcome(sx, values);
}

static bool wants_input(const struct sx *sx)
{
    return sx->inputs && sx->inputs->wanted != CK_NO_INPUT;
}

static enum mm_class search_run(struct sx *sx)
{
    enum mm_class r;

    sx->arena = mm_arena_create();
    sx->trace_arena = mm_arena_create();
    sx->threads =
        sx->arena ? mm_arena_alloc(sx->arena, (sx->program->thread_count + 1) * sizeof *sx->threads) : NULL;
    if (!sx->threads || !sx->trace_arena)
        return mm_out_of_memory(sx->err);
    if (!sx_find_never_read(sx))
        return mm_out_of_memory(sx->err);
    sx->eval = mm_cat_eval_create(sx->model, sx->err);
    if (!sx->eval)
        return MM_LIMIT;
    r = sx_exec_create(sx);
    if (r)
        return r;
    sx->features.split_barriers = mm_cat_eval_uses(sx->eval, "BEN") || mm_cat_eval_uses(sx->eval, "BEX");
    sx->features.models_overlap = mm_cat_eval_uses(sx->eval, "extent") || mm_cat_eval_uses(sx->eval, "piece");
    sx->features.tracks_dependencies = mm_cat_eval_uses(sx->eval, "addr") ||
                                       mm_cat_eval_uses(sx->eval, "data") ||
                                       mm_cat_eval_uses(sx->eval, "ctrl");
    if (sx_decide_drf(sx)) {
        sx_conclude(sx);
        return MM_OK;
    }
    if (wants_input(sx) || sx->unknown.used)
        return MM_OK;
    if (sx->program->kernel && !sx->options.no_walk)
        sx_walk(sx);
    if (wants_input(sx) || sx->unknown.used)
        return MM_OK;
    if (sx->options.only_walk)
        sx_limit(sx, "search.walks", "limit reached: random executions alone");
    else
        decide_program(sx);
    if (!wants_input(sx))
        sx_conclude(sx);
    return MM_OK;
}

static enum mm_class run_and_clean_up(struct sx *sx)
{
    enum mm_class r = search_run(sx);

    sx_exec_destroy(sx);
    mm_cat_eval_destroy(sx->eval);
    mm_cat_eval_destroy(sx->open_eval);
    mm_arena_destroy(sx->trace_arena);
    mm_arena_destroy(sx->arena);
    return r;
}

/* By all processes that share the search. */
static enum mm_class search_shared(struct sx *sx)
{
    struct ck_verdict before = *sx->verdict, shared = before;
    struct sx start = *sx;
    enum mm_class r = run_and_clean_up(sx);
    enum sx_joined joined;

    while ((joined = sx_split_end(sx)) == SX_JOIN_EARLY || joined == SX_JOIN_FAILED) {
        if (r)
            return r;
        shared = *sx->verdict;
        *sx = start;
        *sx->verdict = before;
        if (joined == SX_JOIN_FAILED)
            sx->split = NULL;
        r = run_and_clean_up(sx);
    }
    if (joined == SX_JOIN_BROKEN)
        return mm_fail(sx->err, MM_BUG, "search.jobs", "a process of the search ended unexpectedly");
    if (!r && sx->limits.exhausted && sx->verdict->limit.cls && shared.limit.cls && shared.race == CK_YES)
        *sx->verdict = shared;
    return r;
}

enum mm_class sx_search(struct sx *sx)
{
    struct ck_verdict before = *sx->verdict;
    struct sx start = *sx;
    enum mm_class r;

    sx->unknown.assumed = sx_may_assume_unused(sx->program);
    r = search_shared(sx);
    if (r || !sx->unknown.assumed ||
        !(sx->unknown.used ||
          (sx->verdict->limit.cls && strcmp(sx->verdict->limit.rule, "search.uninitialized") == 0)))
        return r;
    *sx = start;
    *sx->verdict = before;
    return search_shared(sx);
}

/* Of this process and of those that it has waited for. */
static uint64_t processor_us_of_all(void)
{
    struct rusage used;
    uint64_t others = 0;

    if (getrusage(RUSAGE_CHILDREN, &used) == 0)
        others = (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
                 (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    return sx_processor_us() + others;
}

enum mm_class ck_search(const struct ck_program *program, const struct mm_cat_model *model,
                        const struct ck_options *options, struct ck_verdict *verdict, struct mm_error *err)
{
    struct sx sx = {.program = program, .model = model, .verdict = verdict, .err = err};
    uint64_t start = sx_processor_us(), used = processor_us_of_all(), timeout;
    enum mm_class r = ck_program_validate(program, err);

    *verdict = (struct ck_verdict){0};
    if (r)
        return r;
    if (options)
        sx.options = *options;
    if (sx.options.bound == 0)
        sx.options.bound = 2;
    timeout = (uint64_t)sx.options.timeout_ms * 1000;
    if (timeout) {
        sx.limits.deadline_us = start + timeout;
        sx.limits.wall_deadline_us = sx.options.cpu_time ? UINT64_MAX : sx_now_us() + timeout;
    }
    verdict->arena = mm_arena_create();
    sx.split = verdict->arena && sx.options.jobs > 1 ? sx_split_create(&sx.options, verdict) : NULL;
    r = !verdict->arena        ? mm_out_of_memory(err)
        : program->input_count ? sx_search_inputs(&sx)
                               : sx_search(&sx);
    verdict->time_ms = (double)(processor_us_of_all() - used) / 1000.0;
    if (r)
        ck_verdict_clear(verdict);
    return r;
}
