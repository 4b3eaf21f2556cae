/* Hidden objects that lowering adds: mailboxes of group functions, counters of their executions, and
 * memory with unconstrained initial values. */
#include "tools/explore/explore.h"

#include <string.h>

static _Noreturn void no_memory(struct ex *ex)
{
    ex_fail(ex, MM_LIMIT, "memory", "out of memory");
}

/* ARRAY with room for one more item than COUNT. */
static void *room(struct ex *ex, void *array, uint32_t count, uint32_t *capacity, size_t item)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity ? *capacity * 2 : 16;
    void *bigger = ex_alloc(ex, *capacity * item);
    if (count)
        memcpy(bigger, array, count * item);
    return bigger;
}

uint32_t ex_new_counter(struct ex *ex)
{
    struct ex_build *b = ex->build;
    b->counters = room(ex, b->counters, b->counter_count, &b->counter_capacity, sizeof *b->counters);
    return b->counters[b->counter_count++] = ex_new_reg(ex, 4);
}

/* Labels still are to be resolved. */
void ex_prepend_counters(struct ex *ex)
{
    struct ex_build *b = ex->build;
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
        b->labels[i] += b->labels[i] == UINT32_MAX ? 0 : count;
    b->counter_count = 0;
}

uint32_t ex_hidden_object(struct ex *ex, const struct ex_hidden *wanted)
{
    struct ex_build *b = ex->build;
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
    b->hidden = room(ex, b->hidden, b->hidden_count, &b->hidden_capacity, sizeof *b->hidden);
    struct ex_hidden *h = &b->hidden[b->hidden_count++];
    *h = *wanted;
    h->object = ck_program_add_object(ex->program, &object);
    if (h->object == UINT32_MAX)
        no_memory(ex);
    return h->object;
}

static void note(struct ex *ex, struct ex_meeting **list, uint32_t *count, uint32_t *capacity,
                 struct ex_meeting meeting)
{
    for (uint32_t i = 0; i < *count; i++)
        if ((*list)[i].site == meeting.site)
            return;
    *list = room(ex, *list, *count, capacity, sizeof **list);
    (*list)[(*count)++] = meeting;
}

void ex_all_must_come(struct ex *ex)
{
    struct ex_build *b = ex->build;
    note(ex, &b->meetings, &b->meeting_count, &b->meeting_capacity,
         (struct ex_meeting){.site = b->site + 1, .inst = ex->current});
}

void ex_note_copy(struct ex *ex, uint32_t site, const struct ex_inst *inst)
{
    struct ex_build *b = ex->build;
    note(ex, &b->copies, &b->copy_count, &b->copy_capacity, (struct ex_meeting){.site = site, .inst = inst});
}

const struct ex_inst *ex_copy_inst(struct ex *ex, uint32_t site)
{
    for (uint32_t i = 0; i < ex->build->copy_count; i++)
        if (ex->build->copies[i].site == site)
            return ex->build->copies[i].inst;
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

/* Memory that is never written holds unconstrained values: 8 bytes for each of them. */
uint32_t ex_arbitrary_object(struct ex *ex)
{
    struct ck_object object = {.name = "undefined",
                               .size = 8,
                               .element_size = 8,
                               .region = MM_PRIVATE,
                               .origin = MM_ORIGIN_NONE,
                               .non_atomic = true,
                               .uninitialised = true,
                               .work_group = -1,
                               .alias_of = ex->program->object_count};
    uint32_t index = ck_program_add_object(ex->program, &object);
    if (index == UINT32_MAX)
        no_memory(ex);
    return index;
}

uint32_t ex_read_arbitrary(struct ex *ex, uint32_t object, unsigned size)
{
    unsigned access = size > 4 ? 8 : size > 2 ? 4 : size;
    uint32_t reg = ex_new_reg(ex, access);
    ex_emit(ex, (struct ck_instr){.op = CK_LOAD,
                                  .size = (uint8_t)access,
                                  .reg = reg,
                                  .reg2 = CK_NO_REG,
                                  .address = ex_const(ex, CK_OBJECT_BASE(object), 8)});
    return ex_resize(ex, ex_reg_expr(ex, reg), size, false);
}
