/* The judgement as a self-contained HTML page: a table of the tests, and for each test its histogram, the
 * graph of an execution with the outcome that the condition asks about, and its text. */
#include "litmus/judge/judge.h"

#include "litmus/files.h"
#include "memmodel/base/escape.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- the graph ---------------------------------------------------------------------------------- */

enum { COLUMN = 190, ROW = 58, BOX_WIDTH = 160, BOX_HEIGHT = 34, MARGIN = 16 };

struct place {
    double x, y; /* centre */
};

static void event_text(const struct ck_program *program, const struct ck_step *s, char *buf, size_t size)
{
    const struct mm_event *e = &s->info;
    const char *object = s->object < program->object_count ? program->objects[s->object].name : "";
    const char *order = e->order ? mm_order_name((enum mm_order)e->order) : "";
    const char *space = *order ? " " : "";
    switch (e->kind) {
    case MM_WRITE:
    case MM_INIT:
        snprintf(buf, size, "%s%swrite %s = %" PRId64, order, space, object,
                 (int64_t)(int32_t)e->value_written);
        break;
    case MM_READ:
        snprintf(buf, size, "%s%sread %s = %" PRId64, order, space, object, (int64_t)(int32_t)e->value_read);
        break;
    case MM_RMW:
        snprintf(buf, size, "%s rmw %s: %" PRId64 " to %" PRId64, order, object,
                 (int64_t)(int32_t)e->value_read, (int64_t)(int32_t)e->value_written);
        break;
    default:
        snprintf(buf, size, "%s%s%s", order, space, mm_kind_name((enum mm_kind)e->kind));
    }
}

static void draw_edge(const struct place *a, const struct place *b, const char *name, const char *color,
                      FILE *out)
{
    double dx = b->x - a->x, dy = b->y - a->y, length = sqrt(dx * dx + dy * dy);
    if (length < 1)
        return;
    /* From border to border of the boxes, bent a little so that edges between the same rows part. */
    double sx = fabs(dx) > 1 ? fmin(1, (BOX_WIDTH / 2.0) / fabs(dx)) : 1;
    double sy = fabs(dy) > 1 ? fmin(1, (BOX_HEIGHT / 2.0) / fabs(dy)) : 1;
    double s = fmin(sx, sy), x1 = a->x + dx * s, y1 = a->y + dy * s, x2 = b->x - dx * s, y2 = b->y - dy * s;
    double mx = (x1 + x2) / 2 - dy / length * 14, my = (y1 + y2) / 2 + dx / length * 14;
    fprintf(out,
            "<path d='M%.0f %.0f Q%.0f %.0f %.0f %.0f' stroke='%s' fill='none' marker-end='url(#a)'/>"
            "<text x='%.0f' y='%.0f' fill='%s'>%s</text>\n",
            x1, y1, mx, my, x2, y2, color, mx, my, color, name);
}

static bool events_related(const struct mm_rel *rel, size_t i, size_t j)
{
    return rel->bits && i < rel->n && j < rel->n && (rel->bits[i * rel->words + j / 64] >> j % 64 & 1);
}

static void draw_events(const struct ck_program *program, const struct ck_verdict *v,
                        const struct place *places, FILE *out)
{
    for (size_t i = 0; i < v->witness_count; i++) {
        char text[160];
        if (v->witness[i].thread >= program->thread_count)
            continue;
        event_text(program, &v->witness[i], text, sizeof text);
        fprintf(out, "<rect x='%.0f' y='%.0f' width='%d' height='%d' rx='5'/><text x='%.0f' y='%.0f'>",
                places[i].x - BOX_WIDTH / 2.0, places[i].y - BOX_HEIGHT / 2.0, BOX_WIDTH, BOX_HEIGHT,
                places[i].x, places[i].y + 4);
        mm_put_html(text, out);
        fputs("</text>\n", out);
    }
}

/* Program order between neighbors, reads-from and coherence between threads, and from-reads. */
static void draw_edges(const struct ck_program *program, const struct ck_verdict *v,
                       const struct place *places, FILE *out)
{
    size_t n = v->witness_count, last[64];
    memset(last, 0xff, sizeof last);
    for (size_t i = 0; i < n; i++) {
        uint32_t t = v->witness[i].thread;
        if (t >= program->thread_count || t >= 64)
            continue;
        if (last[t] != SIZE_MAX)
            draw_edge(&places[last[t]], &places[i], "sb", "#888", out);
        last[t] = i;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            bool inner =
                v->witness[i].thread < program->thread_count && v->witness[j].thread < program->thread_count;
            if (inner && i != j && events_related(&v->witness_rf, i, j))
                draw_edge(&places[i], &places[j], "rf", "#c22", out);
            if (inner && i != j && events_related(&v->witness_co, i, j))
                draw_edge(&places[i], &places[j], "mo", "#26c", out);
            bool fr = false;
            for (size_t w = 0; w < n && inner && i != j; w++)
                fr |= events_related(&v->witness_rf, w, i) && events_related(&v->witness_co, w, j);
            if (fr && v->witness[i].thread != v->witness[j].thread)
                draw_edge(&places[i], &places[j], "fr", "#a60", out);
        }
}

