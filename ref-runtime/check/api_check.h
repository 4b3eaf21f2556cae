/* The check of API use. */
#ifndef RT_API_CHECK_H
#define RT_API_CHECK_H

#include "ref-runtime/runtime.h"

/* Whether REFCL_CHECK asks for it. */
bool rt_api_checked(void);
/* The dispatch table of new objects: with the check or REFCL_FAIL, that of the checked entry points. */
const cl_icd_dispatch *rt_api_dispatch(void);
/* The entry point NAME of an extension, likewise; NULL if none has that name. */
void (*rt_api_extension(const char *name))(void);
/* REFCL_FAIL (api_fail.c): whether it was given at the start, what a call answers instead of being made
 * (CL_SUCCESS: it is made; COUNT is of the calls of that name), and whether an entry of the list says so
 * much. */
bool rt_api_fails(void);
cl_int rt_api_fail(const char *call, atomic_ullong *count);
bool rt_api_fail_means_something(const char *entry, size_t size);
/* A finding: TEXT, in a buffer of SIZE bytes, to which the place in the application is added. */
void rt_api_report(const char *kind, const char *clause, char *text, size_t size);
/* Reports SVM that was not freed when its context is released, or, at exit, at all: WHEN. */
void rt_api_note_svm(const struct rt_svm *svm, const char *when);
/* At exit: reports objects that the application did not release. */
void rt_api_note_leaks(void);

#endif
