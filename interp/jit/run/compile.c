/* Compiling a kernel: emit, inline, make the loops over work-items, optimize. */
#include "interp/jit/run/compile.h"
#include "builtins_bc.h"
#include "interp/jit/instrument/launch.h"
#include "interp/jit/instrument/lower_checks.h"
#include "interp/jit/llvm/llvm_shim.h"
#include "interp/jit/run/fibers.h"
#include "interp/jit/run/object_cache.h"
#include "interp/jit/vectorize/cancellation.h"
#include "interp/jit/vectorize/spinning.h"
#include "interp/jit/vectorize/work_item_loops.h"
#include "memmodel/base/clock.h"
#include "memmodel/base/privilege.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One kernel is compiled at a time.  LLVM may end the process while it compiles: stop_at_exit() must not wait
 * for the thread that it runs in. */
static pthread_mutex_t compiling = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static LLVMTargetMachineRef machine;
static atomic_bool ended;
static pid_t process;

/* ---- the process's JIT ------------------------------------------------------------------- */

static bool make_machine(char *why, size_t why_size)
{
    char *triple = LLVMGetDefaultTargetTriple(), *cpu = LLVMGetHostCPUName(), *message = NULL;
    char *features = LLVMGetHostCPUFeatures();
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(triple, &target, &message) == 0)
        machine = LLVMCreateTargetMachine(target, triple, cpu, features, LLVMCodeGenLevelDefault,
                                          LLVMRelocPIC, LLVMCodeModelJITDefault);
    if (!machine)
        snprintf(why, why_size, "LLVM: %s", message ? message : "no target machine");
    LLVMDisposeMessage(message);
    LLVMDisposeMessage(triple);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    return machine != NULL;
}

void in_jit_stop_compiling(bool stop)
{
    atomic_store(&ended, stop);
    in_shim_stop_passes(stop);
    if (pthread_mutex_lock(&compiling) == 0)
        pthread_mutex_unlock(&compiling);
}

static bool compiler_start(char *why, size_t why_size)
{
    if (machine)
        return true;
    in_shim_initialize_target();
    return make_machine(why, why_size);
}

/* ---- from module to code ----------------------------------------------------------------- */

static void dump_module(LLVMModuleRef module, const char *stage)
{
    const char *wanted = mm_getenv("REFCL_JIT_DUMP");
    if (!wanted || strcmp(wanted, stage) != 0)
        return;
    char *text = LLVMPrintModuleToString(module);
    fprintf(stderr, "%s\n", text);
    LLVMDisposeMessage(text);
}

/* Before work-items become loops: everything in one function, short loops unrolled.  Functions are simplified
 * before they are copied to their calls, as passes take more than twice the time for twice the code; not by
 * simplifycfg, which leaves fewer loops that loop-rotate recognizes.  adce deletes what loops compute for
 * themselves alone, such as members of a structure that nothing reads. */
static const char inline_all[] =
    "function(sroa,early-cse),always-inline,cgscc(inline),globaldce,function(sroa,adce)";
static const char inline_image_paths[] = "always-inline,globaldce,function(sroa)";
static const char take_apart[] = "function(scalarize)";
#define CLEAN(cse)                                                                                           \
    "function(" cse ",combine,simplifycfg,loop-simplify,lcssa,loop(loop-rotate),"                            \
    "loop-mssa(licm),loop(indvars),loop-simplify)"
/* Instrumented code does without <memssa>, which makes it no faster. */
static const char clean[] = CLEAN("early-cse<memssa>"), clean_instrumented[] = CLEAN("early-cse");
static const char prepare[] =
    "function(loop-simplify,lcssa,loop(unroll-full),sroa,combine,simplifycfg,loop-simplify)";

