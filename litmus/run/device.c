/* Selection of a device; its capabilities. */
#include "run.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_IDS 64

static void platform_text(cl_platform_id platform, cl_platform_info what, char *buf, size_t size)
{
    *buf = '\0';
    clGetPlatformInfo(platform, what, size, buf, NULL);
    buf[size - 1] = '\0';
    lt_shown(buf);
}

static void device_text(cl_device_id device, cl_device_info what, char *buf, size_t size)
{
    *buf = '\0';
    clGetDeviceInfo(device, what, size, buf, NULL);
    buf[size - 1] = '\0';
    lt_shown(buf);
}

bool lt_is_chosen(const char *wanted, unsigned number, const char *name)
{
    if (!wanted)
        return true;
    if (isdigit((unsigned char)*wanted) && strspn(wanted, "0123456789") == strlen(wanted))
        return strtoul(wanted, NULL, 10) == number;
    for (const char *p = name; *p; p++)
        if (strncasecmp(p, wanted, strlen(wanted)) == 0)
            return true;
    return false;
}

static cl_uint platforms_of(cl_platform_id ids[MAX_IDS])
{
    cl_uint n = 0;
    if (clGetPlatformIDs(MAX_IDS, ids, &n) != CL_SUCCESS)
        return 0;
    return n < MAX_IDS ? n : MAX_IDS;
}

static cl_uint devices_of(cl_platform_id platform, cl_device_id ids[MAX_IDS])
{
    cl_uint n = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_IDS, ids, &n) != CL_SUCCESS)
        return 0;
    return n < MAX_IDS ? n : MAX_IDS;
}

void lt_device_list(FILE *out)
{
    cl_platform_id platforms[MAX_IDS];
    cl_device_id devices[MAX_IDS];
    char text[256];
    for (cl_uint p = 0, n = platforms_of(platforms); p < n; p++) {
        platform_text(platforms[p], CL_PLATFORM_NAME, text, sizeof text);
        fprintf(out, "platform %u: %s\n", p, text);
        for (cl_uint d = 0, m = devices_of(platforms[p], devices); d < m; d++) {
            device_text(devices[d], CL_DEVICE_NAME, text, sizeof text);
            fprintf(out, "  device %u: %s\n", d, text);
        }
    }
}

/* Version number 123 for 1.2.3, from a text such as "OpenCL 1.2 vendor". */
static unsigned text_version(const char *text)
{
    while (*text && !isdigit((unsigned char)*text))
        text++;
    unsigned major = 0, minor = 0;
    if (sscanf(text, "%u.%u", &major, &minor) != 2)
        return 0;
    return major * 100 + minor * 10;
}

static void append_name(char **list, const char *name)
{
    size_t old = *list ? strlen(*list) : 0;
    char *p = realloc(*list, old + strlen(name) + 3);
    if (!p)
        return;
    *list = p;
    sprintf(p + old, "%s%s ", old ? "" : " ", name);
}

static void read_features(struct lt_device *device)
{
    size_t size = 0;
    char *extensions = NULL;
    if (clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, 0, NULL, &size) == CL_SUCCESS &&
        (extensions = calloc(1, size + 1))) {
        clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, size, extensions, NULL);
        append_name(&device->features, extensions);
        free(extensions);
    }
    if (device->cl_version < 300)
        return;
    cl_name_version *features = NULL;
    if (clGetDeviceInfo(device->id, CL_DEVICE_OPENCL_C_FEATURES, 0, NULL, &size) == CL_SUCCESS && size &&
        (features = calloc(1, size))) {
        clGetDeviceInfo(device->id, CL_DEVICE_OPENCL_C_FEATURES, size, features, NULL);
        for (size_t i = 0; i < size / sizeof *features; i++)
            append_name(&device->features, features[i].name);
        free(features);
    }
}

/* Chooses the language standard: OpenCL C 3.0 if the device has all features of it that tests use, else
 * 2.0, else the one of CL_DEVICE_OPENCL_C_VERSION. */
static void read_standard(struct lt_device *device)
{
    size_t size = 0;
    device->c_level = text_version(device->c_version + (strncmp(device->c_version, "OpenCL C ", 9) ? 0 : 9));
    if (device->cl_version < 300)
        return;
    cl_name_version *versions = NULL;
    if (clGetDeviceInfo(device->id, CL_DEVICE_OPENCL_C_ALL_VERSIONS, 0, NULL, &size) != CL_SUCCESS || !size ||
        !(versions = calloc(1, size)))
        return;
    clGetDeviceInfo(device->id, CL_DEVICE_OPENCL_C_ALL_VERSIONS, size, versions, NULL);
    for (size_t i = 0; i < size / sizeof *versions; i++) {
        unsigned level =
            CL_VERSION_MAJOR(versions[i].version) * 100 + CL_VERSION_MINOR(versions[i].version) * 10;
        if (level > device->c_level)
            device->c_level = level;
    }
    free(versions);
}

