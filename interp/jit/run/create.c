/* Creation of launches of compiled kernels: their geometry, arguments and code. */
#include "interp/jit/instrument/grids.h"
#include "interp/jit/instrument/launch.h"
#include "interp/jit/run/background.h"
#include "interp/jit/run/fibers.h"
#include "interp/jit/run/run.h"
#include <stdio.h>
#include <string.h>

/* Ids are computed in 32 bits; REFCL launches beyond that are left to the interpreter. */
static bool set_geometry(struct in_jit_run *run, const struct in_launch *l, bool *edge)
{
    uint64_t items = 1;
    *edge = false;
    for (uint32_t k = 0; k < 3; k++) {
        uint64_t global = k < l->dimensions ? l->global_size[k] : 1;
        uint64_t offset = k < l->dimensions ? l->global_offset[k] : 0;
        uint32_t local = k < l->dimensions ? l->local_size[k] : 1;
        if (local == 0 || global >= INT32_MAX - local || offset >= INT32_MAX - local - global)
            return false;
        items *= global;
        *edge |= global % local != 0;
        run->frame.global_size[k] = global;
        run->frame.global_offset[k] = offset;
        run->frame.num_groups[k] = (global + local - 1) / local;
        run->frame.local_size[k] = local;
    }
    return items > 0;
}

/* Where the kernel cannot observe its work-groups: a size that divides the launch in the first dimension,
 * suits vectors, and leaves some groups for each thread. */
static uint32_t flat_size(const struct in_jit_frame *frame)
{
    uint64_t local = frame->local_size[0], global = frame->global_size[0];
    uint64_t most = global * frame->global_size[1] * frame->global_size[2] / frame->local_size[1] /
                    frame->local_size[2] / 16;
    for (uint64_t size = 1024; size >= 256; size /= 2)
        if (most >= size && global % size == 0)
            return (uint32_t)size;
    most = (most < 2048 ? most : 2048) / local;
    for (uint64_t count = most < 128 ? most : 128; count > 1; count--)
        if (global % (local * count) == 0)
            return (uint32_t)(local * count);
    return (uint32_t)local;
}

/* The work-groups that compiled code takes. */
static void divide_groups(struct in_jit_run *run)
{
    const struct in_jit_kernel *kernel = run->kernel;
    bool any = kernel->options.flags & IN_JIT_ANY_SIZE;
    run->groups = 1;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t size = any ? (uint32_t)run->frame.local_size[k] : kernel->shape.group_size[k];
        if (any && k == 0 && kernel->shape.flat && !run->launch->promotion.one)
            size = flat_size(&run->frame);
        run->local_size[k] = size;
        run->frame.group_size[k] = size;
        run->group_count[k] = (run->frame.global_size[k] + size - 1) / size;
        run->groups *= run->group_count[k];
    }
}

/* Instructions of RUN, roughly: loops have an unknown number of iterations. */
static double estimated_work(const struct in_jit_run *run, const struct in_code *code)
{
    const uint64_t *n = run->frame.global_size;
    return (double)n[0] * (double)n[1] * (double)n[2] * code->count * (code->loops ? 16 : 1);
}

static uint64_t sampler_word(const struct in_sampler *s)
{
    return IN_JIT_LITERAL_SAMPLER | (uint32_t)s->addressing << 2 | (uint32_t)s->normalized << 1 |
           (uint32_t)s->filter;
}

/* Whether there is a literal sampler (bitcode/image.c) with the same properties. */
static bool has_literal_word(const struct in_handle *h)
{
    return h->has_sampler && !h->sampler.has_mip;
}

/* Queues are the environment's, images, samplers and pipes the launch's handles. */
static uint64_t word_of(const struct in_run *launch, uint32_t k)
{
    switch (launch->info->arguments[k].kind) {
    case IN_ARG_GLOBAL:
    case IN_ARG_CONSTANT:
        return launch->arguments[k].address;
    case IN_ARG_SAMPLER:
        if (has_literal_word(&launch->handles[k]))
            return sampler_word(&launch->handles[k].sampler);
        return (uint64_t)(uintptr_t)&launch->handles[k];
    case IN_ARG_QUEUE:
        return (uint64_t)(uintptr_t)launch->arguments[k].queue;
    case IN_ARG_VALUE:
    case IN_ARG_LOCAL:
        return 0;
    default:
        return (uint64_t)(uintptr_t)&launch->handles[k];
    }
}

