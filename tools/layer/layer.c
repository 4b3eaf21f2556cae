/* The functions that a loader calls in a layer: its version and name, and the table of functions that wrap
 * the driver's (cl_loader_layers). */
#include "tools/layer/layer.h"

#include "memmodel/trace/host.h"

#include <stdio.h>
#include <string.h>

struct _cl_icd_dispatch ly_next;
pthread_mutex_t ly_lock = PTHREAD_MUTEX_INITIALIZER;

void ly_enter(void)
{
    pthread_mutex_lock(&ly_lock);
    mm_recorder_hold(ly_recorder());
}

void ly_leave(void)
{
    mm_recorder_let_go(ly_recorder());
    pthread_mutex_unlock(&ly_lock);
}

static cl_int answer_query(const void *value, size_t value_size, size_t size, void *to, size_t *size_ret)
{
    if (to && size < value_size)
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, value, value_size);
    if (size_ret)
        *size_ret = value_size;
    return CL_SUCCESS;
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size,
                                                                         void *value, size_t *size_ret)
{
    static const char own_name[] = "refcl";
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (!value && !size_ret)
        return CL_INVALID_VALUE;
    if (name == CL_LAYER_API_VERSION)
        return answer_query(&version, sizeof version, size, value, size_ret);
    if (name == CL_LAYER_NAME)
        return answer_query(own_name, sizeof own_name, size, value, size_ret);
    return CL_INVALID_VALUE;
}

/* Dispatch tables only grow between versions: entries that the next layer lacks stay NULL and are not
 * called. */
__attribute__((visibility("default"))) cl_int CL_API_CALL clInitLayer(cl_uint count,
                                                                      const struct _cl_icd_dispatch *target,
                                                                      cl_uint *count_ret,
                                                                      const struct _cl_icd_dispatch **table)
{
    static struct _cl_icd_dispatch own;
    const size_t entries = sizeof own / sizeof(void *);
    if (!target || !count_ret || !table)
        return CL_INVALID_VALUE;
    size_t given = count < entries ? count : entries;
    memcpy(&ly_next, target, given * sizeof(void *));
    memcpy(&own, &ly_next, sizeof own);
    *count_ret = (cl_uint)given;
    *table = &own;
    if (!ly_recording())
        return CL_SUCCESS;
#define LY_ENTRY(name)                                                                                       \
    if (own.name)                                                                                            \
        own.name = (__typeof__(own.name))ly_get_##name();
#include "tools/layer/entry.def"
#undef LY_ENTRY
#define UNSEEN(name)                                                                                         \
    if (own.name)                                                                                            \
        own.name = (__typeof__(own.name))ly_unseen_function(#name, (ly_function *)own.name);
    UNSEEN(clCreateFromGLBuffer)
    UNSEEN(clCreateFromGLTexture)
    UNSEEN(clCreateFromGLTexture2D)
    UNSEEN(clCreateFromGLTexture3D)
    UNSEEN(clCreateFromGLRenderbuffer)
    UNSEEN(clCreateFromEGLImageKHR)
    UNSEEN(clCreateEventFromGLsyncKHR)
    UNSEEN(clCreateEventFromEGLSyncKHR)
#undef UNSEEN
    if (ly_checks_api())
        ly_check_calls(&own);
    return CL_SUCCESS;
}

/* The trace ends with the program, or with the library. */
__attribute__((destructor)) static void end_recording(void)
{
    ly_record_close();
}
