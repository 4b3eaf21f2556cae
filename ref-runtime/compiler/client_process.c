/* Finding, starting and restarting the compiler helper, and handing jobs to it. */
#include "ref-runtime/compiler/client_process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memmodel/base/clock.h"
#include "memmodel/base/privilege.h"
#include "memmodel/trace/mutex.h"
#include "ref-runtime/compiler/wire.h"
#include "ref-runtime/setting.h"

/* Limit on the time until a helper has loaded clang and takes a job; a helper that dies is detected at
 * once. */
#define HANDSHAKE_SECONDS 30

extern char **environ;

static struct mm_mutex lock = MM_MUTEX;
static struct mm_own_fd control = {.fd = -1}; /* the helper's control socket */
static unsigned generation;                   /* number of helpers started so far */
static pid_t owner; /* the process that started the helper: a forked child starts another one */

/* ---- finding it -------------------------------------------------------------------------------- */

static bool join_paths(char *out, size_t size, const char *base, const char *rest)
{
    const char *slash = strrchr(base, '/');
    int length = slash ? (int)(slash - base) : 1;
    int n = snprintf(out, size, "%.*s/%s", length, slash ? base : ".", rest);
    return n > 0 && (size_t)n < size && access(out, X_OK) == 0;
}

/* Beside the library, or in ../libexec/refcl from it; likewise from the executable, but for a privileged one:
 * a user may link to it from a folder of his own. */
bool rt_process_path(char *path, size_t size)
{
    const char *given = rt_setting_text(RT_SET_COMPILER, NULL);
    if (given) {
        snprintf(path, size, "%s", given);
        return true;
    }
    static const char *const places[] = {"refcl-compiler", "../libexec/refcl/refcl-compiler",
                                         "../../libexec/refcl/refcl-compiler"};
    char library[PATH_MAX] = "", executable[PATH_MAX] = "";
    Dl_info info;
    if (dladdr(&control, &info) && info.dli_fname && !realpath(info.dli_fname, library))
        *library = 0;
    ssize_t n = mm_is_privileged() ? 0 : readlink("/proc/self/exe", executable, sizeof executable - 1);
    executable[n > 0 ? n : 0] = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if ((*library && join_paths(path, size, library, places[i])) ||
            (*executable && join_paths(path, size, executable, places[i])))
            return true;
    return false;
}

/* ---- starting it ------------------------------------------------------------------------------- */

