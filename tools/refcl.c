/* The refcl command: finds the subcommand and runs it. */
#include "tools/cmd/commands.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static const struct tool_command *const commands[] = {
    &cmd_litmus_check, &cmd_litmus_plan, &cmd_litmus_run, &cmd_litmus_judge, &cmd_litmus_gen,
    &cmd_litmus_merge, &cmd_gate,        &cmd_run,        &cmd_host_cc,      &cmd_kernel,
    &cmd_capture,      &cmd_trace_dump,  &cmd_explore,    &cmd_xref,         NULL};

static void usage(FILE *out)
{
    fprintf(out, "usage: refcl COMMAND [options] ...\n\ncommands:\n");
    for (const struct tool_command *const *c = commands; *c; c++)
        fprintf(out, "  %-14s %s\n", (*c)->name, (*c)->summary);
    fprintf(out, "\n`refcl COMMAND --help` lists a command's options.  Exit codes: 0 clean, 1 findings,\n"
                 "2 usage or input error, 3 unknown (a bound was reached), 4 refcl itself failed.\n");
}

/* Number of words of NAME that the arguments start with, 0 if they do not start with all of them. */
static int matches(const char *name, int argc, char **argv)
{
    int words = 0;
    while (*name) {
        size_t length = strcspn(name, " ");
        if (words >= argc || strlen(argv[words]) != length || strncmp(argv[words], name, length) != 0)
            return 0;
        words++;
        name += length;
        name += *name == ' ';
    }
    return words;
}

/* A verdict that could not be written is none. */
static int written(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    return tool_error(EXIT_TOOL, "writing to the standard output failed: %s", strerror(errno));
}

/* At a limit of file sizes (RLIMIT_FSIZE) writes fail with an error, which is reported.  A handler, unlike
 * SIG_IGN, is not inherited by the programs that are started. */
static void take_no_signal(int number)
{
    (void)number;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("refcl %s\n", REFCL_VERSION);
        return EXIT_CLEAN;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return EXIT_CLEAN;
    }
    for (const struct tool_command *const *c = commands; *c; c++) {
        int words = matches((*c)->name, argc - 1, argv + 1);
        if (words)
            return (*c)->run(argc - words, argv + words);
    }
    tool_error(EXIT_USAGE, "no command '%s%s%s'", argv[1], argc > 2 ? " " : "", argc > 2 ? argv[2] : "");
    usage(stderr);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = take_no_signal, .sa_flags = SA_RESTART}, NULL);
    return written(dispatch(argc, argv));
}
