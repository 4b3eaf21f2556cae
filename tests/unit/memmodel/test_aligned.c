/* Memory for kernels: aligned, zeroed, with guard pages on request. */
#include "memmodel/memmodel.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const size_t sizes[] = {0, 1, 7, 64, 4095, 4096, 4097, 100000};

static void is_usable(unsigned char *p, size_t size, size_t align)
{
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % align, 0);
    for (size_t k = 0; k < size; k++) {
        assert_int_equal(p[k], 0);
        p[k] = 1;
    }
}

static void aligned(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (size_t align = 8; align <= 4096; align *= 8) {
            unsigned char *p = mm_aligned_alloc(sizes[k], align);
            is_usable(p, sizes[k], align);
            mm_aligned_free(p);
        }
    }
    assert_null(mm_aligned_alloc(SIZE_MAX, 64));
    mm_aligned_free(NULL);
}

/* Whether a write to AT ends a process. */
static bool is_guarded(unsigned char *at)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        *(volatile unsigned char *)at = 1;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

static void guarded(void **state)
{
    const size_t far = (size_t)1 << 29;
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        unsigned char *p = mm_guarded_alloc(sizes[k], 1), *q = mm_guarded_alloc(sizes[k], 128);
        is_usable(p, sizes[k], 1);
        is_usable(q, sizes[k], 128);
        assert_true(is_guarded(p + sizes[k] + (sizes[k] == 0)));
        assert_true(is_guarded(q + (sizes[k] / 128 + 1) * 128));
        assert_true(is_guarded(p + sizes[k] + far));
        assert_true(is_guarded(p - 4096));
        assert_true(is_guarded(p - far));
        mm_guarded_free(p);
        mm_guarded_free(q);
    }
    assert_null(mm_guarded_alloc(SIZE_MAX, 64));
    mm_guarded_free(NULL);
}

static void many(void **state)
{
    unsigned char *p[1000];
    (void)state;
    for (size_t k = 0; k < 1000; k++) {
        p[k] = mm_guarded_alloc(k * 10, 64);
        assert_non_null(p[k]);
        memset(p[k], (int)k, k * 10);
    }
    for (size_t k = 0; k < 1000; k++) {
        for (size_t j = 0; j < k * 10; j += 97)
            assert_int_equal(p[k][j], k & 255);
        mm_guarded_free(p[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(aligned), cmocka_unit_test(guarded),
                                       cmocka_unit_test(many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
