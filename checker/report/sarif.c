/* Findings as SARIF 2.1.0, for code hosts. */
#include "checker/race/words.h"
#include "checker/report/report.h"

#include <string.h>

static cJSON *message_json(const char *text)
{
    cJSON *message = cJSON_CreateObject();
    ck_report_add(message, "text", text);
    return message;
}

/* A file name as a URI reference. */
static void add_uri(cJSON *artifact, const char *file)
{
    static const char plain[] = "-._~/:@!$&'()*+,;=";
    char uri[3 * 1024 + 1], *p = uri;
    for (const unsigned char *s = (const unsigned char *)file; *s && p < uri + sizeof uri - 4; s++) {
        bool letter = (*s >= '0' && *s <= '9') || (*s >= 'A' && *s <= 'Z') || (*s >= 'a' && *s <= 'z');
        if (letter || strchr(plain, *s))
            *p++ = (char)*s;
        else
            p += snprintf(p, 4, "%%%02X", *s);
    }
    *p = 0;
    ck_report_add(artifact, "uri", uri);
}

/* NULL if the location is unknown. */
static cJSON *location_json(const struct ck_detector *detector, const struct mm_source *source,
                            const char *text)
{
    if (!source->file || !*source->file)
        return NULL;
    cJSON *location = cJSON_CreateObject();
    cJSON *physical = cJSON_AddObjectToObject(location, "physicalLocation");
    cJSON *artifact = cJSON_AddObjectToObject(physical, "artifactLocation");
    add_uri(artifact, source->file);
    if (source->line) {
        cJSON *region = cJSON_AddObjectToObject(physical, "region");
        cJSON_AddNumberToObject(region, "startLine", source->line);
        if (source->column) {
            cJSON_AddNumberToObject(region, "startColumn", source->column);
            cJSON_AddNumberToObject(region, "endColumn", ck_report_end_column(detector, source));
        }
    }
    if (text)
        cJSON_AddItemToObject(location, "message", message_json(text));
    return location;
}

static void add_related(cJSON *result, const struct ck_detector *detector, const struct ck_access *access,
                        const char *before, int id)
{
    char agent[300], text[700];
    ck_words_agent(access, true, agent, sizeof agent);
    snprintf(text, sizeof text, "%s%s by %s", before, ck_words_access(&access->event), agent);
    cJSON *location = location_json(detector, &access->source, text),
          *related = cJSON_GetObjectItem(result, "relatedLocations");
    if (!location)
        return;
    cJSON_AddNumberToObject(location, "id", id);
    cJSON_AddItemToArray(related ? related : cJSON_AddArrayToObject(result, "relatedLocations"), location);
}

static void add_locations(cJSON *result, const struct ck_detector *detector, const struct ck_finding *finding)
{
    cJSON *locations = cJSON_AddArrayToObject(result, "locations");
    cJSON *first = finding->access_count ? location_json(detector, &finding->accesses[0].source, NULL) : NULL;
    if (first)
        cJSON_AddItemToArray(locations, first);
    if (finding->access_count == 2)
        add_related(result, detector, &finding->accesses[1], "", 1);
}

/* The places of findings with the same cause as finding I. */
static void add_others(cJSON *result, const struct ck_detector *detector, size_t i, const size_t *first)
{
    int id = 2;
    for (size_t k = i + 1; k < ck_detector_finding_count(detector); k++) {
        const struct ck_finding *f = ck_detector_finding(detector, k);
        for (size_t n = 0; first[k] == i && n < f->access_count; n++)
            add_related(result, f->detector ? f->detector : detector, &f->accesses[n],
                        "the same cause: ", id++);
    }
}

/* The fingerprints of the findings with the same cause as finding I: a baseline that lacks one of them does
 * not have the result. */
static void add_fingerprints(cJSON *properties, const struct ck_detector *detector, size_t i,
                             const size_t *first)
{
    char fingerprint[17];
    cJSON *others = NULL;
    for (size_t k = i + 1; k < ck_detector_finding_count(detector); k++) {
        if (first[k] != i)
            continue;
        others = others ? others : cJSON_AddArrayToObject(properties, "sameCause");
        ck_report_fingerprint(detector, ck_detector_finding(detector, k), fingerprint);
        cJSON_AddItemToArray(others, ck_report_string(fingerprint));
    }
}

