/* Loops in which work-items wait for one another.  docs/vectorizer.md#legality */
#ifndef INTERP_JIT_VECTORIZE_SPINNING_H
#define INTERP_JIT_VECTORIZE_SPINNING_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#ifdef __cplusplus
#include <functional>

namespace llvm
{
class DominatorTree;
class Function;
class Instruction;
class Loop;
class LoopInfo;
} // namespace llvm

/* Whether I reads what another work-item may be about to change. */
bool may_observe_others(const llvm::Instruction &i);
/* Whether a loop of F is left after a number of iterations that is known when it is entered, whatever it
 * reads: no work-item waits for another in such a loop itself. */
std::function<bool(llvm::Loop &)> counted_loops(llvm::Function &f, llvm::DominatorTree &tree,
                                                llvm::LoopInfo &loops);

extern "C" {
#endif

/* True if ITEM, after inlining, may spin until another work-item acts: a loop over work-items would livelock.
 * ALIASED: different arguments may lead to the same memory.  RETRIES: loops that only repeat a failed
 * exchange count, too, though another thread has made progress. */
bool in_shim_may_spin(LLVMValueRef item, bool aliased, bool retries);

#ifdef __cplusplus
}
#endif

#endif
