/* Launches that go into a trace as what it takes to execute them again [interp/replay/replay.h]: memory
 * before them, if the trace does not have it, and the launch.  What a copy of a buffer holds follows from the
 * trace as long as only such launches change it. */
#include "ref-runtime/record/replay.h"
#include "interp/fault.h"
#include "interp/replay/replay.h"
#include "ref-runtime/program/kernel.h"
#include "ref-runtime/setting.h"

#include <string.h>

enum { PIECE = 128 * 1024 };

static atomic_uint generation; /* how often all copies changed */
static atomic_uint launches;   /* that are not re-executed: each may change variables of programs */
static atomic_bool host_distrusted;

static struct mm_once once = MM_ONCE;
static bool in_files, in_sessions; /* launches are recorded for re-execution: always; also for findings */
static bool logged;

static void read_settings(void)
{
    in_files = rt_setting_number(RT_SET_TRACE_REPLAYS, 0, rt_setting_given(RT_SET_TRACE)) != 0;
    in_sessions = rt_setting_number(RT_SET_TRACE_REPLAYS, 0, 0) != 0;
    logged = rt_setting_has(RT_SET_DEBUG, "trace");
}

/* Files hold them by default; the reader of a pipe has to request them. */
bool rt_replay_on(void)
{
    mm_once(&once, read_settings);
    return rt_launch_recorder() && !rt_findings_suffice() && in_files;
}

/* ---- which launches ---- */

static const struct rt_build *build_of(const struct rt_launch *launch)
{
    struct rt_program *program = launch->kernel->program;
    int index = rt_program_build_index(program, launch->device, rt_build_is_executable);
    return index < 0 ? NULL : &program->state->builds[index];
}

/* Whether the runtime owns the memory of the copies of ROOT. */
static bool owns_copies(const struct rt_mem *root)
{
    return !root->shared && !root->pipe &&
           (!(root->flags & CL_MEM_USE_HOST_PTR) || rt_storage_map_place(root));
}

/* SVM: of FIXED addresses, where the kernel follows pointers in it. */
static bool svm_allows(const struct rt_launch_argument *a, bool fixed)
{
    const struct rt_svm *svm = rt_svm_find(NULL, a->svm);
    return svm && svm->object.origin == MM_ORIGIN_COARSE_SVM && (svm->fixed || !fixed);
}

static bool argument_allows(const struct rt_launch_argument *a, enum in_replay_class class)
{
    const struct rt_mem *root = a->mem ? rt_mem_root(a->mem) : NULL;
    switch (a->info->kind) {
    case IN_ARG_VALUE:
    case IN_ARG_LOCAL:
        return true;
    case IN_ARG_SAMPLER:
        return a->sampler;
    case IN_ARG_IMAGE:
        return root && a->mem->image && owns_copies(root);
    case IN_ARG_GLOBAL:
    case IN_ARG_CONSTANT:
        if (a->svm)
            return !a->device_pointer && svm_allows(a, class != IN_REPLAY_ALWAYS);
        return !root || (!root->image && owns_copies(root) &&
                         (class != IN_REPLAY_KEEPS_SVM || a->info->kind == IN_ARG_CONSTANT));
    default:
        return false;
    }
}

static bool is_fixed(struct rt_svm *svm)
{
    return svm->fixed;
}

static enum in_replay_class class_of(const struct rt_launch *launch)
{
    const struct rt_build *build = build_of(launch);
    return build ? in_replay_class(launch->instance, launch->kernel_index, build->spirv.size)
                 : IN_REPLAY_NEVER;
}

bool rt_replay_allows(const struct rt_launch *launch)
{
    enum in_replay_class class = in_fault_now == IN_NO_FAULT ? class_of(launch) : IN_REPLAY_NEVER;
    if (class == IN_REPLAY_NEVER ||
        (class != IN_REPLAY_ALWAYS && !rt_svm_all(launch->kernel->context, is_fixed)))
        return false;
    for (size_t i = 0; i < launch->argument_count; i++)
        if (!argument_allows(&launch->arguments[i], class))
            return false;
    return true;
}

/* ---- memory ---- */

void rt_replay_changed(struct rt_recorded_contents *t, size_t begin, size_t end)
{
    bool none = t->begin == t->end;
    t->begin = none || begin < t->begin ? begin : t->begin;
    t->end = none || end > t->end ? end : t->end;
}

void rt_replay_svm_changed(const void *pointer, size_t size)
{
    struct rt_svm *svm = rt_launch_recorder() ? rt_svm_find(NULL, pointer) : NULL;
    if (!svm)
        return;
    size_t begin = (size_t)((const unsigned char *)pointer - svm->data), left = svm->size - begin;
    if (size == 0)
        rt_replay_changed(&svm->recorded, 0, svm->size);
    else
        rt_replay_changed(&svm->recorded, begin, begin + (size < left ? size : left));
}

void rt_replay_all_changed(void)
{
    atomic_fetch_add(&generation, 1);
}

void rt_replay_distrust_host(void)
{
    atomic_store(&host_distrusted, true);
}

