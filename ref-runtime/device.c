/* Device queries [CL 4.2 R101-R104], sub-devices, timers [CL 4.2, 4.3].  Constant answers are in
 * info_device.def, extensions and OpenCL C features in extensions.def. */
#include "ref-runtime/device.h"
#include "memmodel/base/clock.h"
#include "ref-runtime/memory/image.h"
#include "ref-runtime/program/kernel.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include <string.h>
#include <unistd.h>

/* ---- time ---- */

cl_ulong rt_now(void)
{
    return mm_clock_ns(CLOCK_MONOTONIC) + 1;
}

/* ---- devices that are lost ---- */

/* The root device that DEVICE is part of, or DEVICE itself. */
static const struct rt_device *root_device(const struct rt_device *device)
{
    while (device->parent)
        device = device->parent;
    return device;
}

bool rt_device_lost(const struct rt_device *device)
{
    device = root_device(device);
    uint64_t most = device->limits.lost_after;
    return most == 0 || atomic_load_explicit(&device->commands, memory_order_relaxed) > most;
}

bool rt_device_take_command(const struct rt_queue *queue)
{
    struct rt_device *device = (struct rt_device *)(uintptr_t)root_device(queue->device);
    uint64_t most = device->limits.lost_after;
    if (most == UINT64_MAX)
        return true;
    uint64_t before = atomic_fetch_add_explicit(&device->commands, 1, memory_order_relaxed);
    if (before == most)
        rt_context_notify(queue->context, "the device is lost");
    return before < most;
}

/* ---- extensions and features ---- */

struct name_row {
    const char *name;
    cl_version version;
    bool macro;
    int offered;
};
static const struct name_row extension_rows[] = {
#define RT_EXTENSION(name, version, macro, offered) {#name, version, macro, offered},
#include "ref-runtime/extensions.def"
#undef RT_EXTENSION
};
static const struct name_row feature_rows[] = {
#define RT_FEATURE(name, offered) {#name, CL_MAKE_VERSION(3, 0, 0), true, offered},
#include "ref-runtime/extensions.def"
#undef RT_FEATURE
};
enum {
    EXTENSIONS = sizeof extension_rows / sizeof *extension_rows,
    FEATURES = sizeof feature_rows / sizeof *feature_rows,
    NAMES_SIZE = 4096
};

static bool is_offered(const struct name_row *row, bool images)
{
    return row->offered && (images || !(row->offered & RT_WITH_IMAGES)) &&
           (rt_version() >= RT_3_0 || !(row->offered & RT_SINCE_3_0));
}

bool rt_extension_offered(const char *name)
{
    for (size_t i = 0; i < EXTENSIONS; i++)
        if (strcmp(extension_rows[i].name, name) == 0)
            return is_offered(&extension_rows[i], true);
    return false;
}

/* Offered names, space-separated; MACROS: only those that are predefined macros. */
static void join_names(char *text, const struct name_row *rows, size_t count, bool images, bool macros)
{
    size_t length = 0;
    text[0] = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_offered(&rows[i], images) && (!macros || rows[i].macro)) {
            length +=
                (size_t)snprintf(text + length, NAMES_SIZE - length, "%s%s", length ? " " : "", rows[i].name);
        }
    }
}

static pthread_once_t names_once = PTHREAD_ONCE_INIT;
static struct {
    char extensions[NAMES_SIZE], macros[NAMES_SIZE], features[NAMES_SIZE];
} names[2]; /* without images, with them */

static void make_names(void)
{
    for (int images = 0; images < 2; images++) {
        join_names(names[images].extensions, extension_rows, EXTENSIONS, images, false);
        join_names(names[images].macros, extension_rows, EXTENSIONS, images, true);
        join_names(names[images].features, feature_rows, FEATURES, images, true);
    }
}

const char *rt_extension_names(bool images)
{
    pthread_once(&names_once, make_names);
    return names[images].macros;
}

const char *rt_feature_names(bool images)
{
    pthread_once(&names_once, make_names);
    return names[images].features;
}

cl_int rt_put_extensions(const struct rt_info_out *out, bool images)
{
    pthread_once(&names_once, make_names);
    return rt_info_string(out, names[images].extensions);
}

static cl_int put_versions(const struct rt_info_out *out, const struct name_row *rows, size_t count,
                           bool images)
{
    cl_name_version versions[EXTENSIONS + FEATURES] = {0};
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_offered(&rows[i], images)) {
            versions[n].version = rows[i].version;
            snprintf(versions[n++].name, sizeof versions->name, "%s", rows[i].name);
        }
    }
    return rt_info_put(out, versions, n * sizeof *versions);
}

