/* Work-groups in their slots: local memory, blocks of work-items, built-in values. [CL 3.2.1] */
#include "interp/exec/check.h"
#include "interp/fault.h"
#include "interp/weak/weak.h"
#include "sched.h"
#include <string.h>

#define IN_MEMORY_LIMIT (UINT64_C(2) << 30)

/* Whether shadow memory is kept. */
static bool shadowed(const struct in_run *run)
{
    return run->launch.checks && run->launch.uninitialized;
}

static void *take(struct in_run *run, uint64_t size)
{
    if (run->memory_used + size > IN_MEMORY_LIMIT)
        return NULL;
    void *p = mm_alloc_zero(1, size);
    run->memory_used += p != NULL ? size : 0;
    return p;
}

/* Local variables and local arguments, one object each, with the same ids in every work-group. */
static bool make_local(struct in_run *run, struct in_group *g)
{
    const struct in_code *code = run->code;
    uint32_t arguments = run->info->argument_count, n = code->local_count + arguments;
    g->objects = mm_alloc_zero(n + 1, sizeof *g->objects);
    if (g->objects == NULL)
        return false;
    uint64_t at = 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct in_global *v = k < code->local_count ? &run->module->globals[code->locals[k]] : NULL;
        const struct in_argument *a = k >= code->local_count ? &run->arguments[k - code->local_count] : NULL;
        bool local = v != NULL || run->info->arguments[k - code->local_count].kind == IN_ARG_LOCAL;
        uint64_t size = !local ? 0 : v != NULL ? v->ty->size : a->local_size;
        uint64_t align = v != NULL && v->align > 128 ? v->align : 128;
        at = (at + align - 1) / align * align;
        const char *name =
            v != NULL ? run->module->ids[v->id].name : run->info->arguments[k - code->local_count].name;
        g->objects[k] = (struct in_object){.address = at,
                                           .size = size,
                                           .id = run->local_ids != NULL ? run->local_ids[k] : k + 1,
                                           .region = MM_LOCAL,
                                           .name = name};
        at += size;
    }
    g->local_size = at > 0 ? at + 4096 : 64;
    g->local = take(run, g->local_size);
    if (shadowed(run))
        g->local_shadow = take(run, g->local_size);
    if (g->local == NULL || (shadowed(run) && g->local_shadow == NULL))
        return false;
    const uint8_t *local = IN_FAULTY(LOCAL_SHARED) && run->slot_count > 0 ? run->slots[0]->local : g->local;
    uint64_t base = ((uint64_t)(uintptr_t)local + 4095) & ~UINT64_C(4095);
    for (uint32_t k = 0; k < n; k++)
        g->objects[k].address += g->objects[k].size > 0 ? base : 0;
    return true;
}

struct in_group *in_group_create(struct in_run *run)
{
    struct in_group *g = mm_alloc_zero(1, sizeof *g);
    if (g == NULL)
        return NULL;
    g->run = run;
    g->items = take(run, run->items_per_group * sizeof *g->items);
    if (g->items == NULL || !make_local(run, g)) {
        in_group_destroy(run, g);
        return NULL;
    }
    return g;
}

void in_group_destroy(struct in_run *run, struct in_group *g)
{
    (void)run;
    for (struct in_block *b = g->all_blocks, *next; b != NULL; b = next) {
        next = b->all;
        mm_free(b);
    }
    mm_free(g->objects);
    mm_free(g->local);
    mm_free(g->local_shadow);
    mm_free(g->items);
    mm_free(g);
}

bool in_group_next(struct in_run *run, struct in_group *g)
{
    g->active = run->next_group < run->groups_total;
    if (!g->active)
        return false;
    g->linear = run->next_group++;
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
    if (g->local_shadow != NULL)
        memset(g->local_shadow, 1, g->local_size);
    memset(g->items, 0, g->items_count * sizeof *g->items);
    if (run->weak != NULL)
        in_weak_group(run, g);
    return true;
}

