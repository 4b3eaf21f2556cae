/* Command line of refcl-litmus-run. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: refcl-litmus-run [options] PLAN.json\n"
    "Runs the litmus tests of a plan on an OpenCL device and records the final states.\n"
    "  -o, --output FILE     results (default results.json), rewritten after every batch\n"
    "      --resume          continue where FILE ends\n"
    "      --platform X      number, or part of the name (default: first)\n"
    "      --device X        number, or part of the name (default: first)\n"
    "      --list            list platforms and devices\n"
    "      --vulkan          a Vulkan device: what a plan for Vulkan always gets; with --list, list them\n"
    "      --test NAME       only tests whose name contains NAME\n"
    "      --exact           only tests whose name is NAME\n"
    "      --shard K/N       the K-th of N parts of the plan, K from 1\n"
    "  -n, --iterations N    instances of each test (default: what the plan says)\n"
    "      --budget S        seconds for all tests together, instead of a number of instances\n"
    "      --confidence R    run each test until a state that was never seen has, with 95 % confidence, a "
    "rate\n"
    "                        below R (3/R instances)\n"
    "      --batch N         instances in one launch (default 4096 on a CPU, 1048576 on a GPU)\n"
    "      --kind cpu|gpu    lay launches out as for such a device (default: what the device is)\n"
    "      --il              take the kernels as SPIR-V, as on a device that has no compiler\n"
    "      --legacy          as if the device had the atomics of OpenCL 1.2 alone\n"
    "      --build-options O build the kernels with these options too, such as -cl-opt-disable\n"
    "      --knob NAME=V     fix a knob (--knobs lists them); may be repeated\n"
    "      --knobs           list the knobs of the kernels with the values that are tried\n"
    "      --tune            look for the knobs that show most weak outcomes on the device, for --budget "
    "seconds\n"
    "                        (default 60), and write them to the output, or where later runs find them;\n"
    "                        exit code 1, and nothing is written, if no setting shows any\n"
    "      --tuning FILE     use these knobs in most batches (default: what --tune found; none: nothing)\n"
    "      --merge           add up the results files that follow into the output\n"
    "      --timeout S       end each test after S seconds (default: after 60 seconds without a result)\n"
    "      --seed N          seed of the placements (default: the plan's)\n"
    "      --input-limits N  allow files to cost N times as much memory and time (default 1)\n"
    "  -q, --quiet           only the summary\n"
    "Each option can be given in the environment: REFCL_RESULTS, REFCL_RESUME, REFCL_PLATFORM, "
    "REFCL_DEVICE,\n"
    "REFCL_TEST, REFCL_SHARD, REFCL_ITERATIONS, REFCL_BATCH, REFCL_RUN_TIMEOUT, REFCL_SEED, REFCL_TUNING,\n"
    "REFCL_INPUT_LIMITS.\n"
    "Exit code: 0 all tests ran or were skipped with a reason, 1 some failed, crashed or hung, 2 usage or "
    "input\n"
    "error.  Whether the states are allowed is for `refcl litmus judge` to say.\n";

static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || n < least || n > most)
        return false;
    *value = n;
    return true;
}

static bool read_shard(const char *text, struct lt_options *o)
{
    uint64_t k = 0, n = 0;
    char first[8];
    size_t length = strcspn(text, "/");
    if (length >= sizeof first || !text[length])
        return false;
    memcpy(first, text, length);
    first[length] = '\0';
    if (!read_number(first, 1, 1 << 20, &k) || !read_number(text + length + 1, k, 1 << 20, &n))
        return false;
    o->shard = (unsigned)k - 1;
    o->shard_count = (unsigned)n;
    return true;
}

/* A number above 0. */
static bool read_fraction(const char *text, double most, double *value)
{
    char *end;
    double n = strtod(text, &end);
    if (*end || end == text || !(n > 0) || !(n <= most))
        return false;
    *value = n;
    return true;
}

static bool read_knob(const char *text, struct lt_options *o)
{
    size_t length = strcspn(text, "=");
    uint64_t n = 0;
    for (unsigned k = 0; k < LT_KNOB_COUNT; k++)
        if (strlen(lt_knobs[k].name) == length && strncmp(lt_knobs[k].name, text, length) == 0 &&
            *lt_knobs[k].cpu && text[length] && read_number(text + length + 1, 0, 1 << 20, &n)) {
            o->knob_given[k] = true;
            o->knob_values[k] = (uint32_t)n;
            return true;
        }
    return false;
}

