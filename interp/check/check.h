/* Inside exec: shadow memory.  A byte of shadow per byte of a work-item's block and of local memory says
 * whether the byte holds no value (not 0), such as that of a variable that nothing was stored to. */
#ifndef INTERP_EXEC_CHECK_H
#define INTERP_EXEC_CHECK_H

#include "interp/exec/exec.h"

/* Before instruction OP at PC: undefined behaviour that its operands bring, and the shadow and the term of
 * its result. False: the launch ends. */
bool in_check(struct in_run *run, struct in_item *item, const struct in_insn *pc, enum in_op op);
/* The shadow of SIZE bytes at ADDRESS; NULL where none is kept. */
uint8_t *in_shadow(const struct in_item *item, uint64_t address, uint64_t size);
/* A work-item begins: its frame holds nothing but its arguments and built-in values. */
void in_shadow_begin(struct in_run *run, struct in_item *item);
/* SIZE bytes were copied from F, in the object of FROM, to T. */
void in_shadow_copy(struct in_run *run, struct in_item *item, const struct in_fat *to, uint64_t t,
                    const struct in_fat *from, uint64_t f, uint64_t size);

#endif
