// expect: mapped-access
// at: walk:3
// A kernel reads the list while the host still has it mapped.
#include "../host.h"

int main(void)
{
    begin_with("struct node { int value; global struct node *next; };\n"
               "kernel void walk(global struct node *at) {\n"
               "  for (; at; at = at->next) at->value *= 2; }\n",
               NULL);
    cl_command_queue q = in_order();
    struct node {
        int value;
        struct node *next;
    } *nodes = (void *)shared(0);
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, nodes, BYTES, 0, NULL, NULL));
    for (int i = 0; i < 4; i++)
        nodes[i] = (struct node){i, i < 3 ? &nodes[i + 1] : NULL};

    launch(q, svm_kernel("walk", (int *)nodes, NULL, NULL), 1, NULL);

    OK(clFinish(q));
    return 0;
}
