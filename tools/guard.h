/* Runs work in a child process that is killed when a limit is reached. */
#ifndef TOOLS_GUARD_H
#define TOOLS_GUARD_H

#include "tools/tool.h"

#include <cjson/cJSON.h>

enum { GUARD_DEFAULT_MEBIBYTES = 2048 };

struct guard {
    double seconds;     /* of processor time and, unless CPU_TIME, of wall-clock time, 0: none */
    uint64_t mebibytes; /* of memory in use, of this process alone, 0: none */
    bool cpu_time;
};
/* How the work ended: by itself; at a limit; as this process was interrupted; by a signal, which is a bug. */
enum guard_end { GUARD_DONE, GUARD_TIME, GUARD_MEMORY, GUARD_INTERRUPTED, GUARD_BROKEN };

/* Calls WORK(CONTEXT) in a child.  Its changes of files and shared memory are visible to the caller, and
 * the items that it adds to the array TESTS (NULL: none) are copied to the caller.  *CODE is set to its
 * result.  When this process is interrupted (tools/interrupt.h), so is the child, which has a few seconds
 * to write its results; after an interrupt no child is started. */
enum guard_end guard_run(const struct guard *guard, int (*work)(void *), void *context, cJSON *tests,
                         int *code);
/* Work may be a series of items, each of which has the limits of GUARD: it calls this between two of them.
 * What the first one added to TESTS and wrote to streams is kept whatever happens to the next one.  False:
 * the work ends here, and another child has to continue. */
bool guard_next(const struct guard *guard);
/* Memory limit in bytes for an engine inside the child, below the limit at which the child is killed, so
 * that the engine ends with its results so far. */
size_t guard_soft_memory(const struct guard *guard);
/* Zeroed memory that a child shares; NULL: none. */
void *guard_share(size_t size);
void guard_unshare(void *memory, size_t size);
/* Sets ERR to the limit that END reports. */
void guard_explain(const struct guard *guard, enum guard_end end, struct mm_error *err);

/* The same where an allocation failed within the work. */
void guard_name_limit(const struct guard *guard, struct mm_error *err);

#endif
