/* Zero-initialized local and private memory: values in compiled and in interpreted kernels, of programs from
 * source and from binaries, and errors at the context's creation [cl_khr_initialize_memory]. */
#include "tests/runtime/runtime_test.h"

#include "ref-runtime/registry.h"

enum { ITEMS = 64, GROUP = 8 };

/* Leaves values in local and private memory, then reads it in a later launch before any write. */
static const char text[] =
    "struct mixed { char c; int3 v; __private int *p; float f[5]; };\n"
    "int sum(volatile __private uchar *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }\n"
    "int left(int fill, int count) {\n" /* COUNT is that of WORDS, unknown to the compiler */
    "  struct mixed m; uint words[260]; long one; bool flag;\n"
    "  int found = sum((__private uchar *)&m, sizeof m) + sum((__private uchar *)words, count * 4)\n"
    "    + (one != 0) + flag;\n"
    "  for (int i = 0; i < sizeof m; i++) ((volatile __private uchar *)&m)[i] = fill;\n"
    "  for (int i = 0; i < count; i++) words[i] = fill;\n"
    "  one = fill; flag = fill; \n"
    "  return found + sum((__private uchar *)words, 4) - fill - (flag && one ? 0 : 1000000); }\n"
    "kernel void private_memory(global int *out) { int n = 0;\n"
    "  for (int i = 1; i < 3; i++) n += left(i, (int)get_global_size(0) * 4 + 4);\n"
    "  out[get_global_id(0)] = n; }\n"
    "int first(local uchar *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n"
    "kernel void local_memory(global int *out, local int *given, int bytes) {\n"
    "  local int own[33]; local long wide; int n = 0; size_t id = get_local_id(0);\n"
    "  if (id == 0) n = first((local uchar *)given, bytes) + first((local uchar *)own, sizeof own) + (wide != 0);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (id == 0) { wide = -1; for (int i = 0; i < 33; i++) own[i] = -1; }\n"
    "  given[id] = 77; out[get_global_id(0)] = n; }\n"
    "kernel void printing(global int *out, local int *given, int bytes) {\n"
    "  int n = get_local_id(0) == 0 ? first((local uchar *)given, bytes) : 0;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); given[get_local_id(0)] = 7; out[get_global_id(0)] = n;\n"
    "  if (n) printf(\"%d\\n\", n); }\n"
    "kernel void spinning(global int *out, local int *given, int bytes) {\n" /* work-items wait for each other */
    "  local atomic_int turn; int id = (int)get_local_id(0);\n"
    "  int n = id == 0 ? first((local uchar *)given, bytes) : 0;\n"
    "  if (id == 0) given[0] = 5;\n"
    "  while (atomic_load_explicit(&turn, memory_order_acquire, memory_scope_work_group) != id);\n"
    "  atomic_store_explicit(&turn, id + 1, memory_order_release, memory_scope_work_group);\n"
    "  out[get_global_id(0)] = n; }\n";

static cl_context zeroed(cl_context_properties which)
{
    const cl_context_properties properties[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, which, 0};
    cl_context made = clCreateContext(properties, 1, &device, NULL, NULL, &err);
    OK(err);
    return made;
}

/* Every work-item has read only zeros, in each launch. */
static void expect_zeros(cl_program program, cl_command_queue q, const char *name)
{
    cl_int found[ITEMS], bytes = 40 * sizeof(cl_int);
    const size_t global = ITEMS, local = GROUP;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    OK(err);
    cl_mem out = clCreateBuffer(context, 0, sizeof found, NULL, &err);
    OK(clSetKernelArg(kernel, 0, sizeof out, &out));
    if (strcmp(name, "private_memory") != 0) {
        OK(clSetKernelArg(kernel, 1, (size_t)bytes, NULL));
        OK(clSetKernelArg(kernel, 2, sizeof bytes, &bytes));
    }
    for (int launch = 0; launch < 2; launch++) {
        memset(found, 1, sizeof found);
        OK(clEnqueueWriteBuffer(q, out, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
        for (int i = 0; i < ITEMS; i++)
            assert_int_equal(found[i], 0);
    }
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

static cl_program from_binary(cl_program built)
{
    size_t size;
    cl_int status;
    OK(clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    assert_non_null(binary);
    OK(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    cl_program loaded =
        clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, &status, &err);
    OK(err);
    OK(clBuildProgram(loaded, 0, NULL, "", NULL, NULL));
    free(binary);
    return loaded;
}

static void zeros(void **unused)
{
    static const char *const names[] = {"private_memory", "local_memory", "printing", "spinning"};
    cl_context plain = context;
    (void)unused;
    context = zeroed(CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR | CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR);
    cl_command_queue q = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_program built = build_source(text, "-cl-std=CL3.0"), loaded = from_binary(built);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_zeros(built, q, names[i]);
    expect_zeros(loaded, q, names[0]);
    OK(clReleaseProgram(built));
    OK(clReleaseProgram(loaded));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(context));
    context = plain;
}

static void creation(void **unused)
{
    const cl_context_properties unknown[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                             CL_CONTEXT_MEMORY_INITIALIZE_KHR, 4, 0},
                                twice[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, 1,
                                           CL_CONTEXT_MEMORY_INITIALIZE_KHR, 1, 0},
                                none[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, 0, 0};
    cl_context_properties given[3];
    size_t size;
    (void)unused;
    EXPECT_NULL(CL_INVALID_PROPERTY, clCreateContext(unknown, 1, &device, NULL, NULL, &err));
    EXPECT_NULL(CL_INVALID_PROPERTY, clCreateContext(twice, 1, &device, NULL, NULL, &err));
    EXPECT_NULL(CL_INVALID_PROPERTY, clCreateContextFromType(unknown, CL_DEVICE_TYPE_ALL, NULL, NULL, &err));
    cl_context made = clCreateContext(none, 1, &device, NULL, NULL, &err);
    OK(err);
    OK(clGetContextInfo(made, CL_CONTEXT_PROPERTIES, sizeof given, given, &size));
    assert_int_equal(size, sizeof none);
    assert_memory_equal(given, none, size);
    OK(clReleaseContext(made));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros),
        cmocka_unit_test(creation),
    };
    return cmocka_run_group_tests_name("initialize-memory", tests, open_device, close_device);
}
