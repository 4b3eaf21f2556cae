/* refcl-compiler: serves compile and link jobs of one process over descriptor 3 until that process ends.
 * Each job runs in a fork of the server, so that a crash or an endless loop ends the job alone. */
#include "ref-runtime/compiler/helper.h"

#include "memmodel/base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "ref-runtime/compiler/wire.h"

#define MEMORY_LIMIT      ((rlim_t)8 << 30) /* bytes of address space of one job */
#define SIGNAL_STACK_SIZE (64 * 1024)
#define COLD_JOBS         7 /* jobs before the server warms up: warming up costs what it saves on seven jobs */

/* ---- requests ---------------------------------------------------------------------------------- */

static uint32_t decode_u32(const char *data, size_t size)
{
    uint32_t value = 0;
    memcpy(&value, data, size < sizeof value ? size : sizeof value);
    return value;
}

/* Stores a blob of the request; takes over DATA, which a NUL follows. */
static bool take_blob(struct rt_job *job, uint32_t tag, char *data, size_t size)
{
    struct rt_compile_header *header;
    struct rt_binary *module;
    const char **argument;
    switch (tag) {
    case RT_TAG_OPERATION:
        job->operation = decode_u32(data, size);
        return true;
    case RT_TAG_SOURCE:
        job->source = data, job->source_size = size;
        return true;
    case RT_TAG_FILE:
        job->file = data;
        return true;
    case RT_TAG_STANDARD:
        job->standard = data;
        return true;
    case RT_TAG_EXTENSIONS:
        job->extensions = data;
        return true;
    case RT_TAG_FEATURES:
        job->features = data;
        return true;
    case RT_TAG_DIRECTORY:
        job->directory = data;
        return true;
    case RT_TAG_FAULT:
        job->fault = data;
        return true;
    case RT_TAG_TIMEOUT:
        job->timeout = decode_u32(data, size);
        return true;
    case RT_TAG_LIBRARY:
        job->library = true;
        return true;
    case RT_TAG_ARGUMENT:
        argument = mm_add(&job->arguments, &job->argument_count);
        if (argument)
            *argument = data;
        return argument != NULL;
    case RT_TAG_HEADER_NAME:
        header = mm_add(&job->headers, &job->header_count);
        if (header)
            *header = (struct rt_compile_header){.name = data, .text = ""};
        return header != NULL;
    case RT_TAG_HEADER_TEXT:
        if (!job->header_count)
            return false;
        job->headers[job->header_count - 1].text = data;
        job->headers[job->header_count - 1].size = size;
        return true;
    case RT_TAG_MODULE:
        module = mm_add(&job->modules, &job->module_count);
        if (module)
            *module = (struct rt_binary){.data = data, .size = size};
        return module != NULL;
    default:
        return false;
    }
}

static bool receive_job(int fd, struct rt_job *job)
{
    struct rt_wire_head head;
    if (!rt_wire_receive(fd, &head, sizeof head) || head.magic != RT_WIRE_MAGIC)
        return false;
    *job = (struct rt_job){.source = "",
                           .file = "program.cl",
                           .standard = "CL1.2",
                           .extensions = "",
                           .features = "",
                           .directory = "",
                           .fault = ""};
    for (uint32_t i = 0; i < head.blobs; i++) {
        struct rt_wire_blob blob;
        if (!rt_wire_receive(fd, &blob, sizeof blob) || blob.size > RT_WIRE_MAX)
            return false;
        char *data = mm_alloc((size_t)blob.size + 1);
        if (!data || !rt_wire_receive(fd, data, blob.size))
            return false;
        data[blob.size] = 0;
        if (!take_blob(job, blob.tag, data, blob.size))
            return false;
    }
    return true;
}

/* ---- faults ------------------------------------------------------------------------------------ */

