/* Histograms of final states: an open hash table from value tuples to counts. */
#include "run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_values(const int64_t *values, unsigned n)
{
    uint64_t h = 0x9e3779b97f4a7c15;
    for (unsigned i = 0; i < n; i++) {
        h = (h ^ (uint64_t)values[i]) * 0xff51afd7ed558ccd;
        h ^= h >> 32;
    }
    return h;
}

static struct lt_state *find_slot(struct lt_histogram *h, const int64_t *values)
{
    size_t i = (size_t)hash_values(values, h->values) & (h->capacity - 1);
    while (h->slots[i].count && memcmp(h->slots[i].values, values, h->values * sizeof *values) != 0)
        i = (i + 1) & (h->capacity - 1);
    return &h->slots[i];
}

static bool grow(struct lt_histogram *h)
{
    struct lt_histogram bigger = {.capacity = h->capacity ? 2 * h->capacity : 64, .values = h->values};
    bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (size_t i = 0; i < h->capacity; i++)
        if (h->slots[i].count)
            *find_slot(&bigger, h->slots[i].values) = h->slots[i];
    bigger.used = h->used;
    free(h->slots);
    *h = bigger;
    return true;
}

bool lt_histogram_add(struct lt_histogram *h, const int64_t *values, uint64_t count)
{
    if (!count)
        return true;
    if (2 * (h->used + 1) > h->capacity && !grow(h))
        return false;
    struct lt_state *s = find_slot(h, values);
    if (!s->count) {
        memcpy(s->values, values, h->values * sizeof *values);
        h->used++;
    }
    s->count += count;
    return true;
}

void lt_histogram_clear(struct lt_histogram *h)
{
    free(h->slots);
    *h = (struct lt_histogram){.values = h->values};
}

cJSON *lt_value_json(int64_t value)
{
    char text[24];
    if (value > -(INT64_C(1) << 53) && value < INT64_C(1) << 53)
        return cJSON_CreateNumber((double)value);
    snprintf(text, sizeof text, "%" PRId64, value);
    return cJSON_CreateString(text);
}

int64_t lt_json_value(const cJSON *item)
{
    if (cJSON_IsString(item))
        return strtoll(item->valuestring, NULL, 10);
    return cJSON_IsNumber(item) ? (int64_t)item->valuedouble : 0;
}

static unsigned compare_length;

static int compare_states(const void *a, const void *b)
{
    const struct lt_state *const *x = a, *const *y = b;
    for (unsigned i = 0; i < compare_length; i++)
        if ((*x)->values[i] != (*y)->values[i])
            return (*x)->values[i] < (*y)->values[i] ? -1 : 1;
    return 0;
}

cJSON *lt_histogram_json(const struct lt_histogram *h)
{
    cJSON *array = cJSON_CreateArray();
    const struct lt_state **sorted = calloc(h->used + 1, sizeof(struct lt_state *));
    if (!sorted)
        return array;
    size_t n = 0;
    for (size_t i = 0; i < h->capacity; i++)
        if (h->slots[i].count)
            sorted[n++] = &h->slots[i];
    compare_length = h->values;
    qsort(sorted, n, sizeof *sorted, compare_states);
    for (size_t i = 0; i < n; i++) {
        cJSON *state = cJSON_CreateObject();
        cJSON *values = cJSON_AddArrayToObject(state, "values");
        for (unsigned v = 0; v < h->values; v++)
            cJSON_AddItemToArray(values, lt_value_json(sorted[i]->values[v]));
        cJSON_AddNumberToObject(state, "count", (double)sorted[i]->count);
        cJSON_AddItemToArray(array, state);
    }
    free(sorted);
    return array;
}

bool lt_histogram_load(struct lt_histogram *h, const cJSON *states)
{
    const cJSON *state, *value;
    cJSON_ArrayForEach(state, states)
    {
        int64_t values[LT_MAX_VALUES] = {0};
        unsigned n = 0;
        cJSON_ArrayForEach(value, cJSON_GetObjectItem(state, "values"))
        {
            if (n < h->values)
                values[n++] = lt_json_value(value);
        }
        if (!lt_histogram_add(h, values, (uint64_t)lt_json_value(cJSON_GetObjectItem(state, "count"))))
            return false;
    }
    return true;
}
