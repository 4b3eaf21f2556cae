/* Command line of refcl-litmus-run. */
#include "run.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- the options ----------------------------------------------------------------------------------- */

/* How the argument of an option is read into the member of struct lt_options at OFFSET.  ACTION: LEAST is
 * what to do; NUMBER: unsigned, WIDE: uint64_t, both from LEAST to MOST; FRACTION: above 0, at most MOST. */
enum kind { FLAG, ACTION, TEXT, NUMBER, WIDE, FRACTION, SHARD, KNOB, HARDWARE, COMPILE, LIMITS, SECONDS };

struct run_option {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* in the help, NULL: none */
    const char *environment, *help;
    enum kind kind;
    size_t offset;
    uint64_t least, most;
};
#define MEMBER(name) offsetof(struct lt_options, name)

static const struct run_option run_options[] = {
    {"output", 'o', "FILE", "REFCL_RESULTS", "results (default results.json), rewritten after every batch",
     TEXT, MEMBER(files.results), 0, 0},
    {"resume", 0, NULL, "REFCL_RESUME", "continue where the results end", FLAG, MEMBER(files.resume), 0, 0},
    {"platform", 0, "X", "REFCL_PLATFORM", "number, or part of the name (default: the first)", TEXT,
     MEMBER(device.platform), 0, 0},
    {"device", 0, "X", "REFCL_DEVICE", "number, or part of the name (default: the first)", TEXT,
     MEMBER(device.name), 0, 0},
    {"list", 0, NULL, NULL, "list platforms and devices", ACTION, 0, LT_LIST, 0},
    {"vulkan", 0, NULL, NULL, "run a plan for Vulkan only; with --list: list Vulkan devices", FLAG,
     MEMBER(device.vulkan), 0, 0},
    {"one-queue", 0, NULL, NULL,
     "run the work-groups of two queue families one after the other where a Vulkan device has a single family",
     FLAG, MEMBER(device.one_queue), 0, 0},
    {"test", 0, "NAME", "REFCL_TEST", "run only tests whose name contains NAME", TEXT, MEMBER(tests.only), 0,
     0},
    {"exact", 0, NULL, NULL, "run only the test whose name is that of --test", FLAG, MEMBER(tests.exact), 0,
     0},
    {"shard", 0, "K/N", "REFCL_SHARD", "run the K-th of N parts of the plan, K from 1", SHARD, 0, 0, 0},
    {"iterations", 'n', "N", "REFCL_ITERATIONS", "instances of each test (default: as planned)", WIDE,
     MEMBER(amount.iterations), 1, UINT64_MAX >> 12},
    {"budget", 0, "S", "REFCL_BUDGET", "seconds for all tests together, instead of a number of instances",
     FRACTION, MEMBER(amount.budget_s), 0, 1000000000},
    {"confidence", 0, "R", "REFCL_CONFIDENCE",
     "run each test until the rate of a state that was never seen is below R, with 95 % confidence (3/R instances)",
     FRACTION, MEMBER(amount.confidence), 0, 1},
    {"until-seen", 0, NULL, NULL, "end a test when it has shown the outcome that it asks about", FLAG,
     MEMBER(amount.until_seen), 0, 0},
    {"unseen", 0, "RESULTS", NULL,
     "run only tests that do not show the outcome that they ask about in RESULTS", TEXT, MEMBER(files.seen),
     0, 0},
    {"batch", 0, "N", "REFCL_BATCH", "instances in one launch (default 4096 on a CPU, 1048576 on a GPU)",
     NUMBER, MEMBER(amount.batch), 1, 1 << 22},
    {"kind", 0, "cpu|gpu", NULL, "lay launches out as for such a device (default: what the device is)",
     HARDWARE, 0, 0, 0},
    {"il", 0, NULL, NULL, "pass kernels as SPIR-V, as to a device without a compiler", FLAG, MEMBER(build.il),
     0, 0},
    {"legacy", 0, NULL, NULL, "use the atomics of OpenCL 1.2 only", FLAG, MEMBER(build.legacy), 0, 0},
    {"build-options", 0, "TEXT", NULL, "options for building the kernels, such as -cl-opt-disable", COMPILE,
     0, 0, 0},
    {"knob", 0, "NAME=V", NULL, "fix a launch parameter (--knobs lists them); may be repeated", KNOB, 0, 0,
     0},
    {"knobs", 0, NULL, NULL, "list the launch parameters with the values that are tried", ACTION, 0,
     LT_LIST_KNOBS, 0},
    {"tune", 0, NULL, NULL,
     "search for launch parameters that show many weak outcomes on the device, for --budget seconds (default 60) or with "
     "--iterations instances of each test in each try, and write them to the output, or where later runs find them; "
     "exit code 1 if none shows any",
     ACTION, 0, LT_TUNE, 0},
    {"tuning", 0, "FILE", "REFCL_TUNING",
     "use these launch parameters in most batches (default: as tuned; none: nothing)", TEXT,
     MEMBER(files.tuning), 0, 0},
    {"variant", 0, "TEXT", "REFCL_VARIANT",
     "settings of the driver that it does not report, such as REFCL_MEMORY=weak: the results have them in the driver's version, "
     "so that those of different settings are not added up",
     TEXT, MEMBER(device.variant), 0, 0},
    {"merge", 0, NULL, NULL, "add up the results files that follow into the output", ACTION, 0, LT_MERGE, 0},
    {"timeout", 0, "S", "REFCL_RUN_TIMEOUT",
     "end each test after S seconds (default: after 60 seconds without a result)", SECONDS, 0, 1, 86400},
    {"silence", 0, "S", NULL,
     "end a test that has reported nothing for S seconds (default 60, or as --timeout says)", NUMBER,
     MEMBER(amount.timeout_s), 1, 86400},
    {"seed", 0, "N", "REFCL_SEED", "seed of the placements (default: the plan's)", WIDE, MEMBER(seed), 0,
     UINT64_MAX},
    {"input-limits", 0, "N", "REFCL_INPUT_LIMITS",
     "multiply the memory and time limits of input files by N (default 1)", LIMITS, 0, 1, LT_MOST_TIMES},
    {"quiet", 'q', NULL, NULL, "print the summary only", FLAG, MEMBER(quiet), 0, 0},
    {"help", 'h', NULL, NULL, "print this help", ACTION, 0, LT_HELP, 0},
};
enum { RUN_OPTIONS = sizeof run_options / sizeof *run_options, LONG_OPTION = 256 };

