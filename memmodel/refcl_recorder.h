/* Interface of user-written analyses of an execution: a shared object that
 * `refcl run --recorder FILE.so[:TEXT]` loads.
 *
 * The object defines refcl_recorder_open(), which is called for each process of the session.  From then on it
 * receives all records of that process, in record order and never from two threads at a time, while the
 * program runs: events with their ids, and all other records (sources,
 * allocations, commands, arguments, edges, program text, findings) before the events that refer to them.
 * The structs and what their fields mean are those of memmodel.h.  Strings live during the call only.
 * An example is tools/examples/heat_map.c. */
#ifndef MEMMODEL_REFCL_RECORDER_H
#define MEMMODEL_REFCL_RECORDER_H

#include "memmodel/memmodel.h"

#include <stdio.h>

/* Changes whenever a struct here or in memmodel.h changes its layout. */
enum { REFCL_RECORDER_VERSION = 2 };

struct refcl_recorder {
    void *context; /* passed to the functions, each of which may be NULL */
    void (*event)(void *context, mm_event_id id, const struct mm_event *event);
    void (*record)(void *context, const struct mm_record *record); /* other than events */
    /* At the end; COMPLETE is false if the program died.  OUT is refcl's standard error. */
    void (*end)(void *context, bool complete, FILE *out);
};

/* Fills RECORDER.  TEXT is what the command line has after the colon, "" if nothing.  Returns false, after a
 * message on standard error, if it cannot work or does not support VERSION. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
bool refcl_recorder_open(unsigned version, const char *text, struct refcl_recorder *recorder);
typedef bool refcl_recorder_open_function(unsigned version, const char *text,
                                          struct refcl_recorder *recorder);

#endif
