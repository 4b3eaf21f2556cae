/* Evaluates a launch: binds constants and arguments, evaluates its work-items, and joins their accesses.
 * Accesses of a work-item that may have synchronized with another agent before are dropped, because they may
 * be ordered after it. */
#include "tools/footprint/run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 1 << 17,    /* of one launch */
    PATIENT_STEPS = 1 << 28, /* of all launches; later ones are evaluated for FEW_STEPS each */
    FEW_STEPS = 1 << 12
};
enum { MOST_ITEMS = 4096, ITEM_RUNS = 16, MOST_LAUNCHES = 256 };

static struct fp_value constant_value(const struct in_id *id)
{
    const struct in_ty *ty = id->ty;
    struct fp_value v = {0};
    if (id->kind != IN_ID_CONSTANT || !ty || !id->bytes || id->undefined || ty->reg_size > 8 ||
        (ty->kind != IN_TY_INT && ty->kind != IN_TY_BOOL))
        return v;
    v.kind = FP_INT;
    memcpy(&v.n, id->bytes, ty->reg_size);
    return v;
}

/* The value of a vector constant: its components as parts. */
static struct fp_value constant_parts(struct fp_run *run, const struct in_id *id)
{
    const struct in_ty *ty = id->ty;
    struct fp_value v = {0};
    if (id->kind != IN_ID_CONSTANT || !ty || ty->kind != IN_TY_VECTOR || ty->element->kind != IN_TY_INT ||
        !id->bytes || id->undefined || !(v.parts = fp_parts(run, ty->count)))
        return constant_value(id);
    v.kind = FP_PARTS;
    v.count = (uint8_t)ty->count;
    for (uint32_t i = 0; i < ty->count; i++) {
        v.parts[i].kind = FP_INT;
        memcpy(&v.parts[i].n, id->bytes + i * ty->element->reg_size, ty->element->reg_size);
    }
    return v;
}

static void bind_globals(struct fp_run *run)
{
    uint32_t bound = in_spirv_bound(run->module);
    for (uint32_t i = 1; i < bound; i++) {
        const struct in_id *id = in_spirv_id(run->module, i);
        run->values[i] = id ? constant_parts(run, id) : (struct fp_value){0};
        if (!id || id->kind != IN_ID_GLOBAL || !id->ty)
            continue;
        bool global = id->ty->storage == SpvStorageClassCrossWorkgroup && id->ty->element;
        struct fp_object object = {.kind = global ? FP_GLOBAL : FP_OTHER,
                                   .base = FP_VARIABLE + i,
                                   .size = global ? id->ty->element->size : 0};
        if (id->builtin == IN_NO_BUILTIN)
            run->values[i] = fp_pointer_to(run, object);
    }
}

/* An argument by value: unknown unless it is an integer or a vector of integers. */
static struct fp_value value_argument(struct fp_run *run, const struct ly_argument *a, const struct in_ty *ty)
{
    const struct in_ty *part = ty->kind == IN_TY_VECTOR ? ty->element : ty;
    uint64_t count = ty->kind == IN_TY_VECTOR ? ty->count : 1;
    bool known = part->kind == IN_TY_INT && a->size >= count * part->size && a->size <= LY_VALUE_BYTES;
    return known ? fp_from_bytes(run, a->value, ty) : (struct fp_value){0};
}

/* A pointer to the object that the argument names, or to the bytes of a structure that is passed by value. */
static struct fp_value pointer_argument(struct fp_run *run, const struct ly_argument *a, uint32_t index,
                                        const struct in_ty *ty)
{
    struct fp_object object = {.kind = FP_OTHER, .base = index, .size = a->size};
    if (a->kind == LY_ARGUMENT_MEMORY)
        object.kind = FP_ARGUMENT;
    else if (a->kind == LY_ARGUMENT_IMAGE)
        object.kind = FP_IMAGE;
    else if (a->kind == LY_ARGUMENT_VALUE && ty && a->size <= LY_VALUE_BYTES) {
        object.kind = FP_PRIVATE;
        object.bytes = a->value;
    }
    return fp_pointer_to(run, object);
}

