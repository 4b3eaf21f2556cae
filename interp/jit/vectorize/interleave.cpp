// Interleaving of loops over work-items.  docs/vectorizer.md#profitability
//
// A processor overlaps the iterations of a short loop by itself.  Of a long one it has less than two iterations in progress, and where
// each result depends on the one before, its vector units wait.  Several vectors of work-items in one iteration fill them.
#include "interp/jit/vectorize/interleave.hpp"
#include "interp/jit/vectorize/access_order.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace
{
// SHORTEST, LONGEST: instructions of loops that are interleaved.  An access to memory has ARITHMETIC other instructions or more.
enum { SHORTEST = 80, LONGEST = 1200, ARITHMETIC = 16, COUNT = 4 };

struct Body {
    unsigned size = 0, accesses = 0;
    unsigned cycles = 0; // of the longest chain of dependent instructions
    bool whole =
        true; // no instruction is executed lane by lane, nor accesses shadow tags: their checks know the lanes of one vector
};

unsigned latency(const Instruction &i)
{
    if (i.getType()->isFPOrFPVectorTy() && !isa<SelectInst>(i) && !isa<PHINode>(i))
        return i.getOpcode() == Instruction::FDiv ? 12 : 4;
    return isa<CastInst>(i) && !i.getType()->isFPOrFPVectorTy() ? 0 : 1;
}

Body measure(Loop &loop, LoopInfo &loops)
{
    Body body;
    DenseMap<const Value *, unsigned> end;
    LoopBlocksRPO order(&loop);
    order.perform(&loops);
    for (BasicBlock *block : order)
        for (Instruction &i : *block) {
            if (i.isTerminator() || (isa<PHINode>(i) && block == loop.getHeader()) ||
                isa<GetElementPtrInst>(i))
                continue;
            unsigned start = 0;
            for (Value *operand : i.operands())
                start = std::max(start, end.lookup(operand));
            end[&i] = start + latency(i);
            body.cycles = std::max(body.cycles, end[&i]);
            body.size++;
            body.accesses += i.mayReadOrWriteMemory();
            body.whole &= (!isa<CallInst>(i) || isa<IntrinsicInst>(i)) && !AccessOrder::accesses_tags(i);
        }
    return body;
}

bool is_over_items(const Loop &loop)
{
    return loop.isInnermost() && findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses") &&
           !getBooleanLoopAttribute(&loop, "llvm.loop.isvectorized") &&
           !findOptionMDForLoop(&loop, "llvm.loop.interleave.count") &&
           !findOptionMDForLoop(&loop, "llvm.loop.vectorize.enable");
}
} // namespace

PreservedAnalyses Interleave::run(Function &f, FunctionAnalysisManager &analyses)
{
    LoopInfo &loops = analyses.getResult<LoopAnalysis>(f);
    for (Loop *loop : loops.getLoopsInPreorder()) {
        if (!is_over_items(*loop))
            continue;
        Body body = measure(*loop, loops);
        if (body.whole && body.size >= SHORTEST && body.size <= LONGEST &&
            body.accesses * ARITHMETIC <= body.size && 2 * body.cycles > body.size)
            addStringMetadataToLoop(loop, "llvm.loop.interleave.count", COUNT);
    }
    return PreservedAnalyses::all();
}
