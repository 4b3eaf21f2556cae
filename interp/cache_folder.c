/* Walks the path component by component, each relative to the folder that was opened and checked before it.
 * The checked folder is therefore the one used, even if other processes rename folders in the meantime (no
 * time-of-check to time-of-use race). */
#include "interp/cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

struct walk {
    int at;                  /* the folder reached */
    char rest[2 * PATH_MAX]; /* what remains of the path */
    const char *why;         /* reason of failure; NULL: none so far */
    unsigned links;
};

static bool is_ours(const struct stat *status)
{
    return status->st_uid == geteuid() || status->st_uid == 0;
}

/* In a sticky folder, such as /tmp, other users cannot rename or remove this user's files. */
static bool is_safe_parent(const struct stat *status)
{
    return is_ours(status) && ((status->st_mode & 022) == 0 || (status->st_mode & S_ISVTX) != 0);
}

static bool walk_enter(struct walk *w, int next)
{
    if (w->at >= 0)
        close(w->at);
    w->at = next;
    return next >= 0;
}

static bool start_at_root(struct walk *w)
{
    struct stat status;
    if (!walk_enter(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) || fstat(w->at, &status) != 0)
        w->why = "it cannot be opened";
    else if (!is_safe_parent(&status))
        w->why = "other users can rename a parent directory";
    return !w->why;
}

/* Prepends the target of LINK to the rest of the path. */
static bool walk_follow_link(struct walk *w, int link)
{
    char target[PATH_MAX], joined[sizeof w->rest];
    ssize_t n = readlinkat(link, "", target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    int length = snprintf(joined, sizeof joined, "%s/%s", target, w->rest);
    if (n <= 0 || length >= (int)sizeof joined || ++w->links > MOST_LINKS) {
        w->why = "too many symbolic links";
        return false;
    }
    memcpy(w->rest, joined, (size_t)length + 1);
    return *target != '/' || start_at_root(w);
}

static bool walk_component(struct walk *w, const char *name)
{
    struct stat status;
    int next = openat(w->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0 && errno == ENOENT && (mkdirat(w->at, name, 0700) == 0 || errno == EEXIST))
        next = openat(w->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0 || fstat(next, &status) != 0) {
        w->why = "it cannot be created";
    } else if (S_ISLNK(status.st_mode) && is_ours(&status)) {
        bool followed = walk_follow_link(w, next);
        close(next);
        return followed;
    } else if (!S_ISDIR(status.st_mode)) {
        w->why = S_ISLNK(status.st_mode) ? "another user owns a symbolic link in its path"
                                         : "it is not a directory";
    } else if (!is_safe_parent(&status)) {
        w->why = "other users can rename a parent directory, or write to it";
    } else {
        return walk_enter(w, next);
    }
    if (next >= 0)
        close(next);
    return false;
}

/* Removes the first component from the rest of the path; false at its end. */
static bool next_component(struct walk *w, char name[NAME_MAX + 1])
{
    const char *start = w->rest + strspn(w->rest, "/");
    size_t length = strcspn(start, "/");
    if (length > NAME_MAX)
        w->why = "the path is too long";
    if (length == 0 || length > NAME_MAX)
        return false;
    memcpy(name, start, length);
    name[length] = 0;
    memmove(w->rest, start + length, strlen(start + length) + 1);
    return true;
}

int in_cache_folder_open(const char *path, const char **why)
{
    char name[NAME_MAX + 1], here[PATH_MAX] = "";
    struct walk w = {.at = -1};
    struct stat status;
    if (*path != '/' && !getcwd(here, sizeof here))
        w.why = "there is no working directory";
    else if (snprintf(w.rest, sizeof w.rest, "%s/%s", here, path) >= (int)sizeof w.rest)
        w.why = "the path is too long";
    else if (start_at_root(&w))
        while (next_component(&w, name) && walk_component(&w, name))
            ;
    int folder = !w.why ? openat(w.at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (!w.why && (folder < 0 || fstat(folder, &status) != 0))
        w.why = "it cannot be opened";
    else if (!w.why && (status.st_uid != geteuid() || (status.st_mode & 022) != 0))
        w.why = "other users can write to it";
    if (w.at >= 0)
        close(w.at);
    if (w.why && folder >= 0)
        close(folder);
    *why = w.why;
    return !w.why ? folder : -1;
}

int in_cache_entry_open(int folder, const char *name, struct stat *status)
{
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return -1;
    if (fstat(file, status) == 0 && S_ISREG(status->st_mode) && status->st_uid == geteuid() &&
        (status->st_mode & 022) == 0)
        return file;
    close(file);
    return -1;
}
