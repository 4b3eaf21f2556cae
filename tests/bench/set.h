/* The lines "// bench:" of a set of kernels, the data of its buffers, and clocks: shared by the programs that measure it. */
#ifndef TESTS_BENCH_SET_H
#define TESTS_BENCH_SET_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SET_WORDS = 1 << 20, SET_MOST = 1 << 20, SET_SOURCE = 1 << 17 };
struct plan {
    char kernel[64], inputs[16];
    unsigned dimensions;
    size_t global[3], local[3];
    int has_local, launches;
};

static inline double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static inline int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, by_value);
    return times[count / 2];
}

static inline unsigned plan_sizes(const char *text, size_t *to)
{
    unsigned n = 0;
    for (char *end; n < 3 && *text != 0 && *text != '-'; text = *end == ',' ? end + 1 : end)
        to[n++] = strtoull(text, &end, 10);
    return n;
}

/* Reads the next plan behind *AT; false if there is none. */
static inline int next_plan(const char **at, struct plan *p)
{
    char global[64], local[64];
    *at = strstr(*at, "// bench: ");
    if (*at == NULL)
        return 0;
    memset(p, 0, sizeof *p);
    int n =
        sscanf(*at, "// bench: %63s %63s %63s %15s %d", p->kernel, global, local, p->inputs, &p->launches);
    *at += 10;
    p->dimensions = n == 5 ? plan_sizes(global, p->global) : 0;
    p->has_local = n == 5 && plan_sizes(local, p->local) > 0;
    return n == 5;
}

static inline void fill(uint32_t *words, const char *inputs)
{
    uint32_t x = 12345;
    for (size_t i = 0; i < SET_WORDS; i++) {
        x = x * 1664525u + 1013904223u;
        float f = (float)(x >> 8) / 16777216.0f;
        words[i] = strcmp(inputs, "zero") == 0 ? 0 : strcmp(inputs, "index") == 0 ? x >> 12 : x;
        if (strcmp(inputs, "float") == 0)
            memcpy(&words[i], &f, sizeof f);
    }
}

/* The text of FILE, below SET_SOURCE bytes; NULL if it cannot be read. */
static inline char *read_source(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *source = calloc(1, SET_SOURCE);
    if (file == NULL || source == NULL || fread(source, 1, SET_SOURCE - 1, file) == 0)
        return NULL;
    fclose(file);
    return source;
}

#endif
