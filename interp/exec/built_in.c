/* Built-in variables: those that a kernel uses are stored among its constants, one copy per work-item.
 * [CL env 2.9] */
#include "interp/lower/lower.h"
#include "memmodel/base/array.h"
#include <string.h>

/* Where the value of a built-in variable is in struct in_built_ins, and its size in 64 bits. */
static const struct place {
    uint8_t offset, words; /* in 64 bits */
    uint16_t builtin;
} places[] = {
#define IN_PLACE(name, field)                                                                                \
    {                                                                                                        \
        offsetof(struct in_built_ins, field) / 8, sizeof((struct in_built_ins *)NULL)->field / 8,            \
            SpvBuiltIn##name                                                                                 \
    }
    IN_PLACE(NumWorkgroups, num_groups),
    IN_PLACE(WorkgroupSize, local_size),
    IN_PLACE(WorkgroupId, group_id),
    IN_PLACE(LocalInvocationId, local_id),
    IN_PLACE(GlobalInvocationId, global_id),
    IN_PLACE(LocalInvocationIndex, local_index),
    IN_PLACE(WorkDim, work_dim),
    IN_PLACE(GlobalSize, global_size),
    IN_PLACE(EnqueuedWorkgroupSize, enqueued_local_size),
    IN_PLACE(GlobalOffset, global_offset),
    IN_PLACE(GlobalLinearId, global_linear_id),
    IN_PLACE(SubgroupSize, sub_group_size),
    IN_PLACE(SubgroupMaxSize, sub_group_max_size),
    IN_PLACE(NumSubgroups, num_sub_groups),
    IN_PLACE(NumEnqueuedSubgroups, num_enqueued_sub_groups),
    IN_PLACE(SubgroupId, sub_group_id),
    IN_PLACE(SubgroupLocalInvocationId, sub_group_local_id),
    IN_PLACE(DeviceIndex, device_index),
    IN_PLACE(SubgroupEqMask, eq_mask),
    IN_PLACE(SubgroupGeMask, ge_mask),
    IN_PLACE(SubgroupGtMask, gt_mask),
    IN_PLACE(SubgroupLeMask, le_mask),
    IN_PLACE(SubgroupLtMask, lt_mask),
#undef IN_PLACE
};
_Static_assert(sizeof(struct in_built_ins) / 8 < 256, "offsets fit");

bool in_is_built_in(const struct in_lower *l, uint32_t id)
{
    const struct in_id *e = &l->m->ids[id];
    return e->kind == IN_ID_GLOBAL && l->m->globals[e->index].storage == SpvStorageClassInput;
}

static const struct place *find_place(int32_t builtin)
{
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        if (places[k].builtin == builtin)
            return &places[k];
    return NULL;
}

/* The entry of built-in variable ID, made at its first use; NULL: l->result says why. */
static struct in_built_in *entry_of(struct in_lower *l, uint32_t id)
{
    struct in_code *code = l->code;
    uint32_t variable = l->m->ids[id].index;
    int32_t builtin = l->m->ids[id].builtin;
    const struct in_ty *ty = l->m->globals[variable].ty;
    for (uint32_t k = 0; k < code->built_in_count; k++)
        if (code->built_ins[k].variable == variable)
            return &code->built_ins[k];
    const struct place *place = find_place(builtin);
    if (!place) {
        l->result = in_bad(l->m, l->inst->word, l->err, "CL env 2.9", "built-in variable %d", builtin);
        return NULL;
    }
    bool mask = builtin >= SpvBuiltInSubgroupEqMask && builtin <= SpvBuiltInSubgroupLtMask;
    bool sub_group = mask || builtin == SpvBuiltInSubgroupSize || builtin == SpvBuiltInSubgroupId ||
                     builtin == SpvBuiltInSubgroupLocalInvocationId;
    struct in_built_in *added = mm_add(&code->built_ins, &code->built_in_count);
    if (!added) {
        in_lower_no_memory(l);
        return NULL;
    }
    uint64_t size = ty->reg_size > place->words * 8u ? ty->reg_size : place->words * 8u;
    code->masks |= mask;
    code->sub_groups |= sub_group;
    *added = (struct in_built_in){.variable = variable,
                                  .slot = in_const_alloc(l, NULL, size),
                                  .from = place->offset,
                                  .words = place->words,
                                  .narrow = !mask && ty->kind == IN_TY_VECTOR && ty->element->width == 32};
    return added;
}

int32_t in_built_in_value(struct in_lower *l, uint32_t id)
{
    const struct in_built_in *b = entry_of(l, id);
    return b ? b->slot : 0;
}

int32_t in_built_in_pointer(struct in_lower *l, uint32_t id)
{
    struct in_built_in *b = entry_of(l, id);
    if (b && b->pointer == 0) {
        b->object = in_const_alloc(l, NULL, sizeof(struct in_object));
        b->pointer = in_const_alloc(l, NULL, sizeof(struct in_fat));
    }
    return b ? b->pointer : 0;
}