/* Reads the size of images that kernels both read and write, 0 if there are none [CL 4.2]. */
static void read_images(struct lt_device *device)
{
    cl_uint most = 0;
    size_t texels = 0;
    clGetDeviceInfo(device->id, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, sizeof most, &most, NULL);
    clGetDeviceInfo(device->id, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, sizeof texels, &texels, NULL);
    device->image_texels = most ? texels : 0;
}

/* Decides whether kernels are passed as SPIR-V: devices without a compiler accept nothing else [CL 5.8.1]. */
static void read_il(struct lt_device *device, const struct lt_options *options)
{
    char versions[256];
    cl_bool compiles = CL_TRUE;
    clGetDeviceInfo(device->id, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiles, &compiles, NULL);
    device_text(device->id, CL_DEVICE_IL_VERSION, versions, sizeof versions);
    device->supports_il = strstr(versions, "SPIR-V_1.") != NULL;
    device->uses_il = options->build.il || !compiles;
}

static bool find_device(struct lt_device *device, const struct lt_options *options)
{
    cl_platform_id platforms[MAX_IDS];
    cl_device_id devices[MAX_IDS];
    for (cl_uint p = 0, n = platforms_of(platforms); p < n; p++) {
        platform_text(platforms[p], CL_PLATFORM_NAME, device->platform, sizeof device->platform);
        if (!lt_is_chosen(options->device.platform, p, device->platform))
            continue;
        for (cl_uint d = 0, m = devices_of(platforms[p], devices); d < m; d++) {
            device_text(devices[d], CL_DEVICE_NAME, device->name, sizeof device->name);
            if (!lt_is_chosen(options->device.name, d, device->name))
                continue;
            device->id = devices[d];
            return true;
        }
    }
    return false;
}

const char *lt_device_open(struct lt_device *device, const struct lt_options *options)
{
    *device = (struct lt_device){0};
    if (!find_device(device, options))
        return "no such OpenCL device";
    device_text(device->id, CL_DEVICE_VERSION, device->version, sizeof device->version);
    device_text(device->id, CL_DEVICE_OPENCL_C_VERSION, device->c_version, sizeof device->c_version);
    device_text(device->id, CL_DRIVER_VERSION, device->driver, sizeof device->driver);
    device->cl_version = text_version(device->version);
    clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof device->max_group, &device->max_group,
                    NULL);
    cl_device_type type = 0;
    cl_uint units = 1;
    clGetDeviceInfo(device->id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clGetDeviceInfo(device->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    read_images(device);
    clGetDeviceInfo(device->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof device->max_alloc, &device->max_alloc,
                    NULL);
    if (device->cl_version >= 300)
        clGetDeviceInfo(device->id, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, sizeof device->atomics,
                        &device->atomics, NULL);
    device->is_gpu =
        options->device.kind ? strcmp(options->device.kind, "gpu") == 0 : (type & CL_DEVICE_TYPE_GPU) != 0;
    device->units = units ? units : 1;
    device->legacy = options->build.legacy;
    read_features(device);
    read_standard(device);
    read_il(device, options);
    cl_int status;
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &status);
    if (status != CL_SUCCESS)
        return "clCreateContext failed";
    if (device->cl_version >= 200)
        device->queue = clCreateCommandQueueWithProperties(device->context, device->id, NULL, &status);
    if (device->cl_version < 200 || status != CL_SUCCESS)
        device->queue = clCreateCommandQueue(device->context, device->id, 0, &status);
    return status == CL_SUCCESS ? NULL : "no command queue could be created";
}

void lt_device_close(struct lt_device *device)
{
    if (device->queue)
        clReleaseCommandQueue(device->queue);
    if (device->context)
        clReleaseContext(device->context);
    free(device->features);
    *device = (struct lt_device){0};
}

cJSON *lt_device_json(const struct lt_device *device)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "platform", device->platform);
    cJSON_AddStringToObject(json, "name", device->name);
    cJSON_AddStringToObject(json, "version", device->version);
    if (!device->vk)
        cJSON_AddStringToObject(json, "opencl_c_version", device->c_version);
    cJSON_AddStringToObject(json, "driver", device->driver);
    cJSON_AddNumberToObject(json, "gpu", device->is_gpu);
    cJSON_AddNumberToObject(json, "compute_units", device->units);
    if (!device->vk)
        cJSON_AddNumberToObject(json, "atomic_capabilities", (double)device->atomics);
    return json;
}

