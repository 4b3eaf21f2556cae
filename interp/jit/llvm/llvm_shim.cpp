// Functions that LLVM's C interface lacks: flags, lazy linking, metadata, attributes.
#include "interp/jit/llvm/llvm_shim.h"
#include "interp/jit/llvm/image_path.hpp"
#include "interp/jit/vectorize/versions.hpp"

#include <llvm-c/Target.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
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
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

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

void in_shim_initialize_target()
{
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    // X86DomainReassignment moves computations of masks from general registers to mask registers.  It changed
    // nothing in 65 compiled modules, and takes half of the code generator's time for a block of 10,000
    // instructions.  The target machine has no such setting, and the option is one of the process; it changes
    // speed, not results.
    cl::Option *option = cl::getRegisteredOptions().lookup("disable-x86-domain-reassignment");
    if (option && option->getNumOccurrences() == 0)
        option->addOccurrence(0, option->ArgStr, "true");
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
        n += f.hasOptNone() ? 0 : f.getInstructionCount();
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
