/* Launches of a test on a Vulkan device: command buffers, submissions, counts. */
#include "vk.h"

#include <string.h>

#ifdef LT_HAS_VULKAN

/* ---- commands ---------------------------------------------------------------------------------------- */

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

static void record_dispatch(struct exec *e, VkPipeline pipeline, uint32_t groups)
{
    struct lt_vk *vk = vk_of(e);
    vk->vkCmdBindPipeline(e->vk->command, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk->vkCmdDispatch(e->vk->command, groups, 1, 1);
    order_commands(e);
}

static void dispatch_collect(struct exec *e)
{
    const struct lt_device *d = e->job->device;
    uint32_t local = e->shape.slots * e->shape.members, per_group = 8 * local;
    uint32_t groups = (e->knobs[LT_K_instances] + per_group - 1) / per_group;
    uint32_t most = d->units * (d->is_gpu ? 16 : 1);
    record_dispatch(e, e->vk->collect, groups < most ? groups : most);
}

/* The work-groups of a test with one queue family, or those of family FAMILY. */
static void dispatch_run(struct exec *e, uint32_t seed, uint32_t family)
{
    struct lt_vk *vk = vk_of(e);
    uint32_t roles = e->vk->family_count > 1 ? e->vk->family_groups[family] : e->shape.groups;
    uint32_t groups = e->knobs[LT_K_clusters] * roles, every = e->knobs[LT_K_stress_every];
    const uint32_t pushed[2] = {seed, family};
    if (every)
        groups += (groups - 1) / (every - 1);
    vk->vkCmdPushConstants(e->vk->command, e->vk->layout, VK_SHADER_STAGE_COMPUTE_BIT, sizeof e->knobs,
                           sizeof pushed, pushed);
    record_dispatch(e, e->vk->run, groups);
}

static void record_copy(struct exec *e, unsigned from, VkDeviceSize at, VkDeviceSize bytes)
{
    struct lt_vk *vk = vk_of(e);
    VkBufferCopy region = {.dstOffset = at, .size = bytes};
    vk->vkCmdCopyBuffer(e->vk->command, e->vk->buffers[from].buffer, e->vk->buffers[READ_BACK].buffer, 1,
                        &region);
}

static bool begin_commands(struct exec *e, VkCommandBuffer command)
{
    struct lt_vk *vk = vk_of(e);
    const uint32_t none[2] = {0};
    e->vk->command = command;
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    if (lt_vk_failed(e, "vkBeginCommandBuffer", vk->vkBeginCommandBuffer(e->vk->command, &info)))
        return false;
    vk->vkCmdBindDescriptorSets(e->vk->command, VK_PIPELINE_BIND_POINT_COMPUTE, e->vk->layout, 0, 1,
                                &e->vk->set, 0, NULL);
    vk->vkCmdPushConstants(e->vk->command, e->vk->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof e->knobs,
                           e->knobs);
    vk->vkCmdPushConstants(e->vk->command, e->vk->layout, VK_SHADER_STAGE_COMPUTE_BIT, sizeof e->knobs,
                           sizeof none, none);
    return true;
}

/* Submits the recorded commands to queue QUEUE; they wait for semaphore WAIT, then signal SIGNAL and FENCE:
 * each may be VK_NULL_HANDLE. */
static bool submit_commands(struct exec *e, unsigned queue, VkSemaphore wait, VkSemaphore signal,
                            VkFence fence)
{
    struct lt_vk *vk = vk_of(e);
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .waitSemaphoreCount = wait != VK_NULL_HANDLE,
                         .pWaitSemaphores = &wait,
                         .pWaitDstStageMask = &stages,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &e->vk->command,
                         .signalSemaphoreCount = signal != VK_NULL_HANDLE,
                         .pSignalSemaphores = &signal};
    return !lt_vk_failed(e, "vkEndCommandBuffer", vk->vkEndCommandBuffer(e->vk->command)) &&
           !lt_vk_failed(e, "vkQueueSubmit", vk->vkQueueSubmit(vk->queues[queue], 1, &info, fence));
}

