/* Names of OpenCL's error codes, which headers have as numbers. [CL appendix F] */
#define CL_TARGET_OPENCL_VERSION 300
#include "tools/launch/spec.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>

const char *spec_code_text(int code, char *text, size_t size)
{
    static const struct {
        int code;
        const char *name;
    } names[] = {
#define RT_CODE(name)       {name, #name},
#define RT_WORLD_CODE(name) {name, #name},
#include "ref-runtime/error_codes.def"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code) {
            snprintf(text, size, "%s (%d)", names[i].name, code);
            return text;
        }
    snprintf(text, size, "error %d", code);
    return text;
}
