/* A Vulkan loader with defects: stands before the real one, and fails in tests that FAKE_VULKAN names by
 * number.
 *
 * FAKE_VULKAN: "NUMBER KIND" pairs, separated by commas; a test is numbered by the shader modules created
 * before, in all processes, which FAKE_VULKAN_COUNT, a file, counts in bytes.  Kinds: submit and wait (the
 * call says that the device is lost), hang (waiting never ends), early (every wait times out), memory (no
 * allocation succeeds). */
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static PFN_vkGetInstanceProcAddr real;
static PFN_vkCreateShaderModule real_module;
static PFN_vkQueueSubmit real_submit;
static PFN_vkWaitForFences real_wait;
static PFN_vkAllocateMemory real_allocate;
static long number;
static int lost; /* as a device stays */

static int is_now(const char *kind)
{
    const char *at = getenv("FAKE_VULKAN");
    for (; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char *end;
        long n = strtol(at, &end, 10);
        if (n == number && *end == ' ' && strncmp(end + 1, kind, strlen(kind)) == 0)
            return 1;
    }
    return 0;
}

static VKAPI_ATTR VkResult VKAPI_CALL module(VkDevice device, const VkShaderModuleCreateInfo *info,
                                             const VkAllocationCallbacks *allocator, VkShaderModule *created)
{
    struct stat status;
    int fd = open(getenv("FAKE_VULKAN_COUNT"), O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (fd < 0 || fstat(fd, &status) != 0 || write(fd, ".", 1) != 1)
        abort();
    close(fd);
    number = status.st_size;
    return real_module(device, info, allocator, created);
}

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo *info,
                                             VkFence fence)
{
    lost |= is_now("submit");
    return lost ? VK_ERROR_DEVICE_LOST : real_submit(queue, count, info, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_for_fences(VkDevice device, uint32_t count, const VkFence *fences,
                                                      VkBool32 all, uint64_t timeout)
{
    while (is_now("hang"))
        pause();
    VkResult result = real_wait(device, count, fences, all, timeout);
    lost |= is_now("wait");
    return lost ? VK_ERROR_DEVICE_LOST : is_now("early") ? VK_TIMEOUT : result;
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                               const VkAllocationCallbacks *allocator, VkDeviceMemory *memory)
{
    return is_now("memory") ? VK_ERROR_OUT_OF_DEVICE_MEMORY : real_allocate(device, info, allocator, memory);
}

__attribute__((visibility("default"))) PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance instance,
                                                                                const char *name)
{
    if (!real) {
        void *library = dlopen(getenv("FAKE_VULKAN_REAL"), RTLD_NOW | RTLD_LOCAL);
        void *symbol = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
        if (!symbol)
            abort();
        memcpy(&real, &symbol, sizeof real);
    }
    PFN_vkVoidFunction found = real(instance, name);
    const struct {
        const char *name;
        void *real;
        PFN_vkVoidFunction fake;
    } table[] = {{"vkCreateShaderModule", &real_module, (PFN_vkVoidFunction)module},
                 {"vkQueueSubmit", &real_submit, (PFN_vkVoidFunction)submit},
                 {"vkWaitForFences", &real_wait, (PFN_vkVoidFunction)wait_for_fences},
                 {"vkAllocateMemory", &real_allocate, (PFN_vkVoidFunction)allocate}};
    for (size_t i = 0; found && i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0) {
            memcpy(table[i].real, &found, sizeof found);
            return table[i].fake;
        }
    return found;
}
