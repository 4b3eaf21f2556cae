/* Reports of `refcl run` and `refcl kernel`.  A checked program is a test, named by its command line; a
 * finding is a state, known by its fingerprint, and forbidden by its clause; a run of the program is one
 * instance. */
#include "tools/store/query.h"

#include "litmus/files.h"
#include "memmodel/base/memory.h"

#include <string.h>

/* The row of the pseudo-model STORE_CHECKS, whose verdicts come from findings. */
static int64_t checks_model(struct store *s)
{
    store_execute(
        s,
        "insert or ignore into model(variant, path, sha256, switches, used) values(?, 'refcl run', '', '', 0)",
        "t", STORE_CHECKS);
    return store_number(s, "select " STORE_MODEL_OF("?1"), "t", STORE_CHECKS);
}

/* The state that represents the finding: its fingerprint, or without one its kind and message. */
static char *state_of(const cJSON *finding)
{
    char whole[2048], text[256];
    const char *fingerprint = lt_json_text(finding, "fingerprint");
    snprintf(whole, sizeof whole, "%s: %s", lt_json_text(finding, "kind"), lt_json_text(finding, "message"));
    store_copy_text(text, sizeof text, *fingerprint ? fingerprint : whole);
    cJSON *values = cJSON_CreateArray();
    cJSON_AddItemToArray(values, cJSON_CreateString(text));
    char *printed = cJSON_PrintUnformatted(values);
    cJSON_Delete(values);
    return printed;
}

static void put_finding(struct store *s, const cJSON *finding, int64_t model, struct store_result *r,
                        unsigned char *blob)
{
    char whole[4096], why[1024];
    char *values = state_of(finding);
    int64_t number = values ? store_state_number(s, r->test, values) : 0;
    int64_t id = store_number(s, "select id from state where test = ? and number = ?", "ii", r->test, number);
    snprintf(whole, sizeof whole, "%s: %s: %s", lt_json_text(finding, "clause"),
             lt_json_text(finding, "kind"), lt_json_text(finding, "message"));
    store_copy_text(why, sizeof why, whole);
    store_execute(s, "insert or replace into verdict values(?, ?, 'forbidden', ?)", "iit", id, model, why);
    if (!store_has_count(blob, r->size, (uint64_t)number))
        r->size = store_encode(blob, r->size, (struct store_count){.state = (uint64_t)number, .count = 1});
    cJSON_free(values);
}

enum mm_class store_add_report(struct store *s, const struct store_file *file, struct mm_error *err)
{
    const char *path = file->path;
    const cJSON *finding, *report = file->json, *findings = cJSON_GetObjectItem(report, "findings");
    const char *status = lt_json_text(report, "status"), *command = lt_json_text(report, "command_line"),
               *slash = strrchr(path, '/');
    bool done = strcmp(status, "clean") == 0 || strcmp(status, "findings") == 0;
    if (!cJSON_IsArray(findings) || !*status)
        return mm_fail_at(err, MM_INVALID, "store.format", path, 0, 0, "'%s' is missing",
                          *status ? "findings" : "status");
    unsigned char *blob = mm_alloc((size_t)cJSON_GetArraySize(findings) * STORE_PAIR + 1);
    if (!blob)
        return mm_fail(err, MM_LIMIT, "store.memory", "out of memory");
    struct store_test test = {.interface = "OpenCL",
                              .name = *command ? command
                                      : slash  ? slash + 1
                                               : path,
                              .digest = "",
                              .mapping = "",
                              .file = "checks/report",
                              .observed = "[\"finding\"]"};
    const char *limit = lt_json_text(report, "limit");
    struct store_result r = {
        .test = store_test(s, &test),
        .run = file->run,
        .device = file->device,
        .instances = done || cJSON_GetArraySize(findings),
        .status = done ? "done" : status,
        .reason = *limit ? limit : lt_json_text(cJSON_GetObjectItem(report, "program"), "message"),
        .date = file->date,
        .stationary = true,
        .blob = blob};
    int64_t model = checks_model(s);
    cJSON_ArrayForEach(finding, findings) put_finding(s, finding, model, &r, blob);
    enum mm_class cls = store_put_result(s, &r, err);
    mm_free(blob);
    return cls;
}
