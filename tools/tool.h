/* tools: the refcl command.  What its subcommands share: options, paths, exit codes. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include "memmodel/memmodel.h"

#include <stdio.h>
#include <sys/types.h>

/* Exit codes, fixed for scripts. */
enum {
    EXIT_CLEAN = 0,
    EXIT_FINDINGS = 1,
    EXIT_USAGE = 2,
    EXIT_UNKNOWN = 3,
    EXIT_TOOL = 4,
    EXIT_INTERRUPTED = 130
};

/* An option of a subcommand.  Every option can also be given as an environment variable. */
struct tool_option {
    const char *name;     /* long name without dashes */
    char letter;          /* short form, 0 if none */
    const char *argument; /* name of its argument in the help, NULL if it takes none */
    const char *environment;
    const char *help;
};
/* Help texts of options that only refcl's own tests need begin with this; --help and the manual omit them. */
#define TOOL_INTERNAL "internal: "
#define TOOL_OPTION_END                                                                                      \
    {                                                                                                        \
        NULL, 0, NULL, NULL, NULL                                                                            \
    }

struct tool_command {
    const char *name;      /* "litmus check" */
    const char *arguments; /* "FILE..." */
    const char *summary;
    const struct tool_option *options;
    int (*run)(int argc, char **argv);
};

/* Called for each option in order: INDEX in the table, VALUE its argument or NULL.  Returns 0, or an exit
 * code after it has said what is wrong. */
typedef int tool_handler(void *context, size_t index, const char *value);

/* Parses the options of COMMAND (environment first, then the command line).  Returns the index of the first
 * other argument, or -1 with *EXIT_CODE set (also for --help).  STOP_EARLY: options end at the first other
 * argument, as for `run -- COMMAND`. */
int tool_options(const struct tool_command *command, int argc, char **argv, bool stop_early,
                 tool_handler *handler, void *context, int *exit_code);
/* How COMMAND was called, as a shell takes it; freed with mm_free.  NULL: no memory. */
char *tool_command_line(const struct tool_command *command, int argc, char **argv);

/* "refcl: error: ..." on stderr; returns CODE. */
int tool_error(int code, const char *format, ...) MM_PRINTF(2, 3);
/* CODE, or EXIT_TOOL with an error where the standard output could not be written: such a verdict does not count. */
int tool_flush(int code);
/* The same for an error value; the exit code follows from its class.  An error without a line whose file is an option with its
 * value has its column in these words. */
int tool_report(const struct mm_error *err);
/* The worse of two exit codes: unknown < findings < usage < tool < others, such as those of a launched program. */
int tool_worse_code(int a, int b);
/* Parses a decimal number of at most MAX.  Complains in the name of OPTION. */
int tool_number(const char *option, const char *value, uint64_t max, uint64_t *number);
int tool_number_from(const char *option, const char *value, uint64_t min, uint64_t max, uint64_t *number);
/* VALUE is the word INDEX of WORDS, which have spaces in between; otherwise EXIT_USAGE after an error with the nearest word and a
 * caret below VALUE. */
int tool_word(const char *option, const char *value, const char *words, size_t *index);
/* The same for the item of a list with commas, VALUE, that begins at AT, which moves to the next item. */
int tool_list_word(const char *option, const char *value, const char **at, const char *words, size_t *index);
/* Prints WORDS with a caret below the character AT; nothing if they are no plain text. */
void tool_print_caret(const char *words, size_t at);

/* Files beside the command: the build folder, or PREFIX when installed.  PATH has PATH_MAX bytes. */
int tool_find_library(char *path);                  /* librefcl.so */
int tool_find_layer(char *path);                    /* librefcl-layer.so */
int tool_find_preload(char *path);                  /* librefcl-preload.so */
int tool_find_helper(const char *name, char *path); /* helper executables */
int tool_find_model(const char *name,
                    char *path); /* a built-in model, or the file that a name with a slash is */
bool tool_has_suffix(const char *path, const char *suffix);
/* Opens NAME for writing, "-" is stdout.  NULL after a complaint. */
FILE *tool_open_output(const char *name);
int tool_close_output(FILE *file, const char *name);
/* In a child, before it executes anything: it ends with its PARENT, also where that is killed. */
void tool_die_with(pid_t parent);
/* A new folder for temporary files, PATH_MAX bytes for its name; "" after a complaint. */
int tool_make_folder(char *folder, size_t size);
/* With its files; there are no folders in it. */
void tool_remove_folder(const char *folder);

#endif
