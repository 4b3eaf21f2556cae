/* plan.json: the complete input of the runner, which does not link the rest of refcl.
 * Format: tools/schema/plan.schema.json. */
#include "litmus/emit/plan.h"

#include "litmus/vulkan/vulkan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_ITERATIONS 100000
#define HOST_ITERATIONS    1000 /* of a test with calls */

/* Kinds of memory in the plan, by origin; SVM kinds are also required device features. */
static const char *const kinds[MM_ORIGIN_COUNT] = {
    [MM_ORIGIN_NONE] = "buffer",           [MM_ORIGIN_BUFFER] = "buffer",
    [MM_ORIGIN_SUB_BUFFER] = "buffer",     [MM_ORIGIN_COARSE_SVM] = "svm_coarse",
    [MM_ORIGIN_FINE_SVM] = "svm_fine",     [MM_ORIGIN_FINE_SVM_ATOMICS] = "svm_atomics",
    [MM_ORIGIN_SYSTEM_SVM] = "svm_system", [MM_ORIGIN_HOST] = "host"};

void lt_plan_need(cJSON *test, bool needed, const char *what)
{
    if (needed)
        cJSON_AddItemToArray(cJSON_GetObjectItem(test, "needs"), cJSON_CreateString(what));
}

void lt_plan_needs(cJSON *test, const struct lt_kernel *k, const struct ck_program *program)
{
    static const struct {
        uint32_t order, scope;
        const char *name;
    } table[] = {{1u << MM_ACQUIRE | 1u << MM_RELEASE | 1u << MM_ACQ_REL, 0, "atomic_order_acq_rel"},
                 {1u << MM_SEQ_CST, 0, "atomic_order_seq_cst"},
                 {0, 1u << MM_SCOPE_DEVICE, "atomic_scope_device"},
                 {0, 1u << MM_SCOPE_ALL_SVM_DEVICES, "atomic_scope_all_devices"}};
    bool used[MM_ORIGIN_COUNT] = {0};
    for (uint32_t i = 0; i < program->object_count; i++)
        used[program->objects[i].origin] |= program->objects[i].region != MM_LOCAL;
    cJSON_AddArrayToObject(test, "needs");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        lt_plan_need(test, (k->orders & table[i].order) || (k->scopes & table[i].scope), table[i].name);
    lt_plan_need(test, k->orders != 0, "c11_atomics");
    lt_plan_need(test, k->uses_long, "int64");
    lt_plan_need(test, k->sub_groups, "subgroups");
    lt_plan_need(test, k->generic, "generic_address_space");
    lt_plan_need(test, lt_uses_region(program, MM_IMAGE), "read_write_images");
    for (unsigned o = MM_ORIGIN_COARSE_SVM; o <= MM_ORIGIN_SYSTEM_SVM; o++)
        lt_plan_need(test, used[o], kinds[o]);
}

void lt_plan_locations(cJSON *test, const struct ck_program *program)
{
    cJSON *array = cJSON_AddArrayToObject(test, "locations");
    for (uint32_t i = 0; i < program->object_count; i++) {
        const struct ck_object *o = &program->objects[i];
        cJSON *location = cJSON_CreateObject();
        cJSON_AddStringToObject(location, "name", o->name);
        cJSON_AddStringToObject(location, "region", o->region == MM_LOCAL ? "local" : "global");
        cJSON_AddStringToObject(location, "kind", kinds[o->origin]);
        cJSON_AddNumberToObject(location, "element_size", o->element_size);
        cJSON_AddBoolToObject(location, "signed", o->is_signed);
        if (o->region == MM_IMAGE)
            cJSON_AddTrueToObject(location, "image");
        if (program->vulkan && o->alias_of != i)
            cJSON_AddNumberToObject(location, "alias", o->alias_of);
        cJSON *initial = cJSON_AddArrayToObject(location, "initial");
        for (uint64_t n = 0; n < o->size / o->element_size; n++)
            cJSON_AddItemToArray(initial, lt_value_json((int64_t)o->initial[n]));
        cJSON_AddItemToArray(array, location);
    }
}

uint32_t lt_plan_host_number(const struct ck_program *program, uint32_t thread)
{
    uint32_t number = 0;
    for (uint32_t t = 0; t < thread; t++)
        number += program->threads[t].host;
    return number;
}