/* The work-item's code must be in its loops before ids lose their flags and constant loads their marks. */
#define OPTIMIZE(split)                                                                                      \
    "function(sroa,early-cse,simplifycfg,loop-simplify,lcssa,loop-mssa(licm),range-checks,instsimplify,"     \
    "simplifycfg,loop-simplify,lcssa,tighten-bounds," split "simplifycfg,lower-switches,"                    \
    "instsimplify,loop-simplify,lcssa,loop-mssa(licm),loop(indvars),widen-vectors,force-vectors,"            \
    "access-order),function(loop-vectorize<interleave-forced-only;vectorize-forced-only>,"                   \
    "loop-simplify,lcssa,loop(indvars,loop-deletion,loop-unroll-full),combine,simplifycfg,sroa,"             \
    "early-cse),default<O3>,function(unroll-scalar,sroa,early-cse,combine,simplifycfg)"

/* Passes take more than twice the time for twice the code, and -O3 several times as much for nested loops. */
enum { LARGE = 12000, DEEP = 8, MOST_CODE = 1 << 18, DEEPEST = 48, MOST_IMAGE_CODE = 2500 };
static const char optimize_large[] = "function(sroa,early-cse,simplifycfg,combine),default<O1>";

static bool optimize_module(LLVMModuleRef module, bool instrumented)
{
    bool large = in_shim_size(module) > LARGE || in_shim_loop_depth(module) > DEEP;
    const char *small = instrumented ? OPTIMIZE("") : OPTIMIZE("loop-simplify,lcssa,split-index-sets,");
    return in_shim_passes(module, machine, large ? optimize_large : small, !large);
}

static bool processor_has(const char *feature)
{
    char *features = LLVMGetTargetMachineFeatureString(machine);
    bool has = strstr(features, feature) != NULL;
    LLVMDisposeMessage(features);
    return has;
}

/* Of 32 bits in the widest vectors of this processor. */
static unsigned vector_lanes(void)
{
    return processor_has("+avx512vl") ? 16 : processor_has("+avx2") ? 8 : 4;
}

static bool compile_fail(struct in_jit_kernel *k, const char *why)
{
    snprintf(k->why, sizeof k->why, "%s", why);
    return false;
}

static bool is_instrumented(const struct in_jit_kernel *k)
{
    return k->options.flags & IN_JIT_INSTRUMENTED;
}

static bool run_passes(const struct in_emit *e, const char *pipeline)
{
    return in_shim_passes(e->module, machine, pipeline, false);
}

/* Checks what the emitters made, and adds the library functions that it calls. */
static bool link_builtins(struct in_emit *e, struct in_jit_kernel *k)
{
    char *message = NULL;
    bool broken = LLVMVerifyModule(e->module, LLVMReturnStatusAction, &message);
    if (broken)
        snprintf(k->why, sizeof k->why, "LLVM: %.120s", message);
    LLVMDisposeMessage(message);
    if (broken)
        return false;
    LLVMModuleRef builtins = e->builtins;
    e->builtins = NULL;
    return in_shim_link_needed(e->module, builtins, e->converts_halves) || compile_fail(k, "linking failed");
}

/* The code of one work-item in one function, instrumented if it is to be. */
static LLVMValueRef simplify_item(struct in_emit *e, struct in_jit_kernel *k, LLVMValueRef shared)
{
    in_shim_neutral(e->module, "item", 0);
    in_shim_keep_accuracy(e->module, k->options.flags & IN_JIT_EXACT);
    bool passed = run_passes(e, inline_all);
    in_fix_image_formats(e, LLVMGetNamedFunction(e->module, "item"));
    if (in_shim_inline_image_paths(e->module, MOST_IMAGE_CODE))
        passed &= run_passes(e, inline_image_paths);
    if (in_shim_size(e->module) > MOST_CODE || in_shim_loop_depth(e->module) > DEEPEST) {
        compile_fail(k, "too much code, or loops nested too deeply");
        return NULL;
    }
    LLVMValueRef item = LLVMGetNamedFunction(e->module, "item");
    if (passed && is_instrumented(k)) {
        if (!run_passes(e, "function(early-cse)") || !in_instrument_lower(e, k, shared) ||
            !run_passes(e, "function(sroa)"))
            return NULL;
        dump_module(e->module, "instrumented");
    }
    passed &= in_shim_keeps_vectors(item) || run_passes(e, take_apart);
    passed &= run_passes(e, is_instrumented(k) ? clean_instrumented : clean);
    if (passed && !(k->options.flags & IN_JIT_ANY_SIZE))
        in_shim_apply_local_ranges(item, k->options.local_size, k->edge);
    in_shim_mark_unroll(item);
    if (!passed || !run_passes(e, prepare)) {
        compile_fail(k, "LLVM: no such pass");
        return NULL;
    }
    if (is_instrumented(k)) {
        in_shim_finish_checks(item);
        if (!run_passes(e, "function(combine,simplifycfg,loop-simplify)"))
            return NULL;
    }
    dump_module(e->module, "item");
    return item;
}

