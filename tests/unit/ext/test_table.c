/* The table has every instruction of the OpenCL.std grammar, under its name, with functions for each type
 * that the instruction takes; shuffles, select and geometric functions; rounding stores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/ext/convert.h"
#include "interp/ext/ext.h"

static const char grammar[] = "/usr/include/spirv/unified1/extinst.opencl.std.100.grammar.json";

static cJSON *read_grammar(void)
{
    FILE *file = fopen(grammar, "r");
    if (!file)
        return NULL;
    static char text[1 << 17];
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    return cJSON_Parse(text);
}

static int operand_count(const struct in_ext_fn *fn)
{
    int n = fn->pointee != IN_EXT_NONE;
    for (int i = 0; i < 3; i++)
        n += fn->operand[i] != IN_EXT_NONE;
    return n;
}

static void test_grammar(void **state)
{
    (void)state;
    cJSON *json = read_grammar();
    assert_non_null(json);
    int count = 0;
    const cJSON *entry;
    cJSON_ArrayForEach(entry, cJSON_GetObjectItem(json, "instructions"))
    {
        uint32_t opcode = (uint32_t)cJSON_GetObjectItem(entry, "opcode")->valueint;
        const char *name = cJSON_GetObjectItem(entry, "opname")->valuestring;
        const struct in_ext_fn *fn = in_ext_find(opcode);
        assert_non_null(fn);
        assert_string_equal(fn->name, name);
        assert_int_equal(fn->opcode, opcode);
        if (fn->shape == IN_EXT_ELEMENTWISE || fn->shape == IN_EXT_GEOMETRIC)
            assert_int_equal(operand_count(fn), cJSON_GetArraySize(cJSON_GetObjectItem(entry, "operands")));
        count++;
    }
    cJSON_Delete(json);
    assert_int_equal(count, 162);
    int found = 0;
    for (uint32_t i = 0; i < 300; i++)
        found += in_ext_find(i) != NULL;
    assert_int_equal(found, 162);
}

static void test_functions_present(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < IN_EXT_OPCODE_LIMIT; i++) {
        const struct in_ext_fn *fn = in_ext_find(i);
        if (!fn)
            continue;
        assert_int_equal(fn->kernel != NULL, fn->shape == IN_EXT_ELEMENTWISE);
        assert_int_equal(fn->geometric != NULL, fn->shape == IN_EXT_GEOMETRIC);
        if (fn->kernel) {
            bool floats = fn->kernel[IN_EXT_F16] && fn->kernel[IN_EXT_F32] && fn->kernel[IN_EXT_F64];
            assert_true(floats || fn->kernel[IN_EXT_W32]);
        }
    }
}

static void test_select(void **state)
{
    (void)state;
    const struct in_ext_fn *fn = in_ext_find(187);
    uint32_t a = 1, b = 2, c = 1, r;
    fn->kernel[IN_EXT_W32](&r, NULL, &a, &b, &c);
    assert_int_equal(r, 1);
    fn->scalar_kernel[IN_EXT_W32](&r, NULL, &a, &b, &c);
    assert_int_equal(r, 2);
    c = 0x80000000;
    fn->kernel[IN_EXT_F32](&r, NULL, &a, &b, &c);
    assert_int_equal(r, 2);
    uint16_t h = 0x1234, k = 0xffff, m = 0x0ff0, s;
    in_ext_find(186)->kernel[IN_EXT_F16](&s, NULL, &h, &k, &m);
    assert_int_equal(s, 0x1ff4);
}

/* Every integer instruction of GLSL.std.450, of each width: the bits of the operands, of 8 bits or
 * sign-extended. */
static void test_shader_integers(void **state)
{
    (void)state;
    static const struct {
        uint32_t number;
        int a, b, c, result;
    } rows[] = {{5, -7, 0, 0, 7},   {5, 7, 0, 0, 7},     {7, -7, 0, 0, -1},  {7, 0, 0, 0, 0},
                {7, 9, 0, 0, 1},    {38, -1, 3, 0, 3},   {39, -1, 3, 0, -1}, {41, -1, 3, 0, -1},
                {42, -1, 3, 0, 3},  {44, 9, 2, 5, 5},    {44, -1, 2, 5, 5},  {44, 1, 2, 5, 2},
                {45, -1, 2, 5, 2},  {45, 9, -3, -2, -2}, {73, 0, 0, 0, -1},  {73, 1, 0, 0, 0},
                {73, -16, 0, 0, 4}, {73, -128, 0, 0, 7}, {74, 0, 0, 0, -1},  {74, -1, 0, 0, -1},
                {74, -2, 0, 0, 0},  {74, -128, 0, 0, 6}, {74, 127, 0, 0, 6}, {75, 0, 0, 0, -1},
                {75, 1, 0, 0, 0},   {75, 127, 0, 0, 6}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct in_ext_fn *fn = in_ext_find_shader(rows[k].number);
        assert_non_null(fn);
        for (int width = 0; width < 4; width++) {
            /* Little-endian: the first bytes are the value of each narrower type. */
            int64_t a = rows[k].a, b = rows[k].b, c = rows[k].c, r = 0, expected = rows[k].result;
            fn->kernel[IN_EXT_W8 + width](&r, NULL, &a, &b, &c);
            assert_memory_equal(&r, &expected, 1U << width);
        }
    }
    for (int width = 0; width < 4; width++) {
        int64_t a = -1, r = 0;
        in_ext_find_shader(75)->kernel[IN_EXT_W8 + width](&r, NULL, &a, NULL, NULL);
        assert_int_equal(r, (8 << width) - 1);
    }
    assert_null(in_ext_find_shader(0));
    assert_null(in_ext_find_shader(82));
}

