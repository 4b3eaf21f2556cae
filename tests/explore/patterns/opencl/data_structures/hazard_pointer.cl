// A hazard pointer: the reader publishes which node it reads, then checks that the node is still current; the
// writer replaces the node, and reuses it unless it is being read.  A seq_cst fence separates the two
// accesses of each.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 2 --local 1 --arg buf:1:fill=1 --arg buf:1:zero --arg buf:3:fill=5 --arg buf:1:zero --assert "out[0]==5 or out[0]==0"
__kernel void k(__global atomic_int *current, __global atomic_int *used, __global int *nodes, __global int *out)
{
    if (get_group_id(0) == 0) {
        int node = atomic_load_explicit(current, memory_order_acquire, memory_scope_device);

        atomic_store_explicit(used, node, memory_order_relaxed, memory_scope_device);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
        if (atomic_load_explicit(current, memory_order_relaxed, memory_scope_device) == node)
            out[0] = nodes[node];
        atomic_store_explicit(used, 0, memory_order_release, memory_scope_device);
    } else {
        atomic_exchange_explicit(current, 2, memory_order_relaxed, memory_scope_device);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
        if (atomic_load_explicit(used, memory_order_acquire, memory_scope_device) != 1)
            nodes[1] = -1;
    }
}
