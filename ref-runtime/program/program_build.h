/* What building, compiling and linking share. */
#ifndef REF_RUNTIME_PROGRAM_PROGRAM_BUILD_H
#define REF_RUNTIME_PROGRAM_PROGRAM_BUILD_H

#include "ref-runtime/compiler/client_options.h"
#include "ref-runtime/program/program.h"

typedef void(CL_CALLBACK *rt_build_notify)(cl_program program, void *user_data);

/* The result of one build, before it is copied to every device it was made for. */
struct rt_outcome {
    struct rt_build build;
    cl_int code; /* CL_SUCCESS or what the entry point returns */
};

/* Claims PROGRAM for a build of the devices in MASK: CL_INVALID_OPERATION if another is under way or
 * kernel objects are attached. */
cl_int rt_build_begin(struct rt_program *program, uint32_t mask);
/* Publishes the outcome (and takes it over) for MASK, records the program's texts and ends the claim. */
void rt_build_end(struct rt_program *program, uint32_t mask, struct rt_outcome *outcome, const char *options);
/* Has NOTIFY called from the callback thread, unless it is null. */
void rt_build_report(struct rt_program *program, rt_build_notify notify, void *user_data);
/* Validates and decodes outcome->build.spirv; adds to the log. */
void rt_build_make_module(struct rt_program *program, struct rt_outcome *outcome, cl_int failure);
/* The error code for a failure that is not the program's fault. */
cl_int rt_build_error_code(enum mm_class cls, const struct mm_error *err, cl_int failure, cl_int unavailable);

#endif
