// Watched launches: what pointers point into, and how their offsets follow from ids.
#ifndef INTERP_JIT_WATCH_INDEX_HPP
#define INTERP_JIT_WATCH_INDEX_HPP

#include "interp/jit/vectorize/group.hpp"
#include "interp/jit/instrument/watch_shim.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

struct Root {
    enum { UNKNOWN, PRIVATE, CONSTANT, LOCAL, LOCAL_ARGUMENT, ARGUMENT } kind = UNKNOWN;
    unsigned number = 0;           // of the argument
    llvm::Value *base = nullptr;   // where the object begins
    llvm::Value *within = nullptr; // local memory: the offset of that, 64 bits
    uint64_t size = 0;             // of objects that are no arguments
    bool operator==(const Root &r) const
    {
        return kind == r.kind && number == r.number && base == r.base;
    }
};

class RootFinder
{
  public:
    RootFinder(llvm::Function &f, const in_watching &w) : item(f), watching(w) {}
    Root find(llvm::Value *pointer);

  private:
    llvm::Function &item;
    const in_watching &watching;
    llvm::SmallVector<llvm::Value *, 8> under_way; // around loops

    // POINTER is AT bytes after what the frame has at OFFSET.
    bool in_frame(llvm::Value *pointer, uint64_t offset, uint64_t &at) const;
    Root step(llvm::GEPOperator *gep);
    Root object(const in_watch_object *list, size_t count, uint64_t offset, llvm::Value *base,
                decltype(Root::kind) kind) const;
    Root all(llvm::ArrayRef<llvm::Value *> pointers);
};

// X * global id in the first dimension + ROWS * global size in the first dimension * id in the second
// + LOCAL * local ids + FIXED.
struct Linear {
    int64_t x = 0, rows = 0, fixed = 0, local[3] = {};
    bool more = false;  // and something that all work-items of a row agree on
    bool wraps = false; // and multiples of 2^32

    bool is_fixed() const
    {
        return !more && !x && !rows && !local[0] && !local[1] && !local[2];
    }
    void add(const Linear &l, int64_t by)
    {
        more |= l.more;
        wraps |= l.wraps;
        x += by * l.x;
        rows += by * l.rows;
        fixed += by * l.fixed;
        for (int k = 0; k < 3; k++)
            local[k] += by * l.local[k];
    }
};

class LinearFinder
{
  public:
    uint64_t most = 1; // what ids are multiplied by

    // With AGREEMENT also what work-items agree on.
    LinearFinder(llvm::Function &f, const in_watching &w, const Divergence *agreement = nullptr)
        : item(f), watching(w), layout(f.getParent()->getDataLayout()), agreed(agreement)
    {
    }
    // Of POINTER from BASE; false: it is none.
    bool offset(llvm::Value *pointer, llvm::Value *base, Linear &l);
    // Whether the WIDTH bytes from there on are apart for all work-items of a work-group.
    bool apart(const Linear &l, int64_t width) const;
    // Whether there are multiples of ALIGN only, from 0 to MOST.
    bool within(const Linear &l, int64_t align, int64_t most) const;

  private:
    llvm::Function &item;
    const in_watching &watching;
    const llvm::DataLayout &layout;
    const Divergence *agreed;

    bool known(llvm::Value *v, Linear &l, unsigned depth);
    bool fits(const Linear &l, bool sign) const;
    bool number(llvm::Value *v, Linear &l, unsigned depth);
    bool is_width(llvm::Value *v) const;
    bool scale(Linear &l, int64_t by);
};

#endif
