/* Every file of the fuzzer's corpus, those included that once crashed, loads or is refused, and runs to an
 * end. */
#include "fuzz_module.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void test_corpus(void **state)
{
    static uint8_t data[1 << 20];
    DIR *folder = opendir("tests/fuzz/corpus");
    uint32_t files = 0, loaded = 0;
    (void)state;
    assert_non_null(folder);
    for (const struct dirent *e; (e = readdir(folder)) != NULL;) {
        char path[300];
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "tests/fuzz/corpus/%s", e->d_name);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        size_t size = fread(data, 1, sizeof data, f);
        fclose(f);
        files++;
        loaded += fz_try(data, size);
        for (size_t cut = 4; cut < size; cut = cut * 2 + 4) /* and no longer whole */
            fz_try(data, size - cut);
    }
    closedir(folder);
    print_message("# %u of %u files load\n", loaded, files);
    assert_true(files > 10 && loaded * 2 > files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
