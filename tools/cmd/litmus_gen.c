/* refcl litmus gen: minimal tests from cycles. */
#include "tools/cmd/commands.h"
#include "tools/cmd/litmus_files.h"

#include "litmus/files.h"
#include "litmus/generate/generate.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

struct generate {
    struct lt_generate_options options;
    struct lt_family family;
    const char *output, *model;
};

static const struct tool_option options[] = {
    {"output", 'o', "FOLDER", "REFCL_GEN_OUTPUT", "output folder (default: print the tests)",
     TOOL_TO(struct generate, output)},
    {"shapes", 0, "LIST", "REFCL_GEN_SHAPES",
     "shapes: MP SB LB S R 2+2W CoRR CoRW WRC ISA2 RWC 3SB 3LB IRIW BWR ...",
     TOOL_TO(struct generate, family.shapes)},
    {"places", 0, "LIST", "REFCL_GEN_PLACES",
     "thread placements: dev, wg, sg or split (different work-groups, one work-group, one sub-group, the first apart)",
     TOOL_TO(struct generate, family.places)},
    {"regions", 0, "LIST", "REFCL_GEN_REGIONS",
     "region of each location in order, such as gg or gl: g global, l local, s fine-grained SVM with "
     "atomics; capital letters use generic pointers",
     TOOL_TO(struct generate, family.regions)},
    {"scopes", 0, "LIST", "REFCL_GEN_SCOPES", "memory scopes: sg, wg, dev or all",
     TOOL_TO(struct generate, family.scopes)},
    {"mechanisms", 0, "LIST", "REFCL_GEN_MECHANISMS",
     "mechanism of each thread in order: a atomics, f fences, m read-modify-writes, s sub-group barriers",
     TOOL_TO(struct generate, family.mechanisms)},
    {"data", 0, "LIST", "REFCL_GEN_DATA", "accesses without synchronization: atomic or plain",
     TOOL_TO(struct generate, family.data)},
    {"flags", 0, "LIST", "REFCL_GEN_FLAGS", "fence flags of fences and barriers: g, l or gl",
     TOOL_TO(struct generate, family.flags)},
    {"orders", 0, "LIST", "REFCL_GEN_ORDERS",
     "strongest memory orders: sc, ar or rlx (ar: acquire and release; default sc)",
     TOOL_TO(struct generate, family.orders)},
    {"clause", 0, "ID", "REFCL_GEN_CLAUSE", "generate only tests forbidden by the clause ID, such as A7",
     TOOL_TO(struct generate, options.clause)},
    {"weaker", 0, "N", "REFCL_GEN_WEAKER",
     "number of tests one step weaker to write for each minimal test (default 1)",
     TOOL_NUMBER(struct generate, options.weaker, 0, 1000)},
    {"allowed", 0, NULL, "REFCL_GEN_ALLOWED", "also write the combinations that the model allows",
     TOOL_TO(struct generate, options.allowed)},
    {"limit", 0, "N", "REFCL_GEN_LIMIT", "limit of the number of files (default 10000)",
     TOOL_NUMBER(struct generate, options.limit, 1, 1000000)},
    {"model", 'm', "FILE.cat", "REFCL_MODEL", "memory model (default opencl.cat)",
     TOOL_TO(struct generate, model)},
    {"timeout", 't', "S", "REFCL_TIMEOUT", "time limit for each query in seconds (default 60)",
     TOOL_SECONDS(struct generate, options.check.timeout_ms)},
    TOOL_OPTION_END};

static enum mm_class write_test(void *context, const struct lt_cycle *cycle, const char *name,
                                const char *title, const char *properties, struct mm_error *err)
{
    const struct generate *g = context;
    char path[PATH_MAX];
    if (!g->output) {
        lt_cycle_emit(cycle, name, title, properties, stdout);
        putchar('\n');
        return MM_OK;
    }
    if (snprintf(path, sizeof path, "%s/%s.litmus", g->output, name) >= (int)sizeof path)
        return mm_fail(err, MM_INVALID, "litmus.file", "the path of '%s' is too long", name);
    FILE *out = fopen(path, "w");
    if (out)
        lt_cycle_emit(cycle, name, title, properties, out);
    if (!out || fclose(out) != 0)
        return lt_cannot_write(path, err);
    return MM_OK;
}

static enum mm_class generate_all(struct generate *g, struct lt_generator *generator, int argc, char **argv,
                                  int first, struct mm_error *err)
{
    enum mm_class cls = MM_OK;
    for (int i = first; i < argc && cls == MM_OK; i++) {
        struct lt_cycle cycle;
        cls = lt_cycle_parse(argv[i], &cycle, err);
        if (cls == MM_OK)
            cls = lt_generate(generator, &cycle);
    }
    if (g->family.shapes && cls == MM_OK)
        cls = lt_generate_family(generator, &g->family, err);
    return cls;
}

static int generate_tests(struct generate *g, int argc, char **argv, int first)
{
    struct mm_error err = {0};
    struct lt_generator *generator = lt_generator_create(&g->options, write_test, g, &err);
    if (!generator)
        return tool_error(EXIT_TOOL, "out of memory");
    int code = 0;
    if (generate_all(g, generator, argc, argv, first, &err) != MM_OK)
        code = tool_report(&err);
    const struct lt_generate_counts *counts = lt_generator_counts(generator);
    fprintf(stderr, "%zu tests, %zu of them forbidden; %zu cycles decided\n", counts->files,
            counts->forbidden, counts->decided);
    if (counts->disagreements)
        code = tool_error(EXIT_TOOL, "search and Z3 disagree, or do not know, on %zu cycles: not written",
                          counts->disagreements);
    if (!code && g->options.clause && !counts->files)
        code = tool_error(EXIT_USAGE, "no test of these cycles is one that '%s' forbids", g->options.clause);
    lt_generator_destroy(generator);
    return code;
}

static int litmus_gen_main(int argc, char **argv)
{
    struct generate g = {.options = {.weaker = 1, .limit = 10000, .check = {.timeout_ms = 60000}},
                         .family = {.places = "dev",
                                    .regions = "g",
                                    .scopes = "dev",
                                    .mechanisms = "a",
                                    .data = "atomic",
                                    .flags = "g",
                                    .orders = "sc"},
                         .model = "opencl.cat"};
    struct mm_cat_model *model = NULL;
    struct mm_error err = {0};
    char path[PATH_MAX];
    int code = 0;
    int first = tool_options(&cmd_litmus_gen, argc, argv, false, &g, &code);
    if (first < 0)
        return code;
    if (first == argc && !g.family.shapes)
        return tool_error(EXIT_USAGE, "no cycle given, and no --shapes");
    if (g.output && mkdir(g.output, 0777) != 0 && errno != EEXIST)
        return tool_error(EXIT_USAGE, "cannot create '%s': %s", g.output, strerror(errno));
    code = tool_find_model(g.model, path);
    if (code)
        return code;
    if (mm_cat_load(path, NULL, &model, &err) != MM_OK)
        return tool_report(&err);
    g.options.model = model;
    code = generate_tests(&g, argc, argv, first);
    mm_cat_destroy(model);
    return code;
}

const struct tool_command cmd_litmus_gen = {
    "litmus gen", "[CYCLE...]", "generate minimal litmus tests from cycles, checked by both engines", options,
    litmus_gen_main};