void in_built_ins_place(const struct in_run *run, uint8_t *frame)
{
    for (uint32_t k = 0; k < run->code->built_in_count; k++) {
        const struct in_built_in *b = &run->code->built_ins[k];
        const struct in_global *g = &run->module->globals[b->variable];
        struct in_object o = {.address = (uint64_t)(uintptr_t)(frame + b->slot),
                              .size = g->ty->size,
                              .region = MM_PRIVATE,
                              .read_only = true,
                              .name = run->module->ids[g->id].name};
        struct in_fat pointer = {o.address, (const struct in_object *)(const void *)(frame + b->object)};
        if (b->pointer == 0)
            continue;
        memcpy(frame + b->object, &o, sizeof o);
        memcpy(frame + b->pointer, &pointer, sizeof pointer);
    }
}

/* ---- values ------------------------------------------------------------------------------------ */

void in_built_ins_of_run(const struct in_run *run, struct in_built_ins *v)
{
    const struct in_launch *l = &run->launch;
    for (int k = 0; k < 3; k++) {
        v->global_size[k] = l->global_size[k];
        v->global_offset[k] = l->global_offset[k];
        v->enqueued_local_size[k] = l->local_size[k];
        v->num_groups[k] = run->group_count[k];
    }
    v->work_dim = l->dimensions;
    v->sub_group_max_size = l->sub_group_size;
    v->num_enqueued_sub_groups = (run->items_per_group + l->sub_group_size - 1) / l->sub_group_size;
}

void in_built_ins_of_group(const struct in_run *run, struct in_group *g)
{
    uint32_t sub = run->launch.sub_group_size;
    for (int k = 0; k < 3; k++) {
        g->built_ins.group_id[k] = g->id[k];
        g->built_ins.local_size[k] = g->size[k];
    }
    g->built_ins.num_sub_groups = (g->items_count + sub - 1) / sub;
}

void in_item_ids(const struct in_item *item, uint64_t *local, uint64_t *global)
{
    const struct in_group *g = item->group;
    const struct in_launch *l = &g->run->launch;
    uint32_t rest = item->local_linear;
    for (int k = 0; k < 3; k++) {
        uint32_t rows = rest < g->size[k] ? 0 : rest / g->size[k];
        local[k] = rest - rows * g->size[k];
        rest = rows;
        global[k] = l->global_offset[k] + g->id[k] * l->local_size[k] + local[k];
    }
}

/* Masks over the sub-group's work-items. [SPIRV 3.21] */
static void set_masks(struct in_built_ins *v)
{
    uint32_t n = (uint32_t)v->sub_group_size, me = (uint32_t)v->sub_group_local_id;
    uint32_t *masks[5] = {v->eq_mask, v->ge_mask, v->gt_mask, v->le_mask, v->lt_mask};
    memset(v->eq_mask, 0, 5 * sizeof v->eq_mask);
    for (uint32_t k = 0; k < n && k < 128; k++) {
        const bool in[5] = {k == me, k >= me, k > me, k <= me, k < me};
        for (int m = 0; m < 5; m++)
            masks[m][k / 32] |= (uint32_t)in[m] << (k % 32);
    }
}

static void compute_built_ins(const struct in_run *run, const struct in_item *item, struct in_built_ins *v)
{
    const struct in_launch *l = &run->launch;
    in_item_ids(item, v->local_id, v->global_id);
    v->local_index = item->local_linear;
    v->global_linear_id = ((v->global_id[2] - l->global_offset[2]) * l->global_size[1] + v->global_id[1] -
                           l->global_offset[1]) *
                              l->global_size[0] +
                          v->global_id[0] - l->global_offset[0];
    if (run->code->sub_groups) {
        v->sub_group_id = item->local_linear / l->sub_group_size;
        v->sub_group_local_id = item->local_linear % l->sub_group_size;
        v->sub_group_size = in_sub_group_size(item);
    }
    if (run->code->masks)
        set_masks(v);
}

void in_built_ins_of_item(const struct in_run *run, const struct in_item *item)
{
    struct in_built_ins *v = &item->group->built_ins;
    compute_built_ins(run, item, v);
    for (uint32_t k = 0; k < run->code->built_in_count; k++) {
        const struct in_built_in *b = &run->code->built_ins[k];
        const uint64_t *from = (const uint64_t *)(const void *)v + b->from;
        uint8_t *to = item->frame + b->slot;
        for (uint32_t w = 0; w < b->words; w++) {
            if (b->narrow)
                memcpy(to + 4 * w, &(uint32_t){(uint32_t)from[w]}, 4);
            else
                memcpy(to + 8 * w, &from[w], 8);
        }
    }
}
