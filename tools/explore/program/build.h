/* The thread being built: its expressions, registers, instructions and labels (build.c). */
#ifndef TOOLS_EXPLORE_PROGRAM_BUILD_H
#define TOOLS_EXPLORE_PROGRAM_BUILD_H

#include "tools/explore/explore.h"

#define EX_NO_LABEL UINT32_MAX

/* ---- expressions: folded and shared ---- */

uint32_t ex_const(struct ex *ex, uint64_t value, unsigned size);
/* VALUE with as many bytes as LIKE. */
uint32_t ex_const_like(struct ex *ex, uint64_t value, uint32_t like);
uint32_t ex_reg_expr(struct ex *ex, uint32_t reg);
/* The expression OP with a result of SIZE bytes; operands that OP does not have are ignored. */
uint32_t ex_op(struct ex *ex, enum ck_expr_op op, unsigned size, uint32_t a, uint32_t b, uint32_t c);
/* Operations whose size follows from their operands: comparisons and CK_LNOT have 1 byte, all others as many
 * as A or YES. */
uint32_t ex_binary(struct ex *ex, enum ck_expr_op op, uint32_t a, uint32_t b);
uint32_t ex_unary(struct ex *ex, enum ck_expr_op op, uint32_t a);
uint32_t ex_select(struct ex *ex, uint32_t condition, uint32_t yes, uint32_t no);
/* The result of FUNCTION, identified by its name, for COUNT arguments, 1 to 3: SIZE bytes. */
uint32_t ex_apply(struct ex *ex, const struct ck_function *function, unsigned size, unsigned count,
                  const uint32_t *arguments);
/* The index of FUNCTION, identified by its name, in the program. */
uint32_t ex_function(struct ex *ex, const struct ck_function *function);
/* The operation of E on OPERANDS. */
uint32_t ex_with_operands(struct ex *ex, const struct ck_expr *e, const uint32_t operands[3]);
bool ex_is_const(const struct ex *ex, uint32_t expr, uint64_t *value);
unsigned ex_size(const struct ex *ex, uint32_t expr);
uint32_t ex_resize(struct ex *ex, uint32_t expr, unsigned size, bool is_signed);

/* ---- registers and instructions ---- */

uint32_t ex_new_reg(struct ex *ex, unsigned size);
uint32_t ex_emit(struct ex *ex, struct ck_instr instr);
void ex_assign(struct ex *ex, uint32_t reg, uint32_t value);
/* EXPR if it is constant; else a new register that is assigned EXPR. */
uint32_t ex_hold(struct ex *ex, uint32_t expr);
/* Renames each register r of the current thread to NUMBER[r]. */
void ex_rename_registers(struct ex *ex, const uint32_t *number);
/* An instruction without registers and operands. */
static inline struct ck_instr ex_instr(enum ck_op op)
{
    return (struct ck_instr){
        .op = op, .reg = CK_NO_REG, .reg2 = CK_NO_REG, .value = CK_NO_EXPR, .expected = CK_NO_EXPR};
}
/* A plain load of SIZE bytes into a new register; it is not emitted. */
struct ck_instr ex_load(struct ex *ex, uint32_t address, unsigned size);
/* Emits an access outside of all objects; the second function only if CONDITION is 0. */
void ex_emit_fault(struct ex *ex);
void ex_fault_unless(struct ex *ex, uint32_t condition);

/* ---- labels ---- */

uint32_t ex_new_label(struct ex *ex);
void ex_place_label(struct ex *ex, uint32_t label);
void ex_jump(struct ex *ex, uint32_t label);
void ex_branch_if_zero(struct ex *ex, uint32_t value, uint32_t label);
/* Replaces label numbers, the targets of jumps until the thread is complete, by instructions. */
void ex_resolve_labels(struct ex *ex);

#endif
