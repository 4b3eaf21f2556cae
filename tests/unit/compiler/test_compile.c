/* Compiling OpenCL C to SPIR-V: logs, language versions, macros, headers, source lines, and programs that the
 * translator alone would reject. */
#include "compiler_test.h"

#include <fcntl.h>
#include <sys/stat.h>

static const char kernel[] = "kernel void k(global int *a) { a[get_global_id(0)] += 1; }\n";

static void test_simple(void **state)
{
    (void)state;
    char message[512];
    struct outcome o = compile_text(kernel, NULL);
    assert_int_equal(o.cls, MM_OK);
    assert_string_equal(o.log, "");
    validate(&o.binary, message, sizeof message);
    assert_string_equal(message, "");
    assert_int_equal(count_opcode(&o.binary, SpvOpEntryPoint, NULL), 1);
    outcome_free(&o);
}

static void test_errors(void **state)
{
    (void)state;
    struct outcome o = compile_text("kernel void k(global int *a)\n{\n    a[0] = b;\n}\n", NULL);
    assert_int_equal(o.cls, MM_INVALID);
    assert_non_null(strstr(o.log, "test.cl:3:12: error:"));
    assert_null(o.binary.data);
    outcome_free(&o);

    o = compile_text("#warning attention\n", NULL);
    assert_int_equal(o.cls, MM_OK);
    assert_non_null(strstr(o.log, "test.cl:1:2: warning: attention"));
    outcome_free(&o);

    o = compile_text("#warning attention\n", "-Werror");
    assert_int_equal(o.cls, MM_INVALID);
    outcome_free(&o);

    o = compile_text("#warning attention\n", "-w");
    assert_int_equal(o.cls, MM_OK);
    assert_string_equal(o.log, "");
    outcome_free(&o);

    o = compile_text(kernel, "-cl-bogus");
    assert_int_equal(o.cls, MM_INVALID);
    assert_string_equal(o.err.rule, "options");
    assert_non_null(o.log);
    outcome_free(&o);

    assert_true(compiles("", NULL));
    assert_false(compiles("\"", NULL));
}

static void test_language_versions(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        int version;
    } cases[] = {
        {NULL, 120},
        {"-cl-std=CL1.0", 100},
        {"-cl-std=CL1.1", 110},
        {"-cl-std=CL1.2", 120},
        {"-cl-std=CL2.0", 200},
        {"-cl-std=CL3.0", 300},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "#if __OPENCL_C_VERSION__ != %d\n#error version\n#endif\n%s",
                 cases[i].version, kernel);
        if (cases[i].version == 100) /* the macro came with OpenCL C 1.1 */
            snprintf(text, sizeof text, "%s", kernel);
        assert_true(compiles(text, cases[i].options));
        snprintf(text, sizeof text, "#define JOIN(a, b) a##b\n%s",
                 kernel); /* may name any extension's functions */
        assert_true(compiles(text, cases[i].options));
    }
    static const char *const any[] = {NULL, "-cl-std=CL1.1", "-cl-std=CL2.0", "-cl-std=CL3.0"};
    for (size_t i = 0; i < sizeof any / sizeof *any; i++)
        assert_true(compiles("#if __OPENCL_VERSION__ != 310\n#error version\n#endif\n", any[i]));
    static const char cpp[] = "template <typename T> T twice(T x) { return x + x; }\n"
                              "kernel void k(global int *a) { a[0] = twice(a[0]); }\n";
    assert_true(compiles(cpp, "-cl-std=CLC++"));
    assert_true(compiles(cpp, "-cl-std=CLC++1.0"));
    assert_true(compiles(cpp, "-cl-std=CLC++2021"));
    assert_false(compiles(cpp, "-cl-std=CL2.0"));
}

