"""Conversions to floating-point types in all rounding modes, of random bits and of numbers near the limits of the types, for
the differential test; see cases.py."""

COUNT = 4096
INTEGERS = {'char': 'i1', 'uchar': 'u1', 'short': 'i2', 'ushort': 'u2', 'int': 'i4', 'uint': 'u4', 'long': 'i8', 'ulong': 'u8'}
FLOATS = {'half': 'u2', 'float': 'u4', 'double': 'u8'}
BITS = {'u2': 'ushort', 'u4': 'uint', 'u8': 'ulong'}
FIELDS = {'float': (23, 127, 0x807fffff), 'double': (52, 1023, 0x800fffffffffffff)}  # width of the fraction, bias, mask without the exponent


def from_bits(type_):
    """Expressions for the number that work-item I converts, and for one whose exponent is among the smallest and largest of
    narrower types."""
    if type_ in INTEGERS:
        return ['b', f'({type_})(b >> (i % {8 * int(INTEGERS[type_][1])}))']
    values = [f'as_{type_}(b)']
    if type_ in FIELDS:
        fraction, bias, mask = FIELDS[type_]
        bits = BITS[FLOATS[type_]]
        values += [f'as_{type_}((b & ({bits}){mask:#x}) | (({bits})({bias} - {below} + i % {below + above}) << {fraction}))'
                   for below, above in ([(30, 20), (155, 131)] if type_ == 'double' else [(30, 20)])]
    return values


CASES = []
for type_, stored in {**INTEGERS, **FLOATS}.items():
    element = type_ if type_ in INTEGERS else BITS[stored]
    values = from_bits(type_)
    for to, kept in FLOATS.items():
        lines = [f'o[i + {k * COUNT}] = as_{BITS[kept]}(convert_{to}{mode}({value}));'
                 for k, (value, mode) in enumerate((v, m) for v in values for m in ('_rte', '_rtz', '_rtp', '_rtn'))]
        modes = ['_rtz', '_rtp', '_rtn']
        first = len(lines) * COUNT // 4
        wide = [f'vstore4(as_{BITS[kept]}4(convert_{to}4{mode}(as_{type_}4(vload4(i, a)))), i + {first + k * COUNT // 4}, o);' for k, mode in enumerate(modes)]
        source = f"""kernel void k(global const {element} *a, global {BITS[kept]} *o)
{{ uint i = get_global_id(0); {element} b = a[i]; {' '.join(lines)} if (i < {COUNT // 4}) {{ {' '.join(wide)} }} }}"""
        CASES.append((f'{type_} to {to}', source, (COUNT,), (64,), [('in', stored, COUNT, None, None), ('out', kept, (len(lines) + len(modes)) * COUNT)]))
