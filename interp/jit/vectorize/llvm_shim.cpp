// Functions that LLVM's C interface lacks: lazy linking, metadata, pass options.
#include "interp/jit/vectorize/llvm_shim.h"
#include "interp/jit/vectorize/access_order.hpp"
#include "interp/jit/vectorize/cost_model.hpp"
#include "interp/jit/vectorize/versions.hpp"
#include "interp/jit/vectorize/widen_vectors.hpp"
#include "interp/jit/vectorize/work_group.hpp"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <atomic>
#include <map>
#include <vector>

using namespace llvm;

void in_shim_no_wrap(LLVMValueRef value, bool is_signed, bool is_unsigned)
{
    if (auto *operation = dyn_cast<BinaryOperator>(unwrap(value))) {
        operation->setHasNoSignedWrap(is_signed);
        operation->setHasNoUnsignedWrap(is_unsigned);
    }
}

LLVMValueRef in_shim_float_atomic(LLVMBuilderRef builder, enum in_shim_float op, LLVMValueRef pointer,
                                  LLVMValueRef value, bool single)
{
    static const AtomicRMWInst::BinOp ops[] = {AtomicRMWInst::FAdd, AtomicRMWInst::FMin, AtomicRMWInst::FMax};
    return wrap(unwrap(builder)->CreateAtomicRMW(ops[op], unwrap(pointer), unwrap(value), MaybeAlign(),
                                                 AtomicOrdering::SequentiallyConsistent,
                                                 single ? SyncScope::SingleThread : SyncScope::System));
}

LLVMValueRef in_shim_access_group(LLVMContextRef context)
{
    LLVMContext &c = *unwrap(context);
    return wrap(MetadataAsValue::get(c, MDNode::getDistinct(c, {})));
}

void in_shim_hidden_effects(LLVMValueRef function)
{
    cast<Function>(unwrap(function))->setOnlyAccessesInaccessibleMemory();
}

LLVMModuleRef in_shim_lazy_module(LLVMContextRef context, const void *bytes, size_t size)
{
    StringRef text(static_cast<const char *>(bytes), size);
    auto buffer = MemoryBuffer::getMemBuffer(text, "builtins", false);
    auto module = getOwningLazyBitcodeModule(std::move(buffer), *unwrap(context), true);
    if (!module) {
        consumeError(module.takeError());
        return nullptr;
    }
    return wrap(module->release());
}

static bool is_image_path(const Function *f)
{
    return f && starts_with(f->getName(), "in_jit_path_");
}

static void convert_halves_directly(Module &m)
{
    for (bool widens : {true, false}) {
        Function *f = m.getFunction(widens ? "in_half_to_f32" : "in_half_from_f32");
        if (!f || f->isDeclaration())
            continue;
        f->deleteBody();
        IRBuilder<> b(BasicBlock::Create(f->getContext(), "", f));
        Value *x = f->getArg(0);
        if (widens)
            b.CreateRet(b.CreateFPExt(b.CreateBitCast(x, b.getHalfTy()), b.getFloatTy()));
        else
            b.CreateRet(b.CreateBitCast(b.CreateFPTrunc(x, b.getHalfTy()), b.getInt16Ty()));
    }
}

bool in_shim_link_needed(LLVMModuleRef to, LLVMModuleRef from, bool converts_halves)
{
    if (Linker::linkModules(*unwrap(to), std::unique_ptr<Module>(unwrap(from)), Linker::LinkOnlyNeeded))
        return false;
    if (converts_halves)
        convert_halves_directly(*unwrap(to));
    // C has no word for it; code behind calls may then be hoisted before them.
    for (Function &f : *unwrap(to))
        if (f.getName() == "in_jit_interpret" || is_image_path(&f)) {
            f.addFnAttr(Attribute::NoUnwind);
            f.addFnAttr(Attribute::WillReturn);
        }
    return true;
}

// What of a path's code is left in a copy for an access to an image of a known format: an estimate.
static uint64_t copied_size(const CallInst &call)
{
    constexpr unsigned ORDER = 4, TYPE = 5; // arguments, as in bitcode/image.c
    uint64_t size = call.getCalledFunction()->getInstructionCount();
    bool known = isa<Constant>(call.getArgOperand(ORDER)) && isa<Constant>(call.getArgOperand(TYPE));
    return known ? size / 16 : size;
}

// Operands of comparisons and selections that in_fix_image_formats() made constants.
static Value *fold_operands(Value *v)
{
    auto *i = dyn_cast<Instruction>(v);
    if (!i || !(isa<SelectInst>(i) || isa<ICmpInst>(i)))
        return v;
    for (Use &operand : i->operands())
        operand.set(fold_operands(operand));
    Constant *folded = ConstantFoldInstruction(i, i->getModule()->getDataLayout());
    return folded ? folded : v;
}

