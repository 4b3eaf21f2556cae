/* Plans: the kernel of a test, its requirements on a device, and why some tests cannot run; and the judge's
 * treatment of inconsistent results. */
#include "litmus/litmus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#define HEAD "OPENCL t\n{ [x] = 7; [y] = 0; }\n"

static cJSON *plan_of(const char *text)
{
    struct lt_test *test = NULL;
    struct mm_error err = {0};
    if (lt_parse(text, strlen(text), "t.litmus", &test, &err) != MM_OK)
        fail_msg("%s", err.message);
    char *json = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&json, &size);
    struct lt_plan_options options = {.iterations = 12, .seed = UINT64_MAX};
    assert_int_equal(lt_plan(&test, 1, &options, out, &err), MM_OK);
    fclose(out);
    lt_test_destroy(test);
    cJSON *plan = cJSON_Parse(json);
    free(json);
    assert_non_null(plan);
    return plan;
}

static const cJSON *first_test(const cJSON *plan)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(plan, "tests"), 0);
}

static void expect_skip(const char *text, const char *reason)
{
    cJSON *plan = plan_of(text);
    const cJSON *skip = cJSON_GetObjectItem(first_test(plan), "skip");
    assert_true(cJSON_IsString(skip));
    assert_non_null(strstr(skip->valuestring, reason));
    assert_null(cJSON_GetObjectItem(first_test(plan), "kernel"));
    cJSON_Delete(plan);
}

static bool needs(const cJSON *test, const char *what)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(test, "needs")) if (strcmp(item->valuestring, what) ==
                                                                     0) return true;
    return false;
}

static int number(const cJSON *test, const char *key)
{
    return cJSON_GetObjectItem(test, key)->valueint;
}

static void kernel(void **state)
{
    (void)state;
    cJSON *plan = plan_of(
        HEAD "P0@wg 0, dev 0 (global atomic_int* x, global int* y) { int r0 = *y; "
             "if (r0) { atomic_store_explicit(x, 1, memory_order_release, memory_scope_work_group); } }\n"
             "P1@wg 0, dev 0 (global atomic_int* x) { long r1 = atomic_load(x); }\n"
             "P2@wg 1, dev 0 (global int* y) { *y = 1; }\nexists (0:r0 = 1 /\\ 1:r1 = 1 /\\ x = 1)");
    const cJSON *t = first_test(plan);
    assert_int_equal(number(t, "iterations"), 12);
    assert_int_equal(number(t, "groups"), 2);
    assert_int_equal(number(t, "members"), 2);
    assert_int_equal(number(t, "columns"), 2);
    assert_int_equal(number(t, "value_size"), 8);
    assert_true(needs(t, "c11_atomics"));
    assert_true(needs(t, "atomic_order_acq_rel"));
    assert_true(needs(t, "atomic_order_seq_cst"));
    assert_true(needs(t, "atomic_scope_device"));
    assert_true(needs(t, "int64"));
    assert_false(needs(t, "subgroups"));
    const char *source = cJSON_GetObjectItem(t, "kernel")->valuestring;
    assert_non_null(
        strstr(source, "atomic_store_explicit(x, 1, memory_order_release, memory_scope_work_group);"));
    assert_non_null(strstr(source, "long r1 = 0;"));
    const cJSON *seen = cJSON_GetArrayItem(cJSON_GetObjectItem(t, "observed"), 2);
    assert_string_equal(cJSON_GetObjectItem(seen, "name")->valuestring, "x");
    assert_int_equal(number(seen, "location"), 0);
    cJSON_Delete(plan);
}

