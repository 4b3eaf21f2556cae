/* Shared by tests of the compiler: a request with everything enabled, and queries of SPIR-V. */
#ifndef TESTS_UNIT_COMPILER_COMPILER_TEST_H
#define TESTS_UNIT_COMPILER_COMPILER_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <spirv-tools/libspirv.h>
#include <spirv/unified1/spirv.h>

#include "ref-runtime/compiler/compiler.h"

#define TEST_EXTENSIONS                                                                                      \
    "cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "   \
    "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_fp64 cl_khr_fp16 "           \
    "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_3d_image_writes cl_khr_depth_images "    \
    "cl_khr_gl_msaa_sharing cl_khr_mipmap_image cl_khr_mipmap_image_writes cl_khr_subgroups "                \
    "cl_khr_subgroup_extended_types cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_ballot "                \
    "cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative "       \
    "cl_khr_subgroup_clustered_reduce cl_khr_subgroup_rotate cl_khr_extended_bit_ops "                       \
    "cl_khr_integer_dot_product cl_khr_expect_assume cl_ext_float_atomics cl_khr_extended_async_copies "     \
    "cl_khr_work_group_uniform_arithmetic"
#define TEST_FEATURES                                                                                        \
    "__opencl_c_pipes __opencl_c_generic_address_space __opencl_c_work_group_collective_functions "          \
    "__opencl_c_atomic_order_acq_rel __opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device "        \
    "__opencl_c_atomic_scope_all_devices __opencl_c_device_enqueue __opencl_c_read_write_images "            \
    "__opencl_c_program_scope_global_variables __opencl_c_images __opencl_c_3d_image_writes "                \
    "__opencl_c_fp64 __opencl_c_int64 __opencl_c_subgroups __opencl_c_integer_dot_product_input_4x8bit "     \
    "__opencl_c_integer_dot_product_input_4x8bit_packed __opencl_c_ext_fp32_global_atomic_add "              \
    "__opencl_c_ext_fp32_local_atomic_add __opencl_c_ext_fp32_global_atomic_min_max "                        \
    "__opencl_c_ext_fp32_local_atomic_min_max"

/* The helper of the build under test, unless the environment names another. */
static inline int find_helper(void **state)
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

/* Two unreachable functions, the only ones that subtract and divide, and one with an exclusive or, which only
 * a block calls. */
static const char unreachable_text[] =
    "int flip(int x) { return x ^ 1; } int twice(int x) { return 2 * x; } uint half_of(uint x) { return x / 2; } "
    "uint unused(uint x) { return half_of(x) - 1; } "
    "void later(global int *a) "
    "{ enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ a[1] = flip(a[0]); }); } "
    "kernel void k(global int *a) { a[0] = twice(a[0]); later(a); }";

/* The result of one request. */
struct outcome {
    enum mm_class cls;
    struct rt_binary binary;
    char *log;
    struct mm_error err;
};

static inline struct outcome compile_request(const struct rt_compile_request *request)
{
    struct outcome o = {0};
    o.cls = rt_compile(request, &o.binary, &o.log, &o.err);
    return o;
}

static inline struct outcome compile_text(const char *text, const char *options)
{
    struct rt_compile_request request = {.source = text,
                                         .source_size = strlen(text),
                                         .file = "test.cl",
                                         .options = options,
                                         .extensions = TEST_EXTENSIONS,
                                         .features = TEST_FEATURES};
    return compile_request(&request);
}

static inline void outcome_free(struct outcome *o)
{
    mm_free(o->binary.data);
    mm_free(o->log);
}

static inline bool compiles(const char *text, const char *options)
{
    struct outcome o = compile_text(text, options);
    bool ok = o.cls == MM_OK;
    if (!ok && getenv("TEST_VERBOSE"))
        fprintf(stderr, "%s\n%s\n", options ? options : "", o.log ? o.log : o.err.message);
    outcome_free(&o);
    return ok;
}

/* Message of the validator, "" if the module is valid. */
static inline void validate(const struct rt_binary *binary, char *message, size_t size)
{
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_5);
    spv_diagnostic diagnostic = NULL;
    struct spv_const_binary_t words = {binary->data, binary->size / 4};
    *message = 0;
    if (spvValidate(context, &words, &diagnostic) != SPV_SUCCESS)
        snprintf(message, size, "%s", diagnostic ? diagnostic->error : "invalid");
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
}

/* Instructions with OPCODE; the last one goes to *LAST unless that is null. */
static inline size_t count_opcode(const struct rt_binary *binary, unsigned opcode, const uint32_t **last)
{
    const uint32_t *words = binary->data;
    size_t count = 0;
    for (size_t at = 5; at < binary->size / 4; at += words[at] >> 16) {
        if ((words[at] & 0xffff) != opcode)
            continue;
        count++;
        if (last)
            *last = words + at;
    }
    return count;
}

/* OUTCOME, of unreachable_text, is a valid module, and has the unreachable functions if it is a LIBRARY. */
static inline void expect_functions(const struct outcome *outcome, bool library)
{
    char message[512];
    if (outcome->cls != MM_OK)
        fail_msg("%s", outcome->log);
    validate(&outcome->binary, message, sizeof message);
    assert_string_equal(message, "");
    assert_int_equal(count_opcode(&outcome->binary, SpvOpISub, NULL), library);
    assert_int_equal(count_opcode(&outcome->binary, SpvOpUDiv, NULL), library);
    assert_int_equal(count_opcode(&outcome->binary, SpvOpIMul, NULL), 1);
    assert_int_equal(count_opcode(&outcome->binary, SpvOpBitwiseXor, NULL), 1);
}

static inline bool has_string(const struct rt_binary *binary, const char *text)
{
    const uint32_t *words = binary->data;
    for (size_t at = 5; at < binary->size / 4; at += words[at] >> 16)
        if ((words[at] & 0xffff) == SpvOpString && !strcmp((const char *)(words + at + 2), text))
            return true;
    return false;
}

#endif
