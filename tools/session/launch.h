/* Launches a captured kernel again, with the same arguments and changed source. */
#ifndef TOOLS_SESSION_LAUNCH_H
#define TOOLS_SESSION_LAUNCH_H

#include "tools/session/captured.h"
#include "tools/session/session.h"

#include <limits.h>

struct session_launch {
    struct captured_launch captured; /* of a captured launch */
    char folder[PATH_MAX];           /* temporary, with the text; "": no launch is open */
    char path[PATH_MAX + 16];        /* the file with the text */
    char helper[PATH_MAX], include[PATH_MAX];
    char **argv;       /* the helper's words, the last is PATH */
    char *text, *file; /* the unchanged program, and its name */
};
/* The limit on the CPU time of consecutive launches. */
struct session_patience {
    double seconds;
    bool is_out;
};

/* Opens the launch of the command line ARGV of refcl-kernel-host, whose last word is the source file.  False:
 * it cannot be repeated. */
bool session_launch_open(struct session_launch *launch, char *const *argv);
/* Opens the launch of a capture; false if the capture lacks the program's source. */
bool session_launch_open_captured(struct session_launch *launch, const char *capture);
void session_launch_close(struct session_launch *launch);
/* Repeats the launch with the program TEXT, under the options of SESSION and without output.  Returns its
 * findings, which belong to PROCESSES, to be closed by the caller; NULL if the launch did not end, or
 * PATIENCE is exhausted. */
struct session_processes;
const struct ck_detector *session_launch_run(struct session_launch *launch, const char *text,
                                             const struct session *session, struct session_patience *patience,
                                             struct session_processes *processes);
/* The same for a command line of a helper. */
const struct ck_detector *session_launch_quietly(char **argv, const struct session *session,
                                                 struct session_patience *patience,
                                                 struct session_processes *processes);

#endif
