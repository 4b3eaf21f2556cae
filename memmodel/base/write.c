/* Writing to files and sockets from inside an application, whose life must not depend on it. */

#include "memmodel/base/write.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static bool write_loop(int fd, const unsigned char *p, size_t size)
{
    while (size) {
        ssize_t n = write(fd, p, size);
        if (n > 0) {
            p += n;
            size -= (size_t)n;
        } else if (n == 0) {
            errno = ENOSPC;
            return false;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            struct pollfd wait = {.fd = fd, .events = POLLOUT};
            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* A write that fails sends its signal to the thread that writes: SIGPIPE, as the reader went away, or
 * SIGXFSZ, as the file reached the limit of its size (RLIMIT_FSIZE).  Both are blocked meanwhile, and the one
 * that this write caused is taken away. */
bool mm_write_all(int fd, const void *data, size_t size)
{
    sigset_t blocked, old, pending;
    const struct timespec now = {0, 0};
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGPIPE);
    sigaddset(&blocked, SIGXFSZ);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &blocked, &old);
    bool ok = write_loop(fd, data, size);
    int error = errno, caused = error == EPIPE ? SIGPIPE : SIGXFSZ;
    if (!ok && (error == EPIPE || error == EFBIG) && !sigismember(&pending, caused)) {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, caused);
        sigtimedwait(&one, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = error;
    return ok;
}