static void write_message(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static void on_fatal_signal(int number)
{
    switch (number) {
    case SIGABRT:
        write_message("the compiler aborted\n");
        break;
    case SIGSEGV:
        write_message("the compiler crashed: invalid memory access or stack overflow\n");
        break;
    case SIGALRM:
    case SIGPROF:
    case SIGXCPU:
        write_message("the compiler ran out of time\n");
        break;
    default:
        write_message("the compiler crashed\n");
        break;
    }
    _exit(128 + number);
}

static void install_fault_handlers(uint32_t seconds)
{
    uint32_t timeout = seconds ? seconds : 120;
    static char stack[SIGNAL_STACK_SIZE];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternative, NULL);
    static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM, SIGPROF, SIGXCPU};
    struct sigaction action = {.sa_handler = on_fatal_signal, .sa_flags = SA_ONSTACK};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    /* The wall-clock limit is a multiple of the CPU limit, for a busy machine: only a job that blocks reaches
     * it. */
    const struct itimerval limit = {.it_value.tv_sec = timeout};
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(timeout < UINT32_MAX / RT_WIRE_PATIENCE ? timeout * RT_WIRE_PATIENCE : 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    struct rlimit memory = {.rlim_cur = MEMORY_LIMIT, .rlim_max = MEMORY_LIMIT};
    setrlimit(RLIMIT_AS, &memory);
#endif
    struct rlimit core = {0, 0};
    setrlimit(RLIMIT_CORE, &core);
}

/* Faults that tests request, to check how the client handles them. */
static void inject_fault(const char *fault)
{
    if (!strcmp(fault, "abort")) {
        write_message("Assertion `fault injected by a test' failed.\n");
        abort();
    } else if (!strcmp(fault, "segv")) {
        raise(SIGSEGV);
    } else if (!strcmp(fault, "exit")) {
        _exit(3);
    } else if (!strcmp(fault, "hang")) {
        for (volatile bool goes_on = true; goes_on;)
            ;
    } else if (!strcmp(fault, "escape")) {
        int file = open("/dev/null", O_WRONLY), stream = socket(AF_UNIX, SOCK_STREAM, 0);
        write_message(file < 0 && stream < 0 ? "the job is confined\n" : "the job is not confined\n");
        _exit(3);
    }
}

/* Called before the job is confined, as the sandbox forbids what this fault does. */
static void inject_fault_of_server(const char *fault)
{
    if (!strcmp(fault, "server")) {
        kill(getppid(), SIGKILL);
        _exit(3);
    }
}

/* ---- jobs -------------------------------------------------------------------------------------- */

static enum mm_class compile_source(const struct rt_job *job, struct rt_text *log,
                                    struct rt_text *dependencies, struct rt_binary *binary)
{
    struct rt_text extra = {0}, notes = {0};
    if (!rt_helper_extra_header(job, &extra))
        return MM_LIMIT;
    enum mm_class cls =
        rt_clang_compile(job, extra.data ? extra.data : "", log, &notes, dependencies, binary);
    mm_free(extra.data);
    cls = cls == MM_OK ? rt_helper_clean_spirv(binary, job, log) : cls;
    cls = cls == MM_OK ? rt_helper_instructions(binary, log) : cls;
    cls = cls == MM_OK ? rt_helper_order(binary) : cls;
    cls = cls == MM_OK ? rt_helper_add_strings(binary, &notes) : cls;
    mm_free(notes.data);
    return cls == MM_OK ? rt_spirv_merge_types(binary) : cls;
}

static void send_response(int fd, enum mm_class cls, const char *unconfined, const struct rt_text *log,
                          const struct rt_text *dependencies, const struct rt_binary *binary)
{
    struct rt_wire_head head = {.magic = RT_WIRE_MAGIC, .blobs = 3};
    head.blobs += (dependencies->size > 0 ? 1u : 0) + (unconfined ? 1u : 0);
    uint32_t class_number = cls;
    if (rt_wire_send(fd, &head, sizeof head) &&
        rt_wire_send_blob(fd, RT_TAG_CLASS, &class_number, sizeof class_number) &&
        (!dependencies->size ||
         rt_wire_send_blob(fd, RT_TAG_DEPENDENCIES, dependencies->data, dependencies->size)) &&
        (!unconfined || rt_wire_send_blob(fd, RT_TAG_UNCONFINED, unconfined, strlen(unconfined))) &&
        rt_wire_send_blob(fd, RT_TAG_LOG, log->data ? log->data : "", log->size))
        rt_wire_send_blob(fd, RT_TAG_BINARY, binary->data ? binary->data : "",
                          cls == MM_OK ? binary->size : 0);
}

