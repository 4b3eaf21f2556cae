/* Named barriers: sub-groups that wait at one continue when as many have arrived as it was created for.
 * [SPIRV 3.49.20 OpNamedBarrierInitialize, OpMemoryNamedBarrier] */
#include "spv.h"

/* Sixteen work-items in four sub-groups.  %low: of the first two; %cell, %other: the elements of this one and
 * of the one at a distance of four. */
#define HEAD                                                                                                 \
    "OpCapability NamedBarrier\n" SPV_HEAD SPV_ENTRY SPV_BUILTINS SPV_TYPES                                  \
    "%nb = OpTypeNamedBarrier\n%c4 = OpConstant %u32 4\n%c5 = OpConstant %u32 5\n%c7 = OpConstant %u32 7\n"  \
    "%c8 = OpConstant %u32 8\n%c100 = OpConstant %u32 100\n%local = OpConstant %u32 264\n"                   \
    "%c16 = OpConstant %u32 16\n%room = OpTypeArray %u32 %c16\n%proom = OpTypePointer Workgroup %room\n"     \
    "%pw = OpTypePointer Workgroup %u32\n%shared = OpVariable %proom Workgroup\n"                            \
    "%k = OpFunction %void None %kfn\n%o = OpFunctionParameter %pu32\n%entry = OpLabel\n"                    \
    "%g3 = OpLoad %v3u64 %lid Aligned 32\n%gx = OpCompositeExtract %u64 %g3 0\n%i = OpUConvert %u32 %gx\n"   \
    "%low = OpULessThan %bool %i %c8\n%j = OpBitwiseXor %u32 %i %c4\n"                                       \
    "%cell = OpInBoundsAccessChain %pw %shared %i\n%other = OpInBoundsAccessChain %pw %shared %j\n"          \
    "%out = OpInBoundsPtrAccessChain %pu32 %o %i\n%value = OpIAdd %u32 %i %c100\n"
#define TAIL "OpReturn\nOpFunctionEnd\n"

static enum mm_class run(const char *text, enum in_schedule schedule, uint64_t seed, uint32_t *cells,
                         struct spv_run *out)
{
    memset(cells, 0, 64);
    struct in_object o = spv_buffer(cells, 64, 1);
    struct in_launch launch = {.global_size = {16}, .local_size = {16}, .schedule = schedule, .seed = seed};
    return spv_execute(text, &launch, &o, 1, out);
}

/* Each pair of sub-groups has a separate barrier, and waits for it at a separate instruction. */
static void test_pairs(void **state)
{
    (void)state;
    static const char text[] = HEAD
        "%a = OpNamedBarrierInitialize %nb %c2\n%b = OpNamedBarrierInitialize %nb %c2\n"
        "OpStore %cell %value Aligned 4\nOpSelectionMerge %join None\nOpBranchConditional %low %one %two\n"
        "%one = OpLabel\nOpMemoryNamedBarrier %a %c2 %local\nOpBranch %join\n"
        "%two = OpLabel\nOpMemoryNamedBarrier %b %c2 %local\nOpBranch %join\n"
        "%join = OpLabel\n%v = OpLoad %u32 %other Aligned 4\nOpStore %out %v Aligned 4\n" TAIL;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint32_t cells[16];
        struct spv_run out;
        assert_int_equal(run(text, seed == 1 ? IN_SEQUENTIAL : IN_RANDOM, seed, cells, &out), MM_OK);
        for (uint32_t k = 0; k < 16; k++)
            assert_int_equal(cells[k], (k ^ 4) + 100);
    }
}

/* Two sub-groups wait at it twice, the others continue without them. */
static void test_again(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "%a = OpNamedBarrierInitialize %nb %c2\nOpStore %cell %value Aligned 4\n"
             "OpSelectionMerge %join None\nOpBranchConditional %low %one %join\n%one = OpLabel\n"
             "OpMemoryNamedBarrier %a %c2 %local\n%v = OpLoad %u32 %other Aligned 4\n"
             "OpMemoryNamedBarrier %a %c2 %local\n%w = OpIAdd %u32 %v %c7\nOpStore %cell %w Aligned 4\n"
             "OpMemoryNamedBarrier %a %c2 %local\n%x = OpLoad %u32 %other Aligned 4\n"
             "OpStore %out %x Aligned 4\nOpBranch %join\n%join = OpLabel\n" TAIL;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint32_t cells[16];
        struct spv_run out;
        assert_int_equal(run(text, seed == 1 ? IN_FAIR : IN_RANDOM, seed, cells, &out), MM_OK);
        for (uint32_t k = 0; k < 16; k++)
            assert_int_equal(cells[k], k < 8 ? k + 107 : 0);
    }
}

static void test_wrong(void **state)
{
    (void)state;
    static const char *const texts[] = {
        /* more sub-groups than there are */
        HEAD "%a = OpNamedBarrierInitialize %nb %c5\nOpMemoryNamedBarrier %a %c2 %local\n" TAIL,
        /* half of the sub-groups that it is made for */
        HEAD "%a = OpNamedBarrierInitialize %nb %c4\nOpSelectionMerge %join None\n"
             "OpBranchConditional %low %one %join\n%one = OpLabel\nOpMemoryNamedBarrier %a %c2 %local\n"
             "OpBranch %join\n%join = OpLabel\n" TAIL,
        /* a part of a sub-group */
        HEAD "%a = OpNamedBarrierInitialize %nb %c1\n%odd = OpBitwiseAnd %u32 %i %c1\n"
             "%is = OpINotEqual %bool %odd %c0\nOpSelectionMerge %join None\n"
             "OpBranchConditional %is %one %join\n%one = OpLabel\nOpMemoryNamedBarrier %a %c2 %local\n"
             "OpBranch %join\n%join = OpLabel\n" TAIL,
        /* made by a part of the work-group */
        HEAD "OpSelectionMerge %join None\nOpBranchConditional %low %one %join\n%one = OpLabel\n"
             "%a = OpNamedBarrierInitialize %nb %c2\nOpBranch %join\n%join = OpLabel\n" TAIL};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        uint32_t cells[16];
        struct spv_run out;
        assert_int_equal(run(texts[k], IN_SEQUENTIAL, 1, cells, &out), MM_UNDEFINED);
        print_message("# %s: %s\n", out.kind, out.message);
        assert_string_equal(out.kind, "barrier-divergence");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs), cmocka_unit_test(test_again),
                                       cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
