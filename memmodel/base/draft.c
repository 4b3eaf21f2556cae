/* See draft.h. */
#include "memmodel/base/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>

enum { ATTEMPTS = 3 };

int mm_draft_open(int folder, const char *prefix, mode_t mode, char *name, size_t size)
{
    uint64_t number;
    int file = -1;
    for (unsigned attempt = 0; file < 0 && attempt < ATTEMPTS && (attempt == 0 || errno == EEXIST);
         attempt++) {
        if (getrandom(&number, sizeof number, 0) != sizeof number)
            return -1;
        int n = snprintf(name, size, "%s%0*llx", prefix, MM_DRAFT_DIGITS, (unsigned long long)number);
        if (n < 0 || (size_t)n >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    }
    return file;
}
