/* The options of refcl explore. */
#include "tools/explore/command.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
    OPT_KERNEL,
    OPT_GLOBAL,
    OPT_LOCAL,
    OPT_SUB_GROUP,
    OPT_ARG,
    OPT_INPUT,
    OPT_ASSERT,
    OPT_FILTER,
    OPT_REQUIRES,
    OPT_MODEL,
    OPT_SWITCH,
    OPT_ENGINE,
    OPT_BOUND,
    OPT_PROGRESS,
    OPT_TIMEOUT,
    OPT_MEMORY,
    OPT_JOBS,
    OPT_BUILD,
    OPT_BUILD_LAST = OPT_BUILD + TOOL_BUILD_OPTION_COUNT - 1,
    OPT_JSON,
    OPT_HTML,
    OPT_EXPORT,
    OPT_STATES,
    OPT_EXPLAIN,
    OPT_WITNESSES,
    OPT_WITNESS,
    OPT_NO_WALK,
    OPT_ONLY_WALK,
    OPT_CPU_TIME,
    OPT_PROVE,
    OPT_COMMANDS,
    OPT_TRACE,
};
const struct tool_option explore_options[] = {
    {"kernel", 'k', "NAME", "REFCL_KERNEL", "kernel to explore (default: the only one)"},
    {"global", 'g', "N[,N[,N]]", "REFCL_GLOBAL", "global size (default: the file's @Config line, or 1)"},
    {"local", 'l', "N[,N[,N]]", "REFCL_LOCAL",
     "work-group size (default: what the kernel requires, or the global size)"},
    {"subgroup", 0, "N", "REFCL_SUBGROUP",
     "work-items per sub-group (default: what the kernel requires, or REFCL_SUB_GROUP_SIZE)"},
    {"arg", 'a', "[NAME=]SPEC", NULL,
     "the next argument, or argument NAME, as of refcl kernel: buf:N, svm:N, local:BYTES, image:..., sampler, null, 64, {1, 2, ...}, any or any:LOW..HIGH (symbolic values); memory with :zero, iota, fill=V, rand=SEED, below=LIMIT, file=PATH or any"},
    {"input", 0, "NAME=VALUES", NULL, "initial values of a variable or argument, as in @Input lines"},
    {"assert", 0, "EXPR", NULL,
     "condition on the final state: [forall|exists|~exists] (out[0] == 1 and ...); may be repeated"},
    {"filter", 0, "EXPR", NULL, "consider only executions with such a final state"},
    {"requires", 0, "EXPR", NULL,
     "condition on symbolic arguments: n <= 64 and a[i] < n; with --prove on sizes and arguments of all launches: n <= global_size(0) and size(a) >= 4 * n; may be repeated"},
    {"model", 'm', "FILE.cat", "REFCL_MODEL", "memory model (default opencl.cat, or vulkan.cat)"},
    {"switch", 's', "NAME=VALUE", NULL, "select a variant of the model; may be repeated"},
    {"engine", 'e', "NAME", "REFCL_CHECK_ENGINE",
     "search, z3, both, or auto: search, then Z3 for undecided questions (default auto)"},
    {"bound", 'b', "K", "REFCL_BOUND",
     "bound on iterations of loops of unknown trip count (default: raised from 4 until the time is used)"},
    {"progress", 0, "MODEL", "REFCL_PROGRESS_MODEL",
     "forward-progress model: fair, hsa, obe, lobe, unfair; or by scope: wg=obe,sg=hsa,wi=fair"},
    {"timeout", 't', "S", "REFCL_TIMEOUT",
     "limit of CPU and wall-clock seconds for each file and engine; with --prove, of Z3's work, in units of about a second, and of the CPU time of launches that confirm counterexamples (default 60, 0 = no limit)"},
    {"memory-limit", 0, "MIB", "REFCL_MEMORY_LIMIT",
     "memory limit for each file, in MiB (default 2048, 0 = no limit)"},
    {"jobs", 0, "N", "REFCL_JOBS",
     "processes that share one search, with the same answers whatever N (default 1, 0 = one for each processor)"},
    TOOL_BUILD_OPTIONS,
    {"json", 'j', "OUT", "REFCL_JSON", "write the verdicts as JSON, - for stdout"},
    {"html", 0, "OUT", "REFCL_HTML", "write an HTML page of the witnesses, to be stepped through"},
    {"export", 0, "OUT", NULL,
     "write the program that the engines would decide of one launch, - for stdout, instead of deciding it"},
    {"states", 0, NULL, "REFCL_STATES", "list the final states"},
    {"explain", 0, NULL, "REFCL_EXPLAIN", "print a witness, or the axioms that forbid the outcome"},
    {"witnesses", 0, NULL, "REFCL_WITNESSES",
     "print a witness for each final state and finding, replayed by the interpreter"},
    {"witness", 'w', "FOLDER", "REFCL_WITNESS",
     "write each such execution to a file in FOLDER, for refcl kernel --replay"},
    {"no-walk", 0, NULL, NULL,
     TOOL_INTERNAL "search: the enumeration alone, without what is tried before it"},
    {"only-walk", 0, NULL, NULL, TOOL_INTERNAL "search: omit the enumeration after the random walks"},
    {"cpu-time", 0, NULL, NULL,
     TOOL_INTERNAL
     "--timeout limits CPU time alone, so that answers do not depend on the load of the machine"},
    {"prove", 0, NULL, NULL,
     "decide race freedom, barrier divergence and bounds for all launch sizes and inputs, by two arbitrary work-items"},
    {"commands", 0, "N", "REFCL_COMMANDS",
     "of a host program: explore its last N commands (default 64, 0 = all)"},
    {"trace", 0, "FILE", NULL,
     "explore the commands of a trace of refcl run, instead of kernels or a program"},
    TOOL_OPTION_END};

