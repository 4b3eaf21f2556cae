"""Kernels whose indices are clamped to rows of a picture, for the differential test: most work-items execute a
version without the clamps.  Widths that are multiples of vectors and others, bounds that are arguments, offsets,
all ways to write a clamp, numbers that wrap around.  Branches for the border of a picture of bytes or shorts."""

CASES = []
EXPRESSIONS = {
    'ternary': 'in[row + (x > 0 ? x - 1 : 0)] + in[row + (x < w - 1 ? x + 1 : x)]',
    'max min': 'in[row + max(x - 1, 0)] + in[row + min(x + 1, w - 1)]',
    'clamp': 'in[row + clamp(x - 3, 0, w - 1)] + in[row + clamp(x + 40, 0, w - 1)]',
    'equal': 'in[row + (x == 0 ? w - 1 : x - 1)] + in[row + (x == w - 1 ? 0 : x + 1)]',
    'equal in the middle': 'in[row + (x == 517 ? 3 : x)] + in[row + (x == 130 ? 0 : x)]',
    'select': 'in[row + select(x - 1, 0, x == 0)] + in[row + select(x + 1, w - 1, x >= w - 1)]',
    'abs': 'in[row + min(abs(x - 2), (uint)w - 1)]',
    'mirror': 'in[row + (x + 2 >= w ? max(2 * w - 4 - x, 0) : x + 2)]',
    'flip': 'in[row + max(w - 1 - x - 2, 0)] + in[row + min(w - 1 - x + 2, w - 1)]',
    'step': 'in[(2 * x + 1 < w ? 2 * x + 1 : w - 1)] + in[max(3 * x - 5, 0) % w]',
    'late': 'in[row + (x < 700 ? 0 : x)] + in[row + (x > 300 ? x : 300 % w)]',
    'and': 'in[row + (x > 1 && x + 1 < w && y >= 0 ? x + 1 : 0)] + in[row + (x < 2 || x > w - 3 ? 0 : x - 2)]',
    'unsigned': 'in[row + min((uint)x - 1, (uint)w - 1)] + in[row + ((uint)(x - 1) < (uint)w ? x - 1 : 0)]',
    'sub_sat': 'in[row + sub_sat((uint)x, 5u)] + in[row + sub_sat((uint)x, (uint)w / 2)]',
    'long': 'in[row + min((ulong)x - 1, (ulong)w - 1)] + in[row + max((long)x - 1, 0L)]',
    'short': 'in[row + max((short)((short)x - 1), (short)0)] + in[row + min((uchar)(x + 1), (uchar)200) % w]',
    'wraps': 'in[row + min((uint)x + 4294967000u, (uint)w - 1)] + in[row + ((int)((uint)x + 2147483000u) > 2147483640 ? 1 : 0)]',
    'differs': 'in[row + (in[x] > 0 ? max(x - 1, 0) : min(x + 1, w - 1))]',
    'loop': '0; for (int d = -m % 3; d <= 2; d++) s += in[row + clamp(x + d, 0, w - 1)] * d; s += 0',
    'unrolled': '0; for (int d = -2; d <= 2; d++) s += in[row + min(max(x + d, 0), w - 1)] * d; s += 0',
    'masked': 'x > 1 && x < w - 1 ? in[row + max(x - 2, 0)] : in[row + min(x + 2, w - 1)]',
}
SHAPES = [((1024, 3), (64, 1)), ((1000, 2), (8, 2)), ((262, 2), None), ((17, 5), (17, 5))]
for name, expression in EXPRESSIONS.items():
    for shape, local in SHAPES:
        n = shape[0] * shape[1]
        CASES.append((f'clamps: {name}, {shape[0]} in groups of {local}', f"""
kernel void k(global const int *in, global int *o, int m) {{
  int w = get_global_size(0), x = get_global_id(0), y = get_global_id(1), row = y * w;
  int s = {expression};
  o[row + x] = s + y; }}""", shape, local, [('in', 'i4', 4 * n, -1000, 1000), ('out', 'i4', n), ('value', 'i4', 7)]))
    CASES.append((f'clamps: {name}, width from the host', f"""
kernel void k(global const int *in, global int *o, int w, int m) {{
  int x = get_global_id(0), y = get_global_id(1), row = y * w;
  if (x >= w) return;
  int s = {expression};
  o[row + x] = s - y; }}""", (512, 3), (32, 1),
                  [('in', 'i4', 2048, -1000, 1000), ('out', 'i4', 1536), ('each', 'i4', [1, 2, 15, 16, 17, 31, 250, 499, 512]),
                   ('value', 'i4', 7)]))

for type_, dtype in [('uchar', 'u1'), ('short', 'i2'), ('float', 'f4'), ('double', 'f8'), ('ulong', 'u8')]:
    CASES.append((f'clamps: box of {type_}', f"""
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void k(global const {type_} *in, global {type_} *o) {{
  int w = get_global_size(0), h = get_global_size(1), x = get_global_id(0), y = get_global_id(1);
  {type_} s = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      s += in[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)] * ({type_})(dx + 2 * dy + 4);
  o[y * w + x] = s; }}""", (1000, 7), None, [('in', dtype, 7000, 0, 100), ('out', dtype, 7000)]))
    CASES.append((f'clamps: {type_}4', f"""
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void k(global const {type_}4 *in, global {type_}4 *o) {{
  int w = get_global_size(0), x = get_global_id(0), y = get_global_id(1);
  o[y * w + x] = in[y * w + max(x - 1, 0)] + in[y * w + min(x + 2, w - 1)]; }}""", (512, 3), (16, 1),
                  [('in', dtype, 6144, 0, 100), ('out', dtype, 6144)]))

