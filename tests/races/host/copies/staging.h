/* Fine-grained SVM as the source of non-blocking writes. */
#ifndef TESTS_RACES_HOST_COPIES_STAGING_H
#define TESTS_RACES_HOST_COPIES_STAGING_H

#include "../host.h"
#include <stdbool.h>

static int stage(bool wait)
{
    begin(NULL);
    cl_command_queue q = in_order();
    cl_mem to = buffer();
    int *pinned = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    cl_event written = NULL;
    for (int round = 0; round < 3; round++) {
        if (wait && written)
            OK(clWaitForEvents(1, &written));
        for (int i = 0; i < N; i++)
            pinned[i] = round + i;
        OK(clEnqueueWriteBuffer(q, to, CL_FALSE, 0, BYTES, pinned, 0, NULL, &written));
        launch(q, kernel("add", to, NULL, NULL), N, NULL);
    }
    OK(clFinish(q));
    return 0;
}

#endif