cl_int rt_put_extensions_with_version(const struct rt_info_out *out, bool images)
{
    return put_versions(out, extension_rows, EXTENSIONS, images);
}

/* ---- queries ---- */

#define LIMIT(member)      (((const struct rt_device *)object)->limits.member)
#define RT_FP_ATOMIC(what) (CL_DEVICE_GLOBAL_FP_ATOMIC_##what##_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_##what##_EXT)

/* A vendor identifier is that of a PCI vendor, or one that Khronos has assigned.  refcl has neither, and
 * another implementation's would be wrong.  The device is the host's processor, whose maker is a PCI vendor;
 * 0, which is none, where the maker is not known. */
static cl_uint processor_vendor(void)
{
#if defined(__x86_64__) || defined(__i386__)
    static const struct {
        const char *name; /* as CPUID returns it */
        cl_uint id;
    } makers[] = {{"GenuineIntel", 0x8086},
                  {"AuthenticAMD", 0x1022},
                  {"HygonGenuine", 0x1d94},
                  {"CentaurHauls", 0x1106},
                  {"  Shanghai  ", 0x1d17}};
    unsigned largest, name[3];
    if (!__get_cpuid(0, &largest, &name[0], &name[2], &name[1]))
        return 0;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (memcmp(name, makers[i].name, sizeof name) == 0)
            return makers[i].id;
    return 0;
#elif defined(__aarch64__)
    return 0x13b5; /* Arm, whose architecture it is */
#else
    return 0;
#endif
}

static cl_int get_extensions(const void *object, const struct rt_info_out *out)
{
    return rt_put_extensions(out, LIMIT(images));
}

static cl_int get_extensions_with_version(const void *object, const struct rt_info_out *out)
{
    return rt_put_extensions_with_version(out, LIMIT(images));
}

static cl_int get_c_features(const void *object, const struct rt_info_out *out)
{
    return put_versions(out, feature_rows, FEATURES, LIMIT(images));
}

#define RT_UINT(param, answer)   RT_ANSWER(get_##param, uint, void, object, (cl_uint)(answer))
#define RT_BOOL(param, answer)   RT_ANSWER(get_##param, bool, void, object, answer)
#define RT_ULONG(param, answer)  RT_ANSWER(get_##param, ulong, void, object, (cl_ulong)(answer))
#define RT_SIZE(param, answer)   RT_ANSWER(get_##param, size, void, object, (size_t)(answer))
#define RT_STRING(param, answer) RT_ANSWER(get_##param, string, void, object, answer)
#include "ref-runtime/info_device.def"
#undef RT_UINT
#undef RT_BOOL
#undef RT_ULONG
#undef RT_SIZE
#undef RT_STRING

static cl_int get_available(const void *object, const struct rt_info_out *out)
{
    return rt_info_bool(out, !rt_device_lost(object));
}

RT_ANSWER(get_name, string, struct rt_device, device, device->name)
RT_ANSWER(get_vendor, string, struct rt_device, device, device->vendor)

static cl_int get_work_item_sizes(const void *object, const struct rt_info_out *out)
{
    (void)object;
    const size_t sizes[3] = {rt_max_work_group(), rt_max_work_group(), rt_max_work_group()};
    return rt_info_put(out, sizes, sizeof sizes);
}

RT_ANSWER(get_platform, handle, void, unused, rt_the_platform())

static cl_int get_empty(const void *object, const struct rt_info_out *out)
{
    (void)object;
    return rt_info_put(out, "", 0);
}

/* A device with one compute unit cannot be divided: the list is one zero. */
static cl_int get_partition_properties(const void *object, const struct rt_info_out *out)
{
    static const cl_device_partition_property none[] = {0}, ways[] = {CL_DEVICE_PARTITION_EQUALLY,
                                                                      CL_DEVICE_PARTITION_BY_COUNTS};
    const struct rt_device *device = object;
    return device->limits.compute_units > 1 ? rt_info_put(out, ways, sizeof ways)
                                            : rt_info_put(out, none, sizeof none);
}

static cl_int get_most_sub_devices(const void *object, const struct rt_info_out *out)
{
    cl_uint units = ((const struct rt_device *)object)->limits.compute_units;
    return rt_info_uint(out, units > 1 ? units : 0);
}