static bool place_arguments(struct in_jit_run *run, const struct in_kernel_info *info)
{
    const struct in_jit_layout *layout = &run->kernel->layout;
    uint8_t *place = run->few_arguments;
    if (layout->argument_bytes + 64 > sizeof run->few_arguments)
        place = run->arguments = mm_alloc_zero(1, layout->argument_bytes + 64);
    if (!place)
        return false;
    uint8_t *base = (uint8_t *)(((uintptr_t)place + 63) & ~(uintptr_t)63);
    run->frame.arguments = base;
    run->local_bytes = layout->local_bytes;
    for (uint32_t k = 0; k < info->argument_count; k++) {
        const struct in_argument *a = &run->launch->arguments[k];
        uint64_t word = word_of(run->launch, k);
        if (info->arguments[k].kind == IN_ARG_VALUE) {
            if (!a->value)
                return false;
            memcpy(base + layout->argument_offsets[k], a->value, info->arguments[k].size);
            continue;
        }
        if (info->arguments[k].kind == IN_ARG_LOCAL) {
            word = run->local_bytes = (run->local_bytes + 127) & ~UINT64_C(127);
            run->local_bytes += a->local_size;
        }
        memcpy(base + layout->argument_offsets[k], &word, sizeof word);
    }
    return true;
}

void in_jit_run_destroy(struct in_jit_run *run)
{
    if (!run)
        return;
    in_jit_launch_leave(run);
    in_fibers_destroy(run);
    in_instrument_destroy(run);
    in_module_release(run->module);
    mm_free(run->arguments);
    mm_free(run);
}

/* Bits that suffice for global ids, one of few values: with the fewer bits the more checks are decided when
 * compiling. */
static uint32_t id_bits(const struct in_jit_frame *f)
{
    uint64_t most = 0;
    for (uint32_t k = 0; k < 3; k++)
        most =
            f->global_offset[k] + f->global_size[k] > most ? f->global_offset[k] + f->global_size[k] : most;
    return most <= 1u << 16 ? 16 : most <= 1u << 20 ? 20 : most <= 1u << 24 ? 24 : 31;
}

static bool is_instrumented(const struct in_launch *l)
{
    return l->recorder || l->checks;
}

static uint32_t flags_of(const struct in_jit_run *run, const struct in_launch *l)
{
    uint32_t flags = (l->step_limit != 0 ? IN_JIT_COUNTS : 0) | (l->exact ? IN_JIT_EXACT : 0);
    bool lookups = run->module->kernels[l->kernel].code->noted.lookups;
    if (is_instrumented(l))
        flags |= IN_JIT_INSTRUMENTED | (l->checks ? IN_JIT_CHECKS : 0) |
                 (run->frame.global_size[1] * run->frame.global_size[2] == 1 ? IN_JIT_ONE_ROW : 0) |
                 (l->follows_svm ? IN_JIT_SVM : 0) | (lookups ? IN_JIT_LOOKUPS : 0) |
                 id_bits(&run->frame) << IN_JIT_ID_BITS;
    return flags;
}

/* in_jit_options.formats of argument K. */
static uint16_t format_of(const struct in_run *launch, uint32_t k)
{
    const struct in_handle *h = &launch->handles[k];
    enum in_argument_kind kind = launch->info->arguments[k].kind;
    if (kind == IN_ARG_IMAGE && h->has_image)
        return in_jit_image_format(&h->image);
    if (kind == IN_ARG_SAMPLER && has_literal_word(h))
        return (uint16_t)(1 + (sampler_word(&h->sampler) & ~IN_JIT_LITERAL_SAMPLER));
    return 0;
}

/* What compiling depends on, from RUN's geometry and LAUNCH's arguments. */
static struct in_jit_options options_of(const struct in_jit_run *run, const struct in_run *launch)
{
    const uint64_t *local = run->frame.local_size;
    struct in_jit_options options = {{(uint32_t)local[0], (uint32_t)local[1], (uint32_t)local[2]},
                                     flat_size(&run->frame),
                                     flags_of(run, &launch->launch),
                                     {0}};
    for (uint32_t k = 0; launch->handles && k < launch->info->argument_count && k < IN_JIT_FORMATS; k++)
        options.formats[k] = format_of(launch, k);
    return options;
}

