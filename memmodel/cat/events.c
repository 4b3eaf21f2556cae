/* The base names of the cat language, computed from events. */
#include "memmodel/cat/eval.h"

#include <string.h>

uint32_t mm_cat_base_find(const char *name)
{
    for (uint32_t i = 0; i < mm_cat_base_count; i++)
        if (strcmp(mm_cat_bases[i].name, name) == 0)
            return i;
    return MM_CAT_NO_BASE;
}

static bool is_access(const struct mm_cat_event *e)
{
    return e->read || e->write;
}

static bool is_atomic(const struct mm_cat_event *e)
{
    return is_access(e) && !e->init && (e->order != MM_ORDER_NONE || (e->attributes & MM_ATOMIC));
}

static bool event_acquires(const struct mm_cat_event *e)
{
    return (e->order == MM_ACQUIRE || e->order == MM_ACQ_REL) && !(e->write && !e->read);
}

static bool event_releases(const struct mm_cat_event *e)
{
    return (e->order == MM_RELEASE || e->order == MM_ACQ_REL) && !(e->read && !e->write);
}

/* Half of a read-modify-write to which its order does not apply, or an access with a relaxed order. */
static bool is_relaxed(const struct mm_cat_event *e)
{
    if (!is_atomic(e))
        return false;
    return e->order != MM_SEQ_CST && !event_acquires(e) && !event_releases(e);
}

static bool has_scope(const struct mm_cat_event *e, enum mm_scope scope)
{
    return !e->init && e->scope == scope;
}

static bool plain_write(const struct mm_cat_event *e)
{
    return e->write && !e->init && !is_atomic(e) && e->scope == MM_SCOPE_NONE;
}

static bool is_local(const struct mm_cat_event *e)
{
    return is_access(e) ? e->memory.region == MM_LOCAL : e->fence && (e->fence_flags & MM_FENCE_LOCAL);
}

static bool is_global(const struct mm_cat_event *e)
{
    if (is_access(e))
        return e->memory.region == MM_GLOBAL || e->memory.region == MM_CONSTANT ||
               e->memory.region == MM_PROGRAM_SCOPE || e->memory.region == MM_IMAGE ||
               e->memory.region == MM_PIPE;
    return e->fence && (e->fence_flags & MM_FENCE_GLOBAL);
}

static bool is_buffer(const struct mm_cat_event *e)
{
    bool region = e->memory.region == MM_REGION_NONE || e->memory.region == MM_GLOBAL ||
                  e->memory.region == MM_CONSTANT;

    return region && (e->memory.origin == MM_ORIGIN_NONE || e->memory.origin == MM_ORIGIN_BUFFER ||
                      e->memory.origin == MM_ORIGIN_SUB_BUFFER);
}

static bool is_fine(const struct mm_cat_event *e)
{
    return is_access(e) &&
           (e->memory.origin == MM_ORIGIN_FINE_SVM || e->memory.origin == MM_ORIGIN_FINE_SVM_ATOMICS ||
            e->memory.origin == MM_ORIGIN_SYSTEM_SVM);
}

static bool is_point(const struct mm_cat_event *e, unsigned tags)
{
    return !is_access(e) && (e->tags & tags);
}

static bool non_private(const struct mm_cat_event *e)
{
    return is_access(e) &&
           (is_atomic(e) || (e->attributes & (MM_NON_PRIVATE | MM_MAKE_AVAILABLE | MM_MAKE_VISIBLE)));
}

static bool in_class(const struct mm_cat_event *e, unsigned i)
{
    return is_access(e) && (e->memory.storage_class >> i & 1);
}

static bool names_class(const struct mm_cat_event *e, unsigned i)
{
    return (e->semantics >> i & 1) != 0;
}

