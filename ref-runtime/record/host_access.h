/* The interface between an instrumented host program and what records: refcl's runtime, or its layer over any
 * driver. The program's loads, stores, atomics and threads become events of the same execution
 * [CL 3.3.6 A23, H1-H12].
 *
 * The program is linked with librefcl-host.so, which defines refcl_host_attach(), which is called when
 * recording starts. */
#ifndef REF_RUNTIME_RECORD_HOST_ACCESS_H
#define REF_RUNTIME_RECORD_HOST_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mm_recorder;

enum { REFCL_HOST_VERSION = 4, REFCL_HOST_POINTS = 64 };
enum refcl_host_kind { REFCL_HOST_READ, REFCL_HOST_WRITE, REFCL_HOST_RMW, REFCL_HOST_FENCE };

struct refcl_host_access {
    const void *address;
    uint32_t size;
    uint8_t kind; /* enum refcl_host_kind */
    bool atomic;
    int order;         /* __ATOMIC_* where ATOMIC, and of a fence */
    const void *place; /* return address of the instrumented code */
    uint64_t read, written;
};
struct refcl_host_runtime {
    unsigned version;
    bool on_driver; /* by the layer: the commands are executed by a driver */
    /* Bounds of what kernels can share with the host: accesses elsewhere need not be recorded. */
    const uint64_t *low, *high;
    /* Whether kernels can use atomics on it: other atomics are the program's own. */
    bool (*is_svm)(const void *address);
    /* No other recorded atomic, and no step of refcl's kernels, comes between these. */
    void (*lock)(void);
    void (*unlock)(void);
    void (*access)(const struct refcl_host_access *access);
    /* Records a point of the calling thread, ordered after the points AFTER: REFCL_HOST_POINTS at most. */
    uint64_t (*point)(const uint64_t *after, size_t count);
    /* A signal handler makes an access that is not recorded; ADDRESS is NULL: it synchronizes, and the order
     * of threads is not known from now on.  NULL: what handlers do is recorded.  Takes no lock. */
    void (*in_handler)(const void *address, uint32_t size);
};
typedef void refcl_host_attach_function(const struct refcl_host_runtime *runtime); /* NULL: recording ends */
/* refcl_host_is_instrumented() of the library: whether an object that was loaded is instrumented. */
typedef bool refcl_host_is_instrumented_function(void);

/* For the runtime itself. */
uint32_t rt_host_source(const char *call, const void *place); /* a new one for a place in the application */
uint32_t rt_call_source(const char *call); /* of the API call under way, as the application made it */
void rt_host_attach(struct mm_recorder *recorder);
/* A byte of SVM that the host, at the instruction CODE, uses without a map.  For signal handlers. */
void rt_host_fault(const void *address, bool writes, const void *code);
const void *rt_fault_place(const void *code); /* in the application, as a return address */
void rt_host_detach(void);
bool rt_host_is_attached(void);                       /* the program is instrumented */
void rt_host_shared(uint64_t address, uint64_t size); /* memory that the host can use as well */
void rt_host_step_begin(void);                        /* a kernel takes a step */
void rt_host_step_end(void);

#endif
