/* Every query of queues, memory objects, samplers, programs, kernels and events: its size, and its answer,
 * including defaults [CL 4.4, 5.1, 5.3.7, 5.4.2, 5.5.5, 5.7.2, 5.8.9, 5.9.4, 5.11, 5.14]. */
#include "tests/runtime/runtime_test.h"

#include "ref-runtime/registry.h"

typedef cl_int (*asker)(const void *object, cl_uint param, size_t size, void *value, size_t *size_ret);

#define ASKER(name, type, call)                                                                              \
    static cl_int name(const void *object, cl_uint param, size_t size, void *value, size_t *size_ret)        \
    {                                                                                                        \
        return call((type)(uintptr_t)object, param, size, value, size_ret);                                  \
    }

struct row {
    cl_uint param;
    size_t size;
    const void *wanted; /* NULL: any answer */
};

#define ROW(param, type, ...)                                                                                \
    {                                                                                                        \
        param, sizeof(type), &(const type)                                                                   \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }
#define TEXT(param, text)                                                                                    \
    {                                                                                                        \
        param, sizeof(text), text                                                                            \
    }
#define ANY(param, type)                                                                                     \
    {                                                                                                        \
        param, sizeof(type), NULL                                                                            \
    }
#define EMPTY(param)                                                                                         \
    {                                                                                                        \
        param, 0, NULL                                                                                       \
    }
#define EXPECT(ask, object, rows) expect(#ask, ask, object, rows, sizeof rows / sizeof *rows)

