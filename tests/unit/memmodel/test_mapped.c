/* Traces through memory mapped to the file: the bytes are those of a written trace, they outlive a killed
 * writer, and changes of the file by another process or a limit are reported. */
#include "memmodel/memmodel.h"
#include "memmodel/trace/host.h"
#include "memmodel/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { LARGE = 700 << 10 }; /* more than is mapped at a time */

static int failure_error;
static bool truncates_after_check;

/* In place of the C library's. */
int fstat(int fd, struct stat *status)
{
    int result = fstatat(fd, "", status, AT_EMPTY_PATH);
    if (truncates_after_check && ftruncate(fd, 0) != 0)
        abort();
    truncates_after_check = false;
    return result;
}

static void note_failure(void *context, int error)
{
    (void)context;
    failure_error = failure_error ? -1 : error; /* -1: reported twice */
}

static int temporary(void)
{
    char path[] = "/tmp/refcl-mapped-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    return fd;
}

static struct mm_sink writer(int fd, unsigned flags)
{
    struct mm_sink sink;
    struct mm_error err;
    struct mm_trace_failure failure = {.function = note_failure};
    failure_error = 0;
    assert_int_equal(mm_trace_writer(dup(fd), MM_TRACE_UNCOMPRESSED | flags, &failure, &sink, &err), MM_OK);
    return sink;
}

static enum mm_class write_one(const struct mm_sink *sink, uint64_t i)
{
    struct mm_record r = {
        .type = MM_RECORD_EVENT,
        .event = {.kind = MM_WRITE, .agent = {1, (uint32_t)i}, .allocation = 1, .offset = i * i, .size = 4}};
    enum mm_class cls = sink->record(sink->context, &r);
    return cls == MM_OK ? sink->flush(sink->context) : cls;
}

static void write_many(int fd, unsigned flags)
{
    struct mm_sink sink = writer(fd, flags);
    unsigned char *large = calloc(1, LARGE);
    assert_non_null(large);
    for (uint64_t i = 0; i < 20000; i++)
        assert_int_equal(write_one(&sink, i), MM_OK);
    struct mm_record r = {.type = MM_RECORD_PROGRAM, .program = {1, LARGE, large}};
    assert_int_equal(sink.record(sink.context, &r), MM_OK);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(write_one(&sink, i), MM_OK);
    sink.close(sink.context);
    assert_int_equal(failure_error, 0);
    free(large);
}

static off_t size_of(int fd)
{
    struct stat status;
    assert_int_equal(fstat(fd, &status), 0);
    return status.st_size;
}

static void test_the_file_is_as_if_written(void **state)
{
    (void)state;
    int written = temporary(), mapped = temporary();
    write_many(written, 0);
    write_many(mapped, MM_TRACE_MAPPED);
    size_t size = (size_t)size_of(written);
    assert_true(size > LARGE);
    assert_int_equal(size_of(mapped), size);
    char *a = malloc(size), *b = malloc(size);
    assert_int_equal(pread(written, a, size, 0), size);
    assert_int_equal(pread(mapped, b, size, 0), size);
    assert_memory_equal(a, b, size);
    free(a);
    free(b);
    close(written);
    close(mapped);
}

static enum mm_class count_record(void *context, const struct mm_record *record)
{
    (void)record;
    ++*(uint64_t *)context;
    return MM_OK;
}

static uint64_t count_records(int fd, bool *complete)
{
    uint64_t count = 0;
    struct mm_sink sink = {.context = &count, .record = count_record};
    struct mm_error err;
    lseek(fd, 0, SEEK_SET);
    assert_int_equal(mm_trace_read(fd, "t", &sink, complete, &err), MM_OK);
    return count;
}

