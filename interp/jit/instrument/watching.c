/* Watched launches: what they need beside compiled code, and their end. */
#include "interp/jit/instrument/watching.h"
#include "interp/jit/instrument/watch_shim.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- compiling --------------------------------------------------------------------------- */

static struct in_watch_object *locals_of(const struct in_emit *e, size_t *count)
{
    const struct in_code *code = e->kernel->code;
    struct in_watch_object *list = mm_alloc_zero(code->local_count + 1, sizeof *list);
    *count = code->local_count;
    for (uint32_t k = 0; list != NULL && k < code->local_count; k++)
        list[k] = (struct in_watch_object){e->local_offsets[code->locals[k]],
                                           e->m->globals[code->locals[k]].ty->size};
    return list;
}

static struct in_watch_object *constants_of(const struct in_emit *e, size_t *count)
{
    struct in_watch_object *list = mm_alloc_zero(e->m->global_count + 1, sizeof *list);
    *count = 0;
    for (uint32_t k = 0; list != NULL && k < e->m->global_count; k++)
        if (e->m->globals[k].storage == SpvStorageClassUniformConstant)
            list[(*count)++] = (struct in_watch_object){e->m->globals[k].offset, e->m->globals[k].ty->size};
    return list;
}

bool in_watch_lower(struct in_emit *e, struct in_jit_kernel *k, LLVMValueRef access_group)
{
    const uint32_t *local = k->options.local_size;
    struct in_watching w = {.argument_offsets = k->layout.argument_offsets,
                            .argument_count = e->kernel->info.argument_count,
                            .arguments_at = offsetof(struct in_jit_frame, arguments),
                            .watch_at = offsetof(struct in_jit_frame, watch),
                            .program_at = offsetof(struct in_jit_frame, program),
                            .sizes_at = offsetof(struct in_jit_frame, global_size),
                            .offsets_at = offsetof(struct in_jit_frame, global_offset),
                            .groups_at = offsetof(struct in_jit_frame, num_groups),
                            .local_size = {local[0], local[1], local[2]},
                            .access_group = access_group,
                            .one_row = k->options.flags & IN_JIT_ONE_ROW};
    if (e->calls->any) {
        snprintf(k->why, sizeof k->why, "calls of the interpreter's functions, which are to be watched");
        return false;
    }
    struct in_watch_object *locals = locals_of(e, &w.local_count),
                           *constants = constants_of(e, &w.constant_count);
    w.locals = locals;
    w.constants = constants;
    bool done = locals != NULL && constants != NULL && in_shim_watch(e->module, &w, k->why, sizeof k->why);
    k->shape.watched = w.watched;
    mm_free(locals);
    mm_free(constants);
    return done;
}

/* ---- planes ------------------------------------------------------------------------------ */

/* Planes are used by one launch after the other: tags of earlier ones are below all of later ones'.  What
 * memory was before a launch is kept in planes of their own. */
enum plane_sort { TAGS, BYTES, PLANE_SORTS };
struct plane {
    struct plane *next;
    size_t count;
    uint32_t cells[];
};
static struct {
    pthread_mutex_t lock;
    struct plane *free[PLANE_SORTS];
    uint64_t next_tag;
    uint32_t launches; /* under way */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .next_tag = 1};
enum { MOST_FREE = 16, MOST_FREE_CELLS = 1 << 26 };

struct snapshot {
    struct snapshot *next;
    uint8_t *to;
    uint64_t size;
    const struct plane *bytes;
};
struct in_watching_run {
    struct in_watch *watch;            /* in the frame */
    struct plane *planes[PLANE_SORTS]; /* in use */
    struct snapshot *snapshots;
    uint64_t kept; /* bytes in them */
    uint64_t local_next;
    uint8_t scratch[IN_WATCH_SCRATCH];
};

static struct plane *find_plane(enum plane_sort sort, size_t count)
{
    struct plane **best = NULL;
    for (struct plane **p = &pool.free[sort]; *p != NULL; p = &(*p)->next)
        if ((*p)->count >= count && (best == NULL || (*p)->count < (*best)->count))
            best = p;
    struct plane *found = best != NULL ? *best : NULL;
    if (found != NULL)
        *best = found->next;
    return found;
}

/* New planes of tags have those of no launch. */
static struct plane *take_plane(struct in_watching_run *w, enum plane_sort sort, uint64_t count)
{
    pthread_mutex_lock(&pool.lock);
    struct plane *p = find_plane(sort, count);
    pthread_mutex_unlock(&pool.lock);
    size_t bytes = sizeof *p + count * sizeof p->cells[0];
    if (p == NULL && (p = sort == TAGS ? mm_alloc_zero(1, bytes) : mm_alloc(bytes)) != NULL)
        p->count = count;
    if (p != NULL) {
        p->next = w->planes[sort];
        w->planes[sort] = p;
    }
    return p;
}

