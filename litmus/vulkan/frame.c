/* The function "run": maps work-items to threads of instances, aligns and disturbs them, runs the test's
 * instructions and stores the observed values.  The layout of instances and the knobs are those of the
 * OpenCL kernels (emit/frame.c). */
#include "litmus/vulkan/vulkan.h"

/* Function variables and values that the parts of the function share. */
struct frame {
    uint32_t round, polls; /* variables */
    uint32_t group, local; /* of the work-item */
    uint32_t mix;          /* differs from work-group to work-group and launch to launch */
    uint32_t role, cluster, member, in_slot, active, r;
};

static uint32_t emit_is_set(struct lt_vk_module *m, uint32_t value)
{
    return lt_vk_compare(m, "OpINotEqual", value, lt_vk_uint(m, 0));
}

static uint32_t emit_select(struct lt_vk_module *m, uint32_t condition, uint32_t a, uint32_t b)
{
    return lt_vk_op(m, "OpSelect %%uint %%%u %%%u %%%u", condition, a, b);
}

/* ---- stress ------------------------------------------------------------------------------------------ */

static uint32_t stress_load(struct lt_vk_module *m, uint32_t at)
{
    return lt_vk_op(m, "OpLoad %%uint %%%u Volatile|NonPrivatePointer",
                    lt_vk_element(m, LT_VK_SCRATCH, 4, at));
}

static void stress_store(struct lt_vk_module *m, uint32_t at, uint32_t value)
{
    lt_vk_do(m, "OpStore %%%u %%%u Volatile|NonPrivatePointer", lt_vk_element(m, LT_VK_SCRATCH, 4, at),
             value);
}

static void stress_access(struct lt_vk_module *m, uint32_t pattern, uint32_t i, uint32_t at, uint32_t other)
{
    uint32_t labels[4], merge = lt_vk_id(m);
    for (int n = 0; n < 4; n++)
        labels[n] = lt_vk_id(m);
    lt_vk_do(m, "OpSelectionMerge %%%u None\nOpSwitch %%%u %%%u 0 %%%u 1 %%%u 2 %%%u", merge, pattern,
             labels[3], labels[0], labels[1], labels[2]);
    for (int n = 0; n < 4; n++) {
        lt_vk_label(m, labels[n]);
        if (n == 0)
            stress_store(m, at, i);
        if (n == 1)
            stress_store(
                m, at,
                lt_vk_binary(m, "OpIAdd", i,
                             lt_vk_binary(m, "OpBitwiseAnd", stress_load(m, other), lt_vk_uint(m, 1))));
        if (n == 2)
            stress_store(m, other, lt_vk_binary(m, "OpIAdd", stress_load(m, at), lt_vk_uint(m, 1)));
        if (n == 3) {
            uint32_t found =
                lt_vk_if(m, lt_vk_compare(m, "OpIEqual", stress_load(m, at), lt_vk_uint(m, 0x5efc1bad)));
            stress_store(m, at, i);
            lt_vk_end_if(m, found);
        }
        lt_vk_do(m, "OpBranch %%%u", merge);
    }
    lt_vk_label(m, merge);
}

/* stress(from, times, pattern, mask) */
static void stress_function(struct lt_vk_module *m)
{
    lt_vk_do(m, "%%stress = OpFunction %%void None %%stress_function");
    uint32_t from = lt_vk_op(m, "OpFunctionParameter %%uint"),
             times = lt_vk_op(m, "OpFunctionParameter %%uint"),
             pattern = lt_vk_op(m, "OpFunctionParameter %%uint"),
             mask = lt_vk_op(m, "OpFunctionParameter %%uint");
    lt_vk_label(m, lt_vk_id(m));
    uint32_t variable = lt_vk_op(m, "OpVariable %%var_uint Function");
    struct lt_vk_loop loop = lt_vk_for(m, variable, lt_vk_uint(m, 0), times, lt_vk_uint(m, 1));
    uint32_t sum = lt_vk_binary(m, "OpIAdd", from, lt_vk_binary(m, "OpIMul", loop.index, lt_vk_uint(m, 32)));
    uint32_t at = lt_vk_binary(m, "OpBitwiseAnd", sum, mask);
    uint32_t other = lt_vk_binary(m, "OpBitwiseAnd", lt_vk_binary(m, "OpIAdd", at, lt_vk_uint(m, 16)), mask);
    stress_access(m, pattern, loop.index, at, other);
    lt_vk_end_for(m, &loop);
    lt_vk_do(m, "OpReturn\nOpFunctionEnd");
}

