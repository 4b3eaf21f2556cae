/* The device's SPIR-V queries: a module that declares each capability, with all the extensions and
 * instruction sets, builds and runs; one with an unassigned capability, or an unknown instruction set, does
 * not build [cl_khr_spirv_queries]. */
#include "tests/runtime/runtime_test.h"

#include "ref-runtime/registry.h"

enum { MOST = 256, WORDS = 1024, UNASSIGNED = 70000 };

struct module {
    cl_uint words[WORDS];
    size_t count;
};

static void op(struct module *m, cl_uint opcode, const cl_uint *operands, size_t count, const char *text)
{
    size_t start = m->count++, length = text ? strlen(text) / 4 + 1 : 0;
    assert_true(m->count + count + length < WORDS);
    if (count)
        memcpy(&m->words[m->count], operands, count * sizeof *operands);
    m->count += count;
    if (text)
        memcpy(&m->words[m->count], text, strlen(text) + 1);
    m->count += length;
    m->words[start] = (cl_uint)(m->count - start) << 16 | opcode;
}

/* An empty kernel "k" in a module of SPIR-V 1.6 that declares CAPABILITY, and all EXTENSIONS and SETS. */
static void make_module(struct module *m, cl_uint capability, const char *const *extensions,
                        size_t extension_count, const char *const *sets, size_t set_count)
{
    const cl_uint entry[] = {6, 1, 'k', 0}; /* execution model Kernel, id 1, "k" */
    *m = (struct module){.words = {0x07230203, 0x00010600, 0, 10 + (cl_uint)set_count, 0}, .count = 5};
    op(m, 17, (cl_uint[]){4}, 1, NULL); /* OpCapability Addresses */
    op(m, 17, (cl_uint[]){6}, 1, NULL); /* Kernel */
    op(m, 17, &capability, 1, NULL);
    for (size_t i = 0; i < extension_count; i++)
        op(m, 10, NULL, 0, extensions[i]);
    for (size_t i = 0; i < set_count; i++)
        op(m, 11, (cl_uint[]){10 + (cl_uint)i}, 1, sets[i]);
    op(m, 14, (cl_uint[]){2, 2}, 2, NULL); /* OpMemoryModel Physical64 OpenCL */
    op(m, 15, entry, 3, NULL);
    op(m, 19, (cl_uint[]){2}, 1, NULL);          /* void */
    op(m, 33, (cl_uint[]){3, 2}, 2, NULL);       /* void() */
    op(m, 54, (cl_uint[]){2, 1, 0, 3}, 4, NULL); /* OpFunction */
    op(m, 248, (cl_uint[]){4}, 1, NULL);         /* OpLabel */
    op(m, 253, NULL, 0, NULL);                   /* OpReturn */
    op(m, 56, NULL, 0, NULL);                    /* OpFunctionEnd */
}

static size_t ask(cl_device_info param, void *answer, size_t most, size_t element)
{
    size_t size = 0;
    OK(clGetDeviceInfo(device, param, 0, NULL, &size));
    assert_true(size <= most && size % element == 0);
    OK(clGetDeviceInfo(device, param, size, answer, NULL));
    if (size > 0)
        assert_int_equal(clGetDeviceInfo(device, param, size - 1, answer, NULL), CL_INVALID_VALUE);
    return size / element;
}

static cl_int build(const struct module *m, cl_program *program)
{
    *program = clCreateProgramWithIL(context, m->words, m->count * sizeof *m->words, &err);
    if (!*program)
        return err;
    return clBuildProgram(*program, 1, &device, NULL, NULL, NULL);
}

static void modules_build(void **state)
{
    (void)state;
    const char *extensions[MOST], *sets[MOST];
    cl_uint capabilities[MOST];
    size_t extension_count =
        ask(CL_DEVICE_SPIRV_EXTENSIONS, extensions, sizeof extensions, sizeof *extensions);
    size_t set_count = ask(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS, sets, sizeof sets, sizeof *sets);
    size_t count = ask(CL_DEVICE_SPIRV_CAPABILITIES, capabilities, sizeof capabilities, sizeof *capabilities);
    struct module m;
    cl_program program;
    assert_true(count > 20 && set_count > 0);
    assert_string_equal(sets[0], "OpenCL.std");
    for (size_t i = 0; i < count; i++) {
        make_module(&m, capabilities[i], extensions, extension_count, sets, set_count);
        cl_int code = build(&m, &program);
        if (code)
            fail_msg("a module with capability %u: error %d", capabilities[i], code);
        cl_kernel kernel = clCreateKernel(program, "k", &err);
        OK(err);
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
        OK(clFinish(queue));
        OK(clReleaseKernel(kernel));
        OK(clReleaseProgram(program));
    }
    make_module(&m, UNASSIGNED, extensions, extension_count, sets, set_count);
    assert_int_not_equal(build(&m, &program), CL_SUCCESS);
    if (program)
        OK(clReleaseProgram(program));
    sets[0] = "OpenCL.none";
    make_module(&m, capabilities[0], extensions, extension_count, sets, 1);
    assert_int_not_equal(build(&m, &program), CL_SUCCESS);
    if (program)
        OK(clReleaseProgram(program));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(modules_build)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
