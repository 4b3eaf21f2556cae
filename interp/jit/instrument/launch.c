/* Instrumented launches: tags and shadow planes, snapshots, rollback.  docs/instrumentation.md#launch */
#include "interp/jit/instrument/launch.h"
#include "interp/jit/instrument/clocks.h"
#include "interp/jit/instrument/grids.h"
#include "interp/jit/instrument/lower_checks.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- compiling --------------------------------------------------------------------------- */

static struct in_shadow_object *locals_of(const struct in_emit *e, size_t *count)
{
    const struct in_code *code = e->kernel->code;
    struct in_shadow_object *list = mm_alloc_zero(code->locals.count + 1, sizeof *list);
    *count = code->locals.count;
    for (uint32_t k = 0; list && k < code->locals.count; k++)
        list[k] = (struct in_shadow_object){e->local_offsets[code->locals.list[k]],
                                            e->m->globals[code->locals.list[k]].ty->size};
    return list;
}

static struct in_shadow_object *constants_of(const struct in_emit *e, size_t *count)
{
    struct in_shadow_object *list = mm_alloc_zero(e->m->global_count + 1, sizeof *list);
    *count = 0;
    for (uint32_t k = 0; list && k < e->m->global_count; k++)
        if (e->m->globals[k].storage == SpvStorageClassUniformConstant)
            list[(*count)++] = (struct in_shadow_object){e->m->globals[k].offset, e->m->globals[k].ty->size};
    return list;
}

bool in_instrument_lower(struct in_emit *e, struct in_jit_kernel *k, LLVMValueRef access_group)
{
    const uint32_t *local = k->options.local_size;
    struct in_check_lowering w = {.argument_offsets = k->layout.argument_offsets,
                                  .argument_count = e->kernel->info.argument_count,
                                  .arguments_at = offsetof(struct in_jit_frame, arguments),
                                  .shadow_at = offsetof(struct in_jit_frame, shadow),
                                  .program_at = offsetof(struct in_jit_frame, program),
                                  .sizes_at = offsetof(struct in_jit_frame, global_size),
                                  .offsets_at = offsetof(struct in_jit_frame, global_offset),
                                  .groups_at = offsetof(struct in_jit_frame, num_groups),
                                  .local_size = {local[0], local[1], local[2]},
                                  .id_bits = k->options.flags >> IN_JIT_ID_BITS,
                                  .access_group = access_group,
                                  .svm = k->options.flags & IN_JIT_SVM,
                                  .lookups = k->options.flags & IN_JIT_LOOKUPS,
                                  .clocks = k->options.flags & IN_JIT_CLOCKS,
                                  .edge = k->edge,
                                  .one_row = k->options.flags & IN_JIT_ONE_ROW,
                                  .no_grids = k->options.flags & IN_JIT_NO_GRIDS,
                                  .no_ranges = k->options.flags & IN_JIT_NO_RANGES};
    struct in_shadow_object *locals, *constants;
    w.locals = locals = locals_of(e, &w.local_count);
    w.constants = constants = constants_of(e, &w.constant_count);
    bool done = locals && constants && in_shim_lower_checks(e->module, &w, k->why, sizeof k->why);
    k->shape.shadow_plan = w.plan;
    mm_free(locals);
    mm_free(constants);
    return done;
}

/* ---- planes ------------------------------------------------------------------------------ */

/* Launches reuse planes without clearing them: tags of earlier launches are below all tags of later ones.
 * Snapshots use separate planes. */
enum plane_kind { TAGS, BYTES, PLANE_KINDS };
struct plane {
    struct plane *next;
    size_t count;
    uint32_t cells[];
};
static struct {
    pthread_mutex_t lock;
    struct plane *free[PLANE_KINDS];
    uint64_t next_tag;
    uint32_t launches; /* under way */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .next_tag = 1};
enum { MAX_FREE = 16, MAX_FREE_CELLS = 1 << 26 };
enum { MAX_SHARED = 256 };   /* allocations of SVM that pointers lead to */
enum { MAX_KEPT = 1 << 30 }; /* bytes of snapshots and undo memory */
enum { SEGMENTS = 1 << 24 }; /* of launches with clocks, beside one for each work-item */

