/* A query of clGetKernelArgInfo that is refcl's own, for refcl-kernel-host: what the value of an argument, or the memory
 * that it points to, consists of.  The names of types are those of the source, which may define them. */
#ifndef REF_RUNTIME_ARGUMENT_LAYOUT_H
#define REF_RUNTIME_ARGUMENT_LAYOUT_H

#include <stdint.h>

enum { REFCL_KERNEL_ARG_LAYOUT = 0x7EC10001 };
struct refcl_argument_layout {
    uint32_t element_size;              /* bytes of the pointed-to type */
    uint32_t number_size, number_count; /* of a scalar or vector; 0: it is none */
    uint32_t is_real;
};

#endif
