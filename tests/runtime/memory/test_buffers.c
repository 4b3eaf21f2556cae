/* Buffers: creation, sub-buffers, transfers, rectangles, fills, maps, migration [CL 5.2, 5.5]. */
#include "tests/runtime/runtime_test.h"

#include <time.h>

static void creation(void **state)
{
    (void)state;
    char bytes[16] = "0123456789abcde";
    EXPECT_NULL(CL_INVALID_CONTEXT, clCreateBuffer((cl_context)queue, 0, 4, NULL, &err));
    /* [CL 5.2.1 E2] */
    EXPECT_NULL(CL_INVALID_VALUE, clCreateBuffer(context, 1u << 30, 4, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE,
                clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE,
                clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, bytes, &err));
    EXPECT_NULL(CL_INVALID_VALUE,
                clCreateBuffer(context, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 4, NULL, &err));
    EXPECT_NULL(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, 0, NULL, &err));
    EXPECT_NULL(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, SIZE_MAX, NULL, &err));
    EXPECT_NULL(CL_INVALID_HOST_PTR, clCreateBuffer(context, 0, 4, bytes, &err));
    EXPECT_NULL(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, NULL, &err));
    const cl_mem_properties unknown[] = {0x7777, 1, 0}, none[] = {0};
    EXPECT_NULL(CL_INVALID_PROPERTY, clCreateBufferWithProperties(context, unknown, 0, 4, NULL, &err));
    cl_mem m = clCreateBufferWithProperties(context, none, CL_MEM_COPY_HOST_PTR, 16, bytes, &err);
    OK(err);
    size_t size;
    cl_mem_flags flags;
    void *host = bytes;
    cl_mem plain = clCreateBuffer(context, 0, 16, NULL, &err);
    OK(err);
    /* [CL 5.5.5 R111] */
    OK(clGetMemObjectInfo(plain, CL_MEM_PROPERTIES, 0, NULL, &size));
    assert_int_equal(size, 0);
    OK(clReleaseMemObject(plain));
    OK(clGetMemObjectInfo(m, CL_MEM_PROPERTIES, 0, NULL, &size));
    assert_int_equal(size, sizeof(cl_mem_properties));
    OK(clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof(size), &size, NULL));
    assert_int_equal(size, 16);
    /* As given: the default access is none of the flags. [CL 5.5.5 R141] */
    OK(clGetMemObjectInfo(m, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
    assert_int_equal(flags, CL_MEM_COPY_HOST_PTR);
    OK(clGetMemObjectInfo(m, CL_MEM_HOST_PTR, sizeof(host), &host, NULL));
    assert_null(host);
    char out[16] = {0};
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, 16, out, 0, NULL, NULL));
    assert_string_equal(out, bytes);
    OK(clReleaseMemObject(m));
}

