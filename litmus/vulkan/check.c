/* Checks whether a test can be expressed in a compute shader, and collects the features that it requires
 * of a device. */
#include "litmus/vulkan/vulkan.h"

#include <string.h>

void lt_vk_cannot(struct lt_vk_module *m, const char *reason)
{
    if (!m->kernel->reason)
        m->kernel->reason = reason;
}

uint32_t lt_vk_member(const struct ck_program *program, uint32_t group, uint32_t member)
{
    for (uint32_t t = 0; t < program->thread_count; t++)
        if (program->threads[t].work_group == group && member-- == 0)
            return t;
    return CK_NO_THREAD;
}

uint32_t lt_vk_accessed(const struct ck_program *program, const struct ck_instr *access, uint32_t *element)
{
    const struct ck_expr *address = &program->exprs[access->address];
    uint32_t object = address->op == CK_CONST ? (uint32_t)(address->imm >> 32) - 1 : CK_NO_OBJECT;
    if (object >= program->object_count)
        return CK_NO_OBJECT;
    *element = (uint32_t)address->imm / program->objects[object].element_size;
    return object;
}

/* ---- storage ----------------------------------------------------------------------------------------- */

/* Class 0 is StorageBuffer, class 1 Workgroup, class 2 the texels of a storage texel buffer, whose memory is
 * that of the object's storage buffer. */
bool lt_vk_is_image(const struct lt_vk_module *m, uint32_t object)
{
    return m->program->objects[object].region == MM_IMAGE;
}

bool lt_vk_is_local(const struct lt_vk_module *m, uint32_t object)
{
    return m->program->objects[object].region == MM_LOCAL;
}

/* Lowering leaves it to the accesses in which storage class a location is. */
static void place_object(struct lt_vk_module *m, uint32_t object)
{
    const struct ck_program *p = m->program;
    struct ck_object *o = &p->objects[object];
    uint8_t classes = 0;
    int32_t group = -1;
    bool shared = false, aliased = o->alias_of != object;
    for (uint32_t t = 0; t < p->thread_count; t++)
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++) {
            uint32_t element;
            const struct ck_instr *access = &p->threads[t].instrs[i];
            if (!ck_instr_is_access(access) || lt_vk_accessed(p, access, &element) != object)
                continue;
            classes |= access->storage_class;
            shared |= group >= 0 && group != (int32_t)p->threads[t].work_group;
            group = (int32_t)p->threads[t].work_group;
        }
    for (uint32_t i = 0; i < p->object_count; i++)
        aliased |= i != object && p->objects[i].alias_of == object;
    o->region = classes == 2 ? MM_LOCAL : classes == 4 ? MM_IMAGE : MM_GLOBAL;
    o->work_group = classes == 2 ? group : -1;
    if (classes & (classes - 1))
        lt_vk_cannot(m, "a location that is accessed in several storage classes");
    if (classes & ~7)
        lt_vk_cannot(m, "memory of storage class 3, the output of other stages than compute shaders");
    if (classes == 4 && aliased)
        lt_vk_cannot(m, "an alias in storage class 2");
    if (classes == 4 && o->element_size != 4)
        lt_vk_cannot(m, "texels of other than four bytes");
    if (classes == 2 && shared)
        lt_vk_cannot(m, "memory of storage class 1 that several work-groups share");
    if (classes == 2 && aliased)
        lt_vk_cannot(m, "an alias in storage class 1");
    m->kernel->uses_long |= o->element_size == 8;
}

/* ---- instructions ------------------------------------------------------------------------------------ */

static bool instr_releases(const struct ck_instr *i)
{
    return i->order == MM_RELEASE || i->order == MM_ACQ_REL;
}

static bool instr_acquires(const struct ck_instr *i)
{
    return i->order == MM_ACQUIRE || i->order == MM_ACQ_REL;
}

static void check_access(struct lt_vk_module *m, const struct ck_instr *i)
{
    uint32_t element, object = lt_vk_accessed(m->program, i, &element);
    if (object == CK_NO_OBJECT) {
        lt_vk_cannot(m, "an address that is computed");
        return;
    }
    const struct ck_object *o = &m->program->objects[object];
    uint64_t offset = (uint32_t)m->program->exprs[i->address].imm;
    if (i->size != o->element_size || offset % o->element_size || (i->size != 4 && i->size != 8))
        lt_vk_cannot(m, "accesses to parts of a location");
}

