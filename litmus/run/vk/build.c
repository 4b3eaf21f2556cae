/* A test on a Vulkan device: its pipelines and memory. */
#include "vk.h"

#include <stdlib.h>
#include <string.h>

#ifdef LT_HAS_VULKAN

#define ADDRESS_STRIDE 256 /* bytes: no device asks for a larger alignment of storage buffers */

bool lt_vk_failed(struct exec *e, const char *what, VkResult result)
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
    VkDescriptorSetLayoutBinding bindings[OBJECTS + 2 * MAX_LOCATIONS];
    uint32_t count = OBJECTS + e->shape.location_count;
    for (uint32_t i = 0; i < count; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i < OBJECTS ? i : binding_of(e, i - OBJECTS),
                                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    for (uint32_t i = 0; i < e->shape.location_count; i++)
        if (e->locations[i].is_image)
            bindings[count++] =
                (VkDescriptorSetLayoutBinding){.binding = binding_of(e, i) + MAX_LOCATIONS,
                                               .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
                                               .descriptorCount = 1,
                                               .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .bindingCount = count,
                                           .pBindings = bindings};
    VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                .size = (LT_KNOB_COUNT + 2) * sizeof(uint32_t)};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &e->vk->set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &push};
    return !lt_vk_failed(e, "vkCreateDescriptorSetLayout",
                         vk->vkCreateDescriptorSetLayout(vk->device, &set, NULL, &e->vk->set_layout)) &&
           !lt_vk_failed(e, "vkCreatePipelineLayout",
                         vk->vkCreatePipelineLayout(vk->device, &layout, NULL, &e->vk->layout));
}

