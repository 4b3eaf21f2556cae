/* A test that runs as kernel launches: shared by exec.c (batches), build.c (programs) and count.c (counting
 * on the host). */
#ifndef LITMUS_RUN_EXEC_H
#define LITMUS_RUN_EXEC_H

#include "run.h"

#define MAX_LOCATIONS 64
#define OTHERS        65536 /* states outside of the expected range that one batch can report */
#define MAX_LINES     65536 /* elements of memory under stress */

/* Initial value in the column of an observed value, before a thread stores it; modules and kernels write it,
 * too. */
#define LT_NOT_STORED 0x5efc1ba

struct location {
    unsigned number, alias; /* index among the test's locations; index of the one whose memory it shares */
    unsigned element_size, elements;
    bool is_signed;
    bool is_image; /* kernels also access its memory as an image */
    unsigned char *initial;
    enum lt_memory_kind kind;
    cl_mem buffer; /* LT_IN_BUFFER */
    cl_mem image;  /* made from BUFFER, if it is one */
    void *memory;  /* the others */
    size_t bytes;
};
/* The test's description in the plan, and the geometry of its launches. */
struct exec_shape {
    unsigned groups, members, columns, value_size, bits, observed_count, location_count, bins;
    int64_t low;
    unsigned slots;    /* instances that one work-group runs concurrently */
    unsigned capacity; /* instances that fit into memory */
    bool waits, legacy;
};
struct exec_memory {
    cl_mem out, scratch, sync, knobs, bins, counts, others;
    uint32_t *bin_host;
    int64_t *others_host;
};
struct exec {
    struct lt_job *job;
    cl_program program;
    cl_kernel kernel, collect;
    struct lt_vk_exec *vk; /* of the Vulkan back end */
    struct exec_shape shape;
    struct location locations[MAX_LOCATIONS];
    struct exec_memory memory;
    uint64_t random;
    uint32_t knobs[LT_KNOB_COUNT];

    /* the results */
    bool overflow; /* the last batch had more other states than fit */
    bool seen;     /* the target outcome was observed */
    const char *failure;
    char message[2048];
};

/* Bytes of L's memory for all instances at this stride. */
size_t lt_exec_location_bytes(const struct exec *e, const struct location *l);
/* The number of states in the buffer of others.  COUNTS: instances with states outside of the bins, and
 * discarded instances. */
uint32_t lt_exec_others(const uint32_t counts[2]);
size_t lt_exec_others_bytes(const struct exec *e, const uint32_t counts[2]);
/* Adds the device's counts, in e->memory, to H. */
bool lt_exec_add_counts(struct exec *e, const uint32_t counts[2], uint64_t instances, struct lt_histogram *h,
                        uint64_t *discarded);
/* Reads the test of the job; false: the plan's description of it is not valid. */
bool lt_exec_read(struct exec *e);
bool lt_exec_failed(struct exec *e, const char *what, cl_int status);
/* Instances that a work-group of TEST runs concurrently. */
unsigned lt_exec_slots(const struct lt_device *device, const cJSON *test);
bool lt_exec_build(struct exec *e);
/* Whether the host counts states and initializes memory instead of kernels: on CPUs, where compiling more
 * kernels takes longer. */
bool lt_exec_host_counts(const struct exec *e);
/* Initializes the memory of all instances; lt_exec_count() first adds the final states of the last launch to
 * H.  False after a failure. */
bool lt_exec_prepare(struct exec *e);
bool lt_exec_count(struct exec *e, struct lt_histogram *h, uint64_t *discarded);

#endif
