/* A command frees memory that a fill of another queue uses. */
#ifndef TESTS_RACES_HOST_SVM_SVM_FILL_AND_FREE_H
#define TESTS_RACES_HOST_SVM_SVM_FILL_AND_FREE_H

#include "../host.h"

/* FREED_FIRST: a user event makes the fill execute after the free.  WAITS: the free waits for the fill. */
static inline int fill_and_free(int freed_first, int waits)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    void *a = shared(0);
    int one = 1, code;
    cl_event gate = clCreateUserEvent(context, &code), filled;
    OK(code);
    OK(clEnqueueSVMMemFill(q, a, &one, sizeof one, BYTES, 1, &gate, &filled));
    if (!freed_first)
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFlush(q));
    OK(clEnqueueSVMFree(r, 1, &a, NULL, NULL, waits ? 1 : 0, waits ? &filled : NULL, NULL));
    OK(clFlush(r));
    if (freed_first)
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}

#endif
