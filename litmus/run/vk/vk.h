/* The Vulkan back end: libvulkan.so.1 is loaded when it is needed, so that the runner builds and starts
 * without it. */
#ifndef LITMUS_RUN_VK_VK_H
#define LITMUS_RUN_VK_VK_H

#include "../exec.h"

#if defined(__has_include)
#if __has_include(<vulkan/vulkan_core.h>)
#define LT_HAS_VULKAN 1
#endif
#endif

#ifdef LT_HAS_VULKAN
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

/* Functions found before there is an instance; of the instance and its devices. */
#define LT_VK_GLOBAL(F)                                                                                      \
    F(vkCreateInstance)                                                                                      \
    F(vkEnumerateInstanceVersion)
/* clang-format off */
#define LT_VK_INSTANCE(F) \
    F(vkDestroyInstance) F(vkEnumeratePhysicalDevices) F(vkGetPhysicalDeviceProperties2) \
    F(vkGetPhysicalDeviceFeatures2) F(vkGetPhysicalDeviceMemoryProperties) \
    F(vkGetPhysicalDeviceQueueFamilyProperties) F(vkEnumerateDeviceExtensionProperties) \
    F(vkCreateDevice) F(vkDestroyDevice) F(vkGetDeviceQueue) F(vkCreateShaderModule) \
    F(vkDestroyShaderModule) F(vkCreateDescriptorSetLayout) F(vkDestroyDescriptorSetLayout) \
    F(vkCreatePipelineLayout) F(vkDestroyPipelineLayout) F(vkCreateComputePipelines) \
    F(vkDestroyPipeline) F(vkCreateDescriptorPool) F(vkDestroyDescriptorPool) \
    F(vkAllocateDescriptorSets) F(vkUpdateDescriptorSets) F(vkCreateBuffer) F(vkDestroyBuffer) \
    F(vkCreateBufferView) F(vkDestroyBufferView) F(vkGetBufferMemoryRequirements) F(vkAllocateMemory) \
    F(vkFreeMemory) F(vkBindBufferMemory) F(vkMapMemory) F(vkCreateCommandPool) F(vkDestroyCommandPool) \
    F(vkAllocateCommandBuffers) F(vkBeginCommandBuffer) F(vkEndCommandBuffer) F(vkCmdBindPipeline) \
    F(vkCmdBindDescriptorSets) F(vkCmdPushConstants) F(vkCmdDispatch) F(vkCmdFillBuffer) \
    F(vkCmdCopyBuffer) F(vkCmdPipelineBarrier) F(vkCreateFence) F(vkDestroyFence) F(vkResetFences) \
    F(vkWaitForFences) F(vkCreateSemaphore) F(vkDestroySemaphore) F(vkQueueSubmit)
/* clang-format on */
/* Functions that devices before Vulkan 1.2 lack. */
#define LT_VK_OPTIONAL(F) F(vkGetBufferDeviceAddress)

struct lt_vk {
    void *library;
    PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;
#define LT_VK_FIELD(name) PFN_##name name;
    LT_VK_GLOBAL(LT_VK_FIELD)
    LT_VK_INSTANCE(LT_VK_FIELD)
    LT_VK_OPTIONAL(LT_VK_FIELD)
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    /* The second queue, of another family, runs the work-groups of a test's second queue family.  Without
     * one, and with
     * --one-queue, it is the first. */
    VkQueue queues[2];
    uint32_t families[2];
    bool two_families, one_queue;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceVulkanMemoryModelFeatures model;
    VkPhysicalDeviceShaderAtomicInt64Features atomics;
    VkPhysicalDeviceBufferDeviceAddressFeatures addresses;
    bool int64, sub_groups;
    uint32_t sub_group_size;
};
#undef LT_VK_FIELD

/* Buffers that every test has, by binding; those of its locations; what the host reads; addresses of the
 * locations. */
enum { OUT, SCRATCH, SYNC, BINS, COUNTS, OTHER_STATES, OBJECTS };
enum { READ_BACK = OBJECTS + MAX_LOCATIONS, ADDRESSES, BUFFERS };
enum { MOST_LAUNCHES = 64 }; /* in one batch */

struct vk_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkBufferView view; /* of an image */
    VkDeviceSize bytes;
};
struct lt_vk_exec {
    struct vk_buffer buffers[BUFFERS]; /* of location i of the exec: OBJECTS + i */
    void *read_back;                   /* mapped: counts, bins, other states */
    char *addresses;                   /* mapped, of a test with pointers */
    bool pointers, images;
    VkShaderModule module;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline run, collect;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkFence fence;
    VkCommandBuffer command; /* that is recorded */
    /* By queue.  A test of one queue family uses the first buffer of the first queue alone. */
    VkCommandPool pools[2];
    VkCommandBuffer first[2 * MOST_LAUNCHES + 1], second[MOST_LAUNCHES];
    uint32_t family_count, family_groups[2];
    /* READY: the memory is, so that the second queue can start; FINISHED: it has. */
    VkSemaphore ready, finished, awaited; /* AWAITED: by the next submission to the first queue */
};

static inline struct lt_vk *vk_of(const struct exec *e)
{
    return e->job->device->vk;
}
bool lt_vk_failed(struct exec *e, const char *what, VkResult result);
/* Memory for all instances at this stride; the function "collect" initializes it. */
bool lt_vk_fit_locations(struct exec *e);
/* Layout of the buffer that the host reads: counts, bins, other states; bytes of the bins, and offset of
 * the states. */
VkDeviceSize lt_vk_bins_bytes(const struct exec *e);
VkDeviceSize lt_vk_others_at(const struct exec *e);
#define LT_VK_BINS_AT 16

bool lt_vk_build(struct exec *e);
bool lt_vk_reserve(struct exec *e);
bool lt_vk_run(struct exec *e, unsigned launches, struct lt_histogram *h, uint64_t *discarded);
void lt_vk_release(struct exec *e);
#endif

#endif
