/* Files that commands write: they are none of the command's inputs, and a FIFO without a reader can be
 * interrupted. */
#include "tools/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- inputs ------------------------------------------------------------------------------------ */

struct target {
    const char *name;
    struct stat status;
    bool exists;
};

static bool is_same_status(const struct target *target, const struct stat *other)
{
    return target->exists && target->status.st_dev == other->st_dev && target->status.st_ino == other->st_ino;
}

static bool is_same_file(const struct target *target, const char *name)
{
    struct stat other;
    return target->exists ? stat(name, &other) == 0 && is_same_status(target, &other)
                          : strcmp(name, target->name) == 0;
}

/* WORD, or what follows one of its '='. */
static bool names_file(const struct target *target, const char *word)
{
    for (; word; word = strchr(word, '='), word += word != NULL)
        if (is_same_file(target, word))
            return true;
    return false;
}

static int reject_output(const struct output_option *option, const char *word)
{
    return tool_error(EXIT_USAGE, "--%s: '%s' would be overwritten, which the command also uses as '%s'",
                      option->name, option->value, word);
}

static int check_one(const struct output_option *options, size_t count, size_t i, char *const *words)
{
    struct target target = {.name = options[i].value};
    struct stat input;
    target.exists = stat(target.name, &target.status) == 0;
    if (strcmp(target.name, "-") == 0 || (target.exists && !S_ISREG(target.status.st_mode)))
        return 0;
    for (size_t k = 0; k < count; k++)
        if (k != i && strcmp(options[k].name, options[i].name) != 0 &&
            strcmp(options[k].argument, "NAME") != 0 && names_file(&target, options[k].value))
            return reject_output(&options[i], options[k].value);
    for (; *words; words++)
        if (names_file(&target, *words))
            return reject_output(&options[i], *words);
    if (fstat(STDIN_FILENO, &input) == 0 && is_same_status(&target, &input))
        return reject_output(&options[i], "the standard input");
    return 0;
}

int output_check(const struct output_option *options, size_t count, char *const *words)
{
    int code = 0;
    for (size_t i = 0; i < count && !code; i++)
        if (strcmp(options[i].argument, "OUT") == 0)
            code = check_one(options, count, i, words);
    return code;
}

/* ---- writing ----------------------------------------------------------------------------------- */

enum { READER_NS = 20 * 1000 * 1000 };
volatile sig_atomic_t output_interrupted;
static bool given_up;

void output_give_up(void)
{
    given_up = true;
}

int output_exit_code(int code)
{
    return given_up ? 128 + output_interrupted : code;
}

/* The open system call would be continued after a signal that a handler only notes. */
static int await_reader(const char *name)
{
    const struct timespec pause = {.tv_nsec = READER_NS};
    int fd;
    while ((fd = open(name, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0 && errno == ENXIO && !output_interrupted)
        nanosleep(&pause, NULL);
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_WRONLY);
    else if (errno == ENXIO)
        errno = EINTR;
    return fd;
}

int output_error(const char *name)
{
    if (errno != EINTR)
        return tool_error(EXIT_USAGE, "cannot write '%s': %s", name, strerror(errno));
    output_give_up();
    return tool_error(output_exit_code(EXIT_USAGE),
                      "interrupted: '%s' has no reader, and nothing is written to it", name);
}

int output_open(const char *name)
{
    struct stat status;
    if (stat(name, &status) == 0 && S_ISFIFO(status.st_mode))
        return await_reader(name);
    return open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

FILE *tool_open_output(const char *name)
{
    if (strcmp(name, "-") == 0)
        return stdout;
    int fd = output_open(name);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file)
        return file;
    output_error(name);
    if (fd >= 0)
        close(fd);
    return NULL;
}

int tool_close_output(FILE *file, const char *name)
{
    bool bad = fflush(file) != 0 || ferror(file);
    if (file != stdout)
        bad |= fclose(file) != 0;
    return bad ? tool_error(EXIT_TOOL, "writing '%s' failed: %s", name, strerror(errno)) : 0;
}

int tool_write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(data, 1, size, file) == size;
    good = file && fclose(file) == 0 && good;
    return good ? 0 : tool_error(EXIT_TOOL, "cannot write '%s': %s", path, strerror(errno));
}