static void bind_arguments(struct fp_run *run, const struct in_function *function)
{
    for (uint32_t i = 0; i < function->param_count && i < run->head.arguments; i++) {
        const struct ly_argument *a = &run->arguments[i];
        const struct in_ty *ty = fp_type_of(run, function->params[i]);
        bool by_value = a->kind == LY_ARGUMENT_VALUE && ty && ty->kind != IN_TY_POINTER;
        bool opaque = a->kind == LY_ARGUMENT_SAMPLER || a->kind == LY_ARGUMENT_QUEUE;
        run->values[function->params[i]] = opaque     ? (struct fp_value){0}
                                           : by_value ? value_argument(run, a, ty)
                                                      : pointer_argument(run, a, i, ty);
    }
}

static int compare_accesses(const void *x, const void *y)
{
    const struct fp_access *a = x, *b = y;
    const uint64_t pa[] = {a->base, a->word, a->kind, a->offset, a->size},
                   pb[] = {b->base, b->word, b->kind, b->offset, b->size};
    for (size_t i = 0; i < sizeof pa / sizeof *pa; i++)
        if (pa[i] != pb[i])
            return pa[i] < pb[i] ? -1 : 1;
    return 0;
}

/* Merges adjacent plain accesses of one instruction. */
static size_t join_accesses(struct fp_access *list, size_t count)
{
    size_t kept = 0;
    qsort(list, count, sizeof *list, compare_accesses);
    for (size_t i = 0; i < count; i++) {
        struct fp_access *last = kept ? &list[kept - 1] : NULL;
        bool same = last && last->base == list[i].base && last->word == list[i].word &&
                    last->kind == list[i].kind && last->attributes == list[i].attributes;
        uint64_t end = list[i].offset + list[i].size;
        if (same && list[i].attributes && list[i].offset == last->offset)
            continue;
        if (same && !list[i].attributes && list[i].offset <= last->offset + last->size) {
            if (end > last->offset + last->size)
                last->size = end - last->offset;
            continue;
        }
        list[kept++] = list[i];
    }
    return kept;
}

static const struct in_function *entry_of(const struct in_module *module, const char *name)
{
    const struct in_entry *entry;
    for (size_t i = 0; (entry = in_spirv_entry(module, i)); i++)
        if (strcmp(entry->name, name) == 0)
            return in_spirv_function(module, entry->function);
    return NULL;
}

static void run_item(struct fp_run *run, const struct in_function *function, uint64_t item)
{
    const uint64_t *size = run->head.global_size;
    run->id[0] = item % size[0];
    run->id[1] = item / size[0] % size[1];
    run->id[2] = item / size[0] / size[1];
    run->after_sync = false;
    bind_arguments(run, function);
    fp_run_function(run, function);
}

/* Evaluates all work-items, or as many as the limits allow: runs of neighbors, spread over the launch, the
 * last run second. */
static void run_items(struct fp_run *run, const struct in_function *function)
{
    const uint64_t *size = run->head.global_size;
    uint64_t total = size[0] * size[1] * size[2], runs = total > MOST_ITEMS ? ITEM_RUNS : 1;
    uint64_t length = runs > 1 ? MOST_ITEMS / ITEM_RUNS : total;
    uint32_t objects = run->object_count;
    size_t pool = run->pool_used;
    static size_t all; /* under the lock */
    const size_t most = all < PATIENT_STEPS ? MOST_STEPS : FEW_STEPS;
    run->steps = most;
    for (uint64_t k = 0; k < runs; k++) {
        uint64_t place = k == 0 ? 0 : k == 1 ? runs - 1 : k - 1;
        uint64_t first = runs > 1 ? (total - length) / (runs - 1) * place : 0;
        if (k == 1)
            first = total - length;
        for (uint64_t i = 0; i < length && run->steps; i++) {
            run->object_count = objects;
            run->pool_used = pool;
            run->cell_count = 0;
            run_item(run, function, first + i);
        }
    }
    if (runs > 1 || !run->steps)
        run->unknown = UINT64_MAX;
    all += most - run->steps;
}

/* Removes accesses that may be ordered after accesses of other agents: they are not certain to be part of a
 * race. */
static void drop_after_sync(struct fp_run *run, struct fp_launch *launch)
{
    size_t kept = 0;
    for (size_t i = 0; i < launch->count; i++) {
        const struct fp_access *a = &launch->accesses[i];
        if (a->after_sync)
            run->unknown |= a->base < FP_VARIABLE ? fp_argument_bit(a->base) : FP_OTHERS;
        else
            launch->accesses[kept++] = *a;
    }
    launch->count = kept;
}

