/* refcl kernel without a launch: what can be launched, and a launch that it chooses. */
#include "memmodel/base/escape.h"
#include "tools/cmd/kernel.h"
#include "tools/launch/signature.h"
#include "tools/launch/spec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AUTO_STEP_LIMIT "2000000"

static int open_file(const char *path, const char *build_options, struct launch_file *file)
{
    struct mm_error err = {0};
    enum mm_class cls = launch_open(path, build_options, file, &err);
    if (cls == MM_OK && in_module_kernel_count(file->module) > 0)
        return 0;
    int code = cls == MM_OK ? tool_error(EXIT_USAGE, "'%s' has no kernel", path) : tool_report(&err);
    launch_close(file);
    return cls == MM_INVALID ? EXIT_USAGE : code;
}

static bool is_for_host(const struct in_kernel_info *info)
{
    return info->use == IN_FOR_HOST;
}

/* ---- listing ---------------------------------------------------------------------------------------- */

static void put_option(const char *option, const char *value, FILE *out)
{
    fprintf(out, " %s ", option);
    tool_put_word(value, out);
}

/* Prints the command that makes the launch; SCHEDULE NULL: the default.  Names of the module are
 * untrusted. */
static void print_command(const struct kernel *kernel, const struct in_kernel_info *info,
                          const struct launch_choice *choice, bool named, const char *schedule, FILE *out)
{
    char text[80], argument[2 * IN_MOST_ARGUMENT_BYTES + 200], *line = NULL;
    size_t size;
    FILE *words = open_memstream(&line, &size);
    if (!words)
        return;
    tool_put_word(kernel->shown, words);
    if (kernel->build_options)
        put_option("--build-options", kernel->build_options, words);
    if (kernel->automatic && !kernel->session.check.is_given)
        put_option("-c", "all", words);
    if (named)
        put_option("-k", info->name, words);
    put_option("-g", launch_sizes(choice->global, choice->dimensions, text, sizeof text), words);
    put_option("-l", launch_sizes(choice->local, choice->dimensions, text, sizeof text), words);
    for (size_t i = 0; i < choice->argument_count; i++) {
        const char *name = info->arguments[i].name, *chosen = choice->arguments[i];
        snprintf(argument, sizeof argument, "%s%s%s", name, *name ? "=" : "", chosen);
        put_option("-a", argument, words);
    }
    if (schedule)
        put_option("--schedule", schedule, words);
    fclose(words);
    mm_print(out, "    refcl kernel %s\n", line);
    free(line);
}

int kernel_list(const struct kernel *kernel)
{
    struct launch_file file;
    struct launch_choice choice;
    int code = open_file(kernel->path, kernel->build_options, &file);
    if (code)
        return code;
    size_t count = in_module_kernel_count(file.module);
    for (size_t i = 0; i < count; i++) {
        const struct in_kernel_info *info = in_module_kernel(file.module, i);
        if (!is_for_host(info))
            continue;
        launch_put_signature(info, stdout);
        if (launch_choose(file.module, info, &choice))
            print_command(kernel, info, &choice, count > 1, NULL, stdout);
        launch_choice_clear(&choice);
    }
    printf("\n`refcl kernel --auto` launches with such arguments; `refcl help kernel` explains them.\n");
    launch_close(&file);
    return EXIT_CLEAN;
}

/* ---- arguments that are given ------------------------------------------------------------------------- */

static size_t index_named(const struct in_kernel_info *info, const char *text, size_t length)
{
    for (size_t i = 0; i < info->argument_count; i++)
        if (strlen(info->arguments[i].name) == length && memcmp(info->arguments[i].name, text, length) == 0)
            return i;
    return SIZE_MAX;
}

/* The arguments that the given texts are for, SIZE_MAX: none. */
static void find_indices(const struct kernel *kernel, const struct in_kernel_info *info,
                         size_t indices[KERNEL_ARGUMENTS])
{
    bool given[KERNEL_ARGUMENTS] = {false};
    size_t next = 0;
    for (size_t i = 0; i < kernel->argument_count; i++) {
        size_t n = spec_name_length(kernel->arguments[i]);
        indices[i] = n ? index_named(info, kernel->arguments[i], n) : SIZE_MAX;
        if (indices[i] < KERNEL_ARGUMENTS)
            given[indices[i]] = true;
    }
    for (size_t i = 0; i < kernel->argument_count; i++) {
        if (spec_name_length(kernel->arguments[i]))
            continue;
        while (next < info->argument_count && given[next])
            next++;
        if (next < info->argument_count)
            indices[i] = next++;
    }
}