static void draw_execution(const struct ck_program *program, const struct ck_verdict *v, FILE *out)
{
    unsigned rows[64] = {0}, deepest = 0;
    struct place *places = mm_alloc_zero(v->witness_count + 1, sizeof *places);
    if (!places || program->thread_count > 64) {
        mm_free(places);
        return;
    }
    for (size_t i = 0; i < v->witness_count; i++) {
        uint32_t t = v->witness[i].thread;
        if (t >= program->thread_count)
            continue;
        places[i].x = MARGIN + t * COLUMN + BOX_WIDTH / 2.0;
        places[i].y = MARGIN + 24 + rows[t]++ * ROW + BOX_HEIGHT / 2.0;
        deepest = rows[t] > deepest ? rows[t] : deepest;
    }
    fprintf(out, "<svg width='%u' height='%u'>", 2 * MARGIN + program->thread_count * COLUMN,
            2 * MARGIN + 24 + deepest * ROW);
    for (uint32_t t = 0; t < program->thread_count; t++)
        fprintf(out, "<text x='%u' y='%d' class='t'>%s</text>\n", MARGIN + t * COLUMN + BOX_WIDTH / 2,
                MARGIN + 8, program->threads[t].name);
    draw_edges(program, v, places, out);
    draw_events(program, v, places, out);
    fputs("</svg>\n", out);
    mm_free(places);
}

/* An execution with the outcome that the condition asks about, if the model has one. */
static void draw_outcome(const struct lt_judged *j, const struct lt_judge_options *options, FILE *out)
{
    struct ck_options check = options->check;
    struct ck_verdict v = {0};
    check.explain = true;
    if (ck_search(j->program, options->model, &check, &v, NULL) == MM_OK && v.witness_count) {
        fputs("<h3>An execution with this outcome</h3>", out);
        draw_execution(j->program, &v, out);
    }
    ck_verdict_clear(&v);
}

/* ---- a test ------------------------------------------------------------------------------------- */

static void print_histogram(const struct lt_judged *j, FILE *out)
{
    uint64_t n = j->positive + j->negative;
    fputs("<table class='h'><tr><th>state</th><th>times</th><th>rate, 95 "
          "%</th><th></th><th>verdict</th></tr>\n",
          out);
    for (size_t i = 0; i < j->seen_count; i++) {
        const struct lt_seen *s = &j->seen[i];
        struct lt_rate r = lt_rate_of(s->filtered ? 0 : s->count, n);
        double width = n && !s->filtered ? 200 * (1 + log10((double)s->count / (double)n) / 10) : 0;
        fputs("<tr><td>", out);
        lt_judge_state(j, s->values, out);
        fprintf(out,
                "%s</td><td class='n'>%" PRIu64 "</td><td class='n'>%.3g (%.2g to %.2g)</td>"
                "<td><div class='b' style='width:%.0fpx'></div></td><td class='%s'>%s",
                s->satisfies ? " <b>*</b>" : "", s->count, r.rate, r.low, r.high, width > 2 ? width : 2,
                s->filtered ? "not-run" : lt_outcome_name(s->verdict), lt_seen_name(j, s));
        for (size_t v = 0; s->why && v < s->why->violation_count; v++) {
            fputs("<br>", out);
            mm_put_html(s->why->violations[v].clause ? s->why->violations[v].clause : "", out);
        }
        fputs("</td></tr>\n", out);
    }
    fprintf(
        out,
        "</table><p>Bars are logarithmic. * is what the condition asks about. What was not seen has a rate "
        "below %.3g (95 %%).%s</p>\n",
        lt_rate_of(0, n).high, lt_stationary(j->json) ? "" : " <b>Not stationary.</b>");
}

static void print_cycles(const struct lt_judged *j, FILE *out)
{
    for (size_t i = 0; i < j->seen_count; i++)
        for (size_t v = 0; j->seen[i].why && v < j->seen[i].why->violation_count; v++) {
            const struct ck_violation *violation = &j->seen[i].why->violations[v];
            fprintf(out, "<p>Against <b>%s</b>:", violation->axiom ? violation->axiom : "the model");
            for (size_t k = 0; k < violation->step_count; k++) {
                char text[160];
                event_text(j->program, &violation->steps[k], text, sizeof text);
                fputc(' ', out);
                mm_put_html(text, out);
                fprintf(out, " <i>%s</i>", violation->steps[k].edge ? violation->steps[k].edge : "");
            }
            fputs("</p>\n", out);
        }
}

