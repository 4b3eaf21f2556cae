/* refcl litmus run: plans tests and executes them on an ICD with refcl-litmus-run. */
#include "tools/cmd/commands.h"
#include "tools/cmd/litmus_files.h"
#include "tools/interrupt.h"
#include "tools/session/session.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* An interpreter makes fewer instances in a second than a processor. */
enum { REFCL_ITERATIONS = 4000 };
enum { MOST_PASSED = 24 };

struct campaign {
    struct lt_plan_options plan;
    const char *icd, *output;
    char *words[MOST_PASSED + 3]; /* command line of the runner, options from 1 */
    size_t count;
};

/* Adds an option of the runner. */
static int add_option(struct campaign *campaign, const char *name, const char *value)
{
    static char storage[MOST_PASSED + 1][PATH_MAX];
    char *word = storage[campaign->count];
    if (snprintf(word, PATH_MAX, "--%s%s%s", name, value ? "=" : "", value ? value : "") >= PATH_MAX)
        return tool_error(EXIT_USAGE, "--%s: longer than %d characters", name, PATH_MAX);
    campaign->words[campaign->count++] = word;
    return 0;
}

static int pass_option(void *context, const struct tool_option *option, const char *value)
{
    struct campaign *campaign = context;
    if (campaign->count == MOST_PASSED)
        return tool_error(EXIT_USAGE, "more than %d options for the runner", MOST_PASSED - 1);
    return add_option(campaign, option->name, value);
}

static const struct tool_option options[] = {
    {"icd", 'i', "FILE", "REFCL_ICD", "the driver's library or .icd file (default: refcl's own)",
     TOOL_TO(struct campaign, icd)},
    {"output", 'o', "OUT", "REFCL_RESULTS", "results file (default results.json), rewritten after each batch",
     TOOL_TO(struct campaign, output)},
    {"iterations", 'n', "N", "REFCL_ITERATIONS",
     "number of instances of each test (default 100000; 4000 on refcl itself)",
     TOOL_NUMBER(struct campaign, plan.iterations, 1, UINT64_MAX >> 12)},
    {"seed", 's', "N", "REFCL_SEED", "seed of the placement of threads and locations",
     TOOL_NUMBER(struct campaign, plan.seed, 0, UINT64_MAX)},
    {"cl-std", 0, "NAME", "REFCL_CL_STD", "OpenCL C version of the kernels (default: the device's)",
     TOOL_CHOICE(struct campaign, plan.cl_std, LITMUS_CL_STD)},
    {"resume", 0, NULL, "REFCL_RESUME", "resume an interrupted run", TOOL_CALL(pass_option)},
    {"platform", 0, "X", "REFCL_PLATFORM", "its number, or part of its name (default: the first)",
     TOOL_CALL(pass_option)},
    {"device", 0, "X", "REFCL_DEVICE", "its number, or part of its name (default: the first)",
     TOOL_CALL(pass_option)},
    {"shard", 0, "K/N", "REFCL_SHARD", "run the K-th of N shards of the campaign", TOOL_CALL(pass_option)},
    {"timeout", 't', "S", "REFCL_RUN_TIMEOUT",
     "end each test after S seconds (default: after 60 seconds without a result)", TOOL_CALL(pass_option)},
    {"budget", 0, "S", "REFCL_BUDGET", "time limit of the campaign in seconds, instead of --iterations",
     TOOL_CALL(pass_option)},
    {"confidence", 0, "R", "REFCL_CONFIDENCE",
     "run until, with 95 % confidence, an unobserved state has a rate below R", TOOL_CALL(pass_option)},
    {"test", 0, "NAME", "REFCL_TEST", "run only tests whose name contains NAME", TOOL_CALL(pass_option)},
    {"batch", 0, "N", "REFCL_BATCH", "number of instances per launch", TOOL_CALL(pass_option)},
    {"knob", 0, "NAME=V", NULL,
     "fix a launch parameter (refcl-litmus-run --knobs lists them); may be repeated", TOOL_CALL(pass_option)},
    {"quiet", 'q', NULL, "REFCL_QUIET", "print only the summary", TOOL_CALL(pass_option)},
    {"vulkan", 0, NULL, "REFCL_VULKAN", "run on a Vulkan device, not on an ICD; OpenCL tests are translated",
     TOOL_TO(struct campaign, plan.vulkan)},
    TOOL_INCLUDE(struct campaign, plan, litmus_mapping_options),
    {"silence", 0, "S", NULL,
     "end a test that has reported nothing for S seconds (default 60, or as --timeout says)",
     TOOL_CALL(pass_option)},
    {"one-queue", 0, NULL, NULL,
     "run the work-groups of two queue families one after the other where a Vulkan device has a single family",
     TOOL_CALL(pass_option)},
    TOOL_OPTION_END};

static int select_icd(const char *icd)
{
    char path[PATH_MAX];
    if (!icd) {
        if (tool_find_library(path))
            return EXIT_TOOL;
    } else if (!realpath(icd, path)) {
        return tool_error(EXIT_USAGE, "cannot read ICD '%s': %s", icd, strerror(errno));
    }
    session_set_driver(path);
    return 0;
}

/* Runs the runner, which ends with its results and a summary where it is interrupted. */
static int execute_runner(char **words)
{
    int status = tool_interrupt_run(words, EXIT_TOOL);
    if (WIFSIGNALED(status) && tool_interrupted)
        return 128 + tool_interrupted;
    if (WIFSIGNALED(status))
        return tool_error(EXIT_TOOL, "the runner was ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

static int run_plan(struct campaign *campaign, const struct litmus_files *files)
{
    static char runner[PATH_MAX], plan[40];
    const bool vulkan = campaign->plan.vulkan;
    if (vulkan && campaign->icd)
        return tool_error(EXIT_USAGE, "an ICD has no Vulkan devices: --icd or --vulkan");
    if (!campaign->icd && !vulkan && !campaign->plan.iterations)
        campaign->plan.iterations = REFCL_ITERATIONS;
    int file = memfd_create("plan", 0); /* nothing is left of it however the process ends */
    if (file < 0)
        return tool_error(EXIT_TOOL, "no file for the plan: %s", strerror(errno));
    snprintf(plan, sizeof plan, "/proc/self/fd/%d", file);
    int code = tool_find_helper("refcl-litmus-run", runner);
    code = code || vulkan ? code : select_icd(campaign->icd);
    code = code ? code : litmus_write_plan(files, &campaign->plan, plan);
    code = code ? code : add_option(campaign, "output", campaign->output);
    if (code)
        return code;
    campaign->words[0] = runner;
    campaign->words[campaign->count] = plan;
    return execute_runner(campaign->words);
}

static int litmus_run_main(int argc, char **argv)
{
    struct campaign campaign = {.output = "results.json", .count = 1};
    struct litmus_files files = {0};
    int code = 0;
    int first = tool_options(&cmd_litmus_run, argc, argv, false, &campaign, &code);
    if (first < 0)
        return code;
    code = litmus_files_load(&files, argc, argv, first);
    if (!code)
        code = run_plan(&campaign, &files);
    litmus_files_clear(&files);
    return code;
}

const struct tool_command cmd_litmus_run = {
    "litmus run", "FILE|FOLDER...", "execute litmus tests many times on an ICD", options, litmus_run_main};
