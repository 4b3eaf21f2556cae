/* The option strings of clBuildProgram, clCompileProgram and clLinkProgram: splitting into words, and the
 * table of options [CL 5.8.6, 5.8.7]. */
#include "ref-runtime/compiler/client_options.h"

#include "memmodel/base/array.h"

#include <ctype.h>
#include <string.h>

/* What an option does; the members without a comment set what they are named after. */
enum effect {
    PASS,   /* clang gets it */
    IGNORE, /* a permission that refcl does not use */
    DEFINE,
    UNDEFINE,
    INCLUDE,
    STANDARD,
    LIBRARY,
    LINK_OPTIONS,
    ARGUMENT_INFO,
    NO_OPTIMIZE,
    LANGUAGE,
    SPIR,
    UNIFORM
};
enum { SOURCE = RT_OPTIONS_BUILD | RT_OPTIONS_COMPILE, ANY = SOURCE | RT_OPTIONS_LINK };

static const struct option {
    const char *name;
    unsigned stages; /* enum rt_options_stage, a mask */
    enum effect effect;
} table[] = {
    {"-D", SOURCE, DEFINE},
    {"-U", SOURCE, UNDEFINE}, /* not OpenCL's, but clang's and that of compilers in general */
    {"-I", SOURCE, INCLUDE},
    {"-cl-std=", SOURCE, STANDARD},
    {"-cl-single-precision-constant", SOURCE, PASS},
    {"-cl-denorms-are-zero", ANY, IGNORE},
    {"-cl-fp32-correctly-rounded-divide-sqrt", SOURCE, PASS},
    {"-cl-opt-disable", SOURCE, NO_OPTIMIZE},
    {"-cl-strict-aliasing", SOURCE, IGNORE},
    {"-cl-uniform-work-group-size", SOURCE, UNIFORM},
    {"-cl-no-subgroup-ifp", ANY, IGNORE},
    {"-cl-mad-enable", SOURCE, PASS},
    {"-cl-no-signed-zeros", SOURCE, PASS},
    {"-cl-no-signed-zeroes", RT_OPTIONS_LINK, IGNORE},
    {"-cl-no-signed-zeros", RT_OPTIONS_LINK, IGNORE},
    {"-cl-unsafe-math-optimizations", ANY, PASS},
    {"-cl-finite-math-only", ANY, PASS},
    {"-cl-fast-relaxed-math", ANY, PASS},
    {"-w", SOURCE, PASS},
    {"-Werror", SOURCE, PASS},
    {"-cl-kernel-arg-info", SOURCE, ARGUMENT_INFO},
    {"-g", SOURCE, IGNORE}, /* source lines are always kept */
    {"-create-library", RT_OPTIONS_LINK, LIBRARY},
    {"-enable-link-options", RT_OPTIONS_LINK, LINK_OPTIONS},
    {"-x", SOURCE, LANGUAGE},
    {"-spir-std=", SOURCE, SPIR},
};

static const char *const standards[][2] = {
    {"CL1.0", "CL1.0"}, {"CL1.1", "CL1.1"},    {"CL1.2", "CL1.2"},
    {"CL2.0", "CL2.0"}, {"CL3.0", "CL3.0"},    {"CL3.1", "CL3.1"},
    {"CLC++", "CLC++"}, {"CLC++1.0", "CLC++"}, {"CLC++2021", "CLC++2021"},
};

static bool is_blank(char c)
{
    return isspace((unsigned char)c);
}

/* The end of what the single quote at AT begins, after LENGTH bytes of WORD; NULL if that is no quoted text
 * but part of the word, such as a character constant in the definition of a macro. */
static const char *single_quoted(const char *at, const char *word, size_t length)
{
    const char *end = strchr(at + 1, '\'');
    if (!end)
        return NULL;
    bool leads = length == 0 || (length == 2 && *word == '-' && strchr("DUI", word[1]));
    bool constant = end - at == 2 || (end - at == 3 && at[1] == '\\');
    bool blanks = strcspn(at, " \t\r\n") < (size_t)(end - at);
    return leads || (length && word[length - 1] == '=' && blanks && !constant) ? end : NULL;
}

/* Copies the next word to WORD, without its quotes and, outside of single ones, the backslashes before a
 * double quote, a backslash or a space.  Returns the position after it; NULL if a quote is not closed. */
static const char *next_word(const char *at, char *word)
{
    const char *start = word, *end;
    bool quoted = false;
    for (; *at && (quoted || !is_blank(*at)); at++)
        if (*at == '\\' && at[1] && (at[1] == '"' || at[1] == '\\' || at[1] == ' '))
            *word++ = *++at;
        else if (*at == '"')
            quoted = !quoted;
        else if (*at == '\'' && !quoted && (end = single_quoted(at, start, (size_t)(word - start))))
            while (++at < end)
                *word++ = *at;
        else
            *word++ = *at;
    *word = 0;
    while (is_blank(*at))
        at++;
    return quoted ? NULL : at;
}

static bool takes_value(enum effect effect)
{
    return effect == DEFINE || effect == UNDEFINE || effect == INCLUDE || effect == LANGUAGE;
}

static const struct option *option_find(const char *word, enum rt_options_stage stage)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct option *o = &table[i];
        size_t length = strlen(o->name);
        bool prefix = o->effect == DEFINE || o->effect == UNDEFINE || o->effect == INCLUDE ||
                      o->effect == STANDARD || o->effect == SPIR;
        if ((o->stages & stage) && !strncmp(word, o->name, length) && (prefix || !word[length]))
            return o;
    }
    return NULL;
}

