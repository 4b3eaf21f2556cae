/* Declarations that clang's own OpenCL headers lack, each part only for programs that mention it: packed dot
 * products [cl_khr_integer_dot_product; CLC 6.15.3 R2, R3], two- and three-dimensional asynchronous copies
 * [cl_khr_extended_async_copies], their fence [cl_khr_async_work_group_copy_fence], uniform work-group
 * arithmetic [cl_khr_work_group_uniform_arithmetic], clocks [cl_khr_kernel_clock], names of image formats
 * [cl_ext_image_unorm_int_2_101010, cl_ext_image_unsigned_10x6_12x4_14x2]. */
#include "ref-runtime/compiler/helper.h"

#include <ctype.h>
#include <string.h>

static const char dot_text[] =
    "#define RT_DOT_(n, r, ta, tb, sa, sb) \\\n"
    "static inline r __attribute__((overloadable, always_inline)) __refcl_dot_##n(uint a, uint b) \\\n"
    "{ sa##4 x = as_##sa##4(a); sb##4 y = as_##sb##4(b); \\\n"
    "  return (r)x.s0 * (r)y.s0 + (r)x.s1 * (r)y.s1 + (r)x.s2 * (r)y.s2 + (r)x.s3 * (r)y.s3; } \\\n"
    "static inline r __attribute__((overloadable, always_inline)) __refcl_dot_sat_##n(uint a, uint b, r c) "
    "\\\n"
    "{ return add_sat(__refcl_dot_##n(a, b), c); }\n"
    "RT_DOT_(uu, uint, uint, uint, uchar, uchar)\n"
    "RT_DOT_(ss, int, int, int, char, char)\n"
    "RT_DOT_(us, int, uint, int, uchar, char)\n"
    "RT_DOT_(su, int, int, uint, char, uchar)\n"
    "#undef RT_DOT_\n"
    "#define dot_4x8packed_uu_uint __refcl_dot_uu\n"
    "#define dot_4x8packed_ss_int __refcl_dot_ss\n"
    "#define dot_4x8packed_us_int __refcl_dot_us\n"
    "#define dot_4x8packed_su_int __refcl_dot_su\n"
    "#define dot_acc_sat_4x8packed_uu_uint __refcl_dot_sat_uu\n"
    "#define dot_acc_sat_4x8packed_ss_int __refcl_dot_sat_ss\n"
    "#define dot_acc_sat_4x8packed_us_int __refcl_dot_sat_us\n"
    "#define dot_acc_sat_4x8packed_su_int __refcl_dot_sat_su\n";

static const char async_text[] =
    "#define RT_COPY_(D, S) \\\n"
    "static inline event_t __attribute__((overloadable)) async_work_group_copy_2D2D(D void *dst, size_t "
    "dst_offset, \\\n"
    "  const S void *src, size_t src_offset, size_t num_bytes_per_element, size_t num_elements_per_line, \\\n"
    "  size_t num_lines, size_t src_total_line_length, size_t dst_total_line_length, event_t event) \\\n"
    "{ D char *d = (D char *)dst + dst_offset * num_bytes_per_element; \\\n"
    "  const S char *s = (const S char *)src + src_offset * num_bytes_per_element; \\\n"
    "  for (size_t i = 0; i < num_lines; i++) \\\n"
    "    event = async_work_group_copy(d + i * dst_total_line_length * num_bytes_per_element, \\\n"
    "      s + i * src_total_line_length * num_bytes_per_element, num_elements_per_line * "
    "num_bytes_per_element, \\\n"
    "      event); \\\n"
    "  return event; } \\\n"
    "static inline event_t __attribute__((overloadable)) async_work_group_copy_3D3D(D void *dst, size_t "
    "dst_offset, \\\n"
    "  const S void *src, size_t src_offset, size_t num_bytes_per_element, size_t num_elements_per_line, \\\n"
    "  size_t num_lines, size_t num_planes, size_t src_total_line_length, size_t src_total_plane_area, \\\n"
    "  size_t dst_total_line_length, size_t dst_total_plane_area, event_t event) \\\n"
    "{ for (size_t p = 0; p < num_planes; p++) \\\n"
    "    event = async_work_group_copy_2D2D(dst, dst_offset + p * dst_total_plane_area, src, \\\n"
    "      src_offset + p * src_total_plane_area, num_bytes_per_element, num_elements_per_line, num_lines, "
    "\\\n"
    "      src_total_line_length, dst_total_line_length, event); \\\n"
    "  return event; }\n"
    "RT_COPY_(__local, __global)\n"
    "RT_COPY_(__global, __local)\n"
    "#undef RT_COPY_\n";