/* The rules of SPIR-V for memory semantics in Vulkan. */
static void check_semantics(struct lt_vk_module *m, const struct ck_instr *i)
{
    bool ordered = instr_releases(i) || instr_acquires(i);
    if (ordered && !(i->semantics & CK_SEM_CLASSES))
        lt_vk_cannot(m, "memory semantics without a storage class, which are not valid");
    if (((i->semantics & CK_SEM_AVAILABLE) && !instr_releases(i)) ||
        ((i->semantics & CK_SEM_VISIBLE) && !instr_acquires(i)))
        lt_vk_cannot(m, "availability without release or visibility without acquire, which are not valid");
    if (i->op == CK_FENCE && !ordered)
        lt_vk_cannot(m, "a memory barrier without an order, which is not valid");
    if (i->order == MM_SEQ_CST)
        lt_vk_cannot(m, "seq_cst, which Vulkan does not have");
}

static void check_scope(struct lt_vk_module *m, const struct ck_instr *i)
{
    if (i->scope == MM_SCOPE_ALL_SVM_DEVICES)
        lt_vk_cannot(m, "cross-device scope, which Vulkan does not have");
    m->kernel->sub_groups |= i->scope == MM_SCOPE_SUB_GROUP;
    m->kernel->scopes |= 1u << i->scope;
    m->kernel->orders |= 1u << i->order;
}

static void check_instr(struct lt_vk_module *m, uint32_t index, const struct ck_instr *i)
{
    if (ck_instr_is_access(i)) {
        check_access(m, i);
        if (i->attributes & MM_ATOMIC)
            check_semantics(m, i);
    }
    if (i->op == CK_FENCE || (i->op == CK_BARRIER && i->order != MM_ORDER_NONE))
        check_semantics(m, i);
    if (ck_instr_is_access(i) || i->op == CK_FENCE || i->op == CK_BARRIER)
        check_scope(m, i);
    if (i->op == CK_BARRIER && i->quorum)
        lt_vk_cannot(m, "barriers of some of the threads");
    if (i->op == CK_AVAILABILITY || i->op == CK_VISIBILITY || i->op == CK_POINT)
        lt_vk_cannot(m, "operations of the host");
    m->kernel->waits |= ck_instr_is_jump(i) && i->target <= index;
}

/* ---- control barriers -------------------------------------------------------------------------------- */

uint32_t lt_vk_phase(const struct ck_program *program, uint32_t thread, uint32_t phase, uint32_t *first)
{
    const struct ck_thread *t = &program->threads[thread];
    uint32_t i = 0;
    *first = 0;
    for (;; i++) {
        bool ends = i >= t->instr_count || t->instrs[i].op == CK_END;
        if (!ends && t->instrs[i].op != CK_BARRIER)
            continue;
        if (phase-- == 0)
            return i;
        if (ends)
            return CK_NO_INSTR;
        *first = i + 1;
    }
}

static bool ends_with_barrier(const struct ck_program *p, uint32_t thread, uint32_t end)
{
    return end < p->threads[thread].instr_count && p->threads[thread].instrs[end].op == CK_BARRIER;
}

bool lt_vk_same_barrier(const struct ck_instr *a, const struct ck_instr *b)
{
    return a->scope == b->scope && a->order == b->order && a->semantics == b->semantics;
}

static uint64_t barrier_instance(const struct ck_program *p, const struct ck_instr *barrier)
{
    const struct ck_expr *e = &p->exprs[barrier->value];
    return e->op == CK_CONST ? e->imm : UINT64_MAX;
}

/* All threads of a work-group execute the same barriers, and jumps stay between two of them.  Barriers of two
 * sub-groups are executed together, but each sub-group meets alone. */