/* The kernel that is named, or the first; NULL: there is none. */
static const struct in_kernel_info *find_kernel(const struct kernel *kernel, struct in_module *module)
{
    size_t i = kernel->name ? in_module_find_kernel(module, kernel->name) : 0;
    return i < in_module_kernel_count(module) ? in_module_kernel(module, i) : NULL;
}

static void own_argument(struct kernel *kernel, size_t i, char *text)
{
    mm_free(kernel->owned[i]);
    kernel->owned[i] = text;
    kernel->arguments[i] = text ? text : kernel->arguments[i];
}

/* NAME=BYTES */
static char *structure_by_value(const char *text, size_t name, const char *bytes)
{
    char *all = mm_alloc(name + strlen(bytes) + 2);
    if (all)
        sprintf(all, "%.*s%s%s", (int)name, text, name ? "=" : "", bytes);
    return all;
}

/* TEXT with {BYTE, BYTE, ...} in place of the LENGTH characters at VALUE. */
static char *structure_in_memory(const char *text, const char *value, size_t length, const char *bytes)
{
    const char *digits = bytes + strlen("@raw:");
    char *all = mm_alloc(strlen(text) + 3 * strlen(digits) + 8), *at = all;
    if (!all)
        return NULL;
    at += sprintf(at, "%.*s{", (int)(value - text), text);
    for (; *digits; digits += 2)
        at += sprintf(at, "0x%.2s%s", digits, digits[2] ? "," : "");
    sprintf(at, "}%s", value + length);
    return all;
}

/* TEXT, whose elements are structures of SIZE bytes that AS names, with their size instead. */
static char *structure_by_size(const char *text, const char *as, uint64_t size)
{
    const char *at = strstr(text, ":as=") + strlen(":as=");
    char *all = mm_alloc(strlen(text) + 24);
    if (all)
        sprintf(all, "%.*s@%" PRIu64 "%s", (int)(at - text), text, size, at + strlen(as));
    return all;
}

/* Structures become their bytes: values of arguments, and the contents that fill=VALUE gives to memory. */
static int structure_to_bytes(struct kernel *kernel, struct in_module *module,
                              const struct in_kernel_info *info, size_t i, size_t index, const char *as)
{
    struct mm_error err = {0};
    const char *text = kernel->arguments[i], *fill = strstr(text, ":fill={");
    size_t name = spec_name_length(text), skipped = name + (name > 0);
    if (info->arguments[index].kind == IN_ARG_VALUE)
        fill = NULL;
    else if (!fill)
        return 0;
    const char *value = fill ? fill + strlen(":fill=") : text + skipped;
    size_t length = fill ? strcspn(value, ":") : strlen(value);
    char *alone = mm_alloc(length + 1);
    if (alone)
        snprintf(alone, length + 1, "%s", value);
    char *bytes = alone ? launch_structure(module, info->name, index, as, alone, &err) : NULL;
    if (bytes)
        own_argument(kernel, i,
                     fill ? structure_in_memory(text, value, length, bytes)
                          : structure_by_value(text, name, bytes));
    mm_free(alone);
    mm_free(bytes);
    return err.cls == MM_OK ? 0 : tool_error(EXIT_USAGE, "--arg '%s': %s", text, err.message);
}

/* The helper knows neither the members of structures nor their names. */
static int one_structure(struct kernel *kernel, struct in_module *module, const struct in_kernel_info *info,
                         size_t i, size_t index)
{
    const char *at = strstr(kernel->arguments[i], ":as=");
    char as[SPEC_NAME];
    snprintf(as, sizeof as, "%.*s", at ? (int)strcspn(at + strlen(":as="), ":") : 0,
             at ? at + strlen(":as=") : "");
    uint64_t size = *as ? launch_structure_size(module, as) : 0;
    if (index >= info->argument_count || (*as && !size)) /* numbers */
        return 0;
    int code = strchr(kernel->arguments[i], '{') ? structure_to_bytes(kernel, module, info, i, index, as) : 0;
    if (!code && size)
        own_argument(kernel, i, structure_by_size(kernel->arguments[i], as, size));
    return code;
}

/* The argument's text needs the types of the program. */
static bool has_structure(const char *text)
{
    return strchr(text, '{') || strstr(text, ":as=");
}

