/* Launches: creation, stepping, destruction. [CL 3.2.1, 5.10] */
#include "interp/check/fault_memory.h"
#include "interp/ext/ext.h"
#include "interp/weak/weak.h"
#include "sched.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static enum mm_class check_launch(const struct in_launch *l, struct mm_error *err)
{
    if (!l->instance || l->kernel >= l->instance->module->kernel_count)
        return mm_fail(err, MM_INVALID, "CL 5.10", "no such kernel");
    if (l->dimensions < 1 || l->dimensions > 3 || l->sub_group_size == 0)
        return mm_fail(err, MM_INVALID, "CL 5.10", "%u dimensions, sub-groups of %u", l->dimensions,
                       l->sub_group_size);
    uint64_t items = 1;
    for (uint32_t k = 0; k < l->dimensions; k++) {
        if (l->local_size[k] == 0)
            return mm_fail(err, MM_INVALID, "CL 5.10", "work-group size 0 in dimension %u", k);
        items *= l->local_size[k];
        if (items > 1u << 20)
            return mm_fail(err, MM_LIMIT, "CL 5.10", "work-groups of more than %u work-items", 1u << 20);
    }
    return MM_OK;
}

static enum mm_class set_geometry(struct in_run *run, struct mm_error *err)
{
    struct in_launch *l = &run->launch;
    run->progress.groups_total = run->items_per_group = 1;
    for (uint32_t k = 0; k < 3; k++) {
        if (k >= l->dimensions) {
            l->global_size[k] = l->local_size[k] = 1;
            l->global_offset[k] = 0;
        }
        run->group_count[k] =
            l->global_size[k] / l->local_size[k] + (l->global_size[k] % l->local_size[k] != 0);
        if (run->group_count[k] != 0 && run->progress.groups_total > UINT64_MAX / run->group_count[k])
            return mm_fail(err, MM_LIMIT, "CL 5.10", "too many work-groups");
        run->progress.groups_total *= run->group_count[k];
        run->items_per_group *= l->local_size[k];
    }
    return MM_OK;
}

static void make_handle(struct in_handle *h, const struct in_argument *a)
{
    h->has_image = a->image != NULL;
    h->has_sampler = a->sampler != NULL;
    if (a->image)
        h->image = *a->image;
    if (a->sampler)
        h->sampler = *a->sampler;
    h->pipe = a->pipe;
    h->object = a->pipe ? a->pipe->object : a->object;
}

static bool needs_handle(const struct in_argument_info *a)
{
    return a->kind == IN_ARG_IMAGE || a->kind == IN_ARG_SAMPLER || a->kind == IN_ARG_PIPE;
}

/* Bytes of the launch's copy of argument A's value. */
static size_t value_bytes(const struct in_argument_info *a)
{
    return a->kind == IN_ARG_VALUE ? ((size_t)a->size + 31) / 16 * 16 : 0;
}

/* Arguments may change once the launch exists: it keeps copies, all in one allocation. */
static enum mm_class copy_arguments(struct in_run *run, struct mm_error *err)
{
    uint32_t n = run->info->argument_count;
    const size_t alignment = _Alignof(max_align_t);
    bool has_handles = false;
    for (uint32_t k = 0; k < n; k++)
        has_handles |= needs_handle(&run->info->arguments[k]);
    size_t arguments = (n + 1) * sizeof *run->arguments,
           handles = has_handles ? (n + 1) * sizeof *run->handles : 0;
    size_t at = (arguments + handles + alignment - 1) / alignment * alignment, bytes = at;
    for (uint32_t k = 0; k < n; k++)
        bytes += value_bytes(&run->info->arguments[k]);
    uint8_t *copies = mm_alloc_zero(1, bytes);
    if (!copies)
        return mm_out_of_memory(err);
    run->arguments = (struct in_argument *)(void *)copies;
    run->handles = has_handles ? (struct in_handle *)(void *)(copies + arguments) : NULL;
    for (uint32_t k = 0; k < n; k++) {
        const struct in_argument_info *info = &run->info->arguments[k];
        run->arguments[k] = run->launch.arguments[k];
        if (has_handles)
            make_handle(&run->handles[k], &run->arguments[k]);
        if (info->kind != IN_ARG_VALUE)
            continue;
        if (!run->arguments[k].value)
            return mm_fail(err, MM_INVALID, "CL 5.9.2", "argument %u has no value", k);
        run->arguments[k].value = memcpy(copies + at, run->arguments[k].value, info->size);
        at += value_bytes(info);
    }
    return MM_OK;
}

