// LLVM's pass pipelines, with passes of our own.
#include "interp/jit/llvm/image_path.hpp"
#include "interp/jit/llvm/llvm_shim.h"
#include "interp/jit/vectorize/access_order.hpp"
#include "interp/jit/vectorize/cost_model.hpp"
#include "interp/jit/vectorize/versions.hpp"
#include "interp/jit/vectorize/widen_vectors.hpp"
#include "interp/jit/vectorize/work_group.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <atomic>
#include <map>

using namespace llvm;

// LLVM's scalarizer knows the elements behind a pointer by the pointer alone: accesses of other types than
// the first get separate pointers.
struct OwnPointers : PassInfoMixin<OwnPointers> {
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &)
    {
        DenseMap<Value *, Type *> seen;
        for (Instruction &i : instructions(f)) {
            Value *pointer = getLoadStorePointerOperand(&i);
            if (!pointer || !getLoadStoreType(&i)->isVectorTy())
                continue;
            Type *type = getLoadStoreType(&i), *byte = Type::getInt8Ty(f.getContext());
            if (seen.try_emplace(pointer, type).first->second == type)
                continue;
            Value *none = ConstantInt::get(Type::getInt64Ty(f.getContext()), 0);
            i.replaceUsesOfWith(pointer, GetElementPtrInst::CreateInBounds(byte, pointer, none, "", &i));
        }
        return PreservedAnalyses::none();
    }
};

// Shifts in place of casts between vectors and words of other sizes (as_uint(uchar4)), which LLVM's
// scalarizer leaves as vectors.
struct ShiftCasts : PassInfoMixin<ShiftCasts> {
    static unsigned bits(Type *type)
    {
        return type->getScalarSizeInBits();
    }
    static Value *element(IRBuilder<> &b, Value *v, unsigned k)
    {
        Value *x = v->getType()->isVectorTy() ? b.CreateExtractElement(v, k) : v;
        return b.CreateBitCast(x, b.getIntNTy(bits(v->getType())));
    }
    // Element K of TYPE, of 64 bits at most, from the elements of V, the first of which holds the lowest
    // bits.
    static Value *convert(IRBuilder<> &b, Value *v, Type *type, unsigned k)
    {
        const unsigned from = bits(v->getType()), to = bits(type);
        Value *x = nullptr;
        if (from > to) {
            x = b.CreateTrunc(b.CreateLShr(element(b, v, k * to / from), k * to % from), b.getIntNTy(to));
        } else {
            const unsigned parts = to / from;
            for (unsigned n = 0; n < parts; n++) {
                Value *part = b.CreateZExt(element(b, v, k * parts + n), b.getIntNTy(to));
                part = b.CreateShl(part, n * from);
                x = x ? b.CreateOr(x, part) : part;
            }
        }
        return b.CreateBitCast(x, type->getScalarType());
    }
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &)
    {
        for (Instruction &i : make_early_inc_range(instructions(f))) {
            Type *type = i.getType(), *from = isa<BitCastInst>(i) ? i.getOperand(0)->getType() : type;
            auto *vector = dyn_cast<FixedVectorType>(type);
            const unsigned size = bits(type), source = bits(from);
            if (size == source || size > 64 || source > 64 || std::max(size, source) % std::min(size, source))
                continue;
            IRBuilder<> b(&i);
            Value *made = vector ? PoisonValue::get(type) : convert(b, i.getOperand(0), type, 0);
            for (unsigned k = 0; vector && k < vector->getNumElements(); k++)
                made = b.CreateInsertElement(made, convert(b, i.getOperand(0), type, k), k);
            i.replaceAllUsesWith(made);
            i.eraseFromParent();
        }
        return PreservedAnalyses::none();
    }
};

// Frozen vectors apart, which LLVM's scalarizer leaves whole.
struct FreezeElements : PassInfoMixin<FreezeElements> {
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &)
    {
        for (Instruction &i : make_early_inc_range(instructions(f))) {
            auto *type = dyn_cast<FixedVectorType>(i.getType());
            if (!isa<FreezeInst>(i) || !type)
                continue;
            IRBuilder<> b(&i);
            Value *made = PoisonValue::get(type);
            for (unsigned k = 0; k < type->getNumElements(); k++)
                made = b.CreateInsertElement(made, b.CreateFreeze(b.CreateExtractElement(i.getOperand(0), k)),
                                             k);
            i.replaceAllUsesWith(made);
            i.eraseFromParent();
        }
        return PreservedAnalyses::none();
    }
};