/* The memory that argument K leads to; NULL: none, or unknown. */
static const struct in_object *object_of(const struct in_run *launch, uint32_t k)
{
    enum in_argument_kind kind = launch->info->arguments[k].kind;
    return kind == IN_ARG_GLOBAL || kind == IN_ARG_CONSTANT ? launch->arguments[k].object
           : kind == IN_ARG_IMAGE                           ? launch->handles[k].object
                                                            : NULL;
}

/* Whether two arguments lead to the same memory. */
static bool are_aliased(const struct in_run *launch)
{
    for (uint32_t i = 0; i < launch->info->argument_count; i++) {
        const struct in_object *a = object_of(launch, i);
        if (!a && launch->arguments[i].address != 0)
            return true;
        for (uint32_t k = 0; a && k < i; k++) {
            const struct in_object *b = object_of(launch, k);
            if (b && a->address < b->address + b->size && b->address < a->address + a->size)
                return true;
        }
    }
    return false;
}

/* Two arguments lead to the same memory, and work-items may wait for one another through it, or its accesses
 * have been reordered: code that expects it. */
static void compile_for_aliases(struct in_jit_run *run, struct in_kernel *kernel,
                                struct in_jit_options *options, bool edge)
{
    const struct in_jit_kernel *k = run->kernel;
    bool matters =
        k && k->covered && (k->shape.assumes_disjoint || (!k->shape.waits && k->shape.waits_if_aliased));
    if (!matters || !are_aliased(run->launch))
        return;
    options->flags |= IN_JIT_ALIASED;
    run->kernel = in_jit_compile(run->module, kernel, options, edge);
}

/* An instrumented launch in which work-items may wait: code that leaves the launch to the interpreter if they
 * do. */
static void compile_with_clocks(struct in_jit_run *run, struct in_kernel *kernel,
                                struct in_jit_options *options, bool edge)
{
    const struct in_jit_kernel *k = run->kernel;
    if (!k || k->covered || !k->shape.waits || k->shape.barriers || k->calls.any ||
        !(options->flags & IN_JIT_INSTRUMENTED))
        return;
    options->flags |= IN_JIT_CLOCKS;
    run->kernel = in_jit_compile(run->module, kernel, options, edge);
}

/* An instrumented launch in which the parts of work-items overlap that are assumed to be disjoint: code with
 * tags. */
static void compile_with_tags(struct in_jit_run *run, struct in_kernel *kernel,
                              struct in_jit_options *options, bool edge)
{
    const struct in_jit_kernel *k = run->kernel;
    if (!k || !k->covered || !(options->flags & IN_JIT_INSTRUMENTED) ||
        in_grids_hold(&k->shape.shadow_plan, run))
        return;
    options->flags |= IN_JIT_NO_GRIDS;
    run->kernel = in_jit_compile(run->module, kernel, options, edge);
}

/* An instrumented launch of which the ranges do not hold that decide checks: code that does not depend on
 * them. */
static void compile_with_checks(struct in_jit_run *run, struct in_kernel *kernel,
                                struct in_jit_options *options, bool edge)
{
    const struct in_jit_kernel *k = run->kernel;
    if (!k->holds)
        return;
    in_set_argument_sizes(run);
    if (k->holds(&run->frame))
        return;
    options->flags |= IN_JIT_NO_RANGES;
    run->kernel = in_jit_compile(run->module, kernel, options, edge);
}

static int64_t launch_budget(const struct in_run *launch)
{
    uint64_t limit = launch->launch.step_limit;
    return limit == 0 || limit > INT64_MAX ? INT64_MAX : (int64_t)(limit - launch->executed);
}

/* The first work-group is the launch's next; false: it begins inside one of those that compiled code
 * takes. */
static bool skip_to(struct in_jit_run *run, uint64_t group)
{
    const struct in_run *launch = run->launch;
    uint64_t row = group / launch->group_count[0];
    uint64_t item = group % launch->group_count[0] * launch->launch.local_size[0];
    atomic_store(&run->next, row * run->group_count[0] + item / run->local_size[0]);
    return item % run->local_size[0] == 0;
}

/* Whether the launch's part can be executed while other work-items have begun elsewhere and do not continue:
 * none waits for them; those of a divided work-group share no barriers and no local memory. */
static bool may_split(const struct in_jit_kernel *kernel, bool group)
{
    return !kernel->shape.waits && !kernel->calls.any &&
           (!group || (!kernel->shape.barriers && kernel->layout.local_bytes == 0));
}