/* All but the MOST that were used last, and no more than are worth their memory. */
static void forget_planes(enum plane_sort sort, uint32_t most)
{
    struct plane **p = &pool.free[sort];
    size_t cells = 0;
    while (*p != NULL && most-- > 0 && (cells += (*p)->count) <= MOST_FREE_CELLS)
        p = &(*p)->next;
    while (*p != NULL) {
        struct plane *next = (*p)->next;
        mm_free(*p);
        *p = next;
    }
}

/* RANGE tags that no launch had; 0: none, as others are under way. */
static uint32_t take_tags(uint32_t range)
{
    uint64_t base = 0;
    pthread_mutex_lock(&pool.lock);
    if (pool.next_tag + range > UINT32_MAX && pool.launches == 0) {
        forget_planes(TAGS, 0);
        pool.next_tag = 1;
    }
    if (pool.next_tag + range <= UINT32_MAX) {
        base = pool.next_tag;
        pool.next_tag += range;
        pool.launches++;
    }
    pthread_mutex_unlock(&pool.lock);
    return (uint32_t)base;
}

static void give_back(struct in_watching_run *w)
{
    pthread_mutex_lock(&pool.lock);
    pool.launches -= w->watch->base != 0;
    for (int sort = 0; sort < PLANE_SORTS; sort++) {
        for (struct plane *p = w->planes[sort], *next; p != NULL; p = next) {
            next = p->next;
            p->next = pool.free[sort];
            pool.free[sort] = p;
        }
        forget_planes((enum plane_sort)sort, MOST_FREE);
    }
    pthread_mutex_unlock(&pool.lock);
}

/* ---- the beginning ----------------------------------------------------------------------- */

static bool needs(uint8_t use, enum in_watch_plane plane)
{
    static const uint8_t what[] = {[IN_WATCH_WRITES] = IN_WATCH_WRITTEN,
                                   [IN_WATCH_READS] = IN_WATCH_READ,
                                   [IN_WATCH_ATOMICS] = IN_WATCH_ATOMIC};
    return (use & IN_WATCH_SHADOWED) && (use & what[plane]);
}

static bool place_planes(struct in_watching_run *w, struct in_watch_memory *m, uint8_t use, uint64_t size)
{
    for (int k = 0; k < IN_WATCH_PLANES; k++) {
        struct plane *p;
        if (!needs(use, (enum in_watch_plane)k))
            continue;
        if ((p = take_plane(w, TAGS, (size >> (use >> IN_WATCH_CELL)) + 1)) == NULL)
            return false;
        m->planes[k][0] = m->planes[k][1] = p->cells;
    }
    return true;
}

/* Tags of local memory begin anew. */
static void clear_local(struct in_watching_run *w, const struct in_jit_run *run)
{
    uint8_t use = run->kernel->shape.watched.local;
    for (int k = 0; k < IN_WATCH_PLANES; k++)
        if (needs(use, (enum in_watch_plane)k))
            memset(w->watch->local.planes[k][0], 0,
                   ((run->local_bytes >> (use >> IN_WATCH_CELL)) + 1) * sizeof(uint32_t));
    w->local_next = 1;
}

static uint32_t bits(uint64_t n)
{
    return n == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(n);
}

static const char *number_tags(struct in_watching_run *w, const struct in_jit_run *run)
{
    const struct in_watched *k = &run->kernel->shape.watched;
    const struct in_jit_frame *f = &run->frame;
    uint64_t items = f->global_size[0] * f->global_size[1] * f->global_size[2], range = items + 2;
    uint64_t ids = f->global_offset[0] + f->global_size[0] +
                   f->global_size[0] * (f->global_offset[1] + f->global_size[1]);
    for (uint32_t a = 0; a < IN_WATCH_ARGUMENTS; a++)
        if ((k->uses[a] & IN_WATCH_OWN) &&
            (f->global_size[2] > 1 || ids >= UINT32_MAX || ids * k->most >= UINT32_MAX))
            return "subscripts that may wrap around";
    if (k->phases) {
        uint32_t left = bits(run->groups + 1) + k->lane_bits;
        if (left > 28)
            return "too many work-groups";
        w->watch->group_shift = k->lane_bits + (31 - left < 12 ? 31 - left : 12);
        range = (run->groups + 1) << w->watch->group_shift;
    }
    if (range > INT32_MAX)
        return "too many work-items";
    w->watch->range = (uint32_t)range;
    w->watch->base = take_tags(w->watch->range);
    return w->watch->base != 0 ? NULL : "no tags";
}

static bool overlap(const struct in_argument *a, uint64_t size_a, const struct in_argument *b,
                    uint64_t size_b)
{
    return a->address < b->address + size_b && b->address < a->address + size_a;
}

