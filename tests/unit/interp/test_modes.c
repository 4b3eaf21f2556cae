/* Options of modules, and what happens when memory runs out. */
#include "clrun.h"

/* Constructs that the validator refuses and all drivers accept are warnings, unless the module is read
 * strictly. */
static void test_warnings(void **state)
{
    static const char text[] = SPV_HEAD SPV_ENTRY SPV_BUILTINS SPV_TYPES
        "%pg = OpTypePointer Generic %u32\n%pf = OpTypePointer CrossWorkgroup %u32\n"
        "%v = OpVariable %pf CrossWorkgroup %c3\n%g = OpSpecConstantOp %pg PtrCastToGeneric %v\n"
        "%k = OpFunction %void None %kfn\n%out = OpFunctionParameter %pu32\n%e = OpLabel\n"
        "%x = OpLoad %u32 %g Aligned 4\nOpStore %out %x Aligned 4\nOpReturn\nOpFunctionEnd\n";
    size_t size;
    uint32_t *words = spv_assemble(text, &size);
    struct in_module *module = NULL;
    struct mm_error err;
    char *warnings = NULL;
    struct in_module_options options = {.name = "t"};
    (void)state;
    enum mm_class result = in_module_create(words, size, &options, &module, &warnings, &err);
    if (result != MM_OK)
        fail_msg("%s", err.message);
    in_module_release(module);
    options.strict = true;
    char *more = NULL;
    result = in_module_create(words, size, &options, &module, &more, &err);
    assert_int_equal(result, warnings != NULL ? MM_INVALID : MM_OK);
    in_module_release(module);
    mm_free(warnings);
    mm_free(more);
    free(words);
    uint32_t data[1] = {0};
    struct spv_run out;
    struct in_object buffer = spv_buffer(data, 4, 1);
    struct in_launch launch = {.global_size = {1}, .local_size = {1}};
    assert_int_equal(spv_execute(text, &launch, &buffer, 1, &out), MM_OK);
    assert_int_equal(data[0], 3);
}

struct scopes {
    uint8_t scope;
    uint32_t atomics;
};
static enum mm_class on_record(void *context, const struct mm_record *record)
{
    struct scopes *s = context;
    if (record->type == MM_RECORD_EVENT && record->event.kind == MM_RMW) {
        s->scope = record->event.scope;
        s->atomics++;
    }
    return MM_OK;
}

static uint8_t scope_in(const void *words, size_t size, bool literal)
{
    struct in_module_options options = {.name = "t", .literal_legacy_atomics = literal};
    struct in_module *module = NULL;
    struct in_instance *instance = NULL;
    struct spv_run out = {.findings = 0};
    struct scopes scopes = {0, 0};
    struct mm_sink sink = {.context = &scopes, .record = on_record};
    struct mm_recorder *recorder = mm_recorder_create(&sink);
    int32_t data[1] = {0};
    struct in_object o = spv_buffer(data, 4, 1);
    struct clr_launch l = {.kernel = "k", .args = {clr_buffer(&o)}, .global = {1}, .recorder = recorder};
    assert_int_equal(in_module_create(words, size, &options, &module, NULL, &out.err), MM_OK);
    assert_int_equal(in_instance_create(module, NULL, recorder, &instance, &out.err), MM_OK);
    assert_int_equal(clr_run(instance, module, &l, &out), MM_OK);
    mm_recorder_flush(recorder);
    assert_int_equal(scopes.atomics, 1);
    assert_int_equal(data[0], 1);
    in_instance_destroy(instance);
    in_module_release(module);
    mm_recorder_destroy(recorder);
    return scopes.scope;
}

static uint8_t scope_of(const char *source, bool literal)
{
    struct rt_binary binary = clr_compile(source, "-cl-std=CL3.0");
    uint8_t scope = scope_in(binary.data, binary.size, literal);
    mm_free(binary.data);
    return scope;
}

/* A relaxed atomic with work-group scope, in a module whose source language is SOURCE. */
#define ATOMIC_MODULE(source)                                                                                \
    SPV_HEAD SPV_ENTRY source SPV_BUILTINS SPV_TYPES                                                         \
        "%k = OpFunction %void None %kfn\n%p = OpFunctionParameter %pu32\n%e = OpLabel\n"                    \
        "%x = OpAtomicIAdd %u32 %p %c2 %c0 %c1\nOpReturn\nOpFunctionEnd\n"
