/* Bytes through memory shared by two processes: order, a full ring, data that outlives the writer, and errors
 * of the other process. */
#include "memmodel/trace/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int ends[2]; /* reader, writer */
static struct mm_ring *receiver;

static void connect_both(void)
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    receiver = NULL;
}

static struct mm_ring *connected(void)
{
    char head[4];
    connect_both();
    struct mm_ring *writer = mm_ring_send(ends[1], "head", 4);
    assert_non_null(writer);
    assert_int_equal(mm_ring_receive(ends[0], head, sizeof head, &receiver), 4);
    assert_memory_equal(head, "head", 4);
    assert_non_null(receiver);
    return writer;
}

static void disconnect(struct mm_ring *writer)
{
    mm_ring_destroy(writer);
    mm_ring_destroy(receiver);
    close(ends[0]);
    close(ends[1]);
}

static void test_bytes_come_in_order(void **state)
{
    (void)state;
    struct mm_ring *writer = connected();
    char got[8];
    assert_int_equal(mm_ring_take(receiver, got, sizeof got), 0);
    assert_true(mm_ring_write(writer, ends[1], "one", 3));
    assert_true(mm_ring_write(writer, ends[1], "two", 3));
    assert_true(mm_ring_has_room(writer, (4 << 20) - 6));
    assert_false(mm_ring_has_room(writer, (4 << 20) - 5));
    assert_int_equal(mm_ring_take(receiver, got, 4), 4);
    assert_memory_equal(got, "onet", 4);
    assert_int_equal(mm_ring_take(receiver, got, sizeof got), 2);
    assert_memory_equal(got, "wo", 2);
    assert_int_equal(mm_ring_take(receiver, got, sizeof got), 0);
    disconnect(writer);
}

enum {
    PARTS = 3000,
    PART = 4099
}; /* three times as much as the ring holds, in parts that do not divide its size */

static unsigned char byte_at(size_t position)
{
    return (unsigned char)(position * 167 >> 3);
}

/* The writer waits for space, and is killed by a signal after its last write. */
static void write_and_die(struct mm_ring *writer)
{
    static unsigned char part[PART];
    for (size_t i = 0; i < PARTS; i++) {
        for (size_t k = 0; k < PART; k++)
            part[k] = byte_at(i * PART + k);
        if (!mm_ring_write(writer, ends[1], part, PART))
            _exit(1);
    }
    raise(SIGKILL);
}

static void test_a_full_ring_waits_and_outlives_the_writer(void **state)
{
    (void)state;
    struct mm_ring *writer = connected();
    pid_t child = fork();
    if (child == 0)
        write_and_die(writer);
    close(ends[1]);
    size_t position = 0;
    for (bool over = false; !over;) {
        static unsigned char got[1 << 16];
        struct pollfd wait = {.fd = ends[0], .events = POLLIN};
        over = poll(&wait, 1, 1) > 0;
        for (ssize_t n; (n = mm_ring_take(receiver, got, sizeof got)) != 0; position += (size_t)n) {
            assert_true(n > 0);
            for (size_t k = 0; k < (size_t)n; k++)
                assert_int_equal(got[k], byte_at(position + k));
        }
    }
    assert_int_equal(position, (size_t)PARTS * PART);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    disconnect(writer);
}

static void test_a_writer_whose_reader_is_gone_stops(void **state)
{
    (void)state;
    static unsigned char much[8 << 20];
    struct mm_ring *writer = connected();
    close(ends[0]);
    assert_false(mm_ring_write(writer, ends[1], much, sizeof much));
    assert_int_equal(errno, EPIPE);
    disconnect(writer);
}

/* The first words of the shared memory's two cache lines are the counters. */
static uint64_t *counters(void)
{
    struct {
        void *shared;
        uint64_t own;
    } *known = (void *)receiver;
    return known->shared;
}

static void test_impossible_counters_are_errors(void **state)
{
    (void)state;
    char got[8];
    struct mm_ring *writer = connected();
    counters()[0] = UINT64_C(1) << 40;
    assert_int_equal(mm_ring_take(receiver, got, sizeof got), -1);
    assert_int_equal(errno, EPROTO);
    counters()[8] = 1; /* taken before it was written */
    assert_false(mm_ring_write(writer, ends[1], "x", 1));
    assert_int_equal(errno, EPROTO);
    disconnect(writer);
}

static void send_file(int file)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {{0}};
    struct iovec part = {"head", 4};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    control.header = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof file)};
    memcpy(CMSG_DATA(&control.header), &file, sizeof file);
    assert_int_equal(sendmsg(ends[1], &message, 0), 4);
    close(file);
}

/* A file that can be truncated would end the reader by SIGBUS. */
static void test_other_files_are_no_rings(void **state)
{
    (void)state;
    char got[8];
    for (int size = 0; size <= 1; size++) {
        connect_both();
        int file = memfd_create("other", MFD_CLOEXEC);
        assert_int_equal(ftruncate(file, size * ((4 << 20) + 128)), 0);
        send_file(file);
        assert_int_equal(mm_ring_receive(ends[0], got, sizeof got, &receiver), 4);
        assert_null(receiver);
        disconnect(NULL);
    }
}

static void test_plain_bytes_bring_no_ring(void **state)
{
    (void)state;
    char got[8];
    int pipes[2];
    connect_both();
    assert_int_equal(write(ends[1], "plain", 5), 5);
    assert_int_equal(mm_ring_receive(ends[0], got, sizeof got, &receiver), 5);
    assert_null(receiver);
    disconnect(NULL);
    assert_int_equal(pipe(pipes), 0);
    assert_null(mm_ring_send(pipes[1], "head", 4)); /* no socket */
    assert_int_equal(write(pipes[1], "plain", 5), 5);
    assert_int_equal(mm_ring_receive(pipes[0], got, sizeof got, &receiver), 5);
    close(pipes[0]);
    close(pipes[1]);
}

/* Making the file larger than the limit raises a signal. */
static void test_no_ring_beyond_the_limit_of_files(void **state)
{
    (void)state;
    struct rlimit old, low;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    low = (struct rlimit){4096, old.rlim_max};
    connect_both();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    assert_null(mm_ring_send(ends[1], "head", 4));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    disconnect(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_come_in_order),
        cmocka_unit_test(test_a_full_ring_waits_and_outlives_the_writer),
        cmocka_unit_test(test_a_writer_whose_reader_is_gone_stops),
        cmocka_unit_test(test_impossible_counters_are_errors),
        cmocka_unit_test(test_other_files_are_no_rings),
        cmocka_unit_test(test_plain_bytes_bring_no_ring),
        cmocka_unit_test(test_no_ring_beyond_the_limit_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
