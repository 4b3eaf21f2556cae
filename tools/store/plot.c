/* Plots of rates as SVG.  A driver is a letter, so that no color is needed: filled where the state was shown; hollow, with an
 * arrow to the left, at the bound below which the rate of a state is that was never shown.  Colors are those of the text. */
#include "tools/store/site.h"

#include "litmus/judge/judge.h"
#include "memmodel/base/escape.h"

#include <math.h>
#include <string.h>

enum { LEFT = 150, WIDTH = 900, STEP = 20, TOP = 30, LOWEST = -12 };

void site_letter(int number, char *text, size_t size)
{
    if (number < 26)
        snprintf(text, size, "%c", 'A' + number);
    else
        snprintf(text, size, "%c%c", 'A' + (number / 26 - 1) % 26, 'A' + number % 26);
}

static double x_of(double rate)
{
    double decade = rate > 0 ? fmax(LOWEST, log10(rate)) : LOWEST;
    return LEFT + (decade - LOWEST) * (WIDTH - LEFT - 30) / -LOWEST;
}

static void put_axis(FILE *out, int height)
{
    for (int decade = LOWEST; decade <= 0; decade += 2) {
        double x = x_of(pow(10, decade));
        fprintf(out,
                "<line x1=\"%.0f\" y1=\"%d\" x2=\"%.0f\" y2=\"%d\" class=\"grid\"/>"
                "<text x=\"%.0f\" y=\"18\" text-anchor=\"middle\">%s%d</text>\n",
                x, TOP - 6, x, height - 4, x, decade ? "1e" : "", decade ? decade : 1);
    }
}

static void put_point(FILE *out, const struct site_point *p, double y)
{
    struct lt_rate rate = lt_rate_of((uint64_t)p->count, (uint64_t)p->instances);
    double x = x_of(p->count ? rate.rate : rate.high);
    char letter[8];
    site_letter(p->letter, letter, sizeof letter);
    if (!p->count)
        fprintf(out, "<path d=\"M%.1f %.1fh-18m5 -4l-5 4l5 4\" class=\"bound\"/>", x - 8, y);
    fprintf(
        out,
        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"8\" class=\"%s\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" class=\"%s\">%s</text>\n",
        x, y, p->count ? "seen" : "bound", x, y + 4, p->count ? "letter" : "", letter);
}

/* A row is as many steps high as it has points. */
void site_put_plot(FILE *out, const struct site_plot *plot)
{
    int lines = 0;
    for (int r = 0, at = 0; r < plot->row_count; r++) {
        int here = 0;
        for (; at < plot->point_count && plot->points[at].row == r; at++)
            here++;
        lines += here ? here : 1;
    }
    int height = TOP + lines * STEP + 8 * plot->row_count;
    fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
    mm_put_html(plot->title, out);
    fprintf(out, "\"><svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\"><title>", (int)WIDTH,
            height, (int)WIDTH, height);
    mm_put_html(plot->title, out);
    fputs("</title><desc>", out);
    mm_put_html(plot->description, out);
    fputs("</desc>\n", out);
    put_axis(out, height);
    double y = TOP;
    for (int r = 0, at = 0; r < plot->row_count; r++) {
        double first = y;
        for (; at < plot->point_count && plot->points[at].row == r; at++, y += STEP)
            put_point(out, &plot->points[at], y + STEP / 2.0);
        y = y > first ? y : y + STEP;
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", (int)LEFT - 12, (first + y) / 2 + 4);
        mm_put_html(plot->rows[r], out);
        fprintf(out, "</text><line x1=\"0\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" class=\"grid\"/>\n", y + 4,
                (int)WIDTH, y + 4);
        y += 8;
    }
    fputs("</svg></div>\n", out);
}