RT_ANSWER_LIST(get_partition_type, struct rt_device, partition, partition_count)

/* A UUID made from the platform and the device's index: the same in every process. */
static cl_int put_uuid(const struct rt_info_out *out, const char *kind, int index)
{
    cl_uchar uuid[CL_UUID_SIZE_KHR] = {0};
    char text[64];
    snprintf(text, sizeof text, "refcl %s %d", kind, index);
    for (size_t i = 0; i < CL_UUID_SIZE_KHR && text[i]; i++)
        uuid[i] = (cl_uchar)text[i];
    return rt_info_put(out, uuid, sizeof uuid);
}

static cl_int get_device_uuid(const void *object, const struct rt_info_out *out)
{
    return put_uuid(out, "device", ((const struct rt_device *)object)->index);
}

static cl_int get_driver_uuid(const void *object, const struct rt_info_out *out)
{
    (void)object;
    return put_uuid(out, REFCL_VERSION, 0);
}

static cl_int get_luid(const void *object, const struct rt_info_out *out)
{
    static const cl_uchar luid[CL_LUID_SIZE_KHR];
    (void)object;
    return rt_info_put(out, luid, sizeof luid);
}

/* No case of packed dot products is accelerated. */
static cl_int get_dot_product(const void *object, const struct rt_info_out *out)
{
    static const cl_device_integer_dot_product_acceleration_properties_khr none;
    (void)object;
    return rt_info_put(out, &none, sizeof none);
}

static cl_int get_ils(const void *object, const struct rt_info_out *out)
{
    (void)object;
    cl_name_version ils[7] = {0};
    for (unsigned minor = 0; minor < sizeof ils / sizeof *ils; minor++) {
        ils[minor].version = CL_MAKE_VERSION(1, minor, 0);
        memcpy(ils[minor].name, "SPIR-V", sizeof("SPIR-V"));
    }
    return rt_info_put(out, ils, sizeof ils);
}

static cl_int get_c_versions(const void *object, const struct rt_info_out *out)
{
    (void)object;
    static const cl_version all[] = {RT_3_1,
                                     RT_3_0,
                                     CL_MAKE_VERSION(2, 0, 0),
                                     CL_MAKE_VERSION(1, 2, 0),
                                     CL_MAKE_VERSION(1, 1, 0),
                                     CL_MAKE_VERSION(1, 0, 0)};
    cl_name_version versions[sizeof all / sizeof *all] = {0};
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i] > rt_c_version())
            continue;
        versions[count].version = all[i];
        memcpy(versions[count++].name, "OpenCL C", sizeof("OpenCL C"));
    }
    return rt_info_put(out, versions, count * sizeof *versions);
}

/* Root devices that synchronize with each other: all, through the one scheduler
 * [cl_khr_command_buffer_multi_device]. */
static cl_int get_sync_device_count(const void *object, const struct rt_info_out *out)
{
    struct rt_device *found[RT_MAX_DEVICES];
    (void)object;
    return rt_info_uint(out, rt_devices_of_type(CL_DEVICE_TYPE_ALL, found));
}

static cl_int get_sync_devices(const void *object, const struct rt_info_out *out)
{
    struct rt_device *found[RT_MAX_DEVICES];
    (void)object;
    return rt_info_put(out, found, rt_devices_of_type(CL_DEVICE_TYPE_ALL, found) * sizeof *found);
}

/* Types for import and export, of the platform and its devices. */
cl_int rt_put_semaphore_handles(const void *object, const struct rt_info_out *out)
{
    static const cl_external_semaphore_handle_type_khr types[] = {CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                                  CL_SEMAPHORE_HANDLE_SYNC_FD_KHR};
    (void)object;
    return rt_info_put(out, types, sizeof types);
}

