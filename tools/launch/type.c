/* Types of numbers by their names in OpenCL C, and the element types of kernel arguments.
 *
 * The name comes from the source; the type that SPIR-V pointers have is the translator's guess where those
 * of LLVM have none. */
#include "interp/image/image.h"
#include "tools/launch/spec.h"

#include <stdlib.h>
#include <string.h>

static const struct spec_scalar scalars[] = {
    {"char", 1, 'i'},        {"uchar", 1, 'u'},        {"short", 2, 'i'},        {"ushort", 2, 'u'},
    {"int", 4, 'i'},         {"uint", 4, 'u'},         {"long", 8, 'i'},         {"ulong", 8, 'u'},
    {"float", 4, 'f'},       {"double", 8, 'f'},       {"half", 2, 'f'},         {"size_t", 8, 'u'},
    {"bool", 1, 'u'},        {"atomic_int", 4, 'i'},   {"atomic_uint", 4, 'u'},  {"atomic_float", 4, 'f'},
    {"atomic_long", 8, 'i'}, {"atomic_ulong", 8, 'u'}, {"atomic_double", 8, 'f'}};
enum { SCALARS = sizeof scalars / sizeof *scalars };

static struct spec_type vector_of(struct spec_scalar scalar, unsigned width)
{
    return (struct spec_type){scalar, width, scalar.bytes * (width == 3 ? 4 : width)};
}

/* True if a vector of OpenCL C may have N components. */
static bool is_width(unsigned long n)
{
    return n == 2 || n == 3 || n == 4 || n == 8 || n == 16;
}

bool spec_type_read(const char *text, struct spec_type *type)
{
    size_t length = strcspn(text, "*0123456789 ");
    char *rest;
    unsigned long width = strtoul(text + length, &rest, 10);
    bool vector = rest != text + length;
    rest += strspn(rest, " ");
    rest += *rest == '*';
    if (*rest || (vector && !is_width(width)))
        return false; /* of another type whose name begins like this, such as float4x4 */
    for (size_t i = 0; i < SCALARS; i++) {
        if (strlen(scalars[i].name) != length || strncmp(scalars[i].name, text, length) != 0)
            continue;
        *type = vector_of(scalars[i], vector ? (unsigned)width : 1);
        return true;
    }
    return false;
}

struct spec_type spec_element_type(const char *source_name, uint32_t size, uint32_t count, bool is_real,
                                   uint32_t bytes)
{
    struct spec_type type;
    if (spec_type_read(source_name, &type))
        return type;
    for (size_t i = 0; i < SCALARS; i++)
        if (scalars[i].bytes == size && scalars[i].kind == (is_real ? 'f' : 'i'))
            return vector_of(scalars[i], count);
    return (struct spec_type){SPEC_BYTE, 1, bytes ? bytes : 1};
}

bool spec_format_read(const char *text, struct spec_format *format)
{
    static const struct {
        enum in_channel_order order;
        unsigned channels;
    } orders[] = {[SPEC_RGBA] = {IN_ORDER_RGBA, 4},
                  [SPEC_BGRA] = {IN_ORDER_BGRA, 4},
                  [SPEC_RG] = {IN_ORDER_RG, 2},
                  [SPEC_R] = {IN_ORDER_R, 1}};
    static const struct {
        enum in_channel_type type;
        struct spec_scalar scalar;
    } types[] = {[SPEC_UNORM8] = {IN_CHANNEL_UNORM_INT8, {"uchar", 1, 'u'}},
                 [SPEC_UNORM16] = {IN_CHANNEL_UNORM_INT16, {"ushort", 2, 'u'}},
                 [SPEC_SNORM8] = {IN_CHANNEL_SNORM_INT8, {"char", 1, 'i'}},
                 [SPEC_SNORM16] = {IN_CHANNEL_SNORM_INT16, {"short", 2, 'i'}},
                 [SPEC_FLOAT] = {IN_CHANNEL_FLOAT, {"float", 4, 'f'}},
                 [SPEC_FLOAT_32] = {IN_CHANNEL_FLOAT, {"float", 4, 'f'}},
                 [SPEC_HALF] = {IN_CHANNEL_HALF_FLOAT, {"half", 2, 'f'}},
                 [SPEC_INT8] = {IN_CHANNEL_SIGNED_INT8, {"char", 1, 'i'}},
                 [SPEC_INT16] = {IN_CHANNEL_SIGNED_INT16, {"short", 2, 'i'}},
                 [SPEC_INT32] = {IN_CHANNEL_SIGNED_INT32, {"int", 4, 'i'}},
                 [SPEC_UINT8] = {IN_CHANNEL_UNSIGNED_INT8, {"uchar", 1, 'u'}},
                 [SPEC_UINT16] = {IN_CHANNEL_UNSIGNED_INT16, {"ushort", 2, 'u'}},
                 [SPEC_UINT32] = {IN_CHANNEL_UNSIGNED_INT32, {"uint", 4, 'u'}}};
    enum spec_order order;
    enum spec_channel channel;
    if (!spec_format_find(text, &order, &channel))
        return false;
    *format = (struct spec_format){(unsigned)orders[order].order, (unsigned)types[channel].type,
                                   orders[order].channels, types[channel].scalar};
    return true;
}
