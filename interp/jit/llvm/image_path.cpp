// Inlining and copies of the short paths for accesses to texels (bitcode/image.c).
#include "interp/jit/llvm/image_path.hpp"
#include "interp/jit/llvm/llvm_shim.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <map>
#include <vector>

using namespace llvm;

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