static const struct rt_info_row device_rows[] = {
    RT_INFO_GET(CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR, rt_put_semaphore_handles),
    RT_INFO_GET(CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, rt_put_semaphore_handles),
    RT_INFO_GET(CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR, get_sync_device_count),
    RT_INFO_GET(CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR, get_sync_devices),
    RT_INFO_FIELD(CL_DEVICE_TYPE, struct rt_device, type),
    RT_INFO_GET(CL_DEVICE_AVAILABLE, get_available),
    RT_INFO_GET(CL_DEVICE_NAME, get_name),
    RT_INFO_GET(CL_DEVICE_VENDOR, get_vendor),
    RT_INFO_GET(CL_DEVICE_MAX_WORK_ITEM_SIZES, get_work_item_sizes),
    RT_INFO_GET(CL_DEVICE_PLATFORM, get_platform),
    RT_INFO_FIELD(CL_DEVICE_PARENT_DEVICE, struct rt_device, parent),
    RT_INFO_GET(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS, rt_put_spirv_sets),
    RT_INFO_GET(CL_DEVICE_SPIRV_EXTENSIONS, rt_put_spirv_extensions),
    RT_INFO_GET(CL_DEVICE_SPIRV_CAPABILITIES, rt_put_spirv_capabilities),
    RT_INFO_FIELD(CL_DEVICE_MAX_COMPUTE_UNITS, struct rt_device, limits.compute_units),
    RT_INFO_GET(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, get_most_sub_devices),
    RT_INFO_GET(CL_DEVICE_UUID_KHR, get_device_uuid),
    RT_INFO_GET(CL_DRIVER_UUID_KHR, get_driver_uuid),
    RT_INFO_GET(CL_DEVICE_LUID_KHR, get_luid),
    RT_INFO_GET(CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR, get_dot_product),
    RT_INFO_GET(CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR, get_dot_product),
    RT_INFO_GET(CL_DEVICE_PARTITION_PROPERTIES, get_partition_properties),
    RT_INFO_GET(CL_DEVICE_PARTITION_TYPE, get_partition_type),
    RT_INFO_FIELD(CL_DEVICE_PARENT_DEVICE_EXT, struct rt_device, parent),
    RT_INFO_GET(CL_DEVICE_PARTITION_TYPES_EXT, rt_put_partition_types_ext),
    RT_INFO_GET(CL_DEVICE_AFFINITY_DOMAINS_EXT, get_empty),
    RT_INFO_GET(CL_DEVICE_REFERENCE_COUNT_EXT, rt_info_references),
    RT_INFO_GET(CL_DEVICE_PARTITION_STYLE_EXT, rt_put_partition_style_ext),
    RT_INFO_GET(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, get_empty),
    RT_INFO_GET(CL_DEVICE_EXTENSIONS, get_extensions),
    RT_INFO_GET(CL_DEVICE_EXTENSIONS_WITH_VERSION, get_extensions_with_version),
    RT_INFO_GET(CL_DEVICE_OPENCL_C_FEATURES, get_c_features),
    RT_INFO_GET(CL_DEVICE_OPENCL_C_ALL_VERSIONS, get_c_versions),
    RT_INFO_GET(CL_DEVICE_ILS_WITH_VERSION, get_ils),
    RT_INFO_GET(CL_DEVICE_REFERENCE_COUNT, rt_info_references),
#define RT_UINT(param, answer)   RT_INFO_GET(param, get_##param),
#define RT_BOOL(param, answer)   RT_INFO_GET(param, get_##param),
#define RT_ULONG(param, answer)  RT_INFO_GET(param, get_##param),
#define RT_SIZE(param, answer)   RT_INFO_GET(param, get_##param),
#define RT_STRING(param, answer) RT_INFO_GET(param, get_##param),
#include "ref-runtime/info_device.def"
};

cl_int CL_API_CALL rt_clGetDeviceInfo(cl_device_id handle, cl_device_info param_name, size_t size,
                                      void *value, size_t *size_ret)
{
    struct rt_device *device = rt_device(handle);
    if (!device)
        return CL_INVALID_DEVICE;
    return RT_INFO_QUERY(device_rows, device, param_name, size, value, size_ret);
}

/* ---- timers: device and host read the same clock ---- */

cl_int CL_API_CALL rt_clGetDeviceAndHostTimer(cl_device_id handle, cl_ulong *device_timestamp,
                                              cl_ulong *host_timestamp)
{
    if (!rt_device(handle))
        return CL_INVALID_DEVICE;
    if (!device_timestamp || !host_timestamp)
        return CL_INVALID_VALUE;
    *device_timestamp = *host_timestamp = rt_now();
    return CL_SUCCESS;
}

cl_int CL_API_CALL rt_clGetHostTimer(cl_device_id handle, cl_ulong *host_timestamp)
{
    if (!rt_device(handle))
        return CL_INVALID_DEVICE;
    if (!host_timestamp)
        return CL_INVALID_VALUE;
    *host_timestamp = rt_now();
    return CL_SUCCESS;
}