/* ---- options ------------------------------------------------------------------------------------ */

static int add_text(struct texts *texts, const char *option, const char *value)
{
    if (texts->count == MAX_TEXTS)
        return tool_error(EXIT_USAGE, "--%s: more than %d", option, MAX_TEXTS);
    texts->items[texts->count++] = value;
    return 0;
}

static int set_sizes(const char *option, const char *value, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        char *end;
        unsigned long n = strtoul(value, &end, 10);
        if (end == value || n == 0 || n > 65536 || (*end && *end != ','))
            return tool_error(EXIT_USAGE, "--%s: '%s' is not N[,N[,N]]", option, value);
        out[i] = (uint32_t)n;
        if (!*end)
            return 0;
        value = end + 1;
    }
    return tool_error(EXIT_USAGE, "--%s: more than three dimensions", option);
}

static int set_engine(struct explore *e, const char *value)
{
    static const unsigned engines[] = {ENGINE_SEARCH, ENGINE_Z3, ENGINE_SEARCH | ENGINE_Z3, ENGINE_AUTO};
    size_t index = 0;
    int code = tool_word("engine", value, "search z3 both auto", &index);
    e->engines = engines[index];
    return code;
}

static bool starts(const char **text, const char *word)
{
    size_t n = strlen(word);
    if (strncasecmp(*text, word, n) != 0)
        return false;
    *text += n;
    return true;
}

