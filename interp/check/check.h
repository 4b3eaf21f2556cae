/* Internal to interp: shadow memory.  One shadow byte per byte of a work-item's block and of local memory is
 * nonzero if the byte is uninitialized. */
#ifndef INTERP_CHECK_CHECK_H
#define INTERP_CHECK_CHECK_H

#include "interp/exec/exec.h"

/* Called before instruction OP at PC: checks its operands, and computes shadow and symbolic value of its
 * result. False: the launch ends. */
bool in_check(struct in_run *run, struct in_item *item, const struct in_insn *pc, enum in_op op);
/* exec/subscript.c: whether the instruction at PC, which has subscripts, has one past the end. */
bool in_subscript_exceeds(const struct in_run *run, const struct in_insn *pc, const uint8_t *frame);
/* The shadow of SIZE bytes at ADDRESS; NULL if it has none. */
uint8_t *in_shadow(const struct in_item *item, uint64_t address, uint64_t size);
/* Called when a work-item begins: its frame is uninitialized except for arguments and built-in values. */
void in_shadow_begin(struct in_run *run, struct in_item *item);
/* Copies the shadow for SIZE bytes that were copied from F, in the object of FROM, to T. */
void in_shadow_copy(struct in_run *run, struct in_item *item, const struct in_fat *to, uint64_t t,
                    const struct in_fat *from, uint64_t f, uint64_t size);

#endif
