/* The verdict matrix: tests that distinguish model variants, under every setting of every switch, by search
 * (slow_matrix.c: by Z3), against matrix.txt.  REFCL_UPDATE=1 rewrites that file, by search.  With TEST_SHARE above 1,
 * Z3 decides one row in four.
 *
 * A test with a line "Variants" states its whole row: the letters of a verdict and the settings that have it,
 * separated by commas; under all others it is that of Expect and Race.  Its row begins with "stated", other
 * rows with "search": those are decided by search, and slow_plain.c judges the ones that it can. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/models/settings.h"
#include "tests/models/verdicts.h"

static const struct setting vulkan[] = {{"default", true},
                                        {"chains=on", false},
                                        {"host_atomics=off", false},
                                        {"tessellation=on", false},
                                        {NULL, false}};
static const struct {
    const char *model, *folders[9];
    const struct setting *settings;
} parts[] = {{"opencl.cat", MATRIX_FOLDERS, opencl_settings},
             {"vulkan.cat", {"tests/models/vulkan"}, vulkan}};

enum { MAX_COLUMNS = 32 };
static unsigned misstated; /* verdicts */

static uint32_t load_models(size_t part, struct mm_cat_model **models)
{
    uint32_t n = 0;

    for (const struct setting *s = parts[part].settings; s->text; s++) {
        const char *switches[] = {n ? s->text : NULL, NULL};
        struct mm_error err = {0};
        char path[256];

        snprintf(path, sizeof path, "memmodel/models/%s", parts[part].model);
        if (mm_cat_load(path, switches, &models[n++], &err) != MM_OK)
            fail_msg("%s: %s", s->text, err.message);
    }
    return n;
}

/* Each switch must change the verdicts of at least two tests; otherwise it is untested. */
static void check_flips(size_t part, const unsigned *flips)
{
    for (uint32_t c = 1; parts[part].settings[c].text; c++) {
        if (parts[part].settings[c].same ? flips[c] != 0 : flips[c] < 2)
            fail_msg("%s %s changes %u verdicts", parts[part].model, parts[part].settings[c].text, flips[c]);
    }
}

static void check_stated(const struct suite_test *t, const char *setting, const char *cell)
{
    char want[3];

    if (!lt_test_property(t->test, "Variants"))
        return;
    suite_stated(t, setting, want);
    if (strcmp(want, cell) != 0) {
        fprintf(stderr, "%s: %s under %s, stated: %s\n", t->path, cell, setting, want);
        misstated++;
    }
}

/* Rows that are left out of a sample are decided by search: check_flips() needs all of them. */
static engine *engine_of_row(engine *decide, size_t row)
{
    const char *share = getenv("TEST_SHARE");
    return share && atoi(share) > 1 && row % 4 != 0 ? ck_search : decide;
}

static void write_part(engine *decide, size_t part, FILE *out)
{
    struct mm_cat_model *models[MAX_COLUMNS];
    uint32_t columns = load_models(part, models);
    unsigned flips[MAX_COLUMNS] = {0};
    struct suite suite = {0};

    for (int f = 0; parts[part].folders[f]; f++)
        suite_walk(&suite, parts[part].folders[f]);
    fprintf(out, "%s\n", parts[part].model);
    for (uint32_t c = 0; c < columns; c++)
        fprintf(out, "  %2u %s\n", c, parts[part].settings[c].text);
    fprintf(out, "%-35s", "");
    for (uint32_t c = 0; c < columns; c++)
        fprintf(out, " %2u", c);
    fputc('\n', out);
    for (size_t i = 0; i < suite.count; i++) {
        char first[3], cell[3];

        fprintf(out, "%s %-28s", lt_test_property(suite.tests[i].test, "Variants") ? "stated" : "search",
                suite.tests[i].name);
        for (uint32_t c = 0; c < columns; c++) {
            suite_decide(engine_of_row(decide, i), &suite.tests[i], models[c], c ? cell : first);
            fprintf(out, " %s", c ? cell : first);
            check_stated(&suite.tests[i], parts[part].settings[c].text, c ? cell : first);
            flips[c] += c && strcmp(cell, first) != 0;
        }
        fputc('\n', out);
    }
    for (uint32_t c = 0; c < columns; c++)
        mm_cat_destroy(models[c]);
    suite_clear(&suite);
    check_flips(part, flips);
}

static void write_matrix(engine *decide, FILE *out)
{
    fputs("# Condition: h holds, f fails, u unknown.  Races and illegal uses: r found, - none, u unknown.\n"
          "# stated: the test states its row, derived by hand.  search: what search decided.\n",
          out);
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
        write_part(decide, part, out);
}

static void compare_with_golden(engine *decide)
{
    char *text = NULL, golden[256], ours[256];
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size), *file, *made;
    unsigned line = 0;

    assert_non_null(memory);
    write_matrix(decide, memory);
    fclose(memory);
    made = fmemopen(text, size, "r");
    file = fopen(GOLDEN, "r");
    if (!file || !made)
        fail_msg("%s is not there", GOLDEN);
    while (fgets(golden, sizeof golden, file)) {
        line++;
        if (!fgets(ours, sizeof ours, made) || strcmp(golden, ours) != 0)
            fail_msg("%s:%u: %s  is now %s", GOLDEN, line, golden, ours);
    }
    if (fgets(ours, sizeof ours, made))
        fail_msg("%s lacks %s", GOLDEN, ours);
    if (misstated)
        fail_msg("%u verdicts are not as stated", misstated);
    fclose(file);
    fclose(made);
    free(text);
}

#ifdef MATRIX_BY_Z3
static void by_z3(void **state)
{
    (void)state;
    compare_with_golden(ck_z3);
}
#else
static void by_search(void **state)
{
    (void)state;
    if (getenv("REFCL_UPDATE")) {
        FILE *out = fopen(GOLDEN, "w");

        assert_non_null(out);
        write_matrix(ck_search, out);
        fclose(out);
    }
    compare_with_golden(ck_search);
}

#endif

int main(void)
{
#ifdef MATRIX_BY_Z3
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_z3)};
#else
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_search)};
#endif

    return cmocka_run_group_tests_name("model variants", tests, NULL, NULL);
}
