/* tools: the refcl command.  What its subcommands share: options, paths, exit codes. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include "memmodel/memmodel.h"

#include <stddef.h>
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

struct tool_option;
/* Reads VALUE, the argument of OPTION or NULL, into MEMBER.  Returns 0, or an exit code after an error. */
typedef int tool_reader(void *member, const struct tool_option *option, const char *value);

/* The values of an option that may be repeated; NULL after the last. */
enum { TOOL_TEXTS_MOST = 64 };
struct tool_texts {
    const char *items[TOOL_TEXTS_MOST + 1];
    size_t count;
};

/* The type of the member that keeps the value of an option. */
enum tool_kind {
    TOOL_KIND_READ, /* any: a tool_reader fills it */
    TOOL_KIND_FLAG, /* bool */
    TOOL_KIND_TEXT, /* const char * */
    TOOL_KIND_TEXTS,
    TOOL_KIND_NUMBER, /* unsigned, or an enum: the index of a word in the list of words */
    TOOL_KIND_WIDE    /* uint64_t */
};

/* An option of a subcommand.  Every option can also be given as an environment variable. */
struct tool_option {
    const char *name;     /* long name without dashes */
    char letter;          /* short form, 0 if none */
    const char *argument; /* name of its argument in the help, NULL if it takes none */
    const char *environment;
    const char *help;

    /* Where its value goes in the structure of the command: set by the macros below. */
    enum tool_kind kind;
    size_t offset;
    uint64_t least, most; /* of a number */
    unsigned scale;       /* which the number is multiplied by, 0: 1 */
    const char *words;    /* the possible values, with spaces in between; NULL: any */
    tool_reader *read;
    const struct tool_option *table; /* not NULL: the options of this table, in a member at OFFSET */
};

/* The value is kept in MEMBER of TYPE: a flag, a text or several texts. */
#define TOOL_TO(type, member)                                                                                \
    .kind = _Generic(((type *)0)->member,                                                                    \
        bool: TOOL_KIND_FLAG,                                                                                \
        const char *: TOOL_KIND_TEXT,                                                                        \
        struct tool_texts: TOOL_KIND_TEXTS,                                                                  \
        unsigned: TOOL_KIND_NUMBER,                                                                          \
        uint64_t: TOOL_KIND_WIDE),                                                                           \
    .offset = offsetof(type, member)
/* A number from LOW to HIGH. */
#define TOOL_NUMBER(type, member, low, high) TOOL_TO(type, member), .least = low, .most = high
/* Seconds up to a day; MEMBER has milliseconds. */
#define TOOL_SECONDS(type, member) TOOL_NUMBER(type, member, 0, 86400), .scale = 1000
/* One word of LIST, which have spaces in between: the text, or in an enum the index of the word. */
#define TOOL_CHOICE(type, member, list) TOOL_TO(type, member), .words = list
/* READER is called with MEMBER, or with the whole structure. */
#define TOOL_READ(type, member, reader) .offset = offsetof(type, member), .read = reader
#define TOOL_CALL(reader)               .read = reader
/* All options of TABLE, for the structure MEMBER of TYPE, or for the whole structure. */
#define TOOL_INCLUDE(type, member, rows)                                                                     \
    {                                                                                                        \
        .offset = offsetof(type, member), .table = rows                                                      \
    }
#define TOOL_INCLUDE_ALL(rows)                                                                               \
    {                                                                                                        \
        .table = rows                                                                                        \
    }
/* Help texts of options that only refcl's own tests need begin with this; --help and the manual omit them. */
#define TOOL_INTERNAL "internal: "
#define TOOL_OPTION_END                                                                                      \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }

struct tool_command {
    const char *name;      /* "litmus check" */
    const char *arguments; /* "FILE..." */
    const char *summary;
    const struct tool_option *options;
    int (*run)(int argc, char **argv);
};

/* Parses the options of COMMAND (environment first, then the command line) into VALUES, the structure that
 * its table is for.  Returns the index of the first other argument, or -1 with *EXIT_CODE set (also for
 * --help).  STOP_EARLY: options end at the first other argument, as for `run -- COMMAND`. */
int tool_options(const struct tool_command *command, int argc, char **argv, bool stop_early, void *values,
                 int *exit_code);
/* Writes WORD in quotes where a shell needs them. */
void tool_put_word(const char *word, FILE *out);
/* How COMMAND was called, in words for a shell; freed with mm_free.  NULL: no memory. */
char *tool_command_line(const struct tool_command *command, int argc, char **argv);

/* "refcl: error: ..." on stderr; returns CODE. */
int tool_error(int code, const char *format, ...) MM_PRINTF(2, 3);
/* CODE, or EXIT_TOOL with an error where the standard output could not be written: such a verdict does not
 * count. */
int tool_flush(int code);
/* The same for an error value; the exit code follows from its class.  An error without a line whose file is
 * an option with its value has its column in these words. */
int tool_report(const struct mm_error *err);
/* The worse of two exit codes: unknown < findings < usage < tool < others, such as those of a launched
 * program. */
int tool_worse_code(int a, int b);
/* Parses a decimal number of at most MAX.  Complains in the name of OPTION. */
int tool_number(const char *option, const char *value, uint64_t max, uint64_t *number);
/* VALUE is the word INDEX of WORDS, which have spaces in between; otherwise EXIT_USAGE after an error with
 * the nearest word and a caret below VALUE. */
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
/* Writes SIZE bytes to the file PATH.  Returns an exit code. */
int tool_write_file(const char *path, const void *data, size_t size);
/* In a child, before it executes anything: it ends with its PARENT, also where that is killed. */
void tool_die_with(pid_t parent);
/* A new folder for temporary files, PATH_MAX bytes for its name; "" after a complaint. */
int tool_make_folder(char *folder, size_t size);
/* With its files; there are no folders in it. */
void tool_remove_folder(const char *folder);

#endif
