/* One exploration shared by several processes (docs/search.md#several-processes).  A process that explores
 * forks a worker which continues with the deeper half of the branches on its stack; the process itself
 * unwinds to the other half.  Results come back through memory that all processes share, and are merged in
 * the order of the search. */
#include "checker/search/step.h"
#include "memmodel/base/array.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

unsigned sx_split_interval_us = 10000;

#ifdef __linux__
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* LATE_SPLIT_US: processor time before the first fork, in a search that is repeated because of earlier forks;
 * FEWEST_LEVELS: of the stack, to be divided. */
enum { LATE_SPLIT_US = 500000, MEMORY_INTERVAL_US = 100000, AWAIT_INTERVAL_MS = 50, FEWEST_LEVELS = 2 };
#define LARGEST_POOL ((size_t)16 << 30)

/* How a worker exits. */
enum { WORKER_ENDED, WORKER_OUT_OF_MEMORY, WORKER_FAILED };

/* At the start of the shared memory. */
struct split_pool {
    size_t size;
    atomic_size_t used;
    atomic_size_t resident; /* bytes, of all processes */
    atomic_uint running;    /* processes that explore */
    atomic_bool interrupted;
};

/* What a worker found, in shared memory. */
struct split_result {
    const struct split_result *parent; /* of the process that forked it, NULL: the first one */
    atomic_bool ended, cancelled;      /* CANCELLED: it is not needed */
    struct ck_verdict verdict;         /* states that are new or have become racy, and new executions */
    struct sx_seen seen;
    bool waits, limited, exhausted;
    uint32_t wanted; /* input without a value that was accessed, CK_NO_INPUT: none */
    bool stops;      /* the search ends here: what follows in its order is not part of the result */
    bool fails;      /* the exploration has to be repeated by one process */
};

struct split_worker {
    pid_t pid;
    struct split_result *result;
    size_t states, shown; /* of the forking process at that time */
    const char *lost;     /* the rule of the limit that ended it without a result; NULL: it has one */
};

struct sx_split {
    struct split_pool *pool;
    unsigned jobs;
    struct split_result *own; /* NULL: the first process */
    bool *racy;               /* by state at the fork of this process */
    size_t states;            /* at that fork */
    struct split_worker *workers;
    size_t worker_count;
    size_t resident;         /* this process's part of the pool's */
    uint64_t next_memory_us; /* not before this time does it determine that part again */
    uint64_t first_us;       /* processor time of a pass before the first fork */
    bool forked;             /* this process has forked */
    bool broken;             /* a process ended without a result */
    bool fails; /* the search has to be repeated, with forks later in each pass or by one process */
    bool alone; /* by one process, which counts the evaluations until the search ends (ends_soon()) */
};

/* ---- memory -------------------------------------------------------------------------------------- */

static void *take_from_pool(void *context, size_t size)
{
    struct split_pool *pool = context;
    size_t rounded = (size + 63) & ~(size_t)63, at;

    if (rounded > pool->size)
        return NULL;
    at = atomic_fetch_add(&pool->used, rounded);
    return at + rounded <= pool->size ? (char *)pool + at : NULL;
}

static void unmap_pool(void *context)
{
    struct split_pool *pool = context;

    munmap(pool, pool->size);
}

struct sx_split *sx_split_create(const struct ck_options *options, struct ck_verdict *verdict)
{
    size_t size = options->memory_limit ? options->memory_limit : LARGEST_POOL;
    struct sx_split *split = mm_arena_alloc(verdict->arena, sizeof *split);
    void *memory = split && options->jobs > 1 ? mmap(NULL, size, PROT_READ | PROT_WRITE,
                                                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                              : MAP_FAILED;

    if (memory == MAP_FAILED)
        return NULL;
    split->pool = memory;
    split->pool->size = size;
    atomic_store(&split->pool->used, (sizeof *split->pool + 63) & ~(size_t)63);
    atomic_store(&split->pool->running, 1);
    split->jobs = options->jobs;
    split->first_us = sx_split_interval_us;
    if (mm_arena_defer(verdict->arena, unmap_pool, memory))
        return split;
    munmap(memory, size);
    return NULL;
}

/* Bytes of this process in memory, where a page that several processes share counts in parts. */
static size_t proportional_set_size(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "re");
    char line[128];
    unsigned long kib = 0;
    struct rusage used;

