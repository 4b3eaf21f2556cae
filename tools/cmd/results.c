/* refcl results: campaigns of many devices and drivers in one file, and questions to it. */
#include "tools/cmd/commands.h"
#include "tools/store/store.h"

#include "memmodel/base/escape.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_STORE "refcl-results.sqlite"
struct results {
    const char *store;
    struct store_query query;
    struct tool_texts switches;
    double rate;
    bool no_judge;
    struct store_add_options add;
    struct store_site_options site;
};
#define STORE_OPTION                                                                                         \
    {                                                                                                        \
        "store", 'S', "FILE", "REFCL_STORE", "the results store (default " DEFAULT_STORE ")",                \
            TOOL_TO(struct results, store)                                                                   \
    }
#define JSON_OPTION                                                                                          \
    {                                                                                                        \
        "json", 'j', NULL, NULL, "print JSON", TOOL_TO(struct results, query.json)                           \
    }

#define DEVICE_OPTION                                                                                        \
    {                                                                                                        \
        "device", 'd', "TEXT", NULL, "devices and drivers whose name or version has TEXT in it",             \
            TOOL_TO(struct results, query.selector)                                                          \
    }

static int open_store(const struct results *r, bool create, struct store *store)
{
    struct mm_error err = {0};
    return store_open(r->store, create, store, &err) == MM_OK ? 0 : tool_report(&err);
}

/* ---- add ---- */

static const struct tool_option add_options[] = {
    STORE_OPTION,
    {"date", 0, "DATE", NULL, "day of the files that have none, YYYY-MM-DD (default: of their last change)",
     TOOL_TO(struct results, add.date)},
    {"device", 0, "NAME", NULL, "JUnit, benchmarks: the device that was tested; reports: the program",
     TOOL_TO(struct results, add.device)},
    {"driver", 0, "VERSION", NULL, "its driver, or the program's version",
     TOOL_TO(struct results, add.driver)},
    {"tests", 0, "DIR", "REFCL_TESTS",
     "folder that the files of a table are relative to (default: the current one)",
     TOOL_TO(struct results, add.tests)},
    {"no-judge", 0, NULL, NULL, "leave new states without a verdict until `refcl results judge`",
     TOOL_TO(struct results, no_judge)},
    TOOL_OPTION_END};

/* The models, with the switches that a variant of devices needs. */
static const struct variant {
    const char *name, *model, *switch_name, *switch_text; /* "chains", "chains=on"; NULL: none */
} variants[] = {{"OpenCL", "opencl.cat", NULL, NULL},
                {"Vulkan", "vulkan.cat", NULL, NULL},
                {STORE_CHAINS, "vulkan.cat", "chains", "chains=on"}};
enum { VARIANTS = sizeof variants / sizeof *variants };

static bool has_switch(const char *path, const char *text)
{
    const char *const one[] = {text, NULL};
    struct mm_cat_model *model = NULL;
    bool known = mm_cat_load(path, one, &model, NULL) == MM_OK;
    mm_cat_destroy(model);
    return known;
}

/* Selects the given switches that the model has, and the switch of the variant unless it was given. */
static void select_switches(const struct results *r, const struct variant *v, const char *path,
                            const char **switches)
{
    size_t count = 0;
    bool given = false;
    for (size_t i = 0; i < r->switches.count; i++) {
        size_t length = strcspn(r->switches.items[i], "=");
        given = given || (v->switch_name && strlen(v->switch_name) == length &&
                          memcmp(v->switch_name, r->switches.items[i], length) == 0);
        if (has_switch(path, r->switches.items[i]))
            switches[count++] = r->switches.items[i];
    }
    if (v->switch_text && !given)
        switches[count++] = v->switch_text;
    switches[count] = NULL;
}

