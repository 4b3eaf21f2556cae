/* OpSelect of vectors by one condition: SPIR-V 1.4 has it; translators emit it in older modules, too, which
 * are accepted unless the module is read strictly.  [SPIRV 3.49.15] */
#include "spv.h"

static const char text[] = "OpCapability Addresses\n"
                           "OpCapability Kernel\n"
                           "OpMemoryModel Physical64 OpenCL\n"
                           "OpEntryPoint Kernel %k \"k\"\n"
                           "%void = OpTypeVoid\n"
                           "%bool = OpTypeBool\n"
                           "%uint = OpTypeInt 32 0\n"
                           "%v3uint = OpTypeVector %uint 3\n"
                           "%v4uint = OpTypeVector %uint 4\n"
                           "%ptr = OpTypePointer CrossWorkgroup %v4uint\n"
                           "%fn = OpTypeFunction %void %ptr\n"
                           "%c0 = OpConstant %uint 0\n"
                           "%c1 = OpConstant %uint 1\n"
                           "%k = OpFunction %void None %fn\n"
                           "%p = OpFunctionParameter %ptr\n"
                           "%b = OpLabel\n"
                           "%q = OpInBoundsPtrAccessChain %ptr %p %c1\n"
                           "%x = OpLoad %v4uint %p Aligned 16\n"
                           "%y = OpLoad %v4uint %q Aligned 16\n"
                           "%first = OpCompositeExtract %uint %x 0\n"
                           "%cond = OpIEqual %bool %first %c1\n"
                           "%s = OpSelect %v4uint %cond %y %x\n"
                           "%x3 = OpVectorShuffle %v3uint %x %x 0 1 2\n"
                           "%y3 = OpVectorShuffle %v3uint %y %y 0 1 2\n"
                           "%s3 = OpSelect %v3uint %cond %x3 %y3\n"
                           "%s4 = OpVectorShuffle %v4uint %s3 %s3 0 1 2 2\n"
                           "OpStore %p %s Aligned 16\n"
                           "OpStore %q %s4 Aligned 16\n"
                           "OpReturn\n"
                           "OpFunctionEnd\n";

static void test_one_condition(void **state)
{
    (void)state;
    const spv_target_env versions[] = {SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_3, SPV_ENV_UNIVERSAL_1_4};
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++)
        for (uint32_t first = 0; first < 2; first++) {
            spv_version = versions[v];
            uint32_t data[8] = {first, 2, 3, 4, 5, 6, 7, 8};
            const uint32_t chosen[2][8] = {{0, 2, 3, 4, 5, 6, 7, 7}, {5, 6, 7, 8, 1, 2, 3, 3}};
            struct in_object buffer = spv_buffer(data, sizeof data, 1);
            struct in_launch launch = {.global_size = {1, 1, 1}, .local_size = {1, 1, 1}};
            struct spv_run run;
            assert_int_equal(spv_execute(text, &launch, &buffer, 1, &run), MM_OK);
            assert_memory_equal(data, chosen[first], sizeof data);
        }
}

static void test_strictly(void **state)
{
    (void)state;
    size_t count;
    struct in_module *module;
    struct mm_error err = {.message = ""};
    const struct in_module_options strict = {.strict = true};
    spv_version = SPV_ENV_UNIVERSAL_1_0;
    uint32_t *words = spv_assemble(text, &count);
    assert_int_equal(in_module_create(words, count, &strict, &module, NULL, &err), MM_INVALID);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_condition), cmocka_unit_test(test_strictly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
