// expect: clean
// A command of one queue waits for a marker of the other.
#include "../host.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order(), r = in_order();
    cl_mem a = buffer();
    int values[N], seven = 7;
    cl_event marker;
    OK(clEnqueueFillBuffer(q, a, &seven, sizeof seven, 0, BYTES / 2, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(q, a, &seven, sizeof seven, BYTES / 2, BYTES / 2, 0, NULL, NULL));
    OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &marker));
    OK(clFlush(q));
    OK(clEnqueueReadBuffer(r, a, CL_TRUE, 0, BYTES, values, 1, &marker, NULL));
    return 0;
}
