/* Histograms of final states: an open hash table from value tuples to counts.  It is not that of
 * memmodel/base: the runner stands alone. */
#include "run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint64_t lt_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static uint64_t hash_state(const int64_t *values, unsigned n)
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
    size_t i = (size_t)hash_state(values, h->values) & (h->capacity - 1);
    while (h->slots[i].count && memcmp(h->slots[i].values, values, h->values * sizeof *values) != 0)
        i = (i + 1) & (h->capacity - 1);
    return &h->slots[i];
}

static bool histogram_grow(struct lt_histogram *h)
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
    if (2 * (h->used + 1) > h->capacity && !histogram_grow(h))
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

static unsigned compare_length;

static int compare_states(const void *a, const void *b)
{
    const struct lt_state *const *x = a, *const *y = b;
    for (unsigned i = 0; i < compare_length; i++)
        if ((*x)->values[i] != (*y)->values[i])
            return (*x)->values[i] < (*y)->values[i] ? -1 : 1;
    return 0;
}

/* The states of H in order; free() it. */
static const struct lt_state **sorted_states(const struct lt_histogram *h, size_t *n)
{
    const struct lt_state **sorted = calloc(h->used + 1, sizeof(struct lt_state *));
    *n = 0;
    for (size_t i = 0; sorted && i < h->capacity; i++)
        if (h->slots[i].count)
            sorted[(*n)++] = &h->slots[i];
    compare_length = h->values;
    if (sorted)
        qsort(sorted, *n, sizeof *sorted, compare_states);
    return sorted;
}

bool lt_is_target(const cJSON *state, const cJSON *target)
{
    const cJSON *value, *values = cJSON_GetObjectItem(state, "values");
    int i = 0;
    cJSON_ArrayForEach(value, target)
    {
        if (!cJSON_IsNull(value) && lt_json_value(value) != lt_json_value(cJSON_GetArrayItem(values, i)))
            return false;
        i++;
    }
    return i > 0;
}

bool lt_shows_target(const cJSON *states, const cJSON *target)
{
    const cJSON *state;
    cJSON_ArrayForEach(state, states)
    {
        if (lt_is_target(state, target))
            return true;
    }
    return false;
}

cJSON *lt_histogram_json(const struct lt_histogram *h)
{
    cJSON *array = cJSON_CreateArray();
    size_t n;
    const struct lt_state **sorted = sorted_states(h, &n);
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

/* ---- slices -------------------------------------------------------------------------------------- */

static void slice_count(struct lt_slice *piece, uint64_t hash, uint64_t count)
{
    unsigned i = 0;
    while (i < piece->used && piece->hashes[i] != hash)
        i++;
    if (i == LT_SLICE_STATES)
        return;
    if (i == piece->used) {
        piece->used++;
        piece->hashes[i] = hash;
        piece->counts[i] = 0;
    }
    piece->counts[i] += count;
}

static void slice_join(struct lt_slice *to, const struct lt_slice *from)
{
    to->instances += from->instances;
    to->batches += from->batches;
    for (unsigned i = 0; i < from->used; i++)
        slice_count(to, from->hashes[i], from->counts[i]);
}

static struct lt_slice *open_piece(struct lt_slices *s)
{
    if (!s->batches)
        s->batches = 1;
    if (s->count && s->pieces[s->count - 1].batches < s->batches)
        return &s->pieces[s->count - 1];
    if (s->count == LT_SLICES) {
        for (unsigned i = 0; i < LT_SLICES / 2; i++) {
            struct lt_slice both = s->pieces[2 * i];
            slice_join(&both, &s->pieces[2 * i + 1]);
            s->pieces[i] = both;
        }
        s->count = LT_SLICES / 2;
        s->batches *= 2;
    }
    s->pieces[s->count] = (struct lt_slice){0};
    return &s->pieces[s->count++];
}

void lt_slices_add(struct lt_slices *s, uint64_t instances, const struct lt_histogram *batch)
{
    struct lt_slice *piece = open_piece(s);
    piece->instances += instances;
    piece->batches++;
    for (size_t i = 0; i < batch->capacity; i++)
        if (batch->slots[i].count)
            slice_count(piece, hash_state(batch->slots[i].values, batch->values), batch->slots[i].count);
}

cJSON *lt_slices_json(const struct lt_slices *s, const struct lt_histogram *h)
{
    cJSON *array = cJSON_CreateArray();
    size_t n;
    const struct lt_state **sorted = sorted_states(h, &n);
    for (unsigned p = 0; sorted && p < s->count; p++) {
        const struct lt_slice *piece = &s->pieces[p];
        cJSON *json = cJSON_CreateObject();
        cJSON_AddNumberToObject(json, "instances", (double)piece->instances);
        cJSON_AddNumberToObject(json, "batches", piece->batches);
        cJSON *counts = cJSON_AddArrayToObject(json, "counts");
        for (size_t i = 0; i < n; i++) {
            uint64_t hash = hash_state(sorted[i]->values, h->values), count = 0;
            for (unsigned k = 0; k < piece->used; k++)
                count = piece->hashes[k] == hash ? piece->counts[k] : count;
            cJSON_AddItemToArray(counts, cJSON_CreateNumber((double)count));
        }
        cJSON_AddItemToArray(array, json);
    }
    free(sorted);
    return array;
}

void lt_slices_load(struct lt_slices *s, const cJSON *json, const struct lt_histogram *h)
{
    size_t n;
    const struct lt_state **sorted = sorted_states(h, &n);
    const cJSON *item, *count;
    cJSON_ArrayForEach(item, json)
    {
        size_t i = 0;
        if (!sorted || s->count == LT_SLICES)
            break;
        struct lt_slice *piece = &s->pieces[s->count++];
        *piece =
            (struct lt_slice){.instances = (uint64_t)lt_json_value(cJSON_GetObjectItem(item, "instances")),
                              .batches = (unsigned)lt_json_value(cJSON_GetObjectItem(item, "batches"))};
        if (piece->batches > s->batches)
            s->batches = piece->batches;
        cJSON_ArrayForEach(count, cJSON_GetObjectItem(item, "counts"))
        {
            if (i < n)
                slice_count(piece, hash_state(sorted[i]->values, h->values), (uint64_t)lt_json_value(count));
            i++;
        }
    }
    free(sorted);
}
