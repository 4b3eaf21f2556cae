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