static void test_options_act(void **state)
{
    (void)state;
    assert_true(compiles("#if X != 1 || Y != 3\n#error\n#endif\n", "-D X -DY=3"));
    assert_true(compiles("constant char s[] = S; int a[sizeof(s) == 4 ? 1 : -1];\n",
                         "-cl-std=CL3.0 -D S=\\\"a\\ b\\\""));
    assert_true(compiles("#ifndef __FAST_RELAXED_MATH__\n#error\n#endif\n", "-cl-fast-relaxed-math"));
    assert_true(compiles("#ifndef cl_khr_fp64\n#error\n#endif\n", NULL));
    static const char *const options[] = {
        "-cl-single-precision-constant",
        "-cl-denorms-are-zero",
        "-cl-fp32-correctly-rounded-divide-sqrt",
        "-cl-opt-disable",
        "-cl-strict-aliasing",
        "-cl-mad-enable",
        "-cl-no-signed-zeros",
        "-cl-finite-math-only",
        "-cl-unsafe-math-optimizations",
        "-cl-fast-relaxed-math",
        "-cl-kernel-arg-info",
        "-g",
        "-cl-no-subgroup-ifp",
        "-cl-uniform-work-group-size",
    };
    static const char text[] = "kernel void k(global float *a) { a[0] = a[1] * a[2] + sqrt(a[3]) / 3.0f; }\n";
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char both[100], message[512];
        snprintf(both, sizeof both, "%s -cl-std=CL2.0", options[i]);
        struct outcome o = compile_text(text, both);
        assert_int_equal(o.cls, MM_OK);
        validate(&o.binary, message, sizeof message);
        assert_string_equal(message, "");
        outcome_free(&o);
    }
}

/* Only macros of the device's features are defined [CLC 6.2.1]. */
static void test_macros_of_the_device(void **state)
{
    (void)state;
    static const char text[] =
        "#if defined cl_khr_fp16 || defined cl_khr_subgroups || defined __opencl_c_pipes || defined "
        "__opencl_c_images\n"
        "#error too much\n#endif\n"
        "#if !defined cl_khr_fp64 || !defined cl_khr_made_up || __opencl_c_fp64 != 1 || !__opencl_c_int64\n"
        "#error too little\n#endif\n"
        "#if __opencl_c_atomic_scope_device != 1 || defined __opencl_c_atomic_scope_all_devices\n"
        "#error scopes\n#endif\n"
        "#if defined cl_khr_subgroup_shuffle || defined cl_khr_integer_dot_product\n#error more\n#endif\n";
    struct rt_compile_request request = {
        .source = text,
        .source_size = strlen(text),
        .file = "test.cl",
        .options = "-cl-std=CL3.0",
        .extensions = "cl_khr_fp64 cl_khr_made_up",
        .features = "__opencl_c_fp64 __opencl_c_int64 __opencl_c_atomic_scope_device"};
    struct outcome o = compile_request(&request);
    assert_string_equal(o.log, "");
    assert_int_equal(o.cls, MM_OK);
    outcome_free(&o);

    static const char older[] = "#ifdef __opencl_c_fp64\n#error features came with OpenCL C 3.0\n#endif\n";
    request.source = older;
    request.source_size = strlen(older);
    request.options = "-cl-std=CL1.2";
    o = compile_request(&request);
    assert_string_equal(o.log, "");
    outcome_free(&o);
}

static void test_headers(void **state)
{
    (void)state;
    static const char text[] =
        "#include \"a.h\"\n#include <dir/b.h>\nkernel void k(global int *p) { p[0] = A + B; }\n";
    static const char a[] = "#define A 1\n", b[] = "#include \"c.h\"\n#define B C\n", c[] = "#define C 2\n";
    const struct rt_compile_header headers[] = {
        {"a.h", a, sizeof a - 1}, {"dir/b.h", b, sizeof b - 1}, {"dir/c.h", c, sizeof c - 1}};
    struct rt_compile_request request = {.source = text,
                                         .source_size = strlen(text),
                                         .file = "test.cl",
                                         .extensions = "",
                                         .features = "",
                                         .headers = headers,
                                         .header_count = 3,
                                         .library = true};
    struct outcome o = compile_request(&request);
    assert_int_equal(o.cls, MM_OK);
    outcome_free(&o);
    request.header_count = 2;
    o = compile_request(&request);
    assert_int_equal(o.cls, MM_INVALID);
    assert_non_null(strstr(o.log, "c.h"));
    outcome_free(&o);
}

