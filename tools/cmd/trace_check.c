/* refcl trace check: the detector's report on a recorded trace, such as one that the loader layer wrote on
 * another machine. */
#include "tools/cmd/commands.h"
#include "tools/footprint/footprint.h"
#include "tools/session/options.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const struct tool_option options[] = {TOOL_INCLUDE_ALL(session_options), TOOL_OPTION_END};

struct checked {
    const char *path;
    int fd;
    bool complete;
    bool layer, others; /* programs recorded by the layer; programs of launches that refcl re-executes */
};

static enum mm_class note_program(void *context, const struct mm_record *record)
{
    struct checked *checked = context;
    bool layer = footprint_is_layer(record);
    checked->layer |= layer;
    checked->others |= record->type == MM_RECORD_PROGRAM && !layer;
    return MM_OK;
}

/* The session reads what a process sends: this one sends the file. */
static int send_trace(void *context, int trace)
{
    const struct checked *checked = context;
    char bytes[1 << 16];
    ssize_t n, written;
    while ((n = read(checked->fd, bytes, sizeof bytes)) > 0)
        for (ssize_t done = 0; done < n; done += written)
            if ((written = write(trace, bytes + done, (size_t)(n - done))) < 0)
                return tool_error(EXIT_TOOL, "cannot send '%s': %s", checked->path, strerror(errno));
    if (n < 0)
        return tool_error(EXIT_USAGE, "cannot read '%s': %s", checked->path, strerror(errno));
    close(trace);
    return EXIT_CLEAN;
}

static int judge_trace(void *context, const struct ck_detector *detector, int status)
{
    struct mm_error err = {0};
    if (ck_detector_fault_count(detector))
        return EXIT_FINDINGS;
    if (status)
        return status;
    if (ck_detector_status(detector, &err) != MM_OK)
        return tool_report(&err);
    return ((struct checked *)context)->complete ? EXIT_CLEAN : EXIT_UNKNOWN;
}

static int check_trace(struct session *session, struct checked *checked, char **argv)
{
    const struct mm_sink programs = {.context = checked, .record = note_program, .events = mm_skip_events};
    struct mm_error err = {0};
    checked->fd = open(checked->path, O_RDONLY | O_CLOEXEC);
    if (checked->fd < 0)
        return tool_error(EXIT_USAGE, "cannot read '%s': %s", checked->path, strerror(errno));
    if (mm_trace_read_file(checked->fd, checked->path, &programs, &checked->complete, &err) != MM_OK)
        return tool_report(&err);
    if (checked->others && checked->layer)
        return tool_error(EXIT_USAGE,
                          "'%s' holds programs of both the loader layer and refcl: record it again",
                          checked->path);
    session->on_driver = !checked->others;
    if (lseek(checked->fd, 0, SEEK_SET) != 0)
        return tool_error(EXIT_USAGE, "'%s' is not a regular file", checked->path);
    const struct session_program program = {.context = checked, .run = send_trace, .judge = judge_trace};
    session->program = &program;
    return session_run(session, argv);
}

static int trace_check_main(int argc, char **argv)
{
    struct session session = {.check.races = true, .check.memory = true, .on_driver = true};
    struct checked checked = {.fd = -1};
    int code = 0;
    int first = tool_options(&cmd_trace_check, argc, argv, false, &session, &code);
    if (first < 0)
        return code;
    if (first + 1 != argc)
        return tool_error(EXIT_USAGE, "one trace file is needed");
    checked.path = argv[first];
    char *line = tool_command_line(&cmd_trace_check, argc, argv);
    session.command.line = line;
    code = check_trace(&session, &checked, argv + first);
    if (checked.fd >= 0)
        close(checked.fd);
    mm_free(line);
    return code;
}

const struct tool_command cmd_trace_check = {
    "trace check", "FILE", "check a recorded trace, such as one of the loader layer, for races", options,
    trace_check_main};