/* SPIR-V has no instruction for it: see in_is_copy_fence(). */
static const char fence_text[] =
    "#define async_work_group_copy_fence(flags) wait_group_events(0x46454e00 | (int)(flags), "
    "(event_t *)0)\n";

/* The translator knows the instructions by these names: scope 2 is the work-group, operations 0, 1 and 2
 * are reduce, inclusive and exclusive scan. */
static const char uniform_text[] =
    "#define RT_UNI_(op, name, t, inst) \\\n"
    "t __attribute__((overloadable, convergent)) inst(uint, uint, t); \\\n"
    "static inline t __attribute__((overloadable, convergent)) work_group_##name##_##op(t x) "
    "{ return inst(2u, RT_UNI_##name, x); }\n"
    "#define RT_UNI_reduce 0u\n"
    "#define RT_UNI_scan_inclusive 1u\n"
    "#define RT_UNI_scan_exclusive 2u\n"
    "#define RT_UNI3_(op, t, inst) RT_UNI_(op, reduce, t, inst) RT_UNI_(op, scan_inclusive, t, inst) "
    "RT_UNI_(op, scan_exclusive, t, inst)\n"
    "#define RT_UNI4_(op, inst) RT_UNI3_(op, int, inst) RT_UNI3_(op, uint, inst) RT_UNI3_(op, long, inst) "
    "RT_UNI3_(op, ulong, inst)\n"
    "RT_UNI4_(mul, __spirv_GroupIMulKHR)\n"
    "RT_UNI4_(and, __spirv_GroupBitwiseAndKHR)\n"
    "RT_UNI4_(or, __spirv_GroupBitwiseOrKHR)\n"
    "RT_UNI4_(xor, __spirv_GroupBitwiseXorKHR)\n"
    "RT_UNI3_(mul, float, __spirv_GroupFMulKHR)\n"
    "#ifdef cl_khr_fp64\n"
    "RT_UNI3_(mul, double, __spirv_GroupFMulKHR)\n"
    "#endif\n"
    "#ifdef cl_khr_fp16\n"
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "RT_UNI3_(mul, half, __spirv_GroupFMulKHR)\n"
    "#pragma OPENCL EXTENSION cl_khr_fp16 : disable\n"
    "#endif\n"
    "#define RT_LOG_(op, name, inst) \\\n"
    "bool __attribute__((overloadable, convergent)) inst(uint, uint, bool); \\\n"
    "static inline int __attribute__((overloadable, convergent)) work_group_##name##_logical_##op(int x) "
    "{ return inst(2u, RT_UNI_##name, (bool)(x != 0)); }\n"
    "#define RT_LOG3_(op, inst) RT_LOG_(op, reduce, inst) RT_LOG_(op, scan_inclusive, inst) "
    "RT_LOG_(op, scan_exclusive, inst)\n"
    "RT_LOG3_(and, __spirv_GroupLogicalAndKHR)\n"
    "RT_LOG3_(or, __spirv_GroupLogicalOrKHR)\n"
    "RT_LOG3_(xor, __spirv_GroupLogicalXorKHR)\n";

/* 5056 is OpReadClockKHR, 2 the scope of the work-group, 3 that of the sub-group. */
static const char clock_text[] =
    "ulong " RT_INSTRUCTION "5056_clock(uint);\n"
    "#define RT_CLOCK_(name, scope) \\\n"
    "static inline ulong clock_read_##name(void) { return " RT_INSTRUCTION "5056_clock(scope); } \\\n"
    "static inline uint2 clock_read_hilo_##name(void) { return as_uint2(clock_read_##name()); }\n"
    "RT_CLOCK_(work_group, 2u)\n"
    "#ifdef __opencl_c_kernel_clock_scope_sub_group\n"
    "RT_CLOCK_(sub_group, 3u)\n"
    "#endif\n"
    "#undef RT_CLOCK_\n";

