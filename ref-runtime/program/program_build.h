/* What building, compiling and linking share. */
#ifndef RT_PROGRAM_BUILD_H
#define RT_PROGRAM_BUILD_H

#include "ref-runtime/compiler/client_options.h"
#include "ref-runtime/program/program.h"

typedef void(CL_CALLBACK *rt_build_notify)(cl_program program, void *user_data);

/* The result of one build, before it is copied to every device it was made for. */
struct rt_outcome {
    struct rt_build build;
    cl_int code; /* CL_SUCCESS or what the entry point returns */
};

/* Which devices of PROGRAM a call means: bit per index. */
cl_int rt_build_select(const struct rt_program *program, cl_uint count, const cl_device_id *list,
                       uint32_t *mask);
/* Claims PROGRAM for a build of the devices in MASK: CL_INVALID_OPERATION if another is under way or
 * kernel objects are attached. */
cl_int rt_build_begin(struct rt_program *program, uint32_t mask);
/* Publishes the outcome (and takes it over) for MASK, records the program's texts and ends the claim. */
void rt_build_end(struct rt_program *program, uint32_t mask, struct rt_outcome *outcome, const char *options);
/* Has NOTIFY called from the callback thread, unless it is null. */
void rt_build_report(struct rt_program *program, rt_build_notify notify, void *user_data);
/* Validates and decodes outcome->build.spirv; adds to the log. */
void rt_build_make_module(struct rt_program *program, struct rt_outcome *outcome, cl_int failure);
/* Compiles the program's source into outcome->build.spirv.  CODE in the outcome is FAILURE if it does not
 * compile. */
void rt_build_compile(struct rt_program *program, uint32_t mask, struct rt_compile_request *request,
                      cl_int failure, struct rt_outcome *outcome);
/* What failed without being the program's fault. */
cl_int rt_build_error_code(enum mm_class cls, const struct mm_error *err, cl_int failure, cl_int unavailable);
bool rt_build_append(char **log, const char *text);
/* Programs in OpenCL C 1.x and those that promise it have work-groups of one size [CL 5.8.6]. */
bool rt_build_uniform(const struct rt_program *program, const struct rt_options *options);

#endif