/* An availability (visibility, both: memory domain) operation that reaches the device or the host domain. */
static bool domain_operation(const struct mm_cat_event *e, unsigned attributes, bool host)
{
    return !is_access(e) && !e->fence &&
           (e->attributes & (MM_MAKE_AVAILABLE | MM_MAKE_VISIBLE)) == attributes &&
           (e->scope == MM_SCOPE_ALL_SVM_DEVICES) == host;
}

enum { SEMANTICS_AVAILABLE = 0x100, SEMANTICS_VISIBLE = 0x200 };

#define SETS(X)                                                                                              \
    X("R", e->read)                                                                                          \
    X("W", e->write)                                                                                         \
    X("M", is_access(e))                                                                                     \
    X("F", e->fence)                                                                                         \
    X("IW", e->init)                                                                                         \
    X("RMW", e->rmw_partner != MM_CAT_NO_EVENT)                                                              \
    X("A", is_atomic(e))                                                                                     \
    X("ATOM", is_atomic(e))                                                                                  \
    X("NA", is_access(e) && !e->init && !is_atomic(e))                                                       \
    X("NAL", is_access(e) && e->memory.non_atomic)                                                           \
    X("ACQ", event_acquires(e))                                                                              \
    X("REL", event_releases(e))                                                                              \
    X("ACQ_REL", e->fence && e->order == MM_ACQ_REL)                                                         \
    X("SC", e->order == MM_SEQ_CST)                                                                          \
    X("RLX", is_relaxed(e) || (e->fence && e->order == MM_RELAXED))                                          \
    X("WI", has_scope(e, MM_SCOPE_WORK_ITEM) || plain_write(e))                                              \
    X("SG", has_scope(e, MM_SCOPE_SUB_GROUP))                                                                \
    X("WG", has_scope(e, MM_SCOPE_WORK_GROUP))                                                               \
    X("QF", has_scope(e, MM_SCOPE_QUEUE_FAMILY))                                                             \
    X("DV", has_scope(e, MM_SCOPE_DEVICE))                                                                   \
    X("ALL", has_scope(e, MM_SCOPE_ALL_SVM_DEVICES))                                                         \
    X("GLOBAL", is_global(e))                                                                                \
    X("LOCAL", is_local(e))                                                                                  \
    X("IMAGE", e->fence && (e->fence_flags & MM_FENCE_IMAGE))                                                \
    X("CBAR", e->barrier != MM_CAT_NO_BARRIER)                                                               \
    X("BEN", e->entry)                                                                                       \
    X("BEX", e->exit)                                                                                        \
    X("HOST", e->agent.host)                                                                                 \
    X("FGA", is_access(e) && e->memory.origin == MM_ORIGIN_FINE_SVM_ATOMICS)                                 \
    X("CLMEM", is_access(e) && is_buffer(e))                                                                 \
    X("IMG", is_access(e) && e->memory.region == MM_IMAGE)                                                   \
    X("SC0", in_class(e, 0))                                                                                 \
    X("SC1", in_class(e, 1))                                                                                 \
    X("SC2", in_class(e, 2))                                                                                 \
    X("SC3", in_class(e, 3))                                                                                 \
    X("SEMSC0", names_class(e, 0))                                                                           \
    X("SEMSC1", names_class(e, 1))                                                                           \
    X("SEMSC2", names_class(e, 2))                                                                           \
    X("SEMSC3", names_class(e, 3))                                                                           \
    X("AV", e->write && !e->init && (is_atomic(e) || (e->attributes & MM_MAKE_AVAILABLE)))                   \
    X("VIS", e->read && (is_atomic(e) || (e->attributes & MM_MAKE_VISIBLE)))                                 \
    X("SEMAV", (e->semantics & SEMANTICS_AVAILABLE) != 0)                                                    \
    X("SEMVIS", (e->semantics & SEMANTICS_VISIBLE) != 0)                                                     \
    X("AVDEVICE", domain_operation(e, MM_MAKE_AVAILABLE, false))                                             \
    X("VISDEVICE", domain_operation(e, MM_MAKE_VISIBLE, false))                                              \
    X("AVHOST", domain_operation(e, MM_MAKE_AVAILABLE, true))                                                \
    X("VISHOST", domain_operation(e, MM_MAKE_VISIBLE, true))                                                 \
    X("DOMHOST", domain_operation(e, MM_MAKE_AVAILABLE | MM_MAKE_VISIBLE, true))                             \
    X("DOMDEVICE", domain_operation(e, MM_MAKE_AVAILABLE | MM_MAKE_VISIBLE, false))                          \
    X("NONPRIV", non_private(e))                                                                             \
    X("COARSE", is_access(e) && e->memory.origin == MM_ORIGIN_COARSE_SVM)                                    \
    X("FINE", is_fine(e))                                                                                    \
    X("HOSTMEM", is_access(e) && e->memory.origin == MM_ORIGIN_HOST)                                         \
    X("POINT", is_point(e, MM_POINT_API | MM_POINT_START | MM_POINT_END | MM_POINT_COMPLETE))                \
    X("API", is_point(e, MM_POINT_API))                                                                      \
    X("START", is_point(e, MM_POINT_START))                                                                  \
    X("END", is_point(e, MM_POINT_END))                                                                      \
    X("COMPLETE", is_point(e, MM_POINT_COMPLETE))                                                            \
    X("INORDER", is_point(e, MM_POINT_IN_ORDER))                                                             \
    X("MARKER", is_point(e, MM_POINT_MARKER))                                                                \
    X("CQBARRIER", is_point(e, MM_POINT_BARRIER))                                                            \
    X("NOLIST", is_point(e, MM_POINT_NO_LIST))                                                               \
    X("FINISH", is_point(e, MM_POINT_FINISH))                                                                \
    X("WAITK", is_point(e, MM_POINT_WAIT_KERNEL))                                                            \
    X("WAITG", is_point(e, MM_POINT_WAIT_GROUP))                                                             \
    X("MAP", (e->tags & MM_POINT_MAP) != 0)                                                                  \
    X("MAPW", (e->tags & MM_POINT_MAP_WRITE) != 0)                                                           \
    X("UNMAP", (e->tags & MM_POINT_UNMAP) != 0)

