/* Lowering of OPENCL tests: shared by lower.c (objects, statements), expr.c (expressions) and the others. */
#ifndef LITMUS_LOWER_LOWER_H
#define LITMUS_LOWER_LOWER_H

#include "litmus/parse/ast.h"

/* A value of an expression. */
struct lt_value {
    uint32_t expr; /* in the program, CK_NO_EXPR after a failure */
    uint8_t size;
    bool is_signed;
    bool is_pointer;        /* then size is 8 */
    struct lt_type pointee; /* of a pointer */
};

struct lt_loop {
    uint32_t first_break, first_continue; /* chains of jumps to patch, through their targets */
    struct lt_loop *outer;
};

/* A plain access that an expression makes. */
struct lt_access {
    uint32_t instr;
    bool store;
};

/* A register of the source.  One register per name: of blocks that do not contain each other, all
 * that declare it mean the same. */
struct lt_reg {
    struct lt_type type;
    uint32_t depth; /* of the block that declares it; 0: none, LT_CLOSED: one that has ended */
};
#define LT_CLOSED UINT32_MAX

struct lt_lower {
    const struct lt_test *test;
    struct ck_program *program;
    struct mm_error *err;
    bool failed;
    uint32_t thread; /* index in the program */
    const struct lt_thread *ast;
    struct lt_reg *regs; /* of the current thread */
    uint32_t reg_count;
    uint32_t depth; /* of the current block, from 1 */
    struct lt_loop *loop;
    uint32_t first_return;
    uint32_t unlabeled_barriers;
    const char **labels; /* barrier sites by name */
    uint32_t label_count;
    struct lt_access *accesses; /* of the current expression */
    uint32_t access_count;
};

void lt_lower_fail(struct lt_lower *lower, struct lt_pos pos, const char *rule, const char *format, ...)
    MM_PRINTF(4, 5);
void lt_out_of_memory(struct lt_lower *lower);
/* Adds OBJECT, with the name NAME and the elements and values that INIT has; without INIT one element of 0.
 * CK_NOT_ADDED: out of memory. */
uint32_t lt_add_object(struct lt_lower *lower, const char *name, const struct lt_init *init,
                       struct ck_object object);
/* Adds THREAD, with the name NAME, as the current one, to which lt_emit() adds; false: out of memory. */
bool lt_begin_thread(struct lt_lower *lower, const char *name, struct ck_thread thread);
void lt_end_thread(struct lt_lower *lower, struct lt_pos pos);
uint32_t lt_add_reg(struct lt_lower *lower, const char *name, const struct lt_type *type);
uint32_t lt_temp_reg(struct lt_lower *lower, uint8_t size, bool is_signed);
uint32_t lt_emit(struct lt_lower *lower, struct lt_pos pos, struct ck_instr instr);
void lt_patch(struct lt_lower *lower, uint32_t instr); /* jump to the next instruction */
/* Instruction indices of a loop: its initialization, its test, the branch out of it, its step, the jump
 * back. */
struct lt_loop_code {
    uint32_t init, test, branch, step, back;
};
/* Sets the trip count of the loop if constants determine it (lower/trip_count.c). */
void lt_set_trip_count(struct lt_lower *lower, const struct lt_loop_code *loop);
uint32_t lt_const(struct lt_lower *lower, uint64_t value, uint8_t size);
struct lt_value lt_int_value(struct lt_lower *lower, int32_t value);
uint32_t lt_add_expr(struct lt_lower *lower, struct ck_expr expr);
uint32_t lt_reg_expr(struct lt_lower *lower, uint32_t reg, uint8_t size);
struct lt_value lt_convert(struct lt_lower *lower, struct lt_value value, uint8_t size, bool is_signed);
/* Converts VALUE to a type of the language; to bool it becomes 0 or 1 [C11 6.3.1.2]. */
struct lt_value lt_convert_to(struct lt_lower *lower, struct lt_value value, const struct lt_base_type *base);
uint8_t lt_plain_attributes(const struct lt_type *type); /* of an access through a pointer to TYPE */
struct lt_value lt_value_of(struct lt_lower *lower, uint32_t reg, const struct lt_base_type *base);
struct lt_value lt_truth(struct lt_lower *lower, struct lt_value value); /* != 0 */
void lt_assign_temp(struct lt_lower *lower, struct lt_pos pos, uint32_t reg, struct lt_value value);
struct lt_value lt_lower_expr(struct lt_lower *lower, const struct lt_expr *expr);
/* The object that EXPR points to must be an access through a pointer. */
struct lt_value lt_lower_pointer(struct lt_lower *lower, const struct lt_expr *expr);
struct lt_value lt_read_reg(struct lt_lower *lower, uint32_t reg);
void lt_plain_store(struct lt_lower *lower, struct lt_pos pos, struct lt_value pointer,
                    struct lt_value value);
struct lt_value lt_plain_load(struct lt_lower *lower, struct lt_pos pos, struct lt_value pointer);
struct lt_value lt_binary(struct lt_lower *lower, struct lt_pos pos, enum lt_operator op, struct lt_value a,
                          struct lt_value b);
/* A call of an atomic function or a fence (lower/atomic.c). */
struct lt_value lt_lower_atomic(struct lt_lower *lower, const struct lt_expr *call);
/* The order of evaluation (lower/order.c).  Records that the last instruction is a plain access. */
void lt_note_access(struct lt_lower *lower);
/* Checks two unsequenced ranges of accesses, from FIRST to MIDDLE and from MIDDLE to the latest, for
 * conflicts [C11 6.5]. */
void lt_unsequenced(struct lt_lower *lower, struct lt_pos pos, uint32_t first, uint32_t middle);
/* TARGET [OP]= VALUE, where TARGET is no register; its value. */
struct lt_value lt_lower_assignment(struct lt_lower *lower, struct lt_pos pos, const struct lt_expr *target,
                                    enum lt_operator op, const struct lt_expr *value);
/* Host part: a call in its thread; then the threads and relations of all commands. */
void lt_lower_call(struct lt_lower *lower, const struct lt_api *api);
void lt_lower_commands(struct lt_lower *lower);
uint32_t lt_kernel_root(const struct lt_test *test, uint32_t kernel);
uint32_t lt_group_of(const struct lt_test *test, const struct lt_thread *thread);
/* Whether A and B, if both are work-items, are in one work-group. */
bool lt_same_work_group(const struct lt_thread *a, const struct lt_thread *b);
/* Dense number of the thread's work-group over all devices. */
uint32_t lt_dense_group(const struct lt_test *test, const struct lt_thread *thread);
uint32_t lt_elements(const struct ck_object *object);
/* Whether PROGRAM has a location in REGION. */
bool lt_uses_region(const struct ck_program *program, enum mm_region region);
/* Whether evaluating EXPR, which may be NULL, accesses memory or calls a function. */
bool lt_has_access(const struct lt_expr *expr);

#endif
