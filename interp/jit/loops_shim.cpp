// From the function of one work-item to that of a work-group: work-items become loops.
#include "loops_shim.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

using namespace llvm;

// ---- spinning ------------------------------------------------------------------------------------

// Reads of what another work-item may be about to change.
static bool observes(const Instruction &i)
{
    if (auto *load = dyn_cast<LoadInst>(&i))
        return load->isAtomic() || load->isVolatile();
    return isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i);
}

// Whether what ORIGIN reads can decide how often LOOP runs.
static bool decides(const Instruction &origin, const Loop &loop)
{
    SmallVector<const Instruction *, 32> work{&origin};
    DenseSet<const Instruction *> seen;
    while (!work.empty()) {
        const Instruction *i = work.pop_back_val();
        if (!seen.insert(i).second || !loop.contains(i->getParent()))
            continue;
        if (i->isTerminator())
            return true;
        if (auto *store = dyn_cast<StoreInst>(i)) {
            if (isa<AllocaInst>(store->getPointerOperand()->stripInBoundsOffsets()))
                return true;
            continue;
        }
        if (auto *call = dyn_cast<CallInst>(i); call && !call->doesNotAccessMemory())
            return true;
        for (const User *user : i->users())
            if (auto *next = dyn_cast<Instruction>(user))
                work.push_back(next);
    }
    return false;
}

bool in_shim_may_spin(LLVMValueRef item)
{
    Function &f = *cast<Function>(unwrap(item));
    DominatorTree tree(f);
    LoopInfo loops(tree);
    for (Instruction &i : instructions(f)) {
        if (!observes(i))
            continue;
        for (Loop *loop = loops.getLoopFor(i.getParent()); loop; loop = loop->getParentLoop())
            if (decides(i, *loop))
                return true;
    }
    return false;
}

// ---- loops over work-items -----------------------------------------------------------------------

namespace
{

enum { FRAME, LOCAL, GROUP, SIZE = GROUP + 3, ITEM = SIZE + 3, PARAMETERS = ITEM + 3 };

// A group function under construction.
struct Group {
    Module &module;
    const in_loops &options;
    Function *function;
    Value *frame, *local, *context, *id[3], *size[3];

    Group(Module &m, const in_loops &o, bool edge);
};

Group::Group(Module &m, const in_loops &o, bool edge) : module(m), options(o)
{
    LLVMContext &c = m.getContext();
    Type *pointer = PointerType::get(c, 0), *word = Type::getInt32Ty(c);
    SmallVector<Type *, 9> types{pointer, pointer, pointer, word, word, word};
    if (edge)
        types.append(3, word);
    auto *type = FunctionType::get(Type::getVoidTy(c), types, false);
    function = Function::Create(type, GlobalValue::ExternalLinkage, edge ? "run.edge" : "run.full", m);
    for (unsigned k = 0; k < 3; k++)
        function->addParamAttr(k, Attribute::NoAlias);
    function->addFnAttr(Attribute::NoUnwind);
    frame = function->getArg(0);
    local = function->getArg(1);
    context = function->getArg(2);
    for (unsigned k = 0; k < 3; k++) {
        id[k] = function->getArg(3 + k);
        size[k] =
            edge ? static_cast<Value *>(function->getArg(6 + k)) : ConstantInt::get(word, o.local_size[k]);
    }
}

// The loop's iterations do not depend on one another: work-items do not.
MDNode *parallel_loop(Group &g)
{
    LLVMContext &c = g.module.getContext();
    SmallVector<Metadata *, 3> parts{nullptr};
    auto *group = cast<MetadataAsValue>(unwrap(g.options.access_group))->getMetadata();
    parts.push_back(MDNode::get(c, {MDString::get(c, "llvm.loop.parallel_accesses"), group}));
    MDNode *node = MDNode::getDistinct(c, parts);
    node->replaceOperandWith(0, node);
    return node;
}

// Calls BODY for every work-item between PRE's end and a new block, which it returns.
template <typename Body>
BasicBlock *item_loops(Group &g, BasicBlock *pre, unsigned dimension, Value *ids[3], Body body)
{
    LLVMContext &c = g.module.getContext();
    Type *word = Type::getInt32Ty(c);
    IRBuilder<> b(pre);
    if (auto *one = dyn_cast<ConstantInt>(g.size[dimension]); one && one->isOne()) {
        ids[dimension] = ConstantInt::get(word, 0);
        return dimension == 0 ? body(pre, ids) : item_loops(g, pre, dimension - 1, ids, body);
    }
    BasicBlock *head = BasicBlock::Create(c, "items", g.function),
               *after = BasicBlock::Create(c, "", g.function);
    b.CreateBr(head);
    b.SetInsertPoint(head);
    PHINode *at = b.CreatePHI(word, 2);
    at->addIncoming(ConstantInt::get(word, 0), pre);
    ids[dimension] = at;
    BasicBlock *end = dimension == 0 ? body(head, ids) : item_loops(g, head, dimension - 1, ids, body);
    b.SetInsertPoint(end);
    Value *next = b.CreateAdd(at, ConstantInt::get(word, 1), "", true, true);
    at->addIncoming(next, end);
    BranchInst *branch = b.CreateCondBr(b.CreateICmpULT(next, g.size[dimension]), head, after);
    branch->setMetadata(LLVMContext::MD_loop, parallel_loop(g));
    return after;
}

void call_items(Group &g, Function *item)
{
    LLVMContext &c = g.module.getContext();
    BasicBlock *entry = BasicBlock::Create(c, "", g.function);
    Value *ids[3];
    BasicBlock *end = item_loops(g, entry, 2, ids, [&](BasicBlock *at, Value **item_ids) {
        IRBuilder<> b(at);
        SmallVector<Value *, PARAMETERS> arguments{g.frame, g.local};
        arguments.append(g.id, g.id + 3);
        arguments.append(g.size, g.size + 3);
        arguments.append(item_ids, item_ids + 3);
        b.CreateCall(item, arguments);
        return at;
    });
    IRBuilder<>(end).CreateRetVoid();
}

} // namespace

bool in_shim_make_loops(LLVMModuleRef module, struct in_loops *loops, char *why, size_t why_size)
{
    Module &m = *unwrap(module);
    Function *item = m.getFunction("item");
    if (m.getFunction("in.barrier")) {
        snprintf(why, why_size, "a barrier");
        return false;
    }
    loops->context_bytes = 0;
    Group full(m, *loops, false);
    call_items(full, item);
    if (loops->edge) {
        Group edge(m, *loops, true);
        call_items(edge, item);
    }
    return true;
}
