/* Loaded before libOpenCL under REFCL_VERSION=2.0, 2.1 and 2.2: programs of tests that ask for OpenCL C 3.0
 * are built as OpenCL C 2.0, which has all of its optional features (slow_each_version.py). */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* OPTIONS with the older version; to be freed. */
static char *older(const char *options)
{
    char *copy = options ? strdup(options) : NULL;
    for (char *at = copy; at && (at = strstr(at, "-cl-std=CL3.0")); at++)
        at[strlen("-cl-std=CL")] = '2';
    return copy;
}

#define EXPORTED __attribute__((visibility("default")))

EXPORTED cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                           const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                           void *data)
{
    cl_int (*next)(cl_program, cl_uint, const cl_device_id *, const char *,
                   void(CL_CALLBACK *)(cl_program, void *), void *);
    *(void **)&next = dlsym(RTLD_NEXT, "clBuildProgram");
    char *text = older(options);
    cl_int code = next(program, count, devices, text, notify, data);
    free(text);
    return code;
}

EXPORTED cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                             const char *options, cl_uint header_count,
                                             const cl_program *headers, const char **names,
                                             void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    cl_int (*next)(cl_program, cl_uint, const cl_device_id *, const char *, cl_uint, const cl_program *,
                   const char **, void(CL_CALLBACK *)(cl_program, void *), void *);
    *(void **)&next = dlsym(RTLD_NEXT, "clCompileProgram");
    char *text = older(options);
    cl_int code = next(program, count, devices, text, header_count, headers, names, notify, data);
    free(text);
    return code;
}