static void test_shuffle(void **state)
{
    (void)state;
    const uint16_t x[4] = {10, 11, 12, 13}, y[4] = {20, 21, 22, 23};
    const uint16_t mask[8] = {3, 0, 7, 4, 8 + 1, 0xfff2, 5, 6};
    uint16_t r[8];
    in_ext_shuffle(r, x, y, 4, 2, &(struct in_ext_mask){mask, 8, 2});
    const uint16_t both[8] = {13, 10, 23, 20, 11, 12, 21, 22};
    assert_memory_equal(r, both, sizeof r);
    in_ext_shuffle(r, x, NULL, 4, 2, &(struct in_ext_mask){mask, 8, 2});
    const uint16_t one[8] = {13, 10, 13, 10, 11, 12, 11, 12};
    assert_memory_equal(r, one, sizeof r);
    assert_int_equal(in_ext_vector_stride(in_ext_find(174), 3), 3);
    assert_int_equal(in_ext_vector_stride(in_ext_find(179), 3), 4);
    assert_int_equal(in_ext_vector_stride(in_ext_find(181), 8), 8);
}

/* ---- geometric, with vectors whose lengths are whole numbers ------------------------------------- */

static double length_of(uint32_t opcode, int type, const double *v, uint32_t n, double scale)
{
    unsigned char x[32], r[8];
    uint32_t size = in_type_size((enum in_type)(IN_F16 + type));
    for (uint32_t i = 0; i < n; i++) {
        double value = v[i] * scale;
        in_convert_find(IN_F64, (enum in_type)(IN_F16 + type), IN_RTE, false)(&value, x + i * size);
    }
    double result;
    in_ext_find(opcode)->geometric[type](r, x, NULL, n);
    in_convert_find((enum in_type)(IN_F16 + type), IN_F64, IN_RTE, false)(r, &result);
    return result;
}

static void test_length(void **state)
{
    (void)state;
    const double four[4] = {1, 1, 3, 5}, three[3] = {2, 3, -6};
    const double large[3] = {0x1p12, 0x1p124, 0x1p1020}, small[3] = {0x1p-24, 0x1p-149, 0x1p-1074};
    for (int type = 0; type < 3; type++)
        for (uint32_t opcode = 106; opcode <= 109; opcode += 3) {
            assert_true(length_of(opcode, type, four, 4, 1) == 6);
            assert_true(length_of(opcode, type, three, 3, large[type]) == 7 * large[type]);
            assert_true(length_of(opcode, type, three, 3, small[type]) == 7 * small[type]);
            assert_true(length_of(opcode, type, three, 1, 1) == 2);
            assert_true(length_of(opcode, type, (double[2]){-INFINITY, 1}, 2, 1) == INFINITY);
            assert_true(isnan(length_of(opcode, type, (double[2]){NAN, 1}, 2, 1)));
        }
}

static void test_distance_cross(void **state)
{
    (void)state;
    double a[4] = {0x1.8p1023, 0, 0, 0}, b[4] = {0x1.4p1023, 0, 0, 0}, r[4];
    in_ext_find(105)->geometric[IN_EXT_F64](r, a, b, 3);
    assert_true(r[0] == 0x1p1021);
    b[0] = -0x1p1022;
    a[0] = 0x1p1022;
    in_ext_find(108)->geometric[IN_EXT_F64](r, a, b, 3);
    assert_true(r[0] == 0x1p1023);
    float x[4] = {1, 2, 3, 9}, y[4] = {-4, 5, 6, 9}, z[4];
    in_ext_find(104)->geometric[IN_EXT_F32](z, x, y, 4);
    assert_true(z[0] == -3 && z[1] == -18 && z[2] == 13 && z[3] == 0);
    z[3] = 77;
    in_ext_find(104)->geometric[IN_EXT_F32](z, x, y, 3);
    assert_true(z[0] == -3 && z[3] == 77);
}

static void test_normalize(void **state)
{
    (void)state;
    float v[4] = {0x1.8p127f, -0x1p127f, 0, INFINITY}, r[4];
    in_ext_find(107)->geometric[IN_EXT_F32](r, v, NULL, 3);
    assert_true(fabsf(r[0] - 0.83205029f) < 1e-7f && fabsf(r[1] + 0.55470020f) < 1e-7f && r[2] == 0);
    in_ext_find(107)->geometric[IN_EXT_F32](r, v, NULL, 4);
    assert_true(r[0] == 0 && r[1] == 0 && signbit(r[1]) && r[2] == 0 && r[3] == 1);
    float w[2] = {-0.0f, 0};
    in_ext_find(110)->geometric[IN_EXT_F32](r, w, NULL, 2);
    assert_true(r[0] == 0 && signbit(r[0]) && r[1] == 0);
    w[1] = NAN;
    in_ext_find(107)->geometric[IN_EXT_F32](r, w, NULL, 2);
    assert_true(isnan(r[0]) && isnan(r[1]));
    float tiny[2] = {3 * 0x1p-149f, 4 * 0x1p-149f};
    in_ext_find(107)->geometric[IN_EXT_F32](r, tiny, NULL, 2);
    assert_true(r[0] == 0.6f && r[1] == 0.8f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grammar),   cmocka_unit_test(test_functions_present),
        cmocka_unit_test(test_select),    cmocka_unit_test(test_shuffle),
        cmocka_unit_test(test_length),    cmocka_unit_test(test_distance_cross),
        cmocka_unit_test(test_normalize), cmocka_unit_test(test_shader_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