/* tools/man/generate.py reads these lines. */
static void print_help(FILE *out)
{
    fputs(
        "usage: refcl-litmus-run [options] PLAN.json|RESULTS.json...\n"
        "run the litmus tests of a plan on an OpenCL or Vulkan device and record the final states\n\noptions:\n",
        out);
    for (const struct run_option *o = run_options; o < run_options + RUN_OPTIONS; o++) {
        char text[60];
        snprintf(text, sizeof text, "%c%c%s--%s%s%s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
                 o->letter ? ", " : "  ", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
        fprintf(out, "  %-30s  %s%s%s%s\n", text, o->help, o->environment ? " [" : "",
                o->environment ? o->environment : "", o->environment ? "]" : "");
    }
    fputs(
        "\nexit code: 0 all tests ran or were skipped with a reason, 1 some failed, crashed or hung, 2 usage or input "
        "error; `refcl litmus judge` decides which states are allowed\n",
        out);
}

/* ---- their arguments ------------------------------------------------------------------------------- */

static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || n < least || n > most)
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
    o->tests.shard = (unsigned)k - 1;
    o->tests.shard_count = (unsigned)n;
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
            o->knobs.given[k] = true;
            o->knobs.values[k] = (uint32_t)n;
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

/* Takes option O with its ARGUMENT; false: that is not valid. */
static bool read_option(struct lt_options *options, const struct run_option *o, const char *argument)
{
    void *member = (char *)options + o->offset;
    uint64_t n = 0;
    bool number = o->kind == NUMBER || o->kind == WIDE || o->kind == LIMITS || o->kind == SECONDS;
    if (number && !read_number(argument, o->least, o->most, &n))
        return false;
    switch (o->kind) {
    case FLAG:
        *(bool *)member = true;
        break;
    case TEXT:
        *(const char **)member = argument;
        break;
    case NUMBER:
        *(unsigned *)member = (unsigned)n;
        break;
    case WIDE:
        *(uint64_t *)member = n;
        options->has_seed |= o->offset == MEMBER(seed);
        break;
    case FRACTION:
        return read_fraction(argument, (double)o->most, member);
    case SHARD:
        return read_shard(argument, options);
    case KNOB:
        return read_knob(argument, options);
    case HARDWARE:
        options->device.kind = argument;
        return strcmp(argument, "cpu") == 0 || strcmp(argument, "gpu") == 0;
    case COMPILE:
        options->build.options = argument;
        return strlen(argument) < LT_BUILD_OPTIONS;
    case LIMITS:
        return setenv(o->environment, argument, 1) == 0;
    case SECONDS:
        options->amount.timeout_s = options->amount.limit_s = (unsigned)n;
        break;
    case ACTION:
        options->action = options->action == LT_HELP ? LT_HELP : (enum lt_action)o->least;
        break;
    }
    return true;
}

