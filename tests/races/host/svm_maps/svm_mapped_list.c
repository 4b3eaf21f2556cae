// expect: clean
// A list in coarse-grained SVM is built while it is mapped, and read while it is mapped again.
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
    OK(clEnqueueSVMUnmap(q, nodes, 0, NULL, NULL));
    launch(q, svm_kernel("walk", (int *)nodes, NULL, NULL), 1, NULL);
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, nodes, BYTES, 0, NULL, NULL));
    int sum = nodes[0].value + nodes[3].value;
    OK(clEnqueueSVMUnmap(q, nodes, 0, NULL, NULL));
    if (sum != 6)
        return 1;
    OK(clFinish(q));
    return 0;
}
