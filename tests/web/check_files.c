/* The playground's checker on files, one line of JSON each: check_files FLAGS MODEL-FOLDER MODEL SWITCHES
 * RELATIONS FILE... or the changes that forbid a final state (FLAGS 4: that allow it): check_files FLAGS
 * MODEL-FOLDER MODEL SWITCHES state:VALUES FILE... */
#include "memmodel/base/input.h"
#include "memmodel/base/memory.h"
#include "tools/web/playground.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_text(const char *path)
{
    struct mm_error err = {0};
    char *text;
    size_t size;
    if (mm_input_read(MM_INPUT_SOURCE, path, &text, &size, &err) == MM_OK)
        return text;
    fprintf(stderr, "%s: %s\n", path, err.message);
    exit(2);
}

static void set_models(const char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        const char *dot = strrchr(e->d_name, '.');
        char path[PATH_MAX];
        if (!dot || strcmp(dot, ".cat") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        char *text = read_text(path);
        if (!playground_set_file(e->d_name, text))
            exit(4);
        mm_free(text);
    }
    if (dir)
        closedir(dir);
}

int main(int argc, char **argv)
{
    if (argc < 6)
        return 2;
    set_models(argv[2]);
    for (int i = 6; i < argc; i++) {
        char *text = read_text(argv[i]);
        unsigned flags = (unsigned)atoi(argv[1]);
        char *json = strncmp(argv[5], "state:", 6) == 0
                         ? playground_advise(text, argv[3], argv[4], argv[5] + 6, flags, 60000)
                         : playground_check(text, argv[3], argv[4], argv[5], flags, 60000);
        if (!json)
            return 4;
        puts(json);
        playground_free(json);
        mm_free(text);
    }
    return 0;
}
