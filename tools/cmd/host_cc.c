/* refcl host-cc: prints the flags that instrument the accesses of a host program. */
#include "tools/cmd/commands.h"

#include <limits.h>
#include <string.h>

struct flags {
    bool compile, link;
};
static const struct tool_option options[] = {
    {"compile", 0, NULL, NULL,
     "print the compiler flags: cc -c $(refcl host-cc --compile) app.c (a separate command)",
     TOOL_TO(struct flags, compile)},
    {"link", 0, NULL, NULL, "print the linker flags: cc app.o -lOpenCL $(refcl host-cc --link)",
     TOOL_TO(struct flags, link)},
    TOOL_OPTION_END};

/* Functions of the C library for which tools/hostlib/blocks.c has wrappers. */
static const char *const wrapped[] = {"memcpy", "memmove",      "mempcpy",       "memset",
                                      "memcmp", "__memcpy_chk", "__memmove_chk", "__memset_chk",
                                      "fread",  "fwrite",       "read",          "write"};

static void print_link(const char *library)
{
    printf("-fno-sanitize=thread -Wl,--no-as-needed -L%s -lrefcl-host -Wl,-rpath,%s -Wl", library, library);
    for (size_t i = 0; i < sizeof wrapped / sizeof *wrapped; i++)
        printf(",--wrap=%s", wrapped[i]);
    putchar('\n');
}

static int host_cc_main(int argc, char **argv)
{
    char library[PATH_MAX];
    struct flags flags = {.compile = false};
    int code = 0;
    int first = tool_options(&cmd_host_cc, argc, argv, false, &flags, &code);
    if (first < 0)
        return code;
    if (first != argc)
        return tool_error(
            EXIT_USAGE, "host-cc prints flags and compiles nothing: cc -c $(refcl host-cc --compile) app.c");
    if (flags.compile == flags.link)
        return tool_error(EXIT_USAGE,
                          "one of --compile and --link: a program is compiled and linked by two commands, "
                          "since the linker flags turn off what the compiler flags turn on");
    code = tool_find_library(library);
    char *slash = code ? NULL : strrchr(library, '/');
    if (!slash)
        return code;
    *slash = 0;
    if (flags.compile)
        printf("-g -fsanitize=thread\n");
    else
        print_link(library);
    return EXIT_CLEAN;
}

const struct tool_command cmd_host_cc = {
    "host-cc", "", "print compiler and linker flags that instrument the accesses of a host program", options,
    host_cc_main};