/* What is wrong with argument K, or NULL. */
static const char *look_at(struct in_watching_run *w, const struct in_jit_run *run, uint32_t k)
{
    const struct in_argument *arguments = run->launch->arguments, *a = &arguments[k];
    const struct in_watched *watched = &run->kernel->shape.watched;
    const uint8_t writes = IN_WATCH_WRITTEN | IN_WATCH_ATOMIC, use = watched->uses[k];
    const struct in_object *o = a->object;
    if (o == NULL || a->address == 0)
        return NULL; /* every access is out of bounds */
    if (o->origin != MM_ORIGIN_BUFFER && o->origin != MM_ORIGIN_SUB_BUFFER)
        return "memory that is no buffer";
    if ((o->read_only && (use & writes)) || (o->write_only && (use & ~writes)) || a->address % 128 != 0 ||
        a->address < o->address || a->address - o->address >= o->size)
        return "a buffer that is not what it is used for";
    w->watch->arguments[k].size = o->size - (a->address - o->address);
    for (uint32_t j = 0; j < k; j++)
        if (((watched->uses[j] | use) & writes) && watched->uses[j] != 0 &&
            overlap(a, w->watch->arguments[k].size, &arguments[j], w->watch->arguments[j].size))
            return "arguments that overlap";
    return NULL;
}

/* Memory that the kernel writes: after something suspicious it may have written elsewhere than the
 * interpreter does then. */
static bool keep(struct in_watching_run *w, const struct in_argument *a, uint64_t size, uint8_t use)
{
    const uint64_t most = UINT64_C(1) << 30;
    if (!(use & (IN_WATCH_ATOMIC | IN_WATCH_WRITTEN)) || (use & IN_WATCH_AGAIN) || size == 0)
        return true;
    if (size > most - w->kept)
        return false;
    struct plane *bytes = take_plane(w, BYTES, size / sizeof bytes->cells[0] + 1);
    struct snapshot *s = bytes != NULL ? mm_alloc(sizeof *s) : NULL;
    if (s == NULL)
        return false;
    *s = (struct snapshot){w->snapshots, (uint8_t *)(uintptr_t)a->address, size, bytes};
    memcpy(bytes->cells, s->to, size);
    w->snapshots = s;
    w->kept += size;
    return true;
}

static const char *prepare(struct in_watching_run *w, struct in_jit_run *run)
{
    const struct in_kernel_info *info = run->launch->info;
    const struct in_watched *k = &run->kernel->shape.watched;
    const char *wrong = number_tags(w, run);
    w->watch->scratch = w->scratch;
    for (uint32_t a = 0; a < info->argument_count && a < IN_WATCH_ARGUMENTS && wrong == NULL; a++) {
        struct in_watch_memory *m = &w->watch->arguments[a];
        if (info->arguments[a].kind == IN_ARG_LOCAL)
            m->size = run->launch->arguments[a].local_size;
        if (k->uses[a] == 0)
            continue;
        wrong = look_at(w, run, a);
        if (wrong == NULL && (!place_planes(w, m, k->uses[a], m->size) ||
                              !keep(w, &run->launch->arguments[a], m->size, k->uses[a])))
            wrong = "too little memory";
    }
    if (wrong == NULL && !place_planes(w, &w->watch->local, k->local, run->local_bytes))
        wrong = "too little memory";
    if (wrong == NULL)
        clear_local(w, run);
    return wrong;
}

bool in_watch_begin(struct in_jit_run *run, char *why, size_t why_size)
{
    run->watching = mm_alloc_zero(1, sizeof *run->watching);
    if (run->watching != NULL)
        run->watching->watch = &run->frame.watch;
    const char *wrong = run->watching != NULL ? prepare(run->watching, run) : "too little memory";
    if (wrong != NULL) {
        snprintf(why, why_size, "%s, which are to be watched", wrong);
        return false;
    }
    return true;
}

/* ---- execution --------------------------------------------------------------------------- */

/* Each work-group has tags of its own; compiled code adds its number in the first dimension. */
uint64_t in_watch_groups(struct in_jit_run *run, uint64_t linear, uint64_t most)
{
    struct in_watching_run *w = run->watching;
    const uint64_t range = UINT64_C(1) << IN_WATCH_LOCAL_BITS;
    if (!(run->kernel->shape.watched.local & IN_WATCH_SHADOWED))
        return most;
    if (w->local_next + range > UINT32_MAX)
        clear_local(w, run);
    uint64_t fit = (UINT32_MAX - w->local_next) / range;
    most = most < fit ? most : fit;
    uint64_t first = linear % run->group_count[0], row = run->group_count[0] - first;
    most = most < row ? most : row;
    w->watch->local_base = (uint32_t)(w->local_next - first * range);
    w->local_next += most * range;
    return most;
}

bool in_watch_end(struct in_jit_run *run)
{
    struct in_watching_run *w = run->watching;
    bool suspicious = w->watch->suspicious || atomic_load(&run->faulted) || run->frame.budget < 0;
    for (struct snapshot *s = w->snapshots; suspicious && s != NULL; s = s->next)
        memcpy(s->to, s->bytes->cells, s->size);
    return suspicious;
}

void in_watch_destroy(struct in_jit_run *run)
{
    struct in_watching_run *w = run->watching;
    if (w == NULL)
        return;
    if (w->local_next != 0)
        clear_local(w, run); /* its tags may be those of another launch's global memory */
    give_back(w);
    for (struct snapshot *s = w->snapshots, *next; s != NULL; s = next) {
        next = s->next;
        mm_free(s);
    }
    mm_free(w);
}