static void call_stress(struct lt_vk_module *m, uint32_t from, uint32_t times)
{
    uint32_t mask = lt_vk_binary(m, "OpISub", m->knobs[LT_K_stress_lines], lt_vk_uint(m, 1));
    lt_vk_op(m, "OpFunctionCall %%void %%stress %%%u %%%u %%%u %%%u", from, times,
             m->knobs[LT_K_stress_pattern], mask);
}

/* ---- places ------------------------------------------------------------------------------------------ */

static void emit_variables(struct lt_vk_module *m, struct frame *f)
{
    f->round = lt_vk_op(m, "OpVariable %%var_uint Function");
    f->polls = lt_vk_op(m, "OpVariable %%var_uint Function");
    m->pc = lt_vk_op(m, "OpVariable %%var_uint Function");
    m->cut = lt_vk_op(m, "OpVariable %%var_uint Function");
    for (uint32_t t = 0; t < m->program->thread_count; t++)
        for (uint32_t r = 0; r < m->program->threads[t].reg_count; r++)
            m->registers[t][r] =
                lt_vk_op(m, "OpVariable %%var_%s Function", lt_vk_type(m->program->threads[t].reg_sizes[r]));
}

/* Some work-groups only stress memory; the others are numbered without them. */
static void emit_stress_groups(struct lt_vk_module *m, struct frame *f)
{
    uint32_t every = m->knobs[LT_K_stress_every], one = lt_vk_uint(m, 1), seed = lt_vk_seed(m);
    uint32_t id = lt_vk_op(m, "OpLoad %%uint3 %%group_id");
    uint32_t group = lt_vk_op(m, "OpCompositeExtract %%uint %%%u 0", id);
    f->local = lt_vk_op(m, "OpLoad %%uint %%local_index");
    f->mix = lt_vk_binary(m, "OpIMul", lt_vk_binary(m, "OpIAdd", group, seed), lt_vk_uint(m, 2654435761u));
    uint32_t some = emit_is_set(m, every), divisor = emit_select(m, some, every, one);
    uint32_t rest = lt_vk_binary(m, "OpUMod", group, divisor);
    uint32_t last = lt_vk_compare(m, "OpIEqual", rest, lt_vk_binary(m, "OpISub", divisor, one));
    uint32_t merge = lt_vk_if(m, lt_vk_compare(m, "OpLogicalAnd", some, last));
    call_stress(m, lt_vk_binary(m, "OpIAdd", f->mix, f->local),
                lt_vk_binary(m, "OpIMul", m->knobs[LT_K_stress_times], m->knobs[LT_K_rounds]));
    lt_vk_do(m, "OpReturn");
    lt_vk_label(m, merge);
    uint32_t less = lt_vk_binary(m, "OpISub", group, lt_vk_binary(m, "OpUDiv", group, divisor));
    f->group = emit_select(m, some, less, group);
}