static void expect(const char *name, asker ask, const void *object, const struct row *rows, size_t count)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++) {
        size_t size = 77, again = 77;
        unsigned char value[256] = {0};
        cl_int code = ask(object, rows[i].param, 0, NULL, &size);
        int good = code == CL_SUCCESS && size == rows[i].size && size < sizeof value &&
                   ask(object, rows[i].param, size, value, &again) == CL_SUCCESS && again == size &&
                   (!rows[i].wanted || memcmp(value, rows[i].wanted, size) == 0);
        good = good && ask(object, rows[i].param, sizeof value, value, NULL) == CL_SUCCESS;
        good = good && (size == 0 || ask(object, rows[i].param, size - 1, value, NULL) == CL_INVALID_VALUE);
        if (!good) {
            print_message("# %s: query %#x: code %d, size %zu\n", name, rows[i].param, code, size);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* ---- contexts, queues ---- */

ASKER(ask_context, cl_context, clGetContextInfo)

/* [CL 4.4 R141] [CL 4.4 R142] [CL 4.4 R10] */
static void contexts(void **unused)
{
    (void)unused;
    const cl_context_properties given[] = {CL_CONTEXT_PLATFORM,
                                           (cl_context_properties)platform,
                                           CL_CONTEXT_INTEROP_USER_SYNC,
                                           CL_TRUE,
                                           CL_CONTEXT_MEMORY_INITIALIZE_KHR,
                                           CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR,
                                           0};
    const struct row rows[] = {ROW(CL_CONTEXT_REFERENCE_COUNT, cl_uint, 1),
                               ROW(CL_CONTEXT_NUM_DEVICES, cl_uint, 1),
                               ROW(CL_CONTEXT_DEVICES, cl_device_id, device),
                               {CL_CONTEXT_PROPERTIES, sizeof given, given}};
    cl_context made = clCreateContext(given, 1, &device, NULL, NULL, &err);
    OK(err);
    EXPECT(ask_context, made, rows);
    OK(clReleaseContext(made));
    const struct row plain[] = {EMPTY(CL_CONTEXT_PROPERTIES)};
    made = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    EXPECT(ask_context, made, plain);
    OK(clReleaseContext(made));
}

ASKER(ask_queue, cl_command_queue, clGetCommandQueueInfo)

/* [CL 5.1 R141] [CL 5.1 R142] */
static void queues(void **unused)
{
    (void)unused;
    const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                             CL_QUEUE_SIZE, 16384, 0},
                              hints[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR,
                                         CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_HIGH_KHR, 0};
    const struct row plain[] = {
        ROW(CL_QUEUE_CONTEXT, cl_context, context), ROW(CL_QUEUE_DEVICE, cl_device_id, device),
        ROW(CL_QUEUE_REFERENCE_COUNT, cl_uint, 1),  ROW(CL_QUEUE_PROPERTIES, cl_bitfield, 0),
        EMPTY(CL_QUEUE_PROPERTIES_ARRAY),           ROW(CL_QUEUE_DEVICE_DEFAULT, cl_command_queue, NULL)};
    cl_uint size;
    cl_command_queue made = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    OK(err);
    EXPECT(ask_queue, made, plain);
    assert_int_equal(clGetCommandQueueInfo(made, CL_QUEUE_SIZE, sizeof size, &size, NULL),
                     CL_INVALID_COMMAND_QUEUE); /* [CL 5.1 R121] */
    OK(clReleaseCommandQueue(made));
    made = clCreateCommandQueueWithProperties(context, device, on_device, &err);
    OK(err);
    const struct row of_device[] = {
        ROW(CL_QUEUE_PROPERTIES, cl_bitfield, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
        {CL_QUEUE_PROPERTIES_ARRAY, sizeof on_device, on_device},
        ROW(CL_QUEUE_SIZE, cl_uint, 16384)};
    EXPECT(ask_queue, made, of_device);
    OK(clReleaseCommandQueue(made));
    made = clCreateCommandQueueWithProperties(context, device, hints, &err);
    OK(err);
    const struct row hinted[] = {ROW(CL_QUEUE_PROPERTIES, cl_bitfield, 0),
                                 {CL_QUEUE_PROPERTIES_ARRAY, sizeof hints, hints}};
    EXPECT(ask_queue, made, hinted);
    OK(clReleaseCommandQueue(made));
}

/* ---- memory ---- */

ASKER(ask_mem, cl_mem, clGetMemObjectInfo)
ASKER(ask_image, cl_mem, clGetImageInfo)
ASKER(ask_pipe, cl_mem, clGetPipeInfo)

/* [CL 5.5.5 R141]; a buffer lives as long as its sub-buffers do [CL 5.5.1 R3]. */
static void buffers(void **unused)
{
    (void)unused;
    static int host[64];
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, sizeof host, host, &err);
    OK(err);
    const cl_buffer_region region = {128, 64};
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    OK(err);
    const struct row whole[] = {ROW(CL_MEM_TYPE, cl_uint, CL_MEM_OBJECT_BUFFER),
                                ROW(CL_MEM_FLAGS, cl_bitfield, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR),
                                ROW(CL_MEM_SIZE, size_t, sizeof host),
                                ROW(CL_MEM_HOST_PTR, void *, host),
                                ROW(CL_MEM_MAP_COUNT, cl_uint, 0),
                                ROW(CL_MEM_REFERENCE_COUNT, cl_uint, 1),
                                ROW(CL_MEM_CONTEXT, cl_context, context),
                                ROW(CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem, NULL),
                                ROW(CL_MEM_OFFSET, size_t, 0),
                                ROW(CL_MEM_USES_SVM_POINTER, cl_bool, CL_FALSE),
                                EMPTY(CL_MEM_PROPERTIES)};
    const struct row inner[] = {ROW(CL_MEM_FLAGS, cl_bitfield, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR),
                                ROW(CL_MEM_SIZE, size_t, 64),
                                ROW(CL_MEM_HOST_PTR, void *, host + 32),
                                ROW(CL_MEM_CONTEXT, cl_context, context),
                                ROW(CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem, buffer),
                                ROW(CL_MEM_OFFSET, size_t, 128)};
    EXPECT(ask_mem, buffer, whole);
    EXPECT(ask_mem, part, inner);
    OK(clReleaseMemObject(buffer));
    EXPECT(ask_mem, part, inner);
    cl_int out[16] = {1};
    OK(clEnqueueReadBuffer(queue, part, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    assert_int_equal(out[0], 0);
    OK(clReleaseMemObject(part));
}

/* Each memory flag and each kind of image is accepted; the flag of format queries is none of an object.
 * [CL 5.2.1 R181] [CL 5.3.1 R181] */
static void names_of_memory(void **unused)
{
    (void)unused;
    static const cl_mem_flags flags[] = {CL_MEM_READ_WRITE,     CL_MEM_WRITE_ONLY,     CL_MEM_READ_ONLY,
                                         CL_MEM_ALLOC_HOST_PTR, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY,
                                         CL_MEM_HOST_NO_ACCESS, CL_MEM_USE_HOST_PTR,   CL_MEM_COPY_HOST_PTR};
    static const struct {
        cl_mem_object_type type;
        size_t depth, layers;
    } kinds[] = {{CL_MEM_OBJECT_IMAGE1D, 0, 0},       {CL_MEM_OBJECT_IMAGE2D, 0, 0},
                 {CL_MEM_OBJECT_IMAGE3D, 2, 0},       {CL_MEM_OBJECT_IMAGE1D_ARRAY, 0, 2},
                 {CL_MEM_OBJECT_IMAGE2D_ARRAY, 0, 2}, {CL_MEM_OBJECT_IMAGE1D_BUFFER, 0, 0}};
    static char host[64];
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        cl_mem made = clCreateBuffer(context, flags[i], sizeof host, i >= 7 ? host : NULL, &err);
        OK(err);
        OK(clReleaseMemObject(made));
    }
    EXPECT_NULL(CL_INVALID_VALUE,
                clCreateBuffer(context, CL_MEM_KERNEL_READ_AND_WRITE, sizeof host, NULL, &err));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &err);
        cl_image_desc d = {.image_type = kinds[i].type,
                           .image_width = 4,
                           .image_height = 4,
                           .image_depth = kinds[i].depth,
                           .image_array_size = kinds[i].layers};
        if (d.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
            d.buffer = buffer;
        cl_mem made = clCreateImage(context, 0, &format, &d, NULL, &err);
        OK(err);
        const struct row type[] = {ROW(CL_MEM_TYPE, cl_uint, kinds[i].type),
                                   ROW(CL_MEM_FLAGS, cl_bitfield, 0)};
        EXPECT(ask_mem, made, type);
        OK(clReleaseMemObject(made));
        OK(clReleaseMemObject(buffer));
    }
}

/* [CL 5.2.1 R182] */
static void no_properties(void **unused)
{
    (void)unused;
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc square = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const cl_mem_properties empty[] = {0};
    for (int i = 0; i < 2; i++) {
        const cl_mem_properties *properties = i ? empty : NULL;
        cl_mem buffer = clCreateBufferWithProperties(context, properties, 0, 64, NULL, &err);
        OK(err);
        cl_mem image = clCreateImageWithProperties(context, properties, 0, &format, &square, NULL, &err);
        OK(err);
        OK(clReleaseMemObject(buffer));
        OK(clReleaseMemObject(image));
    }
}

/* Of maps [CL 5.2.4 R141], and of shared memory, where what is for fine grain needs it [CL 5.6.1 R141]
 * [CL 5.6.1 R101]. */
static void names_of_maps_and_shared_memory(void **unused)
{
    (void)unused;
    static const cl_map_flags maps[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
                                        CL_MAP_WRITE_INVALIDATE_REGION};
    static const cl_svm_mem_flags good[] = {0,
                                            CL_MEM_READ_WRITE,
                                            CL_MEM_READ_ONLY,
                                            CL_MEM_WRITE_ONLY,
                                            CL_MEM_SVM_FINE_GRAIN_BUFFER,
                                            CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
                                            CL_MEM_READ_ONLY | CL_MEM_SVM_FINE_GRAIN_BUFFER};
    static const cl_svm_mem_flags bad[] = {CL_MEM_SVM_ATOMICS, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                           CL_MEM_USE_HOST_PTR, (cl_svm_mem_flags)1 << 40};
    cl_ulong most = 0;
    cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &err);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, maps[i], 0, 64, 0, NULL, NULL, &err);
        OK(err);
        OK(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    }
    EXPECT_NULL(CL_INVALID_VALUE, clEnqueueMapBuffer(queue, buffer, CL_TRUE, 8, 0, 64, 0, NULL, NULL, &err));
    OK(clFinish(queue));
    OK(clReleaseMemObject(buffer));
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char *svm = clSVMAlloc(context, good[i], 100, i ? (cl_uint)1 << i : 0);
        assert_non_null(svm);
        assert_int_equal((uintptr_t)svm % (i ? (uintptr_t)1 << i : 128), 0);
        clSVMFree(context, svm);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_null(clSVMAlloc(context, bad[i], 100, 0));
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    assert_null(clSVMAlloc(context, 0, 0, 0));
    assert_null(clSVMAlloc(context, 0, most + 1, 0));
    assert_null(clSVMAlloc(context, 0, 100, 3));
    assert_null(clSVMAlloc(context, 0, 100, 1 << 20));
    assert_null(clSVMAlloc(NULL, 0, 100, 0));
}

