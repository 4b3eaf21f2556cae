// The order of a work-item's accesses when work-items become vector lanes.
// docs/vectorizer.md#order-of-accesses
#include "interp/jit/vectorize/access_order.hpp"
#include "interp/jit/vectorize/work_item_loops.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;
using namespace llvm::PatternMatch;

// Attributes of a function: where its first parameter, the frame, has pointers to the arguments and to
// variables of program scope, if the pass may assume these to be different memory; and that it has.
static constexpr char ARGUMENTS_AT[] = "arguments-at", PROGRAM_AT[] = "program-at",
                      ASSUMES_DISJOINT[] = "assumes-disjoint";

void in_shim_let_assume_disjoint(LLVMModuleRef module, uint64_t arguments_at, uint64_t program_at)
{
    for (Function &f : *unwrap(module))
        if (!f.isDeclaration()) {
            f.addFnAttr(ARGUMENTS_AT, std::to_string(arguments_at));
            f.addFnAttr(PROGRAM_AT, std::to_string(program_at));
        }
}

bool in_shim_assumes_disjoint(LLVMModuleRef module)
{
    return any_of(*unwrap(module), [](const Function &f) { return f.hasFnAttribute(ASSUMES_DISJOINT); });
}

bool AccessOrder::accesses_tags(const Instruction &i)
{
    MDNode *scopes = i.getMetadata(LLVMContext::MD_alias_scope);
    return scopes && any_of(scopes->operands(), [](const MDOperand &o) {
               auto *node = dyn_cast<MDNode>(o);
               return node && AliasScopeNode(node).getName() == AccessOrder::TAGS;
           });
}

// Whether LLVM may make I part of a group of accesses at equal strides.
static bool may_be_grouped(Instruction &i, PredicatedScalarEvolution &evolution, const Loop &loop)
{
    Value *pointer = getLoadStorePointerOperand(&i);
    if (loop.isLoopInvariant(pointer))
        return false;
    const SCEVAddRecExpr *sequence = evolution.getAsAddRec(pointer);
    auto *step = sequence && sequence->isAffine()
                     ? dyn_cast<SCEVConstant>(sequence->getStepRecurrence(*evolution.getSE()))
                     : nullptr;
    uint64_t size = i.getModule()->getDataLayout().getTypeAllocSize(getLoadStoreType(&i));
    return step && step->getAPInt().abs() != size;
}

// The offset of the pointer in ORIGIN that I loads and no kernel changes, or -1.
static int64_t loaded_from(const Value *i, const Value *&origin)
{
    auto *load = dyn_cast<LoadInst>(i);
    if (!load || !load->hasMetadata(LLVMContext::MD_invariant_load) || !load->getType()->isPointerTy())
        return -1;
    APInt at(64, 0);
    origin = load->getPointerOperand()->stripAndAccumulateConstantOffsets(load->getModule()->getDataLayout(),
                                                                          at, true);
    return at.getSExtValue();
}

// The pointer that I accesses memory through; of a word that is loaded for one of its bytes, the pointer to
// that byte.
static const Value *pointer_of(const Instruction &i)
{
    const Value *pointer = getLoadStorePointerOperand(&i), *byte;
    return match(pointer, m_IntToPtr(m_And(m_PtrToInt(m_Value(byte)), m_SpecificInt(~uint64_t(3)))))
               ? byte
               : pointer;
}

// Which object of the launch the access I leads to: 1 + the place of the argument, 0 for variables of program
// scope; -1: unknown.
static int64_t object_of_launch(const Instruction &i, const Function &f)
{
    const Value *origin = nullptr, *frame = nullptr;
    const int64_t at = loaded_from(getUnderlyingObject(pointer_of(i), 0), origin);
    if (at >= 0 && origin == f.getArg(0))
        return f.getFnAttribute(PROGRAM_AT).getValueAsString() == std::to_string(at) ? 0 : -1;
    const int64_t base = at >= 0 ? loaded_from(origin, frame) : -1;
    bool argument = base >= 0 && frame == f.getArg(0) &&
                    f.getFnAttribute(ARGUMENTS_AT).getValueAsString() == std::to_string(base);
    return argument ? 1 + at : -1;
}

// Whether A and B access different memory, as far as different arguments lead to different objects.
static bool are_disjoint_objects(const Instruction &a, const Instruction &b)
{
    const Function &f = *a.getFunction();
    if (!f.hasFnAttribute(ARGUMENTS_AT))
        return false;
    const int64_t x = object_of_launch(a, f), y = object_of_launch(b, f);
    return x >= 0 && y >= 0 && x != y;
}

// Whether access K, if it moves up to or down to others of its group, may pass an access that it depends on.
// Tags of different lanes depend on each other; other accesses of different work-items do not.  ASSUMES: set
// if it cannot since different arguments lead to different memory.
static bool may_pass_dependence(ArrayRef<Instruction *> accesses, unsigned k, AAResults &aliases,
                                bool &assumes)
{
    bool disjoint = false;
    Instruction *i = accesses[k];
    if (AccessOrder::accesses_tags(*i))
        return true;
    for (unsigned other = 0; other < accesses.size(); other++) {
        bool passed = isa<LoadInst>(i) ? other < k && isa<StoreInst>(accesses[other]) : other > k;
        if (!passed || aliases.isNoAlias(MemoryLocation::get(i), MemoryLocation::get(accesses[other])))
            continue;
        if (!are_disjoint_objects(*i, *accesses[other]))
            return true;
        disjoint = true;
    }
    assumes |= disjoint;
    return false;
}

static void find_dependent(Loop &loop, LoopInfo &loops, ScalarEvolution &evolution, AAResults &aliases,
                           SmallVectorImpl<Instruction *> &found, bool &assumes)
{
    PredicatedScalarEvolution predicated(evolution, loop);
    SmallVector<Instruction *, 32> accesses;
    LoopBlocksRPO order(&loop);
    order.perform(&loops);
    for (BasicBlock *block : order)
        for (Instruction &i : *block)
            if (getLoadStorePointerOperand(&i))
                accesses.push_back(&i);
    for (unsigned k = 0; k < accesses.size(); k++)
        if (may_be_grouped(*accesses[k], predicated, loop) &&
            may_pass_dependence(accesses, k, aliases, assumes))
            found.push_back(accesses[k]);
}

// The vectorizer moves loads of a group up to its first access and stores down to its last.  It takes the
// promise that iterations are independent for one that no accesses are, those within an iteration included.
PreservedAnalyses AccessOrder::run(Function &f, FunctionAnalysisManager &analyses)
{
    auto &loops = analyses.getResult<LoopAnalysis>(f);
    auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(f);
    auto &aliases = analyses.getResult<AAManager>(f);
    SmallVector<Instruction *, 16> found;
    bool assumes = false;
    for (Loop *loop : loops.getLoopsInPreorder())
        if (loop->isInnermost() && findOptionMDForLoop(loop, "llvm.loop.parallel_accesses"))
            find_dependent(*loop, loops, evolution, aliases, found, assumes);
    if (assumes)
        f.addFnAttr(ASSUMES_DISJOINT);
    for (Instruction *i : found) { // an address that scalar evolution does not look through
        IRBuilder<> b(i);
        Value *pointer = getLoadStorePointerOperand(i);
        Value *hidden = b.CreateIntToPtr(b.CreatePtrToInt(pointer, b.getInt64Ty()), pointer->getType());
        i->setOperand(isa<StoreInst>(i) ? 1 : 0, hidden);
    }
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
