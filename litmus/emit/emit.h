/* Shared by emit/statement.c (the test's statements) and emit/frame.c (the code around them). */
#ifndef LITMUS_EMIT_EMIT_H
#define LITMUS_EMIT_EMIT_H

#include "litmus/kernel.h"
#include "litmus/lower/lower.h"
#include "litmus/parse/ast.h"

struct emitter {
    struct lt_test *test;
    const struct ck_program *program;
    struct lt_kernel *kernel;
    uint32_t number;   /* of the test's kernel that is emitted */
    bool one_instance; /* a host test: each launch runs one instance */
    FILE *out;
    bool failed; /* out of memory */
};

void lt_emit_cannot(struct emitter *e, const char *reason);
const char *lt_emit_type(uint8_t size, bool is_signed);
/* The thread that member MEMBER of work-group GROUP of kernel KERNEL runs, NULL if there is none.  Groups and
 * members are numbered in text order.  *INDEX: the thread's place in the test and in the program, if INDEX is
 * not NULL. */
const struct lt_thread *lt_emit_member(const struct lt_test *test, uint32_t kernel, uint32_t group,
                                       uint32_t member, uint32_t *index);
/* The numbers of work-groups and, at most, of members of a work-group. */
void lt_emit_kernel_size(const struct lt_test *test, uint32_t kernel, uint32_t *groups, uint32_t *members);
bool lt_emit_is_barrier(const struct lt_stmt *s);
const struct lt_stmt *lt_emit_next_barrier(const struct lt_stmt *s);
bool lt_emit_same_barrier(const struct lt_stmt *a, const struct lt_stmt *b);
/* Requires that all threads of a work-group execute the same barriers. */
void lt_emit_check_barriers(struct emitter *e);
/* Statements of THREAD after its first PHASE barriers; NULL, with *EXISTS false, if it has fewer. */
const struct lt_stmt *lt_emit_phase_of(const struct lt_thread *thread, uint32_t phase, bool *exists);
void lt_emit_barrier(struct emitter *e, const struct lt_stmt *barrier, unsigned indent);
/* Declares the parameters of THREAD that point to locations. */
void lt_emit_pointers(struct emitter *e, const struct lt_thread *thread);
/* Declares the registers of the kernel's threads: one variable for each name. */
void lt_emit_registers(struct emitter *e);
struct lt_expr *lt_emit_node(struct emitter *e, enum lt_expr_kind kind, const char *name, struct lt_expr *a);
/* Makes accesses of X fit the types that THREAD's parameters have (emit/access.c). */
void lt_emit_fit(struct emitter *e, const struct lt_thread *thread, struct lt_expr *x);
/* Makes S, a statement of THREAD, access images by built-in functions; a write takes a second statement
 * (emit/image.c). */
void lt_emit_image_access(struct emitter *e, const struct lt_thread *thread, struct lt_stmt *s);
bool lt_emit_writes_image(const struct emitter *e, const struct lt_thread *thread, const struct lt_stmt *s);
/* Brings the list S of THREAD's statements, and the lists within, into the form that a kernel can have, and
 * records in e->kernel what they need of the device, or why a kernel cannot have them.  TOP: S is the body of
 * the thread. */
void lt_emit_prepare(struct emitter *e, const struct lt_thread *thread, struct lt_stmt *s, bool top);
/* Kernels of a test with calls: refcl_k0, ... in the order of the calls that launch them.  TEST is
 * changed. */
enum mm_class lt_emit_host(struct lt_test *test, const struct ck_program *program, struct lt_kernel *kernel,
                           struct mm_error *err);
/* Whether kernels of a host test store observed term I. */
bool lt_host_stored(const struct ck_program *program, uint32_t i);
/* OpenCL C 2.0 expressed in 1.2, where REFCL_LEGACY is defined (emit/legacy.c). */
void lt_emit_legacy(struct emitter *e);
void lt_emit_legacy_temporaries(struct emitter *e);
bool lt_emit_fits_legacy(const struct lt_expr *call, uint8_t order, uint8_t scope);
/* The code before the test's statements, and after them. */
void lt_emit_prologue(struct emitter *e);
void lt_emit_epilogue(struct emitter *e);
/* The kernel that counts final states and prepares the next launch. */
void lt_emit_collect(struct emitter *e);

#endif