static void join_words(const char *const *words, char *text, size_t size)
{
    *text = '\0';
    for (size_t used = 0; *words && used < size; words++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", *words);
}

static int judge_variant(struct store *store, const struct results *r, const struct variant *v)
{
    const char *switches[TOOL_TEXTS_MOST + 2];
    char names[1024];
    struct mm_cat_model *model = NULL;
    struct mm_error err = {0};
    char path[PATH_MAX];
    size_t judged = 0;
    int code = tool_find_model(v->model, path);
    if (code)
        return code;
    select_switches(r, v, path, switches);
    join_words(switches, names, sizeof names);
    if (mm_cat_load(path, switches, &model, &err) != MM_OK)
        return tool_report(&err);
    struct lt_judge_options options = {.model = model, .check = {.timeout_ms = 60000}};
    if (store_judge(store, v->name, names, &options, &judged, &err) != MM_OK)
        code = tool_report(&err);
    else if (judged)
        printf("%zu states judged by %s%s%s\n", judged, v->model, *names ? " " : "", names);
    mm_cat_destroy(model);
    return code;
}

/* A switch, or a value of it, that no model has is an error. */
static int check_switches(const struct results *r)
{
    for (size_t i = 0; i < r->switches.count; i++) {
        char path[PATH_MAX];
        bool known = false;
        for (size_t v = 0; v < VARIANTS; v++) {
            int code = tool_find_model(variants[v].model, path);
            if (code)
                return code;
            known = known || has_switch(path, r->switches.items[i]);
        }
        if (!known)
            return tool_error(EXIT_USAGE, "--switch: no model has a switch with this value: '%s'",
                              r->switches.items[i]);
    }
    return 0;
}

static int judge_all(struct store *store, const struct results *r)
{
    int code = check_switches(r);
    for (size_t v = 0; v < VARIANTS && !code; v++)
        code = judge_variant(store, r, &variants[v]);
    return code;
}

/* Adds all files, also after errors; returns the worst exit code. */
static int add_files(const struct results *r, struct store *store, int count, char **paths)
{
    static const char *const said[] = {[STORE_ADDED] = "added",
                                       [STORE_KNOWN] = "known already",
                                       [STORE_REPLACED] = "in the place of its earlier state"};
    int worst = 0;
    for (int i = 0; i < count; i++) {
        struct mm_error err = {0};
        enum store_added added = STORE_ADDED;
        int64_t run = 0;
        int code = store_add(store, paths[i], &r->add, &added, &run, &err) == MM_OK ? 0 : tool_report(&err);
        worst = code > worst ? code : worst;
        if (!code && run)
            mm_print(stdout, "%s: run %d, %s\n", paths[i], (int)run, said[added]);
        else if (!code)
            mm_print(stdout, "%s: %s\n", paths[i], said[added]);
    }
    return worst;
}

static int results_add_main(int argc, char **argv)
{
    struct results r = {.store = DEFAULT_STORE};
    struct store store;
    int code = 0;
    int first = tool_options(&cmd_results_add, argc, argv, false, &r, &code);
    if (first < 0)
        return code;
    if (first == argc)
        return tool_error(EXIT_USAGE, "no files given");
    code = open_store(&r, true, &store);
    if (code)
        return code;
    code = add_files(&r, &store, argc - first, argv + first);
    if (!r.no_judge) {
        int judged = judge_all(&store, &r);
        code = code ? code : judged;
    }
    store_close(&store);
    return code;
}

const struct tool_command cmd_results_add = {
    "results add", "FILE...",
    "add results, tables, judgements, reports, benchmarks or JUnit files to a results store", add_options,
    results_add_main};

/* ---- queries ---- */

static int read_rate(void *member, const struct tool_option *option, const char *value)
{
    char *end;
    double rate = strtod(value, &end);
    *(double *)member = rate;
    return *value && !*end && rate > 0 && rate < 1
               ? 0
               : tool_error(EXIT_USAGE, "--%s: '%s' is no rate between 0 and 1", option->name, value);
}

static const struct tool_option judge_options[] = {
    STORE_OPTION,
    {"switch", 's', "NAME=VALUE", NULL,
     "select a variant of the models that have this switch; may be repeated",
     TOOL_TO(struct results, switches)},
    TOOL_OPTION_END};
static const struct tool_option ask_options[] = {STORE_OPTION, JSON_OPTION, TOOL_OPTION_END};
static const struct tool_option device_options[] = {STORE_OPTION, JSON_OPTION, DEVICE_OPTION,
                                                    TOOL_OPTION_END};
static const struct tool_option history_options[] = {
    STORE_OPTION,
    JSON_OPTION,
    DEVICE_OPTION,
    {"rate", 'r', "R", NULL, "how sure it is that the rate of a state that was not shown is below R",
     TOOL_READ(struct results, rate, read_rate)},
    TOOL_OPTION_END};
static const struct tool_option site_options[] = {
    STORE_OPTION,
    {"xref", 0, "URL", NULL, "page of `refcl xref site`, which clauses link to",
     TOOL_TO(struct results, site.xref)},
    {"playground", 0, "URL", NULL, "page of `make web`, which tests link to, with their text in the address",
     TOOL_TO(struct results, site.playground)},
    TOOL_OPTION_END};
static const struct tool_option store_options[] = {STORE_OPTION, TOOL_OPTION_END};

/* Parses the options of COMMAND, which takes WORDS arguments (negative: at least one, at most -WORDS), and
 * opens the store.  Returns the first argument, or -1. */
static int open_for_command(const struct tool_command *command, int words, int argc, char **argv,
                            struct results *r, struct store *store, int *code)
{
    *r = (struct results){.store = DEFAULT_STORE, .query.out = stdout};
    int first = tool_options(command, argc, argv, false, r, code);
    if (first < 0)
        return -1;
    int given = argc - first;
    if (words < 0 && given >= 1 && given <= -words)
        words = given;
    words = abs(words);
    if (given != words) {
        *code = tool_error(EXIT_USAGE, "%d argument%s needed, %d given: refcl %s %s", words,
                           words == 1 ? " is" : "s are", given, command->name, command->arguments);
        return -1;
    }
    *code = open_store(r, false, store);
    return *code ? -1 : first;
}

static int finish_command(struct store *store, enum mm_class cls, size_t found, const struct mm_error *err)
{
    store_close(store);
    return cls != MM_OK ? tool_report(err) : found ? EXIT_FINDINGS : EXIT_CLEAN;
}

/* Defines the command NAME of WORDS arguments (see open_for_command), which prints the answer ASK; FOUND: the
 * number of findings. */
#define ANSWER_COMMAND(name, words, ask)                                                                     \
    static int results_##name##_main(int argc, char **argv)                                                  \
    {                                                                                                        \
        struct results r;                                                                                    \
        struct store store;                                                                                  \
        struct mm_error err = {0};                                                                           \
        size_t found = 0;                                                                                    \
        int code, first = open_for_command(&cmd_results_##name, words, argc, argv, &r, &store, &code);       \
        if (first < 0)                                                                                       \
            return code;                                                                                     \
        enum mm_class cls = ask;                                                                             \
        return finish_command(&store, cls, found, &err);                                                     \
    }
ANSWER_COMMAND(list, 0, store_list(&store, &r.query, &err))
ANSWER_COMMAND(show, 1, store_show(&store, argv[first], &r.query, &err))
ANSWER_COMMAND(compare, 2, store_compare(&store, argv[first], argv[first + 1], &r.query, &err))
ANSWER_COMMAND(regressions, 0, store_regressions(&store, &r.query, &found, &err))
ANSWER_COMMAND(export, 0, store_export(&store, stdout, &err))
ANSWER_COMMAND(site, 1, store_site(&store, argv[first], &r.site, &err))
ANSWER_COMMAND(history, -2,
               store_history(&store,
                             &(struct store_history_query){.test = argv[first],
                                                           .state = argc - first > 1 ? argv[first + 1] : NULL,
                                                           .rate = r.rate},
                             &r.query, &err))
ANSWER_COMMAND(shape, 1, store_shape(&store, argv[first], &r.query, &err))
ANSWER_COMMAND(updates, 0, store_updates(&store, &r.query, &err))

static int results_judge_main(int argc, char **argv)
{
    struct results r;
    struct store store;
    int code, first = open_for_command(&cmd_results_judge, 0, argc, argv, &r, &store, &code);
    if (first < 0)
        return code;
    code = judge_all(&store, &r);
    store_close(&store);
    return code;
}

const struct tool_command cmd_results_history = {
    "results history", "TEST [STATE]",
    "show since when and how often each driver shows a state of a test (default: what the test asks about), or how sure it is "
    "that the driver does not",
    history_options, results_history_main};
const struct tool_command cmd_results_shape = {
    "results shape", "SHAPE",
    "show how often each driver shows what the tests of a shape, such as MP, ask about, and where drivers differ",
    device_options, results_shape_main};
const struct tool_command cmd_results_updates = {
    "results updates", "", "show all that updates of drivers changed: states, rates, tests", device_options,
    results_updates_main};
const struct tool_command cmd_results_list = {"results list", "", "list the runs of a results store",
                                              ask_options, results_list_main};
const struct tool_command cmd_results_show = {
    "results show", "TEST", "show what each device and driver did in a litmus test, and since when",
    device_options, results_show_main};
const struct tool_command cmd_results_compare = {
    "results compare", "RUN|DEVICE RUN|DEVICE",
    "show the states that one of two runs, devices or drivers alone shows", ask_options,
    results_compare_main};
const struct tool_command cmd_results_regressions = {
    "results regressions", "",
    "show what updates of drivers broke: forbidden states, tests that no longer run", device_options,
    results_regressions_main};
const struct tool_command cmd_results_export = {
    "results export", "", "print the sums of a results store as JSON", store_options, results_export_main};
const struct tool_command cmd_results_site = {
    "results site", "FOLDER",
    "write a results store as static pages: drivers beside rule families, tests with their history",
    site_options, results_site_main};
const struct tool_command cmd_results_judge = {
    "results judge", "", "judge the states of a results store that have no verdict under the current models",
    judge_options, results_judge_main};