/* A step of a thread flow; without a location it has only a message. */
static void add_step(cJSON *locations, const struct ck_detector *detector, const struct mm_source *source,
                     const char *text, uint32_t level, uint32_t order)
{
    cJSON *step = cJSON_CreateObject(), *location = location_json(detector, source, text);
    if (!location) {
        location = cJSON_CreateObject();
        cJSON_AddItemToObject(location, "message", message_json(text));
    }
    cJSON_AddItemToObject(step, "location", location);
    cJSON_AddNumberToObject(step, "nestingLevel", level);
    if (order)
        cJSON_AddNumberToObject(step, "executionOrder", order);
    ck_report_add(step, "importance", order ? "essential" : "important");
    cJSON_AddItemToArray(locations, step);
}

/* The steps from the host's call through the calls in the kernel to the access. */
static cJSON *thread_flow_json(const struct ck_detector *detector, const struct ck_access *access,
                               uint32_t order)
{
    cJSON *flow = cJSON_CreateObject();
    char agent[300], text[700];
    uint32_t level = 0;
    ck_words_agent(access, true, agent, sizeof agent);
    ck_report_add(flow, "id", agent);
    cJSON *locations = cJSON_AddArrayToObject(flow, "locations");
    for (uint32_t i = access->call_depth; i-- > 0;) {
        snprintf(text, sizeof text, "'%s' is called",
                 i ? access->call_stack[i - 1]->function : access->call->function);
        add_step(locations, detector, access->call_stack[i], text, level++, 0);
    }
    if (access->call) {
        bool recorded = strncmp(access->call->opcode, "clCommand", strlen("clCommand")) == 0;
        snprintf(text, sizeof text, "command %u is %s by %s", (unsigned)access->agent.command,
                 recorded ? "recorded" : "enqueued", access->call->opcode);
        add_step(locations, detector, access->call, text, level++, 0);
    }
    for (uint32_t i = access->depth; i-- > 0;) {
        snprintf(text, sizeof text, "'%s' is called",
                 i ? access->stack[i - 1]->function : access->source.function);
        add_step(locations, detector, access->stack[i], text, level++, 0);
    }
    snprintf(text, sizeof text, "%s by %s", ck_words_access(&access->event), agent);
    add_step(locations, detector, &access->source, text, level, order);
    return flow;
}

/* One thread flow for each work-item or host thread, the earlier access with the lower order. */
static void add_flows(cJSON *result, const struct ck_detector *detector, const struct ck_finding *finding)
{
    uint32_t count = (uint32_t)finding->access_count;
    if (!count)
        return;
    cJSON *flow = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(result, "codeFlows"), flow);
    cJSON *threads = cJSON_AddArrayToObject(flow, "threadFlows");
    for (uint32_t i = 0; i < count; i++)
        cJSON_AddItemToArray(threads, thread_flow_json(detector, &finding->accesses[i], count - i));
}

static cJSON *result_json(const struct ck_detector *all, size_t i, const size_t *first)
{
    const struct ck_finding *finding = ck_detector_finding(all, i);
    const struct ck_detector *detector = finding->detector ? finding->detector : all;
    cJSON *result = cJSON_CreateObject();
    char text[1400], fingerprint[17];
    snprintf(text, sizeof text, "%s%s%s", ck_report_message(finding), finding->reason ? ": " : "",
             finding->reason ? finding->reason : "");
    ck_report_add(result, "ruleId", finding->kind);
    ck_report_add(result, "level", ck_report_severity(finding));
    cJSON_AddItemToObject(result, "message", message_json(text));
    add_locations(result, detector, finding);
    add_others(result, all, i, first);
    add_flows(result, detector, finding);
    ck_report_fingerprint(detector, finding, fingerprint);
    ck_report_add(cJSON_AddObjectToObject(result, "partialFingerprints"), "refclFinding/v1", fingerprint);
    if (finding->count)
        cJSON_AddNumberToObject(result, "occurrenceCount", (double)finding->count);
    cJSON *properties = cJSON_AddObjectToObject(result, "properties");
    ck_report_add(properties, "clause", finding->clause);
    add_fingerprints(properties, all, i, first);
    return result;
}

/* The description of KIND. */
static const char *kind_description(const char *kind)
{
    static const char *const kinds[][2] = {
#define CK_KIND(name, text) {name, text},
#include "checker/race/kind.def"
#undef CK_KIND
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i][0], kind) == 0)
            return kinds[i][1];
    return kind;
}

