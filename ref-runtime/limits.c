/* Device limits that the environment may change: the man page lists the variables. */
#include "ref-runtime/device.h"
#include "ref-runtime/memory/image.h"
#include "ref-runtime/program/kernel.h"
#include "ref-runtime/setting.h"

#include <unistd.h>

static uint64_t power_of_two(uint64_t value)
{
    uint64_t power = 1;
    while (power * 2 <= value)
        power *= 2;
    return power;
}

static uint64_t physical_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 30;
}

static cl_device_svm_capabilities svm_capabilities(int index)
{
    static const struct {
        const char *name;
        cl_device_svm_capabilities capabilities;
    } kinds[] = {{"none", 0},
                 {"coarse", CL_DEVICE_SVM_COARSE_GRAIN_BUFFER},
                 {"fine", CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER},
                 {"system", RT_SVM_CAPABILITIES | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (rt_setting_is(RT_SET_SVM, index, kinds[i].name))
            return kinds[i].capabilities;
    return RT_SVM_CAPABILITIES;
}

void rt_limits_read(struct rt_limits *limits, int index)
{
    limits->global_memory = rt_setting_number(RT_SET_GLOBAL_MEMORY, index, physical_memory() / 2);
    /* At least the larger of a quarter of global memory (up to 1 GiB) and 128 MiB. */
    uint64_t quarter = limits->global_memory / 4, least = UINT64_C(128) << 20;
    limits->allocation = rt_setting_number(RT_SET_MAX_ALLOCATION, index, quarter > least ? quarter : least);
    limits->local_memory = rt_setting_number(RT_SET_LOCAL_MEMORY, index, RT_LOCAL_BYTES);
    limits->alignment =
        (uint32_t)power_of_two(rt_setting_number(RT_SET_MEMORY_ALIGNMENT, index, RT_MAX_ALIGN));
    limits->image2d = (size_t)rt_setting_number(RT_SET_IMAGE_SIZE, index, RT_IMAGE2D_MAX);
    limits->required_formats = rt_setting_is(RT_SET_IMAGE_FORMATS, index, "required");
    limits->images = rt_setting_number(RT_SET_IMAGES, index, 1) != 0;
    limits->lost_after = rt_setting_number(RT_SET_LOST_AFTER, index, UINT64_MAX);
    limits->native_kernels = rt_setting_number(RT_SET_NATIVE_KERNELS, index, 1) != 0;
    limits->svm = svm_capabilities(index);
    limits->compute_units = (cl_uint)rt_setting_number(RT_SET_COMPUTE_UNITS, index, RT_COMPUTE_UNITS);
}

/* ---- one value for all devices ---- */

static struct mm_once once = MM_ONCE;
static uint32_t max_work_group, default_sub_group;

static void read_common(void)
{
    max_work_group = (uint32_t)rt_setting_number(RT_SET_MAX_WORK_GROUP_SIZE, 0, RT_MAX_WORK_GROUP);
    default_sub_group = (uint32_t)rt_setting_number(RT_SET_SUB_GROUP_SIZE, 0, RT_SUB_GROUP_SIZE);
}

uint32_t rt_max_work_group(void)
{
    mm_once(&once, read_common);
    return max_work_group;
}

uint32_t rt_sub_group_size(void)
{
    mm_once(&once, read_common);
    return default_sub_group;
}

/* ---- contexts: what at least one device has, or every one ---- */

uint64_t rt_context_max_alloc(const struct rt_context *context, bool every)
{
    uint64_t most = 0, least = UINT64_MAX;
    for (cl_uint i = 0; i < context->device_count; i++) {
        uint64_t here = context->devices[i]->limits.allocation;
        most = here > most ? here : most;
        least = here < least ? here : least;
    }
    return every ? least : most;
}

bool rt_context_images(const struct rt_context *context)
{
    bool some = false;
    for (cl_uint i = 0; i < context->device_count; i++)
        some = some || context->devices[i]->limits.images;
    return some;
}

uint32_t rt_context_alignment(const struct rt_context *context)
{
    uint32_t least = UINT32_MAX;
    for (cl_uint i = 0; i < context->device_count; i++) {
        uint32_t here = context->devices[i]->limits.alignment;
        least = here < least ? here : least;
    }
    return least;
}

cl_device_svm_capabilities rt_context_svm(const struct rt_context *context, bool every)
{
    cl_device_svm_capabilities some = 0, all = ~(cl_device_svm_capabilities)0;
    for (cl_uint i = 0; i < context->device_count; i++) {
        some |= context->devices[i]->limits.svm;
        all &= context->devices[i]->limits.svm;
    }
    return every ? all : some;
}
