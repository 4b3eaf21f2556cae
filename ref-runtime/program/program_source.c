/* Names for program text: users see their own file names in reports when the text given to
 * clCreateProgramWithSource is that of a .cl file in the working directory or in REFCL_SOURCE_PATH. */
#include "ref-runtime/program/program.h"
#include "ref-runtime/setting.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_ENTRIES 4096 /* directory entries examined */

static bool same_text(const char *path, const char *text, size_t size)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool same = !fstat(fd, &status) && S_ISREG(status.st_mode) && (size_t)status.st_size == size;
    for (size_t done = 0; same && done < size;) {
        char chunk[4096];
        ssize_t n = read(fd, chunk, sizeof chunk);
        same = n > 0 && (size_t)n <= size - done && !memcmp(chunk, text + done, (size_t)n);
        done += same ? (size_t)n : 0;
    }
    close(fd);
    return same;
}

/* The files that hold a text. */
struct match {
    char path[PATH_MAX];
    struct stat status; /* of PATH */
    unsigned files;     /* that are not the same one */
    bool named;         /* PATH is a word of the command line: no other file counts */
};

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether a word of the application's command line names the file. */
static bool is_on_command_line(const struct stat *status)
{
    static char words[1 << 16];
    static struct mm_mutex lock = MM_MUTEX;
    struct stat other;
    bool found = false;
    mm_mutex_lock(&lock);
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? 0 : read(fd, words, sizeof words - 1);
    words[size > 0 ? size : 0] = 0;
    for (const char *word = words; !found && word < words + size; word += strlen(word) + 1)
        found = stat(word, &other) == 0 && is_same_file(status, &other);
    if (fd >= 0)
        close(fd);
    mm_mutex_unlock(&lock);
    return found;
}

static void add_match(struct match *m, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || (m->files > 0 && is_same_file(&status, &m->status)))
        return;
    m->named = is_on_command_line(&status);
    if (m->named || m->files == 0) {
        snprintf(m->path, sizeof m->path, "%s", path);
        m->status = status;
    }
    m->files++;
}

/* The files in DIRECTORY that hold TEXT. */
static void search_directory(const char *directory, const char *text, struct match *m)
{
    DIR *dir = opendir(directory);
    if (!dir)
        return;
    char path[PATH_MAX];
    size_t size = strlen(text);
    struct dirent *entry;
    for (int i = 0; !m->named && i < MAX_ENTRIES && (entry = readdir(dir)); i++) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".cl"))
            continue;
        int n = strcmp(directory, ".") ? snprintf(path, sizeof path, "%s/%s", directory, entry->d_name)
                                       : snprintf(path, sizeof path, "%s", entry->d_name);
        if (n > 0 && (size_t)n < sizeof path && same_text(path, text, size))
            add_match(m, path);
    }
    closedir(dir);
}

/* Of several files with the text, that on the command line; without one, the file that the application read
 * is unknown, so none is named. */
char *rt_program_find_file(const char *text, uint32_t number)
{
    char path[PATH_MAX], directory[PATH_MAX];
    struct match match = {.files = 0};
    if (*text)
        search_directory(".", text, &match);
    const char *list = rt_setting_text(RT_SET_SOURCE_PATH, NULL);
    while (*text && !match.named && list && *list) {
        size_t length = strcspn(list, ":");
        if (length && length < sizeof directory) {
            memcpy(directory, list, length);
            directory[length] = 0;
            search_directory(directory, text, &match);
        }
        list += length + (list[length] == ':');
    }
    snprintf(path, sizeof path, "program%u.cl", number);
    return mm_strdup(match.named || match.files == 1 ? match.path : path);
}