struct snapshot {
    struct snapshot *next;
    uint8_t *to;
    uint64_t size;
    const struct plane *bytes;
    const struct in_shadow_memory *saved; /* cell by cell, those with tags of this launch; NULL: all bytes */
    const struct in_image *image;         /* whose texels are the cells; NULL: memory */
    uint8_t use;
};
struct in_instrumented_run {
    struct in_shadow *shadow;          /* in the frame */
    struct plane *planes[PLANE_KINDS]; /* in use */
    struct snapshot *snapshots;
    uint64_t kept; /* bytes in them */
    uint64_t local_next;
    struct in_shadow_memory *objects, *shared; /* of the shadow */
    uint8_t scratch[IN_SHADOW_SCRATCH];
};

static struct plane *find_plane(enum plane_kind kind, size_t count)
{
    struct plane **best = NULL;
    for (struct plane **p = &pool.free[kind]; *p; p = &(*p)->next)
        if ((*p)->count >= count && (!best || (*p)->count < (*best)->count))
            best = p;
    struct plane *found = best ? *best : NULL;
    if (found)
        *best = found->next;
    return found;
}

/* New planes of tags are zero: the tag of no launch. */
static struct plane *acquire_plane(struct in_instrumented_run *w, enum plane_kind kind, uint64_t count)
{
    pthread_mutex_lock(&pool.lock);
    struct plane *p = find_plane(kind, count);
    pthread_mutex_unlock(&pool.lock);
    size_t bytes = sizeof *p + count * sizeof p->cells[0];
    if (!p && (p = kind == TAGS ? mm_alloc_zero(1, bytes) : mm_alloc(bytes)))
        p->count = count;
    if (p) {
        p->next = w->planes[kind];
        w->planes[kind] = p;
    }
    return p;
}

/* Frees all but the MOST planes used last, and those beyond MAX_FREE_CELLS. */
static void trim_free_planes(enum plane_kind kind, uint32_t most)
{
    struct plane **p = &pool.free[kind];
    size_t cells = 0;
    while (*p && most-- > 0 && (cells += (*p)->count) <= MAX_FREE_CELLS)
        p = &(*p)->next;
    while (*p) {
        struct plane *next = (*p)->next;
        mm_free(*p);
        *p = next;
    }
}

