/* An instrumented host that reads or writes memory of a command, WHERE, and WHEN: "early", before the command
 * is complete, or "late".
 *
 * host_memory WHERE WHEN */
#define CL_TARGET_OPENCL_VERSION 200
#include "samples/sample.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIDE = 64, BYTES = SIDE * SIDE };
static unsigned char memory[BYTES], sum;
static cl_command_queue q;
static cl_event done;

static void look(const unsigned char *at, bool late)
{
    if (late)
        OK(clWaitForEvents(1, &done));
    sum = (unsigned char)(sum + at[SIDE / 2 * SIDE + 5]);
    OK(clFinish(q));
}

static void change(unsigned char *at, bool late)
{
    if (late)
        OK(clWaitForEvents(1, &done));
    at[BYTES - 1] = 7;
    OK(clFinish(q));
}

static cl_mem picture(cl_mem_flags flags, void *host)
{
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    cl_int code;
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE | flags, &format, &desc, host, &code);
    OK(code);
    return image;
}

static cl_mem buffer_of(cl_mem_flags flags, void *host)
{
    cl_int code;
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE | flags, BYTES, host, &code);
    OK(code);
    return made;
}

static void fill(cl_mem mem)
{
    const cl_uint zero = 0;
    OK(clEnqueueFillBuffer(q, mem, &zero, sizeof zero, 0, BYTES, 0, NULL, &done));
}

static void *map(cl_mem mem, cl_bool blocking)
{
    cl_int code;
    void *at =
        clEnqueueMapBuffer(q, mem, blocking, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0, NULL, &done, &code);
    OK(code);
    return at;
}

/* Two parts of a buffer are mapped: the second pointer is that of the second map. */
static void map_two_parts(bool late)
{
    cl_mem mem = buffer(BYTES);
    cl_int code;
    OK(clEnqueueMapBuffer(q, mem, CL_TRUE, CL_MAP_WRITE, 0, SIDE, 0, NULL, NULL, &code) == NULL);
    unsigned char *at =
        clEnqueueMapBuffer(q, mem, CL_FALSE, CL_MAP_WRITE, SIDE, BYTES - SIDE, 0, NULL, &done, &code);
    OK(code);
    change(at - SIDE, late);
}

/* Only the left half is mapped: the memory beside it is the program's. */
static void map_left_half(bool late)
{
    const size_t origin[3] = {0}, region[3] = {SIDE / 2, SIDE, 1};
    size_t row;
    cl_int code;
    unsigned char *at = clEnqueueMapImage(q, picture(0, NULL), CL_FALSE, CL_MAP_WRITE, origin, region, &row,
                                          NULL, 0, NULL, &done, &code);
    OK(code);
    if (late)
        OK(clWaitForEvents(1, &done));
    sum = (unsigned char)(sum + at[SIDE / 2 * row + 5]);
    OK(clFinish(q));
}

static void *read_in_thread(void *late)
{
    static unsigned char part[SIDE];
    OK(clEnqueueReadBuffer(q, buffer(BYTES), CL_FALSE, 0, SIDE, part, 0, NULL, &done));
    if (*(bool *)late)
        OK(clWaitForEvents(1, &done));
    return NULL;
}

/* Atomics of the program on a counter in memory of an earlier command order its threads. */
static atomic_int counter;
static cl_mem shared;

static void *count(void *ignored)
{
    (void)ignored;
    fill(shared);
    OK(clFinish(q));
    memory[3] = 1;
    atomic_store_explicit(&counter, 1, memory_order_release);
    return NULL;
}

static void share_counter(bool late)
{
    int order = late ? memory_order_acquire : memory_order_relaxed;
    pthread_t thread;
    OK(clEnqueueReadBuffer(q, buffer(BYTES), CL_TRUE, 0, sizeof counter, &counter, 0, NULL, NULL));
    atomic_store_explicit(&counter, 0, memory_order_relaxed);
    shared = buffer_of(CL_MEM_USE_HOST_PTR, memory);
    OK(pthread_create(&thread, NULL, count, NULL));
    while (!atomic_load_explicit(&counter, (memory_order)order))
        ;
    fill(shared);
    OK(clFinish(q));
    OK(pthread_join(thread, NULL));
}

/* An acquire orders after completed commands, even while a later command of the queue waits for a user
 * event. */
