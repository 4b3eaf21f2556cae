/* A test on a Vulkan device: pipelines, memory, command buffers, counts. */
#include "vk.h"

#include <stdlib.h>
#include <string.h>

#ifdef LT_HAS_VULKAN

/* Buffers that every test has, by binding; then those of its locations. */
enum { OUT, SCRATCH, SYNC, BINS, COUNTS, OTHER_STATES, OBJECTS };
enum { READ_BACK = OBJECTS + MAX_LOCATIONS, BUFFERS };

struct vk_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize bytes;
};
struct lt_vk_exec {
    struct vk_buffer buffers[BUFFERS]; /* of location i of the exec: OBJECTS + i */
    void *read_back;                   /* mapped: counts, bins, other states */
    VkShaderModule module;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline run, collect;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkCommandPool commands;
    VkCommandBuffer command;
    VkFence fence;
};

static struct lt_vk *vk_of(const struct exec *e)
{
    return e->job->device->vk;
}

static bool failed(struct exec *e, const char *what, VkResult result)
{
    if (result == VK_SUCCESS)
        return false;
    e->job->device->lost |= result == VK_ERROR_DEVICE_LOST;
    snprintf(e->message, sizeof e->message,
             result == VK_ERROR_DEVICE_LOST ? "%s: the device was lost (%d)" : "%s failed with error %d",
             what, (int)result);
    e->failure = e->message;
    return true;
}

/* ---- pipelines --------------------------------------------------------------------------------------- */

static uint32_t binding_of(const struct exec *e, unsigned location)
{
    return OBJECTS + e->locations[location].number;
}

static bool create_layout(struct exec *e)
{
    struct lt_vk *vk = vk_of(e);
    VkDescriptorSetLayoutBinding bindings[OBJECTS + MAX_LOCATIONS];
    uint32_t count = OBJECTS + e->location_count;
    for (uint32_t i = 0; i < count; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i < OBJECTS ? i : binding_of(e, i - OBJECTS),
                                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .bindingCount = count,
                                           .pBindings = bindings};
    VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                .size = (LT_KNOB_COUNT + 1) * sizeof(uint32_t)};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &e->vk->set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &push};
    return !failed(e, "vkCreateDescriptorSetLayout",
                   vk->vkCreateDescriptorSetLayout(vk->device, &set, NULL, &e->vk->set_layout)) &&
           !failed(e, "vkCreatePipelineLayout",
                   vk->vkCreatePipelineLayout(vk->device, &layout, NULL, &e->vk->layout));
}

static bool create_pipeline(struct exec *e, const char *name, VkPipeline *pipeline)
{
    struct lt_vk *vk = vk_of(e);
    const uint32_t values[2] = {e->slots * e->members, e->slots};
    const VkSpecializationMapEntry entries[2] = {{0, 0, 4}, {1, 4, 4}};
    VkSpecializationInfo special = {
        .mapEntryCount = 2, .pMapEntries = entries, .dataSize = sizeof values, .pData = values};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = e->vk->module,
                  .pName = name,
                  .pSpecializationInfo = &special},
        .layout = e->vk->layout};
    return !failed(e, "vkCreateComputePipelines",
                   vk->vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, pipeline));
}

/* The module of TEST as words (free); *SIZE: bytes. */
static uint32_t *module_words(const cJSON *test, size_t *size)
{
    const char *text = cJSON_GetObjectItem(test, "vulkan")->valuestring;
    unsigned char *bytes = malloc(strlen(text) + 4);
    *size = bytes ? lt_base64(text, bytes) : 0;
    uint32_t *words = *size && *size % 4 == 0 ? malloc(*size) : NULL;
    if (words)
        memcpy(words, bytes, *size);
    free(bytes);
    return words;
}

