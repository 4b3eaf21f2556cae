/* refcl trace dump: a trace file as text, JSON or DOT. */
#include "interp/replay/expand.h"
#include "memmodel/base/escape.h"
#include "memmodel/base/input.h"
#include "tools/cmd/commands.h"
#include "tools/footprint/footprint.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct dump {
    unsigned format; /* index in dump_functions */
    const char *output;
    size_t limit; /* 0: in proportion to the file */
};
static const struct tool_option options[] = {
    {"format", 'f', "NAME", "REFCL_DUMP_FORMAT", "output format: text, json or dot (default text)",
     TOOL_CHOICE(struct dump, format, "text json dot")},
    {"output", 'o', "OUT", "REFCL_DUMP_OUTPUT", "output file (default stdout)", TOOL_TO(struct dump, output)},
    {"limit", 'l', "N", "REFCL_DUMP_LIMIT", "print at most N events (default: see --input-limits)",
     TOOL_NUMBER(struct dump, limit, 1, UINT32_MAX)},
    TOOL_OPTION_END};

static void (*const dump_functions[])(const struct mm_graph *, FILE *) = {mm_dump_text, mm_dump_json,
                                                                          mm_dump_dot};

/* Passes on what is within the limit of the file. */
struct limited {
    struct mm_sink graph;
    const char *path;
    uint64_t file_size, events;
    struct mm_error err;
};
static enum mm_class dump_record(void *context, const struct mm_record *record)
{
    struct limited *l = context;
    return l->graph.record(l->graph.context, record);
}
static enum mm_class take_events(void *context, const struct mm_event *events, size_t count)
{
    struct limited *l = context;
    l->events += count;
    if (mm_input_check(MM_INPUT_TRACE_EVENTS, l->file_size, l->events, l->path, &l->err) != MM_OK)
        return MM_LIMIT;
    return l->graph.events(l->graph.context, events, count);
}

static enum mm_class find_layer(void *context, const struct mm_record *record)
{
    *(bool *)context |= footprint_is_layer(record);
    return MM_OK;
}

/* A trace of the loader layer is read as `refcl trace check` reads it: with the accesses of launches that are
 * known.  What comes from a pipe cannot be read twice. */
static enum mm_class read_trace(int fd, const char *path, const struct mm_sink *sink, bool *complete,
                                struct mm_error *err)
{
    bool layer = false;
    const struct mm_sink find = {.context = &layer, .record = find_layer, .events = mm_skip_events};
    off_t start = lseek(fd, 0, SEEK_CUR);
    if (start >= 0) {
        mm_trace_read_file(fd, path, &find, complete, NULL); /* errors are found again */
        lseek(fd, start, SEEK_SET);
    }
    struct footprint *footprint = layer ? footprint_create(sink, false) : NULL;
    if (!footprint)
        return layer ? mm_out_of_memory(err) : in_expand_file(fd, path, sink, complete, err);
    struct mm_sink own;
    footprint_sink(footprint, &own);
    enum mm_class c = mm_trace_read_file(fd, path, &own, complete, err);
    footprint_destroy(footprint);
    return c;
}

/* Fills GRAPH from the file; a truncated trace gives its intact prefix. */
static int load_graph(const char *path, size_t limit, struct mm_graph *graph)
{
    struct mm_error err = {0};
    struct limited limited = {.path = path};
    struct mm_sink sink = {.context = &limited, .record = dump_record, .events = take_events};
    struct stat status = {0};
    bool complete = false;
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return tool_error(EXIT_USAGE, "cannot read '%s': %s", path, strerror(errno));
    mm_graph_sink(graph, limit ? limit : UINT32_MAX, limit ? &sink : &limited.graph);
    limited.file_size = fstat(fd, &status) == 0 ? (uint64_t)status.st_size : 0;
    enum mm_class c = read_trace(fd, path, &sink, &complete, &err);
    err = limited.err.cls != MM_OK ? limited.err : err;
    if (fd != STDIN_FILENO)
        close(fd);
    if (c == MM_LIMIT) {
        tool_report(&err);
        return EXIT_UNKNOWN;
    }
    if (c != MM_OK)
        return tool_report(&err);
    if (!complete)
        mm_print(stderr, "refcl: note: '%s' is cut short; this is its intact prefix\n", path);
    return 0;
}

static int trace_dump_main(int argc, char **argv)
{
    struct dump dump = {.output = "-"};
    int code = 0;
    int first = tool_options(&cmd_trace_dump, argc, argv, false, &dump, &code);
    if (first < 0)
        return code;
    if (first + 1 != argc)
        return tool_error(EXIT_USAGE, "one trace file is needed");
    struct mm_graph *graph = mm_graph_create();
    if (!graph)
        return tool_error(EXIT_TOOL, "out of memory");
    code = load_graph(argv[first], dump.limit, graph);
    if (!code || code == EXIT_UNKNOWN) {
        FILE *out = tool_open_output(dump.output);
        if (out) {
            dump_functions[dump.format](graph, out);
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
                                            options, trace_dump_main};
