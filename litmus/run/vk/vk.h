/* The Vulkan back end: libvulkan.so.1 is loaded when it is needed, so that the runner builds and starts without it. */
#ifndef LITMUS_RUN_VK_H
#define LITMUS_RUN_VK_H

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
#define LT_VK_INSTANCE(F)                                                                                    \
    F(vkDestroyInstance)                                                                                     \
    F(vkEnumeratePhysicalDevices)                                                                            \
    F(vkGetPhysicalDeviceProperties2)                                                                        \
    F(vkGetPhysicalDeviceFeatures2)                                                                          \
    F(vkGetPhysicalDeviceMemoryProperties)                                                                   \
    F(vkGetPhysicalDeviceQueueFamilyProperties)                                                              \
    F(vkEnumerateDeviceExtensionProperties)                                                                  \
    F(vkCreateDevice)                                                                                        \
    F(vkDestroyDevice)                                                                                       \
    F(vkGetDeviceQueue)                                                                                      \
    F(vkCreateShaderModule)                                                                                  \
    F(vkDestroyShaderModule)                                                                                 \
    F(vkCreateDescriptorSetLayout)                                                                           \
    F(vkDestroyDescriptorSetLayout)                                                                          \
    F(vkCreatePipelineLayout)                                                                                \
    F(vkDestroyPipelineLayout)                                                                               \
    F(vkCreateComputePipelines)                                                                              \
    F(vkDestroyPipeline)                                                                                     \
    F(vkCreateDescriptorPool)                                                                                \
    F(vkDestroyDescriptorPool)                                                                               \
    F(vkAllocateDescriptorSets)                                                                              \
    F(vkUpdateDescriptorSets)                                                                                \
    F(vkCreateBuffer)                                                                                        \
    F(vkDestroyBuffer)                                                                                       \
    F(vkGetBufferMemoryRequirements)                                                                         \
    F(vkAllocateMemory)                                                                                      \
    F(vkFreeMemory)                                                                                          \
    F(vkBindBufferMemory)                                                                                    \
    F(vkMapMemory)                                                                                           \
    F(vkCreateCommandPool)                                                                                   \
    F(vkDestroyCommandPool)                                                                                  \
    F(vkAllocateCommandBuffers)                                                                              \
    F(vkBeginCommandBuffer)                                                                                  \
    F(vkEndCommandBuffer)                                                                                    \
    F(vkCmdBindPipeline)                                                                                     \
    F(vkCmdBindDescriptorSets)                                                                               \
    F(vkCmdPushConstants)                                                                                    \
    F(vkCmdDispatch)                                                                                         \
    F(vkCmdFillBuffer)                                                                                       \
    F(vkCmdCopyBuffer)                                                                                       \
    F(vkCmdPipelineBarrier)                                                                                  \
    F(vkCreateFence)                                                                                         \
    F(vkDestroyFence)                                                                                        \
    F(vkResetFences)                                                                                         \
    F(vkWaitForFences)                                                                                       \
    F(vkQueueSubmit)

struct lt_vk {
    void *library;
    PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;
#define LT_VK_FIELD(name) PFN_##name name;
    LT_VK_GLOBAL(LT_VK_FIELD)
    LT_VK_INSTANCE(LT_VK_FIELD)
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceVulkanMemoryModelFeatures model;
    VkPhysicalDeviceShaderAtomicInt64Features atomics;
    bool int64, sub_groups;
    uint32_t sub_group_size;
};
#undef LT_VK_FIELD
#endif

bool lt_vk_build(struct exec *e);
bool lt_vk_reserve(struct exec *e);
bool lt_vk_run(struct exec *e, unsigned launches, struct lt_histogram *h, uint64_t *discarded);
void lt_vk_release(struct exec *e);

#endif
