/* Functions that LLVM's C interface lacks. */
#ifndef INTERP_JIT_LLVM_LLVM_SHIM_H
#define INTERP_JIT_LLVM_LLVM_SHIM_H

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the nsw and nuw flags of a sum, difference or product. */
void in_shim_no_wrap(LLVMValueRef value, bool is_signed, bool is_unsigned);
/* Adds VALUE to the float at POINTER, or takes the smaller or larger one, sequentially consistent; the old
 * one. SINGLE: for one thread. */
enum in_shim_float { IN_SHIM_ADD, IN_SHIM_MIN, IN_SHIM_MAX };
LLVMValueRef in_shim_float_atomic(LLVMBuilderRef builder, enum in_shim_float op, LLVMValueRef pointer,
                                  LLVMValueRef value, bool single);
/* A new access group, as a value for LLVMSetMetadata. */
LLVMValueRef in_shim_access_group(LLVMContextRef context);
/* Prepares LLVM for the processor's code, without a pass that takes quadratic time and gains nothing. */
void in_shim_initialize_target(void);
/* Promises that FUNCTION accesses no memory that the module can access. */
void in_shim_hidden_effects(LLVMValueRef function);
/* A module of bitcode whose functions are read when they are needed; NULL: BYTES are no bitcode. */
LLVMModuleRef in_shim_lazy_module(LLVMContextRef context, const void *bytes, size_t size);
/* Moves what TO declares and FROM defines, and all that it needs, into TO; FROM is consumed.
 * CONVERTS_HALVES: the processor converts halves, so that functions of interp/ext/convert.c are single
 * instructions. */
bool in_shim_link_needed(LLVMModuleRef to, LLVMModuleRef from, bool converts_halves);
/* Has the short paths for texels (bitcode/image.c) inlined by the next inliner, unless the copies for all
 * calls were more than MOST instructions.  False if they stay functions, of which there are then copies for
 * known formats. */
bool in_shim_inline_image_paths(LLVMModuleRef module, uint64_t most);
/* Functions take the target from the target machine; those linked in become internal. */
void in_shim_neutral(LLVMModuleRef module, const char *keep, unsigned vector_width);
/* Calls that double precision needs, or all, go to libm itself. */
void in_shim_keep_accuracy(LLVMModuleRef module, bool all);

/* Declares vector variants of in_slow_... (interp/ext/slow_path.h), up to as many doubles as fit in LANES
 * words. */
void in_shim_declare_slow_vectors(LLVMModuleRef module, unsigned lanes);
/* Instructions of all functions of MODULE. */
uint64_t in_shim_size(LLVMModuleRef module);
/* How deep loops are nested in the functions of MODULE. */
unsigned in_shim_loop_depth(LLVMModuleRef module);
/* Removes marks of where aliasing of parameters begins to matter. */
void in_shim_drop_scopes(LLVMModuleRef module);
/* Divides long blocks of MODULE, which no pass changes any more, into parts that are scheduled separately. */
void in_shim_bound_scheduling(LLVMModuleRef module);
/* Runs passes; false: there are no such passes, or they are stopped. */
bool in_shim_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *passes, bool vectorize);
/* Makes all passes, those that run included, end without effect; or enables them again.  Any thread may call
 * it. */
void in_shim_stop_passes(bool stop);
/* Sets *MADE to a new JIT for this process, which the caller disposes of; NULL, or the error, which the
 * caller owns. */
LLVMErrorRef in_shim_jit(LLVMOrcLLJITRef *made);

#ifdef __cplusplus
}
#endif

#endif