/* Statements around barriers become phases; every work-item of the group reaches the same call. */
static void phases(void **state)
{
    (void)state;
    cJSON *plan =
        plan_of(HEAD "P0@wg 0, dev 0 (local int* x) { *x = 1; B1: barrier(CLK_LOCAL_MEM_FENCE); }\n"
                     "P1@wg 0, dev 0 (local int* x) { B1: barrier(CLK_LOCAL_MEM_FENCE); int r0 = *x; }\n"
                     "exists (1:r0 = 1)");
    const char *source = cJSON_GetObjectItem(first_test(plan), "kernel")->valuestring;
    unsigned calls = 0;
    for (const char *at = source; (at = strstr(at, "barrier(CLK_LOCAL_MEM_FENCE)")); at++)
        calls++;
    assert_int_equal(
        calls,
        6); /* after the initial values, at the gate, B1, before the results; two around the counting */
    assert_non_null(strstr(source, "local int refcl_m0[REFCL_SLOTS * 1]"));
    cJSON_Delete(plan);
}

static const char *kind_of(const cJSON *test, int location)
{
    const cJSON *l = cJSON_GetArrayItem(cJSON_GetObjectItem(test, "locations"), location);
    return cJSON_GetObjectItem(l, "kind")->valuestring;
}

/* Shared virtual memory is allocated according to its qualifier, and required of the device. */
static void svm(void **state)
{
    (void)state;
    cJSON *plan = plan_of(HEAD "P0@wg 0, dev 0 (svm_coarse int* x, svm_atomics atomic_int* y, global int* z) "
                               "{ *x = *z; atomic_store_explicit(y, 1, memory_order_release, "
                               "memory_scope_all_svm_devices); }\nexists (x = 1)");
    const cJSON *t = first_test(plan);
    assert_string_equal(kind_of(t, 0), "svm_coarse");
    assert_string_equal(kind_of(t, 1), "svm_atomics");
    assert_string_equal(kind_of(t, 2), "buffer");
    assert_true(needs(t, "svm_coarse") && needs(t, "svm_atomics") && needs(t, "atomic_scope_all_devices"));
    assert_false(needs(t, "svm_fine"));
    cJSON_Delete(plan);
    expect_skip(HEAD "P0@wg 0, dev 0 (host int* x) { }\nexists (x = 1)", "memory of the host");
}

/* OpenCL C converts no atomic object to a value, and has no atomic operation on another object
 * [CLC 6.15.12.6]. */
static void converted(void **state)
{
    (void)state;
    cJSON *plan = plan_of(
        HEAD
        "P0@wg 0, dev 0 (global atomic_int* x, local ulong* y, global int* z, global int* f) { "
        "*x = *x + x[0]; int r0 = atomic_load(y); atomic_store_explicit(&z[0], 2, memory_order_relaxed); "
        "*z = *y; int r1 = atomic_flag_test_and_set(f); atomic_inc(z); int r2 = atomic_cmpxchg(x, 2, 3); }\n"
        "exists (x = 1)");
    const char *source = cJSON_GetObjectItem(first_test(plan), "kernel")->valuestring;
    assert_non_null(strstr(source, "*(global int*)x = *(global int*)x + ((global int*)x)[0];"));
    assert_non_null(strstr(source, "atomic_load((local atomic_ulong*)y)"));
    assert_non_null(
        strstr(source, "atomic_store_explicit((global atomic_int*)&z[0], 2, memory_order_relaxed"));
    assert_non_null(strstr(source, "*z = *y;"));
    assert_non_null(strstr(source, "atomic_flag_test_and_set((global atomic_flag*)f)"));
    assert_non_null(
        strstr(source, "atomic_fetch_add_explicit((global atomic_int*)z, 1, memory_order_relaxed"));
    assert_non_null(strstr(source, "atomic_cmpxchg((global int*)x, 2, 3)"));
    cJSON_Delete(plan);
    expect_skip(HEAD "P0@wg 0, dev 0 (global long* x) { atomic_cmpxchg(x, 1, 2); }\nexists (x = 1)",
                "more than four bytes");
    expect_skip(HEAD "P0@wg 0, dev 0 (global short* x) { atomic_store(x, 1); }\nexists (x = 1)",
                "fewer than four bytes");
}

/* A generic pointer has no address space in the kernel, which OpenCL C 1.2 cannot express; its location is
 * where the initial state places it [CLC 6.7.5]. */
