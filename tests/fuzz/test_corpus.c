/* Every input of the fuzzers' corpora, including those that once crashed or hung, is accepted or refused,
 * whole and truncated. */
#include "tests/fuzz/reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void check(const struct fuzz_reader *reader)
{
    static uint8_t data[1 << 20];
    char folder[100], path[400];
    unsigned files = 0, accepted = 0;
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", reader->name);
    DIR *all = opendir(folder);
    assert_non_null(all);
    for (const struct dirent *e; (e = readdir(all)) != NULL;) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        size_t size = fread(data, 1, sizeof data, f);
        fclose(f);
        files++;
        accepted += reader->read(data, size);
        reader->read(data, size / 2);
        reader->read(data, size - (size > 0));
    }
    closedir(all);
    print_message("# %s: %u of %u inputs are accepted\n", reader->name, accepted, files);
    assert_true(accepted > 0);
}

#define TEST(name)                                                                                           \
    static void test_##name(void **state)                                                                    \
    {                                                                                                        \
        (void)state;                                                                                         \
        check(&fuzz_##name);                                                                                 \
    }
FUZZ_READERS(TEST)

int main(void)
{
#define ENTRY(name) cmocka_unit_test(test_##name),
    const struct CMUnitTest tests[] = {FUZZ_READERS(ENTRY)};
    setenv("REFCL_STEP_LIMIT", "5000", 1);
    int nowhere = open("/dev/null", O_WRONLY); /* complaints are expected */
    if (nowhere < 0 || dup2(nowhere, STDERR_FILENO) < 0)
        return 1;
    close(nowhere);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
