/* refcl kernel: the options of a launch, shared by those given and those chosen. */
#ifndef TOOLS_CMD_KERNEL_H
#define TOOLS_CMD_KERNEL_H

#include "tools/compile_cl.h"
#include "tools/session/session.h"
#include "tools/tool.h"

enum { KERNEL_WORDS = 600, KERNEL_ARGUMENTS = 256 };
struct kernel {
    struct session session;
    char *words[KERNEL_WORDS + 8]; /* command line of the helper, filled from 1 */
    size_t count;
    const char *arguments[KERNEL_ARGUMENTS]; /* of --arg, in their order */
    size_t argument_count;
    char *owned[KERNEL_ARGUMENTS]; /* memory of some of them */
    const char *path, *shown, *name;
    const char *global, *local; /* sizes that are given */
    struct tool_build build;
    const char *build_options; /* NULL: none are given */
    bool replay, automatic;
    bool is_bare; /* no option is given but those of the build */
};

/* Automatic choices for a launch, and alternatives to them. */
struct kernel_choices {
    void *context;
    /* The command line of a launch that has fewer work-items the greater NUMBER is; NULL: there is none.
     * TEXT gets its sizes. */
    char **(*smaller)(void *context, unsigned number, char *text, size_t size);
    /* That of the same launch with an element of memory for each work-item, or IS_WIDE, with those of one
     * more row; NULL: there is none. */
    char **(*exact)(void *context, bool is_wide);
    struct session_processes *exact_launch; /* which findings refer to, NULL: none */
    unsigned inputs;              /* bit N: it is made with input N, one after the other (enum spec_input) */
    char others[200], tails[200]; /* "j=1, k=1": the values of SPEC_INPUT_OTHER and of SPEC_INPUT_TAIL */
};
/* session->explain of CONTEXT, kernel_choices: notes which findings depend on them. */
void kernel_explain_choices(void *context, const struct session *session, struct ck_detector *detector,
                            char **argv);

void kernel_close_choices(struct kernel_choices *choices);

/* Prints the signature of each kernel of the file, and a command that would launch it.  These return exit
 * codes. */
int kernel_list(const struct kernel *kernel);
/* Chooses what is not given, and runs the launch. */
int kernel_automatic(struct kernel *kernel);
/* Replaces structures by their bytes. */
int kernel_structures(struct kernel *kernel);
void kernel_clear(struct kernel *kernel);

#endif
