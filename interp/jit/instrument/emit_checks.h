/* Inside jit: emission of check markers for instrumented launches; no effect in other launches. */
#ifndef INTERP_JIT_INSTRUMENT_EMIT_CHECKS_H
#define INTERP_JIT_INSTRUMENT_EMIT_CHECKS_H

#include "interp/jit/emit/emit.h"
#include "interp/jit/instrument/shadow.h"

/* Marks an access to SIZE bytes at POINTER; HOW: IN_SHADOW_WRITTEN, IN_SHADOW_ATOMIC.  Returns the pointer to
 * access. */
LLVMValueRef in_check_access(struct in_emit *e, LLVMValueRef pointer, uint64_t size, uint64_t align,
                             uint32_t storage, uint32_t how);
/* The same for a value of type TY. */
LLVMValueRef in_check_value(struct in_emit *e, LLVMValueRef pointer, const struct in_ty *ty, uint64_t align,
                            uint32_t storage, uint32_t how);
LLVMValueRef in_check_atomic(struct in_emit *e, LLVMValueRef pointer, const struct in_inst *i);
/* After the atomic instruction I at POINTER: how it synchronizes.  SUCCESS: of a compare-exchange; else
 * NULL. */
void in_check_synchronization(struct in_emit *e, LLVMValueRef pointer, const struct in_inst *i,
                              LLVMValueRef success);
/* Whether and how the memory barrier I is a fence that synchronizes. */
void in_check_fence(struct in_emit *e, const struct in_inst *i);
/* The subscript INDEX, 64 bits, of an array or vector of type TY. */
LLVMValueRef in_check_subscript(struct in_emit *e, const struct in_ty *ty, uint32_t storage,
                                LLVMValueRef index);
void in_check_barrier(struct in_emit *e, const struct in_inst *i);
/* The local id of a work_group_broadcast. */
void in_check_broadcast(struct in_emit *e, const struct in_inst *i);
/* ID, from which a work-item broadcasts, has to be that of the FIRST work-item of its group. */
void in_check_same_id(struct in_emit *e, LLVMValueRef id, LLVMValueRef first);
void in_check_texels(struct in_emit *e);
/* Before instruction I: its operands. */
void in_check_instruction(struct in_emit *e, const struct in_inst *i);

#endif