/* A header from the current working directory; an embedded header has priority [CL 5.8.5]. */
static void test_header_files(void **state)
{
    (void)state;
    char directory[60];
    snprintf(directory, sizeof directory, "/tmp/refcl-test-compile-%d", (int)getpid());
    assert_int_equal(mkdir(directory, 0700), 0);
    char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(directory), 0);
    assert_int_equal(mkdir("inc", 0700), 0);
    FILE *f = fopen("inc/v.h", "w");
    fputs("#define V 1\n", f);
    fclose(f);
    f = fopen("w.h", "w");
    fputs("#define V 1\n", f);
    fclose(f);
    static const char text[] = "#include \"v.h\"\n#if V != 1\n#error\n#endif\n";
    assert_false(compiles(text, NULL));
    assert_true(compiles(text, "-I inc"));

    static const char other[] = "#include \"w.h\"\n#if V != 2\n#error\n#endif\n", w[] = "#define V 2\n";
    const struct rt_compile_header header = {"w.h", w, sizeof w - 1};
    struct rt_compile_request request = {.source = other,
                                         .source_size = strlen(other),
                                         .file = "test.cl",
                                         .extensions = "",
                                         .features = "",
                                         .headers = &header,
                                         .header_count = 1,
                                         .library = true};
    struct outcome o = compile_request(&request);
    assert_int_equal(o.cls, MM_OK);
    outcome_free(&o);
    unlink("inc/v.h");
    unlink("w.h");
    rmdir("inc");
    assert_int_equal(chdir(before), 0);
    rmdir(directory);
    free(before);
}

static void test_source_lines(void **state)
{
    (void)state;
    static const char text[] =
        "#include \"h.h\"\nkernel void k(global int *a)\n{\n    a[1] = 2;\n    H(a);\n}\n";
    static const char h[] = "\n\nvoid H(global int *p) { *p = 1; }\n";
    const struct rt_compile_header header = {"h.h", h, sizeof h - 1};
    struct rt_compile_request request = {.source = text,
                                         .source_size = strlen(text),
                                         .file = "some/where.cl",
                                         .extensions = "",
                                         .features = "",
                                         .headers = &header,
                                         .header_count = 1,
                                         .library = true};
    struct outcome o = compile_request(&request);
    assert_int_equal(o.cls, MM_OK);
    assert_true(has_string(&o.binary, "some/where.cl"));
    assert_true(has_string(&o.binary, "h.h"));
    bool found = false;
    const uint32_t *words = o.binary.data;
    for (size_t at = 5; at < o.binary.size / 4; at += words[at] >> 16)
        found |= (words[at] & 0xffff) == SpvOpLine && words[at + 2] == 4 && words[at + 3] == 10;
    assert_true(found); /* the assignment */
    for (size_t at = 5; at < o.binary.size / 4; at += words[at] >> 16)
        if ((words[at] & 0xffff) == SpvOpExtInstImport)
            assert_string_equal((const char *)(words + at + 2), "OpenCL.std");
    outcome_free(&o);
}

/* A file name stays as given, whatever the working directory is. */
static void test_file_names(void **state)
{
    (void)state;
    char absolute[4200];
    char *cwd = getcwd(NULL, 0);
    snprintf(absolute, sizeof absolute, "%s/here/is.cl", cwd);
    const char *const files[] = {"is.cl", "here/is.cl", "../is.cl", "/elsewhere/is.cl", absolute};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct rt_compile_request request = {.source = kernel,
                                             .source_size = strlen(kernel),
                                             .file = files[i],
                                             .extensions = "",
                                             .features = ""};
        struct outcome o = compile_request(&request);
        assert_int_equal(o.cls, MM_OK);
        if (!has_string(&o.binary, files[i]))
            fail_msg("%s is lost", files[i]);
        outcome_free(&o);
    }
    free(cwd);
}