static void list_knobs(void)
{
    printf("%-15s %-14s %-20s %s\n", "knob", "on a CPU", "on a GPU", "meaning");
    for (unsigned k = 0; k < LT_KNOB_COUNT; k++)
        if (*lt_knobs[k].cpu)
            printf("%-15s %-14s %-20s %s\n", lt_knobs[k].name, lt_knobs[k].cpu, lt_knobs[k].gpu,
                   lt_knobs[k].help);
}

static bool set_text(struct lt_options *o, const char *name, const char *value)
{
    if (strcmp(name, "output") == 0)
        o->results_path = value;
    else if (strcmp(name, "platform") == 0)
        o->platform = value;
    else if (strcmp(name, "device") == 0)
        o->device = value;
    else if (strcmp(name, "test") == 0)
        o->only = value;
    else if (strcmp(name, "tuning") == 0)
        o->tuning = value;
    else if (strcmp(name, "build-options") == 0 && strlen(value) < LT_BUILD_OPTIONS)
        o->build_options = value;
    else if (strcmp(name, "kind") == 0 && (strcmp(value, "cpu") == 0 || strcmp(value, "gpu") == 0))
        o->kind = value;
    else
        return false;
    return true;
}

/* True if NAME=VALUE is understood. */
static bool set_option(struct lt_options *o, const char *name, const char *value)
{
    uint64_t n = 0;
    bool ok;
    if (set_text(o, name, value))
        return true;
    if (strcmp(name, "shard") == 0)
        return read_shard(value, o);
    if (strcmp(name, "knob") == 0)
        return read_knob(value, o);
    if (strcmp(name, "budget") == 0)
        return read_fraction(value, 1e9, &o->budget_s);
    if (strcmp(name, "confidence") == 0)
        return read_fraction(value, 1, &o->confidence);
    if (strcmp(name, "input-limits") == 0)
        return read_number(value, 1, LT_MOST_TIMES, &n) && setenv("REFCL_INPUT_LIMITS", value, 1) == 0;
    if (strcmp(name, "iterations") == 0)
        return read_number(value, 1, UINT64_MAX >> 12, &o->iterations);
    if (strcmp(name, "seed") == 0)
        return o->has_seed = read_number(value, 0, UINT64_MAX, &o->seed);
    if (strcmp(name, "batch") == 0) {
        ok = read_number(value, 1, 1 << 22, &n);
        o->batch = (unsigned)n;
        return ok;
    }
    if (strcmp(name, "timeout") == 0) {
        ok = read_number(value, 1, 86400, &n);
        o->timeout_s = o->limit_s = (unsigned)n;
        return ok;
    }
    return false;
}

/* Options that have a value, and their environment variables. */
static const struct {
    const char *name, *environment;
} with_value[] = {{"output", "REFCL_RESULTS"},
                  {"platform", "REFCL_PLATFORM"},
                  {"device", "REFCL_DEVICE"},
                  {"test", "REFCL_TEST"},
                  {"shard", "REFCL_SHARD"},
                  {"iterations", "REFCL_ITERATIONS"},
                  {"batch", "REFCL_BATCH"},
                  {"budget", "REFCL_BUDGET"},
                  {"confidence", "REFCL_CONFIDENCE"},
                  {"timeout", "REFCL_RUN_TIMEOUT"},
                  {"seed", "REFCL_SEED"},
                  {"tuning", "REFCL_TUNING"},
                  {"input-limits", "REFCL_INPUT_LIMITS"},
                  {"kind", NULL},
                  {"knob", NULL},
                  {"build-options", NULL}};
#define WITH_VALUE (sizeof with_value / sizeof *with_value)

static bool has_value(const char *name)
{
    for (size_t i = 0; i < WITH_VALUE; i++)
        if (strcmp(with_value[i].name, name) == 0)
            return true;
    return false;
}