CASES += [
    ('clamps: offset', """kernel void k(global const float *in, global float *o) {
  int x = get_global_id(0), w = get_global_size(0) + 40;
  o[x] = in[max(x - 60, 0)] + in[min(x + 60, w - 1)]; }""", (2048,), (64,), [('in', 'f4', 2200, -9, 9), ('out', 'f4', 2088)], (40,)),
    ('clamps: barrier', """kernel void k(global const int *in, global int *o, local int *t) {
  int l = get_local_id(0), n = get_local_size(0), x = get_global_id(0), w = get_global_size(0);
  t[l] = in[max(x - 1, 0)] + in[min(x + 1, w - 1)];
  barrier(CLK_LOCAL_MEM_FENCE);
  o[x] = t[max(l - 1, 0)] + 3 * t[min(l + 1, n - 1)] + t[l == 0 ? n - 1 : l - 1]; }""",
     (2048,), (256,), [('in', 'i4', 2048, -1000, 1000), ('out', 'i4', 2048), ('local', 1024)]),
    ('clamps: two outputs and atomics', """kernel void k(global const int *in, global int *o, global int *count) {
  int x = get_global_id(0), w = get_global_size(0), left = max(x - 1, 0), right = min(x + 1, w - 1);
  if (in[left] > in[right]) atomic_add(&count[x & 7], left);
  o[x] = in[left] - in[right]; }""", (1024,), (32,), [('in', 'i4', 1024, -1000, 1000), ('out', 'i4', 1024), ('out', 'i4', 8)]),
]

BORDERS = {
    'one condition': 'if (x == 0 || y == 0 || x == w - 1 || y == h - 1) o[p] = 7; else o[p] = in[p - 1] + 2 * in[p] - in[p + 1] + in[p + w] - in[p - w];',
    'copies': 'if (x > 1 && x < w - 2) o[p] = in[p - 2] ^ in[p + 2]; else o[p] = in[p];',
    'unsigned': 'if ((uint)(x - 1) < (uint)(w - 2)) o[p] = in[p - 1] + in[p + 1]; else o[p] = in[p] + 1;',
    'halves': 'if (x < w / 2) o[p] = in[p] * 3; else o[p] = in[p] - in[p - 5];',
    'in the middle': 'if (x == 517) o[p] = 9; else o[p] = in[p] + m;',
    'two branches': 'o[p] = in[p]; if (x > 0) o[p] += in[p - 1]; if (x < w - 1) o[p] += in[p + 1] * 3;',
    'nested': 'if (x >= m) { if (x + m < w) o[p] = in[p - m] - in[p + m]; else o[p] = in[p - m]; } else o[p] = in[p + m];',
    'clamps too': 'if (x < 3 && y < h) o[p] = 1; else o[p] = in[row + min(x + 4, w - 1)] + in[row + max(x - 2, 0)];',
    'by value': 'if (in[p] > 3 && x > 0) o[p] = in[p - 1]; else if (x != w - 1) o[p] = in[p + 1]; else o[p] = x;',
    'wraps around': 'if ((uint)x + 4294967295u < (uint)w - 1) o[p] = in[p - 1]; else o[p] = in[p] + 2;',
    'second outcome': 'if (x > w - 9) o[p] = in[p] + 5; else if (x < 70) o[p] = in[p + 1]; else o[p] = in[p + 8];',
}
for type_, dtype in [('uchar', 'u1'), ('short', 'i2'), ('float', 'f4')]:
    for name, body in BORDERS.items():
        body = body.replace('^', '-') if type_ == 'float' else body
        for shape, local in [((1024, 3), (64, 1)), ((1000, 4), (8, 2)), ((131, 3), None)]:
            CASES.append((f'border of {type_}: {name}, {shape[0]} in groups of {local}', f"""
kernel void k(global const {type_} *in, global {type_} *o, int m) {{
  int w = get_global_size(0), h = get_global_size(1), x = get_global_id(0), y = get_global_id(1), row = y * w, p = row + x;
  in += w; {body} }}""", shape, local, [('in', dtype, shape[0] * (shape[1] + 2), 0, 100), ('out', dtype, shape[0] * shape[1]), ('value', 'i4', 7)]))
        CASES.append((f'border of {type_}: {name}, width from the host', f"""
kernel void k(global const {type_} *in, global {type_} *o, int w, int m) {{
  int h = get_global_size(1), x = get_global_id(0), y = get_global_id(1), row = y * w, p = row + x;
  if (x >= w) return;
  in += 600; {body} }}""", (512, 3), (32, 1), [('in', dtype, 3000, 0, 100), ('out', dtype, 1536), ('each', 'i4', [1, 2, 3, 64, 65, 300, 512]),
                                               ('value', 'i4', 5)]))
