/* The processes of a session: each process that loads refcl connects to the session's socket and sends its
 * trace. A reader thread feeds it into a private detector. */
#ifndef TOOLS_SESSION_PROCESS_H
#define TOOLS_SESSION_PROCESS_H

#include "tools/executed.h"
#include "tools/session/input.h"
#include "tools/session/places.h"
#include "tools/session/progress.h"
#include "tools/session/revisions.h"
#include "tools/session/session.h"
#include "tools/session/verify.h"

#include <pthread.h>

/* A sink that passes all records to the detector, a trace file and an analysis plugin. */
struct session_tee {
    struct mm_sink sinks[5];
    bool stopped[5]; /* sinks that reached a limit; the others continue */
    size_t count;
    int trace_error; /* errno of writing the trace file, 0 = none */
    bool complete;
    struct mm_sink *recorder; /* the analysis plugin, NULL = none */
    pthread_mutex_t *lock;    /* of the analysis plugin */
};
struct session_processes;
struct session_process {
    struct session_process *next;
    const struct session_processes *all;
    pthread_t thread;
    bool has_thread;
    pid_t pid;
    struct session_input input;
    session_reader *read; /* of session_process_trace() */
    struct session_tee tee;
    struct session_places places;
    struct ck_detector *detector;
    struct session_survey survey;
    struct ck_detector *possible;      /* judges all memory that launches may access, NULL: not requested */
    struct ck_predictor *predictor;    /* NULL: nothing is predicted */
    struct session_progress *progress; /* NULL: no display */
    struct mm_cat_model *model;        /* the predictor's */
    int code;                          /* exit code of an error in reading its trace, 0 = none */
    struct mm_error error;
    char not_checked[1024]; /* parts of the program, separated by commas */
    bool has_host;          /* the accesses of its host code are recorded */
    atomic_bool done;
    int wake; /* descriptor of the pipe that the reader thread writes to when it is done */
};
struct session_processes {
    const struct session *session;
    const char *patterns;             /* findings to leave out, NULL = none */
    char name[64], executed_name[80]; /* of the sockets, in the abstract namespace */
    int listener, wake[2];            /* WAKE: a pipe; a byte in it: some reader thread is done */
    struct executed executed;
    atomic_bool ended; /* the command has ended */
    pthread_mutex_t lock;
    struct session_process *first, **end;
    size_t count;
};

/* Opens the sockets and allocates the first process, which always exists; it has a thread only once a process
 * connects.  Returns an exit code. */
int session_processes_open(struct session_processes *processes, const struct session *session,
                           const char *patterns);
/* Takes connections until CHILD has ended and all traces are read.  Returns an exit code. */
int session_processes_follow(struct session_processes *processes, const struct supervised *child);
struct session_trace session_process_trace(struct session_process *process);
/* How much of the command was observed. */
enum ck_observation session_processes_observed(const struct session_processes *processes);
/* Adds programs in which nothing was observed to TEXT, a list with commas. */
void session_processes_add_executed(const struct session_processes *processes, char *text, size_t size);
/* Prints on stderr the number of queries that prediction could not answer. */
void session_processes_report(const struct session_processes *processes);
void session_processes_close(struct session_processes *processes);

#endif
