/* printf in kernels: output derived by hand from [CLC 6.15.14]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interp/ext/convert.h"
#include "interp/ext/ext_printf.h"
#include "tests/lib/skip.h"

static const char *read_string(void *context, uint64_t address, size_t *length)
{
    const char *text = (const char *)(uintptr_t)address;
    if (context && address == *(uint64_t *)context)
        return NULL;
    *length = strlen(text);
    return text;
}

/* Only the string that CONTEXT points to can be read. */
static const char *read_one(void *context, uint64_t address, size_t *length)
{
    return address == (uint64_t)(uintptr_t)context ? read_string(NULL, address, length) : NULL;
}

static char text[8192];
static const char *problem;

static const char *format(const char *f, const struct in_printf_value *values, size_t count)
{
    const struct in_printf call = {f, strlen(f), values, count, read_string, NULL};
    size_t need = in_printf_format(&call, NULL, 0, &problem);
    assert_true(need < sizeof text);
    size_t n = in_printf_format(&call, text, sizeof text - 1, &problem);
    assert_int_equal(n, need);
    text[n] = '\0';
    return text;
}

#define VALUE(type, is_float, ...)                                                                           \
    (struct in_printf_value)                                                                                 \
    {                                                                                                        \
        (const type[]){__VA_ARGS__}, sizeof(type), sizeof((const type[]){__VA_ARGS__}) / sizeof(type),       \
            is_float                                                                                         \
    }
#define INTS(type, ...)   VALUE(type, false, __VA_ARGS__)
#define FLOATS(type, ...) VALUE(type, true, __VA_ARGS__)
#define HALVES(...)       VALUE(uint16_t, true, __VA_ARGS__)
#define POINTER(p)        VALUE(uint64_t, false, (uint64_t)(uintptr_t)(p))

#define EXPECT(want, f, ...)                                                                                 \
    do {                                                                                                     \
        const struct in_printf_value v[] = {__VA_ARGS__};                                                    \
        assert_string_equal(format(f, v, sizeof v / sizeof *v), want);                                       \
        assert_null(problem);                                                                                \
    } while (0)
#define PROBLEM(want, f, ...)                                                                                \
    do {                                                                                                     \
        const struct in_printf_value v[] = {__VA_ARGS__};                                                    \
        assert_string_equal(format(f, v, sizeof v / sizeof *v), want);                                       \
        assert_non_null(problem);                                                                            \
    } while (0)

static void test_integers(void **state)
{
    (void)state;
    EXPECT("a-5b", "a%db", INTS(int32_t, -5));
    EXPECT("+5| 5|   5|5   |0005|00005", "%+d|% d|%4d|%-4d|%04d|%.5d", INTS(int32_t, 5), INTS(int32_t, 5),
           INTS(int32_t, 5), INTS(int32_t, 5), INTS(int32_t, 5), INTS(int32_t, 5));
    EXPECT("   00042", "%08.5d", INTS(int32_t, 42));
    EXPECT("", "%.0d", INTS(int32_t, 0));
    EXPECT("4294967295 ffffffff FFFFFFFF 37777777777", "%u %x %X %o", INTS(int32_t, -1), INTS(int32_t, -1),
           INTS(int32_t, -1), INTS(int32_t, -1));
    EXPECT("0xff 0XFF 017 0", "%#x %#X %#o %#x", INTS(int32_t, 255), INTS(int32_t, 255), INTS(int32_t, 15),
           INTS(int32_t, 0));
    EXPECT("-1 255 -1 65535", "%hhd %hhu %hd %hu", INTS(int32_t, 0xff), INTS(int32_t, -1),
           INTS(int32_t, 0xffff), INTS(int32_t, -1));
    EXPECT("-9223372036854775808 18446744073709551615", "%ld %lu", INTS(int64_t, INT64_MIN),
           INTS(int64_t, -1));
    EXPECT("-9223372036854775808 18446744073709551615", "%td %zu", INTS(int64_t, INT64_MIN),
           INTS(int64_t, -1)); /* [CLC 6.15.14.2 R1; CL env 2.11 R1] */
    EXPECT("-3", "%i", INTS(int8_t, -3));
}