bool lt_vk_build(struct exec *e)
{
    struct lt_vk *vk = vk_of(e);
    size_t size = 0;
    uint32_t *words = module_words(e->job->test, &size);
    e->vk = words ? calloc(1, sizeof *e->vk) : NULL;
    if (!e->vk) {
        e->failure = "the plan's module of the test cannot be read";
        free(words);
        return false;
    }
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
    bool ok = !failed(e, "vkCreateShaderModule",
                      vk->vkCreateShaderModule(vk->device, &info, NULL, &e->vk->module)) &&
              create_layout(e) && create_pipeline(e, "run", &e->vk->run) &&
              create_pipeline(e, "collect", &e->vk->collect);
    free(words);
    lt_report(e->job->report, e->job->index, "built", NULL, NULL);
    return ok;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

static uint32_t memory_type(const struct lt_vk *vk, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < vk->memory.memoryTypeCount; i++)
        if ((allowed >> i & 1) && (vk->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    return UINT32_MAX;
}

static void drop_buffer(struct exec *e, struct vk_buffer *b)
{
    struct lt_vk *vk = vk_of(e);
    vk->vkDestroyBuffer(vk->device, b->buffer, NULL);
    vk->vkFreeMemory(vk->device, b->memory, NULL);
    *b = (struct vk_buffer){0};
}

static bool make_buffer(struct exec *e, struct vk_buffer *b, VkDeviceSize bytes, VkMemoryPropertyFlags wanted)
{
    struct lt_vk *vk = vk_of(e);
    VkMemoryRequirements needs;
    bytes = bytes ? (bytes + 3) & ~(VkDeviceSize)3 : 4;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = bytes,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    if (failed(e, "vkCreateBuffer", vk->vkCreateBuffer(vk->device, &info, NULL, &b->buffer)))
        return false;
    vk->vkGetBufferMemoryRequirements(vk->device, b->buffer, &needs);
    VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = needs.size,
                                       .memoryTypeIndex = memory_type(vk, needs.memoryTypeBits, wanted)};
    if (allocation.memoryTypeIndex == UINT32_MAX)
        allocation.memoryTypeIndex =
            memory_type(vk, needs.memoryTypeBits, wanted & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
    if (allocation.memoryTypeIndex == UINT32_MAX) {
        e->failure = "the device has no memory of the kind that is needed";
        return false;
    }
    b->bytes = bytes;
    return !failed(e, "vkAllocateMemory", vk->vkAllocateMemory(vk->device, &allocation, NULL, &b->memory)) &&
           !failed(e, "vkBindBufferMemory", vk->vkBindBufferMemory(vk->device, b->buffer, b->memory, 0));
}

static bool make_device_buffer(struct exec *e, unsigned which, VkDeviceSize bytes)
{
    return make_buffer(e, &e->vk->buffers[which], bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

static VkDeviceSize bins_bytes(const struct exec *e)
{
    return (VkDeviceSize)e->bins * sizeof(uint32_t);
}

static VkDeviceSize others_bytes(const struct exec *e)
{
    return (VkDeviceSize)OTHERS * (e->observed_count + 1) * sizeof(int64_t);
}

/* Where the bins, and the other states, are in the buffer that the host reads; the counts are first. */
static VkDeviceSize bins_at(void)
{
    return 16;
}

static VkDeviceSize others_at(const struct exec *e)
{
    return (bins_at() + bins_bytes(e) + 15) & ~(VkDeviceSize)15;
}

static bool make_commands(struct exec *e)
{
    struct lt_vk *vk = vk_of(e);
    struct lt_vk_exec *x = e->vk;
    VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                 .descriptorCount = OBJECTS + e->location_count};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1,
                                       .poolSizeCount = 1,
                                       .pPoolSizes = &size};
    VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                       .descriptorSetCount = 1,
                                       .pSetLayouts = &x->set_layout};
    VkCommandPoolCreateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                        .queueFamilyIndex = vk->family};
    VkCommandBufferAllocateInfo command = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = 1};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (failed(e, "vkCreateDescriptorPool", vk->vkCreateDescriptorPool(vk->device, &pool, NULL, &x->pool)) ||
        failed(e, "vkCreateCommandPool",
               vk->vkCreateCommandPool(vk->device, &commands, NULL, &x->commands)) ||
        failed(e, "vkCreateFence", vk->vkCreateFence(vk->device, &fence, NULL, &x->fence)))
        return false;
    set.descriptorPool = x->pool;
    command.commandPool = x->commands;
    return !failed(e, "vkAllocateDescriptorSets", vk->vkAllocateDescriptorSets(vk->device, &set, &x->set)) &&
           !failed(e, "vkAllocateCommandBuffers",
                   vk->vkAllocateCommandBuffers(vk->device, &command, &x->command));
}