/* Of a work-group, so that cache lines are reused from row to row. */
enum { LEAST_ROWS = 4 };

/* Work-items of a work-group of K, which does not see work-groups; in edge code, sizes need not divide the
 * launch.  Subscripts restart at 0 every PERIOD work-items (0: none does).  LLVM vectorizes the loop if none
 * restarts within a work-group, and checks that at run time: with a global offset, some of the work-groups of
 * a period fail the check, so that smaller ones are better. */
static uint32_t flat_group_size(const struct in_jit_kernel *k, uint32_t period)
{
    const uint32_t least = 64, most = 256; /* below LEAST, calls of work-groups cost more than vectors gain */
    uint32_t size = k->options.flat_size, part = period < most ? period : most;
    bool restarts = period >= least && period < size && size % part == 0 && !k->edge;
    return restarts ? part : size;
}

/* How the code of ITEM becomes that of a work-group. */
static bool find_shape(const struct in_emit *e, struct in_jit_kernel *k, LLVMValueRef item)
{
    bool aliased = k->options.flags & IN_JIT_ALIASED;
    /* With clocks, work-items that wait leave their loops: no other one has to execute meanwhile. */
    bool clocks = is_instrumented(k) && k->shape.shadow_plan.clocks;
    bool retries = is_instrumented(k);
    k->shape.waits = e->calls->fibers || (!clocks && in_shim_may_spin(item, aliased, retries));
    k->shape.waits_if_aliased = k->shape.waits || (!clocks && in_shim_may_spin(item, true, retries));
    k->shape.barriers = in_shim_has_barriers(item);
    if (k->shape.waits && is_instrumented(k))
        return compile_fail(k, "work-items that wait for one another in an instrumented launch");
    bool any_size = k->options.flags & IN_JIT_ANY_SIZE,
         rows = any_size || k->options.local_size[1] >= LEAST_ROWS;
    bool constant = !any_size && !k->edge && !is_instrumented(k) && !k->calls.any;
    k->shape.flat =
        !k->shape.waits && !clocks &&
        (in_shim_is_flat(item) || (constant && in_shim_make_flat(item, k->options.local_size[0]))) &&
        !(rows && in_shim_strides_far(item));
    if (k->shape.flat && !any_size)
        k->shape.group_size[0] = flat_group_size(k, in_shim_period(item));
    return true;
}

/* Whether instrumented code stores only the flag.  All else depends on which work-items become lanes. */
static bool only_flags(const struct in_shadow_plan *plan)
{
    bool stores = plan->local != 0 || plan->program != 0 || plan->dynamic != 0 || plan->clocks;
    for (uint32_t a = 0; a < IN_SHADOW_ARGUMENTS; a++)
        stores |= (plan->uses[a] & IN_SHADOW_TAGGED) || in_shadow_has_undo(plan->uses[a]);
    return !stores;
}

/* Whether no order of work-items can be observed, and there are enough of them in the second dimension. */
static bool may_swap_dimensions(const struct in_jit_kernel *k, LLVMValueRef item)
{
    return !k->shape.waits && !k->shape.barriers && !k->shape.flat && !in_shim_has_atomics(item) &&
           !k->calls.any && (!is_instrumented(k) || only_flags(&k->shape.shadow_plan)) &&
           !(k->options.flags & IN_JIT_ANY_SIZE) && k->shape.group_size[1] >= LEAST_ROWS;
}