static bool is_device(const struct mm_cat_event *e)
{
    return !e->init && !e->agent.host;
}

static bool same_location(const struct mm_cat_event *a, const struct mm_cat_event *b)
{
    return a->location != MM_CAT_NO_LOCATION && a->location == b->location;
}

/* Whether A is among the reads that B depends on. */
static bool depends_on(const struct mm_cat_event *a, const struct mm_cat_event *b, uint64_t reads)
{
    return a < b && !b->init && a->thread == b->thread && a->depends.number < 64 &&
           (reads >> a->depends.number & 1);
}

/* Relations of the events of one class, by a number of the class; 0: of none.  AT: index of the event. */
#define CLASSES(X)                                                                                           \
    X(LOC, ALL, "loc", e->location == MM_CAT_NO_LOCATION ? 0 : 1 + (uint64_t)e->location)                    \
    X(INT, ALL, "int", (e->init ? UINT64_C(1) << 32 | at : e->thread) + UINT64_C(1))                         \
    X(EXT, OTHERS, "ext", (e->init ? UINT64_C(1) << 32 | at : e->thread) + UINT64_C(1))                      \
    X(PO, LATER, "po", e->init ? 0 : 1 + (uint64_t)e->thread)                                                \
    X(PO_LOC, LATER, "po-loc",                                                                               \
      e->init || e->location == MM_CAT_NO_LOCATION ? 0 : (1 + (uint64_t)e->thread) << 32 | e->location)      \
    X(ID, ALL, "id", 1 + (uint64_t)at)                                                                       \
    X(SSG, ALL, "ssg", is_device(e) ? 1 + (uint64_t)e->agent.sub_group : 0)                                  \
    X(SWG, ALL, "swg", is_device(e) ? 1 + (uint64_t)e->agent.work_group : 0)                                 \
    X(SQF, ALL, "sqf", is_device(e) ? (1 + (uint64_t)e->agent.device) << 32 | e->agent.queue_family : 0)     \
    X(SDV, ALL, "sdv", is_device(e) ? 1 + (uint64_t)e->agent.device : 0)                                     \
    X(SKERNEL, ALL, "skernel", is_device(e) ? 1 + (uint64_t)e->agent.kernel : 0)                             \
    X(OBJ, ALL, "obj", is_access(e) ? 1 + (uint64_t)e->memory.object : 0)

