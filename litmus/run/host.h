/* Host tests: sequences of API calls by one or more host threads, repeated with delays chosen by the seed.
 * The plan's "host" object has the code of each thread (litmus/docs/format.md). */
#ifndef LITMUS_RUN_HOST_H
#define LITMUS_RUN_HOST_H

#include "run.h"

#include <stdatomic.h>

enum { LT_HOST_MOST = 64, LT_HOST_REGISTERS = 256, LT_HOST_WAITS = 16, LT_HOST_DEVICES = 4 };

struct lt_object {
    enum lt_memory_kind kind;
    unsigned element_size, elements;
    bool is_signed;
    unsigned char *initial; /* bytes */
    size_t bytes;
    cl_mem buffer;                    /* LT_IN_BUFFER: of this iteration */
    void *memory;                     /* the others */
    _Atomic(unsigned char *) *mapped; /* LT_IN_BUFFER: address of each element, NULL if it is not mapped */
};

/* Operations of checker/program/program.h on values; the plan has their names. */
enum lt_host_op {
/* clang-format off */
#define LT_HOST_OPS(X)                                                                                       \
    X(const) X(reg) X(add) X(sub) X(mul) X(udiv) X(sdiv) X(urem) X(srem) X(and) X(or) X(xor) X(shl) X(lshr)  \
    X(ashr) X(eq) X(ne) X(ult) X(ule) X(slt) X(sle) X(not) X(lnot) X(neg) X(zext) X(sext) X(trunc) X(select)
/* clang-format on */
#define X(name) LT_V_##name,
    LT_HOST_OPS(X)
#undef X
        LT_V_COUNT
};
struct lt_host_expr {
    enum lt_host_op op;
    unsigned size, a, b, c;
    uint64_t imm;
};

enum lt_host_step {
#define LT_HOST_STEPS(X) X(assign) X(load) X(store) X(rmw) X(cas) X(fence) X(jump) X(branch) X(call) X(end)
#define X(name)          LT_S_##name,
    LT_HOST_STEPS(X)
#undef X
        LT_S_COUNT
};
enum lt_host_rmw {
    LT_R_XCHG,
    LT_R_ADD,
    LT_R_SUB,
    LT_R_AND,
    LT_R_OR,
    LT_R_XOR,
    LT_R_SMIN,
    LT_R_SMAX,
    LT_R_UMIN,
    LT_R_UMAX
};
/* Orders as in the plan: 0 plain, 1 relaxed, 2 acquire, 3 release, 4 acq_rel, 5 seq_cst. */

struct lt_call_place {
    int object, element; /* -1: none; all elements */
};
struct lt_host_call {
    int function;                             /* in the table of host_calls.c */
    int queue, kernel, thread, event, buffer; /* EVENT: or the sync-point that a recording call returns */
    unsigned semaphore_count, semaphores[LT_HOST_WAITS];
    struct lt_call_place target, source;
    bool blocking;
    unsigned map_flags; /* 1 read, 2 write */
    int64_t value;
    unsigned wait_count, waits[LT_HOST_WAITS];
};
struct lt_host_instr {
    enum lt_host_step op;
    unsigned reg, reg2, address, value, expected, size, order, rmw, target;
    struct lt_host_call *call;
};
struct lt_host_thread {
    struct lt_host *host;
    unsigned number, code_count;
    bool starts; /* with the program; the others are callbacks and native kernels */
    struct lt_host_instr *code;
    uint64_t registers[LT_HOST_REGISTERS];
    uint64_t random;
};
struct lt_host_queue {
    unsigned device;
    bool out_of_order, on_device;
    cl_command_queue queue;
};
struct lt_host_buffer {
    unsigned queue, runs;
    bool simultaneous_use;
    void *handle;      /* cl_command_buffer_khr, of this iteration */
    atomic_bool final; /* recording has ended */
};
struct lt_host_kernel {
    cl_kernel kernel;
    unsigned device, groups, members;
};
struct lt_host_observed {
    int column;          /* of what kernels store, -1 */
    int thread, reg;     /* of a host thread, -1 */
    int object, element; /* in memory, -1 */
    unsigned size;
    bool is_signed;
};

/* The OpenCL objects of an iteration, and its state. */
struct lt_host_state {
    cl_context context;
    cl_program program;
    cl_command_queue last; /* reads memory at the end of an iteration */
    cl_mem out;
    void *semaphores[LT_HOST_MOST]; /* cl_semaphore_khr */
    cl_uint points[LT_HOST_MOST];   /* sync-points */
    _Atomic(cl_event) events[LT_HOST_MOST];
    cl_uint buffers_version; /* of cl_khr_command_buffer */
    atomic_int waiting;      /* threads that callbacks and native kernels have yet to run */
    atomic_bool failed;
    char message[2048];
};
struct lt_host {
    struct lt_job *job;
    cl_device_id devices[LT_HOST_DEVICES];
    unsigned device_count, queue_count, event_count, buffer_count, kernel_count, thread_count, expr_count,
        object_count, observed_count, columns;
    struct lt_host_queue queues[LT_HOST_MOST];
    struct lt_host_buffer buffers[LT_HOST_MOST];
    bool user_events[LT_HOST_MOST], is_semaphore[LT_HOST_MOST]; /* by number of the event */
    struct lt_host_kernel kernels[LT_HOST_MOST];
    struct lt_host_thread *threads;
    struct lt_host_expr *exprs;
    struct lt_object objects[LT_HOST_MOST];
    struct lt_host_observed observed[LT_MAX_VALUES];
    bool profiled, legacy;
    struct lt_host_state state;
};

/* host_plan.c: false, with a message: the plan is not valid. */
bool lt_host_read(struct lt_host *host);
void lt_host_forget(struct lt_host *host);
/* host_calls.c: a binary semaphore, NULL after a failure. */
void *lt_host_semaphore(struct lt_host *host);
void lt_host_release_semaphore(struct lt_host *host, void *semaphore);
bool lt_host_make_buffer(struct lt_host *host, struct lt_host_buffer *buffer);
void lt_host_release_buffer(struct lt_host *host, struct lt_host_buffer *buffer);
/* host_code.c: runs the thread's code to its end. */
void lt_host_execute(struct lt_host_thread *thread);
int64_t lt_host_value(uint64_t bits, unsigned size, bool is_signed);
/* host_calls.c */
int lt_host_function(const char *name); /* -1: none */
bool lt_host_records(const char *name); /* a command into a command buffer */
void lt_host_call(struct lt_host_thread *thread, const struct lt_host_call *call);
void lt_host_flush(struct lt_host *host);
void lt_host_wait_idle(struct lt_host *host);
/* True if STATUS is an error; records the first one of an iteration. */
bool lt_host_failed(struct lt_host *host, const char *what, cl_int status);
/* host.c */
void lt_run_host_test(struct lt_job *job, bool legacy);

#endif
