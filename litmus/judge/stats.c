/* Statistics of the counts of a campaign.
 *
 * Rates have Wilson's 95 % interval; a state that was never seen has, with 95 % confidence, a rate below 3/n;
 * a state seen k times is seen again by a campaign as long as this one with probability 1 - exp(-k); and a
 * campaign is stationary unless the rate of some state rises or falls over its pieces (Mann-Kendall, |z| >
 * 3). */
#include "litmus/judge/judge.h"

#include <math.h>

#define Z95 1.959963985

struct lt_rate lt_rate_of(uint64_t count, uint64_t instances)
{
    struct lt_rate r = {0};
    if (!instances)
        return r;
    double n = (double)instances, p = (double)count / n, z2 = Z95 * Z95;
    double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    double half = Z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
    r.rate = p;
    r.low = count ? fmax(0, middle - half) : 0;
    r.high = count ? fmin(1, middle + half) : fmin(1, 3 / n);
    r.again = 1 - exp(-(double)count);
    return r;
}

static double piece_rate(const cJSON *piece, int state)
{
    const cJSON *n = cJSON_GetObjectItem(piece, "instances");
    const cJSON *count = cJSON_GetArrayItem(cJSON_GetObjectItem(piece, "counts"), state);
    return cJSON_IsNumber(n) && cJSON_IsNumber(count) && n->valuedouble > 0
               ? count->valuedouble / n->valuedouble
               : 0;
}

/* Mann-Kendall's z for the rates of STATE, without the correction for ties (which only makes it larger). */
static double mann_kendall(const cJSON *slices, int pieces, int state)
{
    double s = 0, n = pieces;
    for (int a = 0; a < pieces; a++)
        for (int b = a + 1; b < pieces; b++) {
            double x = piece_rate(cJSON_GetArrayItem(slices, a), state),
                   y = piece_rate(cJSON_GetArrayItem(slices, b), state);
            s += (y > x) - (y < x);
        }
    double variance = n * (n - 1) * (2 * n + 5) / 18;
    double away = s > 0 ? s - 1 : s < 0 ? s + 1 : 0;
    return variance > 0 ? away / sqrt(variance) : 0;
}

bool lt_stationary(const cJSON *test)
{
    const cJSON *known = cJSON_GetObjectItem(test, "stationary");
    if (known)
        return cJSON_IsTrue(known);
    const cJSON *slices = cJSON_GetObjectItem(test, "slices");
    int pieces = cJSON_GetArraySize(slices);
    int states = cJSON_GetArraySize(cJSON_GetObjectItem(test, "states"));
    for (int s = 0; s < states && pieces >= 6 && pieces <= 4096; s++)
        if (fabs(mann_kendall(slices, pieces, s)) > 3)
            return false;
    return true;
}