static void run_job(int fd)
{
    struct rt_job job;
    if (!rt_wire_send(fd, &(char){RT_WIRE_ACK}, 1) || !receive_job(fd, &job))
        return;
    install_fault_handlers(job.timeout);
    inject_fault_of_server(job.fault);
    if (*job.directory && chdir(job.directory))
        write_message("the working directory cannot be entered\n");
    const char *unconfined = rt_helper_confine();
    inject_fault(job.fault);
    struct rt_text log = {0}, dependencies = {0};
    struct rt_binary binary = {0};
    enum mm_class cls = MM_BUG;
    if (job.operation == RT_OPERATION_COMPILE)
        cls = compile_source(&job, &log, &dependencies, &binary);
    else if (job.operation == RT_OPERATION_LINK)
        cls = rt_spirv_link(job.modules, job.module_count, job.library, &log, &binary);
    send_response(fd, cls, unconfined, &log, &dependencies, &binary);
}

/* A compile in the server itself: every later fork starts with clang's tables in place. */
static void warm_up(void)
{
    static const char source[] =
        "kernel void warm(global float4 *a, float b) { a[get_global_id(0)] += sqrt(b); }\n";
    struct rt_job job = {.source = source,
                         .source_size = sizeof source - 1,
                         .file = "warm.cl",
                         .standard = "CL1.2",
                         .extensions = "",
                         .features = "",
                         .directory = "",
                         .fault = ""};
    struct rt_text log = {0}, dependencies = {0};
    struct rt_binary binary = {0};
    compile_source(&job, &log, &dependencies, &binary);
    mm_free(log.data);
    mm_free(dependencies.data);
    mm_free(binary.data);
}

/* ---- the server -------------------------------------------------------------------------------- */

/* Receives one job's two descriptors.  1: got them; 0: nothing usable; -1: the client is gone. */
static int receive_descriptors(int fds[2])
{
    char byte;
    struct iovec vec = {.iov_base = &byte, .iov_len = 1};
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct msghdr message = {
        .msg_iov = &vec, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n = recvmsg(RT_WIRE_CONTROL_FD, &message, MSG_CMSG_CLOEXEC);
    if (n == 0 || (n < 0 && errno != EINTR))
        return -1;
    struct cmsghdr *header = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(2 * sizeof(int)))
        return 0;
    memcpy(fds, CMSG_DATA(header), 2 * sizeof(int));
    return 1;
}

static void run_child(int fds[2], pid_t server)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != server)
        _exit(4);
    close(RT_WIRE_CONTROL_FD);
    dup2(fds[1], STDERR_FILENO);
    run_job(fds[0]);
    _exit(0);
}

/* Children are waited for, so that their time counts as the server's. */
static void reap_children(int number)
{
    int saved = errno;
    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    errno = saved;
}

int main(int argc, char **argv)
{
    struct sigaction reaping = {.sa_handler = reap_children, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
    if (argc > 1 && !strcmp(argv[1], "--version")) {
        puts("refcl-compiler " REFCL_VERSION);
        return 0;
    }
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    if (getsockname(RT_WIRE_CONTROL_FD, (struct sockaddr *)&peer, &size)) {
        fputs("refcl-compiler: started by librefcl.so, not by hand\n", stderr);
        return 2;
    }
    /* The application must not find a child that it did not start in wait(): the server is an orphan. */
    pid_t server = fork();
    if (server)
        return server < 0;
    sigaction(SIGCHLD, &reaping, NULL);
    signal(SIGPIPE, SIG_IGN);
    server = getpid();
    for (unsigned jobs = 0;; jobs++) {
        int fds[2];
        int got = receive_descriptors(fds);
        if (got < 0)
            return 0;
        if (got == 0)
            continue;
        if (jobs == COLD_JOBS)
            warm_up();
        if (fork() == 0)
            run_child(fds, server);
        close(fds[0]);
        close(fds[1]);
    }
}
