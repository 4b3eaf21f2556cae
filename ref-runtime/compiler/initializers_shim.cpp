/* Clang emits initializers of variables for a processor with one address space and a loader.  SPIR-V has
 * neither, so here
 * - variables that clang puts into private memory, or reads through pointers to another address space, move
 *   to the memory that fits;
 * - constructors of objects of program scope become initializer kernels, which are executed when a program is
 *   created;
 * - of variables that contain the addresses of each other in a cycle, an initializer kernel stores one
 *   address: SPIR-V defines a variable
 *   before the initializers that refer to it;
 * - arrays of more elements than a SPIR-V instruction has operands become structures of shorter arrays. */
#include "ref-runtime/compiler/initializers_shim.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/xxhash.h>

#include <memory>

namespace
{

constexpr unsigned PRIVATE = 0, GLOBAL = 1, CONSTANT = 2; /* address spaces */

/* ---- variables in other address spaces ----------------------------------------------------------- */

/* Returns a copy of FROM in address space SPACE. */
llvm::GlobalVariable *copy_variable(llvm::GlobalVariable &from, bool is_constant, unsigned space)
{
    auto *to = new llvm::GlobalVariable(*from.getParent(), from.getValueType(), is_constant,
                                        from.getLinkage(), from.getInitializer(), from.getName(), &from,
                                        llvm::GlobalValue::NotThreadLocal, space);
    to->setAlignment(from.getAlign());
    return to;
}

/* Clang copies constant parts of initializers from private memory, which has no variables outside functions:
 * they move to constant memory. */
void move_initializer(llvm::GlobalVariable &from)
{
    llvm::GlobalVariable *to = copy_variable(from, true, CONSTANT);
    llvm::SmallVector<llvm::MemCpyInst *, 8> copies;
    for (llvm::Function &f : *from.getParent())
        for (llvm::Instruction &i : llvm::instructions(f))
            if (auto *copy = llvm::dyn_cast<llvm::MemCpyInst>(&i))
                if (copy->getRawSource()->stripPointerCasts() == &from)
                    copies.push_back(copy);
    for (llvm::MemCpyInst *copy : copies) {
        llvm::IRBuilder<> b(copy);
        llvm::Value *source = b.CreateBitCast(to, llvm::PointerType::get(b.getInt8Ty(), CONSTANT));
        b.CreateMemCpy(copy->getRawDest(), copy->getDestAlign(), source, copy->getSourceAlign(),
                       copy->getLength(), copy->isVolatile());
        copy->eraseFromParent();
    }
    from.removeDeadConstantUsers();
    llvm::GlobalVariable *unused = from.use_empty() ? &from : to;
    unused->eraseFromParent();
}

void move_initializers(llvm::Module &module)
{
    for (llvm::GlobalVariable &g : llvm::make_early_inc_range(module.globals()))
        if (g.getAddressSpace() == PRIVATE && g.hasPrivateLinkage() && g.hasInitializer())
            move_initializer(g);
}

/* Clang reads elements of constexpr arrays of global memory from copies in constant memory, cast to global
 * pointers, which SPIR-V does not have: the copies move to global memory. */
void move_copies(llvm::Module &module)
{
    for (llvm::GlobalVariable &from : llvm::make_early_inc_range(module.globals())) {
        llvm::SmallVector<llvm::ConstantExpr *, 2> casts;
        for (llvm::User *user : from.users())
            if (auto *e = llvm::dyn_cast<llvm::ConstantExpr>(user))
                if (e->getOpcode() == llvm::Instruction::AddrSpaceCast && from.getAddressSpace() == CONSTANT)
                    casts.push_back(e);
        if (casts.empty() || !from.hasInitializer())
            continue;
        llvm::GlobalVariable *to = copy_variable(from, true, GLOBAL);
        for (llvm::ConstantExpr *cast : casts)
            cast->replaceAllUsesWith(
                llvm::ConstantExpr::getPointerBitCastOrAddrSpaceCast(to, cast->getType()));
        from.removeDeadConstantUsers();
        if (from.use_empty())
            from.eraseFromParent();
    }
}

/* The flags of constructed objects of static storage duration inside of functions, which clang puts into
 * private memory, move to global memory. */
void move_guards(llvm::Module &module)
{
    for (llvm::GlobalVariable &from : llvm::make_early_inc_range(module.globals())) {
        if (from.getAddressSpace() != PRIVATE || from.getName().take_front(4) != "_ZGV")
            continue;
        llvm::GlobalVariable *to = copy_variable(from, false, GLOBAL);
        to->takeName(&from);
        for (llvm::Use &use : llvm::make_early_inc_range(from.uses()))
            if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(use.getUser()))
                use.set(to);
        from.eraseFromParent();
    }
}

