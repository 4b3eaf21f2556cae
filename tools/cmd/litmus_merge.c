/* refcl litmus merge: adds up the results of shards and of repeated campaigns. */
#include "tools/cmd/commands.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

struct merge {
    const char *output;
};
static const struct tool_option options[] = {{"output", 'o', "FILE", "REFCL_RESULTS",
                                              "merged results (default results.json)",
                                              TOOL_TO(struct merge, output)},
                                             TOOL_OPTION_END};

/* The runner does it, so that a machine without the rest of refcl can. */
static int litmus_merge_main(int argc, char **argv)
{
    static char runner[PATH_MAX];
    struct merge merge = {.output = "results.json"};
    int code = 0;
    int first = tool_options(&cmd_litmus_merge, argc, argv, false, &merge, &code);
    if (first < 0)
        return code;
    if (first == argc)
        return tool_error(EXIT_USAGE, "no results given");
    code = tool_find_helper("refcl-litmus-run", runner);
    if (code)
        return code;
    char **words = mm_alloc_zero((size_t)(argc - first) + 5, sizeof *words);
    if (!words)
        return tool_error(EXIT_TOOL, "out of memory");
    char action[] = "--merge", option[] = "-o", *name = mm_strdup(merge.output);
    size_t n = 0;
    words[n++] = runner;
    words[n++] = action;
    words[n++] = option;
    words[n++] = name;
    for (int i = first; i < argc; i++)
        words[n++] = argv[i];
    fflush(NULL);
    execv(runner, words);
    code = tool_error(EXIT_TOOL, "cannot run '%s': %s", runner, strerror(errno));
    mm_free(name);
    mm_free(words);
    return code;
}

const struct tool_command cmd_litmus_merge = {"litmus merge", "RESULTS.json...",
                                              "merge the results of shards", options, litmus_merge_main};