static bool is_covered(const struct in_jit_run *run, char *why, size_t why_size)
{
    if (run->kernel && run->kernel->covered)
        return true;
    snprintf(why, why_size, "%s", run->kernel ? run->kernel->why : "out of memory, or the process ends");
    return false;
}

static enum in_jit_begin prepare_run(struct in_jit_run *run, char *why, size_t why_size)
{
    const struct in_launch *l = &run->launch->launch;
    struct in_module *m = run->module;
    struct in_kernel *kernel = &m->kernels[l->kernel];
    bool edge;
    if (!set_geometry(run, l, &edge)) {
        snprintf(why, why_size, "ids beyond 32 bits");
        return IN_JIT_DECLINES;
    }
    struct in_jit_options options = options_of(run, run->launch);
    if (run->launch->promotion.one)
        options = in_jit_any_size(&options);
    else
        in_jit_choose_variant(kernel, &options, edge, estimated_work(run, kernel->code));
    run->frame.budget = launch_budget(run->launch);
    run->kernel = in_jit_compile(m, kernel, &options, edge);
    compile_for_aliases(run, kernel, &options, edge);
    compile_with_clocks(run, kernel, &options, edge);
    compile_with_tags(run, kernel, &options, edge);
    if (!is_covered(run, why, why_size))
        return IN_JIT_DECLINES;
    if (!place_arguments(run, &kernel->info)) {
        snprintf(why, why_size, "out of memory");
        return IN_JIT_DECLINES;
    }
    compile_with_checks(run, kernel, &options, edge);
    if (!is_covered(run, why, why_size))
        return IN_JIT_DECLINES;
    divide_groups(run);
    if (run->launch->promotion.part && !may_split(run->kernel, run->launch->promotion.first_item > 0)) {
        snprintf(why, why_size, "work-items that depend on others");
        return IN_JIT_DECLINES;
    }
    run->frame.first_item = run->launch->promotion.first_item;
    if (!skip_to(run, run->launch->progress.next_group))
        return IN_JIT_NOT_HERE;
    const uint64_t *local = run->frame.local_size;
    uint64_t items = local[0] * local[1] * local[2];
    run->frame.work_dim = l->dimensions;
    run->frame.sub_group_size = l->sub_group_size;
    run->frame.enqueued_sub_groups = (items + l->sub_group_size - 1) / l->sub_group_size;
    run->frame.program = l->instance->base;
    if (run->launch->promotion.one)
        run->groups = atomic_load(&run->next) + 1;
    if (!(options.flags & IN_JIT_INSTRUMENTED))
        return IN_JIT_BEGINS;
    run->frame.shadow.fill = l->zero_local ? 0 : l->local_pattern;
    run->frame.shadow.fill_bytes =
        l->zero_local || l->local_pattern != 0 ? run->local_bytes - IN_JIT_CALLOUT_BYTES : 0;
    return in_instrument_begin(run, why, why_size) ? IN_JIT_BEGINS : IN_JIT_DECLINES;
}

/* The shadow is most of the structure: filling it with zeros would be a large part of a short launch. */
static size_t run_bytes(const struct in_launch *l)
{
    return is_instrumented(l) ? sizeof(struct in_jit_run)
                              : offsetof(struct in_jit_run, frame) + offsetof(struct in_jit_frame, shadow);
}

enum in_jit_begin in_jit_run_create(struct in_run *launch, struct in_jit_run **out, char *why,
                                    size_t why_size)
{
    struct in_jit_run *run = mm_alloc_zero(1, run_bytes(&launch->launch));
    if (!run)
        return IN_JIT_DECLINES;
    run->launch = launch;
    run->module = launch->module;
    in_module_retain(run->module);
    enum in_jit_begin result = prepare_run(run, why, why_size);
    if (result != IN_JIT_BEGINS) {
        in_jit_run_destroy(run);
        return result;
    }
    in_jit_launch_enter(run);
    *out = run;
    return IN_JIT_BEGINS;
}

void in_jit_run_prepare(const struct in_run *launch)
{
    struct in_jit_run run = {.module = launch->module};
    bool edge;
    if (!set_geometry(&run, &launch->launch, &edge))
        return;
    struct in_jit_options options = options_of(&run, launch);
    struct in_kernel *kernel = &launch->module->kernels[launch->launch.kernel];
    in_jit_choose_variant(kernel, &options, edge, estimated_work(&run, kernel->code));
    in_background_compile(launch->module, kernel, &options, edge);
}