static bool create_pipeline(struct exec *e, const char *name, VkPipeline *pipeline)
{
    struct lt_vk *vk = vk_of(e);
    const uint32_t values[2] = {e->shape.slots * e->shape.members, e->shape.slots};
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
    return !lt_vk_failed(e, "vkCreateComputePipelines",
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

/* Reads the plan's description of the module. */
static void read_module(struct exec *e)
{
    const cJSON *groups = cJSON_GetObjectItem(e->job->test, "family_groups");
    struct lt_vk_exec *x = e->vk;
    for (unsigned i = 0; i < e->shape.location_count; i++)
        x->images |= e->locations[i].is_image;
    x->pointers = cJSON_IsTrue(cJSON_GetObjectItem(e->job->test, "pointers"));
    x->family_count = cJSON_GetArraySize(groups) == 2 ? 2 : 1;
    for (uint32_t f = 0; f < x->family_count; f++) {
        const cJSON *item = cJSON_GetArrayItem(groups, (int)f);
        double n = cJSON_IsNumber(item) ? item->valuedouble : 0;
        x->family_groups[f] = n >= 1 && n <= e->shape.groups ? (uint32_t)n : e->shape.groups;
    }
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
    read_module(e);
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
    bool ok = !lt_vk_failed(e, "vkCreateShaderModule",
                            vk->vkCreateShaderModule(vk->device, &info, NULL, &e->vk->module)) &&
              create_layout(e) && create_pipeline(e, "run", &e->vk->run) &&
              create_pipeline(e, "collect", &e->vk->collect);
    free(words);
    lt_report(e->job->report, e->job->index, "built", NULL, NULL);
    return ok;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

#define NO_MEMORY_TYPE UINT32_MAX

static uint32_t memory_type(const struct lt_vk *vk, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < vk->memory.memoryTypeCount; i++)
        if ((allowed >> i & 1) && (vk->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    return NO_MEMORY_TYPE;
}

static void drop_buffer(struct exec *e, struct vk_buffer *b)
{
    struct lt_vk *vk = vk_of(e);
    vk->vkDestroyBufferView(vk->device, b->view, NULL);
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
    if (e->vk->images)
        info.usage |= VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
    if (e->vk->pointers)
        info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    if (e->vk->family_count > 1 && vk->two_families) {
        info.sharingMode = VK_SHARING_MODE_CONCURRENT;
        info.queueFamilyIndexCount = 2;
        info.pQueueFamilyIndices = vk->families;
    }
    if (lt_vk_failed(e, "vkCreateBuffer", vk->vkCreateBuffer(vk->device, &info, NULL, &b->buffer)))
        return false;
    vk->vkGetBufferMemoryRequirements(vk->device, b->buffer, &needs);
    const VkMemoryAllocateFlagsInfo addressed = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                                 .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .pNext = e->vk->pointers ? &addressed : NULL,
                                       .allocationSize = needs.size,
                                       .memoryTypeIndex = memory_type(vk, needs.memoryTypeBits, wanted)};
    if (allocation.memoryTypeIndex == NO_MEMORY_TYPE)
        allocation.memoryTypeIndex =
            memory_type(vk, needs.memoryTypeBits, wanted & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
    if (allocation.memoryTypeIndex == NO_MEMORY_TYPE) {
        e->failure = "the device has no memory of the kind that is needed";
        return false;
    }
    b->bytes = bytes;
    return !lt_vk_failed(e, "vkAllocateMemory",
                         vk->vkAllocateMemory(vk->device, &allocation, NULL, &b->memory)) &&
           !lt_vk_failed(e, "vkBindBufferMemory",
                         vk->vkBindBufferMemory(vk->device, b->buffer, b->memory, 0));
}

static bool make_device_buffer(struct exec *e, unsigned which, VkDeviceSize bytes)
{
    return make_buffer(e, &e->vk->buffers[which], bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

VkDeviceSize lt_vk_bins_bytes(const struct exec *e)
{
    return (VkDeviceSize)e->shape.bins * sizeof(uint32_t);
}

static VkDeviceSize others_bytes(const struct exec *e)
{
    return (VkDeviceSize)OTHERS * (e->shape.observed_count + 1) * sizeof(int64_t);
}

VkDeviceSize lt_vk_others_at(const struct exec *e)
{
    return (LT_VK_BINS_AT + lt_vk_bins_bytes(e) + 15) & ~(VkDeviceSize)15;
}

/* Memory that the host sees, mapped; NULL after a failure. */
static void *make_host_buffer(struct exec *e, unsigned which, VkDeviceSize bytes)
{
    struct lt_vk *vk = vk_of(e);
    struct vk_buffer *b = &e->vk->buffers[which];
    void *mapped = NULL;
    if (!make_buffer(e, b, bytes,
                     VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                         VK_MEMORY_PROPERTY_HOST_CACHED_BIT) ||
        lt_vk_failed(e, "vkMapMemory", vk->vkMapMemory(vk->device, b->memory, 0, VK_WHOLE_SIZE, 0, &mapped)))
        return NULL;
    return mapped;
}

/* Command buffers of queue QUEUE. */
static bool make_command_buffers(struct exec *e, unsigned queue, unsigned count, VkCommandBuffer *commands)
{
    struct lt_vk *vk = vk_of(e);
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                    .queueFamilyIndex = vk->families[queue]};
    VkCommandBufferAllocateInfo command = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = count};
    if (lt_vk_failed(e, "vkCreateCommandPool",
                     vk->vkCreateCommandPool(vk->device, &pool, NULL, &e->vk->pools[queue])))
        return false;
    command.commandPool = e->vk->pools[queue];
    return !lt_vk_failed(e, "vkAllocateCommandBuffers",
                         vk->vkAllocateCommandBuffers(vk->device, &command, commands));
}

static bool make_queues(struct exec *e)
{
    struct lt_vk *vk = vk_of(e);
    struct lt_vk_exec *x = e->vk;
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    bool two = x->family_count > 1;
    if (lt_vk_failed(e, "vkCreateFence", vk->vkCreateFence(vk->device, &fence, NULL, &x->fence)) ||
        !make_command_buffers(e, 0, two ? 2 * MOST_LAUNCHES + 1 : 1, x->first))
        return false;
    return !two || (make_command_buffers(e, 1, MOST_LAUNCHES, x->second) &&
                    !lt_vk_failed(e, "vkCreateSemaphore",
                                  vk->vkCreateSemaphore(vk->device, &semaphore, NULL, &x->ready)) &&
                    !lt_vk_failed(e, "vkCreateSemaphore",
                                  vk->vkCreateSemaphore(vk->device, &semaphore, NULL, &x->finished)));
}

static bool make_set(struct exec *e)
{
    struct lt_vk *vk = vk_of(e);
    struct lt_vk_exec *x = e->vk;
    const VkDescriptorPoolSize sizes[2] = {
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = OBJECTS + e->shape.location_count},
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, .descriptorCount = e->shape.location_count + 1}};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1,
                                       .poolSizeCount = 2,
                                       .pPoolSizes = sizes};
    VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                       .descriptorSetCount = 1,
                                       .pSetLayouts = &x->set_layout};
    if (lt_vk_failed(e, "vkCreateDescriptorPool",
                     vk->vkCreateDescriptorPool(vk->device, &pool, NULL, &x->pool)))
        return false;
    set.descriptorPool = x->pool;
    return !lt_vk_failed(e, "vkAllocateDescriptorSets",
                         vk->vkAllocateDescriptorSets(vk->device, &set, &x->set));
}

bool lt_vk_reserve(struct exec *e)
{
    struct lt_vk_exec *x = e->vk;
    VkDeviceSize gates = (VkDeviceSize)e->knobs[LT_K_clusters] * e->knobs[LT_K_rounds];
    return make_set(e) && make_queues(e) &&
           make_device_buffer(
               e, OUT, (VkDeviceSize)(e->shape.columns + 1) * e->shape.capacity * e->shape.value_size) &&
           make_device_buffer(e, SCRATCH, MAX_LINES * sizeof(uint32_t)) &&
           make_device_buffer(e, SYNC, gates * sizeof(uint32_t)) &&
           make_device_buffer(e, BINS, lt_vk_bins_bytes(e)) &&
           make_device_buffer(e, COUNTS, 2 * sizeof(uint32_t)) &&
           make_device_buffer(e, OTHER_STATES, others_bytes(e)) &&
           (x->read_back = make_host_buffer(e, READ_BACK, lt_vk_others_at(e) + others_bytes(e))) &&
           (!x->pointers || (x->addresses = make_host_buffer(e, ADDRESSES, MAX_LOCATIONS * ADDRESS_STRIDE)));
}

