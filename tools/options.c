/* Option tables: parsing with getopt_long, environment variables, help. */
#include "memmodel/base/escape.h"
#include "memmodel/base/input.h"
#include "memmodel/base/nearest.h"
#include "tools/output.h"
#include "tools/tool.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Codes of getopt_long: a letter, or one of these. */
enum { MAX_OPTIONS = 64, LIMITS_CODE = 256, FIRST_CODE };

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

static int read_number_from(const char *option, const char *value, uint64_t min, uint64_t max,
                            uint64_t *number)
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

int tool_number(const char *option, const char *value, uint64_t max, uint64_t *number)
{
    return read_number_from(option, value, 0, max, number);
}

/* ---- the options of a command ---------------------------------------------------------------------- */

/* All options of a command, those of included tables too, with the structures that keep their values. */
struct option_list {
    struct listed_option {
        const struct tool_option *option;
        char *values;
    } items[MAX_OPTIONS];
    size_t count;
};

static void list_options(const struct tool_option *table, void *values, struct option_list *list)
{
    for (const struct tool_option *o = table; o->name || o->table; o++)
        if (o->table)
            list_options(o->table, (char *)values + o->offset, list);
        else if (list->count < MAX_OPTIONS)
            list->items[list->count++] = (struct listed_option){o, values};
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

static void print_help(const struct tool_command *command, const struct option_list *list, FILE *out)
{
    static const struct tool_option common[] = {
        {.name = "input-limits",
         .argument = "N",
         .environment = "REFCL_INPUT_LIMITS",
         .help = "multiply the memory and time limits of input files by N (default 1)"},
        {.name = "help", .letter = 'h', .help = "print this help"}};
    fprintf(out, "usage: refcl %s [options]%s%s\n%s\n\noptions:\n", command->name,
            *command->arguments ? " " : "", command->arguments, command->summary);
    for (size_t i = 0; i < list->count; i++)
        if (!is_internal(list->items[i].option))
            print_option(list->items[i].option, out);
    print_option(&common[0], out);
    print_option(&common[1], out);
}

/* ---- their values ---------------------------------------------------------------------------------- */

static int append_text(struct tool_texts *texts, const char *option, const char *value)
{
    if (texts->count == TOOL_TEXTS_MOST)
        return tool_error(EXIT_USAGE, "--%s: more than %d", option, TOOL_TEXTS_MOST);
    texts->items[texts->count++] = value;
    return 0;
}

/* The options with arguments that were given, as far as there is room. */
static struct output_option given[256];
static size_t given_count;

/* Stores VALUE, NULL for a flag, where the table says. */
static int store_value(const struct listed_option *listed, const char *value)
{
    const struct tool_option *o = listed->option;
    void *member = listed->values + o->offset;
    uint64_t number = 0;
    size_t word = 0;
    int code = 0;
    if (value && given_count < sizeof given / sizeof *given)
        given[given_count++] = (struct output_option){o->name, o->argument, value};
    if (o->words)
        code = tool_word(o->name, value, o->words, &word);
    else if (o->kind == TOOL_KIND_NUMBER || o->kind == TOOL_KIND_WIDE)
        code = read_number_from(o->name, value, o->least, o->most, &number);
    if (code)
        return code;
    switch (o->kind) {
    case TOOL_KIND_READ:
        return o->read(member, o, value);
    case TOOL_KIND_FLAG:
        *(bool *)member = true;
        return 0;
    case TOOL_KIND_TEXT:
        *(const char **)member = value;
        return 0;
    case TOOL_KIND_TEXTS:
        return append_text(member, o->name, value);
    case TOOL_KIND_NUMBER:
        *(unsigned *)member = o->words ? (unsigned)word : (unsigned)number * (o->scale ? o->scale : 1);
        return 0;
    case TOOL_KIND_WIDE:
        *(uint64_t *)member = number;
        return 0;
    }
    return 0;
}

static int read_environment(const struct option_list *list)
{
    int code = 0;
    for (size_t i = 0; i < list->count && !code; i++) {
        const struct tool_option *o = list->items[i].option;
        const char *value = o->environment ? getenv(o->environment) : NULL;
        if (value && *value && (o->argument || strcmp(value, "0") != 0))
            code = store_value(&list->items[i], o->argument ? value : NULL);
    }
    return code;
}

/* Readers, and the processes that this one starts, take it from the environment. */
static int set_limits(const char *value)
{
    uint64_t n;
    int code = read_number_from("input-limits", value, 1, MM_INPUT_MOST_TIMES, &n);
    if (!code)
        setenv("REFCL_INPUT_LIMITS", value, 1);
    return code;
}

/* Suggests the option nearest to WORD, which is not an option. */
static void suggest_option(const struct option_list *list, const char *word)
{
    const char *names[MAX_OPTIONS + 2] = {"help", "input-limits"};
    char name[64];
    size_t count = 2;
    if (strncmp(word, "--", 2) != 0)
        return;
    for (size_t i = 0; i < list->count; i++)
        if (!is_internal(list->items[i].option))
            names[count++] = list->items[i].option->name;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *nearest = mm_nearest(name, names, count);
    if (nearest && strcmp(nearest, name) != 0) /* else its argument is missing */
        fprintf(stderr, "refcl: did you mean --%s?\n", nearest);
}

/* The tables of getopt_long for the options of LIST. */
struct getopt_tables {
    struct option longs[MAX_OPTIONS + 3];
    char shorts[2 * MAX_OPTIONS + 5];
};

static void fill_getopt_tables(const struct option_list *list, bool stop_early, struct getopt_tables *tables)
{
    char *shorts = tables->shorts;
    if (stop_early)
        *shorts++ = '+';
    for (size_t i = 0; i < list->count; i++) {
        const struct tool_option *o = list->items[i].option;
        tables->longs[i] = (struct option){o->name, o->argument ? required_argument : no_argument, NULL,
                                           (int)i + FIRST_CODE};
        if (o->letter) {
            *shorts++ = o->letter;
            if (o->argument)
                *shorts++ = ':';
        }
    }
    *shorts = 'h';
    tables->longs[list->count] = (struct option){"help", no_argument, NULL, 'h'};
    tables->longs[list->count + 1] = (struct option){"input-limits", required_argument, NULL, LIMITS_CODE};
}

/* The option that getopt_long returned CODE for; NULL: none. */
static const struct listed_option *find_option(const struct option_list *list, int code)
{
    for (size_t i = 0; i < list->count; i++)
        if (code == (int)i + FIRST_CODE ||
            (code < LIMITS_CODE && list->items[i].option->letter == (char)code))
            return &list->items[i];
    return NULL;
}

/* From argv[1] on.  Returns the index of the first other word, -1: EXIT_CODE says how the command ends. */
static int read_options(const struct tool_command *command, const struct option_list *list, int argc,
                        char **argv, bool stop_early, int *exit_code)
{
    struct getopt_tables tables = {0};
    fill_getopt_tables(list, stop_early, &tables);
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1;) {
        const struct listed_option *listed = find_option(list, c);
        if (c == 'h') {
            print_help(command, list, stdout);
            *exit_code = EXIT_CLEAN;
            return -1;
        }
        if (c == LIMITS_CODE) {
            *exit_code = set_limits(optarg);
        } else if (!listed) {
            suggest_option(list, argv[optind - 1]);
            fprintf(stderr, "Try `refcl %s --help`.\n", command->name);
            *exit_code = EXIT_USAGE;
        } else if (optarg && strcmp(optarg, "--") == 0) {
            *exit_code = tool_error(EXIT_USAGE, "--%s needs %s before --", listed->option->name,
                                    listed->option->argument);
        } else {
            *exit_code = store_value(listed, optarg);
        }
        if (*exit_code)
            return -1;
    }
    return optind;
}

int tool_options(const struct tool_command *command, int argc, char **argv, bool stop_early, void *values,
                 int *exit_code)
{
    const char *limits = getenv("REFCL_INPUT_LIMITS");
    struct option_list list = {.count = 0};
    list_options(command->options, values, &list);
    *exit_code = limits && *limits ? set_limits(limits) : 0;
    if (!*exit_code)
        *exit_code = read_environment(&list);
    if (*exit_code)
        return -1;
    char title[80], *program = argv[0];
    snprintf(title, sizeof title, "refcl %s", command->name);
    argv[0] = title; /* begins the messages of getopt_long */
    int first = read_options(command, &list, argc, argv, stop_early, exit_code);
    argv[0] = program;
    if (first >= 0 && (*exit_code = output_check(given, given_count, argv + first)) != 0)
        return -1;
    return first;
}

void tool_put_word(const char *word, FILE *out)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (*word && word[strspn(word, plain)] == 0) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

char *tool_command_line(const struct tool_command *command, int argc, char **argv)
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return NULL;
    fprintf(out, "refcl %s", command->name);
    for (int i = 1; i < argc; i++) {
        fputc(' ', out);
        tool_put_word(argv[i], out);
    }
    fclose(out);
    return line;
}
