/* Hidden objects that lowering adds: mailboxes of group functions, counters of their executions, and
 * memory with unconstrained initial values. */
#include "tools/explore/memory/hidden.h"
#include "tools/explore/program/build.h"

#include <string.h>

uint32_t ex_new_counter(struct ex *ex)
{
    struct ex_item *item = &ex->item;
    item->counters = ex_grow(ex, item->counters, item->counter_count, sizeof *item->counters);
    return item->counters[item->counter_count++] = ex_new_reg(ex, 4);
}

void ex_prepend_counters(struct ex *ex)
{
    struct ex_item *b = &ex->item;
    struct ck_thread *t = &ex->program->threads[b->thread];
    uint32_t count = b->counter_count, before = t->instr_count;
    uint32_t zero = ex_const(ex, 0, 4);
    for (uint32_t i = 0; i < count; i++)
        ex_assign(ex, b->counters[i], zero);
    struct ck_instr *first = ex_alloc(ex, (count + 1) * sizeof *first);
    if (count)
        memcpy(first, t->instrs + before, count * sizeof *first);
    memmove(t->instrs + count, t->instrs, before * sizeof *t->instrs);
    memcpy(t->instrs, first, count * sizeof *first);
    for (uint32_t i = 0; i < b->label_count; i++)
        b->labels[i] += b->labels[i] == EX_NO_LABEL ? 0 : count;
    b->counter_count = 0;
}

uint32_t ex_hidden_object(struct ex *ex, const struct ex_hidden *wanted)
{
    struct ex_build *b = &ex->build;
    for (uint32_t i = 0; i < b->hidden_count; i++) {
        const struct ex_hidden *h = &b->hidden[i];
        if (h->site == wanted->site && h->work_group == wanted->work_group &&
            h->sub_group == wanted->sub_group && h->region == wanted->region)
            return h->object;
    }
    uint64_t *zeros = ex_alloc(ex, wanted->size);
    struct ck_object object = {.name = "exchange",
                               .size = wanted->size,
                               .element_size = 8,
                               .region = wanted->region,
                               .origin = MM_ORIGIN_BUFFER,
                               .hidden = true,
                               .work_group = wanted->region == MM_LOCAL ? (int32_t)wanted->work_group : -1,
                               .alias_of = ex->program->object_count,
                               .initial = zeros};
    b->hidden = ex_grow(ex, b->hidden, b->hidden_count, sizeof *b->hidden);
    struct ex_hidden *h = &b->hidden[b->hidden_count++];
    *h = *wanted;
    h->object = ex_check_added(ex, ck_program_add_object(ex->program, &object));
    return h->object;
}

static void note_site(struct ex *ex, struct ex_site **list, uint32_t *count, struct ex_site site)
{
    for (uint32_t i = 0; i < *count; i++)
        if ((*list)[i].site == site.site)
            return;
    *list = ex_grow(ex, *list, *count, sizeof **list);
    (*list)[(*count)++] = site;
}

void ex_require_convergence(struct ex *ex)
{
    note_site(ex, &ex->build.converged, &ex->build.converged_count,
              (struct ex_site){.site = ex->item.site + 1, .inst = ex->current});
}

void ex_note_copy(struct ex *ex, uint32_t site, const struct in_inst *inst)
{
    note_site(ex, &ex->build.copies, &ex->build.copy_count, (struct ex_site){.site = site, .inst = inst});
}

const struct in_inst *ex_copy_inst(struct ex *ex, uint32_t site)
{
    for (uint32_t i = 0; i < ex->build.copy_count; i++)
        if (ex->build.copies[i].site == site)
            return ex->build.copies[i].inst;
    ex_fail(ex, MM_BUG, "explore", "a copy that no instruction asks for");
}

uint64_t ex_initial_bytes(const struct ck_object *object, uint64_t offset, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size && object->initial; i++) {
        uint64_t at = offset + i;
        uint64_t byte = object->initial[at / object->element_size] >> (at % object->element_size * 8) & 0xFF;
        value |= byte << (8 * i);
    }
    return value;
}

/* Bytes that a load of a scalar of SIZE bytes accesses. */
static unsigned loaded_bytes(unsigned size)
{
    return size > 4 ? 8 : size > 2 ? 4 : size;
}

uint32_t ex_arbitrary_object(struct ex *ex, const char *name, unsigned size)
{
    struct ck_object object = {.name = name,
                               .size = loaded_bytes(size),
                               .element_size = (uint8_t)loaded_bytes(size),
                               .region = MM_PRIVATE,
                               .origin = MM_ORIGIN_NONE,
                               .non_atomic = true,
                               .uninitialized = true,
                               .work_group = -1,
                               .alias_of = ex->program->object_count};
    return ex_check_added(ex, ck_program_add_object(ex->program, &object));
}

uint32_t ex_read_arbitrary(struct ex *ex, uint32_t object, unsigned size)
{
    uint32_t address = ex_const(ex, CK_OBJECT_BASE(object), 8);
    struct ck_instr load = ex_load(ex, address, loaded_bytes(size));
    ex_emit(ex, load);
    return ex_resize(ex, ex_reg_expr(ex, load.reg), size, false);
}