static void test_floats(void **state)
{
    (void)state;
    EXPECT("1.500000 1.50 2 2.", "%f %.2f %.0f %#.0f", FLOATS(double, 1.5), FLOATS(double, 1.5),
           FLOATS(double, 2.5), FLOATS(double, 1.5));
    EXPECT("1.500000e+00 1.5E-10 0.0001 1e-05 1.00000", "%e %.1E %g %g %#g", FLOATS(double, 1.5),
           FLOATS(double, 1.5e-10), FLOATS(double, 0.0001), FLOATS(double, 0.00001), FLOATS(double, 1));
    EXPECT("0x1.8p+0 -0X1P-3", "%a %A", FLOATS(double, 1.5), FLOATS(double, -0.125));
    EXPECT("inf -inf nan INF -INF NAN", "%f %e %g %F %E %G", FLOATS(double, INFINITY),
           FLOATS(double, -INFINITY), FLOATS(double, NAN), FLOATS(double, INFINITY),
           FLOATS(double, -INFINITY), FLOATS(double, NAN));
    EXPECT("     inf|  +inf|inf   ", "%08f|%+6f|%-6f", FLOATS(double, INFINITY), FLOATS(double, INFINITY),
           FLOATS(double, INFINITY));
    EXPECT("-0.000000 +001.5", "%f %+06.1f", FLOATS(double, -0.0), FLOATS(double, 1.5));
    EXPECT("0.100000 3.140625", "%f %f", FLOATS(float, 0.1f), HALVES(0x4248));
}