// Copies of the paths, which stay functions, for each combination of constant arguments: formats, samplers,
// and coordinates that an image lacks.
static void copy_image_paths(ArrayRef<CallInst *> calls)
{
    constexpr unsigned FIRST_COORDINATE = 10, LAST_COORDINATE = 12; // arguments, as in bitcode/image.c
    std::map<std::vector<Value *>, Function *> copies;
    for (CallInst *call : calls) {
        std::vector<Value *> known{call->getCalledFunction()};
        for (unsigned k = 0; k < call->arg_size(); k++) {
            auto *c = dyn_cast<Constant>(call->getArgOperand(k));
            bool coordinate = k >= FIRST_COORDINATE && k <= LAST_COORDINATE;
            known.push_back(c && (!coordinate || c->isNullValue()) ? c : nullptr);
        }
        Function *&copy = copies[known];
        if (!copy) {
            ValueToValueMapTy map;
            copy = CloneFunction(call->getCalledFunction(), map);
            for (unsigned k = 0; k < call->arg_size(); k++)
                if (known[k + 1])
                    copy->getArg(k)->replaceAllUsesWith(known[k + 1]);
        }
        call->setCalledFunction(copy);
    }
}

// Between a copy for each access and one call per access, by the size of the copies.
bool in_shim_inline_image_paths(LLVMModuleRef module, uint64_t most)
{
    Module &m = *unwrap(module);
    SmallVector<CallInst *, 16> calls;
    uint64_t size = 0;
    for (Function &f : m)
        for (Instruction &i : instructions(f))
            if (auto *call = dyn_cast<CallInst>(&i); call && is_image_path(call->getCalledFunction())) {
                for (Use &argument : call->args())
                    argument.set(fold_operands(argument));
                size += copied_size(*call);
                calls.push_back(call);
            }
    if (size == 0)
        return false;
    if (size > most) {
        copy_image_paths(calls);
        return false;
    }
    for (Function &f : m)
        if (is_image_path(&f)) {
            f.removeFnAttr(Attribute::NoInline);
            f.addFnAttr(Attribute::AlwaysInline);
        }
    return true;
}

void in_shim_neutral(LLVMModuleRef module, const char *keep, unsigned vector_width)
{
    for (Function &f : *unwrap(module)) {
        for (const char *name : {"target-cpu", "target-features", "tune-cpu", "min-legal-vector-width"})
            f.removeFnAttr(name);
        if (vector_width)
            f.addFnAttr("prefer-vector-width", std::to_string(vector_width));
        if (!f.isDeclaration() && !starts_with(f.getName(), keep))
            f.setLinkage(GlobalValue::InternalLinkage);
    }
}

// The libm function that corresponds to an intrinsic, where libmvec has a vector variant.
static const char *libm_name(const Function &f)
{
    switch (f.getIntrinsicID()) {
    case Intrinsic::sin:
        return "sin";
    case Intrinsic::cos:
        return "cos";
    case Intrinsic::exp:
        return "exp";
    case Intrinsic::exp2:
        return "exp2";
    case Intrinsic::log:
        return "log";
    case Intrinsic::log2:
        return "log2";
    case Intrinsic::log10:
        return "log10";
    case Intrinsic::pow:
        return "pow";
    default:
        return nullptr;
    }
}

static bool is_slow_path(const Function &f)
{
    return starts_with(f.getName(), "in_slow_");
}

static bool is_accurate(CallInst *call)
{
    Function *callee = call->getCalledFunction();
    if (!callee || !callee->isDeclaration() || !call->getType()->isDoubleTy() || is_slow_path(*callee))
        return true;
    if (callee->isIntrinsic()) {
        const char *name = libm_name(*callee);
        if (!name)
            return true;
        FunctionCallee libm = callee->getParent()->getOrInsertFunction(name, callee->getFunctionType());
        call->setCalledFunction(libm);
        call->setDoesNotAccessMemory();
        call->addFnAttr(Attribute::NoUnwind);
        call->addFnAttr(Attribute::WillReturn);
    }
    return false;
}

// libmvec's functions, within 4 units in the last place of double, are good enough for float alone: calls
// from other functions than in_ext_..._f32 keep libm's accuracy.
void in_shim_keep_accuracy(LLVMModuleRef module, bool all)
{
    for (Function &f : *unwrap(module)) {
        if (!all && starts_with(f.getName(), "in_ext_") && ends_with(f.getName(), "_f32"))
            continue;
        for (Instruction &i : instructions(f))
            if (auto *call = dyn_cast<CallInst>(&i); call && !is_accurate(call))
                call->addFnAttr(Attribute::NoBuiltin);
    }
}