/* ---- blocks ------------------------------------------------------------------------------ */

static void place_arguments(struct in_run *run, struct in_group *g, uint8_t *frame)
{
    for (uint32_t k = 0; k < run->info->argument_count; k++) {
        const struct in_argument_info *info = &run->info->arguments[k];
        const struct in_argument *a = &run->arguments[k];
        int32_t slot = run->code->arguments[k];
        const struct in_object *local = &g->objects[run->code->local_count + k];
        struct in_fat fat = {a->address, a->object != NULL ? a->object : &in_unknown};
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

static void relocate(struct in_run *run, struct in_group *g, uint8_t *frame)
{
    struct in_header *h = (struct in_header *)(void *)frame;
    const struct in_code *code = run->code;
    for (uint32_t k = 0; k < code->reloc_count; k++) {
        const struct in_const_reloc *r = &code->relocs[k];
        const struct in_object *o = &run->instance->objects[r->variable];
        uint32_t argument = run->module->globals[r->variable].argument;
        if (argument < run->info->argument_count && run->arguments[argument].object != NULL)
            o = run->arguments[argument].object;
        uint32_t storage = run->module->globals[r->variable].storage;
        if (storage == SpvStorageClassInput)
            o = &h->object;
        for (uint32_t v = 0; storage == SpvStorageClassWorkgroup && v < code->local_count; v++)
            if (code->locals[v] == r->variable)
                o = &g->objects[v];
        struct in_fat fat = {o->address + (uint64_t)r->addend, o};
        memcpy(frame + r->slot, &fat, r->fat ? sizeof fat : 8);
    }
}

static void fixed_header(struct in_run *run, uint8_t *frame)
{
    struct in_header *h = (struct in_header *)(void *)frame;
    const struct in_launch *l = &run->launch;
    h->halt = run->insns;
    for (int k = 0; k < 3; k++) {
        h->global_size[k] = l->global_size[k];
        h->global_offset[k] = l->global_offset[k];
        h->enqueued_local_size[k] = l->local_size[k];
        h->num_groups[k] = run->group_count[k];
    }
    for (int k = 0; k < 3; k++) {
        h->narrow[IN_NARROW_GLOBAL_SIZE][k] = (uint32_t)h->global_size[k];
        h->narrow[IN_NARROW_GLOBAL_OFFSET][k] = (uint32_t)h->global_offset[k];
        h->narrow[IN_NARROW_ENQUEUED_LOCAL_SIZE][k] = (uint32_t)h->enqueued_local_size[k];
        h->narrow[IN_NARROW_NUM_GROUPS][k] = (uint32_t)h->num_groups[k];
    }
    h->work_dim = l->dimensions;
    h->sub_group_max_size = l->sub_group_size;
    h->num_enqueued_sub_groups = (run->items_per_group + l->sub_group_size - 1) / l->sub_group_size;
    h->object = (struct in_object){.address = (uint64_t)(uintptr_t)h,
                                   .size = offsetof(struct in_header, object),
                                   .region = MM_PRIVATE,
                                   .read_only = true,
                                   .name = "built-in variables"};
}

static struct in_block *new_block(struct in_run *run, struct in_group *g)
{
    const struct in_code *code = run->code;
    struct in_block *b;
    const uint64_t line = IN_FRAME_ALIGN;
    uint64_t below = (code->constant_size + line - 1) / line * line;
    uint64_t block = sizeof *b + below + code->frame_size + 2 * line;
    uint64_t shadow = shadowed(run) ? below + code->frame_size : 0;
    b = take(run, block + shadow);
    if (b == NULL)
        return NULL;
    uint64_t at = ((uint64_t)(uintptr_t)(b + 1) + line - 1) & ~(line - 1);
    b->frame = (uint8_t *)(uintptr_t)(at + below);
    if (shadow > 0)
        b->shadow = (uint8_t *)b + block + below;
    b->all = g->all_blocks;
    g->all_blocks = b;
    if (code->constant_size > 0)
        memcpy(b->frame - code->constant_size, code->constants, code->constant_size);
    fixed_header(run, b->frame);
    relocate(run, g, b->frame);
    place_arguments(run, g, b->frame);
    const struct in_insn *halt = run->insns;
    memcpy(b->frame + code->return_slot, &halt, sizeof halt);
    return b;
}

/* Masks over the sub-group's work-items. [SPIRV 3.21] */
static void set_masks(struct in_header *h)
{
    uint32_t n = (uint32_t)h->sub_group_size, me = (uint32_t)h->sub_group_local_id;
    uint32_t *masks[5] = {h->eq_mask, h->ge_mask, h->gt_mask, h->le_mask, h->lt_mask};
    memset(h->eq_mask, 0, 5 * sizeof h->eq_mask);
    for (uint32_t k = 0; k < n && k < 128; k++) {
        const bool in[5] = {k == me, k >= me, k > me, k <= me, k < me};
        for (int m = 0; m < 5; m++)
            masks[m][k / 32] |= (uint32_t)in[m] << (k % 32);
    }
}

void in_item_header(const struct in_run *run, const struct in_group *g, struct in_item *item)
{
    struct in_header *h = (struct in_header *)(void *)item->frame;
    const struct in_launch *l = &run->launch;
    uint32_t rest = item->local_linear, sub = l->sub_group_size;
    h->item = item;
    for (int k = 0; k < 3; k++) {
        h->local_id[k] = rest % g->size[k];
        rest /= g->size[k];
        h->group_id[k] = g->id[k];
        h->local_size[k] = g->size[k];
        h->global_id[k] = l->global_offset[k] + g->id[k] * l->local_size[k] + h->local_id[k];
    }
    for (int k = 0; k < 3 && run->module->narrow_built_ins; k++) {
        h->narrow[IN_NARROW_GLOBAL_ID][k] = (uint32_t)h->global_id[k];
        h->narrow[IN_NARROW_LOCAL_ID][k] = (uint32_t)h->local_id[k];
        h->narrow[IN_NARROW_GROUP_ID][k] = (uint32_t)h->group_id[k];
        h->narrow[IN_NARROW_LOCAL_SIZE][k] = (uint32_t)h->local_size[k];
    }
    h->local_index = item->local_linear;
    h->global_linear_id = ((h->global_id[2] - l->global_offset[2]) * l->global_size[1] + h->global_id[1] -
                           l->global_offset[1]) *
                              l->global_size[0] +
                          h->global_id[0] - l->global_offset[0];
    h->sub_group_id = item->local_linear / sub;
    h->sub_group_local_id = item->local_linear % sub;
    h->num_sub_groups = (g->items_count + sub - 1) / sub;
    uint64_t left = g->items_count - h->sub_group_id * sub;
    h->sub_group_size = left < sub ? left : sub;
    if (run->module->narrow_built_ins) /* masks are among them */
        set_masks(h);
}

bool in_item_start(struct in_run *run, struct in_group *g, struct in_item *item, uint32_t linear)
{
    struct in_block *b = g->free_blocks;
    if (b != NULL)
        g->free_blocks = b->next;
    else if ((b = new_block(run, g)) == NULL)
        return false;
    item->block = b;
    item->frame = b->frame;
    item->group = g;
    item->local_linear = linear;
    item->agent = (uint32_t)(g->linear * run->items_per_group + linear);
    item->pc = run->insns + run->code->entry;
    item->state = IN_ITEM_READY;
    in_item_header(run, g, item);
    if (shadowed(run))
        in_shadow_begin(run, item);
    return true;
}

void in_item_finish(struct in_group *g, struct in_item *item)
{
    item->state = IN_ITEM_DONE;
    item->block->next = g->free_blocks;
    g->free_blocks = item->block;
    item->block = NULL;
    g->done++;
}