static void test_a_killed_writer_leaves_all_chunks(void **state)
{
    (void)state;
    bool complete;
    int fd = temporary(), status;
    pid_t child = fork();
    if (child == 0) {
        struct mm_sink sink = writer(fd, MM_TRACE_MAPPED);
        for (uint64_t i = 0; i < 5000; i++)
            write_one(&sink, i);
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(count_records(fd, &complete), 5000);
    assert_false(complete);
    close(fd);
}

/* A process that is killed during an append has not stored the first bytes of the chunk. */
static void test_a_chunk_without_its_first_bytes_is_left_out(void **state)
{
    (void)state;
    bool complete;
    int fd = temporary();
    struct mm_sink sink = writer(fd, MM_TRACE_MAPPED);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(write_one(&sink, i), MM_OK);
    off_t before = (off_t)MM_TRACE_FILE_HEADER;
    for (int i = 0; i < 2; i++) {
        uint32_t stored;
        assert_int_equal(pread(fd, &stored, sizeof stored, before + 8), sizeof stored);
        before += MM_TRACE_CHUNK_HEADER + (off_t)stored;
    }
    assert_int_equal(pwrite(fd, "\0\0\0\0", 4, before), 4);
    assert_int_equal(count_records(fd, &complete), 2);
    assert_false(complete);
    sink.close(sink.context);
    close(fd);
}

static void test_a_file_that_others_truncate(void **state)
{
    (void)state;
    int fd = temporary();
    struct mm_sink sink = writer(fd, MM_TRACE_MAPPED);
    assert_int_equal(write_one(&sink, 0), MM_OK);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_not_equal(write_one(&sink, 1), MM_OK);
    assert_int_equal(failure_error, EIO);
    sink.close(sink.context);
    assert_int_equal(failure_error, EIO);
    assert_int_equal(size_of(fd), 0);
    close(fd);
}

/* The rest of the page is still there. */
static void test_a_file_that_others_cut(void **state)
{
    (void)state;
    int fd = temporary();
    struct mm_sink sink = writer(fd, MM_TRACE_MAPPED);
    assert_int_equal(write_one(&sink, 0), MM_OK);
    assert_int_equal(ftruncate(fd, MM_TRACE_FILE_HEADER), 0);
    write_one(&sink, 1);
    sink.close(sink.context);
    assert_int_equal(failure_error, EIO);
    close(fd);
}

static void test_a_file_that_others_truncate_after_its_check(void **state)
{
    (void)state;
    bool complete;
    int fd = temporary();
    struct mm_sink sink = writer(fd, MM_TRACE_MAPPED), reader = {.record = count_record};
    struct mm_error err;
    assert_int_equal(write_one(&sink, 0), MM_OK);
    truncates_after_check = true;
    write_one(&sink, 1);
    sink.close(sink.context);
    lseek(fd, 0, SEEK_SET);
    assert_int_equal(mm_trace_read(fd, "t", &reader, &complete, &err), MM_INVALID);
    assert_non_null(strstr(err.message, "not a trace"));
    close(fd);
}

/* A write beyond the limit raises one signal, an access to memory beyond the file another. */
static void test_a_limit_of_file_sizes(void **state)
{
    (void)state;
    enum { LIMIT = 300001 };
    bool complete;
    int fd = temporary(), status;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit low = {LIMIT, LIMIT};
        setrlimit(RLIMIT_FSIZE, &low);
        struct mm_sink sink = writer(fd, MM_TRACE_MAPPED);
        uint64_t i = 0;
        while (write_one(&sink, i) == MM_OK)
            i++;
        sink.close(sink.context);
        bool right = failure_error == EFBIG && count_records(fd, &complete) == i && !complete &&
                     size_of(fd) > LIMIT - 100 && size_of(fd) <= LIMIT;
        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(fd);
}

static void test_a_descriptor_that_is_closed(void **state)
{
    (void)state;
    int fd = temporary();
    struct mm_sink sink = writer(fd, MM_TRACE_MAPPED);
    assert_int_equal(write_one(&sink, 0), MM_OK);
    struct stat own, other;
    assert_int_equal(fstat(fd, &own), 0);
    for (int i = fd + 1; i < 8192; i++) /* the writer's has a high number */
        if (fstat(i, &other) == 0 && other.st_ino == own.st_ino && other.st_dev == own.st_dev)
            close(i);
    assert_int_equal(write_one(&sink, 1), MM_OK); /* mapped memory remains the trace's */
    sink.close(sink.context);
    assert_int_equal(failure_error, EBADF);
    bool complete;
    assert_int_equal(count_records(fd, &complete), 2);
    assert_true(complete);
    close(fd);
}

/* Pipes, and files without read permission, are written to. */
static void test_what_cannot_be_mapped(void **state)
{
    (void)state;
    char path[64];
    bool complete;
    int fd = temporary();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int only_written = open(path, O_WRONLY);
    assert_true(only_written >= 0);
    struct mm_sink sink = writer(only_written, MM_TRACE_MAPPED);
    assert_int_equal(write_one(&sink, 0), MM_OK);
    assert_true(size_of(fd) < 4096);
    sink.close(sink.context);
    assert_int_equal(count_records(fd, &complete), 1);
    assert_true(complete);
    close(only_written);
    close(fd);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    sink = writer(ends[1], MM_TRACE_MAPPED);
    close(ends[1]);
    assert_int_equal(write_one(&sink, 0), MM_OK);
    sink.close(sink.context);
    assert_int_equal(count_records(ends[0], &complete), 1);
    assert_true(complete);
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_file_is_as_if_written),
        cmocka_unit_test(test_a_killed_writer_leaves_all_chunks),
        cmocka_unit_test(test_a_chunk_without_its_first_bytes_is_left_out),
        cmocka_unit_test(test_a_file_that_others_truncate),
        cmocka_unit_test(test_a_file_that_others_cut),
        cmocka_unit_test(test_a_file_that_others_truncate_after_its_check),
        cmocka_unit_test(test_a_limit_of_file_sizes),
        cmocka_unit_test(test_a_descriptor_that_is_closed),
        cmocka_unit_test(test_what_cannot_be_mapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