/* The slot of the work-group and the member that the work-item is. */
static void emit_member(struct lt_vk_module *m, struct frame *f)
{
    uint32_t members = lt_vk_uint(m, m->kernel->member_count);
    uint32_t mixed = lt_vk_binary(m, "OpIMul", f->local, m->knobs[LT_K_lanes]);
    uint32_t l = lt_vk_op(m, "OpUMod %%uint %%%u %%local_size", mixed),
             split = emit_is_set(m, m->knobs[LT_K_split]);
    uint32_t far_slot = lt_vk_op(m, "OpUMod %%uint %%%u %%slots", l),
             far_member = lt_vk_op(m, "OpUDiv %%uint %%%u %%slots", l);
    m->slot = emit_select(m, split, far_slot, lt_vk_binary(m, "OpUDiv", l, members));
    f->member = emit_select(m, split, far_member, lt_vk_binary(m, "OpUMod", l, members));
    f->in_slot = lt_vk_op(m, "OpULessThan %%bool %%%u %%slots", m->slot);
}

/* The work-group of the test with number INDEX among those of queue family FAMILY. */
static uint32_t group_of_family(struct lt_vk_module *m, uint32_t family, uint32_t index)
{
    uint32_t count[2] = {0}, role = lt_vk_uint(m, 0);
    for (uint32_t g = 0; g < m->kernel->group_count; g++) {
        uint32_t mine = lt_vk_family(m->program, g);
        uint32_t is_family = lt_vk_compare(m, "OpIEqual", family, lt_vk_uint(m, mine)),
                 is_index = lt_vk_compare(m, "OpIEqual", index, lt_vk_uint(m, count[mine]++));
        uint32_t both = lt_vk_compare(m, "OpLogicalAnd", is_family, is_index);
        role = emit_select(m, both, lt_vk_uint(m, g), role);
    }
    return role;
}

/* The instance of the slot in iteration F->r.  Each launch of a test with two queue families has the
 * work-groups of one of them. */
static void emit_instance(struct lt_vk_module *m, struct frame *f)
{
    const struct lt_kernel *k = m->kernel;
    bool apart_families = k->family_count > 1;
    uint32_t groups = lt_vk_uint(m, k->group_count), clusters = m->knobs[LT_K_clusters], seed = lt_vk_seed(m);
    uint32_t family = apart_families ? lt_vk_launch_family(m) : 0;
    if (apart_families)
        groups = emit_select(m, emit_is_set(m, family), lt_vk_uint(m, k->family_groups[1]),
                             lt_vk_uint(m, k->family_groups[0]));
    uint32_t turned =
        lt_vk_binary(m, "OpIAdd", f->group, lt_vk_binary(m, "OpIMul", f->r, m->knobs[LT_K_rotate]));
    f->role = lt_vk_binary(m, "OpUMod", turned, groups);
    if (apart_families)
        f->role = group_of_family(m, family, f->role);
    uint32_t apart = lt_vk_binary(m, "OpIMul", f->role, m->knobs[LT_K_shuffle]);
    uint32_t sum = lt_vk_binary(m, "OpIAdd", lt_vk_binary(m, "OpUDiv", f->group, groups), apart);
    sum = lt_vk_binary(m, "OpIAdd", sum, lt_vk_binary(m, "OpIMul", f->r, seed));
    f->cluster = lt_vk_binary(m, "OpBitwiseAnd", sum, lt_vk_binary(m, "OpISub", clusters, lt_vk_uint(m, 1)));
    uint32_t set = lt_vk_binary(m, "OpIAdd", lt_vk_binary(m, "OpIMul", f->r, clusters), f->cluster);
    uint32_t first = lt_vk_op(m, "OpIMul %%uint %%%u %%slots", set);
    m->instance = lt_vk_binary(m, "OpIAdd", first, m->slot);
    uint32_t exists = lt_vk_compare(m, "OpULessThan", m->instance, m->knobs[LT_K_instances]);
    f->active = lt_vk_compare(m, "OpLogicalAnd", f->in_slot, exists);
}

static uint32_t emit_is_member(struct lt_vk_module *m, const struct frame *f, uint32_t member)
{
    uint32_t same = lt_vk_compare(m, "OpIEqual", f->member, lt_vk_uint(m, member));
    return lt_vk_compare(m, "OpLogicalAnd", f->active, same);
}

static uint32_t emit_has_role(struct lt_vk_module *m, const struct frame *f, uint32_t group)
{
    return lt_vk_compare(m, "OpIEqual", f->role, lt_vk_uint(m, group));
}

