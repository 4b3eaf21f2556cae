// Inside watch shims: the checks of a work-item function under construction.
#ifndef INTERP_JIT_WATCH_HPP
#define INTERP_JIT_WATCH_HPP

#include "interp/jit/instrument/watch_index.hpp"
#include "interp/jit/instrument/watch_shim.h"

#include <llvm/IR/IRBuilder.h>

namespace watching
{

struct Access {
    llvm::CallInst *call;
    Root root;
    uint64_t size, align;
    unsigned how;
    bool tagged = false;
    bool inside = false; // of its object, whatever the ids are
    bool lone = false;   // work-items that follow one another never access the same cells at once
    bool plain() const
    {
        return !(how & IN_WATCH_ATOMIC);
    }
};

// What checks of one memory have in common.
struct Memory {
    uint8_t *use;
    unsigned cell = 4;   // log2 of the bytes that all accesses consist of
    uint64_t at;         // of its struct in_watch_memory in struct in_watch
    uint64_t object = 0; // bytes that atomics access
};

struct Tags {
    llvm::Value *base, *range, *own, *tag; // tag = base + own
    llvm::Value *below, *window;    // differences of tags of a work-group in other phases; null: no phases
    llvm::Value *crowd, *everybody; // tags of cells that several read
};

class Watch
{
  public:
    Watch(llvm::Function &f, in_watching &w)
        : item(f), watching(w), layout(f.getParent()->getDataLayout()), b(f.getContext())
    {
    }
    bool run();
    std::string why;

  private:
    llvm::Function &item;
    in_watching &watching;
    const llvm::DataLayout &layout;
    llvm::IRBuilder<> b;
    llvm::SmallVector<Access, 32> accesses;
    llvm::DenseMap<llvm::Instruction *, unsigned> access_of;
    llvm::SmallVector<llvm::CallInst *, 8> suspects, phases;
    Memory memories[IN_WATCH_ARGUMENTS + 1];
    llvm::AllocaInst *suspicion = nullptr, *phase[2] = {};
    Tags tags[2]; // of global, of local memory
    llvm::Value *watch = nullptr;
    llvm::MDNode *data_scope = nullptr, *tag_scope = nullptr, *group = nullptr;

    bool fail(const llvm::Twine &text)
    {
        why = text.str();
        return false;
    }
    llvm::Value *word(llvm::Value *base, uint64_t at, llvm::Type *type);
    llvm::Value *field(uint64_t at)
    {
        return word(watch, at, b.getInt32Ty());
    }
    bool collect();
    bool collect(llvm::CallInst *call);
    void note(const Access &a, Memory &m);
    bool uniform_barriers();
    bool nothing_else();
    void choose();
    bool own_parts(unsigned argument);
    bool writes_again(unsigned argument);
    void choose_local();
    void leave_out();
    llvm::SmallVector<Access *, 16> between_barriers(llvm::Instruction *start);
    bool orderless(llvm::ArrayRef<Access *> together);
    void begin();
    void hide(unsigned k);
    llvm::Value *linear_id();
    llvm::Value *local_index();
    llvm::Value *group_index();
    void make_tags();
    void refresh(bool local);
    llvm::Instruction *mark(llvm::Instruction *i, bool of_tags);
    void suspect(llvm::Value *bad);
    llvm::Value *offset_of(llvm::Value *pointer, llvm::Value *base);
    void lower(Access &a);
    void shadow(const Access &a, llvm::Value *offset);
    void cell(const Access &a, const Memory &m, llvm::Value *index);
    llvm::Value *plane(const Memory &m, unsigned which, bool second, llvm::Value *index);
    llvm::Value *load(const Memory &m, unsigned which, llvm::Value *index);
    void store(const Memory &m, unsigned which, llvm::Value *index, llvm::Value *tag);
    llvm::Value *conflicts(const Tags &t, llvm::Value *old);
    void join(const Memory &m, unsigned which, llvm::Value *index, const Tags &t, bool lone);
    void lower_phase(llvm::CallInst *call);
    void tell();
};

// Whether I is a barrier that orders accesses: 1 of local, 2 of global memory.
bool is_phase(const llvm::Instruction &i, unsigned which);

} // namespace watching

#endif
