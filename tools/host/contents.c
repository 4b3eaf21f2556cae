/* Contents of memory: scalars by their OpenCL C types, initial values, files of NumPy. */
#include "tools/host/kernel_host.h"
#include "tools/launch/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef _Float16 half_number;

static void put_scalar(void *at, struct spec_scalar scalar, double real, int64_t integer)
{
    float f = (float)real;
    half_number half = (half_number)f;
    if (scalar.kind == 'f')
        memcpy(at,
               scalar.bytes == 2   ? (void *)&half
               : scalar.bytes == 4 ? (void *)&f
                                   : (void *)&real,
               scalar.bytes);
    else
        memcpy(at, &integer, scalar.bytes); /* little-endian */
}

size_t host_put_value(unsigned char *data, struct spec_scalar scalar, size_t count,
                      const struct spec_value *value)
{
    size_t done = 0;
    if (value->form == SPEC_LIST) {
        for (uint32_t i = 0; i < value->count && done < count; i++)
            done += host_put_value(data + done * scalar.bytes, scalar, count - done, &value->items[i]);
        return done;
    }
    if (count)
        put_scalar(data, scalar, spec_real(value), spec_whole(value));
    return 1;
}

/* ---- files ------------------------------------------------------------------------------------- */

struct array {
    char *text;
    struct npy_array of;
};

static struct array read_array(const char *path)
{
    size_t size;
    struct array array = {.text = host_read_file(path, &size)};
    const char *wrong = npy_read(array.text, size, &array.of);
    if (wrong)
        host_fail(wrong, path);
    return array;
}

cl_mem_flags host_access(const struct spec *spec)
{
    return spec->access == SPEC_READ_ONLY    ? CL_MEM_READ_ONLY
           : spec->access == SPEC_WRITE_ONLY ? CL_MEM_WRITE_ONLY
                                             : CL_MEM_READ_WRITE;
}

size_t host_file_count(const struct spec *spec, struct spec_type type)
{
    struct array array = read_array(spec->file);
    size_t count = array.of.bytes / type.bytes;
    free(array.text);
    if (!count)
        host_fail("the file holds no element", spec->file);
    return count;
}

static void load_file(unsigned char *data, size_t bytes, struct spec_scalar scalar, const char *path)
{
    struct array array = read_array(path);
    char text[300];
    if (array.of.item && (array.of.item != scalar.bytes || (array.of.kind == 'f') != (scalar.kind == 'f'))) {
        snprintf(text, sizeof text, "%.200s holds '%c%zu', the argument is of %s", path, array.of.kind,
                 array.of.item, scalar.name);
        host_fail("the elements of the file differ from the argument's", text);
    }
    if (array.of.bytes != bytes) {
        snprintf(text, sizeof text, "%.200s holds %zu bytes, the argument has %zu", path, array.of.bytes,
                 bytes);
        host_fail("the size of the file differs from the argument's", text);
    }
    memcpy(data, array.of.data, bytes);
    free(array.text);
}

void host_write_npy(const char *path, const unsigned char *data, struct spec_scalar scalar,
                    const size_t *shape, unsigned dimensions)
{
    char header[320], sizes[100] = "";
    size_t bytes = scalar.bytes;
    for (unsigned i = 0; i < dimensions; i++) {
        bytes *= shape[i];
        snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%zu,%s", shape[i],
                 i + 1 < dimensions ? " " : "");
    }
    int n =
        snprintf(header, sizeof header - 80, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (%s), }",
                 scalar.bytes == 1 ? '|' : '<', scalar.kind, scalar.bytes, sizes);
    size_t length = ((size_t)n + 1 + 10 + 63) / 64 * 64 - 10; /* the data begins at a multiple of 64 */
    memset(header + n, ' ', length - (size_t)n);
    header[length - 1] = '\n';
    const unsigned char start[] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)length, (unsigned char)(length >> 8)};
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(start, 1, sizeof start, file) != sizeof start ||
        fwrite(header, 1, length, file) != length || fwrite(data, 1, bytes, file) != bytes ||
        fclose(file) != 0)
        host_fail_file("write", path);
}