/* ---- constructors and destructors ---------------------------------------------------------------- */

/* A number of MODULE that no module has with which it links: modules that link define different names. */
uint64_t link_identity(const llvm::Module &module)
{
    std::string names;
    for (const llvm::GlobalObject &g : module.global_objects())
        if (g.hasExternalLinkage() && !g.isDeclaration())
            names += (g.getName() + "\n").str();
    return llvm::xxHash64(names);
}

/* FUNCTION, a kernel, is executed when the program is created. */
void mark_initializer(llvm::Function &function)
{
    constexpr uint32_t initializer = 33; /* spv::ExecutionModeInitializer */
    llvm::LLVMContext &context = function.getContext();
    llvm::NamedMDNode *modes = function.getParent()->getOrInsertNamedMetadata("spirv.ExecutionMode");
    llvm::Constant *mode = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), initializer);
    function.setName(function.getName() + "_" + llvm::Twine::utohexstr(link_identity(*function.getParent())));
    function.setLinkage(llvm::GlobalValue::ExternalLinkage);
    modes->addOperand(llvm::MDNode::get(
        context, {llvm::ValueAsMetadata::get(&function), llvm::ConstantAsMetadata::get(mode)}));
}

/* The kernels that construct objects of program scope, which clang puts into a list that SPIR-V does not
 * have, become initializers. */
void mark_initializers(llvm::Module &module)
{
    llvm::GlobalVariable *list = module.getGlobalVariable("llvm.global_ctors", true);
    if (!list)
        return;
    for (const llvm::Use &entry : list->getInitializer()->operands())
        mark_initializer(*llvm::cast<llvm::Function>(
            llvm::cast<llvm::Constant>(entry)->getAggregateElement(1)->stripPointerCasts()));
    list->eraseFromParent();
}

/* Clang registers the destructors of objects of static storage duration for the end of a process, with null
 * instead of the object where address spaces differ. A program ends with its memory: the destructors are not
 * called. */
void drop_destructors(llvm::Module &module)
{
    llvm::Function *registration = module.getFunction("__cxa_atexit");
    if (!registration)
        return;
    for (llvm::User *user : llvm::make_early_inc_range(registration->users())) {
        auto *call = llvm::cast<llvm::CallInst>(user);
        call->replaceAllUsesWith(llvm::Constant::getNullValue(call->getType()));
        call->eraseFromParent();
    }
    registration->eraseFromParent();
    if (llvm::GlobalVariable *handle = module.getGlobalVariable("__dso_handle"))
        if (handle->use_empty())
            handle->eraseFromParent();
    for (llvm::Function &f : module)
        f.removeDeadConstantUsers();
}

/* ---- cycles ---------------------------------------------------------------------------------------- */

/* A cycle of variables whose initializers have addresses of the next one, which SPIR-V's order of definitions
 * excludes: the initializers lose the addresses that close a cycle, and an initializer kernel stores them. */
class CycleBreaker
{
  public:
    explicit CycleBreaker(llvm::Module &module) : module_(module) {}