/* Each channel order and data type is the name of one in some combination, whether a device has the format or
 * not; other numbers are none. [CL 5.3.1 R182] */
static void names_of_formats(void **unused)
{
    (void)unused;
    static const cl_image_format formats[] = {{CL_DEPTH, CL_FLOAT},
                                              {CL_LUMINANCE, CL_UNORM_INT8},
                                              {CL_INTENSITY, CL_HALF_FLOAT},
                                              {CL_R, CL_SNORM_INT8},
                                              {CL_A, CL_SNORM_INT16},
                                              {CL_RG, CL_UNORM_INT16},
                                              {CL_RA, CL_SIGNED_INT8},
                                              {CL_RGB, CL_UNORM_SHORT_565},
                                              {CL_RGB, CL_UNORM_SHORT_555},
                                              {CL_RGB, CL_UNORM_INT_101010},
                                              {CL_RGBA, CL_SIGNED_INT16},
                                              {CL_RGBA, CL_SIGNED_INT32},
                                              {CL_RGBA, CL_UNSIGNED_INT8},
                                              {CL_RGBA, CL_UNSIGNED_INT16},
                                              {CL_RGBA, CL_UNSIGNED_INT32},
                                              {CL_RGBA, CL_UNORM_INT_101010_2},
                                              {CL_ARGB, CL_UNORM_INT8},
                                              {CL_BGRA, CL_UNORM_INT8},
                                              {CL_ABGR, CL_UNSIGNED_INT8},
                                              {CL_Rx, CL_UNORM_INT8},
                                              {CL_RGx, CL_UNORM_INT8},
                                              {CL_RGBx, CL_UNORM_SHORT_565},
                                              {CL_sRGB, CL_UNORM_INT8},
                                              {CL_sRGBx, CL_UNORM_INT8},
                                              {CL_sRGBA, CL_UNORM_INT8},
                                              {CL_sBGRA, CL_UNORM_INT8},
                                              {CL_ABGR, CL_UNORM_INT_2_101010_EXT},
                                              {CL_R, CL_UNSIGNED_INT10X6_EXT},
                                              {CL_R, CL_UNSIGNED_INT12X4_EXT},
                                              {CL_R, CL_UNSIGNED_INT14X2_EXT},
                                              {CL_R, CL_UNORM_INT10X6_EXT},
                                              {CL_R, CL_UNORM_INT12X4_EXT},
                                              {CL_R, CL_UNORM_INT14X2_EXT}};
    static const cl_image_format wrong[] = {
        {CL_R - 1, CL_UNORM_INT8}, {CL_R, CL_SNORM_INT8 - 1}, {CL_R, 0x10FF}, {0x10FF, CL_UNORM_INT8}};
    const cl_image_desc square = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        cl_mem made = clCreateImage(context, 0, &formats[i], &square, NULL, &err);
        if (err != CL_IMAGE_FORMAT_NOT_SUPPORTED) {
            OK(err);
            OK(clReleaseMemObject(made));
        }
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT_NULL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                    clCreateImage(context, 0, &wrong[i], &square, NULL, &err));
}