/* The location whose memory LOCATION is. */
static unsigned root_of(const struct exec *e, unsigned location)
{
    for (unsigned i = 0; i < e->shape.location_count; i++)
        if (e->locations[i].number == e->locations[location].alias)
            return i;
    return location;
}

/* The buffer bound for LOCATION: its memory, or the buffer that holds its address. */
static VkDescriptorBufferInfo describe_buffer(const struct exec *e, unsigned location)
{
    struct lt_vk *vk = vk_of(e);
    VkBuffer buffer = e->vk->buffers[OBJECTS + root_of(e, location)].buffer;
    if (!e->vk->pointers)
        return (VkDescriptorBufferInfo){.buffer = buffer, .range = VK_WHOLE_SIZE};
    VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                      .buffer = buffer};
    VkDeviceAddress address = vk->vkGetBufferDeviceAddress(vk->device, &info);
    memcpy(e->vk->addresses + (size_t)location * ADDRESS_STRIDE, &address, sizeof address);
    return (VkDescriptorBufferInfo){.buffer = e->vk->buffers[ADDRESSES].buffer,
                                    .offset = (VkDeviceSize)location * ADDRESS_STRIDE,
                                    .range = sizeof address};
}

/* A view of LOCATION's memory as texels, for the binding of the image. */
static bool make_view(struct exec *e, unsigned location)
{
    struct lt_vk *vk = vk_of(e);
    struct vk_buffer *b = &e->vk->buffers[OBJECTS + location];
    VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                   .buffer = b->buffer,
                                   .format = VK_FORMAT_R32_UINT,
                                   .range = VK_WHOLE_SIZE};
    if (b->bytes / 4 > vk->properties.limits.maxTexelBufferElements) {
        e->failure = "the device's texel buffers are too small";
        return false;
    }
    if (lt_vk_failed(e, "vkCreateBufferView", vk->vkCreateBufferView(vk->device, &info, NULL, &b->view)))
        return false;
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = e->vk->set,
                                  .dstBinding = binding_of(e, location) + MAX_LOCATIONS,
                                  .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
                                  .pTexelBufferView = &b->view};
    vk->vkUpdateDescriptorSets(vk->device, 1, &write, 0, NULL);
    return true;
}

bool lt_vk_fit_locations(struct exec *e)
{
    struct lt_vk *vk = vk_of(e);
    for (unsigned i = 0; i < e->shape.location_count; i++) {
        struct location *l = &e->locations[i];
        VkDeviceSize bytes = lt_exec_location_bytes(e, l);
        if (bytes <= l->bytes || root_of(e, i) != i)
            continue;
        drop_buffer(e, &e->vk->buffers[OBJECTS + i]);
        if (!make_device_buffer(e, OBJECTS + i, bytes) || (l->is_image && !make_view(e, i)))
            return false;
        l->bytes = bytes;
    }
    for (unsigned i = 0; i < OBJECTS + e->shape.location_count; i++) {
        VkDescriptorBufferInfo buffer = {.buffer = e->vk->buffers[i].buffer, .range = VK_WHOLE_SIZE};
        if (i >= OBJECTS)
            buffer = describe_buffer(e, i - OBJECTS);
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

void lt_vk_release(struct exec *e)
{
    struct lt_vk *vk = vk_of(e);
    struct lt_vk_exec *x = e->vk;
    if (!x)
        return;
    for (unsigned i = 0; i < BUFFERS; i++)
        drop_buffer(e, &x->buffers[i]);
    vk->vkDestroyFence(vk->device, x->fence, NULL);
    vk->vkDestroySemaphore(vk->device, x->ready, NULL);
    vk->vkDestroySemaphore(vk->device, x->finished, NULL);
    for (int q = 0; q < 2; q++)
        vk->vkDestroyCommandPool(vk->device, x->pools[q], NULL);
    vk->vkDestroyDescriptorPool(vk->device, x->pool, NULL);
    vk->vkDestroyPipeline(vk->device, x->run, NULL);
    vk->vkDestroyPipeline(vk->device, x->collect, NULL);
    vk->vkDestroyPipelineLayout(vk->device, x->layout, NULL);
    vk->vkDestroyDescriptorSetLayout(vk->device, x->set_layout, NULL);
    vk->vkDestroyShaderModule(vk->device, x->module, NULL);
    free(x);
}

#endif
