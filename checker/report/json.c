/* Findings as JSON: tools/schema/report.schema.json. */
#include "checker/race/words.h"
#include "checker/report/report.h"

#include <stdlib.h>
#include <string.h>

static void add_triple(cJSON *object, const char *key, const uint64_t id[3])
{
    cJSON *array = cJSON_AddArrayToObject(object, key);
    for (int d = 0; d < 3; d++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber((double)id[d]));
}

static void add_atomic(cJSON *object, const struct mm_event *event)
{
    if (!(event->attributes & MM_ATOMIC))
        return;
    cJSON *atomic = cJSON_AddObjectToObject(object, "atomic");
    ck_report_add(atomic, "order", mm_order_name((enum mm_order)event->order));
    ck_report_add(atomic, "scope", mm_scope_name((enum mm_scope)event->scope));
}

static cJSON *place_json(const struct mm_source *source)
{
    cJSON *place = cJSON_CreateObject();
    ck_report_add(place, "file", source->file);
    cJSON_AddNumberToObject(place, "line", source->line);
    ck_report_add(place, "function", source->function);
    return place;
}

static void add_stack(cJSON *object, const struct mm_source *const *stack, uint32_t depth)
{
    cJSON *array = depth ? cJSON_AddArrayToObject(object, "stack") : NULL;
    for (uint32_t i = 0; i < depth; i++) {
        cJSON *place = place_json(stack[i]);
        cJSON_AddNumberToObject(place, "column", stack[i]->column);
        cJSON_AddItemToArray(array, place);
    }
}

static cJSON *access_json(const struct ck_access *access)
{
    cJSON *object = cJSON_CreateObject();
    char agent[300];
    ck_words_agent(access, true, agent, sizeof agent);
    ck_report_add(object, "file", access->source.file);
    cJSON_AddNumberToObject(object, "line", access->source.line);
    cJSON_AddNumberToObject(object, "column", access->source.column);
    ck_report_add(object, "function", access->source.function);
    ck_report_add(object, "kind", ck_words_access_kind(&access->event));
    ck_report_add(object, "agent", agent);
    if (access->command && mm_is_copy(&access->event)) {
        cJSON_AddNullToObject(object, "work_item");
        add_triple(object, "work_group", access->group_id);
    } else if (access->command && access->agent.index != MM_INDEX_RUNTIME) {
        add_triple(object, "work_item", access->global_id);
        add_triple(object, "local_id", access->local_id);
        add_triple(object, "work_group", access->group_id);
    } else {
        cJSON_AddNullToObject(object, "work_item");
    }
    if (access->agent.command)
        cJSON_AddNumberToObject(object, "command", access->agent.command);
    if (access->command)
        ck_report_add(object, "kernel", access->command->kernel);
    if (access->argument) {
        ck_report_add(object, "argument", access->argument);
        cJSON_AddNumberToObject(object, "element", (double)(int64_t)access->element);
    }
    add_atomic(object, &access->event);
    add_stack(object, access->stack, access->depth);
    if (access->call) {
        cJSON *call = place_json(access->call);
        ck_report_add(call, "call", access->call->opcode);
        add_stack(call, access->call_stack, access->call_depth);
        if (!access->command || !access->command->parent)
            cJSON_AddNumberToObject(call, "host_thread", access->caller);
        cJSON_AddItemToObject(object, "enqueued", call);
    }
    return object;
}

static void add_memory(cJSON *object, const struct ck_finding *finding)
{
    if (!finding->allocation)
        return;
    cJSON *memory = cJSON_AddObjectToObject(object, "memory");
    ck_report_add(memory, "name", finding->allocation->name);
    ck_report_add(memory, "region", mm_region_name((enum mm_region)finding->allocation->region));
    ck_report_add(memory, "origin", mm_origin_name((enum mm_origin)finding->allocation->origin));
    cJSON_AddNumberToObject(memory, "offset", (double)(int64_t)finding->offset);
    cJSON_AddNumberToObject(memory, "size", finding->size);
    char designator[CK_DESIGNATOR];
    if (ck_words_designator(finding, designator, sizeof designator))
        ck_report_add(memory, "designator", designator);
    if (finding->created)
        cJSON_AddItemToObject(memory, "created", place_json(finding->created));
}

/* Which kinds of accesses met at the two places: ["read/write", ...]. */
static void add_pairs(cJSON *object, const struct ck_finding *finding)
{
    const char *names[15][2];
    size_t count = ck_words_pairs(finding->pairs, names, 15);
    if (!count)
        return;
    cJSON *pairs = cJSON_AddArrayToObject(object, "pairs");
    for (size_t i = 0; i < count; i++) {
        char text[40];
        snprintf(text, sizeof text, "%s/%s", names[i][0], names[i][1]);
        cJSON_AddItemToArray(pairs, ck_report_string(text));
    }
}