static bool is_first_of_kind(const struct ck_detector *detector, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(ck_detector_finding(detector, k)->kind, ck_detector_finding(detector, i)->kind) == 0)
            return false;
    return true;
}

static cJSON *driver_json(const struct ck_detector *detector)
{
    cJSON *driver = cJSON_CreateObject();
    ck_report_add(driver, "name", "refcl");
    ck_report_add(driver, "version", REFCL_VERSION);
    cJSON *rules = cJSON_AddArrayToObject(driver, "rules");
    for (size_t i = 0; i < ck_detector_finding_count(detector); i++) {
        if (!is_first_of_kind(detector, i))
            continue;
        const struct ck_finding *finding = ck_detector_finding(detector, i);
        char text[300];
        snprintf(text, sizeof text, "%s [%s]", kind_description(finding->kind), finding->clause);
        cJSON *rule = cJSON_CreateObject();
        ck_report_add(rule, "id", finding->kind);
        cJSON_AddItemToObject(rule, "shortDescription", message_json(text));
        cJSON_AddItemToArray(rules, rule);
    }
    return driver;
}

static void add_notification(cJSON *notifications, const char *level, const char *text)
{
    cJSON *notification = cJSON_CreateObject();
    ck_report_add(notification, "level", level);
    cJSON_AddItemToObject(notification, "message", message_json(text));
    cJSON_AddItemToArray(notifications, notification);
}

/* A reached limit, a failed program and an incomplete observation are notifications: silence
 * then proves nothing. */
static cJSON *invocation_json(const struct ck_detector *detector, const struct ck_report_options *options)
{
    struct mm_error limit;
    char ending[300];
    cJSON *invocation = cJSON_CreateObject();
    bool whole = ck_detector_status(detector, &limit) == MM_OK;
    bool failed = ck_report_failed(options, ending, sizeof ending);
    const char *unobserved = ck_report_unobserved(options);
    bool successful = whole && !failed && !unobserved;
    cJSON_AddBoolToObject(invocation, "executionSuccessful", successful);
    if (options && options->command_line)
        ck_report_add(invocation, "commandLine", options->command_line);
    cJSON *notifications =
        successful ? NULL : cJSON_AddArrayToObject(invocation, "toolExecutionNotifications");
    if (!whole)
        add_notification(notifications, "warning", limit.message);
    if (unobserved)
        add_notification(notifications, "warning", unobserved);
    if (failed)
        add_notification(notifications, "error", ending);
    return invocation;
}

enum mm_class ck_report_sarif(const struct ck_detector *detector, const struct ck_report_options *options,
                              FILE *out)
{
    cJSON *root = cJSON_CreateObject(), *run = cJSON_CreateObject();
    ck_report_add(root, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    ck_report_add(root, "version", "2.1.0");
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "runs"), run);
    cJSON_AddItemToObject(cJSON_AddObjectToObject(run, "tool"), "driver", driver_json(detector));
    cJSON_AddItemToArray(cJSON_AddArrayToObject(run, "invocations"), invocation_json(detector, options));
    char hidden[200];
    bool hides = ck_report_hidden(detector, hidden, sizeof hidden);
    bool has_properties = hides || (options && (options->model || options->checked));
    cJSON *properties = has_properties ? cJSON_AddObjectToObject(run, "properties") : NULL;
    if (options && options->model) {
        ck_report_add(properties, "model_path", options->model->name);
        ck_report_add(properties, "model_sha256", options->model->sha256);
    }
    if (options && options->checked) {
        ck_report_add(properties, "checked", options->checked);
        ck_report_add(properties, "not_checked", options->not_checked);
    }
    if (hides)
        ck_report_add(properties, "hidden", hidden);
    cJSON *results = cJSON_AddArrayToObject(run, "results");
    size_t count = ck_detector_finding_count(detector), *first = mm_alloc_zero(count + 1, sizeof *first);
    if (first)
        ck_report_causes(detector, first);
    for (size_t i = 0; i < count && first; i++)
        if (first[i] == i)
            cJSON_AddItemToArray(results, result_json(detector, i, first));
    if (!first) {
        cJSON_Delete(root);
        return MM_LIMIT;
    }
    mm_free(first);
    return ck_report_print(root, out);
}