static int convert_structures(struct kernel *kernel, struct in_module *module,
                              const struct in_kernel_info *info)
{
    size_t indices[KERNEL_ARGUMENTS];
    int code = 0;
    find_indices(kernel, info, indices);
    for (size_t i = 0; i < kernel->argument_count && !code; i++)
        if (has_structure(kernel->arguments[i]))
            code = one_structure(kernel, module, info, i, indices[i]);
    return code;
}

int kernel_structures(struct kernel *kernel)
{
    struct launch_file file;
    bool any = false;
    for (size_t i = 0; i < kernel->argument_count; i++)
        any |= has_structure(kernel->arguments[i]);
    int code = any ? open_file(kernel->path, kernel->build_options, &file) : 0;
    if (!any || code)
        return code;
    const struct in_kernel_info *info = find_kernel(kernel, file.module);
    code = info ? convert_structures(kernel, file.module, info) : 0; /* the helper says that there is none */
    launch_close(&file);
    return code;
}

void kernel_clear(struct kernel *kernel)
{
    for (size_t i = 0; i < KERNEL_ARGUMENTS; i++) {
        mm_free(kernel->owned[i]);
        kernel->owned[i] = NULL;
    }
}

/* ---- the chosen launch ----------------------------------------------------------------------------- */

/* A run whose findings the chosen sizes or contents may cause is rejected, and the next choice is run: for an
 * access out of bounds a smaller launch, for a launch that reached its step limit what choose_for_waiting()
 * names.  The first run without such findings is reported.  Where no choice is left, the first one, whose
 * work-groups are the largest, is run again and reported. */
enum attempt { FIRST_CHOICE, NEXT_CHOICE, FIRST_AGAIN };
struct automatic {
    struct kernel *kernel;
    const struct in_kernel_info *info;
    struct launch_choice choice;
    struct in_module *module;
    unsigned contents; /* that were tried for atomic objects; 0: CHOICE has those of the first choice */
    bool may_choose;   /* sizes are not given */
    enum attempt attempt;
    char outside[600]; /* an access out of bounds in a rejected run */
    struct kernel_choices choices;
};

static const struct ck_finding *find_kind(const struct ck_detector *detector, const char *kind)
{
    for (size_t i = 0; i < ck_detector_finding_count(detector); i++)
        if (strcmp(ck_detector_finding(detector, i)->kind, kind) == 0)
            return ck_detector_finding(detector, i);
    return NULL;
}

static bool has_sizes(const struct kernel *kernel)
{
    return kernel->global || kernel->local;
}

static bool choose_first(struct automatic *a)
{
    const struct kernel *kernel = a->kernel;
    launch_choice_clear(&a->choice);
    return launch_choose(a->module, a->info, &a->choice) &&
           (!has_sizes(kernel) || launch_choose_sized(a->info, &a->choice, kernel->global, kernel->local));
}

/* Work-items that wait for others may need a fair schedule, separate work-groups, or other initial
 * contents of the location that they wait for. */
static bool choose_for_waiting(struct automatic *a)
{
    struct session *session = &a->kernel->session;
    if (!session->execution.schedule) {
        session->execution.schedule = "fair";
        return true;
    }
    if (!a->may_choose)
        return false;
    if (!a->contents && launch_shrink(a->info, &a->choice, true))
        return true;
    if (!a->contents && !choose_first(a))
        return false;
    return launch_choose_atomics(a->info, &a->choice, a->contents++);
}

/* Chooses a smaller launch; notes the access out of bounds that is its reason. */
static bool choose_smaller(struct automatic *a, const struct ck_finding *f)
{
    char global[80], local[80];
    if (!a->may_choose)
        return false;
    const struct mm_source *source =
        f->access_count && f->accesses[0].source.file ? &f->accesses[0].source : NULL;
    if (!*a->outside)
        snprintf(a->outside, sizeof a->outside, "-g %s -l %s: %s:%u: %s",
                 launch_sizes(a->choice.global, a->choice.dimensions, global, sizeof global),
                 launch_sizes(a->choice.local, a->choice.dimensions, local, sizeof local),
                 source ? source->file : "", source ? source->line : 0, f->message);
    return launch_shrink(a->info, &a->choice, false);
}

