/* Temporary folders. The process that creates one, and its children, hold a lock on a file in it; the next
 * process to create a folder removes the unlocked folders of killed commands. */
#include "tools/tool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "refcl-"
#define OWNER  ".owner"

static struct held {
    char path[PATH_MAX];
    int lock;
    struct held *next;
} * held;

/* Absolute: an application that gets a name in it may change its current directory. */
static const char *base_folder(void)
{
    static char path[PATH_MAX];
    const char *base = getenv("TMPDIR");
    base = base && *base ? base : "/tmp";
    return *path || realpath(base, path) ? path : base;
}

/* The lock is taken before the file gets its name, so no process finds the file unlocked. */
static int lock_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int lock = folder < 0 ? -1 : openat(folder, OWNER ".new", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 &&
                renameat(folder, OWNER ".new", folder, OWNER) == 0;
    if (folder >= 0)
        close(folder);
    if (!good && lock >= 0)
        close(lock);
    return good ? lock : -1;
}

static void hold_folder(const char *path)
{
    struct held *h = mm_alloc_zero(1, sizeof *h);
    if (!h)
        return;
    snprintf(h->path, sizeof h->path, "%s", path);
    h->lock = lock_folder(path);
    h->next = held;
    held = h;
}

static void release_folder(const char *path)
{
    for (struct held **at = &held; *at; at = &(*at)->next)
        if (strcmp((*at)->path, path) == 0) {
            struct held *h = *at;
            *at = h->next;
            if (h->lock >= 0)
                close(h->lock);
            mm_free(h);
            return;
        }
}

/* The files in FOLDER, which is closed; the file that is locked last. */
static void empty_folder(int folder)
{
    DIR *files = fdopendir(folder);
    for (struct dirent *e; files && (e = readdir(files));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && strcmp(e->d_name, OWNER) != 0)
            unlinkat(dirfd(files), e->d_name, 0);
    if (files) {
        unlinkat(dirfd(files), OWNER, 0);
        closedir(files);
    } else {
        close(folder);
    }
}

/* Whether FOLDER is the user's own, and its owner is gone: the lock is then held by *LOCK. */
static bool is_left(int folder, int *lock)
{
    struct stat status;
    *lock = fstat(folder, &status) == 0 && status.st_uid == geteuid()
                ? openat(folder, OWNER, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                : -1;
    return *lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) == 0;
}

static void remove_if_left(int base, const char *name)
{
    int lock = -1, folder = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    if (is_left(folder, &lock)) {
        empty_folder(folder);
        unlinkat(base, name, AT_REMOVEDIR);
    } else {
        close(folder);
    }
    if (lock >= 0)
        close(lock);
}

static void remove_left(void)
{
    DIR *base = opendir(base_folder());
    for (struct dirent *e; base && (e = readdir(base));)
        if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) == 0 && strlen(e->d_name) == strlen(PREFIX) + 6)
            remove_if_left(dirfd(base), e->d_name);
    if (base)
        closedir(base);
}

int tool_make_folder(char *folder, size_t size)
{
    remove_left();
    int n = snprintf(folder, size, "%s/" PREFIX "XXXXXX", base_folder());
    errno = ENAMETOOLONG;
    if (n > 0 && (size_t)n < size && mkdtemp(folder)) {
        hold_folder(folder);
        return 0;
    }
    *folder = 0;
    return tool_error(EXIT_TOOL, "no temporary folder in '%s' (TMPDIR): %s", base_folder(), strerror(errno));
}

void tool_remove_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
        empty_folder(folder);
    rmdir(path);
    release_folder(path);
}
