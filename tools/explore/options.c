/* The options of refcl explore. */
#include "tools/explore/command.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static int read_sizes(const char *option, const char *value, uint32_t out[3])
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

static bool starts_with(const char **text, const char *word)
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
        if (starts_with(text, kinds[i].name)) {
            *kind = kinds[i].kind;
            return true;
        }
    return false;
}

static int read_global(void *context, const struct tool_option *option, const char *value)
{
    struct explore *e = context;
    e->has_global = true;
    return read_sizes(option->name, value, e->launch.global);
}

static int read_local(void *context, const struct tool_option *option, const char *value)
{
    struct explore *e = context;
    e->has_local = true;
    return read_sizes(option->name, value, e->launch.local);
}

static int read_bound(void *context, const struct tool_option *option, const char *value)
{
    struct ck_options *options = &((struct explore *)context)->options;
    uint64_t n = 0;
    int code = tool_number(option->name, value, 1000, &n);
    options->unroll = (unsigned)n;
    options->deepens = false;
    return code;
}

static int read_jobs(void *jobs, const struct tool_option *option, const char *value)
{
    uint64_t n = 0;
    int code = tool_number(option->name, value, 1024, &n);
    *(unsigned *)jobs = n ? (unsigned)n : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    return code;
}

/* "obe" for all scopes, "wg=obe,wi=hsa", or run together as "qfObeSgHsa": what is named by a scope is how the
 * members of that scope progress. */
static int read_progress(void *progress, const struct tool_option *option, const char *value)
{
    struct ck_progress *p = progress;
    const char *at = value;
    enum ck_progress_kind kind;
    *p = (struct ck_progress){CK_FAIR, CK_FAIR, CK_FAIR};
    if (read_kind(&at, &kind)) {
        starts_with(&at, "uniform");
        *p = (struct ck_progress){kind, kind, kind};
        return *at ? tool_error(EXIT_USAGE, "--%s: '%s'", option->name, value) : 0;
    }
    while (*at) {
        enum ck_progress_kind *target = starts_with(&at, "qf") || starts_with(&at, "dv") ? &p->work_groups
                                        : starts_with(&at, "wg")                         ? &p->sub_groups
                                        : starts_with(&at, "sg")                         ? &p->work_items
                                                                                         : NULL;
        at += *at == '=';
        if (!target || !read_kind(&at, target))
            return tool_error(EXIT_USAGE, "--%s: '%s' is not a model like obe or qf=obe,sg=hsa", option->name,
                              value);
        at += *at == ',';
    }
    return 0;
}

