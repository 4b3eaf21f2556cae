// Inside the strip shims: a strip under construction.
#ifndef INTERP_JIT_VECTORIZE_STRIP_HPP
#define INTERP_JIT_VECTORIZE_STRIP_HPP

#include "interp/jit/vectorize/cost_model.hpp"

struct StripSlot { // what lives across a cut
    llvm::AllocaInst *cell;
    llvm::Type *type, *kept; // as a value; in memory
    bool uniform;
    unsigned index;                    // among the uniform slots, or the arrays
    llvm::Instruction *next = nullptr; // of a counter: what it becomes whenever lanes run REGION
    unsigned region = 0;
    llvm::Constant *start = nullptr; // of a counter of a loop that only some lanes may enter
};

// A loop counter with one value for all lanes that are still in the loop.
struct StripCounter {
    llvm::Instruction *next; // its sum with the step
    unsigned region;         // the loop
    llvm::Constant *start;   // NULL: all lanes enter the loop
};

struct StripMiner : RegionSplit {
    llvm::Module &module;
    const in_loops &options;
    unsigned lanes = 0, width;
    bool short_elements = false; // one region that computes in bytes and shorts: vectors have more lanes
    bool is_long = false;        // more vectors than registers hold
    llvm::SmallVector<StripSlot, 16> slots;
    unsigned uniform_count = 0, array_count = 0; // of slots
    llvm::SmallVector<llvm::AllocaInst *, 8> privates;
    // By region:
    llvm::SmallVector<llvm::SetVector<unsigned>, 8> live_slots, changed;
    llvm::SmallVector<bool, 8> masked; // only some of the lanes may run it
    llvm::SmallVector<bool, 8> agrees; // all lanes run it, and the same region after it
    llvm::SmallVector<bool, 8> vector; // can be vectorized
    llvm::SmallVector<CodeCost, 8> costs;
    llvm::SmallVector<llvm::SmallVector<llvm::LoadInst *, 4>, 8> shared; // one for all lanes that run it

    StripMiner(llvm::Module &m, const in_loops &o, llvm::Function &f)
        : RegionSplit(f), module(m), options(o), width(o.lanes)
    {
    }
    // False: strip mining does not pay off or is impossible.
    bool choose();
    bool find_slots();
    void choose_lanes(unsigned vectors);
    // The number that means the end of the function, and the regions that may follow REGION.
    unsigned end() const
    {
        return starts.size();
    }
    llvm::SmallVector<unsigned, 8> next(unsigned region) const;

  private:
    bool branches(const Divergence &divergence) const;
    bool computes_in_shorts(const Divergence &divergence) const;
    void add_cases(const llvm::LoopInfo &loops, const Divergence &divergence,
                   llvm::SetVector<llvm::BasicBlock *> &where) const;
    void add_expensive(const llvm::LoopInfo &loops, const llvm::DominatorTree &tree,
                       const Divergence &divergence, llvm::SetVector<llvm::BasicBlock *> &where) const;
    void add_meets(llvm::SetVector<llvm::BasicBlock *> &where);
    void find_masks(const Divergence &divergence);
    void collect_slots(const Divergence &divergence);
    void find_changed();
    bool begins_together(const llvm::Loop &loop, unsigned region) const;
    llvm::DenseMap<const llvm::Instruction *, StripCounter> find_counters(const Divergence &divergence) const;
    void measure_regions(const Divergence &divergence);
    bool is_shared(const llvm::Value *v, unsigned region, unsigned depth) const;
    bool has_shared_steps() const;
    bool gains_from_length() const;
    void find_shared();
};

// The slot whose value V loads, or null.
const StripSlot *slot_of_load(const StripMiner &strip, const llvm::Value *v);

// strip_code.cpp: the strip's function, which takes the parameters of ORIGINAL.
llvm::Function *emit_strip(const StripMiner &strip, llvm::Function &original);

#endif