static bool has_word(const struct lt_device *device, const char *word)
{
    char padded[128];
    snprintf(padded, sizeof padded, " %s ", word);
    return device->features && strstr(device->features, padded);
}

/* The bit of CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES that corresponds to the feature. */
static cl_ulong capability_bit(const char *need)
{
    static const struct {
        const char *need;
        cl_ulong bit;
    } table[] = {{"atomic_order_acq_rel", CL_DEVICE_ATOMIC_ORDER_ACQ_REL},
                 {"atomic_order_seq_cst", CL_DEVICE_ATOMIC_ORDER_SEQ_CST},
                 {"atomic_scope_device", CL_DEVICE_ATOMIC_SCOPE_DEVICE},
                 {"atomic_scope_all_devices", CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].need, need) == 0)
            return table[i].bit;
    return 0;
}

static cl_ulong device_bits(const struct lt_device *device, cl_device_info what)
{
    cl_ulong bits = 0;
    clGetDeviceInfo(device->id, what, sizeof bits, &bits, NULL);
    return bits;
}

static bool two_devices(const struct lt_device *device)
{
    cl_platform_id platform = NULL;
    cl_uint count = 0;
    clGetDeviceInfo(device->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    return clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count) == CL_SUCCESS && count > 1;
}

cl_uint lt_device_extension_version(const struct lt_device *device, const char *extension)
{
    enum { EXTENSIONS_WITH_VERSION = 0x1060 };
    struct {
        cl_uint version;
        char name[64];
    } rows[256];
    size_t size = 0;
    if (clGetDeviceInfo(device->id, EXTENSIONS_WITH_VERSION, sizeof rows, rows, &size) != CL_SUCCESS)
        return 0;
    for (size_t i = 0; i < size / sizeof *rows; i++)
        if (strcmp(rows[i].name, extension) == 0)
            return rows[i].version;
    return 0;
}

static bool has_function(const struct lt_device *device, const char *name)
{
    cl_platform_id platform = NULL;
    clGetDeviceInfo(device->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    return clGetExtensionFunctionAddressForPlatform(platform, name) != NULL;
}

/* Whether command buffers support NEED.  Versions before 0.9.8 require simultaneous use for a command buffer
 * that is enqueued again before it is complete, and versions before 0.9.7 a queue with the properties of the
 * recorded one. */
static bool has_command_buffers(const struct lt_device *device, const char *need)
{
    enum { CAPABILITIES = 0x12A9, SIMULTANEOUS_USE = 4 };
    cl_uint version = lt_device_extension_version(device, "cl_khr_command_buffer");
    if (!has_word(device, "cl_khr_command_buffer"))
        return false;
    if (strcmp(need, "_other_queue") == 0)
        return version >= LT_VERSION(0, 9, 7);
    if (strcmp(need, "_rerun") == 0 && version >= LT_VERSION(0, 9, 8))
        return true;
    if (strcmp(need, "_svm") == 0)
        return has_function(device, "clCommandSVMMemcpyKHR") &&
               has_function(device, "clCommandSVMMemFillKHR");
    return !*need || (device_bits(device, CAPABILITIES) & SIMULTANEOUS_USE);
}

/* Requirements of host tests, and the device queries that report them. */
static bool has_host_need(const struct lt_device *device, const char *need, bool *known)
{
    static const struct {
        const char *need;
        cl_device_info info;
        cl_ulong bit;
        unsigned version;
    } table[] = {
        {"svm_coarse", CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, 200},
        {"svm_fine", CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_SVM_FINE_GRAIN_BUFFER, 200},
        {"svm_atomics", CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_SVM_ATOMICS, 200},
        {"svm_system", CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_SVM_FINE_GRAIN_SYSTEM, 200},
        {"out_of_order_queue", CL_DEVICE_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0},
        {"native_kernels", CL_DEVICE_EXECUTION_CAPABILITIES, CL_EXEC_NATIVE_KERNEL, 0},
        {"device_queue", CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 200}};
    *known = true;
    if (strcmp(need, "cl_khr_semaphore") == 0)
        return has_word(device, need);
    if (strncmp(need, "cl_khr_command_buffer", strlen("cl_khr_command_buffer")) == 0)
        return has_command_buffers(device, need + strlen("cl_khr_command_buffer"));
    if (strcmp(need, "two_devices") == 0)
        return two_devices(device);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].need, need) == 0)
            return device->cl_version >= table[i].version &&
                   (device_bits(device, table[i].info) & table[i].bit);
    *known = false;
    return false;
}

/* A feature of OpenCL C 3.0 [CLC 6.2.1].  The device's atomic capabilities decide for SPIR-V, and where the
 * device lists no features: a compiler that does not list a feature does not declare its functions either. */
