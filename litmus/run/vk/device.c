/* Vulkan devices: loading the library, features, what a test needs. */
#include "vk.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LT_HAS_VULKAN

#define MAX_DEVICES 32

/* ---- the library ------------------------------------------------------------------------------------- */

static bool find_function(const struct lt_vk *vk, const char *name, void *function, size_t size)
{
    PFN_vkVoidFunction found = vk->vkGetInstanceProcAddr(vk->instance, name);
    memcpy(function, &found, size);
    return found != NULL;
}

static const char *create_instance(struct lt_vk *vk)
{
    uint32_t version = VK_API_VERSION_1_0;
    bool found = true;
#define LT_VK_FIND(name) found = find_function(vk, #name, &vk->name, sizeof vk->name) && found;
    LT_VK_GLOBAL(LT_VK_FIND)
    if (!found || vk->vkEnumerateInstanceVersion(&version) != VK_SUCCESS || version < VK_API_VERSION_1_1)
        return "libvulkan.so.1 is older than Vulkan 1.1";
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pApplicationName = "refcl-litmus-run",
                                     .apiVersion =
                                         version < VK_API_VERSION_1_3 ? version : VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application};
    if (vk->vkCreateInstance(&info, NULL, &vk->instance) != VK_SUCCESS)
        return "no Vulkan driver: vkCreateInstance failed";
    LT_VK_INSTANCE(LT_VK_FIND)
    bool all = found;
    LT_VK_OPTIONAL(LT_VK_FIND)
#undef LT_VK_FIND
    return all ? NULL : "libvulkan.so.1 lacks functions of Vulkan 1.1";
}

/* Returns NULL, or why Vulkan cannot be used. */
static const char *load_vulkan(struct lt_vk *vk)
{
    *vk = (struct lt_vk){.library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (!vk->library)
        return "no Vulkan loader: libvulkan.so.1 is not installed";
    void *function = dlsym(vk->library, "vkGetInstanceProcAddr");
    memcpy(&vk->vkGetInstanceProcAddr, &function, sizeof vk->vkGetInstanceProcAddr);
    return function ? create_instance(vk) : "libvulkan.so.1 is not a Vulkan loader";
}

static void unload_vulkan(struct lt_vk *vk)
{
    if (vk->device)
        vk->vkDestroyDevice(vk->device, NULL);
    if (vk->instance && vk->vkDestroyInstance)
        vk->vkDestroyInstance(vk->instance, NULL);
    if (vk->library)
        dlclose(vk->library);
}

static uint32_t physical_devices(const struct lt_vk *vk, VkPhysicalDevice devices[MAX_DEVICES])
{
    uint32_t count = MAX_DEVICES;
    VkResult result = vk->vkEnumeratePhysicalDevices(vk->instance, &count, devices);
    return result == VK_SUCCESS || result == VK_INCOMPLETE ? count : 0;
}

static VkPhysicalDeviceProperties properties_of(const struct lt_vk *vk, VkPhysicalDevice physical)
{
    VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    vk->vkGetPhysicalDeviceProperties2(physical, &p);
    return p.properties;
}

static void list_devices(FILE *out)
{
    struct lt_vk vk;
    VkPhysicalDevice devices[MAX_DEVICES];
    const char *reason = load_vulkan(&vk);
    if (reason)
        fprintf(out, "%s\n", reason);
    for (uint32_t d = 0, n = reason ? 0 : physical_devices(&vk, devices); d < n; d++) {
        VkPhysicalDeviceProperties p = properties_of(&vk, devices[d]);
        fprintf(out, "device %u: %s (Vulkan %u.%u.%u)\n", d, lt_shown(p.deviceName),
                VK_API_VERSION_MAJOR(p.apiVersion), VK_API_VERSION_MINOR(p.apiVersion),
                VK_API_VERSION_PATCH(p.apiVersion));
    }
    unload_vulkan(&vk);
}

/* ---- the device -------------------------------------------------------------------------------------- */

static bool find_device(struct lt_vk *vk, const struct lt_options *options)
{
    VkPhysicalDevice devices[MAX_DEVICES];
    for (uint32_t d = 0, n = physical_devices(vk, devices); d < n; d++) {
        vk->properties = properties_of(vk, devices[d]);
        vk->physical = devices[d];
        if (lt_is_chosen(options->device.name, d, vk->properties.deviceName))
            return true;
    }
    return false;
}

static bool has_extension(const struct lt_vk *vk, const char *name)
{
    uint32_t count = 0;
    bool found = false;
    vk->vkEnumerateDeviceExtensionProperties(vk->physical, NULL, &count, NULL);
    VkExtensionProperties *extensions = calloc(count + 1, sizeof *extensions);
    if (extensions && vk->vkEnumerateDeviceExtensionProperties(vk->physical, NULL, &count, extensions) >= 0)
        for (uint32_t i = 0; i < count; i++)
            found |= strcmp(extensions[i].extensionName, name) == 0;
    free(extensions);
    return found;
}

/* Both structures exist from Vulkan 1.2 on. */
static void read_features(struct lt_vk *vk)
{
    vk->model = (VkPhysicalDeviceVulkanMemoryModelFeatures){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES, .pNext = &vk->atomics};
    vk->atomics = (VkPhysicalDeviceShaderAtomicInt64Features){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES};
    vk->addresses = (VkPhysicalDeviceBufferDeviceAddressFeatures){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES};
    if (vk->properties.apiVersion >= VK_API_VERSION_1_2 && vk->vkGetBufferDeviceAddress)
        vk->atomics.pNext = &vk->addresses;
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &vk->model};
    vk->vkGetPhysicalDeviceFeatures2(vk->physical, &features);
    vk->int64 = features.features.shaderInt64;
    VkPhysicalDeviceSubgroupProperties sub_groups = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                     .pNext = &sub_groups};
    vk->vkGetPhysicalDeviceProperties2(vk->physical, &p);
    vk->sub_group_size = sub_groups.subgroupSize;
    vk->sub_groups = sub_groups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT;
}