static int spawn_helper(const char *path, int socket, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, socket, RT_WIRE_CONTROL_FD);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, RT_WIRE_CONTROL_FD + 1);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    int error = posix_spawn(pid, path, &actions, &attributes, (char *[]){(char *)(uintptr_t)path, NULL},
                            mm_is_privileged() ? (char *[]){NULL} : environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* With the lock held.  The process that is spawned forks the server and ends, so it is collected here. */
static enum mm_class start_helper(struct mm_error *err)
{
    char path[PATH_MAX];
    int pair[2], status = 0;
    pid_t pid;
    if (!rt_process_path(path, sizeof path))
        return mm_fail(err, MM_LIMIT, "compiler",
                       "refcl-compiler is not installed; REFCL_COMPILER may name it");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return mm_fail(err, MM_LIMIT, "compiler", "no socket for the compiler: %s", strerror(errno));
    /* Descriptors 0-2 may be closed in the application; the helper's are opened over them. */
    int high = mm_fd_move_high(pair[1]);
    int error = high < 0 ? errno : spawn_helper(path, high, &pid);
    if (high >= 0)
        close(high);
    if (!error)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    if (error || (WIFEXITED(status) && WEXITSTATUS(status))) {
        close(pair[0]);
        return mm_fail(err, MM_LIMIT, "compiler", "%.300s cannot be started: %s", path,
                       error ? strerror(error) : "it ended at once");
    }
    owner = getpid();
    generation++;
    if (!mm_own_fd_open(&control, pair[0]))
        return mm_fail(err, MM_LIMIT, "compiler", "no socket for the compiler: %s", strerror(errno));
    return MM_OK;
}

/* Duplicates the control socket, and returns the helper's generation.  DEAD: generation of a dead helper, or
 * 0. */
static enum mm_class control_socket(unsigned dead, unsigned *living, int *socket, struct mm_error *err)
{
    enum mm_class cls = MM_OK;
    mm_mutex_lock(&lock);
    if (owner != getpid() || generation == dead || !mm_own_fd_valid(&control)) {
        mm_own_fd_close(&control);
        cls = start_helper(err);
    }
    *living = generation;
    *socket = cls == MM_OK ? mm_fd_copy_high(control.fd) : -1;
    if (cls == MM_OK && *socket < 0)
        cls = mm_fail(err, MM_LIMIT, "compiler", "no descriptor for the compiler: %s", strerror(errno));
    mm_mutex_unlock(&lock);
    return cls;
}

/* ---- handing over jobs ------------------------------------------------------------------------- */

static bool send_descriptors(int socket, int stream, int errors)
{
    int fds[2] = {stream, errors};
    char byte = 0;
    struct iovec vec = {.iov_base = &byte, .iov_len = 1};
    union {
        char bytes[CMSG_SPACE(sizeof fds)];
        struct cmsghdr align;
    } buffer = {{0}};
    struct msghdr message = {
        .msg_iov = &vec, .msg_iovlen = 1, .msg_control = &buffer, .msg_controllen = sizeof buffer.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fds);
    memcpy(CMSG_DATA(header), fds, sizeof fds);
    ssize_t n;
    do
        n = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == 1;
}

static bool is_acknowledged(int stream, int64_t deadline)
{
    struct pollfd wait = {.fd = stream, .events = POLLIN};
    int n;
    do {
        int64_t left = deadline - (int64_t)mm_clock_ms(CLOCK_MONOTONIC);
        n = poll(&wait, 1, left > 0 ? (int)left : 0);
    } while (n < 0 && errno == EINTR);
    char byte = 0;
    return n == 1 && rt_wire_receive(stream, &byte, 1) && byte == RT_WIRE_ACK;
}

static bool try_connect(int socket, int64_t deadline, struct rt_connection *connection)
{
    int pair[2];
    *connection = (struct rt_connection){MM_NO_FD, MM_NO_FD};
    int errors = memfd_create("refcl-compiler", MFD_CLOEXEC);
    if (errors < 0 || !mm_own_fd_open(&connection->errors, errors) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        rt_process_disconnect(connection);
        return false;
    }
    bool sent = mm_own_fd_open(&connection->stream, pair[0]) &&
                send_descriptors(socket, pair[1], connection->errors.fd);
    close(pair[1]);
    if (sent && is_acknowledged(connection->stream.fd, deadline))
        return true;
    rt_process_disconnect(connection);
    return false;
}

enum mm_class rt_process_connect(struct rt_connection *connection, struct mm_error *err)
{
    unsigned dead = 0, living;
    int64_t deadline = (int64_t)mm_clock_ms(CLOCK_MONOTONIC) + HANDSHAKE_SECONDS * 1000;
    for (int attempt = 0; attempt < 3 && (int64_t)mm_clock_ms(CLOCK_MONOTONIC) < deadline; attempt++) {
        int socket;
        enum mm_class cls = control_socket(dead, &living, &socket, err);
        if (cls)
            return cls;
        bool connected = try_connect(socket, deadline, connection);
        close(socket);
        if (connected)
            return MM_OK;
        dead = living;
    }
    return mm_fail(err, MM_LIMIT, "compiler", "the compiler helper takes no jobs");
}

void rt_process_disconnect(struct rt_connection *connection)
{
    mm_own_fd_close(&connection->stream);
    mm_own_fd_close(&connection->errors);
}