void lt_plan_observed(cJSON *test, const struct ck_program *program,
                      bool (*is_stored)(const struct ck_program *program, uint32_t term))
{
    cJSON *array = cJSON_AddArrayToObject(test, "observed");
    int column = 0;
    for (uint32_t i = 0; i < program->observed_count; i++) {
        const struct ck_term *term = &program->observed[i];
        char name[256];
        lt_observed_name(program, i, name, sizeof name);
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "name", name);
        if (is_stored(program, i)) {
            cJSON_AddNumberToObject(o, "column", column++);
        } else if (term->kind == CK_TERM_REG) {
            const struct ck_thread *thread = &program->threads[term->thread];
            cJSON_AddNumberToObject(o, "thread", lt_plan_host_number(program, term->thread));
            cJSON_AddNumberToObject(o, "register", term->reg);
            cJSON_AddNumberToObject(o, "size", thread->reg_sizes[term->reg]);
            cJSON_AddBoolToObject(o, "signed", thread->reg_signed[term->reg]);
        } else {
            cJSON_AddNumberToObject(o, "location", term->object);
            cJSON_AddNumberToObject(o, "element", term->offset / program->objects[term->object].element_size);
        }
        cJSON_AddItemToArray(array, o);
    }
}

/* Enters the equations of PROP on observed values; false if PROP is not a conjunction of equations. */
static bool collect_equations(const struct ck_program *program, uint32_t prop, cJSON **values)
{
    const struct ck_prop *p = &program->props[prop];
    if (p->op == CK_PROP_AND)
        return collect_equations(program, p->a, values) && collect_equations(program, p->b, values);
    if (p->op == CK_PROP_TRUE)
        return true;
    if (p->op != CK_PROP_COMPARE || p->compare != CK_EQ || p->right.kind != CK_TERM_CONST)
        return false;
    for (uint32_t i = 0; i < program->observed_count; i++)
        if (lt_same_term(&p->left, &program->observed[i]) && !values[i])
            values[i] = lt_value_json((int64_t)p->right.value);
    return true;
}

/* True if TEST expects that its outcome never occurs. */
static bool is_forbidden(const struct lt_test *test)
{
    const char *expect = lt_test_property(test, "Expect");
    return expect && strcmp(expect, test->quantifier == CK_EXISTS ? "fails" : "holds") == 0;
}

/* The outcome that the test asks about, for the tuner: a value or null for each that is observed. */
static void add_target(cJSON *json, const struct lt_test *test, const struct ck_program *program)
{
    cJSON **values = calloc(program->observed_count + 1u, sizeof(cJSON *));
    bool ok = values && program->quantifier != CK_FORALL && !is_forbidden(test) &&
              collect_equations(program, program->condition, values);
    cJSON *array = ok ? cJSON_AddArrayToObject(json, "target") : NULL;
    for (uint32_t i = 0; values && i < program->observed_count; i++)
        if (ok)
            cJSON_AddItemToArray(array, values[i] ? values[i] : cJSON_CreateNull());
        else
            cJSON_Delete(values[i]);
    free(values);
}

static void add_placement(cJSON *test, const struct ck_program *program)
{
    cJSON *array = cJSON_AddArrayToObject(test, "threads");
    for (uint32_t t = 0; t < program->thread_count; t++) {
        cJSON *thread = cJSON_CreateObject();
        cJSON_AddStringToObject(thread, "name", program->threads[t].name);
        cJSON_AddNumberToObject(thread, "work_group", program->threads[t].work_group);
        cJSON_AddNumberToObject(thread, "sub_group", program->threads[t].sub_group);
        cJSON_AddItemToArray(array, thread);
    }
}

void lt_plan_skip(cJSON *json, const char *reason)
{
    char text[160];
    snprintf(text, sizeof text, "needs %s", reason);
    cJSON_AddStringToObject(json, "skip", text);
}

