/* refcl trace dump: a trace file as text, JSON or DOT. */
#include "interp/expand.h"
#include "tools/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { OPT_FORMAT, OPT_OUTPUT, OPT_LIMIT };
static const struct tool_option options[] = {
    {"format", 'f', "NAME", "REFCL_DUMP_FORMAT", "text, json or dot (default text)"},
    {"output", 'o', "FILE", "REFCL_DUMP_OUTPUT", "where to (default stdout)"},
    {"limit", 'l', "N", "REFCL_DUMP_LIMIT", "at most N events (default 10000000)"},
    TOOL_OPTION_END};

typedef void dump_function(const struct mm_graph *, FILE *);
struct dump {
    dump_function *function;
    const char *output;
    size_t limit;
};

static int handle(void *context, size_t index, const char *value)
{
    struct dump *dump = context;
    uint64_t n = 0;
    if (index == OPT_OUTPUT) {
        dump->output = value;
        return 0;
    }
    if (index == OPT_LIMIT) {
        int code = tool_number("limit", value, UINT32_MAX, &n);
        dump->limit = (size_t)n;
        return code;
    }
    dump->function = strcmp(value, "text") == 0   ? mm_dump_text
                     : strcmp(value, "json") == 0 ? mm_dump_json
                     : strcmp(value, "dot") == 0  ? mm_dump_dot
                                                  : NULL;
    return dump->function ? 0 : tool_error(EXIT_USAGE, "--format: '%s' is not text, json or dot", value);
}

/* Fills GRAPH from the file; a truncated trace gives its intact prefix. */
static int load(const char *path, size_t limit, struct mm_graph *graph)
{
    struct mm_error err = {0};
    struct mm_sink sink = {0};
    bool complete = false;
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return tool_error(EXIT_USAGE, "cannot read '%s': %s", path, strerror(errno));
    mm_graph_sink(graph, limit, &sink);
    enum mm_class c = in_expand_trace(fd, path, &sink, &complete, &err);
    if (fd != STDIN_FILENO)
        close(fd);
    if (c == MM_LIMIT) {
        tool_report(&err);
        return EXIT_UNKNOWN;
    }
    if (c != MM_OK)
        return tool_report(&err);
    if (!complete)
        fprintf(stderr, "refcl: note: '%s' is cut short; this is its intact prefix\n", path);
    return 0;
}

static int run(int argc, char **argv)
{
    struct dump dump = {.function = mm_dump_text, .output = "-", .limit = 10000000};
    int code = 0;
    int first = tool_options(&cmd_trace_dump, argc, argv, false, handle, &dump, &code);
    if (first < 0)
        return code;
    if (first + 1 != argc)
        return tool_error(EXIT_USAGE, "one trace file is needed");
    struct mm_graph *graph = mm_graph_create();
    if (!graph)
        return tool_error(EXIT_TOOL, "out of memory");
    code = load(argv[first], dump.limit, graph);
    if (!code || code == EXIT_UNKNOWN) {
        FILE *out = tool_open_output(dump.output);
        if (out) {
            dump.function(graph, out);
            int closed = tool_close_output(out, dump.output);
            code = code ? code : closed;
        } else {
            code = EXIT_USAGE;
        }
    }
    mm_graph_destroy(graph);
    return code;
}

const struct tool_command cmd_trace_dump = {"trace dump", "FILE", "show a trace as text, JSON or a DOT graph",
                                            options, run};
