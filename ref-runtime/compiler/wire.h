/* What travels between librefcl.so and its compiler helper.
 *
 * The client sends one byte and two descriptors over the control socket for every job: a stream socket
 * for the job itself and a file that takes the child's standard error.  On the stream go an
 * acknowledgement byte (to the client), a request, and a response.  Both are a header and tagged blobs,
 * in the byte order of the machine: both ends are built together. */
#ifndef REF_RUNTIME_COMPILER_WIRE_H
#define REF_RUNTIME_COMPILER_WIRE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#define RT_WIRE_MAGIC      0x31434652u /* "RFC1" */
#define RT_WIRE_ACK        'A'
#define RT_WIRE_CONTROL_FD 3
#define RT_WIRE_MAX        (1u << 30) /* bytes of one blob */
#define RT_WIRE_PATIENCE   5 /* limit on wall-clock time, as a multiple of the processor time of the job */

enum rt_wire_tag {
    RT_TAG_OPERATION = 1, /* uint32_t, enum rt_wire_operation */
    RT_TAG_SOURCE,
    RT_TAG_FILE,
    RT_TAG_ARGUMENT, /* one for each compiler argument */
    RT_TAG_STANDARD, /* "CL1.2" */
    RT_TAG_HEADER_NAME,
    RT_TAG_HEADER_TEXT, /* belongs to the name before it */
    RT_TAG_EXTENSIONS,
    RT_TAG_FEATURES,
    RT_TAG_DIRECTORY, /* working directory of the client */
    RT_TAG_LIBRARY,   /* present: keep exports */
    RT_TAG_MODULE,    /* SPIR-V, one for each module to link */
    RT_TAG_TIMEOUT,   /* uint32_t seconds of processor time */
    RT_TAG_FAULT,     /* for tests: "abort", "segv", "hang", "exit", "server", "escape" */
    RT_TAG_CLASS,     /* response: uint32_t, enum mm_class */
    RT_TAG_LOG,
    RT_TAG_BINARY,
    RT_TAG_DEPENDENCIES, /* what the result depends on; absent where it must not be kept */
    RT_TAG_UNCONFINED    /* why the job was not confined; absent where it was */
};
enum rt_wire_operation { RT_OPERATION_COMPILE = 1, RT_OPERATION_LINK };

/* A dependency: the kind, a path and its end, an identity (memmodel/base/identity.h) and its end. */
enum rt_dependency { RT_DEPENDS_ON_FILE = 'F', RT_DEPENDS_ON_BINARY = 'B' };

struct rt_wire_head {
    uint32_t magic;
    uint32_t blobs;
};
struct rt_wire_blob {
    uint32_t tag;
    uint32_t size; /* the bytes follow */
};

/* Whole transfers over a stream socket; false at the end of the stream or on an error. */
static inline bool rt_wire_send(int fd, const void *data, size_t size)
{
    const char *at = (const char *)data;
    while (size) {
        ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}
static inline bool rt_wire_receive(int fd, void *data, size_t size)
{
    char *at = (char *)data;
    while (size) {
        ssize_t n = recv(fd, at, size, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}
static inline bool rt_wire_send_blob(int fd, uint32_t tag, const void *data, size_t size)
{
    struct rt_wire_blob blob = {.tag = tag, .size = (uint32_t)size};
    return size <= RT_WIRE_MAX && rt_wire_send(fd, &blob, sizeof blob) && rt_wire_send(fd, data, size);
}

#endif