static enum mm_class options_add(struct rt_options *options, const char *prefix, const char *value,
                                 struct mm_error *err)
{
    size_t size = strlen(prefix) + strlen(value) + 1;
    char *argument = mm_alloc(size), **added = NULL;
    if (argument)
        added = mm_add(&options->arguments, &options->argument_count);
    if (!added) {
        mm_free(argument);
        return mm_fail(err, MM_LIMIT, "memory", "no memory for the build options");
    }
    strcpy(argument, prefix);
    strcat(argument, value);
    *added = argument;
    return MM_OK;
}

static bool is_identifier(const char *text, size_t length)
{
    if (!length || isdigit((unsigned char)*text))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return true;
}

/* -D NAME, -D NAME=DEFINITION, and the common -D NAME(PARAMETERS)=DEFINITION. */
static enum mm_class add_macro(struct rt_options *options, char *value, struct mm_error *err)
{
    size_t name = strcspn(value, "=(");
    if (!is_identifier(value, name))
        return mm_fail(err, MM_INVALID, "options", "'-D %s' names no macro", value);
    value[strcspn(value, "\r\n")] = 0;
    return options_add(options, "-D", value, err);
}

static enum mm_class remove_macro(struct rt_options *options, const char *name, struct mm_error *err)
{
    if (!is_identifier(name, strlen(name)))
        return mm_fail(err, MM_INVALID, "options", "'-U %s' names no macro", name);
    return options_add(options, "-U", name, err);
}

static enum mm_class set_standard(struct rt_options *options, const char *value, struct mm_error *err)
{
    for (size_t i = 0; i < sizeof standards / sizeof *standards; i++)
        if (!strcmp(value, standards[i][0])) {
            options->standard = standards[i][1];
            return MM_OK;
        }
    return mm_fail(err, MM_INVALID, "options", "'-cl-std=%s' names no language version", value);
}

static enum mm_class apply_option(struct rt_options *options, const struct option *o, char *word, char *value,
                                  struct mm_error *err)
{
    switch (o->effect) {
    case PASS:
        return options_add(options, word, "", err);
    case IGNORE:
        return MM_OK;
    case DEFINE:
        return add_macro(options, value, err);
    case UNDEFINE:
        return remove_macro(options, value, err);
    case INCLUDE: /* -I "" names no folder: an application has filled in an empty path */
        return *value ? options_add(options, "-I", value, err) : MM_OK;
    case STANDARD:
        return set_standard(options, word + strlen(o->name), err);
    case LIBRARY:
        options->create_library = true;
        return MM_OK;
    case LINK_OPTIONS:
        options->enable_link_options = true;
        return MM_OK;
    case UNIFORM:
        options->uniform_groups = true;
        return options_add(options, word, "", err);
    case ARGUMENT_INFO:
        options->argument_info = true;
        return MM_OK;
    case NO_OPTIMIZE: /* accepted, without an effect */
        return MM_OK;
    case LANGUAGE:
        options->spir = !strcmp(value, "spir");
        return options->spir || !strcmp(value, "cl")
                   ? MM_OK
                   : mm_fail(err, MM_INVALID, "options", "'-x %s' names no input language", value);
    case SPIR:
        return !strcmp(word, "-spir-std=1.2") || !strcmp(word, "-spir-std=2.0")
                   ? MM_OK
                   : mm_fail(err, MM_INVALID, "options", "'%s' names no SPIR version", word);
    }
    return MM_OK;
}

static enum mm_class parse_options(const char *text, char *word, char *value, enum rt_options_stage stage,
                                   struct rt_options *options, struct mm_error *err)
{
    const char *at = text;
    while (is_blank(*at))
        at++;
    while (*at) {
        const char *start = at;
        if (!(at = next_word(at, word)))
            return mm_fail(err, MM_INVALID, "options", "a quote is not closed in '%.300s'", text);
        const struct option *o = option_find(word, stage);
        if (!o)
            return mm_fail(err, MM_INVALID, "options", "'%.300s' is not an option here", word);
        char *given = word + strlen(o->name);
        bool quoted = start[strlen(o->name)] == '"' || start[strlen(o->name)] == '\'';
        if (takes_value(o->effect) && !*given && !quoted) {
            if (!*at || !(at = next_word(at, value)))
                return mm_fail(err, MM_INVALID, "options", "'%s' needs a value", o->name);
            given = value;
        }
        enum mm_class cls = apply_option(options, o, word, given, err);
        if (cls)
            return cls;
    }
    if (options->enable_link_options && !options->create_library)
        return mm_fail(err, MM_INVALID, "options", "'-enable-link-options' needs '-create-library'");
    return MM_OK;
}

enum mm_class rt_options_parse(const char *text, enum rt_options_stage stage, struct rt_options *options,
                               struct mm_error *err)
{
    *options = (struct rt_options){.standard = "CL1.2"};
    if (!text || !*text)
        return MM_OK;
    size_t size = strlen(text) + 1;
    char *words = mm_alloc(2 * size);
    if (!words)
        return mm_fail(err, MM_LIMIT, "memory", "no memory for the build options");
    enum mm_class cls = parse_options(text, words, words + size, stage, options, err);
    mm_free(words);
    return cls;
}

void rt_options_free(struct rt_options *options)
{
    for (size_t i = 0; i < options->argument_count; i++)
        mm_free(options->arguments[i]);
    mm_free(options->arguments);
    *options = (struct rt_options){0};
}
