/* Random rectangles and fills beside a model that moves single bytes: buffers of several kinds and their
 * sub-buffers, pitches, slices, regions that end with the buffer, regions that overlap [CL 5.2.2, 5.2.3].
 * Commands are enqueued without waiting; the contents are compared after each series. */
#include "tests/runtime/runtime_test.h"

#include <stdbool.h>

enum { SIZE = 4096, KINDS = 4, SERIES = 150, LENGTH = 12 };

/* A buffer, or a part of one, and the bytes that it has in the model. */
struct part {
    cl_mem mem;
    unsigned char *model;
    size_t size;
};

static const char *const kind_names[KINDS] = {"plain", "copied", "of the application", "of SVM"};
static unsigned char models[KINDS][SIZE], app_memory[SIZE] __attribute__((aligned(4096))), got[2 * SIZE];
static struct part parts[KINDS][3]; /* the whole, and two sub-buffers that overlap each other */
static void *svm;

/* xorshift64: the same series everywhere. */
static uint64_t random_state = 0x9e3779b97f4a7c15;

static size_t below(size_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state >> 11) % limit;
}

static void create_buffers(void)
{
    const cl_mem_flags flags[KINDS] = {0, CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR, CL_MEM_USE_HOST_PTR};
    svm = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    assert_non_null(svm);
    for (size_t k = 0; k < KINDS; k++) {
        void *const given[KINDS] = {NULL, models[1], app_memory, svm};
        const cl_buffer_region regions[] = {{1024, 2048}, {2048, 2048}};
        for (size_t i = 0; i < SIZE; i++)
            models[k][i] = (unsigned char)below(256);
        parts[k][0] = (struct part){clCreateBuffer(context, flags[k], SIZE, given[k], &err), models[k], SIZE};
        OK(err);
        OK(clEnqueueWriteBuffer(queue, parts[k][0].mem, CL_TRUE, 0, SIZE, models[k], 0, NULL, NULL));
        for (size_t i = 0; i < 2; i++) {
            parts[k][i + 1] = (struct part){
                clCreateSubBuffer(parts[k][0].mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &regions[i], &err),
                models[k] + regions[i].origin, regions[i].size};
            OK(err);
        }
    }
}

static void release_buffers(void)
{
    for (size_t k = 0; k < KINDS; k++)
        for (size_t i = 3; i-- > 0;)
            OK(clReleaseMemObject(parts[k][i].mem));
    clSVMFree(context, svm);
}

/* ---- rectangles ---- */

/* As in the calls; pitches of 0 are those of packed rows and slices. */
struct layout {
    size_t origin[3], row, slice;
};

static size_t row_pitch(const struct layout *l, const size_t region[3])
{
    return l->row ? l->row : region[0];
}

static size_t slice_pitch(const struct layout *l, const size_t region[3])
{
    return l->slice ? l->slice : region[1] * row_pitch(l, region);
}

static size_t byte_at(const struct layout *l, const size_t region[3], size_t x, size_t y, size_t z)
{
    return (l->origin[2] + z) * slice_pitch(l, region) + (l->origin[1] + y) * row_pitch(l, region) +
           l->origin[0] + x;
}

static size_t end_of(const struct layout *l, const size_t region[3])
{
    return byte_at(l, region, region[0] - 1, region[1] - 1, region[2] - 1) + 1;
}

static void choose_region(size_t region[3])
{
    region[0] = 1 + below(below(2) ? 9 : 40);
    region[1] = 1 + below(9);
    region[2] = 1 + below(4);
}

/* Origins are mostly such that the region ends before SIZE; one in four ends with the last byte or just after
 * it. */
static void choose_layout(struct layout *l, const size_t region[3], size_t size, bool with_pitches)
{
    if (with_pitches) {
        l->row = below(3) ? region[0] + below(12) : 0;
        l->slice = below(3) ? row_pitch(l, region) * (region[1] + below(3)) : 0;
    }
    l->origin[0] = below(16);
    l->origin[1] = below(4);
    l->origin[2] = below(3);
    size_t end = end_of(l, region);
    if (end < size && below(4) == 0)
        l->origin[0] += size - end + (below(3) == 0);
}

/* Copies in the model, by single bytes. */
static void copy_in_model(unsigned char *to, const struct layout *to_layout, const unsigned char *from,
                          const struct layout *from_layout, const size_t region[3])
{
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < region[0]; x++)
                to[byte_at(to_layout, region, x, y, z)] = from[byte_at(from_layout, region, x, y, z)];
}

