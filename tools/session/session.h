/* A recorded session: a command that runs on refcl, its trace read through a pipe by a detector, and the
 * reports.  Shared by `refcl run` and `refcl kernel`. */
#ifndef TOOLS_SESSION_SESSION_H
#define TOOLS_SESSION_SESSION_H

#include "checker/checker.h"
#include "tools/supervisor.h"

#include <sys/types.h>

/* A function of refcl that is observed in place of a command: it runs in a child process and records to the
 * descriptor TRACE. */
struct session_program {
    void *context;
    int (*run)(void *context, int trace); /* returns the STATUS passed to JUDGE */
    int (*judge)(void *context, const struct ck_detector *detector, int status); /* the exit code */
};

enum { SESSION_ASSERTIONS = 64 };
struct session_checks {
    bool races, memory, api, uninitialized;
    bool possible;       /* on a driver: also races that the analysis of launches cannot exclude */
    bool needless;       /* on a driver: also waits that order nothing that conflicts */
    bool predict;        /* races of other executions with the same control flow */
    bool is_given;       /* the user selected the checks */
    bool ignore_uniform; /* races between writes of the same value are not reported */
};
struct session_reports {
    const char *json, *sarif, *junit, *html, *trace; /* output files, NULL = none */
    const char *sources; /* folder for the program text that findings are in, NULL: none */
    bool quiet;          /* no text report */
    bool values;         /* whole values are recorded, for the caller to read in the trace */
    size_t max_findings;
};
/* Which findings are reported; NULL and 0: all. */
struct session_filter {
    const char *suppress;               /* file of suppressions */
    const char *only, *kernels;         /* lists of finding kinds, of patterns of kernel names */
    uint64_t first_launch, last_launch; /* commands */
};
/* Settings of the execution; texts are passed to refcl in environment variables, NULL = default. */
struct session_execution {
    const char *seed, *schedule;
    const char *step_limit;  /* instructions of one launch, NULL = a hundred thousand million */
    const char *memory_mode; /* "strong" or "weak", NULL = strong */
    uint64_t first_seed, last_seed;
    bool has_seeds;  /* one run for each of these seeds, until one has findings */
    bool more_seeds; /* this run is reported only if it has findings; otherwise another one follows */
};
/* The program under test. */
struct session_command {
    const char *line;
    /* the command is part of refcl: its source locations are not shown, and it ends with refcl */
    bool own_host;
    bool silent; /* its output is discarded */
    /* it repeats a launch of another session, which needs the kinds and places of its findings alone */
    bool again;
    int input_status;     /* exit status for bad input, 0 = none */
    unsigned cpu_seconds; /* limit of its processor time, 0 = none */
    /* What launches are repeated from; NULL: none of that kind.  `refcl kernel`: the file of OpenCL C that is
     * the last word of the command, or the capture that the command launches.  `refcl run`: the folder of
     * captures of recorded launches. */
    const char *source, *capture, *launches;
};
struct session {
    struct session_checks check;
    struct session_reports report;
    struct session_filter filter;
    struct session_execution execution;
    struct session_command command;
    const char *recorder; /* analysis plugin, NULL = none */
    bool on_driver;       /* COMMAND runs on a driver under the layer; else on refcl */
    const char *icd;      /* on_driver: the driver's library or .icd file, NULL = those of the system */
    bool backtrace;       /* on_driver: calls are recorded with their call stacks */
    const char *assertions[SESSION_ASSERTIONS]; /* conditions on the final state of memory */
    size_t assertion_count;
    const struct session_program *program; /* NULL: a command is run */
    /* Not NULL: called with the findings of a run; true: the run is not reported, and session_run returns
     * SESSION_REJECTED. */
    bool (*reject)(void *context, const struct ck_detector *detector);
    void *reject_context;
    /* Not NULL: called with the findings of a run that is reported, of the command ARGV. */
    void (*explain)(void *context, const struct session *session, struct ck_detector *detector, char **argv);
    void *explain_context;
};
bool session_is_weak(const struct session *session);
/* Runs ARGV, whose processes send their traces to PROCESSES, until all traces end.  PATTERNS: the
 * suppressions, NULL: none.  The caller waits for CHILD and closes PROCESSES.  Returns an exit code. */
struct session_processes;
int session_execute(struct session_processes *processes, const struct session *session, const char *patterns,
                    char **argv, struct supervised *child);
/* The text of a file, which the caller frees; NULL after a complaint. */
char *session_read_text(const char *path);
/* Runs ARGV (NULL-terminated) to its end and reports.  Returns an exit code, or SESSION_REJECTED. */
enum { SESSION_REJECTED = -1 };
int session_run(const struct session *session, char **argv);

/* Adds WORD to the list NAME, separated by colons, of the environment. */
void session_add_word(const char *name, const char *word);
/* Sets the environment so that ICD loaders find DRIVER alone, a library or a file that names one (.icd). */
void session_set_driver(const char *driver);

#endif