    while (file && kib == 0 && fgets(line, sizeof line, file)) {
        if (strncmp(line, "Pss:", 4) == 0)
            kib = strtoul(line + 4, NULL, 10);
    }
    if (file)
        fclose(file);
    if (kib == 0 && getrusage(RUSAGE_SELF, &used) == 0)
        kib = (unsigned long)used.ru_maxrss;
    return (size_t)kib << 10;
}

size_t sx_split_memory(struct sx_split *split)
{
    uint64_t now = sx_now_us();

    if (now >= split->next_memory_us) {
        size_t resident = proportional_set_size();

        atomic_fetch_add(&split->pool->resident, resident - split->resident);
        split->resident = resident;
        split->next_memory_us = now + MEMORY_INTERVAL_US;
    }
    return atomic_load(&split->pool->resident);
}

bool sx_split_is_interrupted(const struct sx_split *split)
{
    return atomic_load(&split->pool->interrupted);
}

/* ---- forking ------------------------------------------------------------------------------------- */

static bool take_slot(struct sx_split *split)
{
    unsigned running = atomic_load(&split->pool->running);

    while (running < split->jobs) {
        if (atomic_compare_exchange_weak(&split->pool->running, &running, running + 1))
            return true;
    }
    return false;
}

static void release_slot(struct sx_split *split)
{
    atomic_fetch_sub(&split->pool->running, 1);
}

/* This process becomes the worker of RESULT, which explores what the levels from FROM on of the stack have
 * left. */
static void become_worker(struct stepper *s, struct split_result *result, pid_t parent, uint32_t from)
{
    struct sx *sx = s->sx;
    struct sx_split *split = sx->split;
    struct ck_verdict *v = sx->verdict;
    const struct ck_state *inherited = v->states; /* possibly in shared memory */

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(WORKER_FAILED);
    s->owned_from = from;
    s->split_us = 0;
    split->own = result;
    split->workers = NULL;
    split->worker_count = 0;
    split->resident = 0;
    split->next_memory_us = sx_now_us() + MEMORY_INTERVAL_US;
    split->states = v->state_count;
    split->racy = mm_alloc(v->state_count + 1);
    v->states = mm_arena_alloc(sx->arena, (sx->exec->states.capacity + 1) * sizeof *v->states);
    v->shown = NULL;
    v->shown_count = 0;
    v->arena = mm_arena_create_from(take_from_pool, split->pool);
    v->execution_count = v->candidate_count = 0;
    if (!split->racy || !v->states || !v->arena)
        _exit(WORKER_OUT_OF_MEMORY);
    for (size_t i = 0; i < v->state_count; i++) {
        v->states[i] = inherited[i];
        split->racy[i] = v->states[i].racy;
    }
}

/* Forks a worker for the levels of the stack above LEVEL, and unwinds to that. */
static void fork_worker(struct stepper *s, uint32_t level)
{
    struct sx_split *split = s->sx->split;
    const struct ck_verdict *v = s->sx->verdict;
    pid_t parent = getpid();
    struct split_worker *w = mm_add(&split->workers, &split->worker_count);
    struct split_result *result = take_from_pool(split->pool, sizeof *result);
    uint8_t *flags = take_from_pool(split->pool, s->sx->model->check_count + 1);

    if (w && result && flags) {
        *w = (struct split_worker){.result = result, .states = v->state_count, .shown = v->shown_count};
        result->parent = split->own;
        result->seen.flags = flags;
        w->pid = fork();
    }
    if (!w || !result || !flags || w->pid < 0) {
        split->worker_count -= w != NULL;
        release_slot(split);
    } else if (w->pid == 0) {
        become_worker(s, result, parent, level + 1);
    } else {
        split->forked = true;
        s->unwind_to = level;
    }
}

