/* The read interface for modules: decoding without validation, values for specialization constants, and
 * refused modules. [SPIRV 2.3, 2.4] */
#include "interp/spirv.h"
#include "spv.h"

static const char text[] =
    "OpCapability Kernel\nOpCapability Addresses\n"
    "OpMemoryModel Physical64 OpenCL\n"
    "OpEntryPoint Kernel %k \"first\"\nOpEntryPoint Kernel %k \"second\"\n"
    "%file = OpString \"a.cl\"\n"
    "OpName %n \"length\"\nOpDecorate %n SpecId 7\nOpDecorate %array ArrayStride 16\n"
    "OpMemberDecorate %pair 1 Offset 12\n"
    "OpDecorate %group CPacked\n%group = OpDecorationGroup\nOpGroupDecorate %group %packed\n"
    "%void = OpTypeVoid\n%u32 = OpTypeInt 32 0\n%s8 = OpTypeInt 8 1\n"
    "%n = OpSpecConstant %u32 4\n%flag = OpConstant %s8 -1\n%v3 = OpTypeVector %s8 3\n"
    "%array = OpTypeArray %v3 %n\n%rest = OpTypeRuntimeArray %u32\n"
    "%pair = OpTypeStruct %s8 %u32\n%packed = OpTypeStruct %s8 %u32\n"
    "%some = OpUndef %s8\n%three = OpConstantComposite %v3 %flag %some %flag\n"
    "%sum = OpSpecConstantOp %u32 IAdd %n %n\n"
    "%fn = OpTypeFunction %void %u32\n"
    "%k = OpFunction %void None %fn\n%a = OpFunctionParameter %u32\n%entry = OpLabel\n"
    "OpLine %file 12 3\n%r = OpIAdd %u32 %a %n\nOpNoLine\nOpReturn\nOpFunctionEnd\n";

static struct in_module *read_text(const char *source)
{
    struct in_module *module = NULL;
    struct mm_error err = {0};
    size_t size;
    uint32_t *words = spv_assemble(source, &size);
    if (in_spirv_read(words, size, &(struct in_spirv_options){.name = "test"}, &module, &err) != MM_OK)
        fail_msg("%s", err.message);
    free(words);
    return module;
}

/* Result of the instruction with this OPCODE, the Nth of them. */
static uint32_t result_of(const struct in_module *m, uint32_t opcode, unsigned n)
{
    for (struct in_inst i = {0}; in_spirv_next(m, &i);)
        if (i.opcode == opcode && n-- == 0)
            return i.result;
    fail();
    return 0;
}

static const struct in_id *id_of(const struct in_module *m, uint32_t opcode, unsigned n)
{
    return in_spirv_id(m, result_of(m, opcode, n));
}

static bool five(void *context, uint32_t id, const struct in_ty *ty, uint64_t *value)
{
    assert_int_equal(ty->kind, IN_TY_INT);
    ++*(int *)context;
    *value = 5;
    return id != 0;
}

static void test_decoding(void **state)
{
    (void)state;
    struct in_module *m = read_text(text);
    struct mm_error err = {0};
    int asked = 0;
    assert_int_equal(in_spirv_memory_model(m), SpvMemoryModelOpenCL);
    assert_string_equal(in_spirv_entry(m, 1)->name, "second");
    assert_int_equal(in_spirv_entry(m, 0)->function, result_of(m, SpvOpFunction, 0));
    assert_null(in_spirv_entry(m, 2));
    assert_null(in_spirv_id(m, in_spirv_bound(m)));
    assert_string_equal(id_of(m, SpvOpSpecConstant, 0)->name, "length");
    assert_int_equal(id_of(m, SpvOpSpecConstant, 0)->spec_id, 7);
    assert_null(in_spirv_function(m, in_spirv_entry(m, 0)->function));
    assert_int_equal(in_spirv_declare(m, &(struct in_spirv_values){five, &asked}, &err), MM_OK);
    assert_int_equal(asked, 1);
    assert_int_equal(id_of(m, SpvOpTypeArray, 0)->ty->count, 5);
    assert_int_equal(id_of(m, SpvOpTypeArray, 0)->ty->size, 5 * 16);
    assert_int_equal(id_of(m, SpvOpTypeVector, 0)->ty->size, 4);
    assert_true(id_of(m, SpvOpTypeInt, 1)->ty->is_signed);
    assert_int_equal(id_of(m, SpvOpTypeStruct, 0)->ty->offsets[1], 12);
    assert_int_equal(id_of(m, SpvOpTypeStruct, 1)->ty->offsets[1], 1);
    assert_int_equal(id_of(m, SpvOpConstantComposite, 0)->bytes[2], 255);
    assert_true(id_of(m, SpvOpConstantComposite, 0)->undefined);
    assert_false(id_of(m, SpvOpConstant, 0)->undefined);
    assert_int_equal(id_of(m, SpvOpSpecConstantOp, 0)->kind, IN_ID_NONE);
    const struct in_function *f = in_spirv_function(m, result_of(m, SpvOpFunction, 0));
    assert_int_equal(f->param_count, 1);
    assert_int_equal(f->params[0], result_of(m, SpvOpFunctionParameter, 0));
    in_module_release(m);
}

