/* The relation algebra against its definitions, pair by pair, at sizes around the word boundaries. */
#include "memmodel/cat/relation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { LARGEST = 130, WORDS = LARGEST * 3 };

static uint64_t seed = 1;
static uint32_t n;

static uint32_t random_below(uint32_t bound)
{
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(seed >> 33) % bound;
}

static void random_rel(uint64_t *r, uint32_t one_in)
{
    memset(r, 0, WORDS * sizeof *r);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            if (random_below(one_in) == 0)
                mm_rel_add(n, r, i, j);
        }
    }
}

static void random_set(uint64_t *s)
{
    memset(s, 0, WORDS * sizeof *s);
    for (uint32_t i = 0; i < n; i++) {
        if (random_below(2))
            mm_set_add(s, i);
    }
}

/* Reachability by repeated relaxation: independent of Warshall. */
static void naive_plus(const uint64_t *a, bool closure[LARGEST][LARGEST])
{
    bool changed = true;

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++)
            closure[i][j] = mm_rel_has(n, a, i, j);
    }
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t k = 0; k < n; k++) {
                for (uint32_t j = 0; closure[i][k] && j < n; j++) {
                    if (mm_rel_has(n, a, k, j) && !closure[i][j])
                        closure[i][j] = changed = true;
                }
            }
        }
    }
}

static void check_closures(const uint64_t *a)
{
    static bool closure[LARGEST][LARGEST];
    static uint64_t plus[WORDS], star[WORDS], optional[WORDS], scratch[WORDS];
    uint32_t path[LARGEST + 1];
    bool cyclic = false;

    naive_plus(a, closure);
    mm_rel_plus(n, plus, a);
    mm_rel_star(n, star, a);
    mm_rel_optional(n, optional, a);
    for (uint32_t i = 0; i < n; i++) {
        cyclic = cyclic || closure[i][i];
        for (uint32_t j = 0; j < n; j++) {
            assert_int_equal(mm_rel_has(n, plus, i, j), closure[i][j]);
            assert_int_equal(mm_rel_has(n, star, i, j), closure[i][j] || i == j);
            assert_int_equal(mm_rel_has(n, optional, i, j), mm_rel_has(n, a, i, j) || i == j);
        }
    }
    assert_int_equal(mm_rel_acyclic(n, a, scratch), !cyclic);
    assert_int_equal(mm_rel_irreflexive(n, plus), !cyclic);
    if (cyclic) {
        uint32_t length = mm_rel_cycle(n, a, path);

        assert_true(length > 0 && length <= n);
        assert_int_equal(path[0], path[length]);
        for (uint32_t i = 0; i < length; i++)
            assert_true(mm_rel_has(n, a, path[i], path[i + 1]));
    } else {
        assert_int_equal(mm_rel_cycle(n, a, path), 0);
    }
}

static void check_products(const uint64_t *a, const uint64_t *b)
{
    static uint64_t seq[WORDS], inverse[WORDS], complement[WORDS], dom[WORDS], ran[WORDS];

    mm_rel_seq(n, seq, a, b);
    mm_rel_inverse(n, inverse, a);
    mm_rel_complement(n, complement, a);
    mm_rel_domain(n, dom, a);
    mm_rel_range(n, ran, a);
    for (uint32_t i = 0; i < n; i++) {
        bool in_domain = false, in_range = false;

        for (uint32_t j = 0; j < n; j++) {
            bool through = false;

            for (uint32_t k = 0; k < n; k++)
                through = through || (mm_rel_has(n, a, i, k) && mm_rel_has(n, b, k, j));
            assert_int_equal(mm_rel_has(n, seq, i, j), through);
            assert_int_equal(mm_rel_has(n, inverse, i, j), mm_rel_has(n, a, j, i));
            assert_int_equal(mm_rel_has(n, complement, i, j), !mm_rel_has(n, a, i, j));
            in_domain = in_domain || mm_rel_has(n, a, i, j);
            in_range = in_range || mm_rel_has(n, a, j, i);
        }
        assert_int_equal(mm_set_has(dom, i), in_domain);
        assert_int_equal(mm_set_has(ran, i), in_range);
    }
    for (uint32_t i = 0; i < n; i++)
        assert_true(n % 64 == 0 || complement[(size_t)i * mm_rel_words(n) + n / 64] >> (n % 64) == 0);
}

static void check_sets(void)
{
    static uint64_t s[WORDS], t[WORDS], product[WORDS], identity[WORDS], complement[WORDS];

    random_set(s);
    random_set(t);
    mm_rel_product(n, product, s, t);
    mm_rel_identity(n, identity, s);
    mm_set_complement(n, complement, s);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(mm_set_has(complement, i), !mm_set_has(s, i));
        for (uint32_t j = 0; j < n; j++) {
            assert_int_equal(mm_rel_has(n, product, i, j), mm_set_has(s, i) && mm_set_has(t, j));
            assert_int_equal(mm_rel_has(n, identity, i, j), i == j && mm_set_has(s, i));
        }
    }
}

static void algebra(void **state)
{
    static const uint32_t sizes[] = {0, 1, 2, 5, 63, 64, 65, LARGEST};
    static uint64_t a[WORDS], b[WORDS];

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        n = sizes[i];
        for (uint32_t density = 2; density < 4 * (n + 1); density *= 3) {
            random_rel(a, density);
            random_rel(b, density);
            check_closures(a);
            check_products(a, b);
            check_sets();
        }
    }
}

static void word_wise(void **state)
{
    static uint64_t a[WORDS], b[WORDS], both[WORDS], either[WORDS], minus[WORDS];

    (void)state;
    n = 70;
    random_rel(a, 2);
    random_rel(b, 2);
    mm_bits_and(both, a, b, mm_rel_size(n, MM_CAT_REL));
    mm_bits_or(either, a, b, mm_rel_size(n, MM_CAT_REL));
    mm_bits_minus(minus, a, b, mm_rel_size(n, MM_CAT_REL));
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            bool x = mm_rel_has(n, a, i, j), y = mm_rel_has(n, b, i, j);

            assert_int_equal(mm_rel_has(n, both, i, j), x && y);
            assert_int_equal(mm_rel_has(n, either, i, j), x || y);
            assert_int_equal(mm_rel_has(n, minus, i, j), x && !y);
        }
    }
    mm_bits_minus(minus, a, a, mm_rel_size(n, MM_CAT_REL));
    assert_true(mm_bits_empty(minus, mm_rel_size(n, MM_CAT_REL)));
    assert_true(mm_bits_equal(a, a, mm_rel_size(n, MM_CAT_REL)));
}

static void shortest_path(void **state)
{
    static uint64_t r[WORDS];
    uint32_t path[LARGEST + 1];

    (void)state;
    n = 100;
    for (uint32_t i = 0; i + 1 < n; i++)
        mm_rel_add(n, r, i, i + 1);
    assert_int_equal(mm_rel_path(n, r, 3, 90, path), 87);
    mm_rel_add(n, r, 5, 80);
    assert_int_equal(mm_rel_path(n, r, 3, 90, path), 13);
    assert_int_equal(path[3], 80);
    assert_int_equal(mm_rel_path(n, r, 90, 3, path), 0);
    mm_rel_add(n, r, 99, 70);
    assert_int_equal(mm_rel_cycle(n, r, path), 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(algebra), cmocka_unit_test(word_wise),
                                       cmocka_unit_test(shortest_path)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
