/* The system calls that a compile job may make: source text is untrusted input, and clang is large.
 *
 * A filter of system calls (seccomp) leaves what a compiler needs: memory, reading files, answering on the
 * descriptors that are open.  Everything else fails with EPERM: creating or changing files, sockets,
 * processes, programs, signals to others, memory that is executable. */
#include "ref-runtime/compiler/helper.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

const char *rt_helper_confine(void)
{
    return "the runtimes of sanitizers need more system calls";
}

#elif !__has_include(<seccomp.h>)

const char *rt_helper_confine(void)
{
    return "it was built without libseccomp";
}

#else

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef __O_TMPFILE
#define __O_TMPFILE (O_TMPFILE & ~O_DIRECTORY)
#endif
#if defined(__s390__)
#define CLONE_FLAGS 1 /* the argument */
#else
#define CLONE_FLAGS 0
#endif
#define WRITING (O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | __O_TMPFILE)

/* By name: not every architecture and version of the library has them all. */
static const char *const allowed[] = {
    "read", "pread64", "readv", "write", "writev", "recvfrom", "sendto", "close", "lseek", "_llseek",
    /* looking at files */
    "fstat", "fstat64", "stat", "stat64", "lstat", "lstat64", "newfstatat", "fstatat64", "statx", "fstatfs",
    "statfs", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getcwd", "getdents64",
    /* memory, the process itself */
    "munmap", "mremap", "brk", "madvise", "futex", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn",
    "sigaltstack", "exit", "exit_group", "restart_syscall", "set_robust_list", "set_tid_address", "rseq",
    "sched_yield", "sched_getaffinity", "getpid", "gettid", "getppid", "getuid", "geteuid", "getgid",
    "getegid", "getrlimit", "ugetrlimit", "getrusage", "sysinfo", "uname", "times", "getrandom",
    /* time */
    "clock_gettime", "clock_gettime64", "clock_getres", "gettimeofday", "time", "nanosleep",
    "clock_nanosleep"};

static int allow_call(scmp_filter_ctx filter, const char *name, unsigned count,
                      const struct scmp_arg_cmp *arguments)
{
    int number = seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR)
        return 0;
    int error = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, count, arguments);
    return error == -EDOM ? 0 : error; /* the architecture does not have it */
}

static int deny_as_missing(scmp_filter_ctx filter, const char *name)
{
    int number = seccomp_syscall_resolve_name(name);
    int error = number == __NR_SCMP_ERROR ? 0 : seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), number, 0);
    return error == -EDOM ? 0 : error;
}

static int allow_some(scmp_filter_ctx filter)
{
    static const int commands[] = {F_GETFD, F_SETFD, F_GETFL};
    const struct scmp_arg_cmp reads1[] = {SCMP_A1(SCMP_CMP_MASKED_EQ, WRITING, O_RDONLY)},
                              reads2[] = {SCMP_A2(SCMP_CMP_MASKED_EQ, WRITING, O_RDONLY)},
                              data[] = {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
                              myself[] = {SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0)},
                              no_limit[] = {SCMP_A2(SCMP_CMP_EQ, 0, 0)},
                              thread[] = {SCMP_CMP(CLONE_FLAGS, SCMP_CMP_MASKED_EQ, CLONE_THREAD,
                                                   CLONE_THREAD)},
                              name[] = {SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME, 0)},
                              terminal[] = {SCMP_A1(SCMP_CMP_EQ, TCGETS, 0)};
    int error = 0;
    error = error ? error : allow_call(filter, "open", 1, reads1);
    error = error ? error : allow_call(filter, "openat", 1, reads2);
    error = error ? error : allow_call(filter, "mmap", 1, data);
    error = error ? error : allow_call(filter, "mmap2", 1, data);
    error = error ? error : allow_call(filter, "mprotect", 1, data);
    error = error ? error : allow_call(filter, "tgkill", 1, myself);
    error = error ? error : allow_call(filter, "prlimit64", 1, no_limit);
    error = error ? error : allow_call(filter, "ioctl", 1, terminal);
    /* Clang continues in a new thread when its stack is nearly exhausted.  The C library tries clone3
     * first, whose flags a filter cannot see. */
    error = error ? error : allow_call(filter, "clone", 1, thread);
    error = error ? error : allow_call(filter, "prctl", 1, name);
    error = error ? error : deny_as_missing(filter, "clone3");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct scmp_arg_cmp command[] = {SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)commands[i], 0)};
        error = error ? error : allow_call(filter, "fcntl", 1, command);
        error = error ? error : allow_call(filter, "fcntl64", 1, command);
    }
    return error;
}

const char *rt_helper_confine(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int error = filter ? allow_some(filter) : -ENOMEM;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        error = error ? error : allow_call(filter, allowed[i], 0, NULL);
    error = error ? error : seccomp_load(filter);
    seccomp_release(filter);
    return error ? strerror(-error) : NULL;
}

#endif
