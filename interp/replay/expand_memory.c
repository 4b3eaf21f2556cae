/* Memory of re-executed launches: mirrors of the trace's allocations (docs/reexecution.md#memory). */
#include "interp/replay/expand_internal.h"
#include "memmodel/trace/fixed.h"
#include <unistd.h>

enum { READ_ONLY = 4, WRITE_ONLY = 2 }; /* CL_MEM_ flags */
enum { FILLED_BY_ONE = 64 };            /* bytes of contents that count as one instruction */

static struct in_mirror **mirror_link(struct in_expander *e, uint32_t id)
{
    struct in_mirror **m = &e->mirrors[id % IN_MIRROR_CHAINS];
    while (*m && (*m)->id != id)
        m = &(*m)->next;
    return m;
}

struct in_mirror *in_mirror_find(const struct in_expander *e, uint32_t id)
{
    struct in_mirror *m = e->mirrors[id % IN_MIRROR_CHAINS];
    while (m && m->id != id)
        m = m->next;
    return m;
}

/* Creates the mirror of an allocation; its bytes are allocated when contents first arrive. */
enum mm_class in_mirror_create(struct in_expander *e, const struct mm_allocation *allocation)
{
    bool svm = allocation->region == MM_GLOBAL && allocation->origin == MM_ORIGIN_COARSE_SVM;
    bool buffer = (allocation->region == MM_GLOBAL || allocation->region == MM_IMAGE) &&
                  allocation->origin == MM_ORIGIN_BUFFER;
    if (!svm && !buffer)
        return MM_OK;
    in_mirror_free(e, allocation->id);
    struct in_mirror *m = mm_alloc_zero(1, sizeof *m), **place = mirror_link(e, allocation->id);
    if (!m)
        return mm_fail(&e->error, MM_LIMIT, "trace.memory",
                       "out of memory while re-executing the launches of a trace");
    m->id = allocation->id;
    m->size = allocation->size;
    m->address = svm && mm_fixed_contains(allocation->address, allocation->size) ? allocation->address : 0;
    m->object = (struct in_object){.address = m->address,
                                   .size = m->size,
                                   .region = MM_GLOBAL,
                                   .origin = allocation->origin,
                                   .read_only = (allocation->flags & READ_ONLY) != 0,
                                   .write_only = (allocation->flags & WRITE_ONLY) != 0,
                                   .name = "svm"};
    *place = m;
    return MM_OK;
}

static void mirror_destroy(struct in_expander *e, struct in_mirror *m)
{
    if (m->bytes)
        e->mirrored -= m->size;
    if (m->fixed)
        mm_fixed_unmap(m->bytes, m->size);
    else
        mm_aligned_free(m->bytes);
    mm_free(m);
}

void in_mirror_free(struct in_expander *e, uint32_t id)
{
    struct in_mirror **place = mirror_link(e, id), *m = *place;
    if (!m)
        return;
    *place = m->next;
    mirror_destroy(e, m);
}

void in_mirrors_destroy(struct in_expander *e)
{
    for (uint32_t k = 0; k < IN_MIRROR_CHAINS; k++)
        for (struct in_mirror *m = e->mirrors[k], *next; m; m = next) {
            next = m->next;
            mirror_destroy(e, m);
        }
}

/* Allocates the bytes of a mirror, within the machine's physical memory and the limits for files. */
static enum mm_class mirror_allocate(struct in_expander *e, struct in_mirror *m)
{
    enum { ALIGN = 4096 };
    if (e->most == 0)
        e->most = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (m->size <= e->most && in_expand_check(e, MM_INPUT_TRACE_MEMORY, e->mirrored + m->size) != MM_OK)
        return MM_LIMIT;
    bool fits = m->size <= e->most - e->mirrored;
    if (fits && m->address)
        m->bytes = mm_fixed_map(m->address, m->size);
    m->fixed = m->bytes != NULL;
    if (fits && !m->bytes)
        m->bytes = mm_aligned_alloc(m->size, ALIGN);
    if (!m->bytes)
        return mm_fail(
            &e->error, MM_LIMIT, "trace.memory",
            "re-executing the launches of the trace needs more memory than is available: allocation %u has %llu bytes",
            m->id, (unsigned long long)m->size);
    e->mirrored += m->size;
    return MM_OK;
}

const struct in_object *in_mirror_find_svm(struct in_expander *e, uint64_t address)
{
    for (uint32_t k = 0; k < IN_MIRROR_CHAINS; k++)
        for (struct in_mirror *m = e->mirrors[k]; m; m = m->next)
            if (m->fixed && address - m->address < m->size) {
                m->object.id = (uint32_t)in_shift_id(&e->allocations, m->id);
                return &m->object;
            }
    return NULL;
}

bool in_mirrors_are_fixed(const struct in_expander *e)
{
    bool are = true;
    for (uint32_t k = 0; k < IN_MIRROR_CHAINS && are; k++)
        for (const struct in_mirror *m = e->mirrors[k]; m && are; m = m->next)
            are = m->fixed || !m->address || !m->bytes;
    return are;
}

enum mm_class in_mirror_content(struct in_expander *e, const struct mm_content *c)
{
    struct in_mirror *m = in_mirror_find(e, c->allocation);
    const struct in_object *variable = m ? NULL : in_expand_find_variable(e, c->allocation);
    uint64_t size = m ? m->size : variable && c->bytes ? variable->size : 0;
    if (c->offset > size || c->size > size - c->offset)
        return mm_fail(&e->error, MM_INVALID, "trace.content",
                       "the trace has %llu bytes at offset %llu of allocation %u, which is out of range",
                       (unsigned long long)c->size, (unsigned long long)c->offset, c->allocation);
    e->steps += c->size / FILLED_BY_ONE;
    enum mm_class cls = in_expand_check(e, MM_INPUT_TRACE_STEPS, e->steps);
    if (cls == MM_OK && m && !m->bytes)
        cls = mirror_allocate(e, m);
    if (cls != MM_OK)
        return cls;
    if (variable) {
        memcpy((uint8_t *)(uintptr_t)variable->address + c->offset, c->bytes, c->size);
        return MM_OK;
    }
    uint64_t end = c->offset + c->size;
    if (c->bytes)
        memcpy(m->bytes + c->offset, c->bytes, c->size);
    else if (c->offset < m->known)
        memset(m->bytes + c->offset, 0, c->size); /* bytes from KNOWN on are still zero */
    if (c->offset <= m->known && end > m->known)
        m->known = end;
    return MM_OK;
}
