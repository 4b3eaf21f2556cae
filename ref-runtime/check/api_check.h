/* The check of API use. */
#ifndef REF_RUNTIME_CHECK_API_CHECK_H
#define REF_RUNTIME_CHECK_API_CHECK_H

#include "ref-runtime/runtime.h"

/* Whether REFCL_CHECK enables the check. */
bool rt_api_checked(void);
/* The dispatch table of new objects: with the check or REFCL_FAIL, that of the checked entry points. */
const cl_icd_dispatch *rt_api_dispatch(void);
/* The checked entry point NAME of an extension; NULL if no extension has it. */
void (*rt_api_extension(const char *name))(void);
/* Whether REFCL_FAIL was set when the library was loaded (api_fail.c). */
bool rt_api_fails(void);
/* The error code that this call of CALL returns instead of being executed, CL_SUCCESS: none.  Counts it in
 * *COUNT. */
cl_int rt_api_fail(const char *call, atomic_ullong *count);
/* Whether ENTRY of SIZE characters is valid in REFCL_FAIL. */
bool rt_api_fail_means_something(const char *entry, size_t size);
/* Reports a finding with the message TEXT.  The location in the application is appended to TEXT, a buffer of
 * SIZE bytes. */
void rt_api_report(const char *kind, const char *clause, char *text, size_t size);
/* Reports SVM that was not freed.  WHEN: by the release of its context, or by the end of the program. */
void rt_api_note_svm(const struct rt_svm *svm, const char *when);
/* At exit: reports objects that the application did not release. */
void rt_api_note_leaks(void);

#endif