/* session->reject of CONTEXT, automatic: true if A has another choice to run. */
static bool choose_next(void *context, const struct ck_detector *detector)
{
    struct automatic *a = context;
    const struct ck_finding *outside = find_kind(detector, "out-of-bounds");
    const bool endless = find_kind(detector, "step-limit") != NULL;
    if (a->attempt == FIRST_AGAIN || (!outside && !endless))
        return false;
    if (endless ? choose_for_waiting(a) : choose_smaller(a, outside)) {
        a->attempt = NEXT_CHOICE;
        return true;
    }
    if (a->attempt != NEXT_CHOICE || !choose_first(a))
        return false;
    a->attempt = FIRST_AGAIN;
    a->contents = 0;
    return true;
}

/* The helper's command line for a choice. */
struct choice_words {
    char *words[KERNEL_WORDS + 2 * LAUNCH_ARGUMENTS + 16], global[80], local[80];
    char *owned[LAUNCH_ARGUMENTS]; /* bytes of structures */
    size_t count;
};

static void add_words(struct choice_words *w, const char *option, const char *value)
{
    w->words[w->count++] = (char *)(uintptr_t)option;
    w->words[w->count++] = (char *)(uintptr_t)value;
}

/* The arguments that are given, and the chosen ones for the others. */
static int merge_arguments(const struct automatic *a, const struct launch_choice *choice,
                           struct choice_words *w)
{
    const struct kernel *kernel = a->kernel;
    size_t indices[KERNEL_ARGUMENTS];
    const char *merged[LAUNCH_ARGUMENTS];
    find_indices(kernel, a->info, indices);
    for (size_t i = 0; i < choice->argument_count; i++)
        merged[i] = choice->arguments[i];
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const char *text = kernel->arguments[i];
        size_t n = spec_name_length(text);
        if (indices[i] >= choice->argument_count)
            return tool_error(EXIT_USAGE,
                              n ? "--arg '%s': the kernel has no argument of this name"
                                : "--arg '%s': the kernel has fewer arguments",
                              text);
        merged[indices[i]] = text + n + (n > 0);
    }
    for (size_t i = 0; i < choice->argument_count; i++) {
        struct mm_error err = {0};
        bool is_value = a->info->arguments[i].kind == IN_ARG_VALUE && *merged[i] == '{';
        char *bytes = is_value ? launch_structure(a->module, a->info->name, i, "", merged[i], &err) : NULL;
        mm_free(w->owned[i]);
        w->owned[i] = bytes;
        add_words(w, "arg", bytes ? bytes : merged[i]);
    }
    return 0;
}

static int make_words(const struct automatic *a, const struct launch_choice *choice, struct choice_words *w)
{
    const struct kernel *kernel = a->kernel;
    w->count = kernel->count;
    memcpy(w->words, kernel->words, w->count * sizeof *w->words);
    add_words(w, "kernel", a->info->name);
    if (!kernel->global)
        add_words(w, "global", launch_sizes(choice->global, choice->dimensions, w->global, sizeof w->global));
    if (!has_sizes(kernel))
        add_words(w, "local", launch_sizes(choice->local, choice->dimensions, w->local, sizeof w->local));
    int code = merge_arguments(a, choice, w);
    w->words[w->count] = (char *)(uintptr_t)kernel->path;
    w->words[w->count + 1] = NULL;
    return code;
}

static char **exact_launch(void *context, bool is_wide)
{
    static struct choice_words w;
    static struct launch_choice choice; /* its texts are among the words */
    const struct automatic *a = context;
    launch_choice_clear(&choice);
    bool good = a->may_choose && !a->contents &&
                launch_choose_exact(a->info, &a->choice, is_wide ? a->choice.global[0] + 1 : 0, &choice) &&
                make_words(a, &choice, &w) == 0;
    return good ? w.words : NULL;
}

/* Launches of one work-group, of half its size, and so on. */
static char **smaller_launch(void *context, unsigned number, char *text, size_t size)
{
    static struct choice_words w;
    const struct automatic *a = context;
    static struct launch_choice choice; /* its texts are among the words */
    launch_choice_clear(&choice);
    bool good = a->may_choose && launch_choose_less(a->info, &a->choice, number, &choice) &&
                make_words(a, &choice, &w) == 0;
    if (good)
        snprintf(text, size, "-g %s -l %s", w.global, w.local);
    else
        launch_choice_clear(&choice);
    return good ? w.words : NULL;
}

static void append_value(char text[200], const char *name, int64_t value)
{
    size_t used = strlen(text);
    snprintf(text + used, 200 - used, "%s%s=%" PRId64, used ? ", " : "", name, value);
}