/* a, b: events; a < b as pointers: recorded in that order.  First a condition on a alone. */
#define RELATIONS(X)                                                                                         \
    X("rmw", a->read && a->rmw_partner != MM_CAT_NO_EVENT, b->write && b == all->events + a->rmw_partner)    \
    X("syncbar", a->barrier != MM_CAT_NO_BARRIER, a->barrier == b->barrier && (a == b || !a->late))          \
    X("extent", is_access(a),                                                                                \
      is_access(b) && a->memory.object == b->memory.object && a->memory.start == b->memory.start &&          \
          a->memory.bytes == b->memory.bytes)                                                                \
    X("data", a->read && !a->init, depends_on(a, b, b->depends.data))                                        \
    X("addr", a->read && !a->init, depends_on(a, b, b->depends.addr))                                        \
    X("ctrl", a->read && !a->init, depends_on(a, b, b->depends.ctrl))                                        \
    X("piece", a->memory.access, a->memory.access == b->memory.access && a != b)                             \
    X("vloc", a->location != MM_CAT_NO_LOCATION,                                                             \
      same_location(a, b) && (a->init || b->init || a->memory.reference == b->memory.reference))

/* One pass over the events (or pairs) per name; the name is looked up once, before the loop. */
#define IS_NAMED(text) (*name == *(text) && strcmp(name, text) == 0)
#define FILL_SET(text, condition)                                                                            \
    if (IS_NAMED(text)) {                                                                                    \
        for (uint32_t i = 0; i < n; i++) {                                                                   \
            const struct mm_cat_event *e = &all->events[i];                                                  \
            if (condition)                                                                                   \
                mm_set_add(out, i);                                                                          \
        }                                                                                                    \
        return;                                                                                              \
    }
#define FILL_RELATION(text, first, condition)                                                                \
    if (IS_NAMED(text)) {                                                                                    \
        for (uint32_t i = 0; i < n; i++) {                                                                   \
            const struct mm_cat_event *a = &all->events[i];                                                  \
            for (uint32_t j = 0; j < n && (first); j++) {                                                    \
                const struct mm_cat_event *b = &all->events[j];                                              \
                if (condition)                                                                               \
                    mm_rel_add(n, out, i, j);                                                                \
            }                                                                                                \
        }                                                                                                    \
        return;                                                                                              \
    }

/* Which events of its class an event is related to: all, those after it; or all but those of its class. */
enum related { ALL, LATER, OTHERS };

#define CLASS_ID(id, kind, text, number)      CLASS_##id,
#define CLASS_NAME(id, kind, text, number)    text,
#define CLASS_RELATED(id, kind, text, number) kind,
#define CLASS_NUMBER(id, kind, text, number)                                                                 \
    case CLASS_##id:                                                                                         \
        return (number);
enum class_relation { CLASSES(CLASS_ID) CLASS_COUNT };

/* The relation of classes that is computed. */
struct classes {
    const struct mm_cat_events *all;
    enum class_relation which;
    const uint64_t *numbers; /* of the events; NULL: not kept */
};

static uint64_t compute_number(const struct classes *c, uint32_t at)
{
    const struct mm_cat_event *e = &c->all->events[at];

    switch (c->which) {
        CLASSES(CLASS_NUMBER)
    default:
        return 0;
    }
}