/* Finds the arguments through which the kernel may access more than the evaluation has found. */
static void find_possible(const struct fp_run *run, struct fp_launch *launch, bool known)
{
    uint64_t unknown = known ? run->unknown | run->uses.unevaluated : UINT64_MAX;
    launch->may_read = known ? run->uses.reads & unknown : UINT64_MAX;
    launch->may_write = known ? run->uses.writes & unknown : UINT64_MAX;
    launch->may_touch_others = launch->has_children || (launch->may_read | launch->may_write) & FP_OTHERS;
}

static void evaluate_launch(struct fp_module *m, struct fp_launch *launch)
{
    struct fp_run *run = mm_alloc_zero(1, sizeof *run);
    if (!run)
        return;
    memcpy(&run->head, launch->bytes, sizeof run->head);
    run->m = m;
    run->module = m->module;
    run->arguments = (const void *)((const char *)launch->bytes + sizeof run->head);
    const char *name = (const char *)(run->arguments + run->head.arguments);
    const struct in_function *function = entry_of(m->module, name);
    run->values = mm_alloc_zero(in_spirv_bound(m->module), sizeof *run->values);
    bool known = function && run->values && fp_uses_find(m, function, &run->uses);
    if (function && run->values) {
        bind_globals(run);
        run_items(run, function);
    }
    launch->has_children = function && fp_reaches(m->module, function, SpvOpEnqueueKernel);
    launch->accesses = run->accesses;
    launch->count = run->access_count;
    drop_after_sync(run, launch);
    find_possible(run, launch, known);
    mm_free(run->uses.from);
    launch->count = launch->count ? join_accesses(launch->accesses, launch->count) : 0;
    mm_free(run->values);
    mm_free(run);
}

static bool is_valid(const void *bytes, size_t size)
{
    struct ly_launch_head head;
    if (size < sizeof head || ((const char *)bytes)[size - 1])
        return false;
    memcpy(&head, bytes, sizeof head);
    uint64_t items = 1;
    for (unsigned d = 0; d < 3; d++)
        if (head.global_size[d] == 0 || __builtin_mul_overflow(items, head.global_size[d], &items))
            return false;
    return head.arguments < size / sizeof(struct ly_argument) + 1 &&
           size > sizeof head + head.arguments * sizeof(struct ly_argument);
}

static pthread_mutex_t launches_lock = PTHREAD_MUTEX_INITIALIZER;

void fp_lock(void)
{
    pthread_mutex_lock(&launches_lock);
}

void fp_unlock(void)
{
    pthread_mutex_unlock(&launches_lock);
}

static void free_launch(struct fp_launch *launch)
{
    mm_free(launch->accesses);
    mm_free(launch->bytes);
    mm_free(launch);
}

/* The key of a cached evaluation: arguments, without memory objects and offsets, which do not affect it. */
static void *copy_without_objects(const void *bytes, size_t size)
{
    char *copy = mm_alloc(size);
    struct ly_launch_head head;
    if (!copy)
        return NULL;
    memcpy(copy, bytes, size);
    memcpy(&head, copy, sizeof head);
    for (uint32_t i = 0; i < head.arguments; i++) {
        char *at = copy + sizeof head + i * sizeof(struct ly_argument);
        struct ly_argument argument;
        memcpy(&argument, at, sizeof argument);
        argument.allocation = 0;
        argument.offset = 0;
        memcpy(at, &argument, sizeof argument);
    }
    return copy;
}

/* The same launch again needs no new evaluation: the latest ones are kept, the last one used first. */
const struct fp_launch *fp_evaluate(struct fp_module *m, const void *bytes, size_t size)
{
    if (!m || !m->module || !is_valid(bytes, size))
        return NULL;
    size_t passed = 0;
    void *key = copy_without_objects(bytes, size);
    struct fp_launch **at = &m->launches;
    for (; key && *at && ((*at)->size != size || memcmp((*at)->bytes, key, size) != 0); at = &(*at)->next)
        if (++passed == MOST_LAUNCHES) {
            struct fp_launch *oldest = *at;
            *at = oldest->next;
            free_launch(oldest);
            break;
        }
    struct fp_launch *launch = key && *at && passed < MOST_LAUNCHES ? *at : NULL;
    if (launch) {
        *at = launch->next;
        mm_free(key);
    } else if (key && (launch = mm_alloc_zero(1, sizeof *launch))) {
        launch->bytes = key;
        launch->size = size;
        evaluate_launch(m, launch);
    } else {
        mm_free(key);
        return NULL;
    }
    launch->next = m->launches;
    m->launches = launch;
    return launch;
}
