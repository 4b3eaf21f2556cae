/* The refcl command: finds the subcommand and runs it. */
#include "memmodel/base/nearest.h"
#include "tools/cmd/commands.h"
#include "tools/output.h"
#include "tools/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct tool_command *const commands[] = {&cmd_run,
                                                      &cmd_kernel,
                                                      &cmd_explore,
                                                      &cmd_capture,
                                                      &cmd_host_cc,
                                                      &cmd_trace_dump,
                                                      &cmd_trace_check,
                                                      &cmd_litmus_check,
                                                      &cmd_litmus_plan,
                                                      &cmd_litmus_run,
                                                      &cmd_litmus_judge,
                                                      &cmd_litmus_gen,
                                                      &cmd_litmus_merge,
                                                      &cmd_litmus_translate,
                                                      &cmd_gate,
                                                      &cmd_results_add,
                                                      &cmd_results_judge,
                                                      &cmd_results_list,
                                                      &cmd_results_show,
                                                      &cmd_results_history,
                                                      &cmd_results_shape,
                                                      &cmd_results_compare,
                                                      &cmd_results_updates,
                                                      &cmd_results_regressions,
                                                      &cmd_results_export,
                                                      &cmd_results_site,
                                                      &cmd_xref_extract,
                                                      &cmd_xref_diff,
                                                      &cmd_xref_check,
                                                      &cmd_xref_site,
                                                      &cmd_xref_errors,
                                                      &cmd_xref_ambiguities,
                                                      &cmd_xref,
                                                      NULL};

static bool is_in_group(const struct tool_command *command, const char *group)
{
    size_t length = strlen(group);
    return !length || (strncmp(command->name, group, length) == 0 && command->name[length] == ' ');
}

/* Lists the commands of GROUP ("litmus"), or all for "".  Returns how many there are. */
static size_t list_commands(const char *group, FILE *out)
{
    size_t count = 0;
    for (const struct tool_command *const *c = commands; *c; c++)
        if (is_in_group(*c, group)) {
            if (!count++)
                fprintf(out, "\ncommands:\n");
            fprintf(out, "  %-20s %s\n", (*c)->name, (*c)->summary);
        }
    return count;
}

static void print_usage(const char *group, FILE *out)
{
    fprintf(out, "usage: refcl %s%sCOMMAND [options] ...\n", group, *group ? " " : "");
    list_commands(group, out);
    fprintf(
        out,
        "\n`refcl COMMAND --help` or `refcl help COMMAND` lists a command's options; `man refcl` is the\n"
        "manual; in share/doc/refcl, ten-minutes.md introduces refcl, litmus-format.md and cat.md describe\n"
        "tests and models.  Exit codes: 0 clean, 1 findings, 2 usage or input error, 3 unknown (a bound was\n"
        "reached), 4 refcl itself failed.\n");
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* The number of words of NAME if the arguments start with all of them, else 0. */
static int matched_words(const char *name, int argc, char **argv)
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

/* With this handler a write past the file size limit (RLIMIT_FSIZE) fails with an error, which is reported,
 * instead of ending the process.  Child processes do not inherit a handler; they would inherit SIG_IGN. */
static void ignore_signal(int number)
{
    (void)number;
}

/* The nearest command to "FIRST SECOND" or, where SECOND is empty, to FIRST alone. */
static bool suggest_command(const char *first, const char *second)
{
    const char *names[sizeof commands / sizeof *commands];
    char word[64];
    size_t count = 0;
    for (const struct tool_command *const *c = commands; *c; c++)
        names[count++] = (*c)->name;
    snprintf(word, sizeof word, "%.30s%s%.30s", first, *second ? " " : "", second);
    const char *nearest = mm_nearest(word, names, count);
    if (nearest)
        fprintf(stderr, "refcl: did you mean `refcl %s`?\n", nearest);
    return nearest;
}

/* `refcl litmus`, which is no command by itself, with or without --help; also what `refcl xref --help`
 * adds. */
static int group_usage(int argc, char **argv)
{
    size_t count = 0;
    for (const struct tool_command *const *c = commands; *c; c++)
        count += is_in_group(*c, argv[1]);
    bool help = argc > 2 && is_help(argv[2]);
    if (!count || (argc > 2 && !help)) {
        tool_error(EXIT_USAGE, "no command '%s%s%s'", argv[1], count && argc > 2 ? " " : "",
                   count && argc > 2 ? argv[2] : "");
        if (suggest_command(argv[1], count ? argv[2] : "") && !count)
            fputs("Try `refcl help`.\n", stderr);
        else
            print_usage(count ? argv[1] : "", stderr);
        return EXIT_USAGE;
    }
    print_usage(argv[1], help ? stdout : stderr);
    return help ? EXIT_CLEAN : EXIT_USAGE;
}

static int run_command(int argc, char **argv)
{
    for (const struct tool_command *const *c = commands; *c; c++) {
        int words = matched_words((*c)->name, argc - 1, argv + 1);
        if (!words)
            continue;
        int code = (*c)->run(argc - words, argv + words);
        if (argc == words + 2 && is_help(argv[words + 1]))
            list_commands((*c)->name, stdout);
        return code;
    }
    return group_usage(argc, argv);
}

/* `refcl help WORD...` is `refcl WORD... --help`. */
static int print_help(int argc, char **argv)
{
    static char option[] = "--help";
    if (argc < 3) {
        print_usage("", stdout);
        return EXIT_CLEAN;
    }
    for (int i = 1; i + 1 < argc; i++)
        argv[i] = argv[i + 1];
    argv[argc - 1] = option;
    return run_command(argc, argv);
}

static int dispatch_command(int argc, char **argv)
{
    if (argc < 2) {
        print_usage("", stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("refcl %s\n", REFCL_VERSION);
        return EXIT_CLEAN;
    }
    if (is_help(argv[1]) || strcmp(argv[1], "help") == 0)
        return print_help(is_help(argv[1]) ? 1 : argc, argv);
    return run_command(argc, argv);
}

/* A file that is opened later must not get the number of a closed standard stream, whose output would go into
 * it.  Open for reading only, so that output to the stream still fails and is reported. */
static void reserve_standard_descriptors(void)
{
    int fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO)
        fd = open("/dev/null", O_RDONLY);
    if (fd >= 0)
        close(fd);
}

/* Nesting of inputs is bounded for a stack of this size; without it the deepest ones would end in a crash. */
enum { LEAST_STACK = 1 << 20 };
static bool has_stack(void)
{
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= LEAST_STACK)
        return true;
    fprintf(stderr, "refcl: error: the stack is limited to %llu KiB, and refcl needs %d KiB (ulimit -s %d)\n",
            (unsigned long long)stack.rlim_cur / 1024, LEAST_STACK / 1024, LEAST_STACK / 1024);
    return false;
}

int main(int argc, char **argv)
{
    if (!has_stack())
        return EXIT_TOOL;
    reserve_standard_descriptors();
    supervised_hide_servers();
    sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = ignore_signal, .sa_flags = SA_RESTART}, NULL);
    int code = output_exit_code(tool_flush(dispatch_command(argc, argv)));
    /* The destructor of the runtime, which is linked in for its compiler, would write an empty trace over the
     * one that `refcl run` wrote. */
    unsetenv("REFCL_TRACE");
    unsetenv("REFCL_TRACE_FD");
    unsetenv("REFCL_TRACE_SOCKET");
    return code;
}
