/* What devices say they have, as far as the environment may change it: the man page lists the variables.
 *
 * A variable may be a list with one entry per device, separated by commas; the last entry stands for all
 * devices after it.  So applications meet a small device beside a large one. */
#include "ref-runtime/device.h"
#include "ref-runtime/image.h"
#include "ref-runtime/kernel.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Entry INDEX of the list in variable NAME; false if there is none or it is empty. */
static bool entry(const char *name, int index, char *text, size_t size)
{
    const char *at = getenv(name);
    while (at && index-- > 0) {
        const char *comma = strchr(at, ',');
        if (!comma) {
            break;
        }
        at = comma + 1;
    }
    size_t length = at ? strcspn(at, ",") : 0;
    if (length == 0 || length >= size) {
        return false;
    }
    memcpy(text, at, length);
    text[length] = 0;
    return true;
}

/* A number, with K, M or G behind it, between LEAST and MOST; what is no number is OTHERWISE. */
static uint64_t number(const char *name, int index, uint64_t otherwise, uint64_t least, uint64_t most)
{
    char text[64], *end;
    if (!entry(name, index, text, sizeof(text)) || !isdigit((unsigned char)*text)) {
        return otherwise;
    }
    uint64_t value = strtoull(text, &end, 0);
    switch (*end) {
    case 'G':
        value <<= 10; /* fall through */
    case 'M':
        value <<= 10; /* fall through */
    case 'K':
        value <<= 10;
        break;
    default:
        break;
    }
    return value < least ? least : value > most ? most : value;
}

static uint64_t power_of_two(uint64_t value)
{
    uint64_t power = 1;
    while (power * 2 <= value) {
        power *= 2;
    }
    return power;
}

static uint64_t physical_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 30;
}

static cl_device_svm_capabilities svm(int index)
{
    static const struct {
        const char *name;
        cl_device_svm_capabilities capabilities;
    } kinds[] = {{"none", 0},
                 {"coarse", CL_DEVICE_SVM_COARSE_GRAIN_BUFFER},
                 {"fine", CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER},
                 {"system", RT_SVM_CAPABILITIES | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM}};
    char text[16];
    bool given = entry("REFCL_SVM", index, text, sizeof(text));
    for (size_t i = 0; given && i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (strcmp(text, kinds[i].name) == 0) {
            return kinds[i].capabilities;
        }
    }
    return RT_SVM_CAPABILITIES;
}

void rt_limits_read(struct rt_limits *limits, int index)
{
    char text[16];
    uint64_t most = UINT64_C(1) << 46;
    limits->global_memory =
        number("REFCL_GLOBAL_MEMORY", index, physical_memory() / 2, UINT64_C(1) << 20, most);
    /* At least the larger of a quarter of global memory (up to 1 GiB) and 128 MiB. */
    uint64_t quarter = limits->global_memory / 4, least = UINT64_C(128) << 20;
    limits->allocation = number("REFCL_MAX_ALLOCATION", index, quarter > least ? quarter : least, 4096, most);
    limits->local_memory = number("REFCL_LOCAL_MEMORY", index, RT_LOCAL_BYTES, 1024, UINT64_C(1) << 30);
    limits->alignment =
        (uint32_t)power_of_two(number("REFCL_MEMORY_ALIGNMENT", index, RT_MAX_ALIGN, RT_MAX_ALIGN, 1 << 20));
    limits->image2d = (size_t)number("REFCL_IMAGE_SIZE", index, RT_IMAGE2D_MAX, 1, 1 << 16);
    limits->required_formats =
        entry("REFCL_IMAGE_FORMATS", index, text, sizeof(text)) && strcmp(text, "required") == 0;
    limits->native_kernels = number("REFCL_NATIVE_KERNELS", index, 1, 0, 1) != 0;
    limits->svm = svm(index);
    limits->compute_units =
        (cl_uint)number("REFCL_COMPUTE_UNITS", index, RT_COMPUTE_UNITS, 1, RT_MAX_COMPUTE_UNITS);
}

/* ---- one value for all devices ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t max_work_group, default_sub_group;

static void read_common(void)
{
    max_work_group =
        (uint32_t)number("REFCL_MAX_WORK_GROUP_SIZE", 0, RT_MAX_WORK_GROUP, 1, RT_MAX_WORK_GROUP);
    default_sub_group = (uint32_t)number("REFCL_SUB_GROUP_SIZE", 0, RT_SUB_GROUP_SIZE, 1, 128);
}

uint32_t rt_max_work_group(void)
{
    pthread_once(&once, read_common);
    return max_work_group;
}

uint32_t rt_sub_group_size(void)
{
    pthread_once(&once, read_common);
    return default_sub_group;
}

/* ---- contexts: what at least one device has ---- */

uint64_t rt_context_max_alloc(const struct rt_context *context)
{
    uint64_t most = 0;
    for (cl_uint i = 0; i < context->device_count; i++) {
        uint64_t here = context->devices[i]->limits.allocation;
        most = here > most ? here : most;
    }
    return most;
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
