/* How barriers order images.
 *
 * Images are a separate region: barriers with CLK_IMAGE_MEM_FENCE alone order accesses of them, as in the detector
 * (checker/race/docs/detector.md). The models know two regions, and have images in the global one. Where only one of the two has
 * conflicting accesses of several work-items, the other needs no order, and the flag of the barriers that is the model's global one
 * is that of the region with conflicts. A launch with conflicts in both is refused unless each operation orders both or neither. */
#include "tools/explore/explore.h"

#include <stdio.h>

static uint32_t region_of(const struct ex *ex, const struct ck_instr *i)
{
    uint64_t root = ex_root(ex, i->address);
    return root >> 32 && (root >> 32) - 1 < ex->program->object_count
               ? ex->program->objects[(root >> 32) - 1].region
               : MM_REGION_NONE;
}

/* Whether A and B, of two work-items, may conflict. */
static bool conflict(const struct ex *ex, const struct ck_instr *a, const struct ck_instr *b)
{
    uint64_t x, y;
    if (a->op == CK_LOAD && b->op == CK_LOAD)
        return false;
    if (ex_is_const(ex, a->address, &x) && ex_is_const(ex, b->address, &y))
        return x < y + b->size && y < x + a->size;
    uint64_t from = ex_root(ex, a->address), to = ex_root(ex, b->address);
    return from == 0 || to == 0 || from >> 32 == to >> 32;
}

/* Whether accesses of A and B, both of images or both of other memory than local and private, may conflict. */
static bool threads_conflict(const struct ex *ex, const struct ck_thread *a, const struct ck_thread *b,
                             bool images)
{
    for (uint32_t i = 0; i < a->instr_count; i++)
        for (uint32_t k = 0; ck_instr_is_access(&a->instrs[i]) && k < b->instr_count; k++) {
            const struct ck_instr *x = &a->instrs[i], *y = &b->instrs[k];
            if (!ck_instr_is_access(y))
                continue;
            uint32_t from = region_of(ex, x), to = region_of(ex, y);
            bool apart = from == MM_LOCAL || to == MM_LOCAL || from == MM_PRIVATE || to == MM_PRIVATE;
            bool matches = images ? from == MM_IMAGE && to == MM_IMAGE : from != MM_IMAGE && to != MM_IMAGE;
            if (!apart && matches && conflict(ex, x, y))
                return true;
        }
    return false;
}

static bool has_conflicts(const struct ex *ex, bool images)
{
    const struct ck_program *p = ex->program;
    for (uint32_t a = 0; a < p->thread_count; a++)
        for (uint32_t b = a + 1; b < p->thread_count; b++)
            if (threads_conflict(ex, &p->threads[a], &p->threads[b], images))
                return true;
    return false;
}

static bool flag_differs(const struct ck_instr *i)
{
    return !(i->fence_flags & MM_FENCE_GLOBAL) != !(i->fence_flags & MM_FENCE_IMAGE);
}

/* Whether I, with other operations of its kind, orders the model's global region otherwise than by barriers. */
static bool synchronizes(const struct ex *ex, const struct ck_instr *i, bool buffers)
{
    bool atomic = ck_instr_is_access(i) && ck_instr_is_atomic(i) && i->order > MM_RELAXED;
    if (i->op ==
        CK_FENCE) /* fences with both flags order one region by atomic operations on the other [CL 3.3.6 F7] */
        return i->order > MM_RELAXED && (i->fence_flags & MM_FENCE_GLOBAL) &&
               (buffers || (i->fence_flags & MM_FENCE_LOCAL) || i->order == MM_SEQ_CST);
    if (atomic && region_of(ex, i) == MM_LOCAL)
        return i->order == MM_SEQ_CST;
    return atomic && (buffers || i->order == MM_SEQ_CST);
}

_Noreturn static void refuse(struct ex *ex, const char *what, const char *instead)
{
    ex->current = NULL;
    ex_fail(
        ex, MM_LIMIT, "explore.image",
        "%s is not explored where work-items share texels that they write: %s, or check executions one by one with refcl kernel",
        what, instead);
}

void ex_order_images(struct ex *ex)
{
    struct ck_program *p = ex->program;
    if (ex->build.image_count == 0 || !has_conflicts(ex, true))
        return;
    bool buffers = has_conflicts(ex, false);
    for (uint32_t t = 0; t < p->thread_count; t++) {
        if (p->threads[t].agent)
            refuse(ex, "an asynchronous copy", "copy element by element");
        for (uint32_t k = 0; k < p->threads[t].instr_count; k++) {
            struct ck_instr *i = &p->threads[t].instrs[k];
            char what[80];
            snprintf(what, sizeof what, "line %u: %s", i->line,
                     i->op == CK_BARRIER ? "a barrier whose flags have one of images and global memory alone"
                                         : "an atomic operation or fence that orders memory");
            if (synchronizes(ex, i, buffers))
                refuse(ex, what, "order the work-items by barriers");
            if (i->op != CK_BARRIER || !flag_differs(i))
                continue;
            if (buffers)
                refuse(ex, what, "give the barrier both flags, or share either an image or buffers");
            i->fence_flags ^= MM_FENCE_GLOBAL;
        }
    }
}