// Vectors apart, loads and stores too, so that loops over work-items can be vectorized.  No loop can be that
// calls a path for texels, which keeps its vectors: a texel that is stored in parts cannot be loaded as a
// whole before they reach the cache.
struct Scalarize : PassInfoMixin<Scalarize> {
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &analyses)
    {
        if (is_image_path(&f))
            return PreservedAnalyses::all();
        ScalarizerPass pass;
        pass.setScalarizeLoadStore(true);
        OwnPointers().run(f, analyses);
        ShiftCasts().run(f, analyses);
        FreezeElements().run(f, analyses);
        pass.run(f, analyses);
        return PreservedAnalyses::none();
    }
};

// Processors that compute halves in floats have masked accesses to integers of 16 bits, but not to halves.
struct HalvesAsIntegers : PassInfoMixin<HalvesAsIntegers> {
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &)
    {
        for (Instruction &i : make_early_inc_range(instructions(f))) {
            if (!getLoadStorePointerOperand(&i) || !getLoadStoreType(&i)->isHalfTy() || i.isAtomic())
                continue;
            IRBuilder<> b(&i);
            auto *load = dyn_cast<LoadInst>(&i);
            if (!load) {
                i.setOperand(0, b.CreateBitCast(i.getOperand(0), b.getInt16Ty()));
                continue;
            }
            LoadInst *bits = b.CreateAlignedLoad(b.getInt16Ty(), load->getPointerOperand(), load->getAlign(),
                                                 load->isVolatile());
            bits->copyMetadata(*load);
            load->replaceAllUsesWith(b.CreateBitCast(bits, load->getType()));
            load->eraseFromParent();
        }
        return PreservedAnalyses::none();
    }
};

// Loops over work-items, and loops inside them over consecutive elements, are not unrolled before they are
// vectorized.  Those that remained scalar are unrolled here, if several iterations are short: a jump for each
// costs as much as a few instructions.  Loops over work-items only if their trip count is constant.
struct UnrollScalar : PassInfoMixin<UnrollScalar> {
    enum { MOST_ITERATIONS = 8, MOST_INSTRUCTIONS = 64 };

    static bool remained_scalar(const Loop &loop)
    {
        return loop.isInnermost() && !getBooleanLoopAttribute(&loop, "llvm.loop.isvectorized") &&
               (findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses") ||
                findOptionMDForLoop(&loop, "in.row"));
    }
    static unsigned iterations(const Loop &loop)
    {
        unsigned size = 0, count = MOST_ITERATIONS;
        for (const BasicBlock *b : loop.blocks())
            size += unsigned(b->size());
        while (count > 1 && count * size > MOST_INSTRUCTIONS)
            count /= 2;
        return count;
    }
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &analyses)
    {
        bool found = false;
        for (Loop *loop : analyses.getResult<LoopAnalysis>(f).getLoopsInPreorder())
            if (remained_scalar(*loop)) {
                loop->setLoopID(makePostTransformationMetadata(f.getContext(), loop->getLoopID(),
                                                               {"llvm.loop.unroll.disable"}, {}));
                if (findOptionMDForLoop(loop, "in.row"))
                    addStringMetadataToLoop(loop, "llvm.loop.unroll.count", iterations(*loop));
                found = true;
            }
        LoopUnrollOptions options(3);
        options.setRuntime(false).setFullUnrollMaxCount(8);
        return found ? LoopUnrollPass(options).run(f, analyses) : PreservedAnalyses::all();
    }
};

// "combine" is instcombine: by its own name, later versions end the process if a second run would find more.
static bool parse_pass(StringRef name, FunctionPassManager &manager, ArrayRef<PassBuilder::PipelineElement>)
{
    if (name == "combine")
        manager.addPass(InstCombinePass());
    if (name == "lower-switches")
        manager.addPass(LowerSwitches());
    if (name == "tighten-bounds")
        manager.addPass(TightenBounds());
    if (name == "range-checks")
        manager.addPass(RangeChecks());
    if (name == "split-index-sets")
        manager.addPass(SplitIndexSets());
    if (name == "access-order")
        manager.addPass(AccessOrder());
    if (name == "force-vectors")
        manager.addPass(ForceVectors());
    if (name == "unroll-scalar")
        manager.addPass(UnrollScalar());
    if (name == "scalarize")
        manager.addPass(Scalarize());
    if (name == "widen-vectors")
        manager.addPass(WidenVectors());
    return name == "combine" || name == "lower-switches" || name == "tighten-bounds" ||
           name == "range-checks" || name == "split-index-sets" || name == "access-order" ||
           name == "force-vectors" || name == "unroll-scalar" || name == "scalarize" ||
           name == "widen-vectors";
}

