// expect: clean
// clFinish orders thousands of unordered commands before later ones.
#include "../host.h"

enum { BUFFERS = 1500, ROUNDS = 2 };

int main(void)
{
    static cl_mem buffers[BUFFERS];
    begin(NULL);
    cl_command_queue q = out_of_order();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BUFFERS; i++) {
            if (!buffers[i])
                buffers[i] = buffer();
            OK(clEnqueueFillBuffer(q, buffers[i], &i, sizeof i, 0, BYTES, 0, NULL, NULL));
        }
        OK(clFinish(q));
    }
    return 0;
}