    /* The name of a variable of constant memory in a cycle, which no kernel can store to; empty: there is
     * none. */
    std::string run()
    {
        for (llvm::GlobalVariable &g : module_.globals())
            visit(g);
        if (builder_)
            builder_->CreateRetVoid();
        return constant_;
    }

  private:
    enum State { NEW, ACTIVE, DONE };

    void visit(llvm::GlobalVariable &g)
    {
        if (!g.hasInitializer() || states_[&g] != NEW)
            return;
        states_[&g] = ACTIVE;
        llvm::SmallVector<unsigned, 4> path;
        llvm::Constant *value = without_cycles(g, g.getInitializer(), path);
        if (value != g.getInitializer() && g.getAddressSpace() == CONSTANT)
            constant_ = g.getName().str();
        if (value != g.getInitializer()) {
            g.setInitializer(value);
            g.setConstant(false);
        }
        states_[&g] = DONE;
    }

    /* Visits the variables whose addresses CONSTANT has; whether one of them is being visited. */
    bool closes_cycle(const llvm::Constant *constant)
    {
        if (auto *g = const_cast<llvm::GlobalVariable *>(llvm::dyn_cast<llvm::GlobalVariable>(constant))) {
            visit(*g);
            return states_[g] == ACTIVE;
        }
        bool closes = false;
        if (llvm::isa<llvm::ConstantExpr>(constant))
            for (const llvm::Use &use : constant->operands())
                closes |= closes_cycle(llvm::cast<llvm::Constant>(use));
        return closes;
    }

    /* VALUE, at PATH in the initializer of G, with zeros instead of the addresses that close a cycle. */
    llvm::Constant *without_cycles(llvm::GlobalVariable &g, llvm::Constant *value,
                                   llvm::SmallVectorImpl<unsigned> &path)
    {
        if (!llvm::isa<llvm::ConstantStruct, llvm::ConstantArray>(value)) {
            if (!closes_cycle(value))
                return value;
            store(g, value, path);
            return llvm::Constant::getNullValue(value->getType());
        }
        llvm::SmallVector<llvm::Constant *, 16> parts;
        bool same = true;
        for (unsigned i = 0; i < value->getNumOperands(); i++) {
            auto *part = llvm::cast<llvm::Constant>(value->getOperand(i));
            path.push_back(i);
            parts.push_back(without_cycles(g, part, path));
            path.pop_back();
            same &= parts.back() == part;
        }
        if (same)
            return value;
        if (auto *structure = llvm::dyn_cast<llvm::StructType>(value->getType()))
            return llvm::ConstantStruct::get(structure, parts);
        return llvm::ConstantArray::get(llvm::cast<llvm::ArrayType>(value->getType()), parts);
    }

    void store(llvm::GlobalVariable &g, llvm::Constant *value, llvm::ArrayRef<unsigned> path)
    {
        if (!builder_)
            builder_ = std::make_unique<llvm::IRBuilder<>>(make_initializer());
        llvm::SmallVector<llvm::Value *, 4> indices = {builder_->getInt32(0)};
        for (unsigned index : path)
            indices.push_back(builder_->getInt32(index));
        llvm::Value *place = builder_->CreateInBoundsGEP(g.getValueType(), &g, indices);
        builder_->CreateAlignedStore(value, place, llvm::Align(1));
    }

    llvm::BasicBlock *make_initializer()
    {
        llvm::LLVMContext &context = module_.getContext();
        llvm::Function *function =
            llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                   llvm::GlobalValue::InternalLinkage, "_GLOBAL__sub_I_cycles");
        module_.getFunctionList().push_front(function); /* executed before constructors */
        function->setCallingConv(llvm::CallingConv::SPIR_KERNEL);
        mark_initializer(*function);
        return llvm::BasicBlock::Create(context, "entry", function);
    }

    llvm::Module &module_;
    llvm::DenseMap<const llvm::GlobalVariable *, State> states_;
    std::string constant_;
    std::unique_ptr<llvm::IRBuilder<>> builder_; /* in the initializer kernel; null: no cycle found */
};

