#include "tools/launch/npy.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The number of bytes and the kind of a type such as "<f4". */
static bool read_descr(const char *header, struct npy_array *array)
{
    const char *at = strstr(header, "'descr'");
    at = at ? strchr(at + 7, '\'') : NULL;
    if (!at || !at[1] || !strchr("<|=", at[1]) || !at[2] || !strchr("iufb", at[2]) ||
        !isdigit((unsigned char)at[3]))
        return false;
    array->kind = at[2] == 'b' ? 'u' : at[2];
    array->item = strtoul(at + 3, NULL, 10);
    return array->item && !strstr(header, "'fortran_order': True");
}

/* The number of elements of the header's shape, (N, M); SIZE_MAX: the header has no shape, or too many
 * elements. */
static size_t shape_count(const char *header)
{
    const char *at = strstr(header, "'shape'");
    size_t count = 1;
    at = at ? strchr(at, '(') : NULL;
    if (!at)
        return SIZE_MAX;
    for (at++; *at != ')';) {
        char *end;
        if (!isdigit((unsigned char)*at) || __builtin_mul_overflow(count, strtoull(at, &end, 10), &count))
            return SIZE_MAX;
        at = end + strspn(end, ", ");
    }
    return count;
}

/* Whether TEXT is a zip archive whose first member is an array, as numpy.savez writes it. */
static bool is_npz(const char *text, size_t size)
{
    enum { NAME_SIZE = 26, NAME = 30 };
    if (size <= NAME || memcmp(text, "PK\3\4", 4) != 0)
        return false;
    size_t length = (unsigned char)text[NAME_SIZE] | (size_t)(unsigned char)text[NAME_SIZE + 1] << 8;
    return length >= 4 && NAME + length <= size && memcmp(text + NAME + length - 4, ".npy", 4) == 0;
}

const char *npy_read(const char *text, size_t size, struct npy_array *array)
{
    const unsigned char *bytes = (const unsigned char *)text;
    *array = (struct npy_array){.data = bytes, .bytes = size};
    if (is_npz(text, size))
        return "an .npz archive of arrays cannot be read: save the array itself, as .npy";
    if (size <= 10 || memcmp(text, "\x93NUMPY", 6) != 0)
        return NULL;
    size_t wide = bytes[6] == 1 ? 2 : 4, start = 8 + wide;
    size_t length = bytes[8] | (size_t)bytes[9] << 8 |
                    (wide == 4 ? (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24 : 0);
    char *header = length < size && start + length <= size ? strndup(text + start, length) : NULL;
    bool good = header && read_descr(header, array);
    bool ends = good && (__builtin_mul_overflow(shape_count(header), array->item, &array->bytes) ||
                         array->bytes > size - start - length);
    free(header);
    if (!good)
        return "no array of numbers in C order, little-endian";
    array->data = bytes + start + length;
    return ends ? "the file ends before the elements that its header's shape has" : NULL;
}
