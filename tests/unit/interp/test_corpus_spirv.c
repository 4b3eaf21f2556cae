/* Public SPIR-V litmus programs, for OpenCL and for Vulkan: each loads, runs under the sequential schedule
 * with its @Input values, and ends as its @Output condition says where that is expected to hold always.  The
 * programs are in $REFCL_CORPUS or ../shared/corpus; without them the test is skipped. */
#include "spv.h"
#include "tests/lib/skip.h"
#include <ctype.h>
#include <ftw.h>
#include <inttypes.h>

#define MOST 24
struct input {
    char name[64];
    int64_t values[256];
    uint32_t count, depth;
};
struct program {
    char path[1024];
    char *text;
    uint32_t config[3];
    struct input inputs[MOST];
    uint32_t input_count;
    char names[MOST][64]; /* of arguments, in order */
    uint32_t name_count;
    struct in_spec_constant constants[MOST];
    uint32_t constant_count;
    unsigned char *memory[MOST];
    size_t size[MOST];
    uint32_t each[MOST];
    bool expected; /* "forall" conditions hold */
    bool vulkan;
};

static char (*paths)[1024];
static size_t path_count;

static int on_file(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)ftw;
    size_t n = strlen(path);
    if (flag == FTW_F && n > 7 && n < 1024 && strcmp(path + n - 7, ".spvasm") == 0) {
        paths = realloc(paths, (path_count + 1) * sizeof *paths);
        snprintf(paths[path_count++], sizeof *paths, "%s", path);
    }
    return 0;
}

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 21);
    if (f != NULL) {
        size_t n = fread(text, 1, (1 << 21) - 1, f);
        text[n] = 0;
        fclose(f);
    }
    return text;
}

static const char *word(const char *p, char *to, size_t size)
{
    size_t n = 0;
    while (isalnum((unsigned char)*p) || *p == '_' || *p == '.') {
        if (n + 1 < size)
            to[n++] = *p;
        p++;
    }
    to[n] = 0;
    return p;
}

/* "%x = {1, {2, 3}}, %y = 4" */
static void parse_inputs(struct program *p, const char *line)
{
    while ((line = strchr(line, '%')) != NULL && p->input_count < MOST) {
        struct input *in = &p->inputs[p->input_count++];
        line = word(line + 1, in->name, sizeof in->name);
        uint32_t depth = 0;
        while (*line == ' ' || *line == '=')
            line++;
        do {
            if (*line == '{') {
                depth++;
                in->depth = depth > in->depth ? depth : in->depth;
                line++;
            } else if (*line == '}') {
                depth--;
                line++;
            } else if (*line == '-' || isdigit((unsigned char)*line)) {
                char *end;
                long long value = strtoll(line, &end, 0);
                if (in->count < 256)
                    in->values[in->count++] = value;
                line = end;
            } else {
                line++;
            }
        } while (depth > 0 && *line != 0 && *line != '\n');
    }
}

static const struct input *find_input(const struct program *p, const char *name)
{
    for (uint32_t k = 0; k < p->input_count; k++)
        if (strcmp(p->inputs[k].name, name) == 0)
            return &p->inputs[k];
    return NULL;
}

/* Names of descriptors or of the entry point's parameters, and specialization constants. */
static void parse_body(struct program *p)
{
    char entry[64] = "", name[64];
    bool inside = false;
    p->vulkan = strstr(p->text, "GLCompute") != NULL;
    for (const char *line = p->text; line != NULL;
         line = strchr(line, '\n') != NULL ? strchr(line, '\n') + 1 : NULL) {
        char text[512];
        size_t n = strcspn(line, "\n");
        snprintf(text, sizeof text, "%.*s", (int)(n < 511 ? n : 511), line);
        const char *at = strstr(text, "OpEntryPoint ");
        if (at != NULL && (at = strchr(at, '%')) != NULL)
            word(at + 1, entry, sizeof entry);
        if ((at = strstr(text, " SpecId ")) != NULL && p->constant_count < MOST) {
            word(strchr(text, '%') + 1, name, sizeof name);
            const struct input *in = find_input(p, name);
            uint32_t id = (uint32_t)atoi(at + 8), local = p->config[0] * p->config[1];
            uint64_t value = in != NULL ? (uint64_t)in->values[0] : id == 0 ? local : 1;
            bool size = id < 3 && strstr(p->text, "BuiltIn WorkgroupSize") != NULL;
            bool array = id >= 3 && in == NULL && strstr(p->text, "ArgumentWorkgroup") != NULL;
            if (array) /* an argument in local memory: its size is the host's to choose */
                value = 4 * (uint64_t)local;
            if (in != NULL || size || array)
                p->constants[p->constant_count++] = (struct in_spec_constant){id, 4, value};
        }
        at = strchr(text, '%');
        bool variable =
            strstr(text, " OpVariable ") != NULL &&
            (strstr(text, " StorageBuffer") || strstr(text, " Uniform") || strstr(text, " PushConstant"));
        if (strstr(text, "= OpFunction ") != NULL) {
            word(at + 1, name, sizeof name);
            inside = strcmp(name, entry) == 0;
        }
        bool parameter = inside && strstr(text, "= OpFunctionParameter") != NULL;
        if (at != NULL && p->name_count < MOST && ((p->vulkan && variable) || (!p->vulkan && parameter)))
            word(at + 1, p->names[p->name_count++], 64);
    }
}

