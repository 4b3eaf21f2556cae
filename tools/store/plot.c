/* Plots of rates as SVG.  Letters distinguish drivers, so that the plot needs no colors but that of the text.
 * A filled mark is a measured rate; a hollow one with an arrow to the left is the upper bound on the rate of
 * a state that was never shown. */
#include "tools/store/site.h"

#include "litmus/judge/judge.h"
#include "memmodel/base/escape.h"

#include <math.h>
#include <string.h>

/* Vertical sizes are in pixels, horizontal ones in per cent of the window's width, so that a phone shows the
 * whole plot. */
enum { STEP = 20, LEFT = 8, ACROSS = 84, LOWEST = -12 };

void site_letter(int number, char *text, size_t size)
{
    if (number < 26)
        snprintf(text, size, "%c", 'A' + number);
    else
        snprintf(text, size, "%c%c", 'A' + (number / 26 - 1) % 26, 'A' + number % 26);
}

static double bounded_log(double rate)
{
    return rate > 0 ? fmin(0, fmax(LOWEST, log10(rate))) : LOWEST;
}

/* The position of a point on the logarithmic axis. */
static double decade_of(const struct site_point *p)
{
    struct lt_rate rate = lt_rate_of((uint64_t)p->count, (uint64_t)p->instances);
    return bounded_log(p->count ? rate.rate : rate.high);
}

static double x_of(double decade, int lowest)
{
    return LEFT + (decade - lowest) * ACROSS / -lowest;
}

/* The decade at which the axis begins, an even exponent. */
static int lowest_decade(const struct site_plot *plot)
{
    double lowest = -2;
    for (int i = 0; i < plot->point_count; i++)
        lowest = fmin(lowest, decade_of(&plot->points[i]));
    return 2 * (int)floor(lowest / 2);
}

/* The axis of a row: labels below Y, lines down to BOTTOM. */
static void put_axis(FILE *out, int lowest, int y, int bottom)
{
    for (int decade = lowest; decade <= 0; decade += 2) {
        double x = x_of(decade, lowest);
        fprintf(out,
                "<line x1=\"%.2f%%\" y1=\"%d\" x2=\"%.2f%%\" y2=\"%d\" class=\"grid\"/>"
                "<text x=\"%.2f%%\" y=\"%d\" text-anchor=\"middle\">%s%d</text>\n",
                x, y + STEP, x, bottom, x, y + 14, decade ? "1e" : "", decade ? decade : 1);
    }
}

static void put_point(FILE *out, const struct site_point *p, int lowest, double y)
{
    double x = x_of(decade_of(p), lowest);
    char letter[8];
    site_letter(p->letter, letter, sizeof letter);
    if (!p->count)
        fprintf(
            out,
            "<svg x=\"%.2f%%\" y=\"%.1f\" class=\"mark\"><path d=\"M-8 0h-18m5 -4l-5 4l5 4\" class=\"bound\"/></svg>",
            x, y);
    fprintf(
        out,
        "<circle cx=\"%.2f%%\" cy=\"%.1f\" r=\"8\" class=\"%s\"/><text x=\"%.2f%%\" y=\"%.1f\" text-anchor=\"middle\" class=\"%s\">%s</text>\n",
        x, y, p->count ? "seen" : "bound", x, y + 4, p->count ? "letter" : "", letter);
}

void site_begin_plot(FILE *out, const char *title, const char *description, int height)
{
    fprintf(out, "<svg width=\"100%%\" height=\"%d\" role=\"img\"><title>", height);
    mm_put_html(title, out);
    fputs("</title><desc>", out);
    mm_put_html(description, out);
    fputs("</desc>\n", out);
}

/* Each row has a line with its name, its axis, and a line for each point. */
void site_put_plot(FILE *out, const struct site_plot *plot)
{
    int lowest = lowest_decade(plot), y = 0;
    site_begin_plot(out, plot->title, plot->description, (3 * plot->row_count + plot->point_count) * STEP);
    for (int r = 0, at = 0; r < plot->row_count; r++) {
        int first = at;
        while (at < plot->point_count && plot->points[at].row == r)
            at++;
        fprintf(
            out,
            "<line x1=\"0\" y1=\"%d\" x2=\"100%%\" y2=\"%d\" class=\"grid\"/><text x=\"0\" y=\"%d\" class=\"row\">",
            y, y, y + 16);
        mm_put_html(plot->rows[r], out);
        fputs("</text>\n", out);
        y += STEP;
        put_axis(out, lowest, y, y + (at - first + 1) * STEP);
        y += STEP;
        for (int i = first; i < at; i++, y += STEP)
            put_point(out, &plot->points[i], lowest, y + STEP / 2.0);
        y += STEP;
    }
    fputs("</svg>\n", out);
}
