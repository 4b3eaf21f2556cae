// SVM pointers through which two work-items write the same element, and pointers to memory that the kernel
// writes, past an allocation's end, to no allocation, and to freed memory.  Memory that a race has changed is
// as after one execution.
#include "svm_nodes.h"

int main(void)
{
    begin_with(source, NULL);
    cl_command_queue q = in_order();
    make_nodes(q);
    map_nodes(q);
    nodes[0].next = nodes[1].next;
    unmap_nodes(q);
    run(q, "add_all", nodes);
    map_nodes(q);
    bool once = others[N - 2].value == 1000 + N - 2 + 2 && others[N - 1].value == 1000 + N - 1 &&
                others[5].value == 1000 + 5 + 1;
    nodes[0].next = &others[N - 1];
    unmap_nodes(q);
    enqueue(q, "sum_beside", nodes, others);
    OK(clFinish(q));
    run(q, "sum_past", nodes);
    map_nodes(q);
    nodes[7].next = NULL;
    unmap_nodes(q);
    run(q, "sum_null", nodes);
    clSVMFree(context, others);
    run(q, "sum_freed", nodes);
    return !once;
}
