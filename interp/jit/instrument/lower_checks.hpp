// Inside instrument: the lowering of checks in a work-item function.
#ifndef INTERP_JIT_INSTRUMENT_LOWER_CHECKS_HPP
#define INTERP_JIT_INSTRUMENT_LOWER_CHECKS_HPP

#include "interp/jit/instrument/affine.hpp"
#include "interp/jit/instrument/lower_checks.h"

#include <llvm/IR/IRBuilder.h>

#include <map>
#include <set>

namespace instrumentation
{

struct Access {
    llvm::CallInst *call;
    Origin origin;
    uint64_t size, align;
    unsigned how;
    bool tagged = false;
    bool in_bounds = false;     // for all ids
    bool lane_disjoint = false; // lanes of one vector never access the same cell
    bool plain() const
    {
        return !(how & IN_SHADOW_ATOMIC);
    }
    bool is_found_by_address() const
    {
        return origin.kind == Origin::PROGRAM || origin.kind == Origin::DYNAMIC;
    }
};

// An access to local memory, and where.
struct LocalOffset {
    Access *access;
    AffineOffset offset;
};

// Accesses to local memory at V * (STRIDE * local id + a factor) + a number from LOW on, before HIGH; V from
// LEAST to MOST.
struct ScaledParts {
    llvm::Instruction *v = nullptr;
    int64_t stride = 0, least_factor = INT64_MAX, most_factor = INT64_MIN, low = INT64_MAX, high = INT64_MIN;
    int64_t least = 0, most = 0;
};

// Under which condition accesses to a variable from START to the next barrier need no tags.
struct LocalCondition {
    llvm::Instruction *start;
    ScaledParts parts;
    llvm::SmallVector<Access *, 8> scaled; // those in the parts
    llvm::SmallVector<Access *, 4>
        single; // at fixed places, by work-item ITEM: outside of the others' parts;
                // without parts: not executed
    int64_t item = 0;
    explicit LocalCondition(llvm::Instruction *i) : start(i) {}
};

enum { MAX_COEFFICIENT = 1 << 20 }; // subscripts of 32 bits do not wrap among the lanes of a vector

// One argument, or local memory.
struct Memory {
    uint8_t *use;
    bool texels = false;           // of an image: a cell is a texel
    unsigned cell = 4;             // log2 of the bytes of a cell: divides all accesses
    uint64_t at;                   // of its struct in_shadow_memory in struct in_shadow
    uint64_t atomic_size = 0;      // bytes that atomics access
    llvm::Value *object = nullptr; // instead of AT: where its struct in_shadow_memory is
};
// Memories beside those of arguments.
enum { LOCAL_MEMORY = IN_SHADOW_ARGUMENTS, PROGRAM_MEMORY, DYNAMIC_MEMORY, MEMORIES };

struct Tags {
    llvm::Value *base, *range, *own, *tag; // tag = base + own
    llvm::Value *others =
        nullptr; // with clocks: how many tags from BASE on other work-items may have; else null
    llvm::Value *item_span, *group_span; // tags per phase; per work-group, less one phase; null: no phases
    llvm::Value *group_readers,
        *all_readers; // several readers: of one work-group and phase; of the launch, null: of local memory
};

class LocalEnumeration;

enum TagKind { GLOBAL_TAGS, LOCAL_TAGS, TEXEL_TAGS, TAG_KINDS };

class CheckLowering
{
  public:
    CheckLowering(llvm::Function &f, in_check_lowering &w)
        : item(f), options(w), layout(f.getParent()->getDataLayout()), b(f.getContext())
    {
    }
    bool run();
    std::string why;

  private:
    llvm::Function &item;
    in_check_lowering &options;
    const llvm::DataLayout &layout;
    llvm::IRBuilder<> b;
    llvm::SmallVector<Access, 32> accesses;
    llvm::DenseMap<llvm::Instruction *, unsigned> access_of;
    llvm::SmallVector<llvm::CallInst *, 8> value_checks, phases, barriers, undos, synchronizations, fences,
        weights;
    llvm::SmallVector<Access, 4> texels;
    Memory memories[MEMORIES];
    llvm::AllocaInst *flagged = nullptr, *phase[2] = {}, *segment = nullptr; // with clocks: the current one
    llvm::Value *first_segment = nullptr;                                    // of the work-item
    Tags tags[TAG_KINDS];
    llvm::Value *shadow = nullptr;
    llvm::MDNode *data_scope = nullptr, *tag_scope = nullptr, *group = nullptr;
    bool outlines = false; // checks are in functions
    std::map<std::tuple<const Memory *, uint64_t, unsigned, bool>, llvm::Function *> outlined;
    llvm::Function *outlined_flag = nullptr;

