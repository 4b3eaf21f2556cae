/* The function "collect": counts the final states of a launch and prepares memory for the next one. */
#include "litmus/vulkan/vulkan.h"

#include <inttypes.h>

#define NOT_STORED 0x5efc1ba

struct collect {
    uint32_t index_variable, last,
        run;              /* function variables; LAST, RUN: states of one kind are counted together */
    uint32_t first, step; /* of the work-item's instances */
    uint32_t bins;        /* buffer or local array of bins */
};

static bool local_bins(const struct lt_vk_module *m)
{
    return m->kernel->bins <= 1024;
}

static uint32_t bin_pointer(struct lt_vk_module *m, uint32_t key)
{
    return local_bins(m) ? lt_vk_op(m, "OpAccessChain %%local_ptr_uint %%bins %%%u", key)
                         : lt_vk_element(m, LT_VK_BINS, 4, key);
}

/* Adds to a counter that the work-group or all of them share. */
static uint32_t atomic_add(struct lt_vk_module *m, uint32_t pointer, bool local, uint32_t value)
{
    return lt_vk_op(m, "OpAtomicIAdd %%uint %%%u %%%u %%%u %%%u", pointer, lt_vk_uint(m, local ? 2 : 1),
                    lt_vk_uint(m, 0), value);
}

static uint32_t out_pointer(struct lt_vk_module *m, uint32_t column, uint32_t i)
{
    uint32_t first = lt_vk_binary(m, "OpIMul", lt_vk_uint(m, column), m->knobs[LT_K_instances]);
    return lt_vk_element(m, LT_VK_OUT, m->kernel->wide ? 8 : 4, lt_vk_binary(m, "OpIAdd", first, i));
}

static uint32_t object_pointer(struct lt_vk_module *m, uint32_t object, uint32_t element, uint32_t i)
{
    uint32_t at = lt_vk_binary(m, "OpIAdd", lt_vk_place(m, object, i), lt_vk_uint(m, element));
    return lt_vk_object_element(m, object, at);
}

/* The observed values of instance I. */
static void load_values(struct lt_vk_module *m, uint32_t i, uint32_t *values, uint8_t *sizes)
{
    const struct ck_program *p = m->program;
    char operands[96];
    uint32_t column = 0;
    for (uint32_t n = 0; n < p->observed_count; n++) {
        const struct ck_term *term = &p->observed[n];
        if (lt_observed_stored(p, n)) {
            sizes[n] = m->kernel->wide ? 8 : 4;
            values[n] = lt_vk_op(m, "OpLoad %%%s %%%u", lt_vk_type(sizes[n]), out_pointer(m, column++, i));
            continue;
        }
        sizes[n] = p->objects[term->object].element_size;
        values[n] = lt_vk_op(m, "OpLoad %%%s %%%u%s", lt_vk_type(sizes[n]),
                             object_pointer(m, term->object, term->offset / sizes[n], i),
                             lt_vk_operands(m, term->object, "", 0, operands));
    }
}

/* Whether the threads were in the sub-groups that the test wants. */
static uint32_t placed_right(struct lt_vk_module *m, uint32_t i)
{
    const struct ck_program *p = m->program;
    const char *type = lt_vk_type(m->kernel->wide ? 8 : 4);
    uint32_t good = 0;
    for (uint32_t a = 0; a < p->thread_count; a++)
        for (uint32_t b = 0; b < a; b++) {
            const struct ck_thread *s = &p->threads[a], *t = &p->threads[b];
            if (s->work_group != t->work_group)
                continue;
            uint32_t x = lt_vk_op(m, "OpLoad %%%s %%%u", type, out_pointer(m, m->kernel->columns + a, i)),
                     y = lt_vk_op(m, "OpLoad %%%s %%%u", type, out_pointer(m, m->kernel->columns + b, i));
            uint32_t ok = lt_vk_op(m, "%s %%bool %%%u %%%u",
                                   s->sub_group == t->sub_group ? "OpIEqual" : "OpINotEqual", x, y);
            good = good ? lt_vk_compare(m, "OpLogicalAnd", good, ok) : ok;
        }
    return good;
}