/* Notes an option for readers of the results.  The results have another member for shards; paths of
 * files differ from machine to machine. */
static void note_option(struct lt_options *options, const struct run_option *o, const char *argument)
{
    size_t used = strlen(options->settings), size = sizeof options->settings - used;
    const char *name = argument ? strrchr(argument, '/') : NULL;
    char value[256] = "";
    if (o->kind == ACTION || o->kind == SHARD || o->offset == MEMBER(files.results) ||
        o->offset == MEMBER(files.resume) || o->offset == MEMBER(quiet))
        return;
    if (argument)
        snprintf(value, sizeof value, " %s", o->kind == TEXT && name ? name + 1 : argument);
    snprintf(options->settings + used, size, "%s--%s%s", used ? " " : "", o->name, value);
    lt_shown(options->settings);
}

static bool take_option(struct lt_options *options, const struct run_option *o, const char *argument)
{
    if (!read_option(options, o, argument))
        return false;
    note_option(options, o, argument);
    return true;
}

static bool from_environment(struct lt_options *options)
{
    for (const struct run_option *o = run_options; o < run_options + RUN_OPTIONS; o++) {
        const char *value = o->environment ? getenv(o->environment) : NULL;
        if (!value || !*value || (!o->argument && strcmp(value, "0") == 0) || take_option(options, o, value))
            continue;
        fprintf(stderr, "refcl-litmus-run: '%s' is not a valid value for %s\n", value, o->environment);
        return false;
    }
    return true;
}

static const struct run_option *find_option(int code)
{
    for (int i = 0; i < RUN_OPTIONS; i++)
        if (code == LONG_OPTION + i || (code < LONG_OPTION && run_options[i].letter == (char)code))
            return &run_options[i];
    return NULL;
}

static bool parse_arguments(struct lt_options *options, int argc, char **argv)
{
    struct option longs[RUN_OPTIONS + 1] = {0};
    char shorts[2 * RUN_OPTIONS + 1], *end = shorts;
    for (int i = 0; i < RUN_OPTIONS; i++) {
        const struct run_option *o = &run_options[i];
        longs[i] =
            (struct option){o->name, o->argument ? required_argument : no_argument, NULL, LONG_OPTION + i};
        if (o->letter)
            *end++ = o->letter;
        if (o->letter && o->argument)
            *end++ = ':';
    }
    *end = '\0';
    for (int code; (code = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        const struct run_option *o = find_option(code);
        if (o && take_option(options, o, optarg))
            continue;
        if (o)
            fprintf(stderr, "refcl-litmus-run: '%s' is not a valid value for --%s\n", optarg, o->name);
        fprintf(stderr, "Try `refcl-litmus-run --help`.\n");
        return false;
    }
    options->files.inputs = (const char *const *)argv + optind;
    options->files.input_count = (unsigned)(argc - optind);
    return true;
}

static int run_command(struct lt_options *o)
{
    if (!o->files.results && o->action != LT_TUNE)
        o->files.results = "results.json";
    switch (o->action) {
    case LT_HELP:
        print_help(stdout);
        return 0;
    case LT_LIST:
        (o->device.vulkan ? &lt_vulkan : &lt_opencl)->list(stdout);
        return 0;
    case LT_LIST_KNOBS:
        list_knobs();
        return 0;
    case LT_MERGE:
        return lt_merge(o);
    case LT_RUN:
    case LT_TUNE:
        break;
    }
    if (o->files.input_count != 1) {
        fprintf(stderr, "refcl-litmus-run: one plan is needed, %u given\nTry `refcl-litmus-run --help`.\n",
                o->files.input_count);
        return 2;
    }
    o->files.plan = o->files.inputs[0];
    int code = o->action == LT_TUNE ? lt_tune(o) : lt_campaign(o);
    return lt_interrupted ? 128 + lt_interrupted : code;
}

int main(int argc, char **argv)
{
    struct lt_options o = {.amount.timeout_s = 60, .tests.shard_count = 1};
    return from_environment(&o) && parse_arguments(&o, argc, argv) ? run_command(&o) : 2;
}
