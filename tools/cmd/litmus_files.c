/* Reading many litmus tests, from files and folders. */
#include "tools/cmd/litmus_files.h"
#include "memmodel/base/array.h"
#include "tools/tool.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 16 };

static int add_path(struct litmus_files *files, const char *path)
{
    char *copy = mm_strdup(path);
    if (copy && mm_append(&files->paths, &files->count, &copy))
        return 0;
    mm_free(copy);
    return tool_error(EXIT_TOOL, "out of memory");
}

static int add_tree(struct litmus_files *files, const char *path, int depth);

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Adds the entry NAME of folder PATH if it is a test or a folder. */
static int add_entry(struct litmus_files *files, const char *path, const char *name, int depth)
{
    char child[PATH_MAX];
    if (snprintf(child, sizeof child, "%s/%s", path, name) >= (int)sizeof child)
        return tool_error(EXIT_USAGE, "the path of '%s' in '%s' is too long", name, path);
    return tool_has_suffix(name, ".litmus") || is_folder(child) ? add_tree(files, child, depth + 1) : 0;
}

static int add_folder(struct litmus_files *files, const char *path, int depth)
{
    struct dirent **entries;
    int code = 0, n = scandir(path, &entries, NULL, alphasort);
    if (n < 0)
        return tool_error(EXIT_USAGE, "cannot read folder '%s': %s", path, strerror(errno));
    for (int i = 0; i < n; i++) {
        if (!code && entries[i]->d_name[0] != '.')
            code = add_entry(files, path, entries[i]->d_name, depth);
        free(entries[i]);
    }
    free(entries);
    return code;
}

static int add_tree(struct litmus_files *files, const char *path, int depth)
{
    struct stat status;
    if (stat(path, &status))
        return tool_error(EXIT_USAGE, "cannot read '%s': %s", path, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return add_path(files, path);
    return depth < MAX_DEPTH
               ? add_folder(files, path, depth)
               : tool_error(EXIT_USAGE, "'%s': more than %d folders within one another", path, MAX_DEPTH);
}

int litmus_files_add(struct litmus_files *files, const char *path)
{
    size_t before = files->count;
    int code = add_tree(files, path, 0);
    return code || files->count > before ? code : tool_error(EXIT_USAGE, "no litmus test in '%s'", path);
}

void litmus_files_clear(struct litmus_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        mm_free(files->paths[i]);
        if (files->tests)
            lt_test_destroy(files->tests[i]);
    }
    mm_free(files->paths);
    mm_free(files->tests);
    *files = (struct litmus_files){0};
}

int litmus_files_load(struct litmus_files *files, int argc, char **argv, int first)
{
    struct mm_error err = {0};
    if (first == argc)
        return tool_error(EXIT_USAGE, "no litmus test given");
    for (int i = first; i < argc; i++) {
        int code = litmus_files_add(files, argv[i]);
        if (code)
            return code;
    }
    files->tests = mm_alloc_zero(files->count, sizeof(struct lt_test *));
    if (!files->tests)
        return tool_error(EXIT_TOOL, "out of memory");
    for (size_t i = 0; i < files->count; i++)
        if (lt_parse_file(files->paths[i], &files->tests[i], &err) != MM_OK)
            return tool_report(&err);
    return 0;
}
