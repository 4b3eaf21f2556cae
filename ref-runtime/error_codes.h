/* Names of error codes. */
#ifndef REF_RUNTIME_ERROR_CODES_H
#define REF_RUNTIME_ERROR_CODES_H

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stddef.h>

/* The name of a code for misuse by the caller; NULL: CODE reports a failure of resources or of the device. */
static inline const char *rt_misuse_name(int code)
{
    switch (code) {
#define RT_CODE(name)                                                                                        \
    case name:                                                                                               \
        return #name;
#include "ref-runtime/error_codes.def"
#undef RT_CODE
    default:
        return NULL;
    }
}

#endif