static int compare_cells(const void *a, const void *b)
{
    const struct ck_heat_cell *x = a, *y = b;
    for (int d = 2; d >= 0; d--)
        if (x->group[d] != y->group[d])
            return x->group[d] < y->group[d] ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

/* The instances by work-group and block of elements; nothing where no work-item took part. */
static void add_heat(cJSON *object, const struct ck_heat *heat)
{
    struct ck_heat_cell cells[CK_HEAT_CELLS];
    if (!heat->cell_count)
        return;
    memcpy(cells, heat->cells, heat->cell_count * sizeof *cells);
    qsort(cells, heat->cell_count, sizeof *cells, compare_cells);
    const double block = (double)((int64_t)1 << heat->log);
    cJSON *groups = cJSON_AddObjectToObject(object, "work_groups");
    cJSON_AddNumberToObject(groups, "element_size", heat->element_size);
    cJSON_AddNumberToObject(groups, "block", block);
    cJSON_AddNumberToObject(groups, "left_out", (double)heat->left_out);
    cJSON *array = cJSON_AddArrayToObject(groups, "counts");
    for (uint32_t i = 0; i < heat->cell_count; i++) {
        cJSON *cell = cJSON_CreateObject();
        add_triple(cell, "work_group", cells[i].group);
        cJSON_AddNumberToObject(cell, "element", (double)cells[i].block * block);
        cJSON_AddNumberToObject(cell, "count", (double)cells[i].count);
        cJSON_AddItemToArray(array, cell);
    }
}

static cJSON *finding_json(const struct ck_detector *detector, const struct ck_finding *finding, size_t cause)
{
    cJSON *object = cJSON_CreateObject();
    char fingerprint[17];
    ck_report_add(object, "kind", finding->kind);
    ck_report_add(object, "clause", finding->clause);
    ck_report_add(object, "severity", ck_report_severity(finding));
    ck_report_fingerprint(detector, finding, fingerprint);
    ck_report_add(object, "fingerprint", fingerprint);
    cJSON_AddNumberToObject(object, "cause", (double)cause);
    ck_report_add(object, "message", ck_report_message(finding));
    if (finding->reason)
        ck_report_add(object, "reason", finding->reason);
    if (finding->revisions)
        ck_report_add(object, "revisions", finding->revisions);
    if (finding->depends_on)
        ck_report_add(object, "depends_on", finding->depends_on);
    if (finding->fix) {
        ck_report_add(object, "fix", finding->fix);
        cJSON_AddBoolToObject(object, "fix_verified", finding->verified);
    }
    add_pairs(object, finding);
    cJSON_AddNumberToObject(object, "count", (double)finding->count);
    add_heat(object, &finding->heat);
    if (finding->process)
        cJSON_AddNumberToObject(object, "process", finding->process);
    add_memory(object, finding);
    cJSON *accesses = cJSON_AddArrayToObject(object, "accesses");
    for (size_t i = 0; i < finding->access_count; i++)
        cJSON_AddItemToArray(accesses, access_json(&finding->accesses[i]));
    return object;
}

static void add_ending(cJSON *root, const struct ck_report_options *options)
{
    const struct ck_ending *ending = options ? &options->ending : NULL;
    char words[300];
    if (!ending || !ending->program)
        return;
    cJSON *program = cJSON_AddObjectToObject(root, "program");
    if (ck_report_failed(options, words, sizeof words))
        ck_report_add(program, "message", words);
    cJSON_AddNumberToObject(program, ending->signal ? "signal" : "exit_status",
                            ending->signal ? ending->signal : ending->status);
}

static void add_observation(cJSON *root, const struct ck_report_options *options)
{
    const char *message = ck_report_unobserved(options);
    if (!message)
        return;
    cJSON *observation = cJSON_AddObjectToObject(root, "observation");
    static const char *const outcomes[] = {[CK_OBSERVED_NOTHING] = "nothing-observed",
                                           [CK_OBSERVED_IN_PART] = "ended-early",
                                           [CK_OBSERVED_NOT_ALL] = "not-all"};
    ck_report_add(observation, "outcome", outcomes[options->observation]);
    ck_report_add(observation, "message", message);
}

/* A list of the words of TEXT, which commas separate. */
static void add_words(cJSON *object, const char *key, const char *text)
{
    cJSON *array = cJSON_AddArrayToObject(object, key);
    for (char word[160]; *text; text += strcspn(text, ","), text += strspn(text, ", ")) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ","), text);
        cJSON_AddItemToArray(array, ck_report_string(word));
    }
}

enum mm_class ck_report_json(const struct ck_detector *detector, const struct ck_report_options *options,
                             FILE *out)
{
    cJSON *root = cJSON_CreateObject();
    struct mm_error limit;
    ck_report_add(root, "format", "refcl-report");
    cJSON_AddNumberToObject(root, "version", 1);
    cJSON *tool = cJSON_AddObjectToObject(root, "tool");
    ck_report_add(tool, "name", "refcl");
    ck_report_add(tool, "version", REFCL_VERSION);
    if (options && options->command_line)
        ck_report_add(root, "command_line", options->command_line);
    ck_report_add(root, "status", ck_report_status(detector, options));
    add_ending(root, options);
    add_observation(root, options);
    if (options && options->model) {
        ck_report_add(root, "model_path", options->model->name);
        ck_report_add(root, "model_sha256", options->model->sha256);
    }
    if (ck_detector_status(detector, &limit) != MM_OK)
        ck_report_add(root, "limit", limit.message);
    if (ck_detector_dropped(detector))
        cJSON_AddNumberToObject(root, "dropped", (double)ck_detector_dropped(detector));
    if (ck_detector_suppressed(detector))
        cJSON_AddNumberToObject(root, "suppressed", (double)ck_detector_suppressed(detector));
    char hidden[200];
    if (ck_report_hidden(detector, hidden, sizeof hidden))
        ck_report_add(root, "hidden", hidden);
    if (options && options->checked) {
        add_words(root, "checked", options->checked);
        add_words(root, "not_checked", options->not_checked);
    }
    size_t count = ck_detector_finding_count(detector), *first = mm_alloc_zero(count + 1, sizeof *first);
    if (first)
        cJSON_AddNumberToObject(root, "causes", (double)ck_report_causes(detector, first));
    cJSON *findings = cJSON_AddArrayToObject(root, "findings");
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(findings,
                             finding_json(detector, ck_detector_finding(detector, i), first ? first[i] : i));
    mm_free(first);
    return ck_report_print(root, out);
}
