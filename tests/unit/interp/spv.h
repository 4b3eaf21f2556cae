/* Assembling and running SPIR-V text in tests. */
#ifndef TESTS_UNIT_INTERP_SPV_H
#define TESTS_UNIT_INTERP_SPV_H

#include "interp/interp.h"
#include <setjmp.h>
#define kDefaultMaxIdBound spv_test_max_id_bound /* defined by the header, once per program */
#include <spirv-tools/libspirv.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SPV_HEAD                                                                                             \
    "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\nOpCapability Int16\nOpCapability "     \
    "Int8\n"                                                                                                 \
    "OpCapability Float64\nOpCapability Float16\nOpCapability Vector16\nOpCapability Groups\n"               \
    "OpCapability GenericPointer\nOpCapability Int64Atomics\nOpCapability SubgroupDispatch\n"                \
    "OpCapability BitInstructions\nOpCapability Linkage\nOpExtension \"SPV_KHR_bit_instructions\"\n"         \
    "%std = OpExtInstImport \"OpenCL.std\"\nOpMemoryModel Physical64 OpenCL\n"
#define SPV_TYPES                                                                                            \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%u8 = OpTypeInt 8 0\n%u16 = OpTypeInt 16 0\n"                   \
    "%u32 = OpTypeInt 32 0\n%u64 = OpTypeInt 64 0\n%f16 = OpTypeFloat 16\n%f32 = OpTypeFloat 32\n"           \
    "%f64 = OpTypeFloat 64\n%v3u64 = OpTypeVector %u64 3\n%pin = OpTypePointer Input %v3u64\n"               \
    "%gid = OpVariable %pin Input\n%lid = OpVariable %pin Input\n%grp = OpVariable %pin Input\n"             \
    "%c0 = OpConstant %u32 0\n%c1 = OpConstant %u32 1\n%c2 = OpConstant %u32 2\n%c3 = OpConstant %u32 3\n"   \
    "%l0 = OpConstant %u64 0\n%l1 = OpConstant %u64 1\n%seqall = OpConstant %u32 784\n"                      \
    "%pu32 = OpTypePointer CrossWorkgroup %u32\n%kfn = OpTypeFunction %void %pu32\n"
#define SPV_BUILTINS                                                                                         \
    "OpDecorate %gid BuiltIn GlobalInvocationId\nOpDecorate %lid BuiltIn LocalInvocationId\n"                \
    "OpDecorate %grp BuiltIn WorkgroupId\n"
#define SPV_ENTRY "OpEntryPoint Kernel %k \"k\" %gid %lid %grp\n"

/* Opcodes of the module that was loaded last. */
static bool spv_loaded[1 << 16];

static inline enum mm_class spv_module_create(const void *words, size_t size,
                                              const struct in_module_options *options,
                                              struct in_module **module, char **log, struct mm_error *err)
{
    const uint32_t *w = words;
    enum mm_class result = in_module_create(words, size, options, module, log, err);

    memset(spv_loaded, 0, sizeof spv_loaded);
    for (size_t at = 5; result == MM_OK && at < size / 4 && w[at] >> 16 > 0; at += w[at] >> 16)
        spv_loaded[w[at] & 0xffff] = true;
    return result;
}

/* When a launch has ended, the opcodes of its module are appended to the file $REFCL_OPCODES: test_matrix.py
 * lists those that no test executes. */
static inline enum mm_class spv_run_step(struct in_run *run, uint64_t quantum, bool *done,
                                         struct mm_error *err)
{
    enum mm_class result = in_run_step(run, quantum, done, err);
    const char *path = getenv("REFCL_OPCODES");
    FILE *out = *done && path ? fopen(path, "a") : NULL;

    for (size_t opcode = 0; out && opcode < sizeof spv_loaded; opcode++) {
        if (spv_loaded[opcode])
            fprintf(out, "%zu\n", opcode);
        spv_loaded[opcode] = false;
    }
    if (out)
        fclose(out);
    return result;
}
#define in_module_create spv_module_create
#define in_run_step      spv_run_step