/* Results are reset too, so that a missing store is detected. */
static void reset_instance(struct lt_vk_module *m, uint32_t i)
{
    const struct ck_program *p = m->program;
    char operands[96];
    for (uint32_t n = 0; n < p->object_count; n++) {
        const struct ck_object *o = &p->objects[n];
        for (uint32_t e = 0; !lt_vk_is_local(m, n) && o->alias_of == n && e < lt_elements(o); e++)
            lt_vk_do(m, "OpStore %%%u %%%u%s", object_pointer(m, n, e, i),
                     lt_vk_constant(m, o->initial[e], o->element_size),
                     lt_vk_operands(m, n, "", 0, operands));
    }
    for (uint32_t c = 0; c < m->kernel->columns; c++)
        lt_vk_do(m, "OpStore %%%u %%%u", out_pointer(m, c, i),
                 lt_vk_constant(m, NOT_STORED, m->kernel->wide ? 8 : 4));
}

/* ---- counting ---------------------------------------------------------------------------------------- */

static void store_other(struct lt_vk_module *m, const uint32_t *values, const uint8_t *sizes)
{
    const struct ck_program *p = m->program;
    uint32_t n = p->observed_count, zero = lt_vk_uint(m, 0);
    uint32_t at = atomic_add(m, lt_vk_element(m, LT_VK_COUNTS, 4, zero), false, lt_vk_uint(m, 1));
    uint32_t merge = lt_vk_if(m, lt_vk_compare(m, "OpULessThan", at, lt_vk_uint(m, LT_VK_OTHER_STATES)));
    uint32_t first = lt_vk_binary(m, "OpIMul", at, lt_vk_uint(m, 2 * n));
    for (uint32_t i = 0; i < n; i++) {
        const struct ck_term *term = &p->observed[i];
        bool is_signed =
            term->kind == CK_TERM_REG || lt_observed_stored(p, i) || p->objects[term->object].is_signed;
        uint32_t low = values[i], high = zero;
        if (sizes[i] == 8) {
            low = lt_vk_op(m, "OpUConvert %%uint %%%u", values[i]);
            high =
                lt_vk_op(m, "OpUConvert %%uint %%%u",
                         lt_vk_op(m, "OpShiftRightLogical %%ulong %%%u %%%u", values[i], lt_vk_uint(m, 32)));
        } else if (is_signed) {
            high = lt_vk_binary(m, "OpShiftRightArithmetic", low, lt_vk_uint(m, 31));
        }
        uint32_t place = lt_vk_binary(m, "OpIAdd", first, lt_vk_uint(m, 2 * i));
        lt_vk_do(m, "OpStore %%%u %%%u", lt_vk_element(m, LT_VK_OTHERS, 4, place), low);
        place = lt_vk_binary(m, "OpIAdd", first, lt_vk_uint(m, 2 * i + 1));
        lt_vk_do(m, "OpStore %%%u %%%u", lt_vk_element(m, LT_VK_OTHERS, 4, place), high);
    }
    lt_vk_end_if(m, merge);
}

