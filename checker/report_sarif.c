/* Findings as SARIF 2.1.0, for code hosts. */
#include "checker/race_words.h"
#include "checker/report.h"

#include <string.h>

static cJSON *message_json(const char *text)
{
    cJSON *message = cJSON_CreateObject();
    ck_report_add(message, "text", text);
    return message;
}

/* NULL where the place is not known. */
static cJSON *location_json(const struct ck_access *access, const char *text)
{
    const struct mm_source *source = &access->source;
    if (!source->file || !*source->file)
        return NULL;
    cJSON *location = cJSON_CreateObject();
    cJSON *physical = cJSON_AddObjectToObject(location, "physicalLocation");
    cJSON *artifact = cJSON_AddObjectToObject(physical, "artifactLocation");
    ck_report_add(artifact, "uri", source->file);
    if (source->line) {
        cJSON *region = cJSON_AddObjectToObject(physical, "region");
        cJSON_AddNumberToObject(region, "startLine", source->line);
        if (source->column)
            cJSON_AddNumberToObject(region, "startColumn", source->column);
    }
    if (text)
        cJSON_AddItemToObject(location, "message", message_json(text));
    return location;
}

static void add_locations(cJSON *result, const struct ck_finding *finding)
{
    cJSON *locations = cJSON_AddArrayToObject(result, "locations");
    cJSON *first = finding->access_count ? location_json(&finding->accesses[0], NULL) : NULL;
    if (first)
        cJSON_AddItemToArray(locations, first);
    if (finding->access_count < 2)
        return;
    char agent[300], text[400];
    ck_words_agent(&finding->accesses[1], true, agent, sizeof agent);
    snprintf(text, sizeof text, "%s by %s", ck_words_access(&finding->accesses[1].event), agent);
    cJSON *second = location_json(&finding->accesses[1], text);
    if (!second)
        return;
    cJSON_AddNumberToObject(second, "id", 1);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(result, "relatedLocations"), second);
}

static cJSON *result_json(const struct ck_finding *finding)
{
    cJSON *result = cJSON_CreateObject();
    char text[1400];
    snprintf(text, sizeof text, "%s%s%s", ck_report_message(finding), finding->reason ? ": " : "",
             finding->reason ? finding->reason : "");
    ck_report_add(result, "ruleId", finding->kind);
    ck_report_add(result, "level", "error");
    cJSON_AddItemToObject(result, "message", message_json(text));
    add_locations(result, finding);
    if (finding->count)
        cJSON_AddNumberToObject(result, "occurrenceCount", (double)finding->count);
    cJSON *properties = cJSON_AddObjectToObject(result, "properties");
    ck_report_add(properties, "clause", finding->clause);
    return result;
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
        char text[200];
        snprintf(text, sizeof text, "%s [%s]", finding->kind, finding->clause);
        cJSON *rule = cJSON_CreateObject();
        ck_report_add(rule, "id", finding->kind);
        cJSON_AddItemToObject(rule, "shortDescription", message_json(text));
        cJSON_AddItemToArray(rules, rule);
    }
    return driver;
}

/* A bound that was hit is a notification: the run ended well, but its silence proves nothing. */
static cJSON *invocation_json(const struct ck_detector *detector, const struct ck_report_options *options)
{
    struct mm_error limit;
    cJSON *invocation = cJSON_CreateObject();
    bool whole = ck_detector_status(detector, &limit) == MM_OK;
    cJSON_AddBoolToObject(invocation, "executionSuccessful", whole);
    if (options && options->command_line)
        ck_report_add(invocation, "commandLine", options->command_line);
    if (!whole) {
        cJSON *notification = cJSON_CreateObject();
        ck_report_add(notification, "level", "warning");
        cJSON_AddItemToObject(notification, "message", message_json(limit.message));
        cJSON_AddItemToArray(cJSON_AddArrayToObject(invocation, "toolExecutionNotifications"), notification);
    }
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
    cJSON *results = cJSON_AddArrayToObject(run, "results");
    for (size_t i = 0; i < ck_detector_finding_count(detector); i++)
        cJSON_AddItemToArray(results, result_json(ck_detector_finding(detector, i)));
    return ck_report_print(root, out);
}