static bool from_environment(struct lt_options *o)
{
    for (size_t i = 0; i < WITH_VALUE; i++) {
        const char *value = with_value[i].environment ? getenv(with_value[i].environment) : NULL;
        if (value && *value && !set_option(o, with_value[i].name, value)) {
            fprintf(stderr, "refcl-litmus-run: '%s' is not a valid value for %s\n", value,
                    with_value[i].environment);
            return false;
        }
    }
    const char *resume = getenv("REFCL_RESUME");
    o->resume = resume && *resume && strcmp(resume, "0") != 0;
    return true;
}

static bool set_flag(struct lt_options *o, const char *name)
{
    if (strcmp(name, "resume") == 0)
        o->resume = true;
    else if (strcmp(name, "list") == 0)
        o->list = true;
    else if (strcmp(name, "quiet") == 0)
        o->quiet = true;
    else if (strcmp(name, "merge") == 0)
        o->merge = true;
    else if (strcmp(name, "tune") == 0)
        o->tune = true;
    else if (strcmp(name, "exact") == 0)
        o->exact = true;
    else if (strcmp(name, "knobs") == 0)
        o->list_knobs = true;
    else if (strcmp(name, "il") == 0)
        o->il = true;
    else if (strcmp(name, "vulkan") == 0)
        o->vulkan = true;
    else if (strcmp(name, "legacy") == 0)
        o->legacy = true;
    else if (strcmp(name, "help") == 0)
        o->stop = true;
    else
        return false;
    return true;
}

static bool parse_option(struct lt_options *o, int argc, char **argv, int *i)
{
    static const char *const shorts[][2] = {
        {"-o", "output"}, {"-n", "iterations"}, {"-q", "quiet"}, {"-h", "help"}};
    char name[32] = "";
    const char *value = NULL;
    for (size_t s = 0; s < sizeof shorts / sizeof *shorts; s++)
        if (strcmp(argv[*i], shorts[s][0]) == 0)
            snprintf(name, sizeof name, "%s", shorts[s][1]);
    if (strncmp(argv[*i], "--", 2) == 0) {
        value = strchr(argv[*i], '=');
        int length = value ? (int)(value - argv[*i] - 2) : 30;
        snprintf(name, sizeof name, "%.*s", length, argv[*i] + 2);
        value = value ? value + 1 : NULL;
    }
    if (!value && set_flag(o, name))
        return true;
    if (!has_value(name))
        fprintf(stderr, "refcl-litmus-run: unknown option '%s' (see --help)\n", argv[*i]);
    else if (!value && *i + 1 == argc)
        fprintf(stderr, "refcl-litmus-run: --%s needs a value (see --help)\n", name);
    else if (set_option(o, name, value ? value : argv[++*i]))
        return true;
    else
        fprintf(stderr, "refcl-litmus-run: '%s' is not a valid value for --%s (see --help)\n",
                value ? value : argv[*i], name);
    return false;
}

static bool parse_arguments(struct lt_options *o, int argc, char **argv, const char **inputs)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1]) {
            if (!parse_option(o, argc, argv, &i))
                return false;
        } else {
            inputs[o->input_count++] = argv[i];
        }
    }
    o->inputs = inputs;
    return true;
}

static int run_campaign(struct lt_options *o)
{
    if (o->stop) {
        fputs(usage, stdout);
        return 0;
    }
    if (!o->results_path && !o->tune)
        o->results_path = "results.json";
    if (o->list || o->list_knobs) {
        if (o->list)
            (o->vulkan ? &lt_vulkan : &lt_opencl)->list(stdout);
        else
            list_knobs();
        return 0;
    }
    if (o->merge)
        return lt_merge(o);
    if (o->input_count != 1) {
        fprintf(stderr, "refcl-litmus-run: one plan is needed, %u given\n%s", o->input_count, usage);
        return 2;
    }
    o->plan_path = o->inputs[0];
    return o->tune ? lt_tune(o) : lt_campaign(o);
}

int main(int argc, char **argv)
{
    struct lt_options o = {.timeout_s = 60, .shard_count = 1};
    const char **inputs = calloc((size_t)argc + 1, sizeof *inputs);
    int code = 2;
    if (inputs && from_environment(&o) && parse_arguments(&o, argc, argv, inputs))
        code = run_campaign(&o);
    free(inputs);
    return code;
}