/* ---- long arrays ----------------------------------------------------------------------------------- */

constexpr uint64_t MOST_ELEMENTS = 65532; /* of 65,535 words of OpConstantComposite */

/* TYPE with structures of arrays of up to MOST_ELEMENTS instead of longer arrays, which have the same
 * layout. */
llvm::Type *split_type(llvm::Type *type)
{
    llvm::SmallVector<llvm::Type *, 8> parts;
    if (auto *structure = llvm::dyn_cast<llvm::StructType>(type)) {
        for (llvm::Type *member : structure->elements())
            parts.push_back(split_type(member));
        return structure->elements().equals(parts)
                   ? type
                   : llvm::StructType::get(type->getContext(), parts, structure->isPacked());
    }
    auto *array = llvm::dyn_cast<llvm::ArrayType>(type);
    if (!array)
        return type;
    llvm::Type *element = split_type(array->getElementType());
    uint64_t left = array->getNumElements();
    if (left <= MOST_ELEMENTS)
        return llvm::ArrayType::get(element, left);
    for (; left > 0; left -= std::min(left, MOST_ELEMENTS))
        parts.push_back(llvm::ArrayType::get(element, std::min(left, MOST_ELEMENTS)));
    return llvm::StructType::get(type->getContext(), parts);
}

/* VALUE as a constant of TYPE, which is split_type() of its type. */
llvm::Constant *split_value(llvm::Constant *value, llvm::Type *type)
{
    if (value->getType() == type)
        return value;
    if (value->isNullValue())
        return llvm::Constant::getNullValue(type);
    if (llvm::isa<llvm::UndefValue>(value))
        return llvm::UndefValue::get(type);
    unsigned next = 0;
    auto parts = [&](llvm::Type *of, uint64_t count) {
        llvm::SmallVector<llvm::Constant *, 8> made;
        for (uint64_t i = 0; i < count; i++)
            made.push_back(split_value(value->getAggregateElement(next++),
                                       of->getContainedType(of->isStructTy() ? i : 0)));
        return made;
    };
    if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
        return llvm::ConstantArray::get(array, parts(array, array->getNumElements()));
    auto *structure = llvm::cast<llvm::StructType>(type);
    if (value->getType()->isStructTy())
        return llvm::ConstantStruct::get(structure, parts(structure, structure->getNumElements()));
    llvm::SmallVector<llvm::Constant *, 8> arrays;
    for (llvm::Type *part : structure->elements())
        arrays.push_back(llvm::ConstantArray::get(llvm::cast<llvm::ArrayType>(part),
                                                  parts(part, part->getArrayNumElements())));
    return llvm::ConstantStruct::get(structure, arrays);
}

void split_long_arrays(llvm::Module &module)
{
    for (llvm::GlobalVariable &from : llvm::make_early_inc_range(module.globals())) {
        llvm::Type *type = split_type(from.getValueType());
        if (type == from.getValueType() || !from.hasInitializer() || from.getInitializer()->isNullValue())
            continue;
        auto *to = new llvm::GlobalVariable(module, type, from.isConstant(), from.getLinkage(),
                                            split_value(from.getInitializer(), type), "", &from,
                                            llvm::GlobalValue::NotThreadLocal, from.getAddressSpace());
        to->setAlignment(from.getAlign());
        to->takeName(&from);
        to->copyMetadata(&from, 0);
        from.replaceAllUsesWith(llvm::ConstantExpr::getBitCast(to, from.getType()));
        from.eraseFromParent();
    }
}

} // namespace

std::string rt_fix_initializers(llvm::Module &module)
{
    move_initializers(module);
    move_copies(module);
    drop_destructors(module);
    move_guards(module);
    std::string unsupported = CycleBreaker(module).run();
    mark_initializers(module);
    split_long_arrays(module);
    return unsupported;
}
