/* Launches a captured kernel again, with the same arguments and changed source. */
#ifndef TOOLS_SESSION_LAUNCH_H
#define TOOLS_SESSION_LAUNCH_H

#include "tools/session/captured.h"
#include "tools/session/session.h"

#include <limits.h>

struct session_launch {
    struct captured_launch captured; /* of captured ones */
    char folder[PATH_MAX];           /* of the text; "": none is open */
    char path[PATH_MAX + 16];        /* of the text */
    char helper[PATH_MAX], include[PATH_MAX];
    char **argv;       /* the helper's words, the last is PATH */
    char *text, *file; /* of the program as it is, and its name */
};
/* The limit on the CPU time of consecutive launches. */
struct session_patience {
    double seconds;
    bool is_out;
};

/* The launch that ARGV, words of refcl-kernel-host, make of the file that is their last one.  False: it
 * cannot be made again. */
bool session_launch_open(struct session_launch *launch, char *const *argv);
/* The launch of a capture, if it has its program's source. */
bool session_launch_open_captured(struct session_launch *launch, const char *capture);
void session_launch_close(struct session_launch *launch);
/* Launches it with TEXT, under the options of SESSION and without output.  Returns its findings, which PROCESSES, to be
 * closed, owns; NULL: it did not end, or PATIENCE is exhausted. */
struct session_processes;
const struct ck_detector *session_launch_run(struct session_launch *launch, const char *text,
                                             const struct session *session, struct session_patience *patience,
                                             struct session_processes *processes);
/* The same for the words ARGV of a helper. */
const struct ck_detector *session_launch_quietly(char **argv, const struct session *session,
                                                 struct session_patience *patience,
                                                 struct session_processes *processes);

#endif