/* ---- before the test --------------------------------------------------------------------------------- */

static void clear_registers(struct lt_vk_module *m)
{
    lt_vk_do(m, "OpStore %%%u %%%u", m->cut, lt_vk_uint(m, 0));
    for (uint32_t t = 0; t < m->program->thread_count; t++)
        for (uint32_t r = 0; r < m->program->threads[t].reg_count; r++)
            lt_vk_do(m, "OpStore %%%u %%%u", m->registers[t][r],
                     lt_vk_constant(m, 0, m->program->threads[t].reg_sizes[r]));
}

static uint32_t local_pointer(struct lt_vk_module *m, uint32_t object, uint32_t element)
{
    uint32_t elements = lt_elements(&m->program->objects[object]);
    uint32_t first = lt_vk_binary(m, "OpIMul", m->slot, lt_vk_uint(m, elements));
    return lt_vk_local_element(m, object, lt_vk_binary(m, "OpIAdd", first, lt_vk_uint(m, element)));
}

static void initialize_local(struct lt_vk_module *m, const struct frame *f)
{
    if (!lt_uses_region(m->program, MM_LOCAL))
        return;
    uint32_t first = lt_vk_compare(m, "OpIEqual", f->member, lt_vk_uint(m, 0));
    uint32_t merge = lt_vk_if(m, lt_vk_compare(m, "OpLogicalAnd", f->in_slot, first));
    for (uint32_t i = 0; i < m->program->object_count; i++) {
        const struct ck_object *o = &m->program->objects[i];
        for (uint32_t n = 0; lt_vk_is_local(m, i) && n < lt_elements(o); n++)
            lt_vk_do(m, "OpStore %%%u %%%u NonPrivatePointer", local_pointer(m, i, n),
                     lt_vk_constant(m, o->initial[n], o->element_size));
    }
    lt_vk_end_if(m, merge);
    lt_vk_work_group_barrier(m);
}

/* Counts the work-group at the gate of its cluster and iteration, and polls until all work-groups of the
 * cluster were there, but no more often than the knob says: they need not run at the same time. */
static void wait_at_gate(struct lt_vk_module *m, const struct frame *f)
{
    uint32_t zero = lt_vk_uint(m, 0), device = lt_vk_uint(m, 1);
    uint32_t first = lt_vk_if(m, lt_vk_compare(m, "OpIEqual", f->local, zero));
    uint32_t set = lt_vk_binary(m, "OpIMul", f->r, m->knobs[LT_K_clusters]);
    uint32_t gate = lt_vk_element(m, LT_VK_SYNC, 4, lt_vk_binary(m, "OpIAdd", set, f->cluster));
    lt_vk_op(m, "OpAtomicIIncrement %%uint %%%u %%%u %%%u", gate, device, zero);
    uint32_t head = lt_vk_id(m), body = lt_vk_id(m), next = lt_vk_id(m), merge = lt_vk_id(m);
    lt_vk_do(m, "OpStore %%%u %%%u\nOpBranch %%%u", f->polls, m->knobs[LT_K_align], head);
    lt_vk_label(m, head);
    lt_vk_do(m, "OpLoopMerge %%%u %%%u None\nOpBranch %%%u", merge, next, body);
    lt_vk_label(m, body);
    uint32_t there = lt_vk_op(m, "OpAtomicLoad %%uint %%%u %%%u %%%u", gate, device, zero);
    lt_vk_do(m, "OpBranch %%%u", next);
    lt_vk_label(m, next);
    uint32_t left = lt_vk_binary(m, "OpISub", lt_vk_op(m, "OpLoad %%uint %%%u", f->polls), lt_vk_uint(m, 1));
    lt_vk_do(m, "OpStore %%%u %%%u", f->polls, left);
    uint32_t missing = lt_vk_compare(m, "OpULessThan", there, lt_vk_uint(m, m->kernel->group_count));
    uint32_t again = lt_vk_compare(m, "OpLogicalAnd", missing, emit_is_set(m, left));
    lt_vk_do(m, "OpBranchConditional %%%u %%%u %%%u", again, head, merge);
    lt_vk_label(m, merge);
    lt_vk_end_if(m, first);
}