/* Whether the rest ends soon, within a number of evaluations that one process counts. */
static bool ends_soon(const struct sx *sx)
{
    return sx->limited && sx_has_race(sx);
}

void sx_split(struct stepper *s)
{
    struct sx_split *split = s->sx->split;
    uint32_t low = s->owned_from;
    uint64_t now;

    if (!split || split->jobs < 2 || s->sx->explains || s->depth < low + FEWEST_LEVELS ||
        atomic_load(&split->pool->running) >= split->jobs || ends_soon(s->sx))
        return;
    now = sx_processor_us();
    if (s->split_us == 0)
        s->split_us = now + (split->own ? sx_split_interval_us : split->first_us);
    if (now < s->split_us || !take_slot(split))
        return;
    s->split_us = now + sx_split_interval_us;
    fork_worker(s, low + (s->depth - low) / 2);
}

bool sx_split_is_over(const struct sx *sx)
{
    const struct sx_split *split = sx->split;

    for (const struct split_result *r = split ? split->own : NULL; r; r = r->parent) {
        if (atomic_load(&r->cancelled))
            return true;
    }
    for (size_t i = 0; split && i < split->worker_count; i++) {
        const struct split_result *r = split->workers[i].result;

        if (atomic_load(&r->ended) && (r->stops || r->fails))
            return true;
    }
    return false;
}

/* ---- results ------------------------------------------------------------------------------------- */

/* Whether time, memory or an interrupt ended the search, wherever it was. */
static bool is_exhausted(const struct sx *sx)
{
    return sx->limits.exhausted || (sx->limited && strcmp(sx->verdict->limit.rule, "memory") == 0);
}

/* The result of this process, a worker. */
static _Noreturn void deliver_result(struct stepper *s)
{
    struct sx *sx = s->sx;
    struct sx_split *split = sx->split;
    struct split_result *r = split->own;
    const struct ck_verdict *v = sx->verdict;
    uint8_t *flags = r->seen.flags;
    bool good = true;

    r->verdict = *v;
    r->verdict.states = NULL;
    r->verdict.state_count = 0;
    for (size_t i = 0; i < v->state_count && good; i++) {
        bool changed = i >= split->states || v->states[i].racy != split->racy[i];

        good =
            !changed || mm_arena_append(v->arena, &r->verdict.states, &r->verdict.state_count, &v->states[i]);
    }
    r->seen = sx->seen;
    r->seen.flags = memcpy(flags, sx->seen.flags, sx->model->check_count);
    r->waits = s->facts.waits;
    r->limited = sx->limited;
    r->exhausted = is_exhausted(sx);
    r->stops = sx->stop && !r->exhausted;
    r->fails = split->fails;
    r->wanted = sx->inputs ? sx->inputs->wanted : UINT32_MAX;
    atomic_fetch_sub(&split->pool->resident, split->resident);
    if (!good || split->broken)
        _exit(split->broken ? WORKER_FAILED : WORKER_OUT_OF_MEMORY);
    atomic_store(&r->ended, true);
    _exit(WORKER_ENDED);
}

static bool shows_the_same(const struct sx *sx, const struct ck_execution *a, const struct ck_execution *b)
{
    if (a->shows != b->shows)
        return false;
    if (a->shows == CK_SHOWS_FLAG)
        return strcmp(a->flag, b->flag) == 0;
    return a->shows != CK_SHOWS_STATE ||
           memcmp(a->values, b->values, sx->program->observed_count * sizeof *a->values) == 0;
}

/* Adds the executions of FROM that show something new. */
static bool merge_shown(struct sx *sx, const struct ck_execution *from, size_t count)
{
    struct ck_verdict *v = sx->verdict;

    for (size_t i = 0; i < count; i++) {
        bool known = false;

        for (size_t k = 0; k < v->shown_count && !known; k++)
            known = shows_the_same(sx, &v->shown[k], &from[i]);
        if (!known && !mm_arena_append(v->arena, &v->shown, &v->shown_count, &from[i]))
            return false;
    }
    return true;
}

