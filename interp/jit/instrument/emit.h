/* Inside jit: what watched launches emit beside instructions (watch.c).  Nothing where launches are not
 * watched. */
#ifndef INTERP_JIT_EMIT_WATCH_H
#define INTERP_JIT_EMIT_WATCH_H

#include "interp/jit/emit/emit.h"
#include "interp/jit/instrument/watch.h"

/* The pointer to access SIZE bytes at POINTER through; HOW: IN_WATCH_WRITTEN, IN_WATCH_ATOMIC. */
LLVMValueRef in_watched(struct in_emit *e, LLVMValueRef pointer, uint64_t size, uint64_t align,
                        uint32_t storage, uint32_t how);
/* The same for a value of type TY. */
LLVMValueRef in_watched_value(struct in_emit *e, LLVMValueRef pointer, const struct in_ty *ty, uint64_t align,
                              uint32_t storage, uint32_t how);
LLVMValueRef in_watched_atomic(struct in_emit *e, LLVMValueRef pointer, const struct in_inst *i);
/* The subscript INDEX, 64 bits, of an array or vector of type TY. */
LLVMValueRef in_watched_subscript(struct in_emit *e, const struct in_ty *ty, uint32_t storage,
                                  LLVMValueRef index);
void in_watched_barrier(struct in_emit *e, const struct in_inst *i);
/* Before instruction I: its operands. */
void in_watch_instruction(struct in_emit *e, const struct in_inst *i);

#endif
