/* The error value of all folders: a class, a rule, a position and a message. */
#ifndef MEMMODEL_BASE_ERROR_H
#define MEMMODEL_BASE_ERROR_H

#include <stddef.h>

#if defined(__GNUC__)
#define MM_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define MM_PRINTF(f, a)
#endif

/* What an error means for the caller.  The tool's exit codes and the CL_* codes follow from it. */
enum mm_class {
    MM_OK = 0,
    MM_INVALID,   /* the input breaks a stated rule */
    MM_UNDEFINED, /* the program did what the specification leaves undefined: a finding */
    MM_LIMIT,     /* a bound or a resource is exhausted: the answer is "unknown" */
    MM_BUG        /* refcl itself is wrong */
};

struct mm_error {
    enum mm_class cls;
    char rule[48];     /* clause or rule id, such as "CL 3.3.6 G17", "SPIRV 2.16.1", "cat.name" */
    char file[128];    /* where in the input, "" if unknown */
    unsigned line;     /* from 1; 0 if unknown */
    unsigned column;   /* from 1; 0 if unknown */
    char message[512]; /* one sentence, no newline at the end */
};

/* Fills ERR (may be NULL) and returns CLS, so that `return mm_fail(...)` reads well. */
enum mm_class mm_fail(struct mm_error *err, enum mm_class cls, const char *rule, const char *format, ...)
    MM_PRINTF(4, 5);
/* The same with a position in an input file. */
enum mm_class mm_fail_at(struct mm_error *err, enum mm_class cls, const char *rule, const char *file,
                         unsigned line, unsigned column, const char *format, ...) MM_PRINTF(7, 8);
/* MM_LIMIT, for the rule "memory". */
enum mm_class mm_out_of_memory(struct mm_error *err);
/* Writes "file:line:col: message [rule]" (parts that are unknown left out) to BUF, at most SIZE bytes. */
void mm_error_format(const struct mm_error *err, char *buf, size_t size);

#endif
