/* Recording that the runtime and the loader layer share: where the trace goes, which places of the host's
 * code call, and which plain host memory commands use. */
#ifndef MEMMODEL_TRACE_HOST_H
#define MEMMODEL_TRACE_HOST_H
#include "memmodel/memmodel.h"

/* Creates the file that PATTERN names ("%p": the process id) for writing, and a regular one for reading, too,
 * if that is permitted; its descriptor has a high number and is closed by exec; negative with errno: it
 * cannot be created. */
int mm_trace_create(const char *pattern);

/* A failure function of mm_trace_writer: says on standard error that the trace is incomplete. */
void mm_trace_report_lost(void *context, int error);

/* The file name of the module that PLACE is in, and its first address; NULL: unknown.  Unlike dladdr() it
 * does not take the lock of the dynamic loader, since constructors run under that lock and may wait for a
 * recorder's. */
const char *mm_module_of(const void *place, const void **begin);

/* A new source of RECORDER: the call CALL at PLACE, a return address in the host's code (NULL: unknown), as
 * the module and the offset in it; the reader of the trace looks up file and line.  CALLER: the source of the
 * call of the function that PLACE is in, 0: not recorded. */
uint32_t mm_record_host_source(struct mm_recorder *recorder, const char *call, const void *place,
                               uint32_t caller);

/* Records that AGENT, a host thread, follows everything that host thread LAST has done so far. */
void mm_record_follow(struct mm_recorder *recorder, uint32_t last, struct mm_agent agent);
/* Records the start of a callback by AGENT, after COMPLETION, of a command [CL 3.3.6 H11], and REGISTERED,
 * the call that registered it (MM_NO_EVENT: none). */
mm_event_id mm_record_callback(struct mm_recorder *recorder, struct mm_agent agent, mm_event_id completion,
                               mm_event_id registered);

/* Gives EVENT the order ORDER (__ATOMIC_*) of a host atomic or fence, and its scope [CL 3.3.6 A23]. */
void mm_host_set_order(struct mm_event *event, int order);

/* Whether PLACE is code of the application: of neither refcl nor the ICD loader nor a library whose file name
 * is named in LAYERS (NULL: none). */
bool mm_is_application(const void *place, const char *layers);

/* Plain memory of the host that commands read and write: each range of it that a command uses first is an
 * allocation of the record, so that commands that no order joins race on it as on any other memory
 * [CL 3.3.6 G17]. */
struct mm_host_ranges {
    struct mm_host_range *items; /* in order of address, disjoint */
    size_t count, capacity;
};

struct mm_host_part {
    const void *host;
    uint32_t allocation;
    uint64_t offset, size; /* bytes, in the allocation */
};

/* Calls ACCESS for each part of [HOST, HOST + SIZE) that is in one allocation; ranges that are new are
 * recorded first. Parts for which there is no memory are left out. */
void mm_host_ranges_access(struct mm_host_ranges *ranges, struct mm_recorder *recorder, const void *host,
                           size_t size, void (*access)(void *context, const struct mm_host_part *part),
                           void *context);
/* The same for the ranges that commands have used already; all else is left out. */
void mm_host_ranges_visit(const struct mm_host_ranges *ranges, const void *host, size_t size,
                          void (*access)(void *context, const struct mm_host_part *part), void *context);

/* N where 32 bits hold it, else the largest number that they hold. */
static inline uint32_t mm_at_most_32_bits(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* Flags of mm_trace_writer: through memory shared with the reader, where FD is a socket; through memory
 * mapped to the file, where FD is a regular one that can be read; both where the system permits that.
 * FOR_SESSION: for a reader of the same build: the sink has a retire function, and predicted events are coded
 * as runs. */
enum { MM_TRACE_RING = 4, MM_TRACE_MAPPED = 8, MM_TRACE_FOR_SESSION = 16 };
/* Between these two calls only the calling thread records; its records then take the recorder's lock at no
 * cost. */
void mm_recorder_hold(struct mm_recorder *recorder);
void mm_recorder_let_go(struct mm_recorder *recorder);

#endif
