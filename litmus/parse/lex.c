/* Lexer of litmus tests.  Comments are (* *), // and C block comments; those before the initial state are
 * stored, with the properties ("key: value" lines) that they hold. */
#include "litmus/parse/ast.h"

#include "memmodel/base/array.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Punctuation, longest first. */
static const char *const puncts[] = {
    "<<=", ">>=", "/\\", "\\/", "==", "!=", "<=", ">=", "=>", "&&", "||", "<<",
    ">>",  "++",  "--",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^="};

struct scan {
    struct lt_lexer *lexer;
    const char *text;
    size_t size, at;
    uint32_t line;
    size_t line_begin;
    unsigned braces;
    bool seen_brace, line_start;
    bool unclosed;       /* no "*)" follows */
    unsigned unbalanced; /* comments (* *) with more openings than closings up to the end of the text */
    char *comment;       /* all of them */
    size_t comment_size;
    struct lt_property *last_property;
};

void lt_fail_at(struct lt_lexer *lexer, struct lt_pos pos, const char *format, ...)
{
    if (lexer->failed)
        return;
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    lexer->failed = true;
    mm_fail_at(lexer->err, MM_INVALID, "litmus.syntax", lexer->test->file, pos.line, pos.column, "%s",
               message);
}

static void *no_memory(struct lt_lexer *lexer)
{
    if (!lexer->failed)
        mm_out_of_memory(lexer->err);
    lexer->failed = true;
    return NULL;
}

void *lt_new(struct lt_lexer *lexer, size_t size)
{
    void *p = lexer->failed ? NULL : mm_arena_alloc(lexer->test->arena, size);
    return p ? p : no_memory(lexer);
}

static struct lt_pos current_pos(const struct scan *s)
{
    return (struct lt_pos){s->line, (uint32_t)(s->at - s->line_begin + 1)};
}

static bool text_starts_with(const struct scan *s, const char *what)
{
    size_t n = strlen(what);
    return s->size - s->at >= n && memcmp(s->text + s->at, what, n) == 0;
}

static void advance_char(struct scan *s)
{
    if (s->text[s->at++] == '\n') {
        s->line++;
        s->line_begin = s->at;
        s->line_start = true;
    }
}

static char *copy_text(struct scan *s, size_t from, size_t to)
{
    char *p = lt_new(s->lexer, to - from + 1);
    if (p)
        memcpy(p, s->text + from, to - from);
    return p;
}

/* Comments that are read to the end of the text in search of their nested closing; later ones end at the
 * first. */
enum { MOST_UNBALANCED = 64 };

/* The position after the comment that starts at S->at, 0 if the comment does not end.  Comments (* *)
 * nest, as in herd; where that leaves one open, the first closing ends it, as in Dartagnan. */
static size_t comment_end(struct scan *s, const char *close)
{
    bool star = close[1] == ')', nests = star && s->unbalanced < MOST_UNBALANCED;
    size_t first = 0;
    unsigned open = 1;
    for (size_t i = s->at + 2; i + 1 < s->size && !(star && s->unclosed); i++) {
        if (s->text[i] == close[0] && s->text[i + 1] == close[1]) {
            first = first ? first : i + 2;
            if (!nests || --open == 0)
                return i + 2;
            i++;
        } else if (nests && s->text[i] == '(' && s->text[i + 1] == '*') {
            open++;
            i++;
        }
    }
    s->unclosed |= star && !first;
    s->unbalanced += star && first;
    return first;
}

/* "(*" opens a comment unless it is a parenthesis before a dereference: within braces a comment needs
 * white space after the star, and everywhere it needs an end. */
static bool at_star_comment(struct scan *s)
{
    if (!text_starts_with(s, "(*"))
        return false;
    char after = s->at + 2 < s->size ? s->text[s->at + 2] : '\0';
    if (s->braces && !isspace((unsigned char)after))
        return false;
    return comment_end(s, "*)") != 0;
}

static void add_property(struct scan *s, const char *line, const char *end)
{
    struct lt_lexer *lexer = s->lexer;
    while (line < end && (isspace((unsigned char)*line) || *line == '*'))
        line++;
    const char *colon = line;
    while (colon < end && (isalnum((unsigned char)*colon) || *colon == '-' || *colon == '_'))
        colon++;
    if (colon == line || colon == end || *colon != ':' || !isupper((unsigned char)*line))
        return;
    if (colon + 1 < end && !isspace((unsigned char)colon[1]))
        return;
    const char *value = colon + 1;
    while (value < end && isspace((unsigned char)*value))
        value++;
    while (end > value && (isspace((unsigned char)end[-1]) || end[-1] == ','))
        end--;
    struct lt_property *p = lt_new(lexer, sizeof *p);
    if (!p)
        return;
    p->key = copy_text(s, (size_t)(line - s->text), (size_t)(colon - s->text));
    p->value = copy_text(s, (size_t)(value - s->text), (size_t)(end - s->text));
    *(s->last_property ? &s->last_property->next : &lexer->test->properties) = p;
    s->last_property = p;
}

/* Keeps the comment text FROM..TO and reads its properties. */
static void keep_comment(struct scan *s, size_t from, size_t to)
{
    struct lt_test *test = s->lexer->test;
    size_t size = to - from;
    if (!s->comment && !(s->comment = lt_new(s->lexer, s->size + 1))) /* comments together are no longer */
        return;
    if (s->comment_size)
        s->comment[s->comment_size++] = '\n';
    memcpy(s->comment + s->comment_size, s->text + from, size);
    s->comment_size += size;
    test->comment = s->comment;
    for (size_t line = from; line < to;) {
        size_t end = line;
        while (end < to && s->text[end] != '\n')
            end++;
        add_property(s, s->text + line, s->text + end);
        line = end + 1;
    }
}

/* Descriptions may hold quotes and line ends: the last quote before the line with the opening brace ends
 * them.  Returns its position, 0 if there is none. */
static size_t description_end(const struct scan *s)
{
    size_t last = 0;
    bool blank = false;
    for (size_t i = s->at + 1; i < s->size; i++) {
        char c = s->text[i];
        if (c == '"')
            last = i;
        if (blank && c == '{')
            return last;
        blank = c == '\n' || (blank && isspace((unsigned char)c));
    }
    return 0;
}

static void skip_to(struct scan *s, size_t end)
{
    while (s->at < end)
        advance_char(s);
}

/* "Key=value" to the end of the line: what generators of tests note down below the header. */
static bool at_note(const struct scan *s)
{
    size_t i = s->at;
    if (s->seen_brace || !s->line_start)
        return false;
    while (i < s->size && (isalnum((unsigned char)s->text[i]) || s->text[i] == '_'))
        i++;
    return i > s->at && i < s->size && s->text[i] == '=';
}

/* White space, comments, notes and descriptions in double quotes. */
static void skip_blank(struct scan *s)
{
    while (s->at < s->size && !s->lexer->failed) {
        size_t end = 0;
        if (isspace((unsigned char)s->text[s->at])) {
            advance_char(s);
            continue;
        }
        if (text_starts_with(s, "//") || at_note(s)) {
            while (s->at < s->size && s->text[s->at] != '\n')
                advance_char(s);
            continue;
        }
        if (at_star_comment(s)) {
            end = comment_end(s, "*)");
            if (!s->seen_brace)
                keep_comment(s, s->at + 2, end - 2);
        } else if (text_starts_with(s, "/*")) {
            end = comment_end(s, "*/");
            if (!end)
                lt_fail_at(s->lexer, current_pos(s), "comment without an end");
        } else if (s->text[s->at] == '"' && !s->seen_brace) {
            size_t close = description_end(s);
            if (!close) {
                lt_fail_at(s->lexer, current_pos(s), "description without a closing quote");
                return;
            }
            end = close + 1;
            keep_comment(s, s->at + 1, close);
        } else {
            return;
        }
        skip_to(s, end);
    }
}

static struct lt_token *add_token(struct scan *s, enum lt_token_kind kind)
{
    struct lt_lexer *lexer = s->lexer;
    struct lt_token *t =
        lexer->failed ? NULL : mm_arena_add(lexer->test->arena, &lexer->tokens, &lexer->count);
    if (!t)
        return no_memory(lexer);
    *t = (struct lt_token){.kind = kind, .pos = current_pos(s), .text = "", .line_start = s->line_start};
    s->line_start = false;
    return t;
}

static bool name_char(char c, bool dots)
{
    return isalnum((unsigned char)c) || c == '_' || (dots && c == '.');
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

static void scan_number(struct scan *s, struct lt_token *t)
{
    size_t from = s->at;
    bool vulkan = s->lexer->test->dialect == LT_VULKAN;
    unsigned base = text_starts_with(s, "0x") || text_starts_with(s, "0X") ? 16
                    : s->text[from] == '0' && !vulkan                      ? 8
                                                                           : 10;
    bool any = base != 16;
    if (base == 16)
        s->at += 2;
    for (; s->at < s->size && digit_value(s->text[s->at]) < (int)base; s->at++) {
        uint64_t digit = (uint64_t)digit_value(s->text[s->at]);
        if (t->value > (UINT64_MAX - digit) / base) {
            lt_fail_at(s->lexer, t->pos, "number does not fit in 64 bits");
            return;
        }
        t->value = t->value * base + digit;
        any = true;
    }
    /* Barriers are called 00, 01; 010 is 10 for Dartagnan and 8 in C. */
    if (vulkan && base == 10 && s->text[from] == '0' && t->value > 9)
        any = false;
    for (; s->at < s->size && name_char(s->text[s->at], false); s->at++) {
        char c = (char)tolower((unsigned char)s->text[s->at]);
        if (c == 'u' && !t->is_unsigned)
            t->is_unsigned = true;
        else if (c == 'l' && !t->is_long)
            t->is_long = true;
        else
            any = false;
    }
    if (!any)
        lt_fail_at(s->lexer, t->pos, "malformed number");
    /* Without a suffix, octal and hexadecimal numbers may be unsigned [C11 6.4.4.1]. */
    bool wide = t->is_long || t->value > UINT32_MAX;
    if (base != 10 && t->value > (wide ? (uint64_t)INT64_MAX : INT32_MAX))
        t->is_unsigned = true;
    t->text = copy_text(s, from, s->at);
}

static void scan_name(struct scan *s, struct lt_token *t)
{
    size_t from = s->at;
    /* Vulkan mnemonics carry their tags after dots. */
    bool dots = s->lexer->test->dialect == LT_VULKAN;
    while (s->at < s->size && name_char(s->text[s->at], dots))
        s->at++;
    t->text = copy_text(s, from, s->at);
}

static void scan_punct(struct scan *s, struct lt_token *t)
{
    size_t length = 1;
    for (size_t i = 0; i < sizeof puncts / sizeof *puncts; i++)
        if (text_starts_with(s, puncts[i])) {
            length = strlen(puncts[i]);
            break;
        }
    char c = s->text[s->at];
    if (length == 1 && !strchr("{}()[]<>=+-*/%&|^!~?:;,@", c)) {
        lt_fail_at(s->lexer, t->pos,
                   isprint((unsigned char)c) ? "unexpected character '%c'" : "unexpected byte 0x%02x",
                   (unsigned char)c);
        return;
    }
    if (c == '{') {
        s->braces++;
        s->seen_brace = true;
    } else if (c == '}' && s->braces) {
        s->braces--;
    }
    t->text = copy_text(s, s->at, s->at + length);
    s->at += length;
}

/* First line: dialect and name; a byte order mark may come before. */
static void scan_header(struct scan *s)
{
    struct lt_lexer *lexer = s->lexer;
    if (text_starts_with(s, "\xef\xbb\xbf"))
        s->line_begin = s->at = 3;
    skip_blank(s);
    size_t from = s->at;
    while (s->at < s->size && isalnum((unsigned char)s->text[s->at]))
        s->at++;
    size_t length = s->at - from;
    lexer->test->c11 = length == 1 && s->text[from] == 'C';
    if (lexer->test->c11 || (length == 6 && strncasecmp(s->text + from, "OPENCL", 6) == 0)) {
        lexer->test->dialect = LT_OPENCL;
    } else if (length == 6 && strncasecmp(s->text + from, "VULKAN", 6) == 0) {
        lexer->test->dialect = LT_VULKAN;
    } else {
        s->at = from;
        lt_fail_at(lexer, current_pos(s), "expected OPENCL, VULKAN or C and the name of the test");
        return;
    }
    while (s->at < s->size && (s->text[s->at] == ' ' || s->text[s->at] == '\t'))
        s->at++;
    size_t begin = s->at;
    while (s->at < s->size && s->text[s->at] != '\n' && !text_starts_with(s, "(*") &&
           !text_starts_with(s, "//") && !text_starts_with(s, "{") && s->text[s->at] != '"')
        s->at++;
    size_t end = s->at;
    while (end > begin && isspace((unsigned char)s->text[end - 1]))
        end--;
    if (end == begin)
        lt_fail_at(lexer, current_pos(s), "expected the name of the test");
    lexer->test->name = copy_text(s, begin, end);
}

enum mm_class lt_lex(struct lt_lexer *lexer, const char *text, size_t size)
{
    struct scan s = {.lexer = lexer, .text = text, .size = size, .line = 1, .line_start = true};
    scan_header(&s);
    while (!lexer->failed) {
        skip_blank(&s);
        if (s.at >= s.size)
            break;
        char c = s.text[s.at];
        bool name = isalpha((unsigned char)c) || c == '_';
        bool number = isdigit((unsigned char)c) != 0;
        struct lt_token *t = add_token(&s, name ? LT_T_NAME : number ? LT_T_NUMBER : LT_T_PUNCT);
        if (!t)
            break;
        if (name)
            scan_name(&s, t);
        else if (number)
            scan_number(&s, t);
        else
            scan_punct(&s, t);
    }
    if (!lexer->failed)
        add_token(&s, LT_T_END);
    return lexer->failed ? MM_INVALID : MM_OK;
}

const struct lt_token *lt_peek(const struct lt_lexer *lexer, size_t ahead)
{
    size_t i = lexer->next + ahead;
    return &lexer->tokens[i < lexer->count ? i : lexer->count - 1];
}

const struct lt_token *lt_take(struct lt_lexer *lexer)
{
    const struct lt_token *t = lt_peek(lexer, 0);
    if (lexer->next + 1 < lexer->count)
        lexer->next++;
    return t;
}

bool lt_is(const struct lt_lexer *lexer, const char *text)
{
    const struct lt_token *t = lt_peek(lexer, 0);
    return t->kind != LT_T_END && t->kind != LT_T_NUMBER && strcmp(t->text, text) == 0;
}

bool lt_accept(struct lt_lexer *lexer, const char *text)
{
    if (lexer->failed || !lt_is(lexer, text))
        return false;
    lt_take(lexer);
    return true;
}

void lt_unexpected(struct lt_lexer *lexer, const char *what)
{
    const struct lt_token *t = lt_peek(lexer, 0);
    if (t->kind == LT_T_END)
        lt_fail_at(lexer, t->pos, "expected %s, found the end of the test", what);
    else
        lt_fail_at(lexer, t->pos, "expected %s, found '%.60s'", what, t->text);
}

bool lt_expect(struct lt_lexer *lexer, const char *text)
{
    if (lt_accept(lexer, text))
        return true;
    char what[24];
    snprintf(what, sizeof what, "'%s'", text);
    lt_unexpected(lexer, what);
    return false;
}

const char *lt_expect_name(struct lt_lexer *lexer, const char *what)
{
    if (!lexer->failed && lt_peek(lexer, 0)->kind == LT_T_NAME)
        return lt_take(lexer)->text;
    lt_unexpected(lexer, what);
    return NULL;
}

bool lt_expect_number(struct lt_lexer *lexer, const char *what, uint64_t limit, uint64_t *value)
{
    const struct lt_token *t = lt_peek(lexer, 0);
    if (lexer->failed || t->kind != LT_T_NUMBER) {
        lt_unexpected(lexer, what);
        return false;
    }
    if (t->value > limit) {
        lt_fail_at(lexer, t->pos, "%s is %s, the limit is %llu", what, t->text, (unsigned long long)limit);
        return false;
    }
    *value = lt_take(lexer)->value;
    return true;
}

bool lt_enter(struct lt_lexer *lexer)
{
    if (++lexer->depth > LT_MAX_DEPTH)
        lt_fail_at(lexer, lt_peek(lexer, 0)->pos, "nested more than %d deep", LT_MAX_DEPTH);
    return !lexer->failed;
}

void lt_leave(struct lt_lexer *lexer)
{
    lexer->depth--;
}
