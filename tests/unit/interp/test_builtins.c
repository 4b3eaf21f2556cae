/* Every OpenCL.std instruction, reached from OpenCL C: one value each, computed with the host's functions or
 * by hand.  tests/unit/ext and tests/ulp cover accuracy over whole ranges. */
#include "clrun.h"
#include "interp/ext/ext.h"
#include <math.h>
#include <spirv/unified1/spirv.h>

#define PI 3.14159265358979323846

struct builtin {
    const char *name, *expression; /* name: of the instruction */
    double expected;
};

static const struct builtin *builtins(size_t *count)
{
    static struct builtin list[256];
    const struct builtin rows[] = {
        {"acos", "acos(0.5f)", acos(0.5)},
        {"acosh", "acosh(1.5f)", acosh(1.5)},
        {"acospi", "acospi(0.5f)", acos(0.5) / PI},
        {"asin", "asin(0.5f)", asin(0.5)},
        {"asinh", "asinh(0.5f)", asinh(0.5)},
        {"asinpi", "asinpi(0.5f)", asin(0.5) / PI},
        {"atan", "atan(0.5f)", atan(0.5)},
        {"atan2", "atan2(1.0f, -2.0f)", atan2(1, -2)},
        {"atanh", "atanh(0.5f)", atanh(0.5)},
        {"atanpi", "atanpi(0.5f)", atan(0.5) / PI},
        {"atan2pi", "atan2pi(1.0f, -2.0f)", atan2(1, -2) / PI},
        {"cbrt", "cbrt(0.5f)", cbrt(0.5)},
        {"ceil", "ceil(0.5f)", 1},
        {"copysign", "copysign(3.0f, -1.0f)", -3},
        {"cos", "cos(0.5f)", cos(0.5)},
        {"cosh", "cosh(0.5f)", cosh(0.5)},
        {"cospi", "cospi(0.5f)", 0},
        {"erfc", "erfc(0.5f)", erfc(0.5)},
        {"erf", "erf(0.5f)", erf(0.5)},
        {"exp", "exp(0.5f)", exp(0.5)},
        {"exp2", "exp2(0.5f)", exp2(0.5)},
        {"exp10", "exp10(0.5f)", pow(10, 0.5)},
        {"expm1", "expm1(0.5f)", expm1(0.5)},
        {"fabs", "fabs(0.5f)", 0.5},
        {"fdim", "fdim(5.0f, 3.0f)", 2},
        {"floor", "floor(0.5f)", 0},
        {"fma", "fma(2.0f, 3.0f, 4.0f)", 10},
        {"fmax", "fmax(2.0f, 3.0f)", 3},
        {"fmin", "fmin(2.0f, 3.0f)", 2},
        {"fmod", "fmod(7.5f, 2.0f)", 1.5},
        {"fract", "fract(2.75f, &x) * 10 + x", 9.5},
        {"frexp", "frexp(12.0f, &n) * 10 + n", 11.5},
        {"hypot", "hypot(3.0f, 4.0f)", 5},
        {"ilogb", "ilogb(10.0f)", 3},
        {"ldexp", "ldexp(1.5f, 3)", 12},
        {"lgamma", "lgamma(0.5f)", lgamma(0.5)},
        {"lgamma_r", "lgamma_r(-0.5f, &n) * 10 + n", lgamma(-0.5) * 10 - 1},
        {"log", "log(0.5f)", log(0.5)},
        {"log2", "log2(0.5f)", -1},
        {"log10", "log10(0.5f)", log10(0.5)},
        {"log1p", "log1p(0.5f)", log1p(0.5)},
        {"logb", "logb(0.5f)", -1},
        {"mad", "mad(2.0f, 3.0f, 4.0f)", 10},
        {"maxmag", "maxmag(-3.0f, 2.0f)", -3},
        {"minmag", "minmag(-3.0f, 2.0f)", 2},
        {"modf", "modf(-2.75f, &x) * 10 + x", -9.5},
        {"nan", "isnan(nan(5u))", 1},
        {"nextafter", "nextafter(1.0f, 2.0f)", 1.0000001192092896},
        {"pow", "pow(2.0f, 3.0f)", 8},
        {"pown", "pown(2.0f, -1)", 0.5},
        {"powr", "powr(2.0f, 3.0f)", 8},
        {"remainder", "remainder(7.5f, 2.0f)", -0.5},
        {"remquo", "remquo(7.5f, 2.0f, &n) * 10 + (n & 7)", -1},
        {"rint", "rint(0.5f)", 0},
        {"rootn", "rootn(27.0f, 3)", 3},
        {"round", "round(0.5f)", 1},
        {"rsqrt", "rsqrt(0.5f)", 1 / sqrt(0.5)},
        {"sin", "sin(0.5f)", sin(0.5)},
        {"sincos", "sincos(0.5f, &x) * 10 + x", sin(0.5) * 10 + cos(0.5)},
        {"sinh", "sinh(0.5f)", sinh(0.5)},
        {"sinpi", "sinpi(0.5f)", 1},
        {"sqrt", "sqrt(0.5f)", sqrt(0.5)},
        {"tan", "tan(0.5f)", tan(0.5)},
        {"tanh", "tanh(0.5f)", tanh(0.5)},
        {"tanpi", "tanpi(0.45f)", tan(0.45 * PI)},
        {"tgamma", "tgamma(0.5f)", sqrt(PI)},
        {"trunc", "trunc(0.5f)", 0},
        {"half_cos", "half_cos(0.5f)", cos(0.5)},
        {"half_divide", "half_divide(3.0f, 2.0f)", 1.5},
        {"half_exp", "half_exp(0.5f)", exp(0.5)},
        {"half_exp2", "half_exp2(0.5f)", exp2(0.5)},
        {"half_exp10", "half_exp10(0.5f)", pow(10, 0.5)},
        {"half_log", "half_log(0.5f)", log(0.5)},
        {"half_log2", "half_log2(0.5f)", -1},
        {"half_log10", "half_log10(0.5f)", log10(0.5)},
        {"half_powr", "half_powr(2.0f, 0.5f)", sqrt(2)},
        {"half_recip", "half_recip(0.5f)", 2},
        {"half_rsqrt", "half_rsqrt(0.5f)", 1 / sqrt(0.5)},
        {"half_sin", "half_sin(0.5f)", sin(0.5)},
        {"half_sqrt", "half_sqrt(0.5f)", sqrt(0.5)},
        {"half_tan", "half_tan(0.5f)", tan(0.5)},
        {"native_cos", "native_cos(0.5f)", cos(0.5)},
        {"native_divide", "native_divide(3.0f, 2.0f)", 1.5},
        {"native_exp", "native_exp(0.5f)", exp(0.5)},
        {"native_exp2", "native_exp2(0.5f)", exp2(0.5)},
        {"native_exp10", "native_exp10(0.5f)", pow(10, 0.5)},
        {"native_log", "native_log(0.5f)", log(0.5)},
        {"native_log2", "native_log2(0.5f)", -1},
        {"native_log10", "native_log10(0.5f)", log10(0.5)},
        {"native_powr", "native_powr(2.0f, 0.5f)", sqrt(2)},
        {"native_recip", "native_recip(0.5f)", 2},
        {"native_rsqrt", "native_rsqrt(0.5f)", 1 / sqrt(0.5)},
        {"native_sin", "native_sin(0.5f)", sin(0.5)},
        {"native_sqrt", "native_sqrt(0.5f)", sqrt(0.5)},
        {"native_tan", "native_tan(0.5f)", tan(0.5)},
        {"fclamp", "clamp(5.0f, 1.0f, 3.0f)", 3},
        {"degrees", "degrees(1.0f)", 180 / PI},
        {"fmax_common", "max(2.0f, 3.0f)", 3},
        {"fmin_common", "min(2.0f, 3.0f)", 2},
        {"mix", "mix(1.0f, 3.0f, 0.25f)", 1.5},
        {"radians", "radians(180.0f)", PI},
        {"step", "step(1.0f, 0.5f)", 0},
        {"smoothstep", "smoothstep(0.0f, 1.0f, 0.25f)", 0.15625},
        {"sign", "sign(-2.5f)", -1},
        {"cross", "cross((float3)(1, 0, 0), (float3)(0, 1, 0)).z", 1},
        {"distance", "distance((float2)(1, 1), (float2)(4, 5))", 5},
        {"length", "length((float2)(3, 4))", 5},
        {"normalize", "normalize((float2)(3, 4)).y", 0.8},
        {"fast_distance", "fast_distance((float2)(1, 1), (float2)(4, 5))", 5},
        {"fast_length", "fast_length((float2)(3, 4))", 5},
        {"fast_normalize", "fast_normalize((float2)(3, 4)).y", 0.8},
        {"s_abs", "abs(-5)", 5},
        {"s_abs_diff", "abs_diff(-3, 4)", 7},
        {"s_add_sat", "add_sat((char)100, (char)100)", 127},
        {"u_add_sat", "add_sat((uchar)200, (uchar)100)", 255},
        {"s_hadd", "hadd(-3, 2)", -1},
        {"u_hadd", "hadd(3u, 4u)", 3},
        {"s_rhadd", "rhadd(-3, 2)", 0},
        {"u_rhadd", "rhadd(3u, 4u)", 4},
        {"s_clamp", "clamp(-5, -2, 3)", -2},
        {"u_clamp", "clamp(9u, 2u, 3u)", 3},
        {"clz", "clz(16)", 27},
        {"ctz", "ctz(16)", 4},
        {"s_mad_hi", "mad_hi(1 << 30, -8, 5)", 3},
        {"u_mad_sat", "mad_sat((uchar)20, (uchar)20, (uchar)1)", 255},
        {"s_mad_sat", "mad_sat((char)-20, (char)20, (char)1)", -128},
        {"s_max", "max(-2, 1)", 1},
        {"u_max", "max(2u, 0xffffffffu)", 4294967295.0},
        {"s_min", "min(-2, 1)", -2},
        {"u_min", "min(2u, 0xffffffffu)", 2},
        {"s_mul_hi", "mul_hi(1 << 30, -8)", -2},
        {"rotate", "rotate(0x80000001u, 4u)", 24},
        {"s_sub_sat", "sub_sat((char)-100, (char)100)", -128},
        {"u_sub_sat", "sub_sat(3u, 9u)", 0},
        {"u_upsample", "upsample((uchar)2, (uchar)3)", 515},
        {"s_upsample", "upsample((char)-1, (uchar)3)", -253},
        {"popcount", "popcount(0xf0f)", 8},
        {"s_mad24", "mad24(-3, 5, 100)", 85},
        {"u_mad24", "mad24(3u, 5u, 100u)", 115},
        {"s_mul24", "mul24(-3, 5)", -15},
        {"u_mul24", "mul24(3u, 5u)", 15},
        {"vloadn", "vload2(1, t).y", 4},
        {"vstoren", "(vstore2((float2)(8, 9), 1, t), t[3])", 9},
        {"vload_half", "vload_half(1, h)", 2.5},
        {"vload_halfn", "vload_half2(0, h).y", 2.5},
        {"vstore_half", "(vstore_half(0.75f, 2, h), vload_half(2, h))", 0.75},
        {"vstore_half_r", "(vstore_half_rtz(1.0009f, 2, h), vload_half(2, h))", 1},
        {"vstore_halfn", "(vstore_half2((float2)(0.5f, 4), 1, h), vload_half(3, h))", 4},
        {"vstore_halfn_r", "(vstore_half2_rtp((float2)(0.5f, 1.0001f), 1, h), vload_half(3, h))",
         1.0009765625},
        {"vloada_halfn", "vloada_half2(0, h).y", 2.5},
        {"vstorea_halfn", "(vstorea_half2((float2)(0.5f, 8), 1, h), vload_half(3, h))", 8},
        {"vstorea_halfn_r", "(vstorea_half2_rtn((float2)(0.5f, -1.0001f), 1, h), vload_half(3, h))",
         -1.0009765625},
        {"shuffle", "shuffle((int4)(1, 2, 3, 4), (uint2)(3, 0)).x", 4},
        {"shuffle2", "shuffle2((int2)(1, 2), (int2)(3, 4), (uint2)(0, 3)).y", 4},
        {"printf", "printf(\"%d %s|\", 7, \"seven\")", 0},
        {"prefetch", "(prefetch(g, 2), 3)", 3},
        {"bitselect", "bitselect(0xf0, 0x3c, 0x0f)", 252},
        {"select", "select(3, 4, -1)", 4},
        {"u_abs", "abs(5u)", 5},
        {"u_abs_diff", "abs_diff(3u, 9u)", 6},
        {"u_mul_hi", "mul_hi(1u << 31, 6u)", 3},
        {"u_mad_hi", "mad_hi(1u << 31, 8u, 5u)", 9},
    };
    *count = sizeof rows / sizeof *rows;
    memcpy(list, rows, sizeof rows);
    return list;
}