static void sub_buffers(void **state)
{
    (void)state;
    cl_mem m = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY, 1024, NULL, &err);
    cl_buffer_region region = {128, 256}, outside = {128, 1000}, empty = {128, 0}, odd = {4, 16};
    EXPECT_NULL(CL_INVALID_VALUE,
                clCreateSubBuffer(m, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
    EXPECT_NULL(CL_INVALID_VALUE,
                clCreateSubBuffer(m, CL_MEM_HOST_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
    EXPECT_NULL(CL_INVALID_VALUE,
                clCreateSubBuffer(m, CL_MEM_USE_HOST_PTR, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateSubBuffer(m, 0, 0x7777, &region, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &outside, &err));
    EXPECT_NULL(CL_INVALID_BUFFER_SIZE, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, &err));
    EXPECT_NULL(CL_MISALIGNED_SUB_BUFFER_OFFSET,
                clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &err));
    cl_mem s = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err), parent;
    OK(err);
    EXPECT_NULL(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(s, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
    size_t offset;
    cl_mem_flags flags;
    OK(clGetMemObjectInfo(s, CL_MEM_OFFSET, sizeof(offset), &offset, NULL));
    assert_int_equal(offset, 128);
    OK(clGetMemObjectInfo(s, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(parent), &parent, NULL));
    assert_ptr_equal(parent, m);
    OK(clGetMemObjectInfo(s, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
    assert_int_equal(flags, CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY);
    OK(clReleaseMemObject(s));
    OK(clReleaseMemObject(m));
}

static void sub_buffer_data(void **state)
{
    (void)state;
    unsigned char bytes[512];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (unsigned char)i;
    }
    cl_mem m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(bytes), bytes, &err);
    cl_buffer_region region = {256, 128};
    cl_mem s = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    unsigned char out[512], nine = 9;
    OK(clEnqueueReadBuffer(queue, s, CL_TRUE, 10, 20, out, 0, NULL, NULL));
    assert_memory_equal(out, bytes + 266, 20);
    OK(clEnqueueFillBuffer(queue, s, &nine, 1, 0, 128, 0, NULL, NULL));
    OK(clReleaseMemObject(s));
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, 512, out, 0, NULL, NULL));
    memset(bytes + 256, 9, 128);
    assert_memory_equal(out, bytes, 512);
    OK(clReleaseMemObject(m));
}

/* Overlapping sub-buffers: the bytes that are copied count (ambiguity D43). [CL 5.2.2 E38] [CL 5.2.2 E53] */
static void overlapping_parts(void **state)
{
    (void)state;
    const size_t left[3] = {0}, right[3] = {128, 0, 0}, half[3] = {128, 1, 1}, more[3] = {129, 1, 1};
    unsigned char bytes[384], out[128];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i / 128);
    cl_mem m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes, &err);
    OK(err);
    const cl_buffer_region low = {0, 256}, high = {128, 256};
    cl_mem a = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &err);
    OK(err);
    cl_mem b = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &high, &err);
    OK(err);
    OK(clEnqueueCopyBuffer(queue, a, b, 0, 128, 128, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 256, 128, out, 0, NULL, NULL));
    assert_memory_equal(out, bytes, 128);
    OK(clEnqueueCopyBufferRect(queue, a, b, left, right, half, 0, 0, 0, 0, 0, NULL, NULL));
    assert_int_equal(clEnqueueCopyBuffer(queue, a, b, 0, 0, 129, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    assert_int_equal(clEnqueueCopyBufferRect(queue, a, b, left, left, more, 0, 0, 0, 0, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(m));
}

static void transfer_errors(void **state)
{
    (void)state;
    char x[64];
    cl_mem m = clCreateBuffer(context, 0, 64, NULL, &err);
    cl_mem read_only = clCreateBuffer(context, CL_MEM_HOST_READ_ONLY, 64, NULL, &err);
    cl_mem write_only = clCreateBuffer(context, CL_MEM_HOST_WRITE_ONLY, 64, NULL, &err);
    cl_mem no_access = clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS, 64, NULL, &err);
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_mem foreign = clCreateBuffer(other, 0, 64, NULL, &err);
    assert_int_equal(clEnqueueReadBuffer(NULL, m, CL_TRUE, 0, 4, x, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clEnqueueReadBuffer(queue, NULL, CL_TRUE, 0, 4, x, 0, NULL, NULL),
                     CL_INVALID_MEM_OBJECT);
    assert_int_equal(clEnqueueReadBuffer(queue, foreign, CL_TRUE, 0, 4, x, 0, NULL, NULL),
                     CL_INVALID_CONTEXT);
    assert_int_equal(clEnqueueReadBuffer(queue, m, CL_TRUE, 61, 4, x, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueReadBuffer(queue, m, CL_TRUE, SIZE_MAX, 4, x, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 64, 0, x, 0, NULL, NULL));
    assert_int_equal(clEnqueueWriteBuffer(queue, m, CL_TRUE, 0, 4, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueWriteBuffer(queue, read_only, CL_TRUE, 0, 4, x, 0, NULL, NULL),
                     CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueReadBuffer(queue, write_only, CL_TRUE, 0, 4, x, 0, NULL, NULL),
                     CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueReadBuffer(queue, no_access, CL_TRUE, 0, 4, x, 0, NULL, NULL),
                     CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueCopyBuffer(queue, m, m, 0, 16, 32, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    assert_int_equal(clEnqueueCopyBuffer(queue, m, no_access, 0, 48, 32, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(clEnqueueCopyBuffer(queue, m, m, 0, 32, 32, 0, NULL, NULL));
    assert_int_equal(clEnqueueFillBuffer(queue, m, x, 3, 0, 63, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillBuffer(queue, m, x, 256, 0, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillBuffer(queue, m, NULL, 4, 0, 64, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillBuffer(queue, m, x, 4, 2, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillBuffer(queue, m, x, 4, 60, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(clFinish(queue));
    cl_mem all[] = {m, read_only, write_only, no_access, foreign};
    for (size_t i = 0; i < 5; i++) {
        OK(clReleaseMemObject(all[i]));
    }
    OK(clReleaseContext(other));
}

static void rectangles(void **state)
{
    (void)state;
    enum { W = 8, H = 6, D = 4 };
    unsigned char bytes[W * H * D], out[W * H * D] = {0};
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (unsigned char)i;
    }
    cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(bytes), bytes, &err);
    cl_mem b = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(out), out, &err);
    const size_t from[] = {2, 1, 1}, to[] = {1, 2, 0}, region[] = {3, 2, 3}, zero[] = {0, 0, 0};
    OK(clEnqueueCopyBufferRect(queue, a, b, from, to, region, W, W * H, W, W * H, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (size_t z = 0; z < D; z++) {
        for (size_t y = 0; y < H; y++) {
            for (size_t x = 0; x < W; x++) {
                int in = x >= 1 && x < 4 && y >= 2 && y < 4 && z < 3;
                int want = in ? bytes[(z + 1) * W * H + (y - 1) * W + x + 1] : 0;
                assert_int_equal(out[z * W * H + y * W + x], want);
            }
        }
    }
    unsigned char packed[18];
    OK(clEnqueueReadBufferRect(queue, a, CL_TRUE, from, zero, region, W, W * H, 0, 0, packed, 0, NULL, NULL));
    assert_int_equal(packed[0], bytes[W * H + W + 2]);
    assert_int_equal(packed[17], bytes[3 * W * H + 2 * W + 4]);
    memset(packed, 200, sizeof(packed));
    OK(clEnqueueWriteBufferRect(queue, a, CL_TRUE, from, zero, region, W, W * H, 0, 0, packed, 0, NULL,
                                NULL));
    OK(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    assert_int_equal(out[W * H + W + 2], 200);
    assert_int_equal(out[W * H + W + 1], bytes[W * H + W + 1]);
    const size_t far[] = {7, 5, 3}, no_rows[] = {3, 0, 3}, near[] = {3, 1, 1};
    assert_int_equal(
        clEnqueueCopyBufferRect(queue, a, b, far, zero, region, W, W * H, W, W * H, 0, NULL, NULL),
        CL_INVALID_VALUE);
    assert_int_equal(
        clEnqueueCopyBufferRect(queue, a, b, from, to, no_rows, W, W * H, W, W * H, 0, NULL, NULL),
        CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyBufferRect(queue, a, b, from, to, region, 2, 0, W, W * H, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(
        clEnqueueCopyBufferRect(queue, a, a, from, near, region, W, W * H, W, W * H, 0, NULL, NULL),
        CL_MEM_COPY_OVERLAP);
    const size_t beside[] = {5, 1, 1};
    OK(clEnqueueCopyBufferRect(queue, a, a, from, beside, region, W, W * H, W, W * H, 0, NULL, NULL));
    assert_int_equal(
        clEnqueueReadBufferRect(queue, a, CL_TRUE, from, zero, region, W, W * H, 0, 0, NULL, 0, NULL, NULL),
        CL_INVALID_VALUE);
    OK(clFinish(queue));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
}

static void maps(void **state)
{
    (void)state;
    char bytes[64] = "the quick brown fox";
    cl_mem m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 64, bytes, &err);
    EXPECT_NULL(CL_INVALID_VALUE, clEnqueueMapBuffer(queue, m, CL_TRUE, 1 << 10, 0, 4, 0, NULL, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE,
                clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, 0,
                                   NULL, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE,
                clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 62, 4, 0, NULL, NULL, &err));
    EXPECT_NULL(CL_INVALID_MEM_OBJECT,
                clEnqueueMapBuffer(queue, (cl_mem)queue, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err));
    char *p = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 4, 16, 0, NULL, NULL, &err);
    OK(err);
    assert_memory_equal(p, "quick", 5); /* [CL 5.2.4 R9] */
    cl_uint count;
    OK(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof(count), &count, NULL));
    assert_int_equal(count, 1);
    EXPECT_NULL(CL_INVALID_VALUE,
                clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 0, 0, 0, NULL, NULL, &err));
    EXPECT_NULL(CL_INVALID_OPERATION,
                clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_WRITE, 19, 4, 0, NULL, NULL, &err));
    char *again = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, NULL, &err);
    OK(err);
    assert_ptr_equal(again + 4, p);
    OK(clEnqueueUnmapMemObject(queue, m, again, 0, NULL, NULL));
    memcpy(p, "QUICK", 5);
    assert_int_equal(clEnqueueUnmapMemObject(queue, m, p + 1, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_event e;
    OK(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, &e));
    OK(clWaitForEvents(1, &e));
    OK(clReleaseEvent(e));
    assert_int_equal(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, 64, bytes, 0, NULL, NULL));
    assert_string_equal(bytes, "the QUICK brown fox");
    OK(clReleaseMemObject(m));
    m = clCreateBuffer(context, CL_MEM_HOST_READ_ONLY, 64, NULL, &err);
    EXPECT_NULL(CL_INVALID_OPERATION,
                clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &err));
    OK(clReleaseMemObject(m));
}

/* A buffer and its sub-buffers: memory mapped for writing through one is not mapped for writing through
 * another [CL 5.5.2]. */
static void maps_of_parts(void **state)
{
    (void)state;
    const cl_buffer_region first = {0, 128}, second = {128, 128};
    cl_uint count;
    cl_mem m = clCreateBuffer(context, 0, 256, NULL, &err);
    cl_mem a = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &first, &err);
    cl_mem b = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &second, &err);
    OK(err);
    void *p = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_WRITE, 0, 130, 0, NULL, NULL, &err);
    OK(err);
    EXPECT_NULL(CL_INVALID_OPERATION,
                clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &err));
    EXPECT_NULL(CL_INVALID_OPERATION, clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                                         4, 0, NULL, NULL, &err));
    void *q = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_WRITE, 2, 4, 0, NULL, NULL, &err);
    OK(err);
    OK(clGetMemObjectInfo(b, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    assert_int_equal(count, 1);
    OK(clGetMemObjectInfo(a, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    assert_int_equal(count, 0);
    assert_int_equal(clEnqueueUnmapMemObject(queue, a, p, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL));
    p = clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_WRITE, 0, 128, 0, NULL, NULL, &err);
    OK(err);
    EXPECT_NULL(CL_INVALID_OPERATION,
                clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_WRITE, 127, 1, 0, NULL, NULL, &err));
    OK(clEnqueueUnmapMemObject(queue, a, p, 0, NULL, NULL));
    OK(clEnqueueUnmapMemObject(queue, b, q, 0, NULL, NULL));
    p = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_WRITE, 0, 256, 0, NULL, NULL, &err);
    OK(err);
    OK(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(m));
}

/* Data written through a map that leaves the old contents undefined is there afterwards, and nothing else
 * changes, for buffers with both kinds of host memory. [CL 5.2.4, 5.5.3] */
static void maps_that_invalidate(void **state)
{
    (void)state;
    static int mine[64];
    for (int own = 0; own < 2; own++) {
        int out[64], wanted[64];
        for (int i = 0; i < 64; i++) {
            mine[i] = wanted[i] = i;
        }
        cl_mem m = clCreateBuffer(context, own ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, sizeof(mine),
                                  mine, &err);
        OK(err);
        for (int round = 0; round < 2; round++) {
            int *p = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 32, 64, 0, NULL,
                                        NULL, &err);
            OK(err);
            for (int i = 0; i < 16; i++) {
                p[i] = wanted[8 + i] = 1000 * (round + 1) + i;
            }
            OK(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL));
            OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
            assert_memory_equal(out, wanted, sizeof(out));
        }
        OK(clReleaseMemObject(m));
    }
}

/* With CL_MEM_USE_HOST_PTR the application's memory changes at maps and has what maps write. */
static void use_host_ptr(void **state)
{
    (void)state;
    static int mine[64];
    for (int i = 0; i < 64; i++) {
        mine[i] = i;
    }
    cl_mem m = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof(mine), mine, &err);
    void *host;
    OK(clGetMemObjectInfo(m, CL_MEM_HOST_PTR, sizeof(host), &host, NULL));
    assert_ptr_equal(host, mine);
    size_t align = 0;
    cl_uint bits = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(bits), &bits, NULL));
    align = bits / 8;
    const cl_buffer_region late = {align, sizeof(mine) - align};
    cl_mem part = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &late, &err);
    OK(err);
    OK(clGetMemObjectInfo(part, CL_MEM_HOST_PTR, sizeof(host), &host, NULL));
    assert_ptr_equal(host, (char *)mine + align); /* its own place, not the whole buffer's */
    OK(clReleaseMemObject(part));
    int out[64], seven = 7;
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    assert_memory_equal(out, mine, sizeof(out));
    OK(clEnqueueFillBuffer(queue, m, &seven, 4, 0, sizeof(mine), 0, NULL, NULL));
    OK(clFinish(queue));
    assert_int_equal(mine[3], 3);
    int *p = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 8, 16, 0, NULL, NULL, &err);
    OK(err);
    assert_ptr_equal(p, mine + 2);
    assert_int_equal(mine[3], 7);
    p[0] = 99;
    OK(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    assert_int_equal(out[2], 99);
    assert_int_equal(out[63], 7);
    OK(clReleaseMemObject(m));
}