static bool has_feature(const struct lt_device *device, const char *need)
{
    char feature[96];
    snprintf(feature, sizeof feature, "__opencl_c_%s", need);
    bool names = device->features && strstr(device->features, " __opencl_c_");
    return has_word(device, feature) ||
           ((device->uses_il || !names) && (device->atomics & capability_bit(need)));
}

/* OpenCL C 2.0 has all of these; 3.0 lists features. */
static bool has_need(const struct lt_device *device, const char *need)
{
    bool known;
    bool has = has_host_need(device, need, &known);
    if (known)
        return has;
    if (strcmp(need, "c11_atomics") == 0)
        return device->c_level >= 200;
    if (strcmp(need, "read_write_images") == 0 && !device->image_texels)
        return false;
    if (strcmp(need, "subgroups") == 0)
        return has_word(device, "__opencl_c_subgroups") || has_word(device, "cl_khr_subgroups");
    bool atomics = strncmp(need, "atomic_", 7) == 0;
    if (device->c_level >= 300)
        return has_feature(device, need);
    if (atomics)
        return device->c_level >= 200;
    return true;
}

/* True for features of atomics that those of OpenCL 1.2 can replace. */
static bool of_atomics(const char *need)
{
    return strncmp(need, "atomic_", 7) == 0 || strcmp(need, "c11_atomics") == 0;
}

const char *lt_device_lacks(const struct lt_device *device, const cJSON *test, bool *legacy, char *reason,
                            size_t size)
{
    const cJSON *need;
    if (device->uses_il && (!device->supports_il || !cJSON_GetObjectItem(test, "il"))) {
        snprintf(reason, size, "%s",
                 device->supports_il ? "the plan has no SPIR-V (refcl litmus plan --il)"
                                     : "the device takes no SPIR-V");
        return reason;
    }
    bool can_be_legacy = !device->uses_il && cJSON_IsTrue(cJSON_GetObjectItem(test, "legacy"));
    *legacy = false;
    cJSON_ArrayForEach(need, cJSON_GetObjectItem(test, "needs"))
    {
        if (!cJSON_IsString(need) ||
            (has_need(device, need->valuestring) && !(device->legacy && of_atomics(need->valuestring))))
            continue;
        *legacy = can_be_legacy && of_atomics(need->valuestring);
        if (!*legacy) {
            bool promised = !device->legacy && (device->atomics & capability_bit(need->valuestring));
            snprintf(reason, size,
                     promised ? "the device has %s, its OpenCL C has not" : "the device lacks %s",
                     need->valuestring);
            return reason;
        }
    }
    const cJSON *members = cJSON_GetObjectItem(test, "members");
    if (cJSON_IsNumber(members) && members->valuedouble > (double)device->max_group) {
        snprintf(reason, size, "the device's work-groups are too small");
        return reason;
    }
    return NULL;
}

typedef cl_program(CL_API_CALL *create_with_il)(cl_context, const void *, size_t, cl_int *);

/* Creates a program from SPIR-V: a core function since 2.1, an extension before. */
cl_program lt_device_il(const struct lt_device *device, cl_context context, const cJSON *test, cl_int *status)
{
    const cJSON *text = cJSON_GetObjectItem(cJSON_GetObjectItem(test, "il"), "spirv");
    cl_platform_id platform = NULL;
    cl_program program = NULL;
    create_with_il create = clCreateProgramWithIL;
    clGetDeviceInfo(device->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (device->cl_version < 210) {
        void *function = clGetExtensionFunctionAddressForPlatform(platform, "clCreateProgramWithILKHR");
        memcpy(&create, &function, sizeof create);
    }
    unsigned char *words = cJSON_IsString(text) ? malloc(strlen(text->valuestring) + 1) : NULL;
    *status = CL_INVALID_VALUE;
    if (words && create)
        program = create(context, words, lt_base64(text->valuestring, words), status);
    free(words);
    return program;
}

void lt_device_log(cl_device_id device, cl_program program, char *log, size_t size)
{
    size_t length = 0;
    *log = '\0';
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length) != CL_SUCCESS)
        return;
    char *whole = calloc(1, length + 1);
    if (whole &&
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, length, whole, NULL) == CL_SUCCESS)
        snprintf(log, size, "%s", lt_shown(whole));
    free(whole);
}

const char *lt_device_standard(const struct lt_device *device, const cJSON *plan, bool legacy)
{
    const cJSON *given = cJSON_GetObjectItem(plan, "cl_std");
    if (legacy)
        return "CL1.2 -DREFCL_LEGACY";
    if (cJSON_IsString(given))
        return given->valuestring;
    return device->c_level >= 300 ? "CL3.0" : device->c_level >= 200 ? "CL2.0" : "CL1.2";
}