/* The state's bin; *FITS: whether it has one. */
static uint32_t key_of(struct lt_vk_module *m, const uint32_t *values, const uint8_t *sizes, uint32_t *fits)
{
    uint32_t key = lt_vk_uint(m, 0), bits = m->kernel->bits;
    *fits = 0;
    for (uint32_t i = 0; i < m->program->observed_count; i++) {
        const char *type = lt_vk_type(sizes[i]);
        uint32_t low = lt_vk_constant(m, (uint64_t)(int64_t)m->kernel->low, sizes[i]);
        uint32_t offset = lt_vk_op(m, "OpISub %%%s %%%u %%%u", type, values[i], low);
        uint32_t ok =
            lt_vk_compare(m, "OpULessThan", offset, lt_vk_constant(m, UINT64_C(1) << bits, sizes[i]));
        *fits = *fits ? lt_vk_compare(m, "OpLogicalAnd", *fits, ok) : ok;
        if (sizes[i] == 8)
            offset = lt_vk_op(m, "OpUConvert %%uint %%%u", offset);
        key = lt_vk_binary(m, "OpBitwiseOr", key,
                           lt_vk_binary(m, "OpShiftLeftLogical", offset, lt_vk_uint(m, i * bits)));
    }
    return key;
}

/* Equal states in a row are added to their bin at once. */
static void count_key(struct lt_vk_module *m, const struct collect *c, uint32_t key)
{
    uint32_t last = lt_vk_op(m, "OpLoad %%uint %%%u", c->last),
             run = lt_vk_op(m, "OpLoad %%uint %%%u", c->run);
    uint32_t differs = lt_vk_compare(m, "OpINotEqual", key, last);
    uint32_t counted = lt_vk_compare(m, "OpINotEqual", run, lt_vk_uint(m, 0));
    uint32_t merge = lt_vk_if(m, lt_vk_compare(m, "OpLogicalAnd", differs, counted));
    atomic_add(m, bin_pointer(m, last), local_bins(m), run);
    lt_vk_do(m, "OpStore %%%u %%%u", c->run, lt_vk_uint(m, 0));
    lt_vk_end_if(m, merge);
    lt_vk_do(m, "OpStore %%%u %%%u", c->last, key);
    uint32_t now = lt_vk_op(m, "OpLoad %%uint %%%u", c->run);
    lt_vk_do(m, "OpStore %%%u %%%u", c->run, lt_vk_binary(m, "OpIAdd", now, lt_vk_uint(m, 1)));
}

static void count_state(struct lt_vk_module *m, const struct collect *c, const uint32_t *values,
                        const uint8_t *sizes)
{
    uint32_t fits = 0, key = m->kernel->bits ? key_of(m, values, sizes, &fits) : 0;
    if (!fits) {
        store_other(m, values, sizes);
        return;
    }
    uint32_t merge = lt_vk_if(m, fits);
    count_key(m, c, key);
    lt_vk_end_if(m, merge);
    merge = lt_vk_if(m, lt_vk_op(m, "OpLogicalNot %%bool %%%u", fits));
    store_other(m, values, sizes);
    lt_vk_end_if(m, merge);
}

static void collect_instance(struct lt_vk_module *m, const struct collect *c, uint32_t i)
{
    uint32_t values[LT_MAX_THREADS] = {0};
    uint8_t sizes[LT_MAX_THREADS] = {0};
    load_values(m, i, values, sizes);
    uint32_t good = m->kernel->sub_groups ? placed_right(m, i) : 0;
    reset_instance(m, i);
    if (!good) {
        count_state(m, c, values, sizes);
        return;
    }
    uint32_t merge = lt_vk_if(m, good);
    count_state(m, c, values, sizes);
    lt_vk_end_if(m, merge);
    merge = lt_vk_if(m, lt_vk_op(m, "OpLogicalNot %%bool %%%u", good));
    atomic_add(m, lt_vk_element(m, LT_VK_COUNTS, 4, lt_vk_uint(m, 1)), false, lt_vk_uint(m, 1));
    lt_vk_end_if(m, merge);
}

/* ---- the function ------------------------------------------------------------------------------------ */