static void parse(struct program *p)
{
    p->config[0] = p->config[1] = p->config[2] = 1;
    for (const char *line = p->text; line != NULL;
         line = strchr(line, '\n') != NULL ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, "; @Config:", 10) == 0)
            sscanf(line + 10, "%u, %u, %u", &p->config[0], &p->config[1], &p->config[2]);
        else if (strncmp(line, "; @Input:", 9) == 0) {
            char text[4096];
            snprintf(text, sizeof text, "%.*s", (int)strcspn(line + 9, "\n"), line + 9);
            parse_inputs(p, text);
        }
    }
    parse_body(p);
}

/* "~1" becomes the unsigned number that -1 is: the assembler takes no signs on unsigned constants. */
static char *unsigned_constants(const char *text)
{
    const char *start = text;
    char *out = calloc(1, strlen(text) * 3 + 1), *to = out;
    for (; *text != 0; text++) {
        if (*text == '~') {
            char *end;
            int64_t v = -strtoll(text + 1, &end, 10);
            bool wide = strstr(start, "%int = OpTypeInt 64 0") != NULL;
            to += wide ? sprintf(to, "%" PRIu64, (uint64_t)v) : sprintf(to, "%u", (uint32_t)v);
            text = end - 1;
        } else {
            *to++ = *text;
        }
    }
    return out;
}

static struct in_module *load(struct program *p, struct mm_error *err)
{
    spv_context context = spvContextCreate(p->vulkan ? SPV_ENV_UNIVERSAL_1_6 : SPV_ENV_UNIVERSAL_1_3);
    spv_binary binary = NULL;
    spv_diagnostic diagnostic = NULL;
    struct in_module *module = NULL;
    struct in_module_options options = {.name = "test.spvasm",
                                        .any_environment = true,
                                        .constants = p->constants,
                                        .constant_count = p->constant_count};
    for (char *at = p->text; (at = strstr(at, "OpSource Slang")) != NULL;)
        memcpy(at, "OpSource GLSL ", 14); /* a language that this assembler supports */
    for (char *at = p->text; (at = strstr(at, "OpConstant %uint -")) != NULL; at++)
        at[17] = '~';
    if (strstr(p->text, "%int = OpTypeInt 32 0") || strstr(p->text, "%int = OpTypeInt 64 0"))
        for (char *at = p->text; (at = strstr(at, "OpConstant %int -")) != NULL; at++)
            at[16] = '~';
    char *text = unsigned_constants(p->text);
    if (spvTextToBinary(context, text, strlen(text), &binary, &diagnostic) == SPV_SUCCESS)
        in_module_create(binary->code, binary->wordCount * 4, &options, &module, NULL, err);
    else
        snprintf(err->message, sizeof err->message, "%s", diagnostic->error);
    free(text);
    spvDiagnosticDestroy(diagnostic);
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    return module;
}