void lt_html_test(const struct lt_judged *j, const struct lt_judge_options *options,
                  struct lt_judge_report *report)
{
    FILE *out = report->html;
    const cJSON *ms = cJSON_GetObjectItem(j->json, "time_ms");
    uint64_t n = j->positive + j->negative;
    double seconds = cJSON_IsNumber(ms) ? ms->valuedouble / 1e3 : 0;
    fprintf(out, "<tr class='%s'><td><details><summary>", lt_outcome_name(j->outcome));
    mm_put_html(j->name, out);
    fputs("</summary>", out);
    if (j->judged) {
        print_histogram(j, out);
        print_cycles(j, out);
        if (j->positive)
            draw_outcome(j, options, out);
    }
    if (*j->reason) {
        fputs("<pre>", out);
        mm_put_html(j->reason, out);
        fputs("</pre>", out);
    }
    if (j->outcome != LT_NOT_RUN) {
        fputs("<pre>", out);
        mm_put_html(j->test->text, out);
        fputs("</pre>", out);
    }
    fprintf(out,
            "</details></td><td class='%s'>%s</td><td>%s</td><td class='n'>%" PRIu64
            "</td><td class='n'>%" PRIu64 "</td><td class='n'>%zu of %zu</td><td class='n'>%.3g</td></tr>\n",
            lt_outcome_name(j->outcome), lt_outcome_name(j->outcome), j->status, n, j->positive,
            j->allowed_seen, j->judged ? j->verdict.state_count : 0, seconds > 0 ? (double)n / seconds : 0.0);
}

/* ---- the page ----------------------------------------------------------------------------------- */

static const char style[] =
    "body{font:14px/1.4 system-ui,sans-serif;margin:2em;color:#222}table{border-collapse:collapse}"
    "td,th{padding:2px 10px;text-align:left;vertical-align:top;border-bottom:1px solid #ddd}"
    ".n{text-align:right;font-variant-numeric:tabular-nums}.b{background:#68a;height:10px;margin-top:5px}"
    "td.forbidden{color:#fff;background:#c22}td.unknown,td.not-observed{background:#fd8}td.racy{color:#888}"
    "td.allowed{color:#170}"
    "tr.not-run{color:#999}pre{background:#f6f6f6;padding:8px;max-width:60em;overflow:auto}"
    "rect{fill:#fff;stroke:#444}svg text{font:11px sans-serif;text-anchor:middle}svg text.t{font-weight:bold}"
    "summary{cursor:pointer}";

static void device_line(const cJSON *judgement, FILE *out)
{
    static const char *const keys[] = {"name", "platform", "version", "driver"};
    const cJSON *device = cJSON_GetObjectItem(judgement, "device");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const cJSON *item = cJSON_GetObjectItem(device, keys[i]);
        fputs(i ? ", " : "<p>", out);
        mm_put_html(cJSON_IsString(item) ? item->valuestring : "?", out);
    }
    fputs("</p>\n", out);
}

static void model_line(const cJSON *judgement, FILE *out)
{
    fputs("<p>Model: ", out);
    mm_put_html(cJSON_GetObjectItem(judgement, "model_path")->valuestring, out);
    fprintf(out, ", sha256 %s</p>\n", cJSON_GetObjectItem(judgement, "model_sha256")->valuestring);
}

static void not_run(const cJSON *judgement, FILE *out)
{
    const cJSON *item, *array = cJSON_GetObjectItem(judgement, "not_run");
    if (cJSON_GetArraySize(array) > 0)
        fputs("<p>Not run:</p><ul>\n", out);
    cJSON_ArrayForEach(item, array)
    {
        fprintf(out, "<li>%.0f ", cJSON_GetObjectItem(item, "count")->valuedouble);
        mm_put_html(cJSON_GetObjectItem(item, "reason")->valuestring, out);
        fputs("</li>\n", out);
    }
    if (cJSON_GetArraySize(array) > 0)
        fputs("</ul>\n", out);
}

enum mm_class lt_html_page(const char *path, const char *body, const cJSON *judgement,
                           const struct lt_judge_report *report, struct mm_error *err)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return lt_cannot_write(path, err);
    fprintf(
        out,
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>Litmus tests</title><style>%s</style>\n",
        style);
    fputs("<svg width='0' height='0' style='position:absolute'><defs><marker id='a' markerWidth='8' "
          "markerHeight='8' "
          "refX='7' refY='3' orient='auto'><path d='M0 0 L7 3 L0 6 z' fill='#444'/></marker></defs></svg>\n"
          "<h1>Litmus tests</h1>\n",
          out);
    device_line(judgement, out);
    model_line(judgement, out);
    fputs("<p>", out);
    for (size_t i = 0; i < LT_OUTCOME_COUNT; i++)
        fprintf(out, "%s%zu %s", i ? ", " : "", report->counts[i], lt_outcome_name((enum lt_outcome)i));
    fputs("</p>\n", out);
    not_run(judgement, out);
    fputs("<table><tr><th>test</th><th>verdict</th><th>status</th><th>instances</th><th>condition "
          "seen</th>"
          "<th>states of the model seen</th><th>instances/s</th></tr>\n",
          out);
    fputs(body, out);
    fputs("</table></html>\n", out);
    return fclose(out) == 0 ? MM_OK : lt_cannot_write(path, err);
}
