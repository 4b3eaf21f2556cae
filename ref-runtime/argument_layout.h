/* Queries of clGetKernelArgInfo that are refcl's own, for refcl-kernel-host: those of OpenCL, also for programs of SPIR-V and
 * from binaries, and what the value of an argument, or the memory that it points to, consists of.  The names of types are
 * those of the source, which may define them. */
#ifndef REF_RUNTIME_ARGUMENT_LAYOUT_H
#define REF_RUNTIME_ARGUMENT_LAYOUT_H

#include <stdint.h>

/* REFCL_KERNEL_ARG + (QUERY - CL_KERNEL_ARG_ADDRESS_QUALIFIER): from what the module says of its arguments. */
enum {
    REFCL_KERNEL_ARG = 0x7EC10000,
    REFCL_KERNEL_ARG_MASK = 0xFF,
    REFCL_KERNEL_ARG_LAYOUT = REFCL_KERNEL_ARG + 0xFF
};
struct refcl_argument_layout {
    uint32_t element_size;              /* bytes of the pointed-to type */
    uint32_t number_size, number_count; /* of a scalar or vector; 0: it is none */
    uint32_t is_real;
};

#endif