static void make_arguments(struct program *p, const struct in_kernel_info *info, struct in_argument *args,
                           struct in_object *objects)
{
    for (uint32_t k = 0; k < info->argument_count && k < MOST; k++) {
        const struct input *in = k < p->name_count ? find_input(p, p->names[k]) : NULL;
        uint32_t count = in != NULL ? in->count : 0;
        /* More space than the values need if the layout is nested. */
        uint32_t each = info->arguments[k].element_size;
        each = each == 1 || each == 2 || each == 8 ? each : 4;
        p->each[k] = each;
        p->size[k] = in == NULL ? 4096 : in->depth > 2 ? count * 32 + 256 : count * each + 64;
        p->memory[k] = calloc(1, p->size[k]);
        for (uint32_t v = 0; v < count; v++)
            memcpy(p->memory[k] + each * v, &in->values[v], each);
        objects[k] = spv_buffer(p->memory[k], p->size[k], k + 1);
        args[k] = (struct in_argument){.value = p->memory[k],
                                       .address = objects[k].address,
                                       .object = &objects[k],
                                       .local_size = p->size[k]};
        /* A uniform variable with an initial value keeps it. */
        if (info->arguments[k].is_descriptor && in == NULL)
            args[k].object = NULL, args[k].address = 0;
        bool own = strstr(p->text, "Uniform %") != NULL;
        if (info->arguments[k].is_descriptor && in == NULL && !own)
            args[k].object = &objects[k], args[k].address = objects[k].address;
    }
}

static enum mm_class run(struct program *p, struct in_module *module, struct spv_run *out)
{
    struct in_instance *instance = NULL;
    struct in_run *r = NULL;
    struct in_argument args[MOST] = {{0}};
    struct in_object objects[MOST];
    struct in_environment environment = {.context = out, .print = spv_on_print, .finding = spv_on_finding};
    assert_int_equal(in_instance_create(module, &environment, NULL, &instance, &out->err), MM_OK);
    make_arguments(p, in_module_kernel(module, 0), args, objects);
    uint32_t local = p->config[0] * p->config[1];
    const uint32_t *required = in_module_kernel(module, 0)->required_local_size;
    struct in_launch launch = {.instance = instance,
                               .arguments = args,
                               .dimensions = 1,
                               .global_size = {(uint64_t)local * p->config[2]},
                               .local_size = {required[0] != 0 ? required[0] : local},
                               .sub_group_size = p->config[0],
                               .step_limit = 4000000,
                               .max_findings = 100,
                               .checks = true,
                               .command = 1};
    bool done = false;
    enum mm_class result = in_run_create(&launch, &r, &out->err);
    while (result == MM_OK && !done)
        result = in_run_step(r, 0, &done, &out->err);
    in_run_destroy(r);
    in_instance_destroy(instance);
    return result;
}

/* ---- conditions: terms joined by "and" and "or", no precedence needed within parentheses ------- */

static bool value_of(const struct program *p, const char **at, int64_t *value, uint32_t *width, bool *known)
{
    while (**at == ' ')
        (*at)++;
    if (**at != '%') {
        char *end;
        *value = strtoll(*at, &end, 0);
        bool any = end != *at;
        *at = end;
        return any;
    }
    char name[64];
    uint64_t index[4] = {0};
    uint32_t n = 0;
    *at = word(*at + 1, name, sizeof name);
    while (**at == '[' && n < 4) {
        index[n++] = strtoull(*at + 1, (char **)(uintptr_t)at, 0);
        (*at)++;
    }
    for (uint32_t k = 0; k < p->name_count; k++)
        if (strcmp(p->names[k], name) == 0) {
            uint64_t offset = n == 0 ? 0 : p->each[k] * index[n - 1];
            int64_t v = 0;
            for (uint32_t d = 0; d + 1 < n; d++)
                *known &= index[d] == 0;
            *known &=
                p->memory[k] != NULL && offset + p->each[k] <= p->size[k] && find_input(p, name) != NULL;
            if (*known)
                memcpy(&v, p->memory[k] + offset, p->each[k]);
            *value = v;
            *width = p->each[k];
            return true;
        }
    *known = false;
    return true;
}

static bool either(const struct program *p, const char **at, bool *known);