/* Where instrumented code finds what local memory holds when a work-group begins. */
static void set_fill(const struct in_emit *e, const struct in_jit_kernel *k, struct in_loops *loops)
{
    const struct in_kernel_info *info = &e->kernel->info;
    bool arguments = false;
    for (uint32_t a = 0; a < info->argument_count; a++)
        arguments |= info->arguments[a].kind == IN_ARG_LOCAL;
    uint64_t variables = k->layout.local_bytes - IN_JIT_CALLOUT_BYTES;
    if (!is_instrumented(k) || (variables == 0 && !arguments))
        return;
    loops->fill_at = offsetof(struct in_jit_frame, shadow.fill);
    loops->fill_bytes_at = offsetof(struct in_jit_frame, shadow.fill_bytes);
    loops->local_at = IN_JIT_CALLOUT_BYTES;
    loops->local_bytes = arguments ? 0 : variables;
}

/* The loops over the work-items of a group, or the entry for fibers. */
static bool make_group(const struct in_emit *e, struct in_jit_kernel *k, LLVMValueRef item,
                       LLVMValueRef shared)
{
    bool clocks = is_instrumented(k) && k->shape.shadow_plan.clocks;
    bool outlined = is_instrumented(k) && k->shape.shadow_plan.outlined;
    bool any_size = k->options.flags & IN_JIT_ANY_SIZE;
    struct in_loops loops = {.edge = k->edge,
                             .access_group = shared,
                             .any_size = any_size,
                             .lanes = any_size || clocks || outlined ? 0 : vector_lanes(),
                             .frame_bytes = is_instrumented(k) ? sizeof(struct in_jit_frame)
                                                               : offsetof(struct in_jit_frame, shadow),
                             .offset_at = offsetof(struct in_jit_frame, global_offset),
                             .group_size_at = offsetof(struct in_jit_frame, group_size),
                             .first_item_at = offsetof(struct in_jit_frame, first_item)};
    set_fill(e, k, &loops);
    memcpy(loops.local_size, k->shape.group_size, sizeof loops.local_size);
    if (may_swap_dimensions(k, item) && in_shim_swap_dimensions(item)) {
        loops.swapped = true;
        loops.local_size[0] = k->shape.group_size[1];
        loops.local_size[1] = k->shape.group_size[0];
    }
    if (k->shape.waits) {
        in_shim_make_fiber_entry(e->module, &loops);
    } else {
        in_shim_lower_local(item);
        k->shape.shares = in_shim_has_atomics(item);
        in_shim_compute_early(item);
        if (vector_lanes() >= 16)
            in_shim_lower_for_vectors(item);
        if (!in_shim_make_loops(e->module, &loops, k->why, sizeof k->why))
            return false;
    }
    k->shape.context_bytes = loops.context_bytes;
    dump_module(e->module, "loops");
    return true;
}

static bool finish_group(const struct in_emit *e, struct in_jit_kernel *k)
{
    in_shim_neutral(e->module, "run.", vector_lanes() * 32);
    if (!run_passes(e, "always-inline,globaldce"))
        return false;
    if (is_instrumented(k))
        in_shim_collect_flags(e->module, offsetof(struct in_jit_frame, shadow.deoptimized));
    in_shim_drop_scopes(e->module);
    in_shim_declare_slow_vectors(e->module, vector_lanes());
    if (!is_instrumented(k) && !(k->options.flags & IN_JIT_ALIASED))
        in_shim_let_assume_disjoint(e->module, offsetof(struct in_jit_frame, arguments),
                                    offsetof(struct in_jit_frame, program));
    if (!optimize_module(e->module, is_instrumented(k)))
        return false;
    k->shape.assumes_disjoint = in_shim_assumes_disjoint(e->module);
    in_shim_add_cancellation(e->module,
                             &(struct in_cancellation){.stop_offset = offsetof(struct in_jit_frame, stop),
                                                       .budget_offset = offsetof(struct in_jit_frame, budget),
                                                       .counts = k->options.flags & IN_JIT_COUNTS});
    in_shim_bound_scheduling(e->module);
    dump_module(e->module, "optimized");
    return true;
}

