/* Names of the event vocabulary: kinds, orders, scopes, regions, origins, edges.
 * The words are those of OpenCL 2.2 3.3.4 to 3.3.6. */
#include "memmodel/memmodel.h"

static const char *const kind_names[MM_KIND_COUNT] = {
#define MM_EVENT(id, name) [MM_##id] = name,
#include "memmodel/event.def"
#undef MM_EVENT
};

static const char *const order_names[MM_ORDER_COUNT] = {
    [MM_ORDER_NONE] = "none", [MM_RELAXED] = "relaxed", [MM_ACQUIRE] = "acquire",
    [MM_RELEASE] = "release", [MM_ACQ_REL] = "acq_rel", [MM_SEQ_CST] = "seq_cst",
};

static const char *const scope_names[MM_SCOPE_COUNT] = {
    [MM_SCOPE_NONE] = "none",
    [MM_SCOPE_WORK_ITEM] = "work_item",
    [MM_SCOPE_SUB_GROUP] = "sub_group",
    [MM_SCOPE_WORK_GROUP] = "work_group",
    [MM_SCOPE_QUEUE_FAMILY] = "queue_family",
    [MM_SCOPE_DEVICE] = "device",
    [MM_SCOPE_ALL_SVM_DEVICES] = "all_svm_devices",
};

static const char *const region_names[MM_REGION_COUNT] = {
    [MM_REGION_NONE] = "none", [MM_GLOBAL] = "global",
    [MM_LOCAL] = "local",      [MM_CONSTANT] = "constant",
    [MM_PRIVATE] = "private",  [MM_IMAGE] = "image",
    [MM_PIPE] = "pipe",        [MM_PROGRAM_SCOPE] = "program-scope",
};

static const char *const origin_names[MM_ORIGIN_COUNT] = {
    [MM_ORIGIN_NONE] = "none",
    [MM_ORIGIN_BUFFER] = "buffer",
    [MM_ORIGIN_SUB_BUFFER] = "sub-buffer",
    [MM_ORIGIN_COARSE_SVM] = "coarse-svm",
    [MM_ORIGIN_FINE_SVM] = "fine-svm",
    [MM_ORIGIN_FINE_SVM_ATOMICS] = "fine-svm-atomics",
    [MM_ORIGIN_SYSTEM_SVM] = "system-svm",
    [MM_ORIGIN_HOST] = "host",
};

static const char *const edge_names[MM_EDGE_COUNT] = {
    [MM_EDGE_ENQUEUE] = "enqueue",
    [MM_EDGE_WAIT] = "wait",
    [MM_EDGE_COMPLETE] = "complete",
    [MM_EDGE_API_WAIT] = "api-wait",
    [MM_EDGE_QUERY] = "query",
    [MM_EDGE_AMBIGUOUS] = "ambiguous",
    [MM_EDGE_IN_ORDER] = "in-order",
    [MM_EDGE_MARKER] = "marker",
    [MM_EDGE_BARRIER] = "barrier",
    [MM_EDGE_FINISH] = "finish",
    [MM_EDGE_KERNEL_START] = "kernel-start",
    [MM_EDGE_KERNEL_END] = "kernel-end",
    [MM_EDGE_CALLBACK] = "callback",
    [MM_EDGE_USER_EVENT] = "user-event",
    [MM_EDGE_PARENT] = "parent",
    [MM_EDGE_PARENT_GROUP] = "parent-group",
    [MM_EDGE_HOST] = "host",
    [MM_EDGE_RF] = "rf",
    [MM_EDGE_CO] = "co",
};

/* Numbers from a damaged input have a name too. */
static const char *name_of(const char *const *names, unsigned count, unsigned value)
{
    return value < count && names[value] ? names[value] : "?";
}

const char *mm_kind_name(enum mm_kind kind)
{
    return name_of(kind_names, MM_KIND_COUNT, (unsigned)kind);
}

const char *mm_order_name(enum mm_order order)
{
    return name_of(order_names, MM_ORDER_COUNT, (unsigned)order);
}

const char *mm_scope_name(enum mm_scope scope)
{
    return name_of(scope_names, MM_SCOPE_COUNT, (unsigned)scope);
}

const char *mm_region_name(enum mm_region region)
{
    return name_of(region_names, MM_REGION_COUNT, (unsigned)region);
}

const char *mm_origin_name(enum mm_origin origin)
{
    return name_of(origin_names, MM_ORIGIN_COUNT, (unsigned)origin);
}

const char *mm_edge_name(enum mm_edge_kind kind)
{
    return name_of(edge_names, MM_EDGE_COUNT, (unsigned)kind);
}
