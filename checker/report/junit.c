/* Findings as JUnit XML, for CI: each finding is a failed test, or a passed one where it is a hint; without
 * findings there is one passed test.  A reached limit, a failed program and an incomplete observation are
 * errors. */
#include "checker/report/report.h"
#include "memmodel/base/escape.h"

#include <inttypes.h>

static void put_place(const struct ck_access *access, FILE *out)
{
    const struct mm_source *source = &access->source;
    mm_put_xml(source->file && *source->file ? source->file : "unknown place", out);
    if (source->line)
        fprintf(out, ":%" PRIu32, source->line);
}

static void put_case(const struct ck_finding *f, FILE *out)
{
    fprintf(out, "  <testcase classname=\"refcl.");
    mm_put_xml(f->kind, out);
    fprintf(out, "\" name=\"");
    for (size_t i = 0; i < f->access_count; i++) {
        fputs(i ? " and " : "", out);
        put_place(&f->accesses[i], out);
    }
    if (!f->access_count)
        mm_put_xml(ck_report_message(f), out);
    if (ck_finding_is_hint(f)) {
        fprintf(out, "\">\n    <system-out>note: ");
        mm_put_xml(ck_report_message(f), out);
        fprintf(out, "</system-out>\n  </testcase>\n");
        return;
    }
    fprintf(out, "\">\n    <failure type=\"");
    mm_put_xml(f->clause, out);
    fprintf(out, "\" message=\"");
    mm_put_xml(ck_report_message(f), out);
    fprintf(out, "\">");
    mm_put_xml(f->reason, out);
    fprintf(out, "\nseen %" PRIu64 " times</failure>\n  </testcase>\n", f->count);
}

static void put_error(const char *name, const char *message, FILE *out)
{
    fprintf(out, "  <testcase classname=\"refcl\" name=\"%s\">\n    <error message=\"", name);
    mm_put_xml(message, out);
    fprintf(out, "\"/>\n  </testcase>\n");
}

static void put_property(const char *name, const char *value, FILE *out)
{
    if (!value)
        return;
    fprintf(out, "    <property name=\"%s\" value=\"", name);
    mm_put_xml(value, out);
    fprintf(out, "\"/>\n");
}

enum mm_class ck_report_junit(const struct ck_detector *detector, const struct ck_report_options *options,
                              FILE *out)
{
    struct mm_error limit;
    char ending[300];
    bool failed = ck_report_failed(options, ending, sizeof ending);
    bool whole = ck_detector_status(detector, &limit) == MM_OK;
    const char *unobserved = ck_report_unobserved(options);
    size_t cases = ck_detector_finding_count(detector), failures = ck_detector_fault_count(detector),
           errors = (size_t)failed + !whole + (unobserved != NULL);
    size_t tests = cases + errors ? cases + errors : 1;
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"");
    mm_put_xml(options && options->command_line ? options->command_line : "refcl", out);
    fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", tests, failures, errors);
    char hidden[200];
    bool hides = ck_report_hidden(detector, hidden, sizeof hidden);
    if (hides || (options && (options->model || options->checked))) {
        fprintf(out, "  <properties>\n");
        const struct ck_report_options none = {0}, *o = options ? options : &none;
        put_property("model_path", o->model ? o->model->name : NULL, out);
        put_property("model_sha256", o->model ? o->model->sha256 : NULL, out);
        put_property("checked", o->checked, out);
        put_property("not_checked", o->checked ? o->not_checked : NULL, out);
        put_property("hidden", hides ? hidden : NULL, out);
        fprintf(out, "  </properties>\n");
    }
    for (size_t i = 0; i < cases; i++)
        put_case(ck_detector_finding(detector, i), out);
    if (!whole)
        put_error("complete", limit.message, out);
    if (unobserved)
        put_error("observation", unobserved, out);
    if (failed)
        put_error("program", ending, out);
    if (!cases && !errors)
        fprintf(out, "  <testcase classname=\"refcl\" name=\"no findings\"/>\n");
    fprintf(out, "</testsuite>\n</testsuites>\n");
    return ferror(out) || fflush(out) != 0 ? MM_LIMIT : MM_OK;
}
