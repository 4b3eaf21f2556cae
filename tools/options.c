/* Option tables: parsing with getopt_long, environment variables, help. */
#include "memmodel/base/escape.h"
#include "memmodel/base/input.h"
#include "memmodel/base/nearest.h"
#include "tools/tool.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_OPTIONS = 64, HELP_CODE = 1000, LIMITS_CODE };

int tool_error(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fprintf(stderr, "refcl: error: ");
    mm_vprint(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return code;
}

int tool_flush(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    return tool_error(EXIT_TOOL, "writing to the standard output failed: %s", strerror(errno));
}

/* The line that ERR is about, with a caret below its column. */
static void print_caret(const struct mm_error *err)
{
    char *line = NULL;
    size_t size = 0;
    struct stat status; /* a pipe would have to be read a second time */
    bool readable = err->cls == MM_INVALID && err->file[0] && err->line && err->column &&
                    stat(err->file, &status) == 0 && S_ISREG(status.st_mode);
    bool is_option = strncmp(err->file, "--", 2) == 0 && !err->line && err->column;
    if (is_option)
        tool_print_caret(err->file, err->column - 1);
    FILE *file = readable ? fopen(err->file, "r") : NULL;
    ssize_t length = -1;
    for (uint32_t n = 0; file && n < err->line && (length = getline(&line, &size, file)) >= 0; n++)
        ;
    if (file)
        fclose(file);
    if (length > 0 && length < 500 && err->column <= (uint32_t)length && !memchr(line, 0, (size_t)length)) {
        line[strcspn(line, "\r\n")] = 0;
        for (char *tab = line; (tab = strchr(tab, '\t'));)
            *tab = ' ';
        mm_print(stderr, "%6u | %s\n       | ", err->line, line);
        for (uint32_t i = 0; i + 1 < err->column && line[i]; i++)
            if (((unsigned char)line[i] & 0xc0) != 0x80)
                fputc(' ', stderr);
        fputs("^\n", stderr);
    }
    free(line);
}

int tool_report(const struct mm_error *err)
{
    static const int codes[] = {[MM_OK] = EXIT_CLEAN,
                                [MM_INVALID] = EXIT_USAGE,
                                [MM_UNDEFINED] = EXIT_FINDINGS,
                                [MM_LIMIT] = EXIT_UNKNOWN,
                                [MM_BUG] = EXIT_TOOL};
    char text[900], *rest = text, *line;
    mm_error_format(err, text, sizeof text);
    tool_error(0, "%s", (line = strsep(&rest, "\n")));
    while ((line = strsep(&rest, "\n"))) /* of a compiler's log */
        mm_print(stderr, "    %s\n", line);
    print_caret(err);
    return codes[err->cls];
}

int tool_worse_code(int a, int b)
{
    static const int rank[] = {
        [EXIT_CLEAN] = 0, [EXIT_UNKNOWN] = 1, [EXIT_FINDINGS] = 2, [EXIT_USAGE] = 3, [EXIT_TOOL] = 4};
    bool known = a >= 0 && a <= EXIT_TOOL && b >= 0 && b <= EXIT_TOOL;
    return (known ? rank[a] >= rank[b] : a > b) ? a : b;
}

int tool_number(const char *option, const char *value, uint64_t max, uint64_t *number)
{
    return tool_number_from(option, value, 0, max, number);
}

int tool_number_from(const char *option, const char *value, uint64_t min, uint64_t max, uint64_t *number)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(value, &end, 10);
    if (errno || end == value || *end || *value == '-' || n < min || n > max)
        return tool_error(EXIT_USAGE, "--%s: '%s' is not a number from %llu to %llu", option, value,
                          (unsigned long long)min, (unsigned long long)max);
    *number = n;
    return 0;
}

static bool is_internal(const struct tool_option *option)
{
    return strncmp(option->help, TOOL_INTERNAL, strlen(TOOL_INTERNAL)) == 0;
}