/* [CL 5.3.7 R141] */
static void images(void **unused)
{
    (void)unused;
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT16};
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                             .image_width = 5,
                             .image_height = 3,
                             .image_array_size = 2};
    cl_mem image = clCreateImage(context, 0, &format, &d, NULL, &err);
    OK(err);
    const struct row rows[] = {
        ROW(CL_IMAGE_FORMAT, cl_image_format, CL_RGBA, CL_UNSIGNED_INT16),
        ROW(CL_IMAGE_ELEMENT_SIZE, size_t, 8),
        ROW(CL_IMAGE_WIDTH, size_t, 5),
        ROW(CL_IMAGE_HEIGHT, size_t, 3),
        ROW(CL_IMAGE_DEPTH, size_t, 0),
        ROW(CL_IMAGE_ARRAY_SIZE, size_t, 2),
        ROW(CL_IMAGE_BUFFER, cl_mem, NULL),
        ROW(CL_IMAGE_NUM_MIP_LEVELS, cl_uint, 0),
        ROW(CL_IMAGE_NUM_SAMPLES, cl_uint, 0),
        ANY(CL_IMAGE_ROW_PITCH, size_t),
        ANY(CL_IMAGE_SLICE_PITCH, size_t),
    };
    EXPECT(ask_image, image, rows);
    OK(clReleaseMemObject(image));
    size_t row = 0, slice = 0;
    const cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 5};
    image = clCreateImage(context, 0, &format, &line, NULL, &err);
    OK(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof row, &row, NULL));
    OK(clGetImageInfo(image, CL_IMAGE_SLICE_PITCH, sizeof slice, &slice, NULL));
    assert_true(row >= 40 && slice == 0);
    const struct row one_dimension[] = {ROW(CL_IMAGE_HEIGHT, size_t, 0), ROW(CL_IMAGE_ARRAY_SIZE, size_t, 0)};
    EXPECT(ask_image, image, one_dimension);
    OK(clReleaseMemObject(image));
}