static void add_kernel(cJSON *json, const struct lt_test *test, const struct ck_program *program,
                       const struct lt_kernel *kernel)
{
    cJSON_AddNumberToObject(json, "groups", kernel->group_count);
    cJSON_AddNumberToObject(json, "members", kernel->member_count);
    cJSON_AddNumberToObject(json, "columns", kernel->columns);
    cJSON_AddNumberToObject(json, "value_size", kernel->wide ? 8 : 4);
    cJSON_AddBoolToObject(json, "waits", kernel->waits);
    cJSON_AddNumberToObject(json, "bits", kernel->bits);
    cJSON_AddNumberToObject(json, "low", kernel->low);
    lt_plan_locations(json, program);
    lt_plan_observed(json, program, lt_observed_stored);
    add_target(json, test, program);
    add_placement(json, program);
}

static bool has_host(const struct lt_test *test)
{
    const struct lt_thread *t = test->threads;
    while (t && !t->host)
        t = t->next;
    return t != NULL;
}

static enum mm_class lower_test(const struct lt_test *test, struct ck_program **program, struct mm_error *err)
{
    enum mm_class cls = lt_lower(test, program, err);
    if (cls == MM_OK && !lt_observe_filter(*program))
        cls = mm_out_of_memory(err);
    return cls;
}

/* Parses the text again, as emitting a kernel modifies the test. */
static enum mm_class plan_opencl(const struct lt_test *test, const struct lt_plan_options *options,
                                 cJSON *json, struct mm_error *err)
{
    struct lt_test *copy = NULL;
    struct ck_program *program = NULL;
    struct lt_kernel kernel = {0};
    enum mm_class cls = lt_parse(test->text, strlen(test->text), test->file, &copy, err);
    if (cls == MM_OK)
        cls = lower_test(copy, &program, err);
    bool host = cls == MM_OK && has_host(copy);
    if (host)
        cls = lt_plan_host(copy, program, options, json, err);
    else if (cls == MM_OK)
        cls = lt_emit_kernel(copy, program, &kernel, err);
    if (cls == MM_OK && kernel.reason) {
        lt_plan_skip(json, kernel.reason);
    } else if (cls == MM_OK && !host) {
        cJSON_AddBoolToObject(json, "legacy", kernel.legacy);
        add_kernel(json, copy, program, &kernel);
        lt_plan_needs(json, &kernel, program);
        cJSON_AddStringToObject(json, "kernel", kernel.source);
        cls = lt_plan_il(json, options, test, kernel.source, lt_plan_slots(&kernel), err);
    }
    free(kernel.source);
    ck_program_destroy(program);
    lt_test_destroy(copy);
    return cls;
}

/* ---- Vulkan ------------------------------------------------------------------------------------------ */

static void add_vulkan_needs(cJSON *json, const struct lt_kernel *k)
{
    cJSON_AddArrayToObject(json, "needs");
    lt_plan_need(json, true, "vulkan_memory_model");
    lt_plan_need(json, true, "vulkan_memory_model_device_scope");
    lt_plan_need(json, k->uses_long, "int64");
    lt_plan_need(json, k->uses_long, "int64_atomics");
    lt_plan_need(json, k->sub_groups, "subgroups");
    lt_plan_need(json, k->pointers, "buffer_device_address");
    lt_plan_need(json, k->family_count > 1, "two_queue_families");
    cJSON_AddBoolToObject(json, "pointers", k->pointers);
    cJSON *families = cJSON_AddArrayToObject(json, "family_groups");
    for (uint32_t f = 0; f < k->family_count; f++)
        cJSON_AddItemToArray(families, cJSON_CreateNumber(k->family_groups[f]));
}

static enum mm_class plan_module(const struct lt_test *test, struct ck_program *program,
                                 const struct lt_plan_options *options, cJSON *json, struct mm_error *err)
{
    struct lt_kernel kernel = {0};
    void *words = NULL;
    size_t size = 0;
    const char *narrow = options->wide ? lt_vk_widen(program) : NULL;
    if (narrow) {
        lt_plan_skip(json, narrow);
        return MM_OK;
    }
    enum mm_class cls = lt_vk_emit(program, options->pointers, &kernel, err);
    if (cls == MM_OK && kernel.reason) {
        lt_plan_skip(json, kernel.reason);
    } else if (cls == MM_OK) {
        cls = options->assemble(test->file, kernel.source, &words, &size, err);
        char *text = cls == MM_OK ? mm_base64_encode(words, size) : NULL;
        if (cls == MM_OK && !text)
            cls = mm_out_of_memory(err);
        if (text) {
            add_kernel(json, test, program, &kernel);
            add_vulkan_needs(json, &kernel);
            cJSON_AddStringToObject(json, "vulkan", text);
        }
        mm_free(text);
    }
    mm_free(words);
    free(kernel.source);
    return cls;
}