static void merge_seen(struct sx *sx, const struct sx_seen *from)
{
    struct sx_seen *to = &sx->seen;

    to->unconstrained_state |= from->unconstrained_state;
    to->thin_air |= from->thin_air;
    to->diverges |= from->diverges;
    to->hangs |= from->hangs;
    for (unsigned i = 0; i < sizeof to->raised / sizeof *to->raised; i++)
        to->raised[i] |= from->raised[i];
    for (uint32_t i = 0; i < sx->model->check_count; i++)
        to->flags[i] |= from->flags[i];
}

/* Evidence: V has what comes first in the order of the search. */
static void merge_evidence(struct ck_verdict *v, const struct ck_verdict *from)
{
    const char *known = v->race_witness.axiom, *other = from->race_witness.axiom;

    if (other && (!known || (!ck_flag_is_race(known) && ck_flag_is_race(other))))
        v->race_witness = from->race_witness;
    sx_adopt_evidence(v, from);
}

static bool merge_result(struct stepper *s, const struct split_result *r)
{
    struct sx *sx = s->sx;
    bool good = true;

    for (size_t i = 0; i < r->verdict.state_count && good; i++)
        good = sx_add_state(sx, &r->verdict.states[i]);
    sx->verdict->execution_count += r->verdict.execution_count;
    sx->verdict->candidate_count += r->verdict.candidate_count;
    merge_seen(sx, &r->seen);
    merge_evidence(sx->verdict, &r->verdict);
    sx->limited |= r->limited;
    sx->limits.exhausted |= r->exhausted;
    s->facts.waits |= r->waits;
    if (r->wanted != CK_NO_INPUT)
        sx->inputs->wanted = r->wanted;
    return good && merge_shown(sx, r->verdict.shown, r->verdict.shown_count);
}

/* A worker ended without a result, so what it would have found is unknown. */
static void note_lost(struct sx *sx, const char *rule)
{
    sx->limited = false; /* this limit is the one to name */
    sx_limit(sx, rule,
             strcmp(rule, "memory") == 0
                 ? "limit reached: memory"
                 : "a process of the search was killed (if memory ran out, use fewer --jobs)");
    sx->limits.exhausted = true;
}

/* The results of this process and of its first COUNT workers, in the order of the search.  CUT: of its
 * results only those before the last of these workers. */
static bool merge_workers(struct stepper *s, size_t count, bool cut)
{
    struct sx *sx = s->sx;
    struct ck_verdict *v = sx->verdict;
    struct ck_verdict own = *v;
    struct sx_split *split = sx->split;
    size_t at = 0;
    bool good = true;

    /* A worker's evidence includes what its parent had at the fork. */
    v->shown = NULL;
    v->shown_count = 0;
    v->witness_count = 0;
    v->race_witness = (struct ck_violation){0};
    v->limit = (struct mm_error){0};
    if (cut) {
        memset(sx->seen.flags, 0, sx->model->check_count);
        sx->seen = (struct sx_seen){.flags = sx->seen.flags};
        sx->limited = false;
        if (sx->inputs)
            sx->inputs->wanted = CK_NO_INPUT;
        good = sx_cut_states(sx, split->workers[count - 1].states);
    }
    for (size_t i = 0; i < count && good; i++) {
        const struct split_worker *w = &split->workers[i];

        good = merge_shown(sx, own.shown + at, w->shown - at);
        if (w->lost)
            note_lost(sx, w->lost);
        else
            good = good && merge_result(s, w->result);
        at = w->shown;
    }
    if (cut)
        return good;
    merge_evidence(v, &own);
    return good && merge_shown(sx, own.shown + at, own.shown_count - at);
}