/* [CL 5.4.2 R141] [CL 5.4.2 R111] */
static void pipes(void **unused)
{
    (void)unused;
    cl_mem pipe = clCreatePipe(context, 0, 12, 7, NULL, &err);
    OK(err);
    const struct row rows[] = {ROW(CL_PIPE_PACKET_SIZE, cl_uint, 12), ROW(CL_PIPE_MAX_PACKETS, cl_uint, 7),
                               EMPTY(CL_PIPE_PROPERTIES)};
    EXPECT(ask_pipe, pipe, rows);
    const struct row type[] = {ROW(CL_MEM_TYPE, cl_uint, CL_MEM_OBJECT_PIPE)};
    EXPECT(ask_mem, pipe, type);
    OK(clReleaseMemObject(pipe));
}

ASKER(ask_sampler, cl_sampler, clGetSamplerInfo)

/* Each property, and its default. [CL 5.7.1 R141] [CL 5.7.2 R141] */
static void samplers(void **unused)
{
    (void)unused;
    const cl_sampler_properties given[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                           CL_FALSE,
                                           CL_SAMPLER_FILTER_MODE,
                                           CL_FILTER_LINEAR,
                                           CL_SAMPLER_ADDRESSING_MODE,
                                           CL_ADDRESS_CLAMP_TO_EDGE,
                                           0};
    cl_sampler plain = clCreateSamplerWithProperties(context, NULL, &err),
               made = clCreateSamplerWithProperties(context, given, &err);
    OK(err);
    const struct row defaults[] = {ROW(CL_SAMPLER_REFERENCE_COUNT, cl_uint, 1),
                                   ROW(CL_SAMPLER_CONTEXT, cl_context, context),
                                   ROW(CL_SAMPLER_NORMALIZED_COORDS, cl_bool, CL_TRUE),
                                   ROW(CL_SAMPLER_ADDRESSING_MODE, cl_uint, CL_ADDRESS_CLAMP),
                                   ROW(CL_SAMPLER_FILTER_MODE, cl_uint, CL_FILTER_NEAREST),
                                   EMPTY(CL_SAMPLER_PROPERTIES)};
    const struct row asked[] = {ROW(CL_SAMPLER_NORMALIZED_COORDS, cl_bool, CL_FALSE),
                                ROW(CL_SAMPLER_ADDRESSING_MODE, cl_uint, CL_ADDRESS_CLAMP_TO_EDGE),
                                ROW(CL_SAMPLER_FILTER_MODE, cl_uint, CL_FILTER_LINEAR),
                                {CL_SAMPLER_PROPERTIES, sizeof given, given}};
    EXPECT(ask_sampler, plain, defaults);
    EXPECT(ask_sampler, made, asked);
    OK(clReleaseSampler(plain));
    OK(clReleaseSampler(made));
}

/* ---- programs and kernels ---- */

ASKER(ask_program, cl_program, clGetProgramInfo)
ASKER(ask_kernel, cl_kernel, clGetKernelInfo)

