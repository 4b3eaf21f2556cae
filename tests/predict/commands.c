/* Two commands, or a command and the host, for test_predict.py: argv[1] names the case.  racy_* race in some
 * execution, but not in the recorded one; clean_* never race. */
#include "../races/host/host.h"

#include <stdatomic.h>

static const char source[] =
    "#define ADD(p, v, o) atomic_fetch_add_explicit(p, v, memory_order_##o, memory_scope_all_svm_devices)\n"
    "#define STORE(p, v, o) atomic_store_explicit(p, v, memory_order_##o, memory_scope_all_svm_devices)\n"
    "#define LOAD(p, o) atomic_load_explicit(p, memory_order_##o, memory_scope_all_svm_devices)\n"
    "kernel void put(global int *x, global atomic_int *m) { *x = 5; ADD(m, 0, release); }\n"
    "kernel void get(global int *x, global atomic_int *m, global int *y) { ADD(m, 0, acquire); *y = *x; }\n"
    "kernel void send(global int *x, global atomic_int *m) { *x = 5; STORE(m, 1, release); }\n"
    "kernel void receive(global int *x, global atomic_int *m, global int *y) {\n"
    "  while (!LOAD(m, acquire)); *y = *x; }\n"
    "kernel void guarded(global int *x, global atomic_int *m, global int *first) {\n"
    "  if (first) *first = 1;\n"
    "  while (atomic_exchange_explicit(m, 1, memory_order_acquire, memory_scope_all_svm_devices));\n"
    "  *x = 1; STORE(m, 0, release); }\n"
    "kernel void late(global int *x, global atomic_int *m, global int *last) {\n"
    "  while (atomic_exchange_explicit(m, 1, memory_order_acquire, memory_scope_all_svm_devices));\n"
    "  *x = 1; STORE(m, 0, release); *last = 2; }\n";

static int is(const char *mode, const char *name)
{
    return strcmp(mode, name) == 0;
}

/* Polling a command's status orders nothing. */
static void poll_event(cl_event event)
{
    cl_int status = CL_QUEUED;
    while (status != CL_COMPLETE)
        OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    begin_with(source, NULL);
    cl_command_queue q = out_of_order(), other = in_order();
    int *s = shared(CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
    if (is(mode, "racy_count")) {
        launch(q, svm_kernel("put", s, s + 1, NULL), 1, NULL);
        launch(q, svm_kernel("get", s, s + 1, s + 2), 1, NULL);
    } else if (is(mode, "racy_two_queues")) {
        launch(q, svm_kernel("put", s, s + 1, NULL), 1, NULL);
        launch(other, svm_kernel("get", s, s + 1, s + 2), 1, NULL);
    } else if (is(mode, "clean_wait_list")) {
        cl_event put = launch(q, svm_kernel("put", s, s + 1, NULL), 1, NULL);
        launch(other, svm_kernel("get", s, s + 1, s + 2), 1, put);
    } else if (is(mode, "clean_marker")) {
        cl_event marker;
        launch(q, svm_kernel("put", s, s + 1, NULL), 1, NULL);
        OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &marker));
        launch(other, svm_kernel("get", s, s + 1, s + 2), 1, marker);
    } else if (is(mode, "clean_in_order")) {
        launch(other, svm_kernel("put", s, s + 1, NULL), 1, NULL);
        launch(other, svm_kernel("get", s, s + 1, s + 2), 1, NULL);
    } else if (is(mode, "clean_message")) {
        launch(q, svm_kernel("send", s, s + 1, NULL), 1, NULL);
        launch(q, svm_kernel("receive", s, s + 1, s + 2), 1, NULL);
    } else if (is(mode, "racy_before_lock")) {
        launch(q, svm_kernel("guarded", s, s + 1, s + 2), 1, NULL);
        launch(other, svm_kernel("late", s, s + 1, s + 2), 1, NULL);
    } else if (is(mode, "clean_lock")) {
        launch(q, svm_kernel("guarded", s, s + 1, s + 2), 1, NULL);
        launch(other, svm_kernel("late", s, s + 1, s + 3), 1, NULL);
    } else if (is(mode, "racy_host")) {
        cl_event put = launch(q, svm_kernel("put", s, s + 1, NULL), 1, NULL);
        OK(clFlush(q));
        poll_event(put);
        atomic_fetch_add_explicit((atomic_int *)(s + 1), 0, memory_order_acquire);
        s[2] = s[0];
    } else if (is(mode, "clean_host")) {
        cl_event send = launch(q, svm_kernel("send", s, s + 1, NULL), 1, NULL);
        OK(clFlush(q));
        poll_event(send); /* few iterations */
        while (!atomic_load_explicit((atomic_int *)(s + 1), memory_order_acquire))
            ;
        s[2] = s[0];
    } else {
        return 2;
    }
    OK(clFinish(q));
    OK(clFinish(other));
    return 0;
}
