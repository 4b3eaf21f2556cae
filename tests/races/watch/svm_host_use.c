// The host writes coarse-grained SVM that is not mapped: [before] it waits for the launch that uses it, [again] after it
// has done so before it enqueues the launch, or [after] the launch.
#include "svm_nodes.h"

int main(int argc, char **argv)
{
    bool again = argc > 1 && strcmp(argv[1], "again") == 0,
         before = again || (argc > 1 && strcmp(argv[1], "before") == 0);
    begin_with(source, NULL);
    cl_command_queue q = in_order();
    make_nodes(q);
    if (again)
        others[2].value = 4;
    enqueue(q, "sum", nodes, NULL);
    if (before)
        others[3].value = 5;
    OK(clFinish(q));
    if (!before)
        others[3].value = 5;
    return 0;
}
