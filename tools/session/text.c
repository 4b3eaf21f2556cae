/* Edits program sources for the verification of suggested fixes. */
#include "tools/session/text.h"
#include "tools/session/session.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- lines --------------------------------------------------------------------------------------- */

/* Returns the end of the comment, literal or character at P. */
static const char *skip_token(const char *p, const char *end)
{
    if (p[0] == '/' && p[1] == '/') {
        while (p < end && *p != '\n')
            p++;
    } else if (p[0] == '/' && p[1] == '*') {
        p = strstr(p + 2, "*/");
        p = p ? p + 2 : end;
    } else if (*p == '"' || *p == '\'') {
        char quote = *p++;
        while (p < end && *p != quote)
            p += *p == '\\' ? 2 : 1;
        p++;
    } else {
        p++;
    }
    return p < end ? p : end;
}

bool session_text_may_begin(const char *text, uint32_t line)
{
    const char *at = ck_source_line(text, line);
    int braces = 0, parentheses = 0;
    char last = 0;
    for (const char *p = text, *next; at && p < at; p = next) {
        next = skip_token(p, at);
        bool plain = next == p + 1;
        braces += plain ? (*p == '{') - (*p == '}') : 0;
        parentheses += plain ? (*p == '(') - (*p == ')') : 0;
        bool nothing = isspace((unsigned char)*p) || (*p == '/' && !plain);
        last = nothing ? last : *p;
    }
    return braces > 0 && parentheses == 0 && (last == ';' || last == '{' || last == '}');
}

/* TEXT up to AT, followed by WORDS and REST. */
static char *join_texts(const char *text, const char *at, const char *words, const char *rest)
{
    size_t head = (size_t)(at - text), size = head + strlen(words) + strlen(rest) + 1;
    char *joined = mm_alloc(size);
    if (joined)
        snprintf(joined, size, "%.*s%s%s", (int)head, text, words, rest);
    return joined;
}

char *session_text_insert(const char *text, uint32_t line, const char *words)
{
    char statement[120];
    const char *at = ck_source_line(text, line);
    snprintf(statement, sizeof statement, "%s; ", words);
    return join_texts(text, at, statement, at);
}

/* ---- #include ------------------------------------------------------------------------------------ */

enum { DEEPEST = 8 }; /* levels of nested inclusion */

void session_text_folder(const char *name, char *folder, uint32_t size)
{
    const char *slash = strrchr(name, '/');
    snprintf(folder, size, "%.*s", slash ? (int)(slash - name + (slash == name)) : 1, slash ? name : ".");
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

/* True if LINE is an include directive; its file goes to NAME. */
static bool is_include(const char *line, char name[PATH_MAX])
{
    static const char word[] = "include";
    const char *p = skip_blanks(line);
    p = *p == '#' ? skip_blanks(p + 1) : "";
    p = strncmp(p, word, strlen(word)) == 0 ? skip_blanks(p + strlen(word)) : "";
    size_t length = *p == '"' || *p == '<' ? strcspn(p + 1, "\">\n") : 0;
    if (length == 0 || length >= PATH_MAX)
        return false;
    memcpy(name, p + 1, length);
    name[length] = 0;
    return true;
}

/* True if FILE may be the file that a directive calls NAME. */
static bool is_named(const char *file, const char *name)
{
    while (strncmp(name, "./", 2) == 0 || strncmp(name, "../", 3) == 0)
        name = strchr(name, '/') + 1;
    size_t all = strlen(file), tail = strlen(name);
    return all >= tail && strcmp(file + all - tail, name) == 0 &&
           (all == tail || file[all - tail - 1] == '/');
}

static char *include_file(const char *text, const char *name, const char *file, const char *contents,
                          int depth);

/* The text of file NAME, included in FROM, with CONTENTS in place of the nested FILE; NULL: FILE is not
 * nested. */
static char *include_below(const char *name, const char *from, const char *file, const char *contents,
                           int depth, char path[PATH_MAX])
{
    char folder[PATH_MAX / 2], *inner = NULL;
    const char *const beside[] = {from, file};
    for (int i = 0; i < 2 && !inner && depth < DEEPEST; i++) {
        session_text_folder(beside[i], folder, sizeof folder);
        int n = snprintf(path, PATH_MAX, "%s/%s", folder, name);
        char *text = n < PATH_MAX && access(path, R_OK) == 0 ? session_read_text(path) : NULL;
        inner = text ? include_file(text, path, file, contents, depth + 1) : NULL;
        mm_free(text);
    }
    return inner;
}

static char *put_in_place(const char *text, const char *name, const char *line, uint32_t number,
                          const char *path, const char *contents)
{
    const char *rest = strchr(line, '\n');
    size_t size = strlen(contents) + strlen(path) + strlen(name) + 80;
    char *words = mm_alloc(size), *all = NULL;
    if (words) {
        snprintf(words, size, "#line 1 \"%s\"\n%s\n#line %u \"%s\"", path, contents, (unsigned)number + 1,
                 name);
        all = join_texts(text, line, words, rest ? rest : "");
    }
    mm_free(words);
    return all;
}

static char *include_file(const char *text, const char *name, const char *file, const char *contents,
                          int depth)
{
    char *made = NULL, called[PATH_MAX], path[PATH_MAX];
    uint32_t number = 1;
    for (const char *line = text; line && !made; number++) {
        if (is_include(line, called) && is_named(file, called)) {
            made = put_in_place(text, name, line, number, file, contents);
        } else if (is_include(line, called)) {
            char *inner = include_below(called, name, file, contents, depth, path);
            made = inner ? put_in_place(text, name, line, number, path, inner) : NULL;
            mm_free(inner);
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return made;
}

char *session_text_include(const char *text, const char *name, const char *file, const char *contents)
{
    return include_file(text, name, file, contents, 0);
}