static void generic(void **state)
{
    (void)state;
    cJSON *plan = plan_of("OPENCL t\n{ local int x = 3; svm_fine int y = 4; }\n"
                          "P0@wg 0, dev 0 (generic int* x, volatile generic int* y, global int* z) "
                          "{ *x = 1; *y = 2; *z = 5; }\nexists (x = 1)");
    const cJSON *t = first_test(plan), *locations = cJSON_GetObjectItem(t, "locations");
    const char *source = cJSON_GetObjectItem(t, "kernel")->valuestring;
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(locations, 0), "region")->valuestring,
                        "local");
    assert_string_equal(kind_of(t, 1), "svm_fine");
    assert_true(needs(t, "generic_address_space"));
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(t, "legacy")));
    assert_non_null(strstr(source, "int *x = REFCL_GENERIC(int *, refcl_m0 + refcl_slot * 1u, refcl_out);"));
    assert_non_null(strstr(source, "volatile int *y = REFCL_GENERIC(volatile int *, refcl_m1"));
    assert_non_null(strstr(source, "global int *z = (global int *)(refcl_m2"));
    cJSON_Delete(plan);
    plan = plan_of("OPENCL t\n{ local int x = 3; queue q; }\nH0 () { clEnqueueNDRangeKernel(q, 0); }\n"
                   "P0@wg 0, dev 0 (generic int* x) { int r0 = *x; }\nexists (0:r0 = 3)");
    t = first_test(plan);
    source = cJSON_GetObjectItem(t, "kernel")->valuestring;
    assert_true(needs(t, "generic_address_space"));
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(t, "legacy")));
    assert_non_null(strstr(source, "local int refcl_m0[1];"));
    assert_non_null(strstr(source, "int *x = REFCL_GENERIC(int *, refcl_m0, refcl_out);"));
    cJSON_Delete(plan);
}

/* An image is a buffer's: kernels of the test access it by built-in functions. */
static void image(void **state)
{
    (void)state;
    cJSON *plan =
        plan_of("OPENCL t\n{ [x] = 3; int y[2] = {4, 5}; }\n"
                "P0@wg 0, dev 0 (image int* x, image uint* y, global int* z) "
                "{ if (*x == 3) *x = y[1] + *z; else y[0] = 2; for (int i = 0; i < *x; i = i + 1) { } }\n"
                "exists (x = 1 /\\ y[1] = 5)");
    const cJSON *t = first_test(plan), *locations = cJSON_GetObjectItem(t, "locations");
    const char *source = cJSON_GetObjectItem(t, "kernel")->valuestring;
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(locations, 0), "region")->valuestring,
                        "global");
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(cJSON_GetArrayItem(locations, 0), "image")));
    assert_null(cJSON_GetObjectItem(cJSON_GetArrayItem(locations, 2), "image"));
    assert_true(needs(t, "read_write_images"));
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(t, "legacy")));
    assert_non_null(strstr(source, "read_write image1d_buffer_t refcl_m0"));
    assert_non_null(strstr(source, "read_write image1d_buffer_t refcl_m1"));
    assert_non_null(strstr(
        source, "refcl_texel = (uint)read_imagei(refcl_m1, (int)(REFCL_AT(refcl_i, 1) * 2u + 1u)).x + *z;"));
    assert_non_null(strstr(source, "write_imagei(refcl_m0, (int)(REFCL_AT(refcl_i, 0) * 1u + 0u), "
                                   "(int4)((int)refcl_texel, 0, 0, 0));"));
    assert_non_null(strstr(source, "write_imagei(refcl_m1, (int)(REFCL_AT(refcl_i, 1) * 2u + 0u)"));
    assert_non_null(strstr(source, "i < (int)read_imagei(refcl_m0"));
    assert_non_null(strstr(source, "global int *refcl_m0,")); /* the kernel that collects states */
    cJSON_Delete(plan);
    expect_skip(HEAD "P0@wg 0, dev 0 (image int* x) { *x += 1; }\nexists (x = 1)", "one operator");
    expect_skip(HEAD "P0@wg 0, dev 0 (image int* x) { int r0 = 0; int r1 = x[r0]; }\nexists (x = 1)",
                "constant indices");
    expect_skip(HEAD "P0@wg 0, dev 0 (image int* x) { for (*x = 1; ; ) { break; } }\nexists (x = 1)",
                "the head of a loop");
    expect_skip(HEAD "P0@wg 0, dev 0 (image long* x) { *x = 1; }\nexists (x = 1)", "other than int and uint");
}

