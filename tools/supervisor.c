#include "tools/supervisor.h"
#include "memmodel/base/memory.h"
#include "tools/tool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the supervisor -------------------------------------------------------------------------- */

enum { LINK = 3 }; /* the supervisor's descriptor for it */

/* The number of children that were signaled. */
static unsigned kill_children(void)
{
    unsigned count = 0;
    int pid;
    FILE *list = fopen("/proc/thread-self/children", "re");
    while (list && fscanf(list, "%d", &pid) == 1)
        count += kill(pid, SIGKILL) == 0;
    if (list)
        fclose(list);
    return count;
}

/* Children of a killed process become children of the supervisor: until there are none. */
static _Noreturn void kill_descendants(pid_t child)
{
    if (child > 0)
        kill(child, SIGKILL); /* also where there is no /proc */
    while (kill_children() > 0 && waitpid(-1, NULL, 0) > 0)
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    _exit(EXIT_TOOL);
}

/* Waits for adopted processes; sends the status of CHILD, which stays a zombie.  True: CHILD has ended. */
static bool reap_children(pid_t child)
{
    siginfo_t info = {0};
    while (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid > 0) {
        if (info.si_pid == child) {
            int status = info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0) : info.si_status;
            send(LINK, &status, sizeof status, MSG_NOSIGNAL);
            return true;
        }
        waitpid(info.si_pid, NULL, 0);
        info.si_pid = 0;
    }
    return false;
}

static _Noreturn void supervise_child(pid_t child, const sigset_t *signals)
{
    close_range(LINK + 1, ~0u, 0); /* readers wait for the end of what the child writes */
    int ended = signalfd(-1, signals, SFD_CLOEXEC);
    bool has_ended = false;
    char byte;
    for (;;) {
        struct pollfd wait[] = {{.fd = LINK, .events = POLLIN}, {.fd = ended, .events = POLLIN}};
        struct signalfd_siginfo unused;
        if (poll(wait, 2, -1) < 0)
            continue;
        if (wait[0].revents && read(LINK, &byte, 1) == 1)
            break;
        if (wait[0].revents)
            kill_descendants(child);
        if (read(ended, &unused, sizeof unused) > 0)
            has_ended = has_ended || reap_children(child);
    }
    waitpid(child, NULL, 0); /* its times count as refcl's children's */
    _exit(EXIT_CLEAN);
}

/* ---- refcl ----------------------------------------------------------------------------------- */

#define SERVERS "DEBUGINFOD_URLS"
static char *servers; /* its value */

void supervised_hide_servers(void)
{
    const char *value = getenv(SERVERS);
    servers = value ? mm_strdup(value) : NULL;
    unsetenv(SERVERS);
}

/* In the supervisor, and in the child, which returns. */
static void start_child(int link)
{
    sigset_t all, before, signals;
    sigfillset(&all);
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_SETMASK, &all,
                &before); /* what ends refcl and the child ends the supervisor by the link */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    void (*before_child)(int) = signal(SIGCHLD, SIG_DFL); /* if ignored, there is no status */
    pid_t supervisor = getpid(), child = fork();
    if (child == 0) {
        close(link);
        signal(SIGCHLD, before_child);
        sigprocmask(SIG_SETMASK, &before, NULL);
        tool_die_with(supervisor);
        if (servers)
            setenv(SERVERS, servers, 1);
        return;
    }
    if (child < 0 || dup2(link, LINK) < 0 || send(LINK, &child, sizeof child, MSG_NOSIGNAL) < 0)
        kill_descendants(child);
    supervise_child(child, &signals);
}

pid_t supervised_fork(struct supervised *child)
{
    int ends[2];
    *child = (struct supervised){.pid = -1, .link = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    fflush(NULL);
    child->supervisor = fork();
    if (child->supervisor == 0) {
        close(ends[0]);
        start_child(ends[1]);
        return 0;
    }
    close(ends[1]);
    child->link = ends[0];
    ssize_t n = -1;
    while (child->supervisor > 0 && (n = read(ends[0], &child->pid, sizeof child->pid)) < 0 && errno == EINTR)
        ;
    if (n != sizeof child->pid) {
        child->pid = -1;
        supervised_wait(child);
        errno = EAGAIN;
    }
    return child->pid;
}

bool supervised_has_ended(const struct supervised *child)
{
    struct pollfd end = {.fd = child->link, .events = POLLIN};
    return poll(&end, 1, 0) > 0;
}

int supervised_wait(struct supervised *child)
{
    int status = SIGKILL; /* if the supervisor was killed */
    ssize_t n;
    while ((n = read(child->link, &status, sizeof status)) < 0 && errno == EINTR)
        ;
    send(child->link, "", 1, MSG_NOSIGNAL);
    close(child->link);
    while (child->supervisor > 0 && waitpid(child->supervisor, NULL, 0) < 0 && errno == EINTR)
        ;
    child->link = -1;
    return status;
}