/* TEST as a Vulkan test, translated if necessary; NULL, with a reason to skip it, if it has no
 * translation. */
static char *vulkan_text(const struct lt_test *test, const struct lt_plan_options *options, cJSON *json,
                         enum mm_class *cls, struct mm_error *err)
{
    const char *reason = NULL;
    char *text = NULL;
    size_t size = 0;
    if (test->dialect == LT_VULKAN)
        return strdup(test->text);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    *cls = lt_translate(test, options->mapping, out, &reason, err);
    if (fclose(out) == 0 && *cls == MM_OK && !reason) {
        cJSON_AddStringToObject(json, "mapping", lt_mapping_name(options->mapping));
        return text;
    }
    if (reason)
        lt_plan_skip(json, reason);
    free(text);
    return NULL;
}

static enum mm_class plan_vulkan(const struct lt_test *test, const struct lt_plan_options *options,
                                 cJSON *json, struct mm_error *err)
{
    struct lt_test *copy = NULL;
    struct ck_program *program = NULL;
    enum mm_class cls = MM_OK;
    char *text = vulkan_text(test, options, json, &cls, err);
    if (text) {
        cJSON_ReplaceItemInObject(json, "source", cJSON_CreateString(text));
        cls = lt_parse(text, strlen(text), test->file, &copy, err);
        if (cls == MM_OK)
            cls = lower_test(copy, &program, err);
        if (cls == MM_OK)
            cls = plan_module(copy, program, options, json, err);
        ck_program_destroy(program);
        lt_test_destroy(copy);
    }
    free(text);
    return cls;
}

static enum mm_class plan_test(const struct lt_test *test, const struct lt_plan_options *options, cJSON *json,
                               struct mm_error *err)
{
    cJSON_AddStringToObject(json, "name", test->name);
    cJSON_AddStringToObject(json, "file", test->file);
    cJSON_AddStringToObject(json, "source", test->text);
    uint64_t usual = has_host(test) ? HOST_ITERATIONS : DEFAULT_ITERATIONS;
    uint64_t iterations = options->iterations ? options->iterations : usual;
    cJSON_AddNumberToObject(json, "iterations", (double)iterations);
    if (options->vulkan)
        return plan_vulkan(test, options, json, err);
    if (test->dialect == LT_OPENCL)
        return plan_opencl(test, options, json, err);
    cJSON_AddStringToObject(json, "skip", "needs Vulkan");
    return MM_OK;
}

enum mm_class lt_plan(struct lt_test *const *tests, size_t count, const struct lt_plan_options *options,
                      FILE *out, struct mm_error *err)
{
    static const struct lt_plan_options defaults;
    struct mm_error scratch = {0};
    err = err ? err : &scratch;
    options = options ? options : &defaults;
    cJSON *plan = cJSON_CreateObject();
    cJSON_AddStringToObject(plan, "format", "refcl-litmus-plan");
    cJSON_AddNumberToObject(plan, "version", 2);
    cJSON_AddItemToObject(plan, "seed", lt_value_json((int64_t)options->seed));
    if (options->vulkan)
        cJSON_AddStringToObject(plan, "interface", "vulkan");
    if (options->cl_std)
        cJSON_AddStringToObject(plan, "cl_std", options->cl_std);
    cJSON *array = cJSON_AddArrayToObject(plan, "tests");
    enum mm_class cls = MM_OK;
    for (size_t i = 0; i < count && cls == MM_OK; i++) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddItemToArray(array, json);
        cls = plan_test(tests[i], options, json, err);
    }
    char *text = cls == MM_OK ? cJSON_Print(plan) : NULL;
    if (text)
        fprintf(out, "%s\n", text);
    else if (cls == MM_OK)
        cls = mm_out_of_memory(err);
    cJSON_free(text);
    cJSON_Delete(plan);
    return cls;
}