static bool term(const struct program *p, const char **at, bool *known)
{
    while (**at == ' ')
        (*at)++;
    if (**at == '(') {
        (*at)++;
        bool result = either(p, at, known);
        *at += **at == ')';
        return result;
    }
    int64_t a = 0, b = 0;
    uint32_t width = 4;
    if (!value_of(p, at, &a, &width, known)) {
        *known = false;
        return false;
    }
    while (**at == ' ')
        (*at)++;
    bool equal = strncmp(*at, "==", 2) == 0;
    *known &= equal || strncmp(*at, "!=", 2) == 0;
    *at += 2;
    *known &= value_of(p, at, &b, &width, known);
    while (**at == ' ')
        (*at)++;
    uint32_t unused = 64 - 8 * width;
    return ((uint64_t)a << unused == (uint64_t)b << unused) == equal;
}

static bool both(const struct program *p, const char **at, bool *known)
{
    bool result = term(p, at, known);
    while (*known && strncmp(*at, "and", 3) == 0) {
        *at += 3;
        result &= term(p, at, known);
    }
    return result;
}

static bool either(const struct program *p, const char **at, bool *known)
{
    bool result = both(p, at, known);
    while (*known && strncmp(*at, "or", 2) == 0) {
        *at += 2;
        result |= both(p, at, known);
    }
    return result;
}

/* The number of "forall" conditions that could be evaluated; those that do not hold are printed. */
static uint32_t conditions(const struct program *p, uint32_t *wrong)
{
    uint32_t n = 0;
    for (const char *line = strstr(p->text, "; @Output: forall"); line != NULL;
         line = strstr(line + 1, "; @Output: forall")) {
        char text[4096];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(line + 17, "\n"), line + 17);
        const char *at = text;
        bool known = true, holds = either(p, &at, &known);
        if (!known)
            continue;
        n++;
        if (!holds) {
            (*wrong)++;
            print_message("# %s: not so: %s\n", p->path, text);
        }
    }
    return n;
}

/* Whether expected.csv says that the program's condition holds. */
static bool expected_to_hold(const char *table, const char *file)
{
    bool pass = false;
    size_t n = strlen(file);
    for (const char *line = strstr(table, file); line != NULL; line = strstr(line + 1, file)) {
        if ((line != table && line[-1] != '\n') || line[n] != ',')
            continue;
        char text[512];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
        if (strstr(text, "program_spec") != NULL) {
            if (strstr(text, ",FAIL") != NULL)
                return false;
            pass |= strstr(text, ",PASS") != NULL;
        }
    }
    return pass;
}

static void test_corpus(void **state)
{
    char root[900], path[1024];
    const char *corpus = getenv("REFCL_CORPUS") != NULL ? getenv("REFCL_CORPUS") : "../shared/corpus";
    (void)state;
    snprintf(root, sizeof root, "%s/spirv", corpus);
    nftw(root, on_file, 16, FTW_PHYS);
    if (path_count == 0)
        skip_for("no corpus");
    snprintf(path, sizeof path, "%s/expected.csv", corpus);
    char *table = slurp(path);
    uint32_t bad = 0, wrong = 0, undefined = 0, judged = 0;
    for (size_t k = 0; k < path_count; k++) {
        struct program *p = calloc(1, sizeof *p);
        struct spv_run out = {.findings = 0};
        snprintf(p->path, sizeof p->path, "%s", paths[k] + strlen(corpus) + 1);
        p->text = slurp(paths[k]);
        parse(p);
        /* Values are laid out as arrays of 32-bit numbers. */
        p->expected = expected_to_hold(table, p->path) && strstr(p->text, "ArrayStride 16") == NULL &&
                      strstr(p->text, "ArrayStride 12") == NULL;
        struct in_module *module = load(p, &out.err);
        enum mm_class result = module != NULL ? run(p, module, &out) : MM_INVALID;
        bool endless = result == MM_LIMIT && strcmp(out.kind, "step-limit") == 0;
        if ((result != MM_OK && result != MM_UNDEFINED && !(endless && strstr(p->path, "termination"))) ||
            module == NULL) {
            bad++;
            print_message("# %s: %s\n", p->path, out.err.message);
        } else if (out.findings > 0 && !endless) {
            undefined++;
            print_message("# %s: %s: %s\n", p->path, out.kind, out.message);
        } else if (p->expected) {
            judged += conditions(p, &wrong);
        }
        in_module_release(module);
        for (uint32_t m = 0; m < MOST; m++)
            free(p->memory[m]);
        free(p->text);
        free(p);
    }
    print_message("# %zu programs: %u conditions judged, %u with findings\n", path_count, judged, undefined);
    free(table);
    assert_int_equal(bad, 0);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