/* ---- initial values -------------------------------------------------------------------------------- */

static void put_random(unsigned char *data, size_t count, struct spec_scalar scalar, uint64_t seed,
                       uint64_t limit)
{
    uint64_t state = spec_random_state(seed);
    for (size_t i = 0; i < count; i++) {
        double real;
        int64_t whole = spec_random(&state, limit, &real);
        put_scalar(data + i * scalar.bytes, scalar, real, whole);
    }
}

static void put_numbers(unsigned char *data, size_t count, struct spec_scalar scalar, uint64_t first,
                        uint64_t step, uint64_t limit)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t number = first + i * step;
        number = limit ? number % limit : number;
        put_scalar(data + i * scalar.bytes, scalar, (double)number, (int64_t)number);
    }
}

/* Fills DATA for launch ROUND (enum spec_input): zeros, iota, ones, random numbers, small ones, or one number
 * in all elements; below the limit of indices. */
static void put_round(unsigned char *data, size_t count, struct spec_scalar scalar, const struct spec *spec,
                      unsigned round)
{
    enum { LARGE = 1 << 12 }; /* small enough that products and sums of a few values do not overflow */
    const uint64_t limit = spec->number, small = limit ? limit : 16;
    if (round == SPEC_INPUT_LAST && spec->has_last)
        put_numbers(data, count, scalar, (uint64_t)spec->last, 0, 0);
    else if (round >= SPEC_INPUT_RANDOM)
        put_random(data, count, scalar, round,
                   round != SPEC_INPUT_RANDOM    ? small
                   : limit || scalar.kind == 'f' ? limit
                                                 : LARGE);
    else
        put_numbers(data, count, scalar, round == SPEC_INPUT_ONES, round == SPEC_INPUT_IOTA, limit);
}

void host_fill(unsigned char *data, size_t bytes, struct spec_scalar scalar, const struct spec *spec,
               unsigned round)
{
    size_t count = bytes / scalar.bytes;
    switch (spec->fill) {
    case SPEC_FILE:
        load_file(data, bytes, scalar, spec->file);
        break;
    case SPEC_IOTA:
        put_numbers(data, count, scalar, 0, 1, 0);
        break;
    case SPEC_FILL:
        for (size_t done = 0; done < count;)
            done += host_put_value(data + done * scalar.bytes, scalar, count - done, &spec->value);
        break;
    case SPEC_RANDOM:
    case SPEC_BELOW:
        put_random(data, count, scalar, spec->fill == SPEC_RANDOM ? spec->number : 1,
                   spec->fill == SPEC_BELOW ? spec->number : 0);
        break;
    case SPEC_CHANGING:
    case SPEC_INDICES:
        put_round(data, count, scalar, spec, round);
        break;
    default:
        memset(data, 0, bytes);
    }
}

/* ---- printing ---------------------------------------------------------------------------------------- */

void host_print_element(const unsigned char *at, struct spec_scalar scalar)
{
    int64_t integer = 0;
    half_number half;
    float f;
    double d;
    if (scalar.kind == 'f') {
        memcpy(scalar.bytes == 2   ? (void *)&half
               : scalar.bytes == 4 ? (void *)&f
                                   : (void *)&d,
               at, scalar.bytes);
        printf(" %.9g", scalar.bytes == 2 ? (double)half : scalar.bytes == 4 ? (double)f : d);
        return;
    }
    memcpy(&integer, at, scalar.bytes);
    unsigned shift = 64 - 8 * scalar.bytes;
    if (scalar.kind == 'i')
        printf(" %" PRId64, (int64_t)((uint64_t)integer << shift) >> shift);
    else
        printf(" %" PRIu64, (uint64_t)integer);
}