bool lt_vk_reserve(struct exec *e)
{
    struct lt_vk *vk = vk_of(e);
    struct lt_vk_exec *x = e->vk;
    VkDeviceSize gates = (VkDeviceSize)e->knobs[LT_K_clusters] * e->knobs[LT_K_rounds];
    struct vk_buffer *back = &x->buffers[READ_BACK];
    return make_commands(e) &&
           make_device_buffer(e, OUT, (VkDeviceSize)(e->columns + 1) * e->capacity * e->value_size) &&
           make_device_buffer(e, SCRATCH, MAX_LINES * sizeof(uint32_t)) &&
           make_device_buffer(e, SYNC, gates * sizeof(uint32_t)) &&
           make_device_buffer(e, BINS, bins_bytes(e)) &&
           make_device_buffer(e, COUNTS, 2 * sizeof(uint32_t)) &&
           make_device_buffer(e, OTHER_STATES, others_bytes(e)) &&
           make_buffer(e, back, others_at(e) + others_bytes(e),
                       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                           VK_MEMORY_PROPERTY_HOST_CACHED_BIT) &&
           !failed(e, "vkMapMemory",
                   vk->vkMapMemory(vk->device, back->memory, 0, VK_WHOLE_SIZE, 0, &x->read_back));
}

/* The location whose memory LOCATION is. */
static unsigned root_of(const struct exec *e, unsigned location)
{
    for (unsigned i = 0; i < e->location_count; i++)
        if (e->locations[i].number == e->locations[location].alias)
            return i;
    return location;
}

/* Allocates memory for all instances at this stride.  The function "collect" initializes it. */
static bool fit_locations(struct exec *e)
{
    struct lt_vk *vk = vk_of(e);
    for (unsigned i = 0; i < e->location_count; i++) {
        struct location *l = &e->locations[i];
        VkDeviceSize bytes =
            ((VkDeviceSize)e->knobs[LT_K_mask] + 1) * e->knobs[LT_K_stride] * l->elements * l->element_size;
        if (bytes <= l->bytes || root_of(e, i) != i)
            continue;
        drop_buffer(e, &e->vk->buffers[OBJECTS + i]);
        if (!make_device_buffer(e, OBJECTS + i, bytes))
            return false;
        l->bytes = bytes;
    }
    for (unsigned i = 0; i < OBJECTS + e->location_count; i++) {
        unsigned from = i < OBJECTS ? i : OBJECTS + root_of(e, i - OBJECTS);
        VkDescriptorBufferInfo buffer = {.buffer = e->vk->buffers[from].buffer, .range = VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = e->vk->set,
                                      .dstBinding = i < OBJECTS ? i : binding_of(e, i - OBJECTS),
                                      .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = &buffer};
        vk->vkUpdateDescriptorSets(vk->device, 1, &write, 0, NULL);
    }
    return true;
}

/* ---- launches ---------------------------------------------------------------------------------------- */

static void order_commands(struct exec *e)
{
    struct lt_vk *vk = vk_of(e);
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                                VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    vk->vkCmdPipelineBarrier(e->vk->command, stages, stages, 0, 1, &barrier, 0, NULL, 0, NULL);
}

static void dispatch(struct exec *e, VkPipeline pipeline, uint32_t groups)
{
    struct lt_vk *vk = vk_of(e);
    vk->vkCmdBindPipeline(e->vk->command, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk->vkCmdDispatch(e->vk->command, groups, 1, 1);
    order_commands(e);
}

static void dispatch_collect(struct exec *e)
{
    const struct lt_device *d = e->job->device;
    uint32_t local = e->slots * e->members, per_group = 8 * local;
    uint32_t groups = (e->knobs[LT_K_instances] + per_group - 1) / per_group;
    uint32_t most = d->units * (d->is_gpu ? 16 : 1);
    dispatch(e, e->vk->collect, groups < most ? groups : most);
}

static void dispatch_run(struct exec *e)
{
    struct lt_vk *vk = vk_of(e);
    uint32_t groups = e->knobs[LT_K_clusters] * e->groups, every = e->knobs[LT_K_stress_every];
    uint32_t seed = (uint32_t)lt_random(&e->random);
    if (every)
        groups += (groups - 1) / (every - 1);
    vk->vkCmdPushConstants(e->vk->command, e->vk->layout, VK_SHADER_STAGE_COMPUTE_BIT, sizeof e->knobs,
                           sizeof seed, &seed);
    dispatch(e, e->vk->run, groups);
}

static void copy(struct exec *e, unsigned from, VkDeviceSize at, VkDeviceSize bytes)
{
    struct lt_vk *vk = vk_of(e);
    VkBufferCopy region = {.dstOffset = at, .size = bytes};
    vk->vkCmdCopyBuffer(e->vk->command, e->vk->buffers[from].buffer, e->vk->buffers[READ_BACK].buffer, 1,
                        &region);
}

static bool begin(struct exec *e)
{
    struct lt_vk *vk = vk_of(e);
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    if (failed(e, "vkBeginCommandBuffer", vk->vkBeginCommandBuffer(e->vk->command, &info)))
        return false;
    vk->vkCmdBindDescriptorSets(e->vk->command, VK_PIPELINE_BIND_POINT_COMPUTE, e->vk->layout, 0, 1,
                                &e->vk->set, 0, NULL);
    vk->vkCmdPushConstants(e->vk->command, e->vk->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof e->knobs,
                           e->knobs);
    return true;
}

/* Waits without a limit: the parent process ends this one if it takes too long. */
static bool submit(struct exec *e)
{
    struct lt_vk *vk = vk_of(e);
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vk->vkCmdPipelineBarrier(e->vk->command, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                             &barrier, 0, NULL, 0, NULL);
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &e->vk->command};
    return !failed(e, "vkEndCommandBuffer", vk->vkEndCommandBuffer(e->vk->command)) &&
           !failed(e, "vkQueueSubmit", vk->vkQueueSubmit(vk->queue, 1, &info, e->vk->fence)) &&
           !failed(e, "vkWaitForFences",
                   vk->vkWaitForFences(vk->device, 1, &e->vk->fence, VK_TRUE, UINT64_MAX)) &&
           !failed(e, "vkResetFences", vk->vkResetFences(vk->device, 1, &e->vk->fence));
}