static bool read_kind(const char **text, enum ck_progress_kind *kind)
{
    static const struct {
        const char *name;
        enum ck_progress_kind kind;
    } kinds[] = {{"unfair", CK_UNFAIR}, {"fair", CK_FAIR}, {"hsaobe", CK_LOBE}, {"hsa_obe", CK_LOBE},
                 {"hsa", CK_HSA},       {"lobe", CK_LOBE}, {"obe", CK_OBE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (starts(text, kinds[i].name)) {
            *kind = kinds[i].kind;
            return true;
        }
    return false;
}

/* "obe" for all scopes, "wg=obe,wi=hsa", or run together as "qfObeSgHsa": what is named by a scope is how the
 * members of that scope progress. */
static int set_progress(struct ck_progress *p, const char *value)
{
    const char *at = value;
    enum ck_progress_kind kind;
    *p = (struct ck_progress){CK_FAIR, CK_FAIR, CK_FAIR};
    if (read_kind(&at, &kind)) {
        starts(&at, "uniform");
        *p = (struct ck_progress){kind, kind, kind};
        return *at ? tool_error(EXIT_USAGE, "--progress: '%s'", value) : 0;
    }
    while (*at) {
        enum ck_progress_kind *target = starts(&at, "qf") || starts(&at, "dv") ? &p->work_groups
                                        : starts(&at, "wg")                    ? &p->sub_groups
                                        : starts(&at, "sg")                    ? &p->work_items
                                                                               : NULL;
        at += *at == '=';
        if (!target || !read_kind(&at, target))
            return tool_error(EXIT_USAGE, "--progress: '%s' is not a model like obe or qf=obe,sg=hsa", value);
        at += *at == ',';
    }
    return 0;
}

static int set_number(const char *option, const char *value, uint64_t max, unsigned scale, unsigned *out)
{
    uint64_t n = 0;
    int code = tool_number(option, value, max, &n);
    *out = (unsigned)n * scale;
    return code;
}

/* Where the values of option INDEX are collected, NULL: it is given once. */
static struct texts *texts_of(struct explore *e, size_t index)
{
    return index == OPT_ARG        ? &e->args
           : index == OPT_INPUT    ? &e->inputs
           : index == OPT_ASSERT   ? &e->asserts
           : index == OPT_FILTER   ? &e->filters
           : index == OPT_REQUIRES ? &e->requirements
           : index == OPT_SWITCH   ? &e->switches
                                   : NULL;
}

static int set_jobs(const char *value, unsigned *jobs)
{
    int code = set_number("jobs", value, 1024, 1, jobs);
    if (!code && *jobs == 0)
        *jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    return code;
}

int explore_option(void *context, size_t index, const char *value)
{
    struct explore *e = context;
    struct texts *texts = texts_of(e, index);
    if (texts)
        return add_text(texts, explore_options[index].name, value);
    if (index >= OPT_BUILD && index <= OPT_BUILD_LAST)
        return tool_build_option(&e->build, index - OPT_BUILD, value);
    switch (index) {
    case OPT_KERNEL:
        e->kernel = value;
        return 0;
    case OPT_GLOBAL:
        e->has_global = true;
        return set_sizes("global", value, e->launch.global);
    case OPT_LOCAL:
        e->has_local = true;
        return set_sizes("local", value, e->launch.local);
    case OPT_SUB_GROUP:
        return set_number("subgroup", value, 65536, 1, &e->launch.sub_group);
    case OPT_MODEL:
        e->model = value;
        return 0;
    case OPT_ENGINE:
        return set_engine(e, value);
    case OPT_BOUND:
        e->options.deepens = false;
        return set_number("bound", value, 1000, 1, &e->options.unroll);
    case OPT_PROGRESS:
        return set_progress(&e->options.progress, value);
    case OPT_TIMEOUT:
        return set_number("timeout", value, 86400, 1000, &e->options.timeout_ms);
    case OPT_MEMORY:
        return set_number("memory-limit", value, 1 << 22, 1, &e->memory);
    case OPT_JOBS:
        return set_jobs(value, &e->options.jobs);
    case OPT_JSON:
        e->paths.json = value;
        return 0;
    case OPT_HTML:
        e->paths.html = value;
        e->options.executions = e->replays = true;
        return 0;
    case OPT_STATES:
        e->states = true;
        return 0;
    case OPT_EXPORT:
        e->paths.export_to = value;
        return 0;
    case OPT_WITNESS:
        e->paths.witness = value;
        e->options.executions = e->replays = true;
        return 0;
    case OPT_WITNESSES:
        e->options.executions = e->replays = true;
        return 0;
    case OPT_NO_WALK:
        e->options.no_walk = true;
        return 0;
    case OPT_ONLY_WALK:
        e->options.only_walk = true;
        return 0;
    case OPT_CPU_TIME:
        e->options.cpu_time = true;
        return 0;
    case OPT_PROVE:
        e->prove = true;
        return 0;
    case OPT_COMMANDS:
        return set_number("commands", value, UINT32_MAX, 1, &e->commands);
    case OPT_TRACE:
        e->trace = value;
        return 0;
    default:
        e->explain = e->options.explain = true;
        return 0;
    }
}