static void acquire_before_user_event(bool late)
{
    const cl_svm_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    const cl_uint zero = 0;
    atomic_int *flag = clSVMAlloc(context, flags, sizeof *flag, 0);
    unsigned char *data = clSVMAlloc(context, flags, BYTES, 0);
    cl_int code;
    cl_event user = clCreateUserEvent(context, &code);
    OK(code || !flag || !data);
    OK(clEnqueueSVMMemFill(q, data, &zero, sizeof zero, BYTES, 0, NULL, NULL));
    OK(clEnqueueMarkerWithWaitList(q, 1, &user, NULL));
    sum = (unsigned char)(sum + atomic_load_explicit(flag, (memory_order)(late ? memory_order_acquire
                                                                               : memory_order_relaxed)));
    data[1] = 7;
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    OK(clFinish(q));
}

/* Commands of two threads use the same memory one after the other, ordered by a pipe, which is not
 * recorded. */
static int ends[2];

static void *read_first(void *ignored)
{
    cl_command_queue r = queue(0);
    (void)ignored;
    OK(clEnqueueReadBuffer(r, buffer(BYTES), CL_TRUE, 0, BYTES, memory, 0, NULL, NULL));
    OK(write(ends[1], "", 1) != 1);
    return NULL;
}

static void hand_over(void)
{
    pthread_t thread;
    char byte;
    OK(pipe(ends));
    OK(pthread_create(&thread, NULL, read_first, NULL));
    OK(read(ends[0], &byte, 1) != 1);
    OK(clEnqueueReadBuffer(q, buffer(BYTES), CL_TRUE, 0, BYTES, memory, 0, NULL, NULL));
    OK(pthread_join(thread, NULL));
}

/* Commands of only one thread use plain memory; another thread's later reads of it are not recorded. */
static void *read_nothing(void *byte)
{
    return byte;
}

static void *read_byte(void *byte)
{
    return (void *)(uintptr_t) * (unsigned char *)byte;
}

static void read_beside(bool late, void *function(void *))
{
    pthread_t thread;
    OK(clEnqueueReadBuffer(q, buffer(BYTES), CL_FALSE, 0, BYTES, memory, 0, NULL, &done));
    if (late)
        OK(clWaitForEvents(1, &done));
    OK(pthread_create(&thread, NULL, function, &memory[1]));
    OK(pthread_join(thread, NULL));
    sum = (unsigned char)(sum + memory[1]);
    OK(clFinish(q));
}

/* Children are forked while a thread's accesses are recorded. */
static atomic_bool enough;

static void *write_on(void *ignored)
{
    (void)ignored;
    while (!atomic_load(&enough))
        for (size_t i = 0; i < BYTES; i++)
            memory[i]++;
    return NULL;
}

static void fork_children(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    int status = 0;
    fill(buffer_of(CL_MEM_USE_HOST_PTR, memory));
    OK(clFinish(q));
    OK(pthread_create(&thread, NULL, write_on, NULL));
    for (int i = 0; i < 30 && !status; i++) {
        pid_t child = fork();
        if (!child) {
            alarm(60); /* instead of a deadlock */
            pthread_mutex_lock(&mutex);
            memory[0] = 1;
            pthread_mutex_unlock(&mutex);
            _exit(0);
        }
        OK(waitpid(child, &status, 0) != child);
    }
    atomic_store(&enough, true);
    OK(pthread_join(thread, NULL));
    OK(status);
}

/* The constructor of the library PROGRAM.so waits for a thread whose access is recorded. */
void *change_in_constructor(void *ignored);
void *change_in_constructor(void *ignored)
{
    memory[7] = 1;
    return ignored;
}

static void load_library(const char *program)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.so", program);
    fill(buffer_of(CL_MEM_USE_HOST_PTR, memory));
    OK(clFinish(q));
    alarm(60); /* instead of a deadlock */
    OK(!dlopen(path, RTLD_NOW));
}

static void use_atomics(void)
{
    fill(buffer_of(CL_MEM_USE_HOST_PTR, memory));
    OK(clFinish(q));
    atomic_fetch_add_explicit((atomic_int *)(void *)memory, 1, memory_order_relaxed);
}

/* Signal handlers write memory of commands, or synchronize, while the thread enqueues commands and uses
 * locks. */
static sem_t posted;
static bool synchronizes;

static void on_alarm(int number)
{
    (void)number;
    memory[BYTES / 2] = 1;
    if (synchronizes)
        sem_post(&posted);
}

