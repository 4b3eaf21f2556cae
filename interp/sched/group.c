/* Work-groups in their slots: local memory, blocks of work-items, built-in values. [CL 3.2.1] */
#include "interp/check/check.h"
#include "interp/check/terms.h"
#include "interp/fault.h"
#include "interp/weak/weak.h"
#include "sched.h"
#include <string.h>

#define IN_MEMORY_LIMIT (UINT64_C(2) << 30)

/* Whether the launch has shadow memory. */
static bool has_shadow(const struct in_run *run)
{
    return run->launch.checks && run->launch.uninitialized;
}

static void *group_alloc(struct in_run *run, uint64_t size)
{
    if (run->memory_used + size > IN_MEMORY_LIMIT)
        return NULL;
    void *p = mm_alloc_zero(1, size);
    run->memory_used += p ? size : 0;
    return p;
}

/* Local variables and local arguments, one object each, with the same ids in every work-group. */
static bool make_local(struct in_run *run, struct in_group *g)
{
    const struct in_code *code = run->code;
    uint32_t arguments = run->info->argument_count, n = code->locals.count + arguments;
    g->objects = mm_alloc_zero(n + 1, sizeof *g->objects);
    if (!g->objects)
        return false;
    uint64_t at = 0, most = 128;
    for (uint32_t k = 0; k < n; k++) {
        const struct in_global *v =
            k < code->locals.count ? &run->module->globals[code->locals.list[k]] : NULL;
        const struct in_argument *a =
            k >= code->locals.count ? &run->arguments[k - code->locals.count] : NULL;
        bool local = v || run->info->arguments[k - code->locals.count].kind == IN_ARG_LOCAL;
        uint64_t size = !local ? 0 : v ? v->ty->size : a->local_size;
        uint64_t align = v && v->align > 128 ? v->align : 128;
        at = (at + align - 1) / align * align;
        most = align > most ? align : most;
        const char *name =
            v ? run->module->ids[v->id].name : run->info->arguments[k - code->locals.count].name;
        g->objects[k] =
            (struct in_object){.address = at,
                               .size = size,
                               .id = run->recording.local_ids ? run->recording.local_ids[k] : k + 1,
                               .region = MM_LOCAL,
                               .name = name};
        at += size;
    }
    g->local_size = at + most;
    g->local = group_alloc(run, g->local_size);
    if (has_shadow(run))
        g->local_shadow = group_alloc(run, g->local_size);
    if (!g->local || (has_shadow(run) && !g->local_shadow))
        return false;
    const uint8_t *local =
        IN_FAULTY(LOCAL_SHARED) && run->progress.slot_count > 0 ? run->progress.slots[0]->local : g->local;
    uint64_t base = ((uint64_t)(uintptr_t)local + most - 1) / most * most;
    for (uint32_t k = 0; k < n; k++)
        g->objects[k].address += g->objects[k].size > 0 ? base : 0;
    return true;
}

struct in_group *in_group_create(struct in_run *run)
{
    struct in_group *g = mm_alloc_zero(1, sizeof *g);
    if (!g)
        return NULL;
    g->run = run;
    g->items = group_alloc(run, run->items_per_group * sizeof *g->items);
    if (!g->items || !make_local(run, g)) {
        in_group_destroy(run, g);
        return NULL;
    }
    in_built_ins_of_run(run, &g->built_ins);
    return g;
}

void in_group_destroy(struct in_run *run, struct in_group *g)
{
    for (struct in_slab *s = g->slabs, *next; s; s = next) {
        next = s->next;
        mm_free(s);
    }
    for (uint64_t k = 0; run->launch.detail == IN_TERMS && g->items && k < run->items_per_group; k++)
        in_terms_end(&g->items[k]);
    mm_free(g->copies.list);
    mm_free(g->objects);
    mm_free(g->local);
    mm_free(g->local_shadow);
    mm_free(g->items);
    mm_free(g);
}

bool in_group_next(struct in_run *run, struct in_group *g)
{
    g->active = run->progress.next_group < run->progress.groups_total;
    if (!g->active)
        return false;
    g->linear = run->progress.next_group++;
    uint64_t rest = g->linear;
    g->items_count = 1;
    for (int k = 0; k < 3; k++) {
        g->id[k] = rest % run->group_count[k];
        rest /= run->group_count[k];
        uint64_t left = run->launch.global_size[k] - g->id[k] * run->launch.local_size[k];
        g->size[k] = left < run->launch.local_size[k] ? (uint32_t)left : run->launch.local_size[k];
        g->items_count *= g->size[k];
    }
    g->done = g->waiting = g->cursor = g->yields = 0;
    g->copies.count = g->copies.made = 0;
    in_built_ins_of_group(run, g);
    if (g->local_shadow)
        memset(g->local_shadow, !run->launch.zero_local, g->local_size);
    memset(g->items, 0, g->items_count * sizeof *g->items);
    if (run->weak)
        in_weak_group(run, g);
    if (run->launch.local_pattern != 0 || run->launch.zero_local)
        memset(g->local, run->launch.zero_local ? 0 : run->launch.local_pattern, g->local_size);
    return true;
}

/* ---- blocks ------------------------------------------------------------------------------ */