/* Prepares memory, launches, counts after each launch; all in one submission. */
static bool launch(struct exec *e, unsigned launches)
{
    struct lt_vk *vk = vk_of(e);
    const uint32_t no_seed = 0;
    if (!fit_locations(e) || !begin(e))
        return false;
    vk->vkCmdPushConstants(e->vk->command, e->vk->layout, VK_SHADER_STAGE_COMPUTE_BIT, sizeof e->knobs,
                           sizeof no_seed, &no_seed);
    dispatch_collect(e);
    vk->vkCmdFillBuffer(e->vk->command, e->vk->buffers[BINS].buffer, 0, VK_WHOLE_SIZE, 0);
    vk->vkCmdFillBuffer(e->vk->command, e->vk->buffers[COUNTS].buffer, 0, VK_WHOLE_SIZE, 0);
    order_commands(e);
    for (unsigned i = 0; i < launches; i++) {
        dispatch_run(e);
        dispatch_collect(e);
    }
    copy(e, COUNTS, 0, 2 * sizeof(uint32_t));
    copy(e, BINS, bins_at(), bins_bytes(e));
    return submit(e);
}

bool lt_vk_run(struct exec *e, unsigned launches, struct lt_histogram *h, uint64_t *discarded)
{
    uint32_t counts[2];
    const char *back = e->vk->read_back;
    if (!launch(e, launches))
        return false;
    memcpy(counts, back, sizeof counts);
    memcpy(e->bin_host, back + bins_at(), bins_bytes(e));
    size_t bytes =
        (size_t)lt_exec_others(counts) * (e->observed_count ? e->observed_count : 1) * sizeof(int64_t);
    if (bytes) {
        if (!begin(e))
            return false;
        copy(e, OTHER_STATES, others_at(e), bytes);
        if (!submit(e))
            return false;
        memcpy(e->others_host, back + others_at(e), bytes);
    }
    return lt_exec_add_counts(e, counts, (uint64_t)e->knobs[LT_K_instances] * launches, h, discarded);
}

void lt_vk_release(struct exec *e)
{
    struct lt_vk *vk = vk_of(e);
    struct lt_vk_exec *x = e->vk;
    if (!x)
        return;
    for (unsigned i = 0; i < BUFFERS; i++)
        drop_buffer(e, &x->buffers[i]);
    vk->vkDestroyFence(vk->device, x->fence, NULL);
    vk->vkDestroyCommandPool(vk->device, x->commands, NULL);
    vk->vkDestroyDescriptorPool(vk->device, x->pool, NULL);
    vk->vkDestroyPipeline(vk->device, x->run, NULL);
    vk->vkDestroyPipeline(vk->device, x->collect, NULL);
    vk->vkDestroyPipelineLayout(vk->device, x->layout, NULL);
    vk->vkDestroyDescriptorSetLayout(vk->device, x->set_layout, NULL);
    vk->vkDestroyShaderModule(vk->device, x->module, NULL);
    free(x);
}

#else

bool lt_vk_build(struct exec *e)
{
    e->failure = "built without Vulkan";
    return false;
}

bool lt_vk_reserve(struct exec *e)
{
    return lt_vk_build(e);
}

bool lt_vk_run(struct exec *e, unsigned launches, struct lt_histogram *h, uint64_t *discarded)
{
    (void)launches, (void)h, (void)discarded;
    return lt_vk_build(e);
}

void lt_vk_release(struct exec *e)
{
    (void)e;
}

#endif
