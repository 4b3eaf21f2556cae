"""Work-items' ids in types that do not hold all of them, for the differential test; see cases_guards.py."""
from cases_guards import FIRST, TYPES, bounds, guarded

GUARDS = ['i < n', 'i == n', 'i > n', 'i + n < 200', 'i - n >= 0', '(uint)i > n', '({type})(i + n) > 100', '({type})(i - n) < 9']
CASES = [guarded(f'low bits, {type_}: {guard.format(type=type_)}', FIRST, guard.format(type=type_), type_, kind, dtype, bounds(low, high)[::2], (5120,), (1024,),
                 more='get_local_id(0)')
         for type_, kind, dtype, low, high in TYPES[4:8] for guard in GUARDS]
