/* From the function of one work-item to that of a work-group. */
#ifndef INTERP_JIT_VECTORIZE_WORK_ITEM_LOOPS_H
#define INTERP_JIT_VECTORIZE_WORK_ITEM_LOOPS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct in_loops {
    uint32_t local_size[3]; /* of a whole work-group; ANY_SIZE: the greatest number of work-items, 1, 1 */
    bool swapped;           /* the first two dimensions of the item, and of LOCAL_SIZE */
    bool any_size;          /* only run.edge, for any size of work-groups */
    unsigned lanes;         /* of the vectors that work-items in loops become; 0: none */
    bool edge;              /* also a function for work-groups that are smaller */
    LLVMValueRef access_group;
    uint64_t frame_bytes, offset_at; /* of the frame, and in it the global offset */
    uint64_t group_size_at, first_item_at;
    uint64_t fill_at, fill_bytes_at; /* in the frame: a byte, and how many bytes of local memory from LOCAL_AT
                                      * on hold it when a work-group begins: LOCAL_BYTES, if known, or 0 */
    uint64_t local_at, local_bytes;
    uint64_t context_bytes; /* out: memory per work-group for what lives across barriers */
};
/* Atomics of local memory become plain accesses; in_shim_may_spin() has to be called before. */
void in_shim_lower_local(LLVMValueRef item);
/* Whether atomics of memory that work-groups share are left, which change it. */
bool in_shim_has_atomics(LLVMValueRef item);
bool in_shim_has_barriers(LLVMValueRef item);
/* Whether ITEM does not see work-groups in the first dimension: ids in them, their sizes, local memory. */
bool in_shim_is_flat(LLVMValueRef item);
/* Whether ITEM sees nothing of its work-group of SIZE work-items but their number and sums group id * SIZE +
 * local id, or is alone in it.  Then these sums become the ids in work-groups of another size, and SIZE a
 * constant.  Without work-groups that are smaller. */
bool in_shim_make_flat(LLVMValueRef item, uint32_t size);
/* The least number of work-items in the first dimension, a power of 2, after which a part of a subscript of
 * ITEM restarts at 0: 512 of `2 * i - (i & 511)`; 0: none does. */
uint32_t in_shim_period(LLVMValueRef item);
/* Whether neighbors in the first dimension access different cache lines, where those in another may share
 * them: small work-groups reuse lines that long rows would evict. */
bool in_shim_strides_far(LLVMValueRef item);
/* Whether fewer accesses are far apart from one work-item to the next in the second dimension.  Then it
 * exchanges the first two dimensions of ITEM, so that the loop over the second is innermost. */
bool in_shim_swap_dimensions(LLVMValueRef item);
/* Decides comparisons and trip counts in ITEM that are the same for all local ids in work-groups of
 * LOCAL_SIZE work-items; EDGE: some work-groups are smaller.  Loops must be in simplified form; invalidates
 * no block. */
void in_shim_apply_local_ranges(LLVMValueRef item, const uint32_t local_size[3], bool edge);
/* Asks for unrolling of short loops that index private arrays, and of those with barriers. */
void in_shim_mark_unroll(LLVMValueRef item);
/* Before vectors are taken apart: whether that is not worth it. */
bool in_shim_keeps_vectors(LLVMValueRef item);
/* Hoists uniform values out of code that only some work-items execute. */
void in_shim_compute_early(LLVMValueRef item);
/* Replaces operations that have no vector instruction by others: gathers of bytes, division. */
void in_shim_lower_for_vectors(LLVMValueRef item);
/* Lets the pass `access-order` assume that different arguments, to which pointers are behind the pointer at
 * ARGUMENTS_AT in the frame, and variables of program scope, behind that at PROGRAM_AT, are different
 * memory. */
void in_shim_let_assume_disjoint(LLVMModuleRef module, uint64_t arguments_at, uint64_t program_at);
/* Whether the code of MODULE depends on that. */
bool in_shim_assumes_disjoint(LLVMModuleRef module);
/* Adds run.row(frame, local, context, group0, group1, group2, groups), which executes GROUPS whole
 * work-groups in a row, and, for edges, run.edge(.., size0, size1, size2), which is all for any size.  False:
 * not covered, WHY says what. */
bool in_shim_make_loops(LLVMModuleRef module, struct in_loops *loops, char *why, size_t why_size);

#ifdef __cplusplus
}
#endif

#endif
