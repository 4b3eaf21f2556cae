/* Names for program text: users see their own file names in reports when the text given to
 * clCreateProgramWithSource is that of a .cl file in the working directory or in REFCL_SOURCE_PATH. */
#include "ref-runtime/program.h"
#include "ref-runtime/setting.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_ENTRIES 4096 /* directory entries looked at */

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

/* The file in DIRECTORY that holds TEXT; its name goes to PATH. */
static bool search(const char *directory, const char *text, char *path, size_t path_size)
{
    DIR *dir = opendir(directory);
    if (!dir)
        return false;
    size_t size = strlen(text);
    bool found = false;
    struct dirent *entry;
    for (int i = 0; !found && i < MAX_ENTRIES && (entry = readdir(dir)); i++) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".cl"))
            continue;
        int n = strcmp(directory, ".") ? snprintf(path, path_size, "%s/%s", directory, entry->d_name)
                                       : snprintf(path, path_size, "%s", entry->d_name);
        found = n > 0 && (size_t)n < path_size && same_text(path, text, size);
    }
    closedir(dir);
    return found;
}

char *rt_program_find_file(const char *text, uint32_t number)
{
    char path[PATH_MAX], directory[PATH_MAX];
    if (*text && search(".", text, path, sizeof path))
        return mm_strdup(path);
    const char *list = rt_setting_text(RT_SET_SOURCE_PATH, NULL);
    while (*text && list && *list) {
        size_t length = strcspn(list, ":");
        if (length && length < sizeof directory) {
            memcpy(directory, list, length);
            directory[length] = 0;
            if (search(directory, text, path, sizeof path))
                return mm_strdup(path);
        }
        list += length + (list[length] == ':');
    }
    snprintf(path, sizeof path, "program%u.cl", number);
    return mm_strdup(path);
}
