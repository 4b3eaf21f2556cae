/* The cat language: the parser's view of tokens, its errors, and the switches that comments declare. */
#include "memmodel/cat/parser.h"

#include <stdio.h>
#include <string.h>

void cat_fail_token(struct cat_parser *p, const struct cat_token *t, const char *rule, const char *message)
{
    if (p->failed)
        return;
    p->failed = true;
    p->reader->status =
        mm_fail_at(p->reader->err, MM_INVALID, rule, p->file, t->line, t->column, "%s", message);
}

void cat_fail_named(struct cat_parser *p, const struct cat_token *t, const char *rule, const char *format)
{
    char message[256];
    int length = t->length > 80 ? 80 : (int)t->length;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(message, sizeof message, format, length, t->start);
#pragma GCC diagnostic pop
    cat_fail_token(p, t, rule, message);
}

void cat_fail_status(struct cat_parser *p, enum mm_class status)
{
    if (status == MM_OK || p->failed)
        return;
    p->failed = true;
    p->reader->status = status;
}

void cat_fail_memory(struct cat_parser *p)
{
    if (p->failed)
        return;
    p->failed = true;
    p->reader->status = mm_out_of_memory(p->reader->err);
}

/* "@switch name value value ..." */
static void declare_switch(struct cat_parser *p, char *text)
{
    struct cat_reader *r = p->reader;
    struct cat_switch s = {0};
    char *save = NULL;

    for (char *word = strtok_r(text, " \t\r\n", &save); word; word = strtok_r(NULL, " \t\r\n", &save))
        if (!s.name)
            s.name = word;
        else if (s.value_count < sizeof s.values / sizeof *s.values)
            s.values[s.value_count++] = word;
    if (!s.name || s.value_count == 0 || r->switch_count == sizeof r->known / sizeof *r->known) {
        cat_fail_token(p, &p->token, "cat.switch", "a switch needs a name and values");
        return;
    }
    for (unsigned i = 0; i < r->switch_count; i++)
        if (strcmp(r->known[i].name, s.name) == 0)
            return;
    for (const char *const *given = r->switches; given && *given; given++) {
        size_t n = strlen(s.name);

        if (strncmp(*given, s.name, n) != 0 || (*given)[n] != '=')
            continue;
        for (s.chosen = 0; s.chosen < s.value_count; s.chosen++)
            if (strcmp(*given + n + 1, s.values[s.chosen]) == 0)
                break;
        if (s.chosen == s.value_count)
            cat_fail_status(p, mm_fail(r->err, MM_INVALID, "cat.switch", "switch %s has no value '%.80s'",
                                       s.name, *given + n + 1));
    }
    r->known[r->switch_count++] = s;
}

char *cat_copy_text(struct cat_parser *p, const char *start, size_t length)
{
    char *copy = mm_arena_alloc(p->arena, length + 1);

    if (copy)
        memcpy(copy, start, length);
    else
        cat_fail_memory(p);
    return copy;
}

bool cat_option(struct cat_parser *p, const struct cat_token *name)
{
    static const char values[] = " off on";
    char *text = mm_arena_alloc(p->arena, name->length + sizeof values);

    if (!text) {
        cat_fail_memory(p);
        return false;
    }
    memcpy(text, name->start, name->length);
    memcpy(text + name->length, values, sizeof values);
    declare_switch(p, text);
    for (unsigned i = 0; i < p->reader->switch_count && !p->failed; i++) {
        const struct cat_switch *s = &p->reader->known[i];

        if (cat_is_name(name, s->name))
            return strcmp(s->values[s->chosen], "on") == 0;
    }
    cat_fail_token(p, name, "cat.option", "the name of an option is one word");
    return false;
}

static void scan_comment(struct cat_parser *p, const char *start, size_t length)
{
    char *text = cat_copy_text(p, start, length);
    char *at = text;

    while (at && (at = strstr(at, "@switch"))) {
        char *end = strchr(at, '\n');

        if (end)
            *end = '\0';
        declare_switch(p, at + strlen("@switch"));
        at = end ? end + 1 : NULL;
    }
}

void cat_next(struct cat_parser *p)
{
    p->token = cat_lex(&p->lexer);
    if (p->token.kind == CAT_ERROR)
        cat_fail_token(p, &p->token, "cat.lex", p->lexer.error);
    for (unsigned i = 0; i < p->lexer.directive_count && !p->failed; i++)
        scan_comment(p, p->lexer.directives[i].start, p->lexer.directives[i].length);
}

bool cat_at_symbol(const struct cat_parser *p, int symbol)
{
    return p->token.kind == CAT_SYMBOL && p->token.symbol == symbol;
}

bool cat_at_word(const struct cat_parser *p, const char *word)
{
    return p->token.kind == CAT_NAME && p->token.length == strlen(word) &&
           memcmp(p->token.start, word, p->token.length) == 0;
}

bool cat_accept(struct cat_parser *p, int symbol)
{
    if (p->failed || !cat_at_symbol(p, symbol))
        return false;
    cat_next(p);
    return true;
}

void cat_expect(struct cat_parser *p, int symbol)
{
    char message[64];

    if (cat_accept(p, symbol))
        return;
    snprintf(message, sizeof message, "expected '%c'", symbol);
    cat_fail_token(p, &p->token, "cat.syntax", message);
}

static const char *const keywords[] = {"let",         "rec",
                                       "and",         "acyclic",
                                       "irreflexive", "empty",
                                       "flag",        "as",
                                       "include",     "show",
                                       "unshow",      "in",
                                       "with",        "from",
                                       "match",       "procedure",
                                       "call",        "fun",
                                       "enum",        "instructions",
                                       "forall",      "undefined_unless",
                                       "assert",      "begin",
                                       "end",         "if",
                                       "then",        "else",
                                       "do",          "debug",
                                       "try",         "default"};

bool cat_at_keyword(const struct cat_parser *p)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (cat_at_word(p, keywords[i]))
            return true;
    return false;
}