bool rt_replay_covers(const struct rt_command *command)
{
    return command->operation == &rt_kernel_operation &&
           ((const struct rt_kernel_command *)(const void *)command->payload)->replays;
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

static void record_content(uint32_t allocation, size_t offset, size_t size, const void *bytes)
{
    struct mm_record record = {.type = MM_RECORD_CONTENT, .content = {allocation, offset, size, bytes}};
    if (size > 0)
        mm_recorder_record(rt_recorder(), &record);
}

/* In pieces; zeros in a row are one. */
static void record_contents(uint32_t allocation, const unsigned char *data, size_t begin, size_t end)
{
    size_t zeros = begin;
    for (size_t at = begin, size; at < end; at += size) {
        size = end - at < PIECE ? end - at : PIECE;
        if (is_zero(data + at, size))
            continue;
        record_content(allocation, zeros, at - zeros, NULL);
        record_content(allocation, at, size, data + at);
        zeros = at + size;
    }
    record_content(allocation, zeros, end - zeros, NULL);
}

static void record_changes(struct rt_recorded_contents *t, uint32_t allocation, const unsigned char *data,
                           size_t size)
{
    unsigned now = atomic_load(&generation);
    if (!t->any || t->generation != now) {
        t->begin = 0;
        t->end = size;
    }
    record_contents(allocation, data, t->begin, t->end);
    *t = (struct rt_recorded_contents){.any = true, .generation = now};
}

static bool record_svm(struct rt_svm *svm)
{
    if (svm->object.origin != MM_ORIGIN_COARSE_SVM)
        return true;
    if (atomic_load(&host_distrusted))
        svm->recorded.any = false;
    record_changes(&svm->recorded, svm->object.id, svm->data, svm->size);
    return true;
}

/* The copy that an argument is bound to, NULL for other kinds of memory. */
static struct rt_copy *copy_of(const struct rt_launch_argument *a, const struct in_argument *bound)
{
    struct rt_mem *root = a->mem ? rt_mem_root(a->mem) : NULL;
    for (cl_uint i = 0; root && bound->object && i < root->context->device_count; i++)
        if (root->copies[i].data && root->copies[i].object.id == bound->object->id)
            return &root->copies[i];
    return NULL;
}

/* A block may write images that its parent's arguments are; pointers in SVM lead to other SVM. */
static void changed_by(const struct rt_kernel_command *k)
{
    atomic_fetch_add(&launches, 1);
    if (k->block || rt_launch_uses_svm(k->launch))
        rt_replay_all_changed();
    for (size_t i = 0; i < k->launch->argument_count; i++) {
        struct rt_copy *copy = copy_of(&k->launch->arguments[i], &k->arguments[i]);
        if (copy)
            rt_replay_changed(&copy->recorded, 0, rt_mem_root(k->launch->arguments[i].mem)->size);
    }
}

/* ---- launches ---- */

/* Number of bytes of COPY that the trace lacks. */
static size_t unrecorded_bytes(const struct rt_copy *copy, size_t size)
{
    const struct rt_recorded_contents *t = &copy->recorded;
    return t->any && t->generation == atomic_load(&generation) ? t->end - t->begin : size;
}

static unsigned variables_generation(void)
{
    return atomic_load(&generation) + atomic_load(&launches);
}

/* True if a session that wants findings only also gets this instrumented launch, because it is small: if an
 * access that may race with it is found later, the session re-executes the launch. */
static bool is_recorded_for_replay(const struct rt_kernel_command *k)
{
    enum { LAUNCH = 4096, SAMPLED = 64 * 1024 }; /* bytes */
    static uint64_t left = UINT64_C(32) << 20;
    const struct rt_launch *launch = k->launch;
    uint64_t cost = LAUNCH + in_replay_unrecorded_bytes(launch->instance, variables_generation());
    mm_once(&once, read_settings);
    if (left < cost || !in_sessions || rt_launch_uses_svm(launch) || !rt_replay_allows(launch))
        return false;
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct rt_copy *copy = copy_of(&launch->arguments[i], &k->arguments[i]);
        size_t size = copy ? rt_mem_root(launch->arguments[i].mem)->size : 0;
        cost += copy ? unrecorded_bytes(copy, size) + (size < SAMPLED ? size : SAMPLED) : 0;
    }
    bool few = cost <= left;
    left -= few ? cost : 0;
    return few;
}

/* What the trace lacks of the memory that K may access. */
static void record_memory(const struct rt_kernel_command *k)
{
    const struct rt_launch *launch = k->launch;
    bool follows = class_of(launch) != IN_REPLAY_ALWAYS;
    if (follows)
        rt_svm_all(launch->kernel->context, record_svm);
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct rt_launch_argument *a = &launch->arguments[i];
        struct rt_copy *copy = copy_of(a, &k->arguments[i]);
        struct rt_svm *svm = a->svm && !follows ? rt_svm_find(NULL, a->svm) : NULL;
        if (copy)
            record_changes(&copy->recorded, copy->object.id, copy->data, rt_mem_root(a->mem)->size);
        if (svm)
            record_svm(svm);
    }
}

void rt_replay_begin(const struct rt_command *command, struct rt_kernel_command *k)
{
    bool instrumented = rt_launch_recorder() && in_run_is_compiled(k->run);
    k->replays = instrumented && (rt_replay_on() || is_recorded_for_replay(k));
    if (instrumented && !k->replays)
        rt_instrumented_lost(command);
    if (rt_launch_recorder() && !k->replays)
        changed_by(k);
    if (!k->replays)
        return;
    record_memory(k);
    if (!in_replay_has_program(k->run)) {
        const struct rt_build *build = build_of(k->launch);
        struct in_module_options options;
        rt_build_module_options(k->launch->kernel->program, &options);
        in_replay_program(k->run, build->spirv.data, build->spirv.size, &options);
    }
    in_replay_begin(k->run, variables_generation());
}

void rt_replay_end(const struct rt_command *command, struct rt_kernel_command *k, bool well)
{
    if (!k->replays)
        return;
    k->replays = false;
    if (!well || !in_run_is_compiled(k->run)) {
        rt_replay_all_changed();
        if (in_run_is_compiled(k->run))
            rt_instrumented_lost(command);
        return;
    }
    if (logged)
        fprintf(stderr, "refcl: trace: a launch of kernel %s is to be executed again\n",
                k->launch->info->name);
    in_replay_record(k->run, build_of(k->launch)->spirv.size);
}
