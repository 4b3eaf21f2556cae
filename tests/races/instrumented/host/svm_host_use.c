// The host writes coarse-grained SVM that is not mapped: [before] it waits for the launch that uses it,
// [again] after the wait and before it enqueues the next launch, or [after] that launch, by itself or in a
// [callback].
#include "svm_nodes.h"

#include <semaphore.h>

static sem_t called;

static void CL_CALLBACK write_node(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    others[3].value = 5;
    sem_post(&called);
}

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
    bool callback = argc > 1 && strcmp(argv[1], "callback") == 0;
    cl_event event;
    OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &event));
    sem_init(&called, 0, 0);
    if (callback)
        OK(clSetEventCallback(event, CL_COMPLETE, write_node, NULL));
    OK(clFinish(q));
    if (callback)
        sem_wait(&called);
    else if (!before)
        others[3].value = 5;
    return 0;
}
