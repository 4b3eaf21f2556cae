/* Readers of input files as the fuzzers (fuzz.c) and the test of their corpora (test_corpus.c) call them.
 * Each reader_*.c is one; its corpus is the folder corpus/NAME. */
#ifndef TESTS_FUZZ_READER_H
#define TESTS_FUZZ_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fuzz_reader {
    const char *name;
    /* Gives the input to the reader and, if it is accepted, to the code that uses it.  True: it is
     * accepted. */
    bool (*read)(const uint8_t *data, size_t size);
    /* Changes an input in place, to at most MAX bytes; returns its size, or 0 to have bytes changed without
     * knowledge of the format.  NULL: always the latter. */
    size_t (*mutate)(uint8_t *data, size_t size, size_t max, unsigned seed);
};
#define FUZZ_READERS(X)                                                                                      \
    X(spirv)                                                                                                 \
    X(explore)                                                                                               \
    X(opencl)                                                                                                \
    X(litmus)                                                                                                \
    X(program)                                                                                               \
    X(cat)                                                                                                   \
    X(trace)                                                                                                 \
    X(commands)                                                                                              \
    X(capture)                                                                                               \
    X(witness)                                                                                               \
    X(plan)                                                                                                  \
    X(results)                                                                                               \
    X(judgement)                                                                                             \
    X(store)                                                                                                 \
    X(json)                                                                                                  \
    X(template)                                                                                              \
    X(suppressions)
#define FUZZ_DECLARE(name) extern const struct fuzz_reader fuzz_##name;
FUZZ_READERS(FUZZ_DECLARE)
#undef FUZZ_DECLARE

/* ---- shared by readers (reader_shared.c) --------------------------------------------------------- */

/* A file with this content, for readers that take a path; one at a time. */
void fuzz_file_begin(void);
void fuzz_file_add(const void *data, size_t size);
const char *fuzz_file_path(void);
int fuzz_file_descriptor(void); /* at the file's beginning */
/* The whole input as that file. */
const char *fuzz_file(const uint8_t *data, size_t size);
/* As that file, a trace: the input, if it begins like one; otherwise its records as the only chunk of a trace
 * of the latest version with a valid checksum. */
void fuzz_as_trace(const uint8_t *data, size_t size);
/* The input, null-terminated; freed with mm_free. */
char *fuzz_text(const uint8_t *data, size_t size);
/* Mutator for JSON: replaces a number by another. */
size_t fuzz_mutate_json(uint8_t *data, size_t size, size_t max, unsigned seed);

#endif