static void test_places(void **state)
{
    (void)state;
    struct in_module *m = read_text(text);
    unsigned number = 0;
    for (struct in_inst i = {0}; in_spirv_next(m, &i); number++) {
        assert_int_equal(i.number, number);
        assert_int_equal(i.line, i.opcode == SpvOpIAdd || i.opcode == SpvOpNoLine ? 12 : 0);
        assert_int_equal(i.column, i.line ? 3 : 0);
    }
    assert_int_equal(number, 35);
    in_module_release(m);
}

/* In either byte order. */
static void test_specialization(void **state)
{
    (void)state;
    static const char source[] = "OpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n"
                                 "OpDecorate %n SpecId 7\nOpDecorate %yes SpecId 8\nOpDecorate %no SpecId 9\n"
                                 "%u64 = OpTypeInt 64 0\n%bool = OpTypeBool\n%n = OpSpecConstant %u64 4\n"
                                 "%yes = OpSpecConstantTrue %bool\n%no = OpSpecConstantFalse %bool\n";
    const struct in_spec_constant constants[] = {{8, 1, 0}, {7, 8, 0x500000006}, {3, 4, 9}};
    struct mm_error err = {0};
    for (int swapped = 0; swapped < 2; swapped++) {
        size_t size;
        uint32_t *words = spv_assemble(source, &size);
        for (size_t k = 0; k < size / 4 && swapped; k++)
            words[k] = __builtin_bswap32(words[k]);
        assert_true(in_spirv_is(words, size));
        assert_int_equal(in_spirv_specialize(words, size, constants, 3, &err), MM_OK);
        struct in_module *m = NULL;
        assert_int_equal(in_spirv_read(words, size, &(struct in_spirv_options){.name = ""}, &m, &err), MM_OK);
        assert_int_equal(in_spirv_declare(m, NULL, &err), MM_OK);
        assert_int_equal(*(const uint64_t *)(const void *)id_of(m, SpvOpSpecConstant, 0)->bytes, 0x500000006);
        assert_int_equal(id_of(m, SpvOpSpecConstantFalse, 0)->bytes[0], 0);
        assert_int_equal(result_of(m, SpvOpSpecConstantFalse, 1) - result_of(m, SpvOpSpecConstantFalse, 0),
                         1);
        in_module_release(m);
        free(words);
    }
}

static void test_refusals(void **state)
{
    static const struct {
        const char *source, *message;
        enum mm_class cls;
    } cases[] = {
        {"%u = OpTypeInt 32 0\n%f = OpFunction %u None %u\n", "function type", MM_INVALID},
        {"%v = OpTypeVoid\n%t = OpTypeFunction %v\n%f = OpFunction %v None %t\n%l = OpLabel\nOpReturn\n",
         "no end", MM_INVALID},
        {"%v = OpTypeVoid\n%a = OpTypeVector %v 2\n", "not a scalar", MM_INVALID},
        {"%u = OpTypeInt 32 0\n%n = OpConstant %u 0\n%a = OpTypeArray %u %n\n", "without elements",
         MM_INVALID},
        {"%u = OpTypeInt 32 0\n%a = OpTypeArray %u %u\n", "not a constant", MM_INVALID},
        {"%w = OpTypeInt 128 0\n", "of 128 bits", MM_LIMIT},
        {"%u = OpTypeInt 64 0\n%n = OpConstant %u 0xffffffff\n%a = OpTypeArray %u %n\n"
         "%s = OpTypeStruct %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a %a "
         "%a %a %a %a\n",
         "structure of more", MM_LIMIT},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct mm_error err = {0};
        struct in_module *m = read_text(cases[k].source);
        assert_int_equal(in_spirv_declare(m, NULL, &err), cases[k].cls);
        if (!strstr(err.message, cases[k].message))
            fail_msg("%s", err.message);
        in_module_release(m);
    }
}

/* One object would need an address that is a multiple of 12, its neighbor one that is a multiple of 8. */
static void test_alignment(void **state)
{
    (void)state;
    struct in_module *m = NULL;
    struct mm_error err = {0};
    size_t size;
    uint32_t *words = spv_assemble("OpDecorate %u Alignment 12\n%u = OpTypeInt 32 0\n", &size);
    assert_int_equal(in_spirv_read(words, size, &(struct in_spirv_options){.name = "test"}, &m, &err),
                     MM_INVALID);
    assert_non_null(strstr(err.message, "alignment 12 is not a power of two"));
    free(words);
}

static void test_limits(void **state)
{
    (void)state;
    struct in_module *m = NULL;
    struct mm_error err = {0};
    size_t size;
    uint32_t *words = spv_assemble(text, &size);
    struct in_spirv_options options = {.name = "test", .bound_limit = 20};
    assert_int_equal(in_spirv_read(words, size, &options, &m, &err), MM_LIMIT);
    assert_null(m);
    for (size_t cut = 0; cut < size; cut++) {
        options.bound_limit = 0;
        if (in_spirv_read(words, cut, &options, &m, &err) == MM_OK &&
            in_spirv_declare(m, NULL, &err) == MM_OK)
            assert_int_equal(cut % 4, 0);
        in_module_release(m);
        m = NULL;
    }
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decoding),       cmocka_unit_test(test_places),
        cmocka_unit_test(test_specialization), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_alignment),      cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
