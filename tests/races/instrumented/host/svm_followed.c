// Pointers in coarse-grained SVM lead to another allocation, which is no argument: kernels read and write
// through them.
#include "svm_nodes.h"

int main(void)
{
    begin_with(source, NULL);
    cl_command_queue q = in_order();
    make_nodes(q);
    for (int round = 0; round < 2; round++) {
        run(q, "sum", nodes);
        run(q, "add", nodes);
    }
    map_nodes(q);
    long expected = 0;
    for (int k = 0; k < N; k++)
        expected += others[k].value != 1000 + k + 2;
    unmap_nodes(q);
    return expected != 0 || sum_of(q) != N * 1001L + N * (N - 1);
}