/* Programs on which the translator aborts or is wrong. */
static void test_workarounds(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "kernel void k(global atomic_int *a, int o, int s) "
        "{ atomic_store_explicit(a, 1, (memory_order)o, (memory_scope)s); }",
        "kernel void k(int f, int o, int s) { atomic_work_item_fence(f, (memory_order)o, (memory_scope)s); }",
        "kernel void k(global float *o) "
        "{ vstore2(convert_float2(~as_short2((int)0xc73cc97bu)), 0, o); }",
        "kernel void k(global short *o) { o[0] = as_short(as_uchar2((short)0x9b3bu)); }",
        "kernel void k(int f, int s) { barrier(f); work_group_barrier(f, (memory_scope)s); mem_fence(f); "
        "read_mem_fence(f); write_mem_fence(f); }",
        "kernel void k(global atomic_float *a, global float *o) { float e = 1; "
        "o[0] = atomic_compare_exchange_strong(a, &e, 3.0f) + atomic_compare_exchange_weak_explicit(a, &e, "
        "3.0f, "
        "memory_order_acq_rel, memory_order_relaxed, memory_scope_device); }",
        "kernel void k(global atomic_double *a, global float *o) { double e = 1; "
        "o[0] = atomic_compare_exchange_strong(a, &e, 3.0); }",
        "kernel void k(global uint *a) { a[0] = dot_4x8packed_uu_uint(a[1], a[2]); "
        "a[3] = dot_acc_sat_4x8packed_ss_int(a[1], a[2], 7); }",
        "inline int f(int x) { return x + 1; } kernel void k(global int *a) { a[0] = f(a[0]); }",
        "kernel void k(global int *a) { a[0] = work_group_reduce_mul(a[0]) + "
        "work_group_scan_inclusive_xor(a[1]) + "
        "work_group_scan_exclusive_logical_or(a[2]); }",
        "kernel void k(global int *a, local int *l) { event_t e = async_work_group_copy_2D2D(l, 0, a, 0, 4, "
        "8, 2, 16, "
        "8, 0); e = async_work_group_copy_3D3D(a, 0, l, 0, 4, 2, 2, 2, 2, 4, 8, 64, e); wait_group_events(1, "
        "&e); }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char message[512];
        struct outcome o = compile_text(texts[i], "-cl-std=CL3.0");
        if (o.cls != MM_OK)
            fail_msg("%s: %s", texts[i], o.log);
        validate(&o.binary, message, sizeof message);
        if (*message)
            fail_msg("%s: %s", texts[i], message);
        const uint32_t *words = o.binary.data;
        for (size_t at = 5; at < o.binary.size / 4; at += words[at] >> 16)
            if ((words[at] & 0xffff) == SpvOpDecorate && words[at + 2] == SpvDecorationLinkageAttributes)
                assert_true(words[at + (words[at] >> 16) - 1] <= SpvLinkageTypeLinkOnceODR);
        outcome_free(&o);
    }
}

static size_t imports(const struct rt_binary *binary)
{
    const uint32_t *words = binary->data;
    size_t count = 0;
    for (size_t at = 5; at < binary->size / 4; at += words[at] >> 16)
        count += (words[at] & 0xffff) == SpvOpDecorate && words[at + 2] == SpvDecorationLinkageAttributes &&
                 words[at + (words[at] >> 16) - 1] == SpvLinkageTypeImport;
    return count;
}