/* Determines the inputs of the launch, and the differences of the last ones as text. */
static void find_inputs(const struct automatic *a, const struct choice_words *w,
                        struct kernel_choices *choices)
{
    char message[200];
    size_t index = 0;
    choices->inputs = 1;
    for (size_t i = 1; i + 1 < w->count; i += 2) {
        struct spec spec;
        if (strcmp(w->words[i], "arg") != 0)
            continue;
        if (spec_read(w->words[i + 1], &spec, message, sizeof message))
            choices->inputs |= spec_inputs(&spec);
        if (spec.has_other && index < a->info->argument_count)
            append_value(choices->others, a->info->arguments[index].name, spec.other);
        if (spec.has_tail && index < a->info->argument_count)
            append_value(choices->tails, a->info->arguments[index].name, spec.tail);
        index++;
        spec_clear(&spec);
    }
}

/* Runs the choice of A; returns an exit code, or SESSION_REJECTED: A has another choice. */
static int run_choice(struct kernel *kernel, struct automatic *a)
{
    static struct choice_words w;
    int code = make_words(a, &a->choice, &w);
    a->choices = (struct kernel_choices){.context = a, .smaller = smaller_launch, .exact = exact_launch};
    find_inputs(a, &w, &a->choices);
    kernel->session.explain = kernel_explain_choices;
    kernel->session.explain_context = &a->choices;
    code = code ? code : session_run(&kernel->session, w.words);
    kernel->session.explain = NULL;
    kernel_close_choices(&a->choices);
    if (code == EXIT_USAGE || code == SESSION_REJECTED || kernel->session.report.quiet)
        return code;
    fprintf(stderr, "refcl: note: %s\n",
            has_sizes(kernel) || kernel->argument_count ? "arguments and sizes that are not given were chosen"
                                                        : "chosen by --auto, the same again:");
    if (!has_sizes(kernel) && !kernel->argument_count)
        print_command(kernel, a->info, &a->choice, true, kernel->session.execution.schedule, stderr);
    return code;
}

static int automatic_kernel(struct kernel *kernel, struct in_module *module,
                            const struct in_kernel_info *info)
{
    struct automatic a = {.kernel = kernel, .info = info, .module = module, .may_choose = !has_sizes(kernel)};
    const char *schedule = kernel->session.execution.schedule;
    const char *given[KERNEL_ARGUMENTS]; /* another kernel's structures are others */
    memcpy(given, kernel->arguments, sizeof given);
    int code = choose_first(&a) ? convert_structures(kernel, module, info)
                                : tool_error(EXIT_USAGE, "--auto: '%s' has too many arguments", info->name);
    kernel->session.reject_context = &a;
    kernel->session.reject = choose_next;
    if (!code)
        while ((code = run_choice(kernel, &a)) == SESSION_REJECTED)
            continue;
    if (*a.outside && a.attempt == NEXT_CHOICE && !kernel->session.report.quiet)
        mm_print(stderr, "refcl: note: not reported, as the chosen sizes may be the cause: with %s\n",
                 a.outside);
    launch_choice_clear(&a.choice);
    kernel->session.execution.schedule = schedule;
    memcpy(kernel->arguments, given, sizeof given);
    return code;
}

int kernel_automatic(struct kernel *kernel)
{
    struct launch_file file;
    int code = open_file(kernel->path, kernel->build_options, &file);
    if (code)
        return code;
    const struct in_kernel_info *named = kernel->name ? find_kernel(kernel, file.module) : NULL;
    size_t count = in_module_kernel_count(file.module), launched = 0;
    const char *patterns = kernel->session.filter.kernels, *wanted = kernel->name ? kernel->name : patterns;
    if (!kernel->session.execution.step_limit)
        kernel->session.execution.step_limit = AUTO_STEP_LIMIT;
    if (!kernel->session.check.is_given)
        kernel->session.check.uninitialized = true; /* these launches are small */
    for (size_t i = 0; i < count; i++) {
        const struct in_kernel_info *info = in_module_kernel(file.module, i);
        if (!is_for_host(info) || (kernel->name && info != named) ||
            (patterns && !ck_is_of_kernels(patterns, info->name)))
            continue;
        if (count > 1 && !kernel->session.report.quiet)
            mm_print(stderr, "refcl: note: kernel '%s'\n", info->name);
        code = tool_worse_code(code, automatic_kernel(kernel, file.module, info));
        launched++;
        if (code == EXIT_INTERRUPTED)
            break;
    }
    launch_close(&file);
    return launched ? code
                    : tool_error(EXIT_USAGE, "'%s' has no kernel '%s'", kernel->path, wanted ? wanted : "");
}