/* Waits without a limit: the parent process ends this one if it takes too long. */
static bool submit_and_wait(struct exec *e)
{
    struct lt_vk *vk = vk_of(e);
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vk->vkCmdPipelineBarrier(e->vk->command, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                             &barrier, 0, NULL, 0, NULL);
    VkSemaphore awaited = e->vk->awaited;
    e->vk->awaited = VK_NULL_HANDLE;
    return submit_commands(e, 0, awaited, VK_NULL_HANDLE, e->vk->fence) &&
           !lt_vk_failed(e, "vkWaitForFences",
                         vk->vkWaitForFences(vk->device, 1, &e->vk->fence, VK_TRUE, UINT64_MAX)) &&
           !lt_vk_failed(e, "vkResetFences", vk->vkResetFences(vk->device, 1, &e->vk->fence));
}

/* The work-groups of both queue families, each on one queue, at the same time.  The second queue starts when
 * the memory is ready; commands recorded next on the first one wait for it.  Which queue runs which family is
 * random. */
static bool launch_on_two(struct exec *e, unsigned number)
{
    struct lt_vk_exec *x = e->vk;
    uint32_t seed = (uint32_t)lt_random(&e->random), family = seed >> 31;
    VkSemaphore awaited = x->awaited;
    x->awaited = x->finished;
    if (!submit_commands(e, 0, awaited, x->ready, VK_NULL_HANDLE) || !begin_commands(e, x->second[number]))
        return false;
    dispatch_run(e, seed, !family);
    if (!submit_commands(e, 1, x->ready, x->finished, VK_NULL_HANDLE) ||
        !begin_commands(e, x->first[2 * number + 1]))
        return false;
    dispatch_run(e, seed, family);
    return submit_commands(e, 0, VK_NULL_HANDLE, VK_NULL_HANDLE, VK_NULL_HANDLE) &&
           begin_commands(e, x->first[2 * number + 2]);
}

/* Prepares memory, launches, counts after each launch; all in one submission, where one queue suffices. */
static bool launch_repeatedly(struct exec *e, unsigned launches)
{
    struct lt_vk *vk = vk_of(e);
    e->vk->awaited = VK_NULL_HANDLE;
    if (!lt_vk_fit_locations(e) || !begin_commands(e, e->vk->first[0]))
        return false;
    dispatch_collect(e);
    vk->vkCmdFillBuffer(e->vk->command, e->vk->buffers[BINS].buffer, 0, VK_WHOLE_SIZE, 0);
    vk->vkCmdFillBuffer(e->vk->command, e->vk->buffers[COUNTS].buffer, 0, VK_WHOLE_SIZE, 0);
    order_commands(e);
    for (unsigned i = 0; i < launches; i++) {
        if (e->vk->family_count > 1) {
            if (!launch_on_two(e, i))
                return false;
        } else {
            dispatch_run(e, (uint32_t)lt_random(&e->random), 0);
        }
        dispatch_collect(e);
    }
    record_copy(e, COUNTS, 0, 2 * sizeof(uint32_t));
    record_copy(e, BINS, LT_VK_BINS_AT, lt_vk_bins_bytes(e));
    return submit_and_wait(e);
}

bool lt_vk_run(struct exec *e, unsigned launches, struct lt_histogram *h, uint64_t *discarded)
{
    uint32_t counts[2];
    const char *back = e->vk->read_back;
    if (!launch_repeatedly(e, launches))
        return false;
    memcpy(counts, back, sizeof counts);
    memcpy(e->memory.bin_host, back + LT_VK_BINS_AT, lt_vk_bins_bytes(e));
    size_t bytes = lt_exec_others_bytes(e, counts);
    if (bytes) {
        if (!begin_commands(e, e->vk->first[0]))
            return false;
        record_copy(e, OTHER_STATES, lt_vk_others_at(e), bytes);
        if (!submit_and_wait(e))
            return false;
        memcpy(e->memory.others_host, back + lt_vk_others_at(e), bytes);
    }
    return lt_exec_add_counts(e, counts, (uint64_t)e->knobs[LT_K_instances] * launches, h, discarded);
}

#endif