static void cannot_run(void **state)
{
    (void)state;
    expect_skip(
        HEAD "P0@wg 0, dev 0 (global int* x) { if (*x) { barrier(CLK_LOCAL_MEM_FENCE); } }\nexists (x = 1)",
        "barrier under control flow");
    expect_skip(HEAD "P0@wg 0, dev 0 (global int* x) { barrier(CLK_LOCAL_MEM_FENCE); }\n"
                     "P1@wg 0, dev 0 (global int* x) { *x = 1; }\nexists (x = 1)",
                "the same barriers");
    expect_skip(HEAD "P0@wg 0, dev 0 (local int* x) { }\nP1@wg 1, dev 0 (local int* x) { }\nexists (x = 1)",
                "local memory that several");
    expect_skip(HEAD "P0@wg 0, dev 0 (global int* x) { }\nP1@wg 0, dev 1 (global int* x) { }\nexists (x = 1)",
                "two devices");
    expect_skip(HEAD "P0@wg 0, dev 0 (global int* x) { global int* p = x; *p = 1; }\nexists (x = 1)",
                "pointer");
    expect_skip("OPENCL t\n{ queue q; }\nH0 () { clEnqueueNDRangeKernel(q, 0); }\n"
                "P0@wg 0, dev 0 (global int* x) { long r0 = *x; }\n"
                "P1@wg 1, dev 0 (global int* x) { int r0 = 1; }\nexists (0:r0 = 1)",
                "registers of one name with two types");
    expect_skip("VULKAN t\n{ x = 0; }\nP0@sg 0, wg 0, qf 0 ;\n st.av.dv.sc0 x, 1 ;\nexists (x == 1)",
                "Vulkan");
}

/* Registers and locations in a filter are observed. */
static void filter(void **state)
{
    (void)state;
    cJSON *plan =
        plan_of(HEAD "P0@wg 0, dev 0 (global int* x) { int r0 = *x; }\nfilter (0:r0 = 1) exists (x = 1)");
    const cJSON *t = first_test(plan), *observed = cJSON_GetObjectItem(t, "observed");
    assert_null(cJSON_GetObjectItem(t, "skip"));
    assert_int_equal(cJSON_GetArraySize(observed), 2);
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(observed, 0), "name")->valuestring, "x");
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(observed, 1), "name")->valuestring, "0:r0");
    cJSON_Delete(plan);
}