static void write_or_read(const struct part *p, bool write)
{
    /* The commands of a series use their host memory until the queue is empty. */
    static unsigned char memory[LENGTH][SIZE], expected[SIZE];
    static size_t next;
    unsigned char *host = memory[next++ % LENGTH];
    struct layout in_buffer = {0}, in_host = {0};
    size_t region[3];
    choose_region(region);
    choose_layout(&in_buffer, region, p->size, true);
    choose_layout(&in_host, region, SIZE, true);
    if (end_of(&in_host, region) > SIZE)
        return;
    for (size_t i = 0; i < SIZE; i++)
        host[i] = (unsigned char)below(256);
    bool fits = end_of(&in_buffer, region) <= p->size;
    memcpy(expected, host, SIZE);
    if (fits && write)
        copy_in_model(p->model, &in_buffer, host, &in_host, region);
    else if (fits)
        copy_in_model(expected, &in_host, p->model, &in_buffer, region);
    cl_int code = write ? clEnqueueWriteBufferRect(queue, p->mem, CL_FALSE, in_buffer.origin, in_host.origin,
                                                   region, in_buffer.row, in_buffer.slice, in_host.row,
                                                   in_host.slice, host, 0, NULL, NULL)
                        : clEnqueueReadBufferRect(queue, p->mem, CL_TRUE, in_buffer.origin, in_host.origin,
                                                  region, in_buffer.row, in_buffer.slice, in_host.row,
                                                  in_host.slice, host, 0, NULL, NULL);
    assert_int_equal(code, fits ? CL_SUCCESS : CL_INVALID_VALUE);
    assert_memory_equal(host, expected, SIZE);
}

/* Whether a byte of the application's buffer is in both rectangles. */
static bool bytes_overlap(const struct part *a, const struct layout *la, const struct part *b,
                          const struct layout *lb, const size_t region[3])
{
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < region[0]; x++) {
                const unsigned char *at = a->model + byte_at(la, region, x, y, z);
                for (size_t v = 0; v < region[2]; v++)
                    for (size_t u = 0; u < region[1]; u++) {
                        const unsigned char *row = b->model + byte_at(lb, region, 0, u, v);
                        if (at >= row && at < row + region[0])
                            return true;
                    }
            }
    return false;
}

static void copy(const struct part *from, const struct part *to, bool same_root)
{
    struct layout in_source = {0}, in_target = {0};
    size_t region[3];
    choose_region(region);
    choose_layout(&in_source, region, from->size, true);
    in_target = in_source;
    choose_layout(&in_target, region, to->size, !same_root);
    bool fits = end_of(&in_source, region) <= from->size && end_of(&in_target, region) <= to->size;
    cl_int wanted = !fits ? CL_INVALID_VALUE
                    : same_root && bytes_overlap(from, &in_source, to, &in_target, region)
                        ? CL_MEM_COPY_OVERLAP
                        : CL_SUCCESS;
    assert_int_equal(clEnqueueCopyBufferRect(queue, from->mem, to->mem, in_source.origin, in_target.origin,
                                             region, in_source.row, in_source.slice, in_target.row,
                                             in_target.slice, 0, NULL, NULL),
                     wanted);
    if (wanted == CL_SUCCESS)
        copy_in_model(to->model, &in_target, from->model, &in_source, region);
}

/* ---- fills ---- */

static void fill(const struct part *p)
{
    unsigned char pattern[128];
    size_t each = (size_t)1 << below(8);
    size_t first = below(p->size / each + 1), count = below(p->size / each - first + 1);
    if (below(3) == 0)
        count = p->size / each - first; /* to the end */
    for (size_t i = 0; i < each; i++)
        pattern[i] = (unsigned char)below(256);
    OK(clEnqueueFillBuffer(queue, p->mem, pattern, each, first * each, count * each, 0, NULL, NULL));
    memset(pattern + each, 0, sizeof pattern - each);
    for (size_t i = 0; i < count * each; i++)
        p->model[first * each + i] = pattern[i % each];
    memset(pattern, 0x5a, sizeof pattern); /* the command has a copy of the pattern */
}

/* ---- tests ---- */

static struct part *any_part(size_t *kind)
{
    *kind = below(KINDS);
    return &parts[*kind][below(3)];
}

static void random_command(void)
{
    size_t kind, other;
    struct part *p = any_part(&kind), *q = any_part(&other);
    switch (below(6)) {
    case 0:
        write_or_read(p, true);
        break;
    case 1:
        write_or_read(p, false);
        break;
    case 2:
        fill(p);
        break;
    case 3:
        copy(p, &parts[kind][below(3)], true);
        break;
    default:
        copy(p, q, kind == other);
    }
}

static void compare_all(size_t series)
{
    for (size_t k = 0; k < KINDS; k++) {
        OK(clEnqueueReadBuffer(queue, parts[k][0].mem, CL_TRUE, 0, SIZE, got, 0, NULL, NULL));
        for (size_t i = 0; i < SIZE; i++)
            if (got[i] != models[k][i])
                fail_msg("series %zu: byte %zu of the buffer %s is %d instead of %d", series, i,
                         kind_names[k], got[i], models[k][i]);
    }
}