static void emit_align(struct lt_vk_module *m, const struct frame *f)
{
    uint32_t stress = lt_vk_if(m, emit_is_set(m, m->knobs[LT_K_before]));
    call_stress(m, lt_vk_binary(m, "OpIAdd", f->mix, f->r), m->knobs[LT_K_before]);
    lt_vk_end_if(m, stress);
    uint32_t align = lt_vk_if(m, emit_is_set(m, m->knobs[LT_K_align]));
    if (m->kernel->group_count > 1)
        wait_at_gate(m, f);
    lt_vk_work_group_barrier(m);
    lt_vk_end_if(m, align);
}

/* ---- the test ---------------------------------------------------------------------------------------- */

static const struct ck_instr *barrier_after(const struct lt_vk_module *m, uint32_t group, uint32_t phase)
{
    uint32_t first, leader = lt_vk_member(m->program, group, 0);
    uint32_t end = lt_vk_phase(m->program, leader, phase, &first);
    const struct ck_thread *t = &m->program->threads[leader];
    return end < t->instr_count && t->instrs[end].op == CK_BARRIER ? &t->instrs[end] : NULL;
}

/* One barrier for all work-groups where they agree: a work-group without one loses nothing by it. */
static bool emit_barriers(struct lt_vk_module *m, const struct frame *f, uint32_t phase)
{
    const struct ck_instr *first = NULL;
    bool agree = true;
    for (uint32_t g = 0; g < m->kernel->group_count; g++) {
        const struct ck_instr *barrier = barrier_after(m, g, phase);
        first = first ? first : barrier;
        agree &= !barrier || lt_vk_same_barrier(first, barrier);
    }
    if (first && agree)
        lt_vk_control_barrier(m, first);
    for (uint32_t g = 0; first && !agree && g < m->kernel->group_count; g++)
        if (barrier_after(m, g, phase)) {
            uint32_t merge = lt_vk_if(m, emit_has_role(m, f, g));
            lt_vk_control_barrier(m, barrier_after(m, g, phase));
            lt_vk_end_if(m, merge);
        }
    return first != NULL;
}

static void emit_phase(struct lt_vk_module *m, const struct frame *f, uint32_t group, uint32_t phase)
{
    uint32_t merge = lt_vk_if(m, emit_has_role(m, f, group)), thread;
    for (uint32_t member = 0; (thread = lt_vk_member(m->program, group, member)) != CK_NO_THREAD; member++) {
        uint32_t first, end = lt_vk_phase(m->program, thread, phase, &first);
        if (end == CK_NO_INSTR || first == end)
            continue;
        uint32_t mine = lt_vk_if(m, emit_is_member(m, f, member));
        lt_vk_statements(m, thread, first, end);
        lt_vk_end_if(m, mine);
    }
    lt_vk_end_if(m, merge);
}

static void emit_phases(struct lt_vk_module *m, const struct frame *f)
{
    uint32_t phase = 0;
    do {
        for (uint32_t g = 0; g < m->kernel->group_count; g++)
            emit_phase(m, f, g, phase);
    } while (emit_barriers(m, f, phase++));
}

/* ---- after the test ---------------------------------------------------------------------------------- */

static void store_column(struct lt_vk_module *m, uint32_t column, uint32_t value, uint8_t size,
                         bool is_signed)
{
    uint8_t out_size = m->kernel->wide ? 8 : 4;
    uint32_t first = lt_vk_binary(m, "OpIMul", lt_vk_uint(m, column), m->knobs[LT_K_instances]);
    uint32_t pointer = lt_vk_element(m, LT_VK_OUT, out_size, lt_vk_binary(m, "OpIAdd", first, m->instance));
    if (size < out_size)
        value = lt_vk_op(m, "%s %%ulong %%%u", is_signed ? "OpSConvert" : "OpUConvert", value);
    lt_vk_do(m, "OpStore %%%u %%%u", pointer, value);
}