/* From the code of one work-item to that of a work-group. */
static bool transform_kernel(struct in_emit *e, struct in_jit_kernel *k, LLVMValueRef shared)
{
    dump_module(e->module, "emitted");
    LLVMValueRef item = link_builtins(e, k) ? simplify_item(e, k, shared) : NULL;
    return item && find_shape(e, k, item) && make_group(e, k, item, shared) && finish_group(e, k);
}

/* ---- one kernel -------------------------------------------------------------------------- */

static bool emit_kernel(struct in_emit *e, struct in_jit_kernel *k)
{
    const struct in_module *m = e->m;
    e->values = mm_alloc_zero(m->bound + 1, sizeof *e->values);
    e->blocks = mm_alloc_zero(m->bound + 1, sizeof *e->blocks);
    e->functions = mm_alloc_zero(m->function_count + 1, sizeof *e->functions);
    if (!e->values || !e->blocks || !e->functions)
        return in_emit_fail(e, "out of memory");
    e->module = LLVMModuleCreateWithNameInContext(m->name, e->c);
    char *triple = LLVMGetDefaultTargetTriple();
    LLVMSetTarget(e->module, triple);
    LLVMDisposeMessage(triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(e->module, layout);
    LLVMDisposeTargetData(layout);
    e->builtins = in_shim_lazy_module(e->c, in_builtins_bc, in_builtins_bc_size);
    if (!e->builtins)
        return in_emit_fail(e, "LLVM: the built-in functions are no bitcode");
    e->shared = in_shim_access_group(e->c);
    e->converts_halves = processor_has("+f16c");
    LLVMValueRef shared = e->shared;
    return in_emit_kernel(e) && transform_kernel(e, k, shared);
}

static LLVMMemoryBufferRef to_object(struct in_jit_kernel *k, LLVMModuleRef module)
{
    LLVMMemoryBufferRef object = NULL;
    char *message = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object)) {
        snprintf(k->why, sizeof k->why, "LLVM: %.120s", message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    return object;
}

static void stop_at_exit(void)
{
    if (getpid() == process) /* a child has no thread that could finish */
        in_jit_stop_compiling(true);
}

/* LLVM constructs static variables at first use and destroys them at exit, in reverse order.  Compiling a
 * function that does nothing constructs the usual ones before STOP_AT_EXIT is registered, so that they are
 * not destroyed while a thread compiles. */
static bool construct_statics(struct in_jit_kernel *k)
{
    static bool settled;
    if (settled)
        return true;
    LLVMContextRef c = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("nothing", c);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMTypeRef word = LLVMInt32TypeInContext(c), type = LLVMFunctionType(word, &word, 1, false);
    LLVMValueRef function = LLVMAddFunction(module, "nothing", type);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, function, ""));
    LLVMBuildRet(b, LLVMGetParam(function, 0));
    LLVMMemoryBufferRef object = to_object(k, module);
    LLVMDisposeBuilder(b);
    LLVMDisposeModule(module);
    LLVMContextDispose(c);
    if (!object)
        return false;
    LLVMDisposeMemoryBuffer(object);
    process = getpid();
    settled = atexit(stop_at_exit) == 0;
    if (!settled)
        snprintf(k->why, sizeof k->why, "out of memory, or the process ends");
    return settled;
}