static void random_series(void **state)
{
    (void)state;
    create_buffers();
    for (size_t series = 0; series < SERIES; series++) {
        for (size_t i = 0; i < LENGTH; i++)
            random_command();
        compare_all(series);
    }
    release_buffers();
}

/* Each pattern size, offset in patterns, and number of patterns from none to the first few and around the
 * block of 4 KiB that is copied at once. */
static void svm_fills(void **state)
{
    (void)state;
    enum { BYTES = 3 * 4096 };
    static unsigned char model[BYTES], pattern[128];
    const cl_svm_mem_flags flags[] = {0, CL_MEM_SVM_FINE_GRAIN_BUFFER};
    for (size_t f = 0; f < 2; f++) {
        unsigned char *memory = clSVMAlloc(context, CL_MEM_READ_WRITE | flags[f], BYTES, 128);
        assert_non_null(memory);
        for (size_t each = 1; each <= 128; each *= 2) {
            const size_t block = 4096 / each;
            const size_t counts[] = {0, 1, 2, 3, 5, block - 1, block, block + 1, 2 * block + 1};
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                size_t first = below(BYTES / each - counts[c] + 1);
                for (size_t i = 0; i < each; i++)
                    pattern[i] = (unsigned char)below(256);
                memset(model, 0xee, BYTES);
                OK(clEnqueueSVMMemcpy(queue, CL_FALSE, memory, model, BYTES, 0, NULL, NULL));
                OK(clEnqueueSVMMemFill(queue, memory + first * each, pattern, each, counts[c] * each, 0, NULL,
                                       NULL));
                OK(clEnqueueSVMMemcpy(queue, CL_TRUE, got, memory, SIZE, 0, NULL, NULL));
                OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, memory, BYTES, 0, NULL, NULL));
                for (size_t i = 0; i < counts[c] * each; i++)
                    model[first * each + i] = pattern[i % each];
                assert_memory_equal(memory, model, BYTES);
                assert_memory_equal(got, model, SIZE);
                OK(clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL));
            }
        }
        OK(clFinish(queue));
        clSVMFree(context, memory);
    }
}

/* Regions of images that touch borders and that do not, in texels of 1 to 16 bytes; the rest is unchanged. */
static void image_fills(void **state)
{
    (void)state;
    enum { W = 13, H = 7, D = 3 };
    static const cl_image_format formats[] = {{CL_R, CL_UNSIGNED_INT8},
                                              {CL_RG, CL_UNSIGNED_INT8},
                                              {CL_RGBA, CL_UNSIGNED_INT8},
                                              {CL_RGBA, CL_UNSIGNED_INT16},
                                              {CL_RGBA, CL_UNSIGNED_INT32}};
    static const size_t texel_size[] = {1, 2, 4, 8, 16}, channels[] = {1, 2, 4, 4, 4};
    static unsigned char model[W * H * D * 16];
    const size_t zero[3] = {0, 0, 0}, whole[3] = {W, H, D};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = W, .image_height = H, .image_depth = D};
    for (size_t f = 0; f < 5; f++) {
        size_t texel = texel_size[f], channel = texel / channels[f];
        cl_mem image = clCreateImage(context, 0, &formats[f], &desc, NULL, &err);
        OK(err);
        for (size_t i = 0; i < W * H * D * texel; i++)
            model[i] = (unsigned char)below(256);
        OK(clEnqueueWriteImage(queue, image, CL_TRUE, zero, whole, 0, 0, model, 0, NULL, NULL));
        for (int n = 0; n < 20; n++) {
            const size_t origin[3] = {below(W), below(H), below(D)};
            const size_t region[3] = {1 + below(W - origin[0]), 1 + below(H - origin[1]),
                                      1 + below(D - origin[2])};
            cl_uint color[4];
            for (size_t i = 0; i < 4; i++)
                color[i] = (cl_uint)below(256); /* in range of all the formats */
            OK(clEnqueueFillImage(queue, image, color, origin, region, 0, NULL, NULL));
            for (size_t z = origin[2]; z < origin[2] + region[2]; z++)
                for (size_t y = origin[1]; y < origin[1] + region[1]; y++)
                    for (size_t x = origin[0]; x < origin[0] + region[0]; x++)
                        for (size_t i = 0; i < texel; i++)
                            model[((z * H + y) * W + x) * texel + i] =
                                i % channel == 0 ? (unsigned char)color[i / channel] : 0;
        }
        OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, whole, 0, 0, got, 0, NULL, NULL));
        assert_memory_equal(got, model, W * H * D * texel);
        OK(clReleaseMemObject(image));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_series),
        cmocka_unit_test(svm_fills),
        cmocka_unit_test(image_fills),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
