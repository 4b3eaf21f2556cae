/* Files of memory's contents: arrays of NumPy (.npy), and plain bytes. */
#ifndef TOOLS_LAUNCH_NPY_H
#define TOOLS_LAUNCH_NPY_H

#include <stddef.h>

struct npy_array {
    const unsigned char *data; /* within the text that was read */
    size_t bytes, item;        /* ITEM: bytes of an element; 0: plain bytes */
    char kind;                 /* of the elements: 'i', 'u' or 'f' */
};
/* The elements in TEXT, a file of SIZE bytes.  NULL, or what is wrong with it. */
const char *npy_read(const char *text, size_t size, struct npy_array *array);

#endif
