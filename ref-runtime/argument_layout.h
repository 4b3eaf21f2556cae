/* Queries of clGetKernelArgInfo that refcl adds for refcl-kernel-host: those of OpenCL, answered also for
 * programs of SPIR-V and from binaries, and the types in the value of an argument or in the memory that it
 * points to.  Names of types are those of the source, which may define them. */
#ifndef REF_RUNTIME_ARGUMENT_LAYOUT_H
#define REF_RUNTIME_ARGUMENT_LAYOUT_H

#include <stdint.h>

/* REFCL_KERNEL_ARG + (QUERY - CL_KERNEL_ARG_ADDRESS_QUALIFIER) answers QUERY from the module. */
enum {
    REFCL_KERNEL_ARG = 0x7EC10000,
    REFCL_KERNEL_ARG_MASK = 0xFF,
    REFCL_KERNEL_ARG_LAYOUT = REFCL_KERNEL_ARG + 0xFF
};
struct refcl_argument_layout {
    uint32_t element_size;              /* bytes of the pointed-to type */
    uint32_t number_size, number_count; /* of a scalar or vector; 0 for other types */
    uint32_t is_real;
};

#endif
