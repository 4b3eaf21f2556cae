/* Enqueueing calls: the checks at their begin, and the submission of their commands. */
#ifndef REF_RUNTIME_ENQUEUE_ENQUEUE_H
#define REF_RUNTIME_ENQUEUE_ENQUEUE_H

#include "ref-runtime/memory/memory.h"

/* The live host command-queue that HANDLE names, NULL if there is none: device queues take no commands of the
 * host. */
struct rt_queue *rt_host_queue(cl_command_queue handle);
/* Queue and wait list, as every enqueue call checks them: *QUEUE is set on CL_SUCCESS. */
cl_int rt_enqueue_begin(cl_command_queue handle, cl_uint count, const cl_event *list,
                        struct rt_queue **queue);
/* A call that submits a command: to a queue, or to a command buffer, which records it.  The entry point sets
 * NAME and the arguments of the call (COUNT to BLOCKING, or POINTS and POINT), the functions below the
 * rest. */
struct rt_submission {
    const char *name; /* of the call */
    cl_uint count;    /* of LIST or POINTS */
    const cl_event *list;
    cl_event *event;
    bool blocking;
    const cl_sync_point_khr *points;
    cl_sync_point_khr *point;
    struct rt_queue *queue;
    struct rt_command_buffer *buffer; /* NULL: into the queue */
    cl_uint queue_index;              /* of QUEUE in BUFFER's list */
    struct rt_mutable *handle;        /* of the recorded command; NULL: it gets none */
    bool partial;                     /* a kernel whose arguments are not all set may be recorded */
};
/* Checks the queue and the wait list of S, and sets its queue. */
cl_int rt_submission_begin(struct rt_submission *s, cl_command_queue queue);
/* Enqueues COMMAND, or records it in the command buffer; takes its ownership.  NULL is
 * CL_OUT_OF_HOST_MEMORY. */
cl_int rt_submit(const struct rt_submission *s, struct rt_command *command);
/* A buffer for a command of QUEUE: it exists, is of the same context, and is aligned for the device. */
cl_int rt_enqueue_buffer(const struct rt_queue *queue, cl_mem handle, struct rt_mem **mem);
/* Whether DEVICE supports images, and the size and the format of this one (enqueue/image.c). */
cl_int rt_check_image_support(const struct rt_mem *mem, const struct rt_device *device);
/* The bytes of MEM on COMMAND's device, up to date; NULL: no memory. */
unsigned char *rt_enqueue_bytes(const struct rt_command *command, struct rt_mem *mem, size_t offset,
                                size_t size);
/* Repeats PATTERN, at most 128 bytes, in the SIZE bytes at TO; a rest that is shorter than the pattern is
 * unchanged. */
void rt_fill(unsigned char *to, size_t size, const unsigned char *pattern, size_t pattern_size);
/* To be called after writing to these bytes; false: no memory. */
bool rt_enqueue_written(const struct rt_command *command, struct rt_mem *mem, size_t offset, size_t size);
/* Records the access, whose bytes are DATA. */
void rt_enqueue_record(const struct rt_command *command, enum mm_kind kind, struct rt_mem *mem, size_t offset,
                       size_t size, const void *data);
/* The same of memory that the application gave as the host's. */
void rt_enqueue_record_host(const struct rt_command *command, enum mm_kind kind, const void *host,
                            size_t size);

/* A region in linear memory: where row Y of slice Z begins. */
struct rt_layout {
    size_t origin, row_pitch, slice_pitch;
};
/* Copies a region of SIZE bytes, rows and slices. */
struct rt_rect {
    struct rt_mem *source, *target; /* NULL: HOST */
    void *host;
    struct rt_layout from, to;
    size_t region[3];
};
/* A command for QUEUE that copies the region, to be submitted; NULL: no memory. */
struct rt_command *rt_rect_command(struct rt_queue *queue, cl_command_type type, const char *name,
                                   const struct rt_rect *rect);
/* True if some row of one region shares a byte with some row of the other; both lie in the same storage,
 * from their bases on. */
bool rt_layouts_overlap(const struct rt_layout *a, size_t a_base, const struct rt_layout *b, size_t b_base,
                        const size_t region[3]);
/* A request to map a buffer or image; rt_enqueue_map() checks flags, host access and overlap, callers the
 * rest. */
struct rt_map {
    struct rt_mem *mem;
    struct rt_region region;
    struct rt_layout layout; /* layout and number of the mapped bytes in MEM */
    size_t bytes[3];
    cl_map_flags flags;
};
/* The mapped pointer; NULL with an error. */
void *rt_enqueue_map(const struct rt_submission *s, cl_command_type type, const struct rt_map *map,
                     cl_int *errcode_ret);
/* Fills in LAYOUT and BYTES for a region of MEM, which has its level. */
void rt_mem_layout(const struct rt_mem *mem, const struct rt_region *region, struct rt_layout *layout,
                   size_t bytes[3]);

#endif