/* Multiprocessors, as far as the device says. */
static unsigned compute_units(const struct lt_vk *vk)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (vk->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
        return processors > 0 ? (unsigned)processors : 1;
    if (has_extension(vk, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) {
        VkPhysicalDeviceShaderSMBuiltinsPropertiesNV sm = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
        VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                         .pNext = &sm};
        vk->vkGetPhysicalDeviceProperties2(vk->physical, &p);
        if (sm.shaderSMCount)
            return sm.shaderSMCount;
    }
    return 16;
}

/* The first two families that run compute shaders; false: there is none. */
static bool find_families(struct lt_vk *vk)
{
    VkQueueFamilyProperties families[32];
    uint32_t count = 32, found = 0;
    vk->vkGetPhysicalDeviceQueueFamilyProperties(vk->physical, &count, families);
    for (uint32_t f = 0; f < count && found < 2; f++)
        if (families[f].queueFlags & VK_QUEUE_COMPUTE_BIT)
            vk->families[found++] = f;
    vk->two_families = found == 2;
    if (found == 1)
        vk->families[1] = vk->families[0];
    return found > 0;
}

static const char *create_device(struct lt_vk *vk)
{
    static const float priority = 1;
    const char *extensions[2];
    uint32_t count = 0;
    VkDeviceQueueCreateInfo queues[2];
    for (int q = 0; q < 2; q++)
        queues[q] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                              .queueFamilyIndex = vk->families[q],
                                              .queueCount = 1,
                                              .pQueuePriorities = &priority};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    features.features.shaderInt64 = vk->int64;
    if (vk->properties.apiVersion < VK_API_VERSION_1_2) {
        if (has_extension(vk, VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME))
            extensions[count++] = VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME;
        if (has_extension(vk, VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME))
            extensions[count++] = VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME;
    }
    if (vk->properties.apiVersion >= VK_API_VERSION_1_2 || count == 2)
        features.pNext = &vk->model;
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features,
                               .queueCreateInfoCount = vk->two_families ? 2 : 1,
                               .pQueueCreateInfos = queues,
                               .enabledExtensionCount = count,
                               .ppEnabledExtensionNames = extensions};
    if (vk->vkCreateDevice(vk->physical, &info, NULL, &vk->device) != VK_SUCCESS)
        return "vkCreateDevice failed";
    for (int q = 0; q < 2; q++)
        vk->vkGetDeviceQueue(vk->device, vk->families[q], 0, &vk->queues[q]);
    return NULL;
}

static uint64_t largest_buffer(const struct lt_vk *vk)
{
    VkPhysicalDeviceMaintenance3Properties limits = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
    VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                     .pNext = &limits};
    vk->vkGetPhysicalDeviceProperties2(vk->physical, &p);
    uint64_t range = vk->properties.limits.maxStorageBufferRange;
    return limits.maxMemoryAllocationSize < range ? limits.maxMemoryAllocationSize : range;
}

