/* Writing to files and sockets from inside an application, which a failed write must not end. */
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

/* A failed write sends a signal to its thread: SIGPIPE if the reader has closed, SIGXFSZ if the file has
 * reached RLIMIT_FSIZE.  Both are blocked meanwhile, and a signal that this write caused is consumed. */
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