static void store_observed(struct lt_vk_module *m, uint32_t thread, bool is_first)
{
    const struct ck_program *p = m->program;
    uint32_t column = 0;
    for (uint32_t i = 0; i < p->observed_count; i++) {
        const struct ck_term *term = &p->observed[i];
        if (!lt_observed_stored(p, i))
            continue;
        if (term->kind == CK_TERM_REG && term->thread == thread) {
            uint8_t size = p->threads[thread].reg_sizes[term->reg];
            uint32_t value =
                lt_vk_op(m, "OpLoad %%%s %%%u", lt_vk_type(size), m->registers[thread][term->reg]);
            store_column(m, column, value, size, p->threads[thread].reg_signed[term->reg]);
        } else if (term->kind == CK_TERM_MEMORY && is_first &&
                   (uint32_t)p->objects[term->object].work_group == p->threads[thread].work_group) {
            const struct ck_object *o = &p->objects[term->object];
            uint32_t value = lt_vk_op(m, "OpLoad %%%s %%%u NonPrivatePointer", lt_vk_type(o->element_size),
                                      local_pointer(m, term->object, term->offset / o->element_size));
            store_column(m, column, value, o->element_size, o->is_signed);
        }
        column++;
    }
    if (m->kernel->sub_groups)
        store_column(m, m->kernel->columns + thread, lt_vk_op(m, "OpLoad %%uint %%sub_group_id"), 4, false);
}

static void emit_results(struct lt_vk_module *m, const struct frame *f)
{
    if (lt_uses_region(m->program, MM_LOCAL))
        lt_vk_work_group_barrier(m);
    for (uint32_t i = 0; i < m->program->observed_count; i++)
        m->kernel->columns += lt_observed_stored(m->program, i);
    for (uint32_t g = 0; g < m->kernel->group_count; g++) {
        uint32_t merge = lt_vk_if(m, emit_has_role(m, f, g)), thread;
        for (uint32_t n = 0; (thread = lt_vk_member(m->program, g, n)) != CK_NO_THREAD; n++) {
            uint32_t mine = lt_vk_if(m, emit_is_member(m, f, n));
            uint32_t ended = m->kernel->waits ? lt_vk_op(m, "OpLoad %%uint %%%u", m->cut) : 0;
            uint32_t whole = ended ? lt_vk_if(m, lt_vk_compare(m, "OpIEqual", ended, lt_vk_uint(m, 0))) : 0;
            store_observed(m, thread, n == 0);
            if (whole)
                lt_vk_end_if(m, whole);
            lt_vk_end_if(m, mine);
        }
        lt_vk_end_if(m, merge);
    }
    /* Local memory is initialized again in the next iteration. */
    if (lt_uses_region(m->program, MM_LOCAL))
        lt_vk_work_group_barrier(m);
}

void lt_vk_run_function(struct lt_vk_module *m)
{
    struct frame f = {0};
    stress_function(m);
    lt_vk_do(m, "%%run = OpFunction %%void None %%void_function");
    lt_vk_label(m, lt_vk_id(m));
    emit_variables(m, &f);
    lt_vk_load_knobs(m);
    emit_stress_groups(m, &f);
    emit_member(m, &f);
    struct lt_vk_loop rounds =
        lt_vk_for(m, f.round, lt_vk_uint(m, 0), m->knobs[LT_K_rounds], lt_vk_uint(m, 1));
    f.r = rounds.index;
    emit_instance(m, &f);
    clear_registers(m);
    initialize_local(m, &f);
    emit_align(m, &f);
    emit_phases(m, &f);
    emit_results(m, &f);
    lt_vk_end_for(m, &rounds);
    lt_vk_do(m, "OpReturn\nOpFunctionEnd");
}