/* Local memory is one allocation per variable or argument, of one instance per work-group. */
static bool record_locals(struct in_run *run)
{
    uint32_t locals = run->code->locals.count, n = locals + run->info->argument_count;
    run->recording.source_ids =
        mm_alloc_zero(run->code->sources.count + 1, sizeof *run->recording.source_ids);
    run->recording.local_ids = mm_alloc_zero(n + 1, sizeof *run->recording.local_ids);
    run->recording.events = mm_alloc_zero(IN_EVENT_BATCH, sizeof *run->recording.events);
    if (!run->recording.source_ids || !run->recording.local_ids || !run->recording.events)
        return false;
    for (uint32_t k = 0; k < n; k++) {
        const struct in_global *v = k < locals ? &run->module->globals[run->code->locals.list[k]] : NULL;
        const struct in_argument_info *a = k < locals ? NULL : &run->info->arguments[k - locals];
        if (a && a->kind != IN_ARG_LOCAL)
            continue;
        struct mm_record record = {.type = MM_RECORD_ALLOCATION};
        run->recording.local_ids[k] = mm_recorder_new_allocation(run->launch.recorder);
        record.allocation =
            (struct mm_allocation){.id = run->recording.local_ids[k],
                                   .region = MM_LOCAL,
                                   .device = (int16_t)run->launch.device,
                                   .command = run->launch.command,
                                   .size = v ? v->ty->size : run->arguments[k - locals].local_size,
                                   .name = v ? run->module->ids[v->id].name : a->name};
        if (v)
            record.allocation.element = in_spirv_scalar(run->module, record.allocation.name, v->ty);
        record.allocation.layout = v ? in_spirv_layout(run->module, record.allocation.name) : a->layout;
        if (!v)
            record.allocation.element = mm_scalar_named(a->type_name);
        mm_recorder_record(run->launch.recorder, &record);
    }
    return true;
}

bool in_open_slots(struct in_run *run)
{
    bool ranked = run->launch.oracle && run->launch.oracle->rank;
    uint64_t wanted = ranked ? run->progress.groups_total : run->launch.schedule == IN_SEQUENTIAL ? 1 : 8;
    if (run->launch.recorder && !record_locals(run))
        return false;
    run->outcome.over = run->progress.groups_total == 0;
    run->members = mm_alloc((run->items_per_group + 1) * sizeof *run->members);
    if (!run->members)
        return false;
    for (uint64_t k = 0;
         k < wanted && !run->outcome.over && run->progress.next_group < run->progress.groups_total; k++)
        if (!in_add_slot(run))
            return k > 0;
    return true;
}

enum mm_class in_run_create(const struct in_launch *launch, struct in_run **out, struct mm_error *err)
{
    enum mm_class result = check_launch(launch, err);
    if (result != MM_OK)
        return result;
    struct in_run *run = mm_alloc_zero(1, sizeof *run);
    if (!run)
        return mm_out_of_memory(err);
    run->launch = *launch;
    run->instance = launch->instance;
    run->module = launch->instance->module;
    run->code = run->module->kernels[launch->kernel].code;
    run->info = &run->module->kernels[launch->kernel].info;
    run->full = launch->recorder || launch->schedule == IN_RANDOM;
    run->progress.random = launch->seed * UINT64_C(0x2545f4914f6cdd1d) + 1;
    if (launch->detail == IN_TERMS && (!launch->recorder || launch->weak))
        run->launch.detail = IN_NO_DETAIL;
    run->engine = launch->weak                                       ? IN_WEAK
                  : launch->checks || run->launch.detail == IN_TERMS ? IN_CHECKING
                  : run->full                                        ? IN_RECORDING
                                                                     : IN_FAST;
    run->full |= launch->checks || launch->weak;
    run->insns = in_thread(run->code, run->engine);
    result = !run->insns ? mm_out_of_memory(err) : set_geometry(run, err);
    if (result == MM_OK)
        result = copy_arguments(run, err);
    if (result == MM_OK && launch->weak && !in_weak_create(run))
        result = mm_out_of_memory(err);
    if (result == MM_OK && !in_native_create(run) && !in_open_slots(run))
        result = mm_out_of_memory(err);
    if (result != MM_OK) {
        in_run_destroy(run);
        return result;
    }
    *out = run;
    return MM_OK;
}

enum mm_class in_run_step(struct in_run *run, uint64_t quantum, bool *done, struct mm_error *err)
{
    struct in_fp_state state;
    bool compiled = run->native != NULL;
    if (compiled)
        in_native_step(run);
    if (!run->native && !run->outcome.limit && (!compiled || quantum == 0)) {
        in_fp_enter(&state);
        in_schedule(run, quantum);
        in_fp_leave(&state);
    }
    *done = run->outcome.over || run->outcome.stopped || run->outcome.limit;
    if (run->launch.recorder && *done)
        in_record_waiting(run);
    if (run->launch.recorder)
        in_record_flush(run);
    if (*done && __builtin_expect(in_fault_now != IN_NO_FAULT, 0))
        in_fault_atomic_next(NULL);
    if (run->outcome.limit)
        return run->outcome.findings > 0
                   ? mm_fail(err, MM_LIMIT, "step-limit", "the launch reached its step limit")
                   : mm_out_of_memory(err);
    return run->outcome.stopped ? mm_fail(err, MM_UNDEFINED, "finding", "undefined behavior ended the launch")
                                : MM_OK;
}

bool in_run_is_compiled(const struct in_run *run)
{
    return run->native != NULL;
}

uint64_t in_run_instruction_count(const struct in_run *run)
{
    return run->executed;
}

void in_run_destroy(struct in_run *run)
{
    if (!run)
        return;
    in_native_destroy(run);
    for (uint32_t k = 0; k < run->progress.slot_count; k++)
        in_group_destroy(run, run->progress.slots[k]);
    in_weak_destroy(run);
    mm_free(run->arguments); /* and handles */
    mm_free(run->progress.slots);
    mm_free(run->members);
    mm_free(run->outcome.raised);
    in_record_end(run);
    mm_free(run->recording.local_ids);
    mm_free(run->recording.events);
    mm_free(run);
}
