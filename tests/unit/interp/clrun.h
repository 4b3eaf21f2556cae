/* Runs OpenCL C in tests without the runtime: compiled by the helper, executed by the interpreter, with the
 * test's arguments. */
#ifndef TESTS_UNIT_INTERP_CLRUN_H
#define TESTS_UNIT_INTERP_CLRUN_H

#include "interp/interp.h"
#include "ref-runtime/compiler/compiler.h"
#include "spv.h"
#include <unistd.h>

#define CLR_EXTENSIONS                                                                                       \
    "cl_khr_fp64 cl_khr_fp16 cl_khr_3d_image_writes cl_khr_depth_images cl_khr_subgroups "                   \
    "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_subgroup_extended_types "                \
    "cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_arithmetic "        \
    "cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative cl_khr_subgroup_clustered_reduce "             \
    "cl_khr_integer_dot_product cl_khr_expect_assume cl_ext_float_atomics cl_khr_extended_bit_ops "          \
    "cl_khr_subgroup_rotate cl_khr_work_group_uniform_arithmetic cl_khr_extended_async_copies "              \
    "cl_khr_mipmap_image cl_khr_mipmap_image_writes"
#define CLR_FEATURES                                                                                         \
    "__opencl_c_pipes __opencl_c_generic_address_space __opencl_c_work_group_collective_functions "          \
    "__opencl_c_atomic_order_acq_rel __opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device "        \
    "__opencl_c_atomic_scope_all_devices __opencl_c_device_enqueue __opencl_c_read_write_images "            \
    "__opencl_c_program_scope_global_variables __opencl_c_images __opencl_c_3d_image_writes "                \
    "__opencl_c_fp64 __opencl_c_int64 __opencl_c_subgroups "                                                 \
    "__opencl_c_integer_dot_product_input_4x8bit __opencl_c_integer_dot_product_input_4x8bit_packed "        \
    "__opencl_c_ext_fp32_global_atomic_add __opencl_c_ext_fp32_local_atomic_add "                            \
    "__opencl_c_ext_fp32_global_atomic_min_max __opencl_c_ext_fp32_local_atomic_min_max"

static inline int clr_find_helper(void **state)
{
    (void)state;
    char path[4096];
    const char *build = getenv("BUILD");
    char *cwd = getcwd(NULL, 0);
    if (!cwd)
        return -1;
    snprintf(path, sizeof path, "%s/%s/refcl-compiler", build && *build == '/' ? "" : cwd,
             build ? build : "build");
    free(cwd);
    return setenv("REFCL_COMPILER", path, 0);
}

/* Opcodes in the modules compiled so far. */
__attribute__((unused)) static bool clr_seen[65536];

static inline void clr_note(const uint32_t *words, size_t count)
{
    for (size_t at = 5; at < count && words[at] >> 16 != 0; at += words[at] >> 16)
        clr_seen[words[at] & 0xffff] = true;
}

/* Fails unless the programs of the test contained each of the given opcodes. */
static inline void clr_must_have_seen(const char *const *names, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        bool found = false;
        for (uint32_t op = 0; op < 65536 && !found; op++)
            found = clr_seen[op] && strcmp(spvOpcodeString(op), names[k] + 2) == 0;
        if (!found)
            fail_msg("no program of this test contains %s", names[k]);
    }
}

/* SPIR-V of OpenCL C; if compilation fails, the test fails with the log. */
__attribute__((unused)) static struct rt_binary clr_compile(const char *source, const char *options)
{
    struct rt_compile_request request = {.source = source,
                                         .source_size = strlen(source),
                                         .file = "test.cl",
                                         .options = options,
                                         .extensions = CLR_EXTENSIONS,
                                         .features = CLR_FEATURES};
    struct rt_binary binary = {NULL, 0};
    struct mm_error err = {.message = ""};
    char *log = NULL;
    if (rt_compile(&request, &binary, &log, &err) != MM_OK)
        fail_msg("%s%s", log != NULL ? log : "", err.message);
    mm_free(log);
    return binary;
}

static inline struct in_module *clr_module(const char *source)
{
    struct rt_binary binary = clr_compile(source, "-cl-std=CL3.0 -g");
    struct mm_error err = {.message = ""};
    clr_note(binary.data, binary.size / 4);
    struct in_module *module = NULL;
    struct in_module_options options = {.name = "test.cl", .subscripts = true};
    if (in_module_create(binary.data, binary.size, &options, &module, NULL, &err) != MM_OK)
        fail_msg("%s [%s]", err.message, err.rule);
    mm_free(binary.data);
    return module;
}

struct clr_launch {
    const char *kernel;
    struct in_argument args[8];
    uint64_t global[3];
    uint32_t local[3];
    uint32_t sub_group, max_findings;
    enum in_schedule schedule;
    uint64_t seed;
    struct mm_recorder *recorder;
    bool unchecked, unshadowed; /* UNSHADOWED: uninitialized values are not checked */
};

static inline struct in_argument clr_buffer(struct in_object *o)
{
    return (struct in_argument){.address = o->address, .object = o};
}

/* Runs a kernel to the end; ENVIRONMENT's context is OUT unless it has its own. */
static inline enum mm_class clr_run(struct in_instance *instance, struct in_module *module,
                                    const struct clr_launch *l, struct spv_run *out)
{
    struct in_launch launch = {.instance = instance,
                               .kernel = in_module_find_kernel(module, l->kernel),
                               .arguments = l->args,
                               .dimensions = 3,
                               .sub_group_size = l->sub_group ? l->sub_group : 4,
                               .schedule = l->schedule,
                               .seed = l->seed,
                               .max_findings = l->max_findings,
                               .checks = !l->unchecked,
                               .uninitialized = !l->unchecked && !l->unshadowed,
                               .recorder = l->recorder,
                               .command = 1};
    for (int k = 0; k < 3; k++) {
        launch.global_size[k] = l->global[k] ? l->global[k] : 1;
        launch.local_size[k] = l->local[k] ? l->local[k] : 1;
    }
    if (launch.kernel == SIZE_MAX)
        fail_msg("no kernel %s", l->kernel);
    struct in_run *run = NULL;
    bool done = false;
    enum mm_class result = in_run_create(&launch, &run, &out->err);
    if (result != MM_OK)
        return result;
    while (!done)
        result = in_run_step(run, 10000, &done, &out->err);
    out->instructions = in_run_instruction_count(run);
    in_run_destroy(run);
    return result;
}

/* One kernel of one source, with a plain environment. */
static inline enum mm_class clr_once(const char *source, const struct clr_launch *l, struct spv_run *out)
{
    struct in_module *module = clr_module(source);
    struct in_instance *instance = NULL;
    struct in_environment environment = {.context = out, .print = spv_on_print, .finding = spv_on_finding};
    memset(out, 0, sizeof *out);
    assert_int_equal(in_instance_create(module, &environment, l->recorder, &instance, &out->err), MM_OK);
    enum mm_class result = clr_run(instance, module, l, out);
    in_instance_destroy(instance);
    in_module_release(module);
    return result;
}

#endif