static const char packed_image_text[] = "#define CLK_UNORM_INT_2_101010_EXT 0x10E5\n";
static const char padded_image_text[] = "#define CLK_UNORM_INT10X6_EXT 0x10E1\n"
                                        "#define CLK_UNSIGNED_INT10X6_EXT 0x10E6\n"
                                        "#define CLK_UNSIGNED_INT12X4_EXT 0x10E7\n"
                                        "#define CLK_UNSIGNED_INT14X2_EXT 0x10E8\n"
                                        "#define CLK_UNORM_INT12X4_EXT 0x10E9\n"
                                        "#define CLK_UNORM_INT14X2_EXT 0x10EA\n";

static const struct part {
    const char *extension; /* the macro that brings it */
    const char *mention;   /* pieces of the names that it declares, separated by | */
    const char *text;
} parts[] = {
    {"__opencl_c_integer_dot_product_input_4x8bit_packed", "4x8packed", dot_text},
    {"cl_khr_extended_async_copies", "async_work_group_copy_", async_text},
    {"__opencl_c_ext_image_unorm_int_2_101010", "_2_101010_EXT", packed_image_text},
    {"__opencl_c_ext_image_unsigned_10x6_12x4_14x2", "X6_EXT|X4_EXT|X2_EXT", padded_image_text},
    {"cl_khr_async_work_group_copy_fence", "work_group_copy_fence", fence_text},
    {"cl_khr_kernel_clock", "clock_read_", clock_text},
    {"cl_khr_work_group_uniform_arithmetic", "work_group_reduce_|work_group_scan_", uniform_text},
};

static bool source_holds(const struct rt_job *job, const void *piece, size_t length)
{
    if (memmem(job->source, job->source_size, piece, length))
        return true;
    for (size_t i = 0; i < job->header_count; i++)
        if (memmem(job->headers[i].text, job->headers[i].size, piece, length))
            return true;
    for (size_t i = 0; i < job->argument_count; i++)
        if (memmem(job->arguments[i], strlen(job->arguments[i]), piece, length))
            return true;
    return false;
}

/* Whether a line of TEXT ends with a letter, digit or underscore and a backslash. */
static bool splices_name(const char *text, size_t size)
{
    for (const char *at = text, *end = text + size; (at = memchr(at, '\\', (size_t)(end - at))); at++)
        if (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_') && at + 1 < end &&
            isspace((unsigned char)at[1]))
            return true;
    return false;
}

/* Whether the preprocessed source may have a name with one of PIECES: it occurs in the source, a header or an
 * option, or names come from elsewhere: other files, token pasting, trigraphs, lines spliced within a
 * name. */
static bool source_mentions(const struct rt_job *job, const char *pieces)
{
    static const char *const sources[] = {"##", "%:", "??", "include", "import"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (source_holds(job, sources[i], strlen(sources[i])))
            return true;
    if (splices_name(job->source, job->source_size))
        return true;
    for (size_t i = 0; i < job->header_count; i++)
        if (splices_name(job->headers[i].text, job->headers[i].size))
            return true;
    for (size_t length; *pieces; pieces += length + (pieces[length] != 0)) {
        length = strcspn(pieces, "|");
        if (source_holds(job, pieces, length))
            return true;
    }
    return false;
}

/* Whether LIST, separated by spaces, has NAME. */
static bool list_has(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* OpenCL C 1.0 and 1.1 have no static functions. */
static const char if_static[] = "#if __OPENCL_C_VERSION__ >= 120 || defined(__OPENCL_CPP_VERSION__)\n";

bool rt_helper_extra_header(const struct rt_job *job, struct rt_text *header)
{
    bool any = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct part *part = &parts[i];
        bool enabled = list_has(job->extensions, part->extension) || list_has(job->features, part->extension);
        if (!enabled || !source_mentions(job, part->mention))
            continue;
        if ((!any && !rt_text_add_string(header, if_static)) || !rt_text_add_string(header, part->text))
            return false;
        any = true;
    }
    return !any || rt_text_add_string(header, "#endif\n");
}