/* The numbers of the OpenCL.std instructions in a module. */
static void note_instructions(const uint32_t *words, size_t count, bool *seen)
{
    uint32_t set = 0;
    for (size_t at = 5; at < count && words[at] >> 16 != 0; at += words[at] >> 16) {
        if ((words[at] & 0xffff) == SpvOpExtInstImport &&
            strncmp((const char *)&words[at + 2], "OpenCL.std", 10) == 0)
            set = words[at + 1];
        if ((words[at] & 0xffff) == SpvOpExtInst && words[at + 3] == set &&
            words[at + 4] < IN_EXT_OPCODE_LIMIT)
            seen[words[at + 4]] = true;
    }
}

static struct in_module *compile(const char *source, bool *seen)
{
    struct rt_binary binary = clr_compile(source, "-cl-std=CL3.0");
    struct mm_error err = {.message = ""};
    struct in_module *module = NULL;
    note_instructions(binary.data, binary.size / 4, seen);
    if (in_module_create(binary.data, binary.size, NULL, &module, NULL, &err) != MM_OK)
        fail_msg("%s", err.message);
    mm_free(binary.data);
    return module;
}

static void test_builtins(void **state)
{
    static char source[65536];
    static double values[256];
    static bool seen[IN_EXT_OPCODE_LIMIT];
    size_t count;
    const struct builtin *list = builtins(&count);
    (void)state;
    strcat(source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                   "kernel void k(global double *o, global int *g) {\n"
                   "  float x, t[4] = {1, 2, 3, 4}; int n; half h[4] __attribute__((aligned(8)));\n"
                   "  h[0] = 1; h[1] = 2.5h; h[2] = h[3] = 0;\n");
    for (size_t k = 0; k < count; k++)
        snprintf(source + strlen(source), 400, "  o[%zu] = %s;\n", k, list[k].expression);
    strcat(source, "}\n");
    struct in_module *module = compile(source, seen);
    struct spv_run out = {.findings = 0};
    struct in_environment environment = {.context = &out, .print = spv_on_print, .finding = spv_on_finding};
    struct in_instance *instance = NULL;
    int32_t ints[16] = {0};
    struct in_object o = spv_buffer(values, sizeof values, 1), g = spv_buffer(ints, sizeof ints, 2);
    struct clr_launch l = {.kernel = "k", .args = {clr_buffer(&o), clr_buffer(&g)}, .global = {1}};
    assert_int_equal(in_instance_create(module, &environment, NULL, &instance, &out.err), MM_OK);
    if (clr_run(instance, module, &l, &out) != MM_OK)
        fail_msg("%s: %s", out.kind, out.message);
    for (size_t k = 0; k < count; k++) {
        bool rough = strncmp(list[k].name, "half_", 5) == 0 || strncmp(list[k].name, "native_", 7) == 0;
        double bound = (rough ? 1e-2 : 1e-6) * (1 + fabs(list[k].expected));
        if (!(fabs(values[k] - list[k].expected) <= bound))
            fail_msg("%s: %.9g, not %.9g", list[k].expression, values[k], list[k].expected);
    }
    assert_string_equal(out.output, "7 seven|");
    for (uint32_t k = 0; k < IN_EXT_OPCODE_LIMIT; k++) {
        const struct in_ext_fn *fn = in_ext_find(k);
        bool listed = false;
        for (size_t r = 0; fn != NULL && r < count; r++)
            listed |= strcmp(list[r].name, fn->name) == 0;
        /* The compiler has no spelling for four of them: test_opcodes.c. */
        bool other = fn != NULL && (strstr(fn->name, "_common") != NULL ||
                                    strcmp(fn->name, "s_upsample") == 0 || strcmp(fn->name, "popcount") == 0);
        if (fn != NULL && !other && (!listed || !seen[k]))
            fail_msg("OpenCL.std %s is not tested%s", fn->name,
                     listed ? ": the compiler made something else" : "");
    }
    in_instance_destroy(instance);
    in_module_release(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_builtins)};
    return cmocka_run_group_tests(tests, clr_find_helper, NULL);
}
