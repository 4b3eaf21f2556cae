/* Files of memory's contents: arrays of NumPy (.npy), and plain bytes. */
#ifndef TOOLS_LAUNCH_NPY_H
#define TOOLS_LAUNCH_NPY_H

#include <stddef.h>

struct npy_array {
    const unsigned char *data; /* within the text that was read */
    size_t bytes, item;        /* ITEM: bytes of an element; 0: plain bytes */
    char kind;                 /* of the elements: 'i', 'u' or 'f' */
};
/* Reads the elements of TEXT, the contents of a .npy file of SIZE bytes.  Returns NULL, or a message about
 * the error in the file. */
const char *npy_read(const char *text, size_t size, struct npy_array *array);

#endif