/* For each bin of the work-group: sets it to 0, or adds it to the buffer. */
static void for_bins(struct lt_vk_module *m, const struct collect *c, uint32_t local, bool add)
{
    if (!local_bins(m))
        return;
    if (add)
        lt_vk_work_group_barrier(m);
    uint32_t size = lt_vk_op(m, "OpCopyObject %%uint %%local_size");
    struct lt_vk_loop loop = lt_vk_for(m, c->index_variable, local, lt_vk_uint(m, m->kernel->bins), size);
    uint32_t bin = bin_pointer(m, loop.index), zero = lt_vk_uint(m, 0);
    if (add) {
        uint32_t count = lt_vk_op(m, "OpLoad %%uint %%%u NonPrivatePointer", bin);
        uint32_t merge = lt_vk_if(m, lt_vk_compare(m, "OpINotEqual", count, zero));
        atomic_add(m, lt_vk_element(m, LT_VK_BINS, 4, loop.index), false, count);
        lt_vk_end_if(m, merge);
    } else {
        lt_vk_do(m, "OpStore %%%u %%%u NonPrivatePointer", bin, zero);
    }
    lt_vk_end_for(m, &loop);
    if (!add)
        lt_vk_work_group_barrier(m);
}

static void choose_instances(struct lt_vk_module *m, struct collect *c, uint32_t local)
{
    uint32_t group = lt_vk_op(m, "OpLoad %%uint3 %%group_id"),
             count = lt_vk_op(m, "OpLoad %%uint3 %%group_count");
    uint32_t x = lt_vk_op(m, "OpCompositeExtract %%uint %%%u 0", group),
             n = lt_vk_op(m, "OpCompositeExtract %%uint %%%u 0", count);
    c->first = lt_vk_binary(m, "OpIAdd", lt_vk_op(m, "OpIMul %%uint %%%u %%local_size", x), local);
    c->step = lt_vk_op(m, "OpIMul %%uint %%%u %%local_size", n);
}

static void reset_gates(struct lt_vk_module *m, const struct collect *c)
{
    uint32_t gates = lt_vk_binary(m, "OpIMul", m->knobs[LT_K_clusters], m->knobs[LT_K_rounds]);
    struct lt_vk_loop loop = lt_vk_for(m, c->index_variable, c->first, gates, c->step);
    lt_vk_do(m, "OpStore %%%u %%%u", lt_vk_element(m, LT_VK_SYNC, 4, loop.index), lt_vk_uint(m, 0));
    lt_vk_end_for(m, &loop);
}

void lt_vk_collect_function(struct lt_vk_module *m)
{
    struct collect c = {0};
    lt_vk_do(m, "%%collect = OpFunction %%void None %%void_function");
    lt_vk_label(m, lt_vk_id(m));
    c.index_variable = lt_vk_op(m, "OpVariable %%var_uint Function");
    c.last = lt_vk_op(m, "OpVariable %%var_uint Function");
    c.run = lt_vk_op(m, "OpVariable %%var_uint Function");
    lt_vk_load_knobs(m);
    uint32_t local = lt_vk_op(m, "OpLoad %%uint %%local_index"), zero = lt_vk_uint(m, 0);
    for_bins(m, &c, local, false);
    choose_instances(m, &c, local);
    lt_vk_do(m, "OpStore %%%u %%%u\nOpStore %%%u %%%u", c.last, zero, c.run, zero);
    struct lt_vk_loop loop = lt_vk_for(m, c.index_variable, c.first, m->knobs[LT_K_instances], c.step);
    collect_instance(m, &c, loop.index);
    lt_vk_end_for(m, &loop);
    uint32_t run = lt_vk_op(m, "OpLoad %%uint %%%u", c.run);
    uint32_t merge = lt_vk_if(m, lt_vk_compare(m, "OpINotEqual", run, zero));
    atomic_add(m, bin_pointer(m, lt_vk_op(m, "OpLoad %%uint %%%u", c.last)), local_bins(m), run);
    lt_vk_end_if(m, merge);
    reset_gates(m, &c);
    for_bins(m, &c, local, true);
    lt_vk_do(m, "OpReturn\nOpFunctionEnd");
    m->kernel->columns += m->kernel->sub_groups ? m->program->thread_count : 0;
}