static void check_phases(struct lt_vk_module *m, uint32_t thread)
{
    const struct ck_program *p = m->program;
    const struct ck_thread *t = &p->threads[thread];
    uint32_t leader = lt_vk_member(p, t->work_group, 0), first, first_leader;
    for (uint32_t phase = 0;; phase++) {
        uint32_t end = lt_vk_phase(p, thread, phase, &first),
                 end_leader = lt_vk_phase(p, leader, phase, &first_leader);
        if (end == CK_NO_INSTR || end_leader == CK_NO_INSTR) {
            if (end != end_leader)
                lt_vk_cannot(m, "threads of a work-group that do not execute the same barriers");
            return;
        }
        for (uint32_t i = first; i < end; i++)
            if (ck_instr_is_jump(&t->instrs[i]) && (t->instrs[i].target < first || t->instrs[i].target > end))
                lt_vk_cannot(m, "a barrier under control flow");
        bool barrier = ends_with_barrier(p, thread, end);
        if (barrier != ends_with_barrier(p, leader, end_leader)) {
            lt_vk_cannot(m, "threads of a work-group that do not execute the same barriers");
            return;
        }
        if (!barrier)
            continue;
        const struct ck_instr *a = &t->instrs[end], *b = &p->threads[leader].instrs[end_leader];
        bool apart = a->scope == MM_SCOPE_SUB_GROUP && t->sub_group != p->threads[leader].sub_group;
        bool meet = barrier_instance(p, a) == barrier_instance(p, b) &&
                    barrier_instance(p, a) != UINT64_MAX && a->barrier_name == b->barrier_name;
        if (!lt_vk_same_barrier(a, b) || (!apart && !meet))
            lt_vk_cannot(m, "threads of a work-group that do not execute the same barriers");
    }
}

/* ---- the test ---------------------------------------------------------------------------------------- */

uint32_t lt_vk_family(const struct ck_program *program, uint32_t group)
{
    const struct ck_thread *t = &program->threads[lt_vk_member(program, group, 0)];
    return t->queue_family != program->threads[0].queue_family;
}

static void count_families(struct lt_vk_module *m)
{
    const struct ck_program *p = m->program;
    uint32_t second = p->threads[0].queue_family;
    for (uint32_t t = 0; t < p->thread_count; t++) {
        if (second == p->threads[0].queue_family)
            second = p->threads[t].queue_family;
        if (p->threads[t].queue_family != p->threads[0].queue_family && p->threads[t].queue_family != second)
            lt_vk_cannot(m, "more than two queue families");
    }
    m->kernel->family_count = second == p->threads[0].queue_family ? 1 : 2;
    for (uint32_t g = 0; g < m->kernel->group_count; g++)
        m->kernel->family_groups[lt_vk_family(p, g)]++;
}

static void count_groups(struct lt_vk_module *m)
{
    const struct ck_program *p = m->program;
    struct lt_kernel *k = m->kernel;
    for (uint32_t t = 0; t < p->thread_count; t++) {
        uint32_t group = p->threads[t].work_group, members = 0;
        while (lt_vk_member(p, group, members) != CK_NO_THREAD)
            members++;
        k->group_count = group + 1 > k->group_count ? group + 1 : k->group_count;
        k->member_count = members > k->member_count ? members : k->member_count;
    }
}

static void check_threads(struct lt_vk_module *m)
{
    const struct ck_program *p = m->program;
    for (uint32_t t = 0; t < p->thread_count; t++) {
        if (p->threads[t].host)
            lt_vk_cannot(m, "host threads");
        if (p->threads[t].device != p->threads[0].device)
            lt_vk_cannot(m, "two devices");
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++)
            check_instr(m, i, &p->threads[t].instrs[i]);
        for (uint32_t r = 0; r < p->threads[t].reg_count; r++)
            m->kernel->uses_long |= p->threads[t].reg_sizes[r] == 8;
    }
}

void lt_vk_check(struct lt_vk_module *m)
{
    const struct ck_program *p = m->program;
    check_threads(m);
    for (uint32_t o = 0; o < p->object_count; o++)
        place_object(m, o);
    count_groups(m);
    count_families(m);
    for (uint32_t t = 0; t < p->thread_count && !m->kernel->reason; t++)
        check_phases(m, t);
    if (p->edge_count)
        lt_vk_cannot(m, "an order that the host gives (ssw)");
    for (uint32_t i = 0; i < p->observed_count; i++) {
        m->kernel->wide |= lt_term_size(p, &p->observed[i]) == 8 && lt_observed_stored(p, i);
    }
}
