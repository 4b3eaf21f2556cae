/* Another layer, to be stacked with refcl's: it counts finishes, and calls instead of jumping. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <stdio.h>
#include <string.h>

static struct _cl_icd_dispatch own, next;
static int finishes;

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    cl_int code = next.clFinish(queue);
    finishes++;
    return code;
}

cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *size_ret)
{
    cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void *from = name == CL_LAYER_API_VERSION ? (const void *)&version : "other";
    size_t n = name == CL_LAYER_API_VERSION ? sizeof version : sizeof "other";
    if (value && size >= n)
        memcpy(value, from, n);
    if (size_ret)
        *size_ret = n;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clInitLayer(cl_uint count, const struct _cl_icd_dispatch *target, cl_uint *count_ret,
                               const struct _cl_icd_dispatch **table)
{
    memcpy(&next, target, count * sizeof(void *) < sizeof next ? count * sizeof(void *) : sizeof next);
    own = next;
    own.clFinish = finish;
    *count_ret = count;
    *table = &own;
    return CL_SUCCESS;
}

__attribute__((destructor)) static void print_calls(void)
{
    fprintf(stderr, "other layer: %d finishes\n", finishes);
}