static LLVMMemoryBufferRef make_object(struct in_jit_kernel *k, struct in_emit *e)
{
    if (!construct_statics(k))
        return NULL;
    e->c = LLVMContextCreate();
    e->b = LLVMCreateBuilderInContext(e->c);
    LLVMMemoryBufferRef object = emit_kernel(e, k) && !atomic_load(&ended) ? to_object(k, e->module) : NULL;
    if (e->builtins)
        LLVMDisposeModule(e->builtins);
    LLVMDisposeBuilder(e->b);
    if (e->module)
        LLVMDisposeModule(e->module);
    LLVMContextDispose(e->c);
    mm_free(e->values);
    mm_free(e->blocks);
    mm_free(e->functions);
    return object;
}

static void compile_kernel(struct in_jit_kernel *k, struct in_module *m, struct in_kernel *kernel)
{
    struct in_emit e = {.m = m,
                        .kernel = kernel,
                        .options = &k->options,
                        .layout = &k->layout,
                        .calls = &k->calls,
                        .failure.why = k->why,
                        .failure.size = sizeof k->why};
    struct mm_error err;
    k->layout.argument_offsets = mm_alloc_zero(kernel->info.argument_count + 1, sizeof(uint64_t));
    if (!k->layout.argument_offsets || !compiler_start(k->why, sizeof k->why))
        return;
    if (in_jit_calls_create(&k->calls, m, kernel, &err) != MM_OK) {
        snprintf(k->why, sizeof k->why, "%.150s", err.message);
        return;
    }
    e.local_offsets = mm_alloc_zero(m->global_count + 1, sizeof *e.local_offsets);
    if (!e.local_offsets)
        return;
    in_emit_lay_out(&e);
    const struct in_jit_shape fresh = k->shape;
    LLVMMemoryBufferRef object = in_object_cache_get(k, m, kernel, machine);
    k->kept = object && in_jit_load(k, object);
    k->covered = k->kept;
    k->shape = k->kept ? k->shape : fresh;
    if (!k->kept && (object = make_object(k, &e))) {
        in_object_cache_put(k, m, kernel, machine, object);
        k->covered = in_jit_load(k, object);
    }
    if (!k->covered && atomic_load(&ended))
        snprintf(k->why, sizeof k->why, "the process ends");
    mm_free(e.local_offsets);
}

static bool note_wanted(void)
{
    return mm_getenv("REFCL_DEBUG") && strstr(mm_getenv("REFCL_DEBUG"), "jit") != NULL;
}

static struct in_jit_kernel *kernel_add(struct in_module *module, struct in_kernel *kernel,
                                        const struct in_jit_options *options, bool edge)
{
    struct in_jit_kernel *k = mm_alloc_zero(1, sizeof *k);
    if (!k)
        return NULL;
    k->options = *options;
    memcpy(k->shape.group_size, options->local_size, sizeof k->shape.group_size);
    k->edge = edge || (options->flags & IN_JIT_ANY_SIZE);
    double start_time = mm_clock_seconds(CLOCK_MONOTONIC);
    compile_kernel(k, module, kernel);
    if (note_wanted())
        fprintf(stderr, "refcl: jit: kernel %s, local size %s%u x %u x %u: %s, %.1f ms\n", kernel->info.name,
                options->flags & IN_JIT_ANY_SIZE ? "up to " : "", options->local_size[0],
                options->local_size[1], options->local_size[2],
                k->kept                                             ? "loaded"
                : k->covered && (options->flags & IN_JIT_NO_RANGES) ? "compiled with all checks"
                : k->covered                                        ? "compiled"
                                                                    : k->why,
                1e3 * (mm_clock_seconds(CLOCK_MONOTONIC) - start_time));
    k->next = kernel->code->native; /* under COMPILING */
    __atomic_store_n(&kernel->code->native, k, __ATOMIC_RELEASE);
    return k;
}

/* Entries are added at the front and live as long as the module: reading takes no lock. */
static struct in_jit_kernel *first_compiled(const struct in_kernel *kernel)
{
    return __atomic_load_n(&kernel->code->native, __ATOMIC_ACQUIRE);
}