/* The first of RANGE unused tags; 0: none while other launches execute. */
static uint32_t acquire_tags(uint32_t range)
{
    uint64_t base = 0;
    pthread_mutex_lock(&pool.lock);
    if (pool.next_tag + range > UINT32_MAX && pool.launches == 0) {
        trim_free_planes(TAGS, 0);
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

/* Segments that were not used are free again. */
static void release_planes(struct in_instrumented_run *w)
{
    const struct in_shadow *s = w->shadow;
    pthread_mutex_lock(&pool.lock);
    pool.launches -= s->base != 0;
    if (s->clocks && pool.next_tag == (uint64_t)s->base + s->range) {
        uint64_t segments = (uint64_t)in_clocks_last(s->clocks) + 1, texels = pool.next_tag - SEGMENTS;
        pool.next_tag = segments > texels ? segments : texels;
    }
    for (int kind = 0; kind < PLANE_KINDS; kind++) {
        for (struct plane *p = w->planes[kind], *next; p; p = next) {
            next = p->next;
            p->next = pool.free[kind];
            pool.free[kind] = p;
        }
        trim_free_planes((enum plane_kind)kind, MAX_FREE);
    }
    pthread_mutex_unlock(&pool.lock);
}

/* ---- the beginning ----------------------------------------------------------------------- */

static bool needs_plane(uint8_t use, enum in_shadow_plane plane)
{
    static const uint8_t what[] = {[IN_SHADOW_WRITES] = IN_SHADOW_WRITTEN,
                                   [IN_SHADOW_READS] = IN_SHADOW_READ,
                                   [IN_SHADOW_ATOMICS] = IN_SHADOW_ATOMIC};
    return (use & what[plane]) &&
           ((use & IN_SHADOW_TAGGED) || (plane == IN_SHADOW_ATOMICS && in_shadow_has_undo(use)));
}

static bool set_planes(struct in_instrumented_run *w, struct in_shadow_memory *m, uint8_t use, uint64_t size)
{
    for (int k = 0; k < IN_SHADOW_PLANES; k++) {
        struct plane *p;
        if (!needs_plane(use, (enum in_shadow_plane)k))
            continue;
        if (!(p = acquire_plane(w, TAGS,
                                (((size | 15) + 1) >> (use >> IN_SHADOW_GRANULE)) + IN_SHADOW_SCRATCH)))
            return false;
        m->planes[k][0] = m->planes[k][1] = p->cells;
    }
    return true;
}

/* Clears the tags of local memory. */
static void clear_local_tags(struct in_instrumented_run *w, const struct in_jit_run *run)
{
    uint8_t use = run->kernel->shape.shadow_plan.local;
    for (int k = 0; k < IN_SHADOW_PLANES; k++)
        if (needs_plane(use, (enum in_shadow_plane)k))
            memset(w->shadow->local.planes[k][0], 0,
                   ((run->local_bytes >> (use >> IN_SHADOW_GRANULE)) + 1) * sizeof(uint32_t));
    w->local_next = UINT64_C(1) << IN_SHADOW_LOCAL_BITS;
}

static uint32_t bit_width(uint64_t n)
{
    return n == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(n);
}

static const char *lay_out_tags(struct in_instrumented_run *w, const struct in_jit_run *run)
{
    const struct in_shadow_plan *k = &run->kernel->shape.shadow_plan;
    const struct in_jit_frame *f = &run->frame;
    uint64_t items = f->global_size[0] * f->global_size[1] * f->global_size[2], range = items + 2;
    uint64_t ids = f->global_offset[0] + f->global_size[0] +
                   f->global_size[0] * (f->global_offset[1] + f->global_size[1]);
    for (uint32_t a = 0; a < IN_SHADOW_ARGUMENTS; a++)
        if ((k->uses[a] & IN_SHADOW_DISJOINT) && !in_has_grid(k, a) &&
            (f->global_size[2] > 1 || ids >= UINT32_MAX || ids * k->max_coefficient >= UINT32_MAX ||
             (int64_t)(ids * (uint64_t)k->parts[a].stride) + k->parts[a].high > UINT32_MAX))
            return "subscripts that may wrap around";
    if (k->phases) {
        uint32_t left = bit_width(run->groups + 1) + k->lane_bits;
        if (left > 28)
            return "too many work-groups";
        w->shadow->group_shift = k->lane_bits + (31 - left < 12 ? 31 - left : 12);
        range = (run->groups + 1) << w->shadow->group_shift;
    }
    if (k->clocks)
        range += SEGMENTS;
    if (range > INT32_MAX)
        return "too many work-items";
    w->shadow->range = (uint32_t)range;
    w->shadow->base = acquire_tags(w->shadow->range);
    if (k->clocks && w->shadow->base != 0) {
        w->shadow->last_used = w->shadow->base;
        w->shadow->clocks = in_clocks_create(w->shadow->base, w->shadow->range);
    }
    return w->shadow->base == 0              ? "no free range of tags"
           : k->clocks && !w->shadow->clocks ? "too little memory"
                                             : NULL;
}

static bool ranges_overlap(const struct in_argument *a, uint64_t size_a, const struct in_argument *b,
                           uint64_t size_b)
{
    return a->address < b->address + size_b && b->address < a->address + size_a;
}

/* Why argument K is unsupported, or NULL. */
static const char *check_argument(struct in_instrumented_run *w, const struct in_jit_run *run, uint32_t k)
{
    const struct in_argument *arguments = run->launch->arguments, *a = &arguments[k];
    const struct in_shadow_plan *plan = &run->kernel->shape.shadow_plan;
    const uint8_t writes = IN_SHADOW_WRITTEN | IN_SHADOW_ATOMIC, use = plan->uses[k];
    const struct in_object *o = a->object;
    if (!o || a->address == 0)
        return NULL; /* every access is out of bounds */
    if (o->origin != MM_ORIGIN_BUFFER && o->origin != MM_ORIGIN_SUB_BUFFER &&
        !(o->origin == MM_ORIGIN_COARSE_SVM && run->launch->launch.follows_svm))
        return "an argument outside of buffers";
    if (o->origin == MM_ORIGIN_COARSE_SVM && plan->dynamic && a->address != o->address)
        return "a pointer into SVM";
    const uint8_t direct = plan->direct[k];
    if ((o->read_only && (direct & writes)) || (o->write_only && ((direct & ~writes) || plan->dynamic)) ||
        a->address % 128 != 0 || a->address < o->address || a->address - o->address >= o->size)
        return "a buffer with unsuitable flags, alignment or size";
    w->shadow->arguments[k].address = a->address;
    w->shadow->arguments[k].size = o->size - (a->address - o->address);
    w->shadow->arguments[k].written = use & writes;
    if ((use & IN_SHADOW_DISJOINT) && w->shadow->arguments[k].size > INT32_MAX)
        return "a large argument with subscripts that may wrap around";
    for (uint32_t j = 0; j < k; j++)
        if ((((plan->uses[j] | use) & writes) || plan->dynamic) && plan->uses[j] != 0 &&
            ranges_overlap(a, w->shadow->arguments[k].size, &arguments[j], w->shadow->arguments[j].size))
            return "arguments that overlap";
    return NULL;
}

/* Prepares the rollback of memory that the kernel may write and re-execution need not overwrite: compiled
 * code saves the cells that it writes; of an ARGUMENT with disjoint parts, what may be accessed is copied. */
static bool prepare_rollback(struct in_instrumented_run *w, const struct in_jit_run *run,
                             struct in_shadow_memory *m, uint8_t use, uint32_t argument)
{
    uint64_t from = 0, to = m->size;
    uint8_t *memory = (uint8_t *)(uintptr_t)m->address;
    if (!(use & (IN_SHADOW_ATOMIC | IN_SHADOW_WRITTEN)) || (use & IN_SHADOW_IDEMPOTENT))
        return true;
    if (use & IN_SHADOW_DISJOINT)
        in_parts_range(run, argument, &from, &to);
    if (from == to)
        return true;
    if (to - from > MAX_KEPT - w->kept)
        return false;
    struct plane *bytes = acquire_plane(w, BYTES, (to - from) / sizeof bytes->cells[0] + 2);
    struct snapshot *s = bytes ? mm_alloc(sizeof *s) : NULL;
    if (!s)
        return false;
    *s = (struct snapshot){w->snapshots, memory + from, to - from, bytes, NULL, NULL, use};
    if (in_shadow_has_undo(use)) {
        s->saved = m;
        m->undo = (uint8_t *)bytes->cells;
    } else {
        memcpy(bytes->cells, s->to, s->size);
    }
    w->snapshots = s;
    w->kept += to - from;
    return true;
}

/* A variable of the program that pointers of unknown origin may point to. */
static bool add_variable(struct in_instrumented_run *w, const struct in_jit_run *run,
                         const struct in_global *g)
{
    uint8_t use = run->kernel->shape.shadow_plan.program;
    struct in_shadow_memory *m = &w->objects[w->shadow->object_count++];
    m->address = (uint64_t)(uintptr_t)run->frame.program + g->offset;
    m->size = g->ty->size;
    m->written = use & (IN_SHADOW_WRITTEN | IN_SHADOW_ATOMIC) && g->storage != SpvStorageClassUniformConstant;
    return set_planes(w, m, use, m->size) && (g->storage == SpvStorageClassUniformConstant ||
                                              prepare_rollback(w, run, m, use, IN_SHADOW_ARGUMENTS));
}

static bool is_writable(const struct in_jit_run *run, uint32_t k)
{
    const struct in_object *o = run->launch->arguments[k].object;
    return !o || !o->read_only;
}

/* The SVM of arguments, except what the launch may write. */
static void list_followed(struct in_shadow *s, const struct in_jit_run *run)
{
    const struct in_launch *l = &run->launch->launch;
    uint32_t arguments = run->launch->info->argument_count, count = 0;
    for (uint32_t k = 0; k < arguments && count < IN_SHADOW_FOLLOWED; k++) {
        const struct in_object *o = run->launch->arguments[k].object;
        bool fits = l->follows_svm && o && o->origin == MM_ORIGIN_COARSE_SVM && !o->read_only &&
                    !o->write_only && o->address % 128 == 0;
        for (uint32_t j = 0; fits && j < arguments && j < IN_SHADOW_ARGUMENTS; j++) {
            const struct in_shadow_memory *m = &s->arguments[j];
            fits = !m->written || m->address >= o->address + o->size || o->address >= m->address + m->size;
        }
        for (uint32_t j = 0; fits && j < count; j++)
            fits = s->followed[j].address != o->address;
        if (fits)
            s->followed[count++] = (struct in_shadow_range){o->address, o->size};
    }
}

/* The objects of in_shadow_find. */
static bool list_objects(struct in_instrumented_run *w, const struct in_jit_run *run)
{
    const struct in_module *m = run->module;
    struct in_shadow *s = w->shadow;
    uint32_t arguments = run->launch->info->argument_count;
    if (run->kernel->shape.shadow_plan.followed)
        list_followed(s, run);
    if (run->kernel->shape.shadow_plan.program == 0 && run->kernel->shape.shadow_plan.dynamic == 0)
        return true;
    s->objects = w->objects = mm_alloc_zero(arguments + m->global_count + 1, sizeof *w->objects);
    if (run->launch->launch.follows_svm && run->kernel->shape.shadow_plan.dynamic != 0) {
        s->shared = w->shared = mm_alloc_zero(MAX_SHARED, sizeof *w->shared);
        s->run = w->shared ? (struct in_jit_run *)(uintptr_t)run : NULL;
    }
    bool fits = w->objects && set_planes(w, &s->nothing, run->kernel->shape.shadow_plan.program, 0);
    for (int writable = 1; writable >= 0 && fits; writable--) {
        for (uint32_t k = 0; k < arguments && k < IN_SHADOW_ARGUMENTS; k++)
            if (s->arguments[k].address != 0 && is_writable(run, k) == writable)
                w->objects[s->object_count++] = s->arguments[k];
        uint32_t storage = writable ? SpvStorageClassCrossWorkgroup : SpvStorageClassUniformConstant;
        for (uint32_t k = 0; k < m->global_count && fits; k++)
            if (m->globals[k].storage == storage)
                fits = add_variable(w, run, &m->globals[k]);
        if (writable)
            s->writable_count = s->object_count;
    }
    return fits;
}

/* Prepares the coarse-grained SVM that ADDRESS is in; NULL: it is in none, or there is no more room. */
static const struct in_shadow_memory *add_shared(struct in_jit_run *run, uint64_t address)
{
    struct in_shadow *s = &run->frame.shadow;
    const struct in_environment *environment = &run->launch->instance->environment_copy;
    const struct in_object *o = s->shared_count < MAX_SHARED && environment->find_object
                                    ? environment->find_object(environment->context, address)
                                    : NULL;
    if (!o || o->origin != MM_ORIGIN_COARSE_SVM || o->read_only || o->write_only)
        return NULL;
    uint8_t use = run->kernel->shape.shadow_plan.dynamic;
    struct in_shadow_memory *m = &s->shared[s->shared_count];
    *m = (struct in_shadow_memory){.address = o->address, .size = o->size};
    if (!set_planes(run->instrumented, m, use, m->size) ||
        !prepare_rollback(run->instrumented, run, m, use, IN_SHADOW_ARGUMENTS))
        return NULL;
    s->shared_count++;
    return m;
}

static const struct in_shadow_memory *find_shared(const struct in_shadow *shadow, uint64_t address)
{
    for (uint32_t k = 0; k < shadow->shared_count; k++)
        if (address - shadow->shared[k].address < shadow->shared[k].size)
            return &shadow->shared[k];
    return add_shared(shadow->run, address);
}

const struct in_shadow_memory *in_shadow_find(const struct in_shadow *shadow, uint64_t address,
                                              uint32_t which)
{
    const struct in_shadow_memory *found = NULL;
    uint32_t count = which == IN_FIND_WRITABLE ? shadow->writable_count : shadow->object_count;
    for (uint32_t k = 0; k < count; k++) {
        const struct in_shadow_memory *m = &shadow->objects[k];
        if (address - m->address < m->size)
            found = m;
        if (address == m->address) {
            found = m;
            break;
        }
    }
    if (!found && shadow->run && address != 0)
        found = find_shared(shadow, address);
    return !found || (which == IN_FIND_UNWRITTEN && found->written) ? &shadow->nothing : found;
}

static bool prepare_texel_rollback(struct in_instrumented_run *w, struct in_shadow_memory *m,
                                   const struct in_image *image, uint64_t texels)
{
    if (texels * IN_SHADOW_TEXEL > MAX_KEPT - w->kept)
        return false;
    struct plane *bytes = acquire_plane(w, BYTES, texels * (IN_SHADOW_TEXEL / sizeof bytes->cells[0]));
    struct snapshot *s = bytes ? mm_alloc(sizeof *s) : NULL;
    if (!s)
        return false;
    *s = (struct snapshot){w->snapshots, image->data, texels, bytes, m, image, IN_SHADOW_WRITTEN};
    m->undo = (uint8_t *)bytes->cells;
    w->snapshots = s;
    w->kept += texels * IN_SHADOW_TEXEL;
    return true;
}

/* Accesses to images of other formats than those of the short path deoptimize the launch. */
static const char *set_up_image(struct in_instrumented_run *w, const struct in_jit_run *run, uint32_t k)
{
    const struct in_image *image = &run->launch->handles[k].image;
    struct in_shadow_memory *m = &w->shadow->arguments[k];
    uint8_t use = run->kernel->shape.shadow_plan.uses[k];
    uint64_t texels = (uint64_t)image->width * image->height * image->depth * image->array_size;
    const char *wrong = run->launch->handles[k].has_image ? check_argument(w, run, k) : "a missing image";
    if (wrong || !(use & IN_SHADOW_WRITTEN))
        return wrong;
    bool fits = set_planes(w, m, use, texels) && prepare_texel_rollback(w, m, image, texels);
    return fits ? NULL : "too little memory";
}

static const char *set_up_argument(struct in_instrumented_run *w, const struct in_jit_run *run, uint32_t k)
{
    const struct in_shadow_plan *plan = &run->kernel->shape.shadow_plan;
    const struct in_argument_info *info = &run->launch->info->arguments[k];
    struct in_shadow_memory *m = &w->shadow->arguments[k];
    if (info->kind == IN_ARG_LOCAL)
        m->size = run->launch->arguments[k].local_size;
    if (plan->uses[k] != 0 && info->kind == IN_ARG_IMAGE)
        return set_up_image(w, run, k);
    if (plan->uses[k] == 0 || (info->kind != IN_ARG_GLOBAL && info->kind != IN_ARG_CONSTANT))
        return NULL;
    const char *wrong = check_argument(w, run, k);
    if (wrong)
        return wrong;
    bool fits = set_planes(w, m, plan->uses[k], m->size) &&
                (!is_writable(run, k) || prepare_rollback(w, run, m, plan->uses[k], k));
    return fits ? NULL : "too little memory";
}

static const char *set_up_launch(struct in_instrumented_run *w, struct in_jit_run *run)
{
    const struct in_shadow_plan *k = &run->kernel->shape.shadow_plan;
    const char *wrong = lay_out_tags(w, run);
    w->shadow->scratch = w->scratch;
    for (uint32_t a = 0; a < run->launch->info->argument_count && a < IN_SHADOW_ARGUMENTS && !wrong; a++)
        wrong = set_up_argument(w, run, a);
    if (!wrong && (!set_planes(w, &w->shadow->local, k->local, run->local_bytes) || !list_objects(w, run)))
        wrong = "too little memory";
    if (!wrong)
        clear_local_tags(w, run);
    return wrong;
}

bool in_instrument_begin(struct in_jit_run *run, char *why, size_t why_size)
{
    run->instrumented = mm_alloc_zero(1, sizeof *run->instrumented);
    if (run->instrumented)
        run->instrumented->shadow = &run->frame.shadow;
    const char *wrong = run->instrumented ? set_up_launch(run->instrumented, run) : "too little memory";
    if (wrong) {
        snprintf(why, why_size, "%s in an instrumented launch", wrong);
        return false;
    }
    return true;
}

/* ---- execution --------------------------------------------------------------------------- */

/* Each work-group has separate tags for local memory; compiled code adds its id in the first dimension. */
uint64_t in_instrument_groups(struct in_jit_run *run, uint64_t linear, uint64_t most)
{
    struct in_instrumented_run *w = run->instrumented;
    const uint64_t range = UINT64_C(1) << IN_SHADOW_LOCAL_BITS;
    if (!(run->kernel->shape.shadow_plan.local & IN_SHADOW_TAGGED))
        return most;
    if (w->local_next + range > UINT32_MAX)
        clear_local_tags(w, run);
    uint64_t fit = (UINT32_MAX - w->local_next) / range;
    most = most < fit ? most : fit;
    uint64_t first = linear % run->group_count[0], row = run->group_count[0] - first;
    most = most < row ? most : row;
    w->shadow->local_base = (uint32_t)(w->local_next - first * range);
    w->local_next += most * range;
    return most;
}

static void restore_cells(const struct in_shadow *shadow, const struct snapshot *s)
{
    uint32_t log = s->use >> IN_SHADOW_GRANULE;
    for (uint64_t k = 0; k < s->size >> log; k++) {
        bool written = false;
        for (int plane = 0; plane < IN_SHADOW_PLANES; plane++)
            written |= plane != IN_SHADOW_READS && s->saved->planes[plane][0] &&
                       s->saved->planes[plane][0][k] - shadow->base < shadow->range;
        if (written)
            memcpy(s->to + (k << log), (const uint8_t *)s->bytes->cells + (k << log), (size_t)1 << log);
    }
}

static void restore_texels(const struct in_shadow *shadow, const struct snapshot *s)
{
    const struct in_image *image = s->image;
    uint32_t size = in_image_element_size(image->order, image->type);
    for (uint64_t k = 0; k < s->size; k++) {
        uint64_t row = k / image->width, slice = row / image->height;
        uint8_t *to = s->to + slice * image->slice_pitch + row % image->height * image->row_pitch;
        if (s->saved->planes[IN_SHADOW_WRITES][0][k] - shadow->base < shadow->range)
            memcpy(to + k % image->width * size, (uint8_t *)s->bytes->cells + k * IN_SHADOW_TEXEL, size);
    }
}

static void restore_snapshot(const struct in_shadow *shadow, const struct snapshot *s)
{
    if (s->image)
        restore_texels(shadow, s);
    else if (s->saved)
        restore_cells(shadow, s);
    else
        memcpy(s->to, s->bytes->cells, s->size);
}

bool in_instrument_end(struct in_jit_run *run)
{
    struct in_instrumented_run *w = run->instrumented;
    bool deoptimized = w->shadow->deoptimized || atomic_load(&run->faulted) || run->frame.budget < 0;
    for (struct snapshot *s = w->snapshots; deoptimized && s; s = s->next)
        restore_snapshot(w->shadow, s);
    return deoptimized;
}

void in_instrument_destroy(struct in_jit_run *run)
{
    struct in_instrumented_run *w = run->instrumented;
    if (!w)
        return;
    if (w->local_next != 0)
        clear_local_tags(w, run); /* the next user of the planes may have lower tags */
    release_planes(w);
    in_clocks_destroy(w->shadow->clocks);
    for (struct snapshot *s = w->snapshots, *next; s; s = next) {
        next = s->next;
        mm_free(s);
    }
    mm_free(w->objects);
    mm_free(w->shared);
    mm_free(w);
}