static cl_int ask_build(const void *object, cl_uint param, size_t size, void *value, size_t *size_ret)
{
    return clGetProgramBuildInfo((cl_program)(uintptr_t)object, device, param, size, value, size_ret);
}

static cl_int ask_group(const void *object, cl_uint param, size_t size, void *value, size_t *size_ret)
{
    return clGetKernelWorkGroupInfo((cl_kernel)(uintptr_t)object, device, param, size, value, size_ret);
}

static cl_int ask_argument(const void *object, cl_uint param, size_t size, void *value, size_t *size_ret)
{
    return clGetKernelArgInfo((cl_kernel)(uintptr_t)object, 1, param, size, value, size_ret);
}

#define SOURCE                                                                                               \
    "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(global int *p, constant float *c, local "  \
    "char *l) { local int own[16]; own[0] = p[0]; p[1] = own[0] + (int)c[0] + l[0]; }"
#define OPTIONS "-cl-kernel-arg-info -D X=1"

/* [CL 5.8.9 R141] [CL 5.8.9 R142] */
static void programs(void **unused)
{
    (void)unused;
    const char *text = SOURCE;
    cl_program fresh = clCreateProgramWithSource(context, 1, &text, NULL, &err), built;
    OK(err);
    const struct row of_program[] = {ROW(CL_PROGRAM_REFERENCE_COUNT, cl_uint, 1),
                                     ROW(CL_PROGRAM_CONTEXT, cl_context, context),
                                     ROW(CL_PROGRAM_NUM_DEVICES, cl_uint, 1),
                                     ROW(CL_PROGRAM_DEVICES, cl_device_id, device),
                                     TEXT(CL_PROGRAM_SOURCE, SOURCE),
                                     EMPTY(CL_PROGRAM_IL),
                                     ROW(CL_PROGRAM_BINARY_SIZES, size_t, 0)};
    const struct row of_build[] = {ROW(CL_PROGRAM_BUILD_STATUS, cl_build_status, CL_BUILD_NONE),
                                   TEXT(CL_PROGRAM_BUILD_OPTIONS, ""), TEXT(CL_PROGRAM_BUILD_LOG, ""),
                                   ROW(CL_PROGRAM_BINARY_TYPE, cl_uint, CL_PROGRAM_BINARY_TYPE_NONE),
                                   ROW(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, size_t, 0)};
    EXPECT(ask_program, fresh, of_program);
    EXPECT(ask_build, fresh, of_build);
    OK(clReleaseProgram(fresh));
    built = build_source(SOURCE, OPTIONS);
    const struct row with_kernels[] = {
        ROW(CL_PROGRAM_NUM_KERNELS, size_t, 1), TEXT(CL_PROGRAM_KERNEL_NAMES, "k"),
        ROW(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, cl_bool, CL_FALSE),
        ROW(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, cl_bool, CL_FALSE), ANY(CL_PROGRAM_BINARY_SIZES, size_t)};
    const struct row good_build[] = {ROW(CL_PROGRAM_BUILD_STATUS, cl_build_status, CL_BUILD_SUCCESS),
                                     TEXT(CL_PROGRAM_BUILD_OPTIONS, OPTIONS),
                                     ROW(CL_PROGRAM_BINARY_TYPE, cl_uint, CL_PROGRAM_BINARY_TYPE_EXECUTABLE)};
    EXPECT(ask_program, built, with_kernels);
    EXPECT(ask_build, built, good_build);
    size_t size = 0;
    OK(clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    assert_true(size > 0);
    unsigned char *binary = calloc(1, size + 1);
    OK(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    size_t zeros = 0;
    for (size_t i = 0; i < size; i++)
        zeros += binary[i] == 0;
    assert_true(zeros < size && binary[size] == 0);
    free(binary);
    OK(clReleaseProgram(built));
}

/* [CL 5.9.4 R141] [CL 5.9.4 R142] [CL 5.9.4 R144] */
static void kernels(void **unused)
{
    (void)unused;
    cl_program program = build_source(SOURCE, OPTIONS);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    OK(err);
    const struct row of_kernel[] = {TEXT(CL_KERNEL_FUNCTION_NAME, "k"),
                                    ROW(CL_KERNEL_NUM_ARGS, cl_uint, 3),
                                    ROW(CL_KERNEL_REFERENCE_COUNT, cl_uint, 1),
                                    ROW(CL_KERNEL_CONTEXT, cl_context, context),
                                    ROW(CL_KERNEL_PROGRAM, cl_program, program),
                                    TEXT(CL_KERNEL_ATTRIBUTES, "reqd_work_group_size(4,2,1)")};
    const struct row of_groups[] = {
        ROW(CL_KERNEL_WORK_GROUP_SIZE, size_t, 8),
        {CL_KERNEL_COMPILE_WORK_GROUP_SIZE, 3 * sizeof(size_t), (const size_t[]){4, 2, 1}},
        ROW(CL_KERNEL_LOCAL_MEM_SIZE, cl_ulong, 64), /* the local argument is not set */
        ANY(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t),
        ANY(CL_KERNEL_PRIVATE_MEM_SIZE, cl_ulong)};
    const struct row of_argument[] = {
        ROW(CL_KERNEL_ARG_ADDRESS_QUALIFIER, cl_uint, CL_KERNEL_ARG_ADDRESS_CONSTANT),
        ROW(CL_KERNEL_ARG_ACCESS_QUALIFIER, cl_uint, CL_KERNEL_ARG_ACCESS_NONE),
        TEXT(CL_KERNEL_ARG_TYPE_NAME, "float*"),
        ROW(CL_KERNEL_ARG_TYPE_QUALIFIER, cl_bitfield, CL_KERNEL_ARG_TYPE_CONST),
        TEXT(CL_KERNEL_ARG_NAME, "c")};
    EXPECT(ask_kernel, kernel, of_kernel);
    EXPECT(ask_group, kernel, of_groups);
    EXPECT(ask_argument, kernel, of_argument);
    size_t sizes[3];
    assert_int_equal(
        clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof sizes, sizes, NULL),
        CL_INVALID_VALUE); /* no built-in kernel */
    OK(clSetKernelArg(kernel, 2, 100, NULL));
    const struct row with_local[] = {ROW(CL_KERNEL_LOCAL_MEM_SIZE, cl_ulong, 164)};
    EXPECT(ask_group, kernel, with_local);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* ---- events ---- */

ASKER(ask_event, cl_event, clGetEventInfo)
ASKER(ask_times, cl_event, clGetEventProfilingInfo)

/* [CL 5.11 R141] [CL 5.14 R141] */
static void events(void **unused)
{
    (void)unused;
    static const cl_profiling_info order[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                              CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                              CL_PROFILING_COMMAND_COMPLETE};
    cl_event event;
    OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    const struct row rows[] = {ROW(CL_EVENT_COMMAND_QUEUE, cl_command_queue, queue),
                               ROW(CL_EVENT_CONTEXT, cl_context, context),
                               ROW(CL_EVENT_COMMAND_TYPE, cl_uint, CL_COMMAND_MARKER),
                               ROW(CL_EVENT_COMMAND_EXECUTION_STATUS, cl_int, CL_COMPLETE),
                               ROW(CL_EVENT_REFERENCE_COUNT, cl_uint, 1)};
    const struct row times[] = {
        ANY(CL_PROFILING_COMMAND_QUEUED, cl_ulong), ANY(CL_PROFILING_COMMAND_SUBMIT, cl_ulong),
        ANY(CL_PROFILING_COMMAND_START, cl_ulong), ANY(CL_PROFILING_COMMAND_END, cl_ulong),
        ANY(CL_PROFILING_COMMAND_COMPLETE, cl_ulong)};
    EXPECT(ask_event, event, rows);
    EXPECT(ask_times, event, times);
    cl_ulong before = 1;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        cl_ulong time = 0;
        OK(clGetEventProfilingInfo(event, order[i], sizeof time, &time, NULL));
        assert_true(time >= before);
        before = time;
    }
    OK(clReleaseEvent(event));
}

/* The object returned by a query is not deleted, even if the application has released it: it is retained
 * again, used, and released. */
static void released_objects_are_retained_again(void **state)
{
    (void)state;
    cl_program program = build_source("kernel void k(global int *a) { *a = 7; }", NULL), again = NULL;
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    OK(err);
    OK(clReleaseProgram(program));
    assert_int_equal(clReleaseProgram(program), CL_INVALID_PROGRAM);
    OK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof again, &again, NULL));
    OK(clRetainProgram(again));
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(clCreateKernel(again, "k", &err)));
    OK(err);
    OK(clReleaseProgram(again));

    cl_mem whole = clCreateBuffer(context, 0, 256, NULL, &err), parent = NULL;
    OK(err);
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 64}, &err);
    OK(err);
    OK(clReleaseMemObject(whole));
    OK(clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
    OK(clRetainMemObject(parent));
    OK(clReleaseMemObject(part));
    OK(clEnqueueFillBuffer(queue, parent, "", 1, 0, 256, 0, NULL, NULL));
    OK(clReleaseMemObject(parent));

    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &err), found = NULL;
    OK(err);
    cl_mem holder = clCreateBuffer(other, 0, 4, NULL, &err);
    OK(err);
    OK(clReleaseContext(other));
    OK(clGetMemObjectInfo(holder, CL_MEM_CONTEXT, sizeof found, &found, NULL));
    OK(clRetainContext(found));
    OK(clReleaseMemObject(holder));
    OK(clReleaseMemObject(clCreateBuffer(found, 0, 4, NULL, &err)));
    OK(err);
    OK(clReleaseContext(found));
}