/* Host threads become code, calls and their queues; kernels run one instance. */
static void host(void **state)
{
    (void)state;
    cJSON *plan = plan_of(
        "OPENCL t\n{ [x] = 7; [y] = 0; queue q @ dev 0, out_of_order; queue d @ dev 0, on_device; user_event "
        "u; }\n"
        "H0 (global int* x, svm_fine int* y) { clEnqueueNDRangeKernel(q, 0, {u}, &e0); *y = 3; "
        "clSetUserEventStatus(u, CL_COMPLETE); clSetEventCallback(e0, CL_COMPLETE, H1); }\n"
        "H1 (svm_fine int* y) { int r1 = *y; if (r1) { *y = r1 + 1; } }\n"
        "P0@wg 0, dev 0 (global int* x) { int r0 = *x; "
        "enqueue_kernel(d, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, 1); }\n"
        "P1@wg 0, dev 0, kernel 1 (global int* x) { *x = 2; }\nexists (0:r0 = 7 /\\ H1:r1 = 3 /\\ x = 2)");
    const cJSON *t = first_test(plan), *json = cJSON_GetObjectItem(t, "host");
    assert_null(cJSON_GetObjectItem(t, "skip"));
    assert_non_null(json);
    assert_true(needs(t, "svm_fine"));
    assert_true(needs(t, "out_of_order_queue"));
    assert_true(needs(t, "device_queue"));
    assert_false(needs(t, "two_devices"));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "queues")), 2);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "events")), 2);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "kernels")), 1);
    assert_int_equal(number(json, "columns"), 1);
    const cJSON *threads = cJSON_GetObjectItem(json, "threads"), *second = cJSON_GetArrayItem(threads, 1);
    assert_int_equal(cJSON_GetArraySize(threads), 2);
    assert_string_equal(cJSON_GetObjectItem(second, "start")->valuestring, "callback");
    unsigned calls = 0;
    const cJSON *line;
    cJSON_ArrayForEach(line, cJSON_GetObjectItem(cJSON_GetArrayItem(threads, 0), "code")) calls +=
        strcmp(cJSON_GetArrayItem(line, 0)->valuestring, "call") == 0;
    assert_int_equal(calls, 3);
    const char *source = cJSON_GetObjectItem(t, "kernel")->valuestring;
    assert_non_null(strstr(source, "kernel void refcl_k0(global long *refcl_out, queue_t d"));
    assert_non_null(strstr(source, "CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1, 1)"));
    cJSON_Delete(plan);
}

static enum mm_class judge_text(const char *results, struct mm_error *err)
{
    char path[] = "/tmp/refcl-judge-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, results, strlen(results)), (ssize_t)strlen(results));
    close(fd);
    struct lt_judge_options options = {0};
    size_t findings = 0, unknown = 0;
    assert_int_equal(
        mm_cat_load("memmodel/models/opencl.cat", NULL, (struct mm_cat_model **)&options.model, err), MM_OK);
    enum mm_class cls = lt_judge(path, &options, NULL, NULL, &findings, &unknown, err);
    mm_cat_destroy((struct mm_cat_model *)options.model);
    unlink(path);
    return cls;
}

#define RESULTS(observed, states)                                                                            \
    "{\"format\": \"refcl-litmus-results\", \"version\": 1, \"tests\": [{\"name\": \"t\", \"file\": \"f\", " \
    "\"status\": \"done\", \"source\": \"OPENCL t\\n{ }\\nP0@wg 0, dev 0 (global int* x) { *x = 1; }\\n"     \
    "exists (x = 1)\", \"observed\": " observed ", \"states\": " states "}]}"

static void bad_results(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "[]",
        "{\"format\": \"x\"}",
        "{\"format\": \"refcl-litmus-results\", \"version\": 2}",
        RESULTS("[]", "[]"),
        RESULTS("[\"y\"]", "[]"),
        RESULTS("[1]", "[]"),
        RESULTS("[\"x\"]", "[{\"values\": [1, 2], \"count\": 1}]"),
        RESULTS("[\"x\"]", "[3]"),
        "{\"format\": \"refcl-litmus-results\", \"version\": 1, \"tests\": [{}]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mm_error err = {0};
        assert_int_equal(judge_text(bad[i], &err), MM_INVALID);
    }
    struct mm_error err = {0};
    assert_int_equal(judge_text(RESULTS("[\"x\"]", "[{\"values\": [\"1\"], \"count\": 1}]"), &err), MM_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernel),      cmocka_unit_test(phases),
                                       cmocka_unit_test(svm),         cmocka_unit_test(converted),
                                       cmocka_unit_test(generic),     cmocka_unit_test(cannot_run),
                                       cmocka_unit_test(bad_results), cmocka_unit_test(host),
                                       cmocka_unit_test(filter),      cmocka_unit_test(image)};
    return cmocka_run_group_tests_name("litmus plan", tests, NULL, NULL);
}