static uint8_t scope_in_module(const char *text, bool literal)
{
    size_t size;
    uint32_t *words = spv_assemble(text, &size);
    uint8_t scope = scope_in(words, size, literal);
    free(words);
    return scope;
}

/* Atomics of OpenCL 1.x have device scope.  Translators emit work-group scope: in modules that may be from
 * OpenCL C it is treated as device scope, unless it is to be taken literally. */
static void test_legacy_atomics(void **state)
{
    static const char legacy[] = "kernel void k(volatile global int *a) { atomic_add(a, 1); }\n";
    static const char modern[] = "kernel void k(volatile global atomic_int *a) { "
                                 "atomic_fetch_add_explicit(a, 1, memory_order_relaxed, "
                                 "memory_scope_work_group); }\n";
    (void)state;
    assert_int_equal(scope_of(legacy, false), MM_SCOPE_DEVICE);
    assert_int_equal(scope_of(legacy, true), MM_SCOPE_DEVICE);
    assert_int_equal(scope_of(modern, false), MM_SCOPE_WORK_GROUP);
    assert_int_equal(scope_of(modern, true), MM_SCOPE_WORK_GROUP);
    assert_int_equal(scope_in_module(ATOMIC_MODULE("OpSource OpenCL_C 102000\n"), false), MM_SCOPE_DEVICE);
    assert_int_equal(scope_in_module(ATOMIC_MODULE("OpSource OpenCL_C 102000\n"), true), MM_SCOPE_WORK_GROUP);
    assert_int_equal(scope_in_module(ATOMIC_MODULE(""), false), MM_SCOPE_DEVICE);
    assert_int_equal(scope_in_module(ATOMIC_MODULE("OpSource OpenCL_CPP 100000\n"), false),
                     MM_SCOPE_WORK_GROUP);
}

/* Each allocation fails once: an error, never a crash. */
static void test_out_of_memory(void **state)
{
    static const char source[] =
        "constant int table[3] = {1, 2, 3}; global int counter;\n"
        "int f(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }\n"
        "kernel void k(global int *a, local int *l) { int t[4] = {1, 2, 3, 4}; l[get_local_id(0)] = a[0];\n"
        "  barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = f(t, 4) + table[a[1] & 1] + l[0];\n"
        "  atomic_inc(&counter); printf(\"%d\\n\", work_group_reduce_add(sub_group_shuffle_xor(a[0], 1))); "
        "}\n";
    struct rt_binary binary = clr_compile(source, "-cl-std=CL3.0");
    uint32_t failures = 0;
    (void)state;
    for (size_t n = 1; n < 2000; n++) {
        struct in_module *module = NULL;
        struct in_instance *instance = NULL;
        struct in_run *run = NULL;
        struct spv_run out = {.findings = 0};
        int32_t data[8] = {0};
        struct in_object o = spv_buffer(data, sizeof data, 1);
        struct in_environment environment = {
            .context = &out, .print = spv_on_print, .finding = spv_on_finding};
        struct in_argument args[2] = {clr_buffer(&o), {.local_size = 64}};
        bool done = false;
        mm_alloc_fail_after(n);
        enum mm_class result = in_module_create(binary.data, binary.size, NULL, &module, NULL, &out.err);
        if (result == MM_OK)
            result = in_instance_create(module, &environment, NULL, &instance, &out.err);
        struct in_launch launch = {.instance = instance,
                                   .arguments = args,
                                   .dimensions = 1,
                                   .global_size = {8},
                                   .local_size = {4},
                                   .sub_group_size = 4,
                                   .checks = true,
                                   .uninitialized = true,
                                   .max_findings = 100};
        if (result == MM_OK)
            result = in_run_create(&launch, &run, &out.err);
        while (result == MM_OK && !done)
            result = in_run_step(run, 0, &done, &out.err);
        mm_alloc_fail_after(0);
        failures += result == MM_LIMIT;
        assert_true(result == MM_OK || result == MM_LIMIT || result == MM_UNDEFINED);
        in_run_destroy(run);
        in_instance_destroy(instance);
        in_module_release(module);
    }
    assert_true(failures > 50);
    mm_free(binary.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_warnings), cmocka_unit_test(test_legacy_atomics),
                                       cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, clr_find_helper, NULL);
}