// Functions of run/slow_vectors.c replace calls of in_slow_... in loops with vectors of doubles, up to as
// many as fit in LANES words.
void in_shim_declare_slow_vectors(LLVMModuleRef module, unsigned lanes)
{
    Module &m = *unwrap(module);
    if (!Triple(m.getTargetTriple()).isX86())
        return;
    for (Function &f : make_early_inc_range(m)) {
        if (!is_slow_path(f) || f.getName().contains('.'))
            continue;
        std::string variants;
        for (unsigned doubles = 2; doubles <= lanes / 2; doubles *= 2) {
            std::string name = (f.getName() + "." + Twine(doubles)).str();
            auto *vector = FixedVectorType::get(Type::getDoubleTy(m.getContext()), doubles);
            SmallVector<Type *, 3> parameters(f.arg_size(), vector);
            auto *type = FunctionType::get(vector, parameters, false);
            auto *variant = cast<Function>(m.getOrInsertFunction(name, type).getCallee());
            variant->copyAttributesFrom(&f);
            appendToCompilerUsed(m, {variant});
            variants += (variants.empty() ? "" : ",") +
                        ("_ZGV_LLVM_N" + std::to_string(doubles) + std::string(f.arg_size(), 'v') + "_") +
                        f.getName().str() + "(" + name + ")";
        }
        for (User *user : f.users())
            if (auto *call = dyn_cast<CallInst>(user))
                call->addFnAttr(Attribute::get(m.getContext(), "vector-function-abi-variant", variants));
    }
}

uint64_t in_shim_size(LLVMModuleRef module)
{
    uint64_t n = 0;
    for (const Function &f : *unwrap(module))
        n += f.getInstructionCount();
    return n;
}

unsigned in_shim_loop_depth(LLVMModuleRef module)
{
    unsigned depth = 0;
    for (Function &f : *unwrap(module)) {
        if (f.isDeclaration())
            continue;
        DominatorTree dominators(f);
        LoopInfo loops(dominators);
        for (const BasicBlock &block : f)
            depth = std::max(depth, loops.getLoopDepth(&block));
    }
    return depth;
}

// The noalias promise of parameters holds for the whole launch, so no scope declaration is needed; the
// vectorizer would treat the declarations as accesses to memory.
void in_shim_drop_scopes(LLVMModuleRef module)
{
    for (Function &f : *unwrap(module))
        for (Instruction &i : make_early_inc_range(instructions(f)))
            if (auto *call = dyn_cast<IntrinsicInst>(&i);
                call && call->getIntrinsicID() == Intrinsic::experimental_noalias_scope_decl)
                call->eraseFromParent();
}

// LLVM schedules machine code between labels, in quadratic time of the accesses to memory.  Labels after so
// many that no processor would reorder accesses across them make it linear.
void in_shim_bound_scheduling(LLVMModuleRef module)
{
    constexpr unsigned MOST_ACCESSES = 256;
    Module &m = *unwrap(module);
    LLVMContext &c = m.getContext();
    Value *name = MetadataAsValue::get(c, MDNode::get(c, MDString::get(c, "schedule")));
    for (Function &f : m)
        for (BasicBlock &block : f) {
            unsigned accesses = 0;
            for (Instruction &i : block)
                if (i.mayReadOrWriteMemory() && ++accesses % MOST_ACCESSES == 0)
                    CallInst::Create(Intrinsic::getDeclaration(&m, Intrinsic::codeview_annotation), {name},
                                     "", &i);
        }
}

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

// Loops over work-items are not unrolled before they are vectorized.  Those that remained scalar are unrolled
// here, if their trip count is constant and several iterations are short: a jump for each work-item costs as
// much as a few instructions.
struct UnrollScalar : PassInfoMixin<UnrollScalar> {
    static bool is_scalar_over_items(const Loop &loop)
    {
        return loop.isInnermost() && findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses") &&
               !getBooleanLoopAttribute(&loop, "llvm.loop.isvectorized");
    }
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &analyses)
    {
        bool found = false;
        for (Loop *loop : analyses.getResult<LoopAnalysis>(f).getLoopsInPreorder())
            if (is_scalar_over_items(*loop)) {
                loop->setLoopID(makePostTransformationMetadata(f.getContext(), loop->getLoopID(),
                                                               {"llvm.loop.unroll.disable"}, {}));
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
        auto *f = pass == "EarlyCSEPass" || pass == "DSEPass" ? any_cast<const Function *>(&ir) : nullptr;
        return !f || !has_masked_accesses_of_two_types(**f);
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