/* SPIR-V version of the modules. */
__attribute__((unused)) static spv_target_env spv_version = SPV_ENV_UNIVERSAL_1_3;
/* Checks of undefined behavior are off: all of them, or those of uninitialized values. */
__attribute__((unused)) static bool spv_unchecked, spv_unshadowed;

struct spv_run {
    char kind[64], message[400];
    uint32_t findings, line, work_item;
    char output[4096];
    struct mm_error err;
    uint64_t instructions;
};

static inline void spv_on_finding(void *context, const struct in_finding *f)
{
    struct spv_run *r = context;
    r->findings++;
    r->line = f->source->line;
    r->work_item = f->work_item;
    snprintf(r->kind, sizeof r->kind, "%s", f->kind);
    snprintf(r->message, sizeof r->message, "%s", f->message);
}

static inline void spv_on_print(void *context, const char *text, size_t size)
{
    struct spv_run *r = context;
    size_t at = strlen(r->output);
    if (at + size < sizeof r->output)
        memcpy(r->output + at, text, size);
}

/* Words of TEXT, freed by the caller. */
static inline uint32_t *spv_assemble(const char *text, size_t *size)
{
    spv_context context = spvContextCreate(spv_version);
    spv_binary binary = NULL;
    spv_diagnostic diagnostic = NULL;
    if (spvTextToBinary(context, text, strlen(text), &binary, &diagnostic) != SPV_SUCCESS)
        fail_msg("line %zu: %s", diagnostic->position.line, diagnostic->error);
    uint32_t *words = malloc(binary->wordCount * 4);
    assert_non_null(words);
    memcpy(words, binary->code, binary->wordCount * 4);
    *size = binary->wordCount * 4;
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    return words;
}

static inline enum mm_class spv_load(const char *text, struct in_module **module, struct mm_error *err)
{
    size_t size;
    uint32_t *words = spv_assemble(text, &size);
    struct in_module_options options = {.name = "test.spvasm"};
    enum mm_class result = in_module_create(words, size, &options, module, NULL, err);
    free(words);
    return result;
}

/* Runs kernel "k" with one buffer argument per BUFFERS entry; LAUNCH has sizes, schedule and so on. */
static inline enum mm_class spv_execute(const char *text, struct in_launch *launch, struct in_object *buffers,
                                        uint32_t count, struct spv_run *out)
{
    struct in_module *module = NULL;
    struct in_instance *instance = NULL;
    struct in_run *run = NULL;
    struct in_argument args[8] = {{0}};
    struct in_environment environment = {.context = out, .print = spv_on_print, .finding = spv_on_finding};
    memset(out, 0, sizeof *out);
    enum mm_class result = spv_load(text, &module, &out->err);
    if (result != MM_OK)
        fail_msg("%s [%s]", out->err.message, out->err.rule);
    assert_int_equal(in_instance_create(module, &environment, launch->recorder, &instance, &out->err), MM_OK);
    for (uint32_t k = 0; k < count; k++) {
        args[k].address = buffers[k].address;
        args[k].local_size = buffers[k].size;
        args[k].object = &buffers[k];
        args[k].value = (const void *)(uintptr_t)buffers[k].address;
    }
    launch->instance = instance;
    launch->kernel = in_module_find_kernel(module, "k");
    launch->arguments = args;
    launch->dimensions = launch->dimensions == 0 ? 1 : launch->dimensions;
    launch->sub_group_size = launch->sub_group_size == 0 ? 4 : launch->sub_group_size;
    launch->checks = !spv_unchecked;
    launch->uninitialized = !spv_unchecked && !spv_unshadowed;
    launch->command = 1;
    bool done = false;
    assert_int_equal(in_run_create(launch, &run, &out->err), MM_OK);
    while (!done)
        result = in_run_step(run, 5000, &done, &out->err);
    out->instructions = in_run_instruction_count(run);
    in_run_destroy(run);
    in_instance_destroy(instance);
    in_module_release(module);
    return result;
}

static inline struct in_object spv_buffer(void *data, size_t size, uint32_t id)
{
    return (struct in_object){.address = (uint64_t)(uintptr_t)data,
                              .size = size,
                              .id = id,
                              .region = MM_GLOBAL,
                              .origin = MM_ORIGIN_BUFFER,
                              .name = "buffer"};
}

#endif