// "unroll-full" is loop-unroll-full, but forgets what scalar evolution knows of all loops when it unrolls
// one: to find what depends on a loop takes quadratic time where many loops are inside another one.
static bool parse_loop_pass(StringRef name, LoopPassManager &manager, ArrayRef<PassBuilder::PipelineElement>)
{
    if (name != "unroll-full")
        return false;
    manager.addPass(LoopFullUnrollPass(2, false, true));
    return true;
}

static std::atomic<bool> stopped;

void in_shim_stop_passes(bool stop)
{
    stopped = stop;
}

// Whether masked accesses of F may access the same address with different types: by different pointers into
// an object only where both have variable offsets.
static bool has_masked_accesses_of_two_types(const Function &f)
{
    std::map<std::pair<const Value *, int64_t>, const Type *> types;
    for (const Instruction &i : instructions(f)) {
        auto *call = dyn_cast<IntrinsicInst>(&i);
        const bool load = call && call->getIntrinsicID() == Intrinsic::masked_load;
        if (!load && !(call && call->getIntrinsicID() == Intrinsic::masked_store))
            continue;
        const Type *type = load ? call->getType() : call->getArgOperand(0)->getType();
        const Value *pointer = call->getArgOperand(load ? 0 : 1), *object = getUnderlyingObject(pointer, 0);
        int64_t at = 0;
        if (GetPointerBaseWithConstantOffset(pointer, at, f.getParent()->getDataLayout()) != object)
            at = INT64_MIN;
        if (types.insert({{object, at}, type}).first->second != type)
            return true;
    }
    return false;
}

bool in_shim_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *passes, bool vectorize)
{
    PipelineTuningOptions options;
    options.LoopVectorization = options.SLPVectorization = vectorize;
    options.LoopInterleaving = vectorize;
    PassInstrumentationCallbacks callbacks;
    // LLVM 15's SLP vectorizer crashes where values of a block are only made of others' and used by others.
    const bool joins = !has_split_counters(*unwrap(module));
    // LLVM 15's EarlyCSE takes a masked store's value for a load of another type, and its DSE drops a masked
    // store before one of smaller elements.
    callbacks.registerShouldRunOptionalPassCallback([joins](StringRef pass, Any ir) {
        if (stopped || (!joins && pass == "SLPVectorizerPass"))
            return false;
        const Function *f = function_of(ir);
        if (f && f->hasOptNone())
            return false;
        return !f || !(pass == "EarlyCSEPass" || pass == "DSEPass") || !has_masked_accesses_of_two_types(*f);
    });
    PassBuilder builder(reinterpret_cast<TargetMachine *>(machine), options, {}, &callbacks);
    LoopAnalysisManager loops;
    FunctionAnalysisManager functions;
    CGSCCAnalysisManager components;
    ModuleAnalysisManager modules;
    builder.registerPipelineParsingCallback(parse_pass);
    builder.registerPipelineParsingCallback(parse_loop_pass);
    builder.registerVectorizerStartEPCallback([](FunctionPassManager &manager, OptimizationLevel) {
        manager.addPass(LoopSimplifyPass());
        manager.addPass(LCSSAPass());
        manager.addPass(TightenBounds());
        manager.addPass(SimplifyCFGPass());
        manager.addPass(LowerSwitches());
        manager.addPass(HalvesAsIntegers());
        manager.addPass(AccessOrder());
        manager.addPass(Interleave());
    });
    TargetLibraryInfoImpl library(Triple(unwrap(module)->getTargetTriple()));
    add_libmvec(library, Triple(unwrap(module)->getTargetTriple()));
    library.setUnavailable(LibFunc_memcpy); // as a call it is slower than the loop that it would replace
    functions.registerPass([&] { return TargetLibraryAnalysis(library); });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    // Remarks about loops that were not vectorized are dropped.
    drop_diagnostics(unwrap(module)->getContext());
    ModulePassManager manager;
    if (Error error = builder.parsePassPipeline(manager, passes)) {
        consumeError(std::move(error));
        return false;
    }
    manager.run(*unwrap(module), modules);
    return !stopped;
}

LLVMErrorRef in_shim_jit(LLVMOrcLLJITRef *made)
{
    return LLVMOrcCreateLLJIT(made, jit_builder());
}