/* Waits until W ends, and passes on an interrupt. */
static void await_worker(struct sx *sx, struct split_worker *w)
{
    struct sx_split *split = sx->split;
    struct pollfd end = {.fd = pidfd_open(w->pid, 0), .events = POLLIN};
    int status = 0;

    while (end.fd >= 0 && poll(&end, 1, AWAIT_INTERVAL_MS) <= 0) {
        if (sx->options.interrupted && *sx->options.interrupted)
            atomic_store(&split->pool->interrupted, true);
    }
    if (end.fd >= 0)
        close(end.fd);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        w->lost = "search.jobs";
    else if (WIFEXITED(status) && WEXITSTATUS(status) == WORKER_OUT_OF_MEMORY)
        w->lost = "memory";
    else
        split->broken |= !WIFEXITED(status) || WEXITSTATUS(status) != 0 || !atomic_load(&w->result->ended);
}

/* Waits for all workers; the number of those whose results count.  CUT: the last of these ends the search. */
static size_t await_workers(struct sx *sx, bool *cut)
{
    struct sx_split *split = sx->split;
    size_t count = split->worker_count;

    *cut = false;
    for (size_t i = 0; i < split->worker_count; i++) {
        struct split_worker *w = &split->workers[i];

        await_worker(sx, w);
        if (*cut || split->fails)
            continue;
        split->fails |= split->broken || (!w->lost && w->result->fails);
        *cut = !w->lost && w->result->stops && !split->fails;
        if (*cut)
            count = i + 1;
        for (size_t k = i + 1; k < split->worker_count && (*cut || split->fails); k++)
            atomic_store(&split->workers[k].result->cancelled, true);
    }
    return count;
}

void sx_join(struct stepper *s)
{
    struct sx *sx = s->sx;
    struct sx_split *split = sx->split;
    size_t count;
    bool cut;

    if (!split)
        return;
    release_slot(split);
    if (sx->inputs && sx->inputs->wanted != CK_NO_INPUT)
        sx->stop = true;
    else
        split->fails |= split->forked && (s->restart || s->failed);
    for (size_t i = 0; i < split->worker_count && split->fails; i++)
        atomic_store(&split->workers[i].result->cancelled, true);
    count = await_workers(sx, &cut);
    if (!split->fails && split->worker_count && !merge_workers(s, count, cut))
        split->broken = split->fails = true;
    split->alone |= !split->own && split->forked && ends_soon(sx) && !is_exhausted(sx);
    sx->stop |= cut || split->fails || split->alone;
    mm_free(split->workers);
    split->workers = NULL;
    split->worker_count = 0;
    if (split->own)
        deliver_result(s);
    atomic_store(&split->pool->running, 1); /* those that were killed did not count themselves out */
    atomic_store(&split->pool->resident, split->resident);
}

enum sx_joined sx_split_end(struct sx *sx)
{
    struct sx_split *split = sx->split;
    bool late = split && split->first_us == LATE_SPLIT_US;
    enum sx_joined result = !split                 ? SX_JOINED
                            : split->broken        ? SX_JOIN_BROKEN
                            : split->alone         ? SX_JOIN_FAILED
                            : split->fails && late ? SX_JOIN_FAILED
                            : split->fails         ? SX_JOIN_EARLY
                                                   : SX_JOINED;

    if (result == SX_JOIN_EARLY)
        split->first_us = LATE_SPLIT_US;
    if (split)
        split->forked = split->broken = split->fails = split->alone = false;
    return result;
}

#else /* one process, as in WebAssembly */

struct sx_split *sx_split_create(const struct ck_options *options, struct ck_verdict *verdict)
{
    (void)options;
    (void)verdict;
    return NULL;
}

size_t sx_split_memory(struct sx_split *split)
{
    (void)split;
    return 0;
}

bool sx_split_is_interrupted(const struct sx_split *split)
{
    (void)split;
    return false;
}

bool sx_split_is_over(const struct sx *sx)
{
    (void)sx;
    return false;
}

void sx_split(struct stepper *s)
{
    (void)s;
}

void sx_join(struct stepper *s)
{
    (void)s;
}

enum sx_joined sx_split_end(struct sx *sx)
{
    (void)sx;
    return SX_JOINED;
}
#endif