static void place_arguments(struct in_run *run, struct in_group *g, uint8_t *frame)
{
    for (uint32_t k = 0; k < run->info->argument_count; k++) {
        const struct in_argument_info *info = &run->info->arguments[k];
        const struct in_argument *a = &run->arguments[k];
        int32_t slot = run->code->frame.arguments[k];
        const struct in_object *local = &g->objects[run->code->locals.count + k];
        struct in_fat fat = {a->address, a->object ? a->object : &in_unknown};
        if (slot == 0)
            continue;
        switch (info->kind) {
        case IN_ARG_VALUE:
            memcpy(frame + slot, a->value, info->size);
            break;
        case IN_ARG_LOCAL:
            fat = (struct in_fat){local->address, local};
            memcpy(frame + slot, &fat, sizeof fat);
            break;
        case IN_ARG_GLOBAL:
        case IN_ARG_CONSTANT:
            memcpy(frame + slot, &fat, sizeof fat);
            break;
        case IN_ARG_QUEUE:
            memcpy(frame + slot, &a->queue, 8);
            break;
        default:
            memcpy(frame + slot, &(uint64_t){(uint64_t)(uintptr_t)&run->handles[k]}, 8);
            break;
        }
    }
}

static void relocate_frame(struct in_run *run, struct in_group *g, uint8_t *frame)
{
    const struct in_code *code = run->code;
    for (uint32_t k = 0; k < code->constants.reloc_count; k++) {
        const struct in_const_reloc *r = &code->constants.relocs[k];
        const struct in_object *o = &run->instance->objects[r->variable];
        uint32_t argument = run->module->globals[r->variable].argument;
        if (argument < run->info->argument_count && run->arguments[argument].object)
            o = run->arguments[argument].object;
        uint32_t storage = run->module->globals[r->variable].storage;
        for (uint32_t v = 0; storage == SpvStorageClassWorkgroup && v < code->locals.count; v++)
            if (code->locals.list[v] == r->variable)
                o = &g->objects[v];
        struct in_fat fat = {o->address + (uint64_t)r->addend, o};
        memcpy(frame + r->slot, &fat, r->fat ? sizeof fat : 8);
    }
}

static void free_frame(struct in_group *g, uint8_t *frame)
{
    memcpy(frame, &g->free_frames, sizeof g->free_frames);
    g->free_frames = frame;
}

/* Layout of one block. */
struct shape {
    uint64_t align, below, shadow, all; /* SHADOW: from the frame to its own, 0: none */
};

static struct shape shape_of(const struct in_run *run)
{
    const struct in_code *code = run->code;
    struct shape s = {.align = code->frame.align > 16 ? code->frame.align : 16};
    s.below = (code->constants.size + s.align - 1) / s.align * s.align;
    s.shadow = has_shadow(run) ? s.below + code->frame.size : 0;
    s.all = (s.below + code->frame.size + s.shadow + s.align - 1) / s.align * s.align;
    return s;
}

static void make_frame(struct in_run *run, struct in_group *g, uint8_t *frame)
{
    const struct in_code *code = run->code;
    if (code->constants.size > 0)
        memcpy(frame - code->constants.size, code->constants.bytes, code->constants.size);
    in_built_ins_place(run, frame);
    relocate_frame(run, g, frame);
    place_arguments(run, g, frame);
    const struct in_insn *halt = run->insns;
    memcpy(frame + code->frame.return_slot, &halt, sizeof halt);
    free_frame(g, frame);
}

/* Allocates more blocks, about one page. */
static bool more_frames(struct in_run *run, struct in_group *g)
{
    const struct shape s = shape_of(run);
    uint64_t n = s.all < 8192 ? 8192 / s.all : 1;
    n = n < run->items_per_group ? n : run->items_per_group;
    struct in_slab *slab = group_alloc(run, sizeof *slab + s.align + n * s.all);
    if (!slab)
        return false;
    slab->next = g->slabs;
    g->slabs = slab;
    uint64_t at = ((uint64_t)(uintptr_t)(slab + 1) + s.align - 1) / s.align * s.align;
    for (uint64_t k = n; k-- > 0;)
        make_frame(run, g, (uint8_t *)(uintptr_t)(at + k * s.all + s.below));
    return true;
}

bool in_item_start(struct in_run *run, struct in_group *g, struct in_item *item, uint32_t linear)
{
    if (!g->free_frames && !more_frames(run, g))
        return false;
    item->frame = g->free_frames;
    memcpy(&g->free_frames, item->frame, sizeof g->free_frames);
    item->group = g;
    item->local_linear = linear;
    item->agent = (uint32_t)(g->linear * run->items_per_group + linear);
    item->pc = run->insns + run->code->entry;
    item->state = IN_ITEM_READY;
    in_built_ins_of_item(run, item);
    if (has_shadow(run)) {
        item->shadow = item->frame + shape_of(run).shadow;
        in_shadow_begin(run, item);
    }
    return run->launch.detail != IN_TERMS || in_terms_begin(run, item);
}

void in_item_finish(struct in_group *g, struct in_item *item)
{
    item->state = IN_ITEM_DONE;
    if (item->frame) /* compiled code has separate blocks */
        free_frame(g, item->frame);
    item->frame = item->shadow = NULL;
    in_terms_end(item);
    g->done++;
}