/* ---- references ---- */

/* An object without references is deleted: its handle is invalid. */
static void released_too_often(void **unused)
{
    (void)unused;
    const cl_device_partition_property by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[64];
    cl_uint count = 0;
    OK(clCreateSubDevices(device, by_one, 64, parts, &count));
    for (cl_uint i = 0; i < count; i++)
        OK(clReleaseDevice(parts[i]));
    assert_int_equal(clReleaseDevice(parts[0]), CL_INVALID_DEVICE); /* [CL 4.3 R8] */
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    OK(err);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, device, NULL, &err);
    OK(err);
    OK(clReleaseCommandQueue(q));
    assert_int_equal(clReleaseCommandQueue(q), CL_INVALID_COMMAND_QUEUE); /* [CL 5.1 R12] */
    cl_mem m = clCreateBuffer(c, 0, 4, NULL, &err);
    OK(err);
    OK(clReleaseMemObject(m));
    assert_int_equal(clReleaseMemObject(m), CL_INVALID_MEM_OBJECT); /* [CL 5.5.1 R4] */
    cl_sampler s = clCreateSamplerWithProperties(c, NULL, &err);
    OK(err);
    OK(clReleaseSampler(s));
    assert_int_equal(clReleaseSampler(s), CL_INVALID_SAMPLER); /* [CL 5.7.1 R6] */
    cl_event e = clCreateUserEvent(c, &err);
    OK(err);
    OK(clReleaseEvent(e));
    assert_int_equal(clReleaseEvent(e), CL_INVALID_EVENT); /* [CL 5.11 R23] */
    cl_program p = build_source(SOURCE, OPTIONS);
    cl_kernel k = clCreateKernel(p, "k", &err);
    OK(err);
    OK(clReleaseKernel(k));
    assert_int_equal(clReleaseKernel(k), CL_INVALID_KERNEL); /* [CL 5.9.1 R6] */
    OK(clReleaseProgram(p));
    assert_int_equal(clReleaseProgram(p), CL_INVALID_PROGRAM); /* [CL 5.8.2 R3] */
    OK(clReleaseContext(c));
    assert_int_equal(clReleaseContext(c), CL_INVALID_CONTEXT); /* [CL 4.4 R8] */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts),
        cmocka_unit_test(queues),
        cmocka_unit_test(buffers),
        cmocka_unit_test(images),
        cmocka_unit_test(pipes),
        cmocka_unit_test(samplers),
        cmocka_unit_test(programs),
        cmocka_unit_test(kernels),
        cmocka_unit_test(events),
        cmocka_unit_test(names_of_memory),
        cmocka_unit_test(no_properties),
        cmocka_unit_test(names_of_maps_and_shared_memory),
        cmocka_unit_test(names_of_formats),
        cmocka_unit_test(released_too_often),
        cmocka_unit_test(released_objects_are_retained_again),
    };
    return cmocka_run_group_tests_name("object-queries", tests, open_device, close_device);
}