    bool fail(const llvm::Twine &text)
    {
        why = text.str();
        return false;
    }
    llvm::Value *frame_load(llvm::Value *base, uint64_t at, llvm::Type *type);
    llvm::Value *field(uint64_t at)
    {
        return frame_load(shadow, at, b.getInt32Ty());
    }
    bool collect();
    bool collect_access(llvm::CallInst *call, OriginAnalysis &analysis);
    bool collect_texel(llvm::CallInst *call, OriginAnalysis &analysis);
    bool share_uses();
    Memory &memory_of(const Access &a);
    llvm::Value *memory_load(const Memory &m, uint64_t at, llvm::Type *type);
    void find_object(const Access &a);
    void record_use(const Access &a, Memory &m);
    bool uniform_barriers();
    bool covers_all_accesses();
    bool select();
    bool has_disjoint_parts(unsigned argument);
    bool has_grid(unsigned argument);
    bool is_idempotent(unsigned argument);
    void select_local();
    void follow_work_group(LocalEnumeration &enumeration, std::set<std::pair<unsigned, uint64_t>> &tagged);
    void drop_redundant();
    llvm::SmallVector<Access *, 16> between_barriers(llvm::Instruction *start,
                                                     const llvm::Instruction *until = nullptr,
                                                     bool *reached = nullptr);
    bool by_one_work_item(llvm::ArrayRef<Access *> together, const llvm::DominatorTree &tree);
    bool needs_no_order(LocalCondition &c, llvm::ArrayRef<Access *> together, const llvm::DominatorTree &tree,
                        const Divergence &divergence);
    bool use_earlier_value(llvm::Instruction *instruction, llvm::ArrayRef<Access *> users);
    bool is_stable(llvm::Instruction *value, llvm::Instruction *start, llvm::ArrayRef<Access *> users,
                   const Divergence &divergence);
    void add_deoptimize_if(llvm::Value *bad);
    bool are_beyond_writes(llvm::Instruction *start, llvm::ArrayRef<LocalOffset> own,
                           llvm::ArrayRef<LocalOffset> far, int64_t high, const llvm::DominatorTree &tree,
                           const Divergence &divergence);
    bool are_scaled_parts(LocalCondition &c, llvm::ArrayRef<LocalOffset> scaled,
                          llvm::ArrayRef<LocalOffset> single, const llvm::DominatorTree &tree,
                          const Divergence &divergence);
    void check_scale(const LocalCondition &c);
    llvm::Value *overlaps_parts(const LocalCondition &c, const Access &s, int64_t fixed);
    void enforce(llvm::ArrayRef<LocalCondition> conditions, llvm::ArrayRef<llvm::Instruction *> starts);
    void set_up();
    void hide_parameter(unsigned k, uint32_t low, uint32_t high);
    llvm::Value *linear_id();
    llvm::Value *local_index();
    llvm::Value *group_index();
    void compute_tags(TagKind kind);
    void spread_tags(Tags &t, TagKind kind);
    TagKind tag_kind(const Memory &m) const;
    llvm::Instruction *set_scope(llvm::Instruction *i, bool of_tags);
    void flag(llvm::Value *bad);
    llvm::Value *offset_of(llvm::Value *pointer, llvm::Value *base);
    llvm::Value *offset_in(const Access &a);
    bool is_followed(const Access &a) const;
    llvm::Value *leads_to_arguments(const Access &a);
    llvm::Value *spare_cells(const Access &a);
    void lower(Access &a);
    void lower_texel(Access &a);
    void lower_undo(llvm::CallInst *call);
    void for_each_cell(uint64_t count, llvm::function_ref<void(llvm::Value *)> body);
    void check_tags(const Access &a, llvm::Value *offset, llvm::Value *pointer, llvm::Value *in_bounds);
    void check_cells(const Access &a, llvm::Value *offset, llvm::Value *pointer, llvm::Value *in_bounds);
    bool saves(const Access &a);
    bool has_tag_checks(const Access &a);
    void choose_outline();
    llvm::Function *add_outlined(llvm::Type *result, llvm::ArrayRef<llvm::Type *> parameters);
    llvm::Function *outlined_check(const Access &a);
    void flag_in_frame(llvm::Value *bad);
    void call_flag(llvm::Value *bad);
    void lower_by_call(const Access &a, llvm::Value *in_bounds, llvm::Value *offset);
    void check_cell(const Access &a, const Memory &m, llvm::Value *index);
    void save_cell(const Memory &m, llvm::Value *index, llvm::Value *from, llvm::Value *in_bounds);
    llvm::Value *untouched(const Memory &m, unsigned which, llvm::Value *index);
    llvm::Value *plane(const Memory &m, unsigned which, bool second, llvm::Value *index);
    llvm::Value *load(const Memory &m, unsigned which, llvm::Value *index);
    void store(const Memory &m, unsigned which, llvm::Value *index, llvm::Value *tag);
    llvm::Value *conflicts(const Tags &t, llvm::Value *old);
    void record_reader(const Memory &m, unsigned which, llvm::Value *index, const Tags &t,
                       bool lane_disjoint);
    void lower_phase(llvm::CallInst *call);
    bool uses_clocks();
    void begin_clock();
    unsigned weight_of(llvm::function_ref<bool(llvm::BasicBlock *)> is_in) const;
    void leave_long_loops();
    llvm::FunctionCallee clock_function(const char *name, llvm::Type *result,
                                        llvm::ArrayRef<llvm::Type *> types);
    void compute_segments(Tags &t);
    llvm::Value *unordered(const Tags &t, llvm::Value *old);
    void drop_unfenced();
    void lower_synchronization(llvm::CallInst *call);
    void lower_fence(llvm::CallInst *call);
    void drop_decided();
    void use_ranges();
    void set_no_wrap(llvm::CallInst *call, bool in_block);
    void publish_flag();
};

// Marks the loads that replace ids and sizes while checks are simplified.
constexpr char parameter_metadata[] = "in.parameter";

// Whether I is a barrier that orders accesses to memory WHICH: 1 local, 2 global.
bool is_phase(const llvm::Instruction &i, unsigned which);

} // namespace instrumentation

#endif
