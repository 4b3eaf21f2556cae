/* Feature probes, one small program each: every legal one compiles to valid SPIR-V.  The programs are in
 * $REFCL_PROBES or ../shared/probes; without them the test is skipped. */
#include "compiler_test.h"
#include "tests/lib/skip.h"

#include <dirent.h>

/* Not OpenCL C: bit-fields [CLC 6.11 b], pointers to functions [CLC 6.11 a]; and an extension that no
 * device here has. */
static const char *const illegal[] = {"46b_bitfields.cl", "59_kernel_clock.cl", "64_fnptr.cl"};

static bool is_illegal(const char *name)
{
    for (size_t i = 0; i < sizeof illegal / sizeof *illegal; i++)
        if (!strcmp(name, illegal[i]))
            return true;
    return false;
}

static char *read_file(const char *directory, const char *name)
{
    char path[4096], *text = calloc(1, 1 << 20);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "r");
    if (f) {
        size_t n = fread(text, 1, (1 << 20) - 1, f);
        text[n] = 0;
        fclose(f);
    }
    return text;
}

/* The first language version that accepts it; "" if it compiles to an invalid module; NULL if none does. */
static const char *best_version(const char *text, char *message, size_t size)
{
    static const char *const options[] = {"-cl-std=CL3.0", "-cl-std=CL2.0", "-cl-std=CL1.2"};
    for (size_t i = 0; i < 3; i++) {
        struct outcome o = compile_text(text, options[i]);
        if (o.cls == MM_OK) {
            validate(&o.binary, message, size);
            outcome_free(&o);
            return *message ? "" : options[i] + 8;
        }
        snprintf(message, size, "%s", o.log ? o.log : o.err.message);
        outcome_free(&o);
    }
    return NULL;
}

static int select_probe(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 3 && !strcmp(entry->d_name + length - 3, ".cl");
}

static void test_probes(void **state)
{
    (void)state;
    const char *directory = getenv("REFCL_PROBES") ? getenv("REFCL_PROBES") : "../shared/probes";
    struct dirent **entries;
    int count = scandir(directory, &entries, select_probe, alphasort), good = 0, bad = 0;
    if (count <= 0)
        skip_for("no probes");
    for (int i = 0; i < count; i++) {
        char message[2000] = "";
        char *text = read_file(directory, entries[i]->d_name);
        const char *version = best_version(text, message, sizeof message);
        bool works = version && *version;
        good += works;
        if (!works && !is_illegal(entries[i]->d_name)) {
            print_message("# %s: %s\n", entries[i]->d_name, message);
            bad++;
        } else if (works && is_illegal(entries[i]->d_name)) {
            print_message("# %s should not compile\n", entries[i]->d_name);
            bad++;
        }
        free(text);
        free(entries[i]);
    }
    free(entries);
    print_message("# %d of %d probes compile to valid SPIR-V\n", good, count);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_probes)};
    return cmocka_run_group_tests(tests, find_helper, NULL);
}
