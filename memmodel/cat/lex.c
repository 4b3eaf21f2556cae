/* The cat language: tokens.  Comments are (* nested *), C style and to the end of the line; the one that
 * directly precedes a token (nothing else on its lines, no empty line between) is attached to it.
 *
 * name = ( letter | "_" ) { letter | digit | "_" | "-" | "." | "'" }    (ends before "->")
 * number = digit { letter | digit | "_" | "-" | "." | "'" }
 * string = '"' { character } '"'    (all but quotes and line ends) */
#include "memmodel/cat/internal.h"

#include <string.h>

void cat_lexer_init(struct cat_lexer *lexer, const char *text, size_t size, const char *file)
{
    *lexer = (struct cat_lexer){
        .at = text, .end = text + size, .line_start = text, .file = file, .line = 1, .last_token_line = 0};
}

static void next_character(struct cat_lexer *lexer)
{
    if (*lexer->at == '\n') {
        lexer->line++;
        lexer->line_start = lexer->at + 1;
    }
    lexer->at++;
}

static bool looking_at(const struct cat_lexer *lexer, const char *s)
{
    size_t n = strlen(s);

    return (size_t)(lexer->end - lexer->at) >= n && memcmp(lexer->at, s, n) == 0;
}

struct comment {
    const char *start;
    size_t length;
    unsigned last_line;
};

/* Skips a block comment; false if it never ends. */
static bool skip_block(struct cat_lexer *lexer, const char *open, const char *close, bool nests)
{
    unsigned depth = 0;

    do {
        if (lexer->at >= lexer->end)
            return false;
        if (looking_at(lexer, close)) {
            depth--;
            lexer->at += 2;
        } else if ((nests || depth == 0) && looking_at(lexer, open)) {
            depth++;
            lexer->at += 2;
        } else {
            next_character(lexer);
        }
    } while (depth);
    return true;
}

/* Moves back to BEFORE; returns false. */
static bool restore_lexer(struct cat_lexer *lexer, const struct cat_lexer *before)
{
    *lexer = *before;
    return false;
}

/* Skips blanks and comments.  A comment beside the previous token belongs to that one. */
static bool skip_blanks(struct cat_lexer *lexer, struct comment *last)
{
    while (lexer->at < lexer->end) {
        const char *start = lexer->at;
        unsigned line = lexer->line;
        bool line_comment = looking_at(lexer, "//"), directive;
        struct cat_lexer before = *lexer;

        if (line_comment) {
            while (lexer->at < lexer->end && *lexer->at != '\n')
                lexer->at++;
        } else if (looking_at(lexer, "(*")) {
            if (!skip_block(lexer, "(*", "*)", true))
                return restore_lexer(lexer, &before);
        } else if (looking_at(lexer, "/*")) {
            if (!skip_block(lexer, "/*", "*/", false))
                return restore_lexer(lexer, &before);
        } else if (strchr(" \t\r\n\f\v", *lexer->at) && *lexer->at) {
            next_character(lexer);
            continue;
        } else {
            break;
        }
        directive = memchr(start, '@', (size_t)(lexer->at - start)) != NULL;
        if (directive && lexer->directive_count < sizeof lexer->directives / sizeof *lexer->directives) {
            lexer->directives[lexer->directive_count].start = start + 2;
            lexer->directives[lexer->directive_count++].length =
                (size_t)(lexer->at - start) - (line_comment ? 2 : 4);
        }
        if (line == lexer->last_token_line && !directive)
            continue;
        last->start = start + 2;
        last->length = (size_t)(lexer->at - start) - (line_comment ? 2 : 4);
        last->last_line = lexer->line;
    }
    return true;
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_part(char c)
{
    return is_name_start(c) || is_digit(c) || c == '-' || c == '.' || c == '\'';
}

static void read_string(struct cat_lexer *lexer, struct cat_token *t)
{
    lexer->at++;
    t->start = lexer->at;
    while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n')
        lexer->at++;
    t->length = (size_t)(lexer->at - t->start);
    if (lexer->at >= lexer->end || *lexer->at != '"') {
        t->kind = CAT_ERROR;
        lexer->error = "string without an end";
        return;
    }
    t->kind = CAT_STRING;
    lexer->at++;
}

static void read_symbol(struct cat_lexer *lexer, struct cat_token *t)
{
    static const struct {
        const char *text;
        int symbol;
    } longer[] = {{"^-1", CAT_INVERSE}, {"^2", CAT_SQUARE}, {"++", CAT_ADD_ELEMENT}, {"^+", '+'},
                  {"^*", '*'},          {"^?", '?'},        {"->", CAT_ARROW}};

    t->kind = CAT_SYMBOL;
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        if (looking_at(lexer, longer[i].text)) {
            t->symbol = longer[i].symbol;
            lexer->at += strlen(longer[i].text);
            return;
        }
    }
    if (*lexer->at == '\0' || !strchr("()[]{}|&\\~!;*+?,=:", *lexer->at)) {
        t->kind = CAT_ERROR;
        lexer->error = "character that means nothing here";
        return;
    }
    t->symbol = *lexer->at++;
}

struct cat_token cat_lex(struct cat_lexer *lexer)
{
    struct comment comment = {0};
    struct cat_token t = {.kind = CAT_ERROR};
    bool ok;

    lexer->directive_count = 0;
    ok = skip_blanks(lexer, &comment);

    t.start = lexer->at;
    t.line = lexer->line;
    t.column = (unsigned)(lexer->at - lexer->line_start) + 1;
    if (!ok) {
        lexer->error = "comment without an end";
        return t;
    }
    if (comment.start && comment.last_line + 1 >= t.line) {
        t.comment = comment.start;
        t.comment_length = comment.length;
    }
    if (lexer->at >= lexer->end) {
        t.kind = CAT_END;
        return t;
    }
    if (is_name_start(*lexer->at)) {
        t.kind = CAT_NAME;
        while (lexer->at < lexer->end && is_name_part(*lexer->at) && !looking_at(lexer, "->"))
            lexer->at++;
    } else if (*lexer->at == '\'' && lexer->end - lexer->at > 1 && is_name_start(lexer->at[1])) {
        t.kind = CAT_TAG;
        lexer->at++;
        while (lexer->at < lexer->end && is_name_part(*lexer->at))
            lexer->at++;
    } else if (is_digit(*lexer->at)) {
        t.kind = CAT_NUMBER;
        while (lexer->at < lexer->end && is_name_part(*lexer->at))
            lexer->at++;
    } else if (*lexer->at == '"') {
        read_string(lexer, &t);
        lexer->last_token_line = lexer->line;
        return t;
    } else {
        read_symbol(lexer, &t);
    }
    t.length = (size_t)(lexer->at - t.start);
    lexer->last_token_line = lexer->line;
    return t;
}
