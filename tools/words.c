/* Values of options that are words of a list. */
#include "memmodel/base/nearest.h"
#include "tools/tool.h"

#include <string.h>

enum { MOST_WORDS = 128, LISTED_WORDS = 12, INDENT = 4 };

struct word_list {
    char text[4096];
    const char *words[MOST_WORDS];
    size_t count;
};

static void split_words(const char *words, struct word_list *list)
{
    char *rest = list->text;
    snprintf(list->text, sizeof list->text, "%s", words);
    list->count = 0;
    for (char *word; (word = strsep(&rest, " ")) && list->count < MOST_WORDS;)
        list->words[list->count++] = word;
}

static bool is_plain(const char *text)
{
    while (*text >= ' ' && *text <= '~')
        text++;
    return !*text;
}

void tool_print_caret(const char *words, size_t at)
{
    if (is_plain(words) && at <= strlen(words))
        fprintf(stderr, "%*s%s\n%*s^\n", INDENT, "", words, INDENT + (int)at, "");
}

/* The word of LENGTH bytes that begins at AT in VALUE. */
static int find_word(const char *option, const char *value, const char *at, size_t length, const char *words,
                     size_t *index)
{
    struct word_list list;
    char word[MM_NEAREST_LONGEST], shown[400];
    split_words(words, &list);
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    for (size_t i = 0; i < list.count; i++)
        if (strcmp(word, list.words[i]) == 0) {
            *index = i;
            return 0;
        }
    const char *nearest = mm_nearest(word, list.words, list.count);
    bool listed = list.count <= LISTED_WORDS;
    int code = tool_error(EXIT_USAGE, "--%s: '%s' is %s%s%s%s%s", option, word,
                          listed ? "none of: " : "unknown", listed ? words : "",
                          nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    snprintf(shown, sizeof shown, "--%s %s", option, value);
    tool_print_caret(shown, strlen(option) + 3 + (size_t)(at - value));
    return code;
}

int tool_list_word(const char *option, const char *value, const char **at, const char *words, size_t *index)
{
    size_t length = strcspn(*at, ",");
    int code = find_word(option, value, *at, length, words, index);
    *at += length;
    *at += **at == ',';
    return code;
}

int tool_word(const char *option, const char *value, const char *words, size_t *index)
{
    return find_word(option, value, value, strlen(value), words, index);
}