static void test_vectors(void **state)
{
    (void)state;
    EXPECT("1,2,3,4", "%v4hld", INTS(int32_t, 1, 2, 3, 4));
    EXPECT("0xff,0xfe", "%#v2hhx", INTS(uint8_t, 255, 254));
    EXPECT("-1,-2,-3", "%v3hd", INTS(int16_t, -1, -2, -3));
    EXPECT("-1,9223372036854775807", "%v2ld", INTS(int64_t, -1, INT64_MAX));
    EXPECT("1.00,2.50,-3.00,inf", "%.2v4hlf", FLOATS(float, 1, 2.5f, -3, INFINITY));
    EXPECT("  1.0,  2.0", "%5.1v2lf", FLOATS(double, 1, 2));
    EXPECT("1,0.5", "%v2hg", HALVES(0x3c00, 0x3800));
    EXPECT("1 ,2 ", "%-2v2hli", INTS(int32_t, 1, 2));
    EXPECT("0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15", "%v16hhu",
           INTS(uint8_t, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    EXPECT("f,10", "%v2hlx", INTS(uint32_t, 15, 16));
}

static void test_strings(void **state)
{
    (void)state;
    EXPECT("[foo][  foo][foo  ][fo][   f]", "[%s][%5s][%-5s][%.2s][%4.1s]", POINTER("foo"), POINTER("foo"),
           POINTER("foo"), POINTER("foo"), POINTER("foo"));
    EXPECT("[][][  ][  ]", "[%.0s][%.s][%2.0s][%2s]", POINTER("foo"), POINTER("foo"), POINTER("foo"),
           POINTER(""));
    EXPECT("(null)", "%s", POINTER(0));
    EXPECT("A|  B|C  |", "%c|%3c|%-3c|", INTS(int32_t, 'A'), INTS(int32_t, 'B'), INTS(int32_t, 0x100 + 'C'));
    EXPECT("100%", "100%%", POINTER(0));
    EXPECT("0xabc0|0x0   |", "%p|%-6p|", POINTER(0xabc0), POINTER(0));
    EXPECT("%d 7", "%%d %d", INTS(int32_t, 7));
    EXPECT("no arguments", "no arguments", POINTER(0));
    uint64_t bad = 4096;
    struct in_printf_value v = POINTER(4096);
    const struct in_printf unreadable = {"x%sy", 4, &v, 1, read_string, &bad};
    size_t n = in_printf_format(&unreadable, text, sizeof text, &problem);
    assert_int_equal(n, 1);
    assert_non_null(problem);
    n = in_printf_format(&(struct in_printf){"a\0b", 3, NULL, 0, NULL, NULL}, text, sizeof text, &problem);
    assert_int_equal(n, 3);
    assert_memory_equal(text, "a\0b", 3);
}

static void test_problems(void **state)
{
    (void)state;
    PROBLEM("a", "a%*d", INTS(int32_t, 1), INTS(int32_t, 1));
    PROBLEM("1 ", "%d %d", INTS(int32_t, 1));
    PROBLEM("", "%n", POINTER(0));
    PROBLEM("", "%", POINTER(0));
    PROBLEM("x", "x%v", POINTER(0));
    PROBLEM("", "%v5d", INTS(int32_t, 1));
    PROBLEM("", "%lld", INTS(int64_t, 1));
    PROBLEM("", "%Lf", FLOATS(double, 1));
    PROBLEM("", "%hld", INTS(int32_t, 1));
    PROBLEM("", "%d", FLOATS(double, 1));
    PROBLEM("", "%f", INTS(int32_t, 1));
    PROBLEM("", "%v4hld", INTS(int32_t, 1, 2));
    PROBLEM("", "%d", INTS(int32_t, 1, 2));
    PROBLEM("", "%v2hd", INTS(int32_t, 1, 2));
    PROBLEM("", "%s", FLOATS(double, 1));
    PROBLEM("", "%ls", POINTER("x"));
    PROBLEM("", "%s", INTS(int32_t, 5));
    PROBLEM("", "%p", INTS(int32_t, 5));
    PROBLEM("", "%99999999999d", INTS(int32_t, 1));
    PROBLEM("", "%.99999999999d", INTS(int32_t, 1));
}

static void test_sizes(void **state)
{
    (void)state;
    struct in_printf_value v = INTS(int32_t, 12345);
    char small[4] = "zzzz";
    size_t n = in_printf_format(&(struct in_printf){"%d!", 3, &v, 1, NULL, NULL}, small, 3, &problem);
    assert_int_equal(n, 6);
    assert_memory_equal(small, "123z", 4);
    struct in_printf_value f = FLOATS(double, 1e308);
    assert_int_equal(strlen(format("%4095.4095f", &f, 1)), 309 + 1 + 4095);
    struct in_printf_value i = INTS(int64_t, 1);
    assert_int_equal(strlen(format("%+4095.4095ld", &i, 1)), 4096);
}

/* Formats of random pieces, valid and invalid: measuring and writing agree, and nothing is written past the
 * size. */
static void test_random(void **state)
{
    (void)state;
    static const char *const pieces[] = {"%", "d", "f", "v",  "4",    "2", "16", "hh", "h", "hl",  "l",
                                         "s", "c", "x", "p",  "a",    "g", "#",  "0",  "-", "+",   " ",
                                         ".", "9", "*", "%%", "text", "e", "u",  "i",  "n", "\xff"};
    static char string[] = "string";
    const struct in_printf_value values[] = {
        INTS(int32_t, -7), FLOATS(float, 1, 2, 3, 4), INTS(int8_t, 1, 2),        FLOATS(double, 1e300),
        POINTER(string),   HALVES(0x7c00, 0xfe00),    INTS(int64_t, 1, -1, 0, 5)};
    uint64_t seed = 5;
    size_t good = 0;
    for (int i = 0; i < 200000; i++) {
        char f[64] = "";
        int n = 1 + (int)((seed >> 40) % 9);
        for (int k = 0; k < n; k++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
            strcat(f, pieces[k == 0 ? 0 : (seed >> 33) % 32]);
        }
        const struct in_printf_value *from = &values[(seed >> 50) % 7];
        const struct in_printf call = {f, strlen(f), from, (size_t)(values + 7 - from), read_one, string};
        size_t need = in_printf_format(&call, NULL, 0, &problem);
        memset(text, '~', sizeof text);
        size_t room = (seed >> 20) % 40;
        assert_int_equal(in_printf_format(&call, text, room, &problem), need);
        assert_int_equal(text[room], '~');
        good += problem == NULL;
    }
    assert_true(good > 1000);
}

/* Creates a locale with a decimal comma, which few machines have installed, and selects it. */
static bool set_comma(void)
{
    char folder[] = "/tmp/refcl-test.XXXXXX", command[400];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "cd %s && printf 'LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND "
             "LC_NUMERIC\n' >comma; "
             "localedef -c --no-archive -i ./comma ./locale >log 2>&1",
             folder);
    (void)!system(command); /* it warns of the categories without a definition */
    setenv("LOCPATH", folder, 1);
    bool set = setlocale(LC_NUMERIC, "locale") != NULL;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 && set;
}

/* The application's locale is not the kernel's. */
static void test_locale(void **state)
{
    char host[8];
    (void)state;
    if (!set_comma())
        skip_for("no locale with a decimal comma");
    struct in_printf_value f = FLOATS(double, 1.5);
    const char *got = format("%.1f", &f, 1);
    snprintf(host, sizeof host, "%.1f", 1.5);
    setlocale(LC_ALL, "C");
    assert_string_equal(host, "1,5");
    assert_string_equal(got, "1.5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers), cmocka_unit_test(test_floats),   cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_strings),  cmocka_unit_test(test_problems), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_locale),   cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