static const char *open_device(struct lt_device *device, const struct lt_options *options)
{
    *device = (struct lt_device){.vk = calloc(1, sizeof(struct lt_vk))};
    struct lt_vk *vk = device->vk;
    const char *reason = vk ? load_vulkan(vk) : "out of memory";
    if (reason)
        return reason;
    if (!find_device(vk, options))
        return "no such Vulkan device";
    if (vk->properties.apiVersion < VK_API_VERSION_1_1)
        return "the device has no Vulkan 1.1";
    vk->one_queue = options->device.one_queue;
    if (!find_families(vk))
        return "the device has no compute queue";
    read_features(vk);
    vk->vkGetPhysicalDeviceMemoryProperties(vk->physical, &vk->memory);
    const VkPhysicalDeviceProperties *p = &vk->properties;
    snprintf(device->platform, sizeof device->platform, "Vulkan");
    snprintf(device->name, sizeof device->name, "%s", lt_shown(vk->properties.deviceName));
    snprintf(device->version, sizeof device->version, "Vulkan %u.%u.%u", VK_API_VERSION_MAJOR(p->apiVersion),
             VK_API_VERSION_MINOR(p->apiVersion), VK_API_VERSION_PATCH(p->apiVersion));
    bool nvidia = p->vendorID == 0x10de;
    uint32_t d = p->driverVersion;
    if (nvidia)
        snprintf(device->driver, sizeof device->driver, "%u.%u.%u", d >> 22, d >> 14 & 255, d >> 6 & 255);
    else
        snprintf(device->driver, sizeof device->driver, "%u.%u.%u", VK_API_VERSION_MAJOR(d),
                 VK_API_VERSION_MINOR(d), VK_API_VERSION_PATCH(d));
    device->is_gpu = options->device.kind ? strcmp(options->device.kind, "gpu") == 0
                                          : p->deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU;
    device->max_group = p->limits.maxComputeWorkGroupInvocations < p->limits.maxComputeWorkGroupSize[0]
                            ? p->limits.maxComputeWorkGroupInvocations
                            : p->limits.maxComputeWorkGroupSize[0];
    device->max_alloc = largest_buffer(vk);
    device->units = compute_units(vk);
    return create_device(vk);
}

static void close_device(struct lt_device *device)
{
    if (device->vk)
        unload_vulkan(device->vk);
    free(device->vk);
    *device = (struct lt_device){0};
}

static cJSON *describe_device(const struct lt_device *device)
{
    const struct lt_vk *vk = device->vk;
    cJSON *json = lt_device_json(device);
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    char flags[256] = ""; /* VkQueueFlags of each family, in hexadecimal */
    cJSON_AddNumberToObject(json, "sub_group_size", vk->sub_group_size);
    cJSON_AddNumberToObject(json, "availability_visibility_chains",
                            vk->model.vulkanMemoryModelAvailabilityVisibilityChains);
    cJSON_AddNumberToObject(json, "two_queue_families", vk->two_families);
    vk->vkGetPhysicalDeviceQueueFamilyProperties(vk->physical, &count, families);
    for (uint32_t i = 0, at = 0; i < count && at < sizeof flags; i++)
        at += (uint32_t)snprintf(flags + at, sizeof flags - at, "%s%x", i ? " " : "", families[i].queueFlags);
    cJSON_AddStringToObject(json, "queue_families", flags);
    return json;
}

/* ---- needs ------------------------------------------------------------------------------------------- */

static bool has_need(const struct lt_vk *vk, const char *need)
{
    const struct {
        const char *need;
        bool has;
    } table[] = {
        {"vulkan_memory_model", vk->model.vulkanMemoryModel},
        {"vulkan_memory_model_device_scope", vk->model.vulkanMemoryModelDeviceScope},
        {"int64", vk->int64},
        {"int64_atomics", vk->atomics.shaderBufferInt64Atomics && vk->atomics.shaderSharedInt64Atomics},
        {"subgroups", vk->sub_groups},
        {"buffer_device_address", vk->addresses.bufferDeviceAddress},
        {"two_queue_families", vk->two_families || vk->one_queue}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].need, need) == 0)
            return table[i].has;
    return false;
}

static const char *lacked_feature(const struct lt_device *device, const cJSON *test, bool *legacy,
                                  char *reason, size_t size)
{
    const cJSON *need, *members = cJSON_GetObjectItem(test, "members");
    const struct lt_vk *vk = device->vk;
    *legacy = false;
    if (!cJSON_IsString(cJSON_GetObjectItem(test, "vulkan")))
        return "the plan has no module for the test";
    cJSON_ArrayForEach(need, cJSON_GetObjectItem(test, "needs"))
    {
        if (cJSON_IsString(need) && !has_need(vk, need->valuestring)) {
            snprintf(reason, size, "the device lacks %s", need->valuestring);
            return reason;
        }
    }
    if (!vk->two_families && cJSON_GetArraySize(cJSON_GetObjectItem(test, "family_groups")) > 1 &&
        cJSON_IsTrue(cJSON_GetObjectItem(test, "waits")))
        return "the test waits, and the work-groups of its two queue families run one after the other";
    if (cJSON_IsNumber(members) && members->valuedouble > (double)device->max_group)
        return "the device's work-groups are too small";
    return NULL;
}

const struct lt_backend lt_vulkan = {.list = list_devices,
                                     .open = open_device,
                                     .close = close_device,
                                     .describe = describe_device,
                                     .lacks = lacked_feature,
                                     .build = lt_vk_build,
                                     .reserve = lt_vk_reserve,
                                     .run = lt_vk_run,
                                     .release = lt_vk_release};

#else

static const char no_headers[] = "this runner was built without the headers of Vulkan";

static void list_devices(FILE *out)
{
    fprintf(out, "%s\n", no_headers);
}

static const char *open_device(struct lt_device *device, const struct lt_options *options)
{
    *device = (struct lt_device){0};
    (void)options;
    return no_headers;
}

/* Without a device none of the other functions is called. */
const struct lt_backend lt_vulkan = {.list = list_devices, .open = open_device};

#endif
