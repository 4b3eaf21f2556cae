/* refcl explore: shared by its parts. */
#ifndef TOOLS_EXPLORE_COMMAND_H
#define TOOLS_EXPLORE_COMMAND_H

#include "memmodel/base/input.h"
#include "tools/compile_cl.h"
#include "tools/explore/explore.h"
#include "tools/guard.h"
#include "tools/tool.h"

#include <cjson/cJSON.h>

/* The values of --engine; both engines are ENGINE_SEARCH | ENGINE_Z3. */
enum { ENGINE_AUTO = 0, ENGINE_SEARCH = 1, ENGINE_Z3 = 2 };

/* State of the current file, shared with the process that decides. */
struct explore_kept {
    size_t written; /* witnesses of this file and those before */
    bool whole;     /* what follows is the verdict of search, as it is to be shown */
    int code;
    char text[1 << 16], json[1 << 20];
};
struct explore {
    struct ex_launch launch;
    bool has_global, has_local;
    struct tool_texts args, inputs, asserts, filters, requirements, switches;
    const char *kernel, *model;
    struct tool_build build;

    /* how it is decided */
    unsigned engines;
    struct ck_options options;
    unsigned memory; /* MiB */
    struct guard guard;
    bool states, explain, prove;
    const char *trace; /* explored instead of kernels, NULL: none */
    unsigned commands; /* of a host program, at most; 0: all */

    /* where results are written */
    struct explore_paths {
        const char *json, *html, *export_to;
        const char *witness; /* folder for witnesses, NULL = none are written */
    } paths;
    bool replays; /* executions that the engines keep are replayed and printed */
    FILE *text;
    cJSON *tests;

    /* the current file */
    size_t written; /* witnesses */
    struct explore_kept *kept;
    uint64_t until_ms;          /* its deadline, of explore_now_ms() */
    struct mm_cat_model *named; /* the model as its file says, for reports; NULL: none was read */
    char *source;               /* text of the OpenCL C that is explored, NULL = none */
};

/* explore/options.c: the options, and tool_options() for them. */
extern const struct tool_option explore_options[];
int explore_read_options(const struct tool_command *command, int argc, char **argv, struct explore *e,
                         int *exit_code);

/* explore/choose.c: sizes and arguments for the kernel of EX, printed as options. */
enum mm_class explore_choose(struct explore *e, struct ex *ex, struct mm_error *err);

/* cmd/explore.c: the contents of PATH, - for stdin. */
int explore_read_file(enum mm_input kind, const char *path, char **data, size_t *size);

/* explore/engines.c: the clock of the limit for a file: wall-clock time, or with --cpu-time CPU time. */
uint64_t explore_now_ms(const struct explore *e);

/* explore/engines.c: runs an engine.  TIMEOUT_MS limits the first loop bound; larger ones have the time left
 * until the file's deadline.  May clear the trip counts of PROGRAM.  Returns an exit code. */
int explore_ask(struct explore *e, struct ck_program *program, bool z3, unsigned timeout_ms,
                struct ck_verdict *v);
/* Whether the loop bound leaves answers of V open. */
bool explore_exceeds_bound(const struct ck_verdict *v);

/* explore/witnesses.c: replays each execution that V kept in the interpreter, which must reproduce it, and
 * adds it to JSON and writes files where options ask for it.  Returns an exit code. */
int explore_replay(struct explore *e, struct ex *ex, const struct ck_verdict *v, cJSON *json);
/* The values of symbolic inputs in the executions that V kept. */
void explore_show_inputs(struct explore *e, struct ex *ex, const struct ck_verdict *v, cJSON *json);

#endif