static uint64_t number_of(const struct classes *c, uint32_t at)
{
    return c->numbers ? c->numbers[at] : compute_number(c, at);
}

/* Row I of the relation of equal numbers: a copy of the first row of the class. */
static void fill_class_row(const struct classes *c, uint32_t i, uint64_t *out)
{
    uint32_t n = c->all->count, first = 0;
    size_t words = (n + 63) / 64;
    uint64_t number = number_of(c, i);

    if (!number)
        return;
    while (number_of(c, first) != number)
        first++;
    if (first < i) {
        memcpy(out + i * words, out + first * words, words * sizeof *out);
        return;
    }
    for (uint32_t j = i; j < n; j++)
        out[i * words + j / 64] |= (uint64_t)(number_of(c, j) == number) << j % 64;
}

static void keep_related(uint32_t n, uint32_t i, enum related related, uint64_t *row)
{
    for (uint32_t w = 0; w < (n + 63) / 64; w++) {
        uint64_t events = n - 64 * w >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n % 64) - 1;

        if (related == OTHERS)
            row[w] = ~row[w] & events;
        else if (related == LATER && w < i / 64)
            row[w] = 0;
        else if (related == LATER && w == i / 64)
            row[w] &= ~UINT64_C(1) << i % 64;
    }
}

/* False: NAME is no relation of classes. */
static bool fill_classes(const struct mm_cat_events *all, const char *name, uint64_t *out)
{
    enum { MOST_KEPT = 1024 };
    static const char *const names[] = {CLASSES(CLASS_NAME)};
    static const enum related related[] = {CLASSES(CLASS_RELATED)};
    struct classes c = {.all = all};
    uint32_t n = all->count;
    uint64_t numbers[MOST_KEPT];

    while (c.which < CLASS_COUNT && strcmp(names[c.which], name) != 0)
        c.which++;
    if (c.which == CLASS_COUNT)
        return false;
    for (uint32_t i = 0; i < n && n <= MOST_KEPT; i++)
        numbers[i] = compute_number(&c, i);
    c.numbers = n <= MOST_KEPT ? numbers : NULL;
    for (uint32_t i = 0; i < n; i++)
        fill_class_row(&c, i, out);
    for (uint32_t i = 0; i < n && related[c.which] != ALL; i++)
        keep_related(n, i, related[c.which], out + i * (size_t)((n + 63) / 64));
    return true;
}

static bool at_end(const struct mm_cat_event *e, uint32_t thread, uint32_t point)
{
    return !e->init && e->thread == thread && (!point || e->point == point);
}

/* Fills the relations that the program provides as edges. */
static void fill_given(const struct mm_cat_events *all, const char *name, uint64_t *out)
{
    for (uint32_t k = 0; k < all->edge_count; k++) {
        const struct mm_cat_edge *edge = &all->edges[k];

        if (strcmp(edge->relation, name) != 0)
            continue;
        for (uint32_t i = 0; i < all->count; i++) {
            if (!at_end(&all->events[i], edge->from_thread, edge->from_point))
                continue;
            for (uint32_t j = 0; j < all->count; j++)
                if (at_end(&all->events[j], edge->to_thread, edge->to_point))
                    mm_rel_add(all->count, out, i, j);
        }
    }
}

void mm_cat_base_fill(const struct mm_cat_events *all, uint32_t base, uint64_t *out)
{
    const char *name = mm_cat_bases[base].name;
    uint32_t n = all->count;
    size_t bytes = mm_rel_size(n, mm_cat_bases[base].type) * sizeof *out;

    if (all->bases) {
        memcpy(out, all->bases[base], bytes);
        return;
    }
    memset(out, 0, bytes);
    if (mm_cat_bases[base].type == MM_CAT_SET) {
        SETS(FILL_SET)
    } else if (!fill_classes(all, name, out)) {
        RELATIONS(FILL_RELATION)
        fill_given(all, name, out);
    }
}
