"""Ids in types that cannot represent all of them, for the differential test; see cases_guards.py."""
from cases_guards import FIRST, TYPES, bounds, guarded

GUARDS = ['i < n', 'i == n', 'i > n', 'i + n < 200', 'i - n >= 0', '(uint)i > n', '({type})(i + n) > 100', '({type})(i - n) < 9']
CASES = [guarded(f'low bits, {type_}: {guard.format(type=type_)}', FIRST, guard.format(type=type_), type_, kind, dtype, bounds(low, high)[::2], (5120,), (1024,),
                 more='get_local_id(0)')
         for type_, kind, dtype, low, high in TYPES[4:8] for guard in GUARDS]

# Comparisons with two constants, which LLVM merges, and with ranges that wrap around.
RANGES = ['i != 0', 'i > 0 && i < 1023', 'i >= 5 && i <= 900', '!(i == 0 || i >= 1023)', '(uint)(i - 5) < 100', '(uint)(i + 5) > 10', '(uint)(i + 5) >= 10 && i < n',
          '(uint)(i - 3000) > 70', '(ushort)(i - 5) < 100', 'i - 5 != 0']
CASES += [guarded(f'constants, {type_}: {guard}', FIRST, guard, type_, kind, dtype, [900], (5120,), (1024,), offset)
          for type_, kind, dtype in [('int', 'int', 'i4'), ('uint', 'uint', 'u4'), ('long', 'long', 'i8')] for guard in RANGES for offset in [None, (3,)]]

# Code that only computes in bytes and shorts, and branches by them, in vectors of more work-items than words have.
BODIES = ["if (x >= 65 && x <= 90) r = x + 32; else if (x == 32 || x == 45) r = 95;", "switch (x & 7) { case 0: r = y; break; case 3: case 5: r = x ^ y; break; case 6: r = x * 3; }",
          "if (x > y) { r = x - y; if (y & 4) r = r << 1; } else r = y & x;", "if (x & 1) { if (x == 127) r = 1; else r = max(x, y); } r += y;"]
CASES += [(f'branches by {type_}: {body}, {size}', f"""
kernel void k(global const {type_} *a, global const {type_} *b, global {type_} *o) {{
  size_t i = get_global_id(0); {type_} x = a[i], y = b[i], r = x; {body} o[i] = r; }}""", size, local, [('in', dtype, 70000, 0, 127), ('in', dtype, 70000, 0, 127), ('out', dtype, 70000)])
          for type_, dtype in [('char', 'i1'), ('uchar', 'u1'), ('short', 'i2'), ('ushort', 'u2')] for body in BODIES
          for size, local in [((65536,), (64,)), ((1000,), None), ((4096,), (16,)), ((96,), (96,))]]
