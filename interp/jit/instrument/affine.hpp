// Pointer origins, and offsets as affine functions of ids.  docs/instrumentation.md#affine
#ifndef INTERP_JIT_INSTRUMENT_AFFINE_HPP
#define INTERP_JIT_INSTRUMENT_AFFINE_HPP

#include "interp/jit/instrument/lower_checks.h"
#include "interp/jit/vectorize/work_group.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

struct Origin {
    enum { UNKNOWN, PRIVATE, CONSTANT, LOCAL, LOCAL_ARGUMENT, ARGUMENT, PROGRAM, DYNAMIC } kind = UNKNOWN;
    unsigned number = 0;           // of the argument
    llvm::Value *base = nullptr;   // where the object begins; PROGRAM and DYNAMIC: a pointer into it
    llvm::Value *within = nullptr; // local memory: offset of the base, 64 bits
    uint64_t size = 0;             // of variables; arguments have dynamic sizes
    bool operator==(const Origin &r) const
    {
        return kind == r.kind && number == r.number && base == r.base;
    }
};

class OriginAnalysis
{
  public:
    OriginAnalysis(llvm::Function &f, const in_check_lowering &w) : item(f), options(w) {}
    Origin find(llvm::Value *pointer);
    // Of a pointer whose origin is unknown: a pointer into the same object that no subscripts changed.  Adds
    // phis and selects of such pointers where POINTER has them.
    llvm::Value *object_pointer(llvm::Value *pointer);
    // Whether an object pointer is the address of a variable of the program.
    bool is_variable(llvm::Value *pointer) const;
    // POINTER is AT bytes after what the frame has at OFFSET.
    bool in_frame(llvm::Value *pointer, uint64_t offset, uint64_t &at) const;

  private:
    llvm::DenseMap<llvm::Value *, llvm::Value *> object_pointers;
    llvm::Function &item;
    const in_check_lowering &options;
    llvm::SmallVector<llvm::Value *, 8> visiting; // phis and selects on the recursion stack

    Origin element_origin(llvm::GEPOperator *gep);
    Origin variable_origin(const in_shadow_object *list, size_t count, uint64_t offset, llvm::Value *base,
                           decltype(Origin::kind) kind) const;
    Origin common_origin(llvm::ArrayRef<llvm::Value *> pointers);
};

// X * global id in the first dimension + ROWS * global size in the first dimension * id in the second
// + LOCAL * local ids + FIXED.
struct AffineOffset {
    int64_t x = 0, row = 0, fixed = 0, local[3] = {};
    bool uniform_term = false;         // plus a term that is uniform in a row:
    llvm::Value *term_value = nullptr; // TERM * this value; NULL: any
    int64_t term = 0;
    int64_t scaled[3] = {}; // plus these * TERM_VALUE * local ids
    bool wraps = false;     // modulo 2^32

    bool is_scaled() const
    {
        return scaled[0] || scaled[1] || scaled[2];
    }

    bool is_fixed() const
    {
        return !uniform_term && !x && !row && !local[0] && !local[1] && !local[2];
    }
    void add(const AffineOffset &l, int64_t by)
    {
        term_value = !l.uniform_term                                               ? term_value
                     : !uniform_term || (term_value && term_value == l.term_value) ? l.term_value
                                                                                   : nullptr;
        term += by * l.term;
        uniform_term |= l.uniform_term;
        wraps |= l.wraps;
        x += by * l.x;
        row += by * l.row;
        fixed += by * l.fixed;
        for (int k = 0; k < 3; k++)
            local[k] += by * l.local[k];
        for (int k = 0; k < 3; k++)
            scaled[k] += by * l.scaled[k];
    }
};

// V without integer casts that keep the low 32 bits.
llvm::Value *before_casts(llvm::Value *v);

class AffineAnalysis
{
  public:
    uint64_t max_coefficient = 1; // what ids are multiplied by

    // With AGREEMENT also what work-items agree on.
    AffineAnalysis(llvm::Function &f, const in_check_lowering &w, const Divergence *divergence = nullptr)
        : item(f), options(w), layout(f.getParent()->getDataLayout()), uniform_terms(divergence)
    {
    }
    // Of POINTER from BASE; false: it is none.
    bool offset(llvm::Value *pointer, llvm::Value *base, AffineOffset &l);
    // Whether the WIDTH bytes from there on are apart for all work-items of a work-group.
    bool is_disjoint(const AffineOffset &l, int64_t width) const;
    // Whether there are multiples of ALIGN only, from 0 to MOST.
    bool is_within(const AffineOffset &l, int64_t align, int64_t most) const;

  private:
    llvm::Function &item;
    const in_check_lowering &options;
    const llvm::DataLayout &layout;
    const Divergence *uniform_terms;

    bool affine(llvm::Value *v, AffineOffset &l, unsigned depth);
    bool fits(const AffineOffset &l, bool sign) const;
    bool affine_or_uniform(llvm::Value *v, AffineOffset &l, unsigned depth);
    bool is_width(llvm::Value *v) const;
    bool scale(AffineOffset &l, int64_t by);
    bool multiply(AffineOffset &l, AffineOffset y);
};

#endif