/* Built-ins that refcl declares are defined however a program refers to them. */
static void test_names_from_anywhere(void **state)
{
    (void)state;
    static const struct {
        const char *options, *text;
    } programs[] = {
        {"-DOP=dot_4x8packed_uu_uint", "kernel void k(global uint *a) { a[0] = OP(a[1], a[2]); }"},
        {"-D OP=work_group_scan_exclusive_mul", "kernel void k(global int *a) { a[0] = OP(a[1]); }"},
        {"-DOP=async_work_group_copy_2D2D",
         "kernel void k(global int *a, local int *l) { event_t e = OP(l, 0, a, 0, 4, 8, 2, 16, 8, 0); "
         "wait_group_events(1, &e); }"},
        {"-DNAME(a,b)=a##b",
         "kernel void k(global uint *a) { a[0] = NAME(dot_4x8pa, cked_uu_uint)(a[1], 2); }"},
        {"", "#define NAME(a, b) a%:%:b\n"
             "kernel void k(global uint *a) { a[0] = NAME(dot_4x8pa, cked_uu_uint)(a[1], 2); }"},
        {"", "kernel void k(global uint *a) { a[0] = dot_4x8pa\\\ncked_uu_uint(a[1], 2); }"},
        {"", "kernel void k(global uint *a) { a[0] = dot_4x8p\\ \r\nacked_uu_uint(a[1], 2); }"},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char options[100];
        snprintf(options, sizeof options, "-cl-std=CL3.0 %s", programs[i].options);
        struct outcome o = compile_text(programs[i].text, options);
        if (o.cls != MM_OK || imports(&o.binary))
            fail_msg("%s %s: %s", options, programs[i].text, o.log);
        outcome_free(&o);
    }
}

/* a * b + c stays a multiplication and an addition. */
static void test_no_contraction(void **state)
{
    (void)state;
    struct outcome o = compile_text("kernel void k(global float *a) { a[0] = a[1] * a[2] + a[3]; }", NULL);
    assert_int_equal(o.cls, MM_OK);
    assert_int_equal(count_opcode(&o.binary, SpvOpFMul, NULL), 1);
    assert_int_equal(count_opcode(&o.binary, SpvOpFAdd, NULL), 1);
    outcome_free(&o);
}

/* Unreachable functions are left out of executables, but not of objects; a block's function stays. */
static void test_unreachable_functions(void **state)
{
    (void)state;
    struct rt_compile_request request = {.source = unreachable_text,
                                         .source_size = strlen(unreachable_text),
                                         .file = "test.cl",
                                         .options = "-cl-std=CL3.0",
                                         .extensions = TEST_EXTENSIONS,
                                         .features = TEST_FEATURES};
    for (int library = 0; library < 2; library++) {
        request.library = library;
        struct outcome o = compile_request(&request);
        expect_functions(&o, library);
        outcome_free(&o);
    }
    const char *undefined[] = {"int f(int); int g(int x) { return f(x) - 1; } kernel void k() {}",
                               "int _f(int); int g(int x) { return _f(x) - 1; } kernel void k() {}"};
    for (int i = 0; i < 2; i++) {
        struct outcome o = compile_text(undefined[i], NULL);
        assert_int_equal(count_opcode(&o.binary, SpvOpISub, NULL), 1); /* the program's build reports f */
        outcome_free(&o);
    }
}

static void test_argument_information(void **state)
{
    (void)state;
    struct outcome o = compile_text("kernel void k(global const uchar *restrict a, float4 b) {}", NULL);
    assert_int_equal(o.cls, MM_OK);
    assert_true(has_string(&o.binary, "kernel_arg_type.k.uchar*,float4,"));
    outcome_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simple),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_language_versions),
        cmocka_unit_test(test_options_act),
        cmocka_unit_test(test_macros_of_the_device),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_header_files),
        cmocka_unit_test(test_source_lines),
        cmocka_unit_test(test_file_names),
        cmocka_unit_test(test_workarounds),
        cmocka_unit_test(test_names_from_anywhere),
        cmocka_unit_test(test_no_contraction),
        cmocka_unit_test(test_unreachable_functions),
        cmocka_unit_test(test_argument_information),
    };
    return cmocka_run_group_tests(tests, find_helper, NULL);
}
