/* A stream over three queues, with two input and two output buffers. */
#ifndef TESTS_RACES_HOST_LATE_QUEUES_THREE_QUEUES_H
#define TESTS_RACES_HOST_LATE_QUEUES_THREE_QUEUES_H

#include "../host.h"
#include <stdbool.h>

static int stream(bool upload_waits, bool kernel_waits)
{
    enum { ROUNDS = 5 };
    static int input[ROUNDS][N], output[ROUNDS][N];
    begin(NULL);
    cl_command_queue up = in_order(), work = in_order(), down = in_order();
    cl_mem in[2] = {buffer(), buffer()}, out[2] = {buffer(), buffer()};
    cl_event written, computed[ROUNDS], read[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        bool again = i >= 2;
        cl_kernel k = kernel("copy", in[i & 1], out[i & 1], NULL);
        OK(clEnqueueWriteBuffer(up, in[i & 1], CL_FALSE, 0, BYTES, input[i], again && upload_waits,
                                again && upload_waits ? &computed[i - 2] : NULL, &written));
        cl_event list[2] = {written, again ? read[i - 2] : NULL};
        size_t items = N;
        OK(clEnqueueNDRangeKernel(work, k, 1, NULL, &items, NULL, again && kernel_waits ? 2 : 1, list,
                                  &computed[i]));
        OK(clEnqueueReadBuffer(down, out[i & 1], CL_FALSE, 0, BYTES, output[i], 1, &computed[i], &read[i]));
        OK(clFlush(up));
        OK(clFlush(work));
        OK(clFlush(down));
    }
    OK(clFinish(up));
    OK(clFinish(work));
    OK(clFinish(down));
    return 0;
}

#endif
