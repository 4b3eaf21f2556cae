/* Source locations of host code: from module and offset to file and line, with addr2line. */
#include "tools/session/places.h"

#include "memmodel/base/array.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ANSWER = 4096, TEXT_MAX = 4 << 20, MOST_ASKED = 500 };

/* Asks addr2line.  ANSWER becomes "function\nfile:line\n", or empty if there is no answer. */
static void ask_symbolizer(const char *module, const char *offset, char answer[ANSWER])
{
    int out[2];
    size_t used = 0;
    answer[0] = 0;
    if (pipe(out))
        return;
    static char *const programs[] = {/* the one that starts fastest first */
                                     (char *)(uintptr_t) "addr2line", (char *)(uintptr_t) "llvm-addr2line-15",
                                     (char *)(uintptr_t) "llvm-addr2line"};
    char *words[] = {(char *)(uintptr_t) "addr2line",
                     (char *)(uintptr_t) "-f",
                     (char *)(uintptr_t) "-C",
                     (char *)(uintptr_t) "-e",
                     (char *)(uintptr_t)module,
                     (char *)(uintptr_t)offset,
                     NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, out[0]);
    pid_t child;
    bool started = false;
    for (size_t i = 0; !started && i < sizeof programs / sizeof *programs; i++)
        started = posix_spawnp(&child, programs[i], &actions, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    for (ssize_t n; started && used < ANSWER - 1; used += (size_t)n)
        if ((n = read(out[0], answer + used, ANSWER - 1 - used)) <= 0)
            break;
    answer[used] = 0;
    close(out[0]);
    while (started && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

static void keep_text(char **slot, char *s)
{
    mm_free(*slot);
    *slot = s;
}

static char *read_file(const char *path)
{
    struct stat info;
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "r") : NULL;
    char *text = file ? mm_alloc(TEXT_MAX) : NULL;
    if (text)
        text[fread(text, 1, TEXT_MAX - 1, file)] = 0;
    if (file)
        fclose(file);
    return text;
}

/* Whether the text of FILE was recorded before, or cannot be: out of memory. */
static bool was_recorded(struct session_places *places, const char *file)
{
    for (size_t i = 0; i < places->file_count; i++)
        if (strcmp(places->files[i], file) == 0)
            return true;
    char *copy = mm_strdup(file);
    if (copy && mm_append(&places->files, &places->file_count, &copy))
        return false;
    mm_free(copy);
    return true;
}

/* Makes TEXT the record of FILE's contents, unless they were recorded already. */
static void record_text(struct session_places *places, const char *file, struct mm_record *text)
{
    if (!*file || was_recorded(places, file))
        return;
    keep_text(&places->strings[2], read_file(file));
    if (places->strings[2])
        *text = (struct mm_record){.type = MM_RECORD_TEXT, .text = {file, places->strings[2]}};
}

bool session_places_find(struct session_places *places, struct mm_record *record, struct mm_record *text)
{
    struct mm_source *source = &record->source;
    char answer[ANSWER];
    text->type = 0;
    if (!source->function || strncmp(source->function, "@0x", 3) != 0)
        return false;
    answer[0] = 0;
    if (!places->hidden && places->asked++ < MOST_ASKED)
        ask_symbolizer(source->file, source->function + 1, answer);
    char *line = strchr(answer, '\n');
    char *colon = line ? strrchr(line, ':') : NULL;
    if (!colon || line[1] == '?') {
        source->file = source->function = "";
        return true;
    }
    *line++ = *colon++ = 0;
    keep_text(&places->strings[0], mm_strdup(answer));
    keep_text(&places->strings[1], mm_strdup(line));
    if (!places->strings[0] || !places->strings[1])
        return false;
    source->function = places->strings[0];
    source->file = places->strings[1];
    source->line = (uint32_t)strtoul(colon, NULL, 10);
    record_text(places, source->file, text);
    return true;
}

void session_places_locate(void *context, struct mm_source *source, struct mm_text *text)
{
    struct mm_record record = {.type = MM_RECORD_SOURCE, .source = *source}, found;
    found.type = 0;
    if (source->line) /* in a file that a kernel includes */
        record_text(context, source->file, &found);
    else if (!session_places_find(context, &record, &found))
        return;
    *source = record.source;
    if (found.type == MM_RECORD_TEXT)
        *text = found.text;
}

void session_places_clear(struct session_places *places)
{
    for (size_t i = 0; i < 3; i++)
        mm_free(places->strings[i]);
    for (size_t i = 0; i < places->file_count; i++)
        mm_free(places->files[i]);
    mm_free(places->files);
    *places = (struct session_places){0};
}