static void alarm_often(bool late)
{
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    cl_mem mem = buffer_of(CL_MEM_USE_HOST_PTR, memory);
    struct sigaction was;
    OK(sem_init(&posted, 0, 0));
    OK(signal(SIGALRM, on_alarm) == SIG_ERR);
    OK(sigaction(SIGALRM, NULL, &was) || was.sa_handler != on_alarm || was.sa_flags & SA_SIGINFO);
    fill(mem);
    OK(clFinish(q));
    OK(setitimer(ITIMER_REAL, &often, NULL));
    for (int i = 0; i < 2000; i++) {
        fill(mem);
        if (i % 16)
            continue;
        OK(clFinish(q));
        memset(memory, 2, BYTES);
    }
    OK(setitimer(ITIMER_REAL, &never, NULL));
    fill(mem);
    if (late)
        OK(clFinish(q));
    memory[1] = 3;
    OK(clFinish(q));
}

/* Waits until it is killed, after a race. */
static void race_and_wait(void)
{
    signal(SIGTERM, SIG_IGN);
    fill(buffer_of(CL_MEM_USE_HOST_PTR, memory));
    memory[1] = 3;
    OK(clFinish(q));
    puts("waiting");
    fflush(stdout);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    const char *where = argc == 3 ? argv[1] : "";
    bool late = argc == 3 && strcmp(argv[2], "late") == 0;
    const size_t origin[3] = {0}, region[3] = {SIDE, SIDE, 1};
    open_device();
    q = queue(0);
    if (strcmp(where, "read") == 0) {
        OK(clEnqueueReadBuffer(q, buffer(BYTES), CL_FALSE, 0, BYTES, memory, 0, NULL, &done));
        look(memory, late);
    } else if (strcmp(where, "write") == 0) {
        OK(clEnqueueWriteBuffer(q, buffer(BYTES), CL_FALSE, 0, BYTES, memory, 0, NULL, &done));
        change(memory, late);
    } else if (strcmp(where, "image") == 0) {
        OK(clEnqueueReadImage(q, picture(0, NULL), CL_FALSE, origin, region, 0, 0, memory, 0, NULL, &done));
        look(memory, late);
    } else if (strcmp(where, "pointer") == 0) {
        fill(buffer_of(CL_MEM_USE_HOST_PTR, memory));
        look(memory, late);
    } else if (strcmp(where, "image pointer") == 0) {
        const cl_uint zero[4] = {0};
        OK(clEnqueueFillImage(q, picture(CL_MEM_USE_HOST_PTR, memory), zero, origin, region, 0, NULL, &done));
        look(memory, late);
    } else if (strcmp(where, "map") == 0) {
        change(map(buffer(BYTES), CL_FALSE), late);
    } else if (strcmp(where, "second map") == 0) {
        map_two_parts(late);
    } else if (strcmp(where, "image map") == 0) {
        map_left_half(late);
    } else if (strcmp(where, "copy") == 0) {
        static unsigned char copy[BYTES];
        OK(clEnqueueReadBuffer(q, buffer(BYTES), CL_FALSE, 0, BYTES, memory, 0, NULL, &done));
        if (late)
            OK(clFinish(q));
        memcpy(copy, memory, sizeof copy);
        OK(clFinish(q));
    } else if (strcmp(where, "pinned") == 0) { /* mapped all the time, as a source of writes */
        unsigned char *pinned = map(buffer_of(CL_MEM_ALLOC_HOST_PTR, NULL), CL_TRUE);
        pinned[0] = 1;
        OK(clEnqueueWriteBuffer(q, buffer(BYTES), CL_FALSE, 0, BYTES, pinned, 0, NULL, &done));
        change(pinned, late);
    } else if (strcmp(where, "thread") == 0) { /* the join orders nothing but the host */
        pthread_t thread;
        fill(buffer_of(CL_MEM_USE_HOST_PTR, memory));
        OK(pthread_create(&thread, NULL, read_in_thread, &late));
        OK(pthread_join(thread, NULL));
        sum = (unsigned char)(sum + memory[9]);
        OK(clFinish(q));
    } else if (strcmp(where, "counter") == 0) {
        share_counter(late);
    } else if (strcmp(where, "user event") == 0) {
        acquire_before_user_event(late);
    } else if (strcmp(where, "pipe") == 0) {
        hand_over();
    } else if (strcmp(where, "fork") == 0) {
        fork_children();
    } else if (strcmp(where, "load") == 0) {
        load_library(argv[0]);
    } else if (strcmp(where, "result") == 0) {
        read_beside(late, read_nothing);
    } else if (strcmp(where, "passed") == 0) {
        read_beside(late, read_byte);
    } else if (strcmp(where, "signals") == 0 || strcmp(where, "signals that post") == 0) {
        synchronizes = strcmp(where, "signals") != 0;
        alarm_often(late);
    } else if (strcmp(where, "atomics") == 0) {
        use_atomics();
    } else if (strcmp(where, "killed") == 0) {
        race_and_wait();
    }
    return 0;
}
