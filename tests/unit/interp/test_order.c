/* Modules as optimizing producers write them: blocks before their dominators, headers that share a merge
 * block, entry points that do not list variables.  They run as if they were in order; in strict mode they are
 * refused [SPIRV 2.11, 2.16.1]. */
#include "spv.h"

#define KERNEL(body)                                                                                         \
    SPV_HEAD SPV_ENTRY SPV_BUILTINS SPV_TYPES "%k = OpFunction %void None %kfn\n"                            \
                                              "%out = OpFunctionParameter %pu32\n%entry = OpLabel\n"         \
                                              "%g = OpLoad %v3u64 %gid Aligned 32\n"                         \
                                              "%i = OpCompositeExtract %u64 %g 0\n"                          \
                                              "%i32 = OpUConvert %u32 %i\n"                                  \
                                              "%at = OpInBoundsPtrAccessChain %pu32 %out %i\n" body          \
                                              "OpReturn\nOpFunctionEnd\n"

static void expect(const char *text, const uint32_t want[4])
{
    uint32_t data[4] = {99, 99, 99, 99};
    struct in_object buffer = spv_buffer(data, sizeof data, 1);
    struct in_launch launch = {.global_size = {4}, .local_size = {4}};
    struct spv_run run;
    assert_int_equal(spv_execute(text, &launch, &buffer, 1, &run), MM_OK);
    for (int k = 0; k < 4; k++)
        assert_int_equal(data[k], want[k]);
}

static void expect_refused(const char *text, bool strict)
{
    size_t size;
    uint32_t *words = spv_assemble(text, &size);
    struct in_module_options options = {.name = "test.spvasm", .strict = strict};
    struct in_module *module = NULL;
    struct mm_error err;
    assert_int_equal(in_module_create(words, size, &options, &module, NULL, &err), MM_INVALID);
    assert_string_equal(err.rule, "SPIRV 2.16");
    free(words);
}

/* out[i] = i + (i + 1) * 2, by a block that precedes the one that computes its operand. */
#define LATE                                                                                                 \
    KERNEL("OpBranch %first\n%second = OpLabel\n%y = OpIAdd %u32 %i32 %x\nOpStore %at %y Aligned 4\n"        \
           "OpBranch %done\n%first = OpLabel\n%p = OpIAdd %u32 %i32 %c1\n%x = OpIMul %u32 %p %c2\n"          \
           "OpBranch %second\n%done = OpLabel\n")
/* out[i] = 0 + 1 + ... + i: a loop whose body precedes its header, after an unreachable block. */
#define LOOP                                                                                                 \
    KERNEL("OpBranch %head\n%lost = OpLabel\nOpBranch %body\n%body = OpLabel\n"                              \
           "%s2 = OpPhi %u32 %s %head %c0 %lost\n%n2 = OpPhi %u32 %n %head %c0 %lost\n"                      \
           "%s1 = OpIAdd %u32 %s2 %n2\n%n1 = OpIAdd %u32 %n2 %c1\n"                                          \
           "OpBranch %head\n%head = OpLabel\n%s = OpPhi %u32 %c0 %entry %s1 %body\n"                         \
           "%n = OpPhi %u32 %c0 %entry %n1 %body\n%go = OpULessThanEqual %bool %n %i32\n"                    \
           "OpBranchConditional %go %body %done\n%done = OpLabel\nOpStore %at %s Aligned 4\n")
/* out[i] = i < 2 ? (i < 1 ? 1 : 2) : 3, both conditions with the same merge block. */
#define SHARED                                                                                               \
    KERNEL("%a = OpULessThan %bool %i32 %c2\nOpSelectionMerge %m None\nOpBranchConditional %a %t %e\n"       \
           "%t = OpLabel\n%b = OpULessThan %bool %i32 %c1\nOpSelectionMerge %m None\n"                       \
           "OpBranchConditional %b %u %v\n%u = OpLabel\nOpBranch %m\n%v = OpLabel\nOpBranch %m\n"            \
           "%e = OpLabel\nOpBranch %m\n%m = OpLabel\n%r = OpPhi %u32 %c1 %u %c2 %v %c3 %e\n"                 \
           "OpStore %at %r Aligned 4\n")
/* out[i] = 5 from a variable that the entry point does not list, which is required since version 1.4. */
#define UNNAMED                                                                                              \
    SPV_HEAD SPV_ENTRY SPV_BUILTINS SPV_TYPES                                                                \
        "%c5 = OpConstant %u32 5\n%pc = OpTypePointer UniformConstant %u32\n"                                \
        "%five = OpVariable %pc UniformConstant %c5\n%k = OpFunction %void None %kfn\n"                      \
        "%out = OpFunctionParameter %pu32\n%entry = OpLabel\n%g = OpLoad %v3u64 %gid Aligned 32\n"           \
        "%i = OpCompositeExtract %u64 %g 0\n%at = OpInBoundsPtrAccessChain %pu32 %out %i\n"                  \
        "%x = OpLoad %u32 %five Aligned 4\nOpStore %at %x Aligned 4\nOpReturn\nOpFunctionEnd\n"
/* A value that is computed on only one path is an error in any order. */
#define ONE_PATH                                                                                             \
    KERNEL("%a = OpULessThan %bool %i32 %c2\nOpBranchConditional %a %t %m\n%m = OpLabel\n"                   \
           "OpStore %at %x Aligned 4\nOpBranch %done\n%t = OpLabel\n%x = OpIAdd %u32 %i32 %c1\n"             \
           "OpBranch %m\n%done = OpLabel\n")
/* A branch into another function. */
#define ELSEWHERE                                                                                            \
    SPV_HEAD SPV_BUILTINS SPV_TYPES "%f = OpFunction %void None %kfn\n%fo = OpFunctionParameter %pu32\n"     \
                                    "%f0 = OpLabel\nOpBranch %f1\n%f1 = OpLabel\nOpBranch %f2\n"             \
                                    "%f2 = OpLabel\nOpReturn\nOpFunctionEnd\n"                               \
                                    "%g = OpFunction %void None %kfn\n%go = OpFunctionParameter %pu32\n"     \
                                    "%g0 = OpLabel\nOpBranch %g1\n%g1 = OpLabel\nOpBranch %f2\n"             \
                                    "OpFunctionEnd\n"
/* A block without an end. */
#define OPEN KERNEL("OpBranch %a\n%b = OpLabel\n%a = OpLabel\n")

static void run_in_order(void **state)
{
    (void)state;
    expect(LATE, (const uint32_t[]){2, 5, 8, 11});
    expect(LOOP, (const uint32_t[]){0, 1, 3, 6});
    expect(SHARED, (const uint32_t[]){1, 2, 3, 3});
}

static void interface(void **state)
{
    (void)state;
    spv_version = SPV_ENV_UNIVERSAL_1_4;
    expect(UNNAMED, (const uint32_t[]){5, 5, 5, 5});
    expect_refused(UNNAMED, true);
    spv_version = SPV_ENV_UNIVERSAL_1_3;
}

static void refused(void **state)
{
    (void)state;
    expect_refused(LATE, true);
    expect_refused(SHARED, true);
    expect_refused(ONE_PATH, false);
    expect_refused(ELSEWHERE, false);
    expect_refused(OPEN, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(run_in_order), cmocka_unit_test(interface),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