/* tools/man/generate.py and completion.py parse these lines. */
static void print_option(const struct tool_option *o, FILE *out)
{
    char head[80];
    snprintf(head, sizeof head, "%c%c%s--%s%s%s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
             o->letter ? ", " : "  ", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
    fprintf(out, "  %-30s  %s%s%s%s\n", head, o->help, o->environment ? " [" : "",
            o->environment ? o->environment : "", o->environment ? "]" : "");
}

static void print_help(const struct tool_command *command, FILE *out)
{
    static const struct tool_option common[] = {
        {"input-limits", 0, "N", "REFCL_INPUT_LIMITS",
         "multiply the memory and time limits of input files by N (default 1)"},
        {"help", 'h', NULL, NULL, "print this help"}};
    fprintf(out, "usage: refcl %s [options]%s%s\n%s\n\noptions:\n", command->name,
            *command->arguments ? " " : "", command->arguments, command->summary);
    for (const struct tool_option *o = command->options; o->name; o++)
        if (!is_internal(o))
            print_option(o, out);
    print_option(&common[0], out);
    print_option(&common[1], out);
}

static int from_environment(const struct tool_option *options, tool_handler *handler, void *context)
{
    for (size_t i = 0; options[i].name; i++) {
        const char *value = options[i].environment ? getenv(options[i].environment) : NULL;
        if (!value || !*value || (!options[i].argument && strcmp(value, "0") == 0))
            continue;
        int code = handler(context, i, options[i].argument ? value : NULL);
        if (code)
            return code;
    }
    return 0;
}

/* Readers, and the processes that this one starts, take it from the environment. */
static int set_limits(const char *value)
{
    uint64_t n;
    int code = tool_number_from("input-limits", value, 1, MM_INPUT_MOST_TIMES, &n);
    if (!code)
        setenv("REFCL_INPUT_LIMITS", value, 1);
    return code;
}

/* The nearest option to WORD, which is none. */
static void suggest(const struct tool_command *command, const char *word)
{
    const char *names[MAX_OPTIONS + 2] = {"help", "input-limits"};
    char name[64];
    size_t count = 2;
    if (strncmp(word, "--", 2) != 0)
        return;
    for (const struct tool_option *o = command->options; o->name && count < MAX_OPTIONS + 2; o++)
        if (!is_internal(o))
            names[count++] = o->name;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *nearest = mm_nearest(name, names, count);
    if (nearest && strcmp(nearest, name) != 0) /* else its argument is missing */
        fprintf(stderr, "refcl: did you mean --%s?\n", nearest);
}

/* From argv[1] on.  Returns the index of the first other word, -1: EXIT_CODE says how the command ends. */
static int read_options(const struct tool_command *command, int argc, char **argv, bool stop_early,
                        tool_handler *handler, void *context, int *exit_code)
{
    struct option longs[MAX_OPTIONS + 3] = {0};
    char shorts[2 * MAX_OPTIONS + 5] = "+";
    size_t n = 0, s = 1;
    if (!stop_early)
        s = 0;
    for (; command->options[n].name && n < MAX_OPTIONS; n++) {
        const struct tool_option *o = &command->options[n];
        longs[n] =
            (struct option){o->name, o->argument ? required_argument : no_argument, NULL, (int)n + 2000};
        if (o->letter) {
            shorts[s++] = o->letter;
            if (o->argument)
                shorts[s++] = ':';
        }
    }
    shorts[s++] = 'h';
    shorts[s] = 0;
    longs[n] = (struct option){"help", no_argument, NULL, HELP_CODE};
    longs[n + 1] = (struct option){"input-limits", required_argument, NULL, LIMITS_CODE};
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        if (c == HELP_CODE || c == 'h') {
            print_help(command, stdout);
            *exit_code = EXIT_CLEAN;
            return -1;
        }
        if (c == LIMITS_CODE) {
            if ((*exit_code = set_limits(optarg)) != 0)
                return -1;
            continue;
        }
        size_t index = n;
        for (size_t i = 0; i < n; i++)
            if (c == (int)i + 2000 || (c < 256 && command->options[i].letter == (char)c))
                index = i;
        if (index == n) {
            suggest(command, argv[optind - 1]);
            fprintf(stderr, "Try `refcl %s --help`.\n", command->name);
            *exit_code = EXIT_USAGE;
            return -1;
        }
        if (optarg && strcmp(optarg, "--") == 0)
            *exit_code = tool_error(EXIT_USAGE, "--%s needs %s before --", command->options[index].name,
                                    command->options[index].argument);
        else
            *exit_code = handler(context, index, optarg);
        if (*exit_code)
            return -1;
    }
    return optind;
}

int tool_options(const struct tool_command *command, int argc, char **argv, bool stop_early,
                 tool_handler *handler, void *context, int *exit_code)
{
    const char *limits = getenv("REFCL_INPUT_LIMITS");
    *exit_code = limits && *limits ? set_limits(limits) : 0;
    if (!*exit_code)
        *exit_code = from_environment(command->options, handler, context);
    if (*exit_code)
        return -1;
    char title[80], *program = argv[0];
    snprintf(title, sizeof title, "refcl %s", command->name);
    argv[0] = title; /* begins the messages of getopt_long */
    int first = read_options(command, argc, argv, stop_early, handler, context, exit_code);
    argv[0] = program;
    return first;
}

/* Appends WORD as a shell takes it, at TO, which has room; returns the end. */
static char *quote_word(char *to, const char *word)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (*word && word[strspn(word, plain)] == 0)
        return stpcpy(to, word);
    *to++ = '\'';
    for (; *word; word++) {
        if (*word == '\'')
            to = stpcpy(to, "'\\'");
        *to++ = *word;
    }
    return stpcpy(to, "'");
}

char *tool_command_line(const struct tool_command *command, int argc, char **argv)
{
    size_t size = strlen(command->name) + sizeof "refcl ";
    for (int i = 1; i < argc; i++)
        size += 3 + 4 * strlen(argv[i]);
    char *line = mm_alloc(size), *end = line;
    if (!line)
        return NULL;
    end = stpcpy(stpcpy(end, "refcl "), command->name);
    for (int i = 1; i < argc; i++)
        end = quote_word(stpcpy(end, " "), argv[i]);
    return line;
}