static int seen[3], calls;
static void CL_CALLBACK gone(cl_mem m, void *data)
{
    (void)m;
    seen[calls++] = *(int *)data;
}

static void destructors(void **state)
{
    (void)state;
    int numbers[] = {1, 2, 3};
    cl_mem m = clCreateBuffer(context, 0, 64, NULL, &err);
    for (int i = 0; i < 3; i++) {
        OK(clSetMemObjectDestructorCallback(m, gone, &numbers[i]));
    }
    assert_int_equal(clSetMemObjectDestructorCallback(m, NULL, NULL), CL_INVALID_VALUE);
    int zero = 0;
    OK(clEnqueueFillBuffer(queue, m, &zero, 4, 0, 64, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(m));
    assert_int_equal(calls, 3);
    assert_int_equal(seen[0], 3);
    assert_int_equal(seen[2], 1);
}

static void CL_CALLBACK native(void *args)
{
    struct {
        int *data;
        int n;
    } *a = args;
    for (int i = 0; i < a->n; i++) {
        a->data[i] = i * i;
    }
}

static void native_kernels(void **state)
{
    (void)state;
    struct {
        void *data;
        int n;
    } args = {NULL, 16};
    cl_mem m = clCreateBuffer(context, 0, 64, NULL, &err);
    const void *where = &args.data;
    OK(clEnqueueNativeKernel(queue, native, &args, sizeof(args), 1, &m, &where, 0, NULL, NULL));
    int out[16];
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, 64, out, 0, NULL, NULL));
    assert_int_equal(out[15], 225);
    assert_int_equal(clEnqueueNativeKernel(queue, NULL, &args, sizeof(args), 1, &m, &where, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueNativeKernel(queue, native, &args, 0, 1, &m, &where, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(
        clEnqueueNativeKernel(queue, native, &args, sizeof(args), 1, NULL, &where, 0, NULL, NULL),
        CL_INVALID_VALUE);
    OK(clReleaseMemObject(m));
}

static void migration(void **state)
{
    (void)state;
    cl_mem m = clCreateBuffer(context, 0, 64, NULL, &err);
    OK(clEnqueueMigrateMemObjects(queue, 1, &m, 0, 0, NULL, NULL));
    OK(clEnqueueMigrateMemObjects(queue, 1, &m, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    assert_int_equal(clEnqueueMigrateMemObjects(queue, 0, &m, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueMigrateMemObjects(queue, 1, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueMigrateMemObjects(queue, 1, &m, 1 << 9, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(clFinish(queue));
    OK(clReleaseMemObject(m));
}

/* Fills with each pattern size, shorter and longer than what is copied at once; other bytes are unchanged. */
static void fill_sizes(void **state)
{
    (void)state;
    static unsigned char got[3 * 4096 + 256];
    unsigned char pattern[128];
    const size_t whole[] = {128, 4096 - 128, 4096, 4096 + 128, 3 * 4096};
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (unsigned char)(i + 1);
    cl_mem m = clCreateBuffer(context, 0, sizeof got, NULL, &err);
    OK(err);
    for (size_t size = 1; size <= 128; size *= 2) {
        for (size_t k = 0; k < sizeof whole / sizeof *whole; k++) {
            const size_t filled = whole[k] - (size < 128 ? size : 0);
            memset(got, 0xee, sizeof got);
            OK(clEnqueueWriteBuffer(queue, m, CL_FALSE, 0, sizeof got, got, 0, NULL, NULL));
            OK(clEnqueueFillBuffer(queue, m, pattern, size, 128, filled, 0, NULL, NULL));
            OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
            for (size_t i = 0; i < sizeof got; i++)
                assert_int_equal(got[i], i < 128 || i >= 128 + filled ? 0xee : pattern[(i - 128) % size]);
        }
    }
    OK(clReleaseMemObject(m));
}

/* Rows of bytes that nothing has written, with gaps: the time is linear in their number. */
static void many_rows(void **state)
{
    (void)state;
    enum { ROWS = 1 << 18, PITCH = 16 };
    const size_t origin[3] = {0}, region[3] = {4, ROWS, 1};
    unsigned char *bytes = malloc((size_t)ROWS * PITCH), *got = malloc((size_t)ROWS * PITCH);
    assert_true(bytes && got);
    for (size_t i = 0; i < (size_t)ROWS * PITCH; i++)
        bytes[i] = (unsigned char)(i / PITCH + i % PITCH * 7);
    cl_mem m = clCreateBuffer(context, 0, (size_t)ROWS * PITCH, NULL, &err);
    OK(err);
    time_t begin = time(NULL);
    OK(clEnqueueWriteBufferRect(queue, m, CL_TRUE, origin, origin, region, PITCH, 0, PITCH, 0, bytes, 0, NULL,
                                NULL));
    assert_true(time(NULL) - begin < 20);
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, (size_t)ROWS * PITCH, got, 0, NULL, NULL));
    for (size_t y = 0; y < ROWS; y++)
        assert_memory_equal(got + y * PITCH, bytes + y * PITCH, 4);
    OK(clReleaseMemObject(m));
    free(bytes);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_rows),
        cmocka_unit_test(fill_sizes),
        cmocka_unit_test(creation),
        cmocka_unit_test(sub_buffers),
        cmocka_unit_test(sub_buffer_data),
        cmocka_unit_test(overlapping_parts),
        cmocka_unit_test(transfer_errors),
        cmocka_unit_test(rectangles),
        cmocka_unit_test(maps),
        cmocka_unit_test(maps_of_parts),
        cmocka_unit_test(use_host_ptr),
        cmocka_unit_test(destructors),
        cmocka_unit_test(native_kernels),
        cmocka_unit_test(migration),
        cmocka_unit_test(maps_that_invalidate),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
