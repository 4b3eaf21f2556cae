/* System calls that the compiler's filter denies and permits, each made in a confined child. */
#include "ref-runtime/compiler/helper_sandbox.c"
#include "skip.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/refcl-sandbox-XXXXXX";
static char file[64], created[64];

enum { NOT_CONFINED = 77 };

/* Whether all calls of FUNCTION are denied, or granted: it returns -1 or 0 with errno. */
static int confined(long (*function)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        if (rt_helper_confine())
            _exit(NOT_CONFINED);
        errno = 0;
        long result = function();
        _exit(result >= 0 ? 0 : errno == EPERM ? 1 : 2);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NOT_CONFINED)
        skip_for(SKIP_UNCONFINED);
    return WEXITSTATUS(status);
}

static long ask_local_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM, 0);
}
static long ask_network(void)
{
    return socket(AF_INET, SOCK_STREAM, 0);
}
static long ask_pair(void)
{
    int ends[2];
    return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}
static long ask_program(void)
{
    return execl("/bin/true", "true", (char *)NULL);
}
static long ask_process(void)
{
    return syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}
static long ask_write(void)
{
    return open(file, O_WRONLY);
}
static long ask_read_write(void)
{
    return open(file, O_RDWR);
}
static long ask_create(void)
{
    return open(created, O_RDONLY | O_CREAT, 0600);
}
static long ask_truncate(void)
{
    return open(file, O_RDONLY | O_TRUNC);
}
static long ask_temporary(void)
{
    return open(folder, O_RDWR | O_TMPFILE, 0600);
}
static long ask_openat2(void)
{
#ifdef SYS_openat2
    unsigned long how[3] = {O_WRONLY, 0, 0};
    return syscall(SYS_openat2, AT_FDCWD, file, how, sizeof how);
#else
    errno = EPERM;
    return -1;
#endif
}
static long ask_remove(void)
{
    return unlink(file);
}
static long ask_rename(void)
{
    return rename(file, created);
}
static long ask_folder(void)
{
    return mkdir(created, 0700);
}
static long ask_link(void)
{
    return symlink(file, created);
}
static long ask_mode(void)
{
    return chmod(file, 0777);
}
static long ask_shorten(void)
{
    return truncate(file, 0);
}
static long ask_kill(void)
{
    return kill(getppid(), 0);
}
static long ask_thread_kill(void)
{
    return syscall(SYS_tgkill, getppid(), getppid(), 0);
}
static long ask_trace(void)
{
    return ptrace(PTRACE_SEIZE, getppid(), NULL, NULL);
}
static long ask_executable_memory(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}
static long ask_to_make_executable(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? 0 : mprotect(page, 4096, PROT_READ | PROT_EXEC);
}
static long ask_limit(void)
{
    struct rlimit limit = {100, 100};
    return setrlimit(RLIMIT_NOFILE, &limit);
}
static long ask_owner(void)
{
    return fcntl(STDERR_FILENO, F_SETOWN, getppid());
}

static void test_denied(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        long (*function)(void);
    } requests[] = {
#define REQUEST(name) {#name, ask_##name}
        REQUEST(local_socket),
        REQUEST(network),
        REQUEST(pair),
        REQUEST(program),
        REQUEST(process),
        REQUEST(write),
        REQUEST(read_write),
        REQUEST(create),
        REQUEST(truncate),
        REQUEST(temporary),
        REQUEST(openat2),
        REQUEST(remove),
        REQUEST(rename),
        REQUEST(folder),
        REQUEST(link),
        REQUEST(mode),
        REQUEST(shorten),
        REQUEST(kill),
        REQUEST(thread_kill),
        REQUEST(trace),
        REQUEST(executable_memory),
        REQUEST(to_make_executable),
        REQUEST(limit),
        REQUEST(owner)};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (confined(requests[i].function) != 1)
            fail_msg("%s is not denied", requests[i].name);
    assert_int_equal(access(file, F_OK), 0);
    assert_int_not_equal(access(created, F_OK), 0);
}

static long ask_read(void)
{
    char byte;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    return fd >= 0 && read(fd, &byte, 1) == 1 && byte == 'x' ? close(fd) : -1;
}
static long ask_memory(void)
{
    void *block = malloc(10 << 20);
    free(block);
    return block ? 0 : -1;
}
static long ask_status(void)
{
    struct stat status;
    return stat(file, &status);
}
static long ask_answer(void)
{
    return write(STDERR_FILENO, "", 0);
}

static void *in_thread(void *result)
{
    *(int *)result = 1;
    return NULL;
}
static long ask_thread(void)
{
    pthread_t thread;
    int ran = 0;
    if (pthread_create(&thread, NULL, in_thread, &ran) != 0 || pthread_join(thread, NULL) != 0)
        return -1;
    return ran ? 0 : -1;
}

static void test_left(void **state)
{
    (void)state;
    assert_int_equal(confined(ask_read), 0);
    assert_int_equal(confined(ask_memory), 0);
    assert_int_equal(confined(ask_status), 0);
    assert_int_equal(confined(ask_answer), 0);
    assert_int_equal(confined(ask_thread), 0);
}

/* abort() still ends the process by SIGABRT, for the log. */
static void test_abort(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        if (rt_helper_confine())
            _exit(NOT_CONFINED);
        abort();
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_CONFINED)
        skip_for(SKIP_UNCONFINED);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/file", folder);
    snprintf(created, sizeof created, "%s/created", folder);
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
    return fd >= 0 && write(fd, "x", 1) == 1 ? close(fd) : -1;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(created);
    unlink(file);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_denied),
        cmocka_unit_test(test_left),
        cmocka_unit_test(test_abort),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