const struct tool_option explore_options[] = {
    {"kernel", 'k', "NAME", "REFCL_KERNEL", "kernel to explore (default: the only one)",
     TOOL_TO(struct explore, kernel)},
    {"global", 'g', "N[,N[,N]]", "REFCL_GLOBAL", "global size (default: the file's @Config line, or 1)",
     TOOL_CALL(read_global)},
    {"local", 'l', "N[,N[,N]]", "REFCL_LOCAL",
     "work-group size (default: what the kernel requires, or the global size)", TOOL_CALL(read_local)},
    {"subgroup", 0, "N", "REFCL_SUBGROUP",
     "work-items per sub-group (default: what the kernel requires, or REFCL_SUB_GROUP_SIZE)",
     TOOL_NUMBER(struct explore, launch.sub_group, 0, 65536)},
    {"arg", 'a', "[NAME=]SPEC", NULL,
     "the next argument, or argument NAME, as of refcl kernel: buf:N, svm:N, local:BYTES, image:..., sampler, null, 64, {1, 2, ...}, any or any:LOW..HIGH (symbolic values); memory with :zero, iota, fill=V, rand=SEED, below=LIMIT, file=PATH or any",
     TOOL_TO(struct explore, args)},
    {"input", 0, "NAME=VALUES", NULL, "initial values of a variable or argument, as in @Input lines",
     TOOL_TO(struct explore, inputs)},
    {"assert", 0, "EXPR", NULL,
     "condition on the final state: [forall|exists|~exists] (out[0] == 1 and ...); may be repeated",
     TOOL_TO(struct explore, asserts)},
    {"filter", 0, "EXPR", NULL, "consider only executions with such a final state",
     TOOL_TO(struct explore, filters)},
    {"requires", 0, "EXPR", NULL,
     "condition on symbolic arguments: n <= 64 and a[i] < n; with --prove on sizes and arguments of all launches: n <= global_size(0) and size(a) >= 4 * n; may be repeated",
     TOOL_TO(struct explore, requirements)},
    {"model", 'm', "FILE.cat", "REFCL_MODEL", "memory model (default opencl.cat, or vulkan.cat)",
     TOOL_TO(struct explore, model)},
    {"switch", 's', "NAME=VALUE", NULL, "select a variant of the model; may be repeated",
     TOOL_TO(struct explore, switches)},
    {"engine", 'e', "NAME", "REFCL_CHECK_ENGINE",
     "search, z3, both, or auto: search, then Z3 for undecided questions (default auto)",
     TOOL_CHOICE(struct explore, engines, "auto search z3 both")},
    {"bound", 'b', "K", "REFCL_BOUND",
     "bound on iterations of loops of unknown trip count (default: raised from 4 until the time is used)",
     TOOL_CALL(read_bound)},
    {"progress", 0, "MODEL", "REFCL_PROGRESS_MODEL",
     "forward-progress model: fair, hsa, obe, lobe, unfair; or by scope: wg=obe,sg=hsa,wi=fair",
     TOOL_READ(struct explore, options.progress, read_progress)},
    {"timeout", 't', "S", "REFCL_TIMEOUT",
     "limit of CPU and wall-clock seconds for each file and engine; with --prove, of Z3's work, in units of about a second, and of the CPU time of launches that confirm counterexamples (default 60, 0 = no limit)",
     TOOL_SECONDS(struct explore, options.timeout_ms)},
    {"memory-limit", 0, "MIB", "REFCL_MEMORY_LIMIT",
     "memory limit for each file, in MiB (default 2048, 0 = no limit)",
     TOOL_NUMBER(struct explore, memory, 0, 1 << 22)},
    {"jobs", 0, "N", "REFCL_JOBS",
     "processes that share one search, with the same answers whatever N (default 1, 0 = one for each processor)",
     TOOL_READ(struct explore, options.jobs, read_jobs)},
    TOOL_INCLUDE(struct explore, build, tool_build_options),
    {"json", 'j', "OUT", "REFCL_JSON", "write the verdicts as JSON, - for stdout",
     TOOL_TO(struct explore, paths.json)},
    {"html", 0, "OUT", "REFCL_HTML", "write an HTML page of the witnesses, to be stepped through",
     TOOL_TO(struct explore, paths.html)},
    {"export", 0, "OUT", NULL,
     "write the program that the engines would decide of one launch, - for stdout, instead of deciding it",
     TOOL_TO(struct explore, paths.export_to)},
    {"states", 0, NULL, "REFCL_STATES", "list the final states", TOOL_TO(struct explore, states)},
    {"explain", 0, NULL, "REFCL_EXPLAIN", "print a witness, or the axioms that forbid the outcome",
     TOOL_TO(struct explore, explain)},
    {"witnesses", 0, NULL, "REFCL_WITNESSES",
     "print a witness for each final state and finding, replayed by the interpreter",
     TOOL_TO(struct explore, replays)},
    {"witness", 'w', "FOLDER", "REFCL_WITNESS",
     "write each such execution to a file in FOLDER, for refcl kernel --replay",
     TOOL_TO(struct explore, paths.witness)},
    {"no-walk", 0, NULL, NULL, TOOL_INTERNAL "search: the enumeration alone, without what is tried before it",
     TOOL_TO(struct explore, options.no_walk)},
    {"only-walk", 0, NULL, NULL, TOOL_INTERNAL "search: omit the enumeration after the random walks",
     TOOL_TO(struct explore, options.only_walk)},
    {"cpu-time", 0, NULL, NULL,
     TOOL_INTERNAL
     "--timeout limits CPU time alone, so that answers do not depend on the load of the machine",
     TOOL_TO(struct explore, options.cpu_time)},
    {"prove", 0, NULL, NULL,
     "decide race freedom, barrier divergence and bounds for all launch sizes and inputs, by two arbitrary work-items",
     TOOL_TO(struct explore, prove)},
    {"commands", 0, "N", "REFCL_COMMANDS",
     "of a host program: explore its last N commands (default 64, 0 = all)",
     TOOL_NUMBER(struct explore, commands, 0, UINT32_MAX)},
    {"trace", 0, "FILE", NULL,
     "explore the commands of a trace of refcl run, instead of kernels or a program",
     TOOL_TO(struct explore, trace)},
    TOOL_OPTION_END};

int explore_read_options(const struct tool_command *command, int argc, char **argv, struct explore *e,
                         int *exit_code)
{
    int first = tool_options(command, argc, argv, false, e, exit_code);
    e->replays = e->replays || e->paths.html || e->paths.witness;
    e->options.executions = e->replays;
    e->options.explain = e->explain;
    return first;
}