/* For any formats of images. */
static bool fits_size(const struct in_jit_kernel *k, const struct in_jit_options *options, bool edge)
{
    return memcmp(k->options.local_size, options->local_size, sizeof options->local_size) == 0 &&
           k->options.flags == options->flags &&
           (!k->shape.flat || k->options.flat_size == options->flat_size) && (!edge || k->edge);
}

static bool fits_options(const struct in_jit_kernel *k, const struct in_jit_options *options, bool edge)
{
    return memcmp(k->options.formats, options->formats, sizeof options->formats) == 0 &&
           fits_size(k, options, edge);
}

static struct in_jit_kernel *kernel_find(const struct in_kernel *kernel, const struct in_jit_options *options,
                                         bool edge)
{
    struct in_jit_kernel *k = first_compiled(kernel);
    while (k && !fits_options(k, options, edge))
        k = k->next;
    return k;
}

/* ---- for any local size ------------------------------------------------------------------ */

/* A kernel is compiled for its first SPECIALIZED local sizes, and for those in which it executes WORTH
 * instructions: compiling takes as long as that.  All other launches share code for any size.  For each size,
 * the same holds of combinations of image formats: others share code for any format, which takes up to six
 * times as long for each texel. */
enum { SPECIALIZED = 2, WORTH = 1 << 28, LEAST_ITEMS = 64 };

struct in_jit_options in_jit_any_size(const struct in_jit_options *options)
{
    uint64_t items = (uint64_t)options->local_size[0] * options->local_size[1] * options->local_size[2];
    uint32_t most = LEAST_ITEMS;
    while (most < items)
        most *= 2;
    return (struct in_jit_options){{most, 1, 1}, 0, options->flags | IN_JIT_ANY_SIZE, {0}};
}

/* Whether the work of launches that use SHARED, with WORK, exceeds what compiling for one of them costs. */
static bool exceeds_compile_cost(struct in_jit_kernel *shared, double work)
{
    uint64_t added = work < WORTH ? (uint64_t)work : WORTH;
    bool over = added >= WORTH || (shared && atomic_fetch_add(&shared->work, added) + added >= WORTH);
    if (over && shared)
        atomic_store(&shared->work, 0);
    return over;
}

void in_jit_choose_variant(const struct in_kernel *kernel, struct in_jit_options *options, bool edge,
                           double work)
{
    struct in_jit_options any = in_jit_any_size(options), any_format = *options;
    unsigned specialized = 0, formats = 0;
    bool exact = false;
    memset(any_format.formats, 0, sizeof any_format.formats);
    for (struct in_jit_kernel *k = first_compiled(kernel); k; k = k->next) {
        exact |= fits_options(k, options, edge);
        if (fits_size(k, options, edge))
            formats++;
        else
            specialized += k->options.flags == options->flags;
    }
    if (!exact && formats >= SPECIALIZED &&
        !exceeds_compile_cost(kernel_find(kernel, &any_format, edge), work))
        *options = any_format;
    if (!exact && formats == 0 && specialized >= SPECIALIZED && !(options->flags & IN_JIT_INSTRUMENTED) &&
        !exceeds_compile_cost(kernel_find(kernel, &any, true), work))
        *options = any;
}

/* A thread that finds it compiling waits. */
struct in_jit_kernel *in_jit_compile(struct in_module *module, struct in_kernel *kernel,
                                     const struct in_jit_options *options, bool edge)
{
    struct in_jit_kernel *k = kernel_find(kernel, options, edge);
    if (k)
        return k;
    pthread_mutex_lock(&compiling);
    k = kernel_find(kernel, options, edge);
    if (!k && !atomic_load(&ended))
        k = kernel_add(module, kernel, options, edge);
    pthread_mutex_unlock(&compiling);
    return k;
}

void in_jit_forget(void *native)
{
    for (struct in_jit_kernel *k = native, *next; k; k = next) {
        next = k->next;
        in_jit_unload(k);
        in_jit_calls_destroy(&k->calls);
        mm_free(k->layout.argument_offsets);
        mm_free(k);
    }
}
