/* printf in kernels [CLC 6.15.14, 6.15.14.2 R1; CL env 2.11 R1]: text from a format and typed values. */
#ifndef INTERP_EXT_EXT_PRINTF_H
#define INTERP_EXT_EXT_PRINTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct in_printf_value {
    const void *data;      /* COUNT elements of ELEMENT_SIZE bytes; need not be aligned */
    uint32_t element_size; /* 1, 2, 4, 8 */
    uint32_t count;        /* 1 for scalars and pointers */
    bool is_float;         /* half, float, double by size; else integers or a pointer */
};

/* Gives the string at ADDRESS in kernel memory and its length without the terminator; NULL if it cannot be
 * read. */
typedef const char *(*in_printf_string)(void *context, uint64_t address, size_t *length);

struct in_printf {
    const char *format; /* LENGTH bytes, which may contain zeros */
    size_t length;
    const struct in_printf_value *values;
    size_t count;
    in_printf_string string; /* NULL: no string can be read */
    void *context;           /* passed to STRING */
};

/* Writes the text of CALL to OUT (at most SIZE bytes, no terminator) and returns the length of the whole
 * text, as snprintf does, so that a first call with SIZE 0 measures.  On a format that the specification does
 * not define, or values that do not fit it, *PROBLEM says what (a static string; NULL otherwise) and the text
 * ends there: the kernel's printf then returns -1. */
size_t in_printf_format(const struct in_printf *call, char *out, size_t size, const char **problem);

#endif
