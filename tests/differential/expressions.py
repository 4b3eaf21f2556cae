"""Random OpenCL C expressions whose value the specification fixes: no overflow of signed types, no division by
zero, no index out of bounds, no conversion out of range, and no float result that depends on rounding freedom.

Features that a device may lack (half arithmetic) are used through macros with a second definition; see prelude()."""

INTEGERS = {'char': 8, 'uchar': 8, 'short': 16, 'ushort': 16, 'int': 32, 'uint': 32, 'long': 64, 'ulong': 64}
FLOATS = {'half': 16, 'float': 32, 'double': 64}
BITS = dict(INTEGERS, **FLOATS)
WIDTHS = [1, 2, 3, 4, 8, 16]
MODES = ['', '_rte', '_rtz', '_rtp', '_rtn']
XYZW = 'xyzw'
FLOAT_LITERALS = ['0.0', '1.0', '-1.0', '0.5', '-2.5', '3.0', '0.1', '1e10', '-1e-3', '7.0', '65504.0', '-0.0', '123.456', '1e-40']
HALF_LITERALS = ['0.0', '1.0', '-1.0', '0.5', '-2.5', '3.0', '0.125', '1024.0', '-0.0009765625', '7.0', '65504.0']


class Type:
    def __init__(self, base, n=1):
        self.base, self.n, self.bits = base, n, BITS[base]
        self.is_float = base in FLOATS
        self.is_signed = self.is_float or not base.startswith('u')

    def __str__(self):
        name = 'HALF' if self.base == 'half' else self.base
        return name + (str(self.n) if self.n > 1 else '')

    def __eq__(self, other):
        return self.base == other.base and self.n == other.n

    def __hash__(self):
        return hash((self.base, self.n))

    def scalar(self):
        return Type(self.base)

    def wide(self, n):
        return Type(self.base, n)

    def unsigned(self):
        return Type(self.base if self.base.startswith('u') else 'u' + self.base, self.n)

    def signed(self):
        return Type(self.base.lstrip('u') if self.base.startswith('u') else self.base, self.n)

    def mask(self):
        """Result type of comparisons of this type, for vectors."""
        return Type({8: 'char', 16: 'short', 32: 'int', 64: 'long'}[self.bits], self.n)

    def suffix(self):
        return 'f' if self.base in ('float', 'half') else ''


def prelude():
    """HR rounds to half if half is represented by float; HB returns the bits.  FMOD: of vectors of
    doubles."""
    lines = ['#pragma OPENCL EXTENSION cl_khr_fp64 : enable', '#pragma OPENCL FP_CONTRACT OFF',
             '#define OVER __attribute__((overloadable))', '#ifdef REAL',
             '#pragma OPENCL EXTENSION cl_khr_fp16 : enable',
             '#define SUB_GROUPS(n) __attribute__((intel_reqd_sub_group_size(n)))']
    for n in WIDTHS:
        s = '' if n == 1 else str(n)
        lines += [f'typedef half{s} HALF{s};', f'#define HR{s}(x) (x)', f'#define HB{s}(x) as_ushort{s}(x)',
                  f'#define HF{s}(x) convert_float{s}(x)', f'#define FH{s}(x) convert_half{s}_rte(x)', f'#define HC{s}(x) (x)',
                  f'#define HALFOF{s}(x) as_half{s}(x)', f'#define FMOD{s}(x, y) fmod(x, y)']
    lines += ['#else', '#define SUB_GROUPS(n)']
    for n in WIDTHS:
        s = '' if n == 1 else str(n)
        pointer = '(half *)&b'
        lines += [f'typedef float{s} HALF{s};',
                  f'ushort{s} HB{s}(float{s} x) {{ ushort b[16]; vstore_half{s}_rte(x, 0, (half *)b); '
                  f'return {"b[0]" if n == 1 else f"vload{n}(0, b)"}; }}',
                  f'float{s} HR{s}(float{s} x) {{ ushort b[16]; vstore_half{s}_rte(x, 0, (half *)b); '
                  f'return vload_half{s}(0, (half *)b); }}',
                  f'float{s} HALFOF{s}(ushort{s} x) {{ ushort b[16]; {"b[0] = x" if n == 1 else f"vstore{n}(x, 0, b)"}; '
                  f'return vload_half{s}(0, (half *)b); }}',
                  f'#define HF{s}(x) (x)', f'#define FH{s}(x) HR{s}(x)', f'#define HC{s}(x) convert_short{s}(x)']
        if n > 1: # PoCL's own are wrong
            lines += [f'double{n} FMOD{n}(double{n} x, double{n} y) {{ double a[{n}], b[{n}]; vstore{n}(x, 0, a); vstore{n}(y, 0, b); '
                      f'for (int i = 0; i < {n}; i++) a[i] = fmod(a[i], b[i]); return vload{n}(0, a); }}']
    lines += ['#endif']
    return '\n'.join(lines) + '\n'


class Expressions:
    """Needs self.random, and self.variables(type): names in scope.  Collects helper functions in self.helpers."""

    def __init__(self, random):
        self.random = random
        self.helpers = {}

    def chance(self, p):
        return self.random.random() < p

    def any_type(self, floats=True, wide=True):
        base = self.random.choice(list(BITS if floats else INTEGERS))
        return Type(base, self.random.choice(WIDTHS) if wide and self.chance(0.5) else 1)

    # ---- pieces

    def literal(self, t):
        r = self.random
        if t.is_float:
            one = lambda: r.choice(HALF_LITERALS if t.base == 'half' else FLOAT_LITERALS) + t.suffix()
            if t.base == 'half':
                return f'FH{"" if t.n == 1 else t.n}(({Type("float", t.n)})({", ".join(one() for _ in range(t.n))}))'
        else:
            def one():
                bits = t.bits
                v = r.choice([r.getrandbits(bits), r.getrandbits(bits), r.randrange(16), 1 << r.randrange(bits), (1 << bits) - 1,
                              (1 << (bits - 1)) - 1]) & ((1 << bits) - 1)
                return f'({t.base}){hex(v)}{"ul" if bits == 64 else "u"}'
        return one() if t.n == 1 else f'({t})({", ".join(one() for _ in range(t.n))})'

    def leaf(self, t):
        names = self.variables(t)
        if names and self.chance(0.75):
            return self.random.choice(names)
        if t.n > 1:
            scalars = self.variables(t.scalar())
            if scalars and self.chance(0.5):
                return f'({t})({self.random.choice(scalars)})'
        return self.from_other(t) if self.chance(0.75) else self.literal(t)

    def from_other(self, t):
        """A variable of another type, converted."""
        sources = [b for b in INTEGERS if b != t.base and self.variables(Type(b, t.n))]
        wide = t.n == 1 or len(sources) > 0
        if not sources:
            sources = [b for b in INTEGERS if self.variables(Type(b))]
        if not sources:
            return self.literal(t)
        source = Type(self.random.choice(sources), t.n if wide else 1)
        name = self.random.choice(self.variables(source))
        if t.base == 'half':
            s = '' if source.n == 1 else str(source.n)
            text = f'FH{s}(convert_float{s}(convert_{Type("short", source.n)}({name})))'
        else:
            text = f'convert_{t.wide(source.n)}({name})'
        return text if wide else f'({t})({text})'

    def expression(self, t, depth):
        if depth <= 0:
            return self.leaf(t)
        if t.n > 1 and self.chance(0.25):
            return self.vector(t, depth)
        if t.base == 'half':
            return self.half(t, depth)
        return self.floating(t, depth) if t.is_float else self.integer(t, depth)

    def helper(self, name, text):
        self.helpers.setdefault(name, text)
        return name

    def no_nan(self, t, e):
        zero = f'({t})(0)'
        test = f'convert_{t.mask()}(isnan(x))' if t.base == 'half' and t.n > 1 else 'isnan(x)'
        body = f'isnan(x) ? {zero} : x' if t.n == 1 else f'select(x, {zero}, {test})'
        if t.base == 'half' and t.n > 1: # the mask is as wide as the type that half really is
            body = f'select(x, {zero}, isnan(x))'
        return f'{self.helper(f"nz_{t}", f"{t} nz_{t}({t} x) {{ return {body}; }}")}({e})'

    def truth(self, depth):
        """A scalar condition."""
        r = self.random
        t = self.any_type()
        how = r.randrange(5)
        a, b = self.expression(t.scalar(), depth - 1), self.expression(t.scalar(), depth - 1)
        if how < 3:
            return f'({a} {r.choice(["<", ">", "<=", ">=", "==", "!="])} {b})'
        if how == 3:
            return f'({self.truth(depth - 1) if depth > 1 else a + " != " + b} {r.choice(["&&", "||"])} ({a} < {b}))'
        m = Type(r.choice(['char', 'short', 'int', 'long']), r.choice(WIDTHS[1:]))
        return f'{r.choice(["any", "all"])}({self.expression(m, depth - 1)})'

    # ---- vectors of any type

    def swizzle(self, source, n):
        """N components of a vector type, as a suffix."""
        r = self.random
        if n > 1 and source.n == 2 * n and self.chance(0.4):
            return r.choice(['lo', 'hi', 'odd', 'even'])
        if source.n <= 4 and n <= 4 and self.chance(0.5):
            return ''.join(r.choice(XYZW[:source.n]) for _ in range(n))
        return 's' + ''.join('%x' % r.randrange(source.n) for _ in range(n))

    def vector(self, t, depth):
        r = self.random
        how = r.randrange(4)
        if how == 0: # parts
            parts, left = [], t.n
            while left > 0:
                n = r.choice([w for w in WIDTHS if w <= left])
                parts.append(self.expression(t.wide(n), depth - 1))
                left -= n
            return f'({t})({", ".join(parts)})'
        if how == 1 or t.n == 3 or t.base == 'half':
            source = t.wide(r.choice(WIDTHS[1:]))
            return f'({self.expression(source, depth - 1)}).{self.swizzle(source, t.n)}'
        m = Type({8: 'uchar', 16: 'ushort', 32: 'uint', 64: 'ulong'}[t.bits], t.n)
        source = t.wide(r.choice([2, 4, 8, 16]))
        mask = self.expression(m, depth - 1)
        if how == 2:
            return f'shuffle({self.expression(source, depth - 1)}, {mask})'
        return f'shuffle2({self.expression(source, depth - 1)}, {self.expression(source, depth - 1)}, {mask})'

    # ---- integers

    def wrap(self, t, op, a, b):
        """a op b modulo 2^bits."""
        if t.n == 1:
            u = 'ulong' if t.bits == 64 else 'uint'
            return f'({t})(({u})({a}) {op} ({u})({b}))'
        if t.is_signed:
            return f'as_{t}(as_{t.unsigned()}({a}) {op} as_{t.unsigned()}({b}))'
        return f'({a} {op} {b})'

    def integer(self, t, depth):
        r = self.random
        e = lambda type_=t: self.expression(type_, depth - 1)
        how = r.randrange(17)
        if how < 3:
            return self.wrap(t, r.choice('+-*'), e(), e())
        if how == 3:
            return f'({t})({e()} {r.choice("&|^")} {e()})' if t.n == 1 else f'({e()} {r.choice("&|^")} {e()})'
        if how == 4:
            low = f'({t.base}){hex((1 << (t.bits - 1)) - 1)}{"ul" if t.bits == 64 else "u"}'
            divisor = f'(({e()} & ({t})({low})) | ({t})(1))'
            text = f'{e()} {r.choice("/%")} {divisor}'
            return f'({t})({text})' if t.n == 1 else f'({text})'
        if how == 5:
            u = t.unsigned() # shifting bits out of signed types is left to unsigned ones
            amount = f'({e()} & ({t})({t.bits - 1}))' if self.chance(0.7) else e()
            if self.chance(0.5):
                return f'({t})({e()} >> {amount})' if t.n == 1 else f'({e()} >> {amount})'
            if t.n == 1:
                return f'({t})(({u})({e()}) << {amount})'
            return f'as_{t}(as_{u}({e()}) << as_{u}({amount}))'
        if how == 6:
            return f'({t})(~{e()})' if t.n == 1 else f'(~{e()})'
        if how in (7, 8, 9):
            return self.integer_function(t, e)
        if how == 10:
            return self.chosen(t, depth)
        if how in (11, 12):
            return self.converted(t, depth)
        if how == 13:
            return self.reinterpreted(t, depth)
        if how == 14 and t.is_signed:
            return self.comparison(t, depth)
        if how == 15 and t.n == 1 and t.bits == 32:
            return f'(({t})({self.truth(depth - 1)} ? {e()} : ({e()}, {e()})))'
        return self.wrap(t, r.choice('+-*'), e(), self.literal(t))

    def integer_function(self, t, e):
        r = self.random
        name = r.choice(['abs', 'abs_diff', 'add_sat', 'sub_sat', 'hadd', 'rhadd', 'clamp', 'clz', 'ctz', 'mad_hi', 'mad_sat', 'max',
                         'min', 'mul_hi', 'rotate', 'popcount', 'bitselect', 'mul24', 'mad24', 'upsample', 'max1', 'min1'])
        if name in ('abs', 'abs_diff'):
            call = f'{name}({e()})' if name == 'abs' else f'{name}({e()}, {e()})'
            return f'as_{t}({call})'
        if name in ('clz', 'ctz', 'popcount'):
            return f'{name}({e()})'
        if name == 'clamp':
            a = self.helper(f'clamp_{t}', f'{t} clamp_{t}({t} x, {t} a, {t} b) {{ return clamp(x, min(a, b), max(a, b)); }}')
            return f'{a}({e()}, {e()}, {e()})'
        if name in ('mad_hi', 'mad_sat', 'bitselect'):
            return f'{name}({e()}, {e()}, {e()})'
        if name in ('mul24', 'mad24') and t.bits == 32:
            small = lambda: f'({e()} & ({t})(0x7ff))'
            return f'mul24({small()}, {small()})' if name == 'mul24' else f'mad24({small()}, {small()}, {small()})'
        if name == 'upsample' and t.bits > 8:
            low = {16: 'uchar', 32: 'ushort', 64: 'uint'}[t.bits]
            high = Type(low.lstrip('u') if t.is_signed else low, t.n)
            return f'upsample({e(high)}, {e(Type(low, t.n))})'
        if name in ('max1', 'min1') and t.n > 1:
            return f'{name[:3]}({e()}, {e(t.scalar())})'
        return f'{name if name in ("add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate") else "max"}({e()}, {e()})'

    def chosen(self, t, depth):
        r = self.random
        a, b = self.expression(t, depth - 1), self.expression(t, depth - 1)
        if t.n == 1:
            return f'(({t})({self.truth(depth - 1)} ? {a} : {b}))'
        if t.base == 'half': # the width of its mask is not the same everywhere
            return f'({self.truth(depth - 1)} ? {a} : {b})'
        m = t.mask() if self.chance(0.5) else t.mask().unsigned()
        if self.chance(0.3):
            return f'(({self.expression(t.mask(), depth - 1)}) ? {a} : {b})'
        return f'select({a}, {b}, {self.expression(m, depth - 1)})'

    def comparison(self, t, depth):
        """Vectors: all bits or none; scalars: 1 or 0."""
        r = self.random
        op = r.choice(['<', '>', '<=', '>=', '==', '!='])
        sources = [b for b in BITS if BITS[b] == t.bits]
        source = Type(r.choice(sources), t.n)
        a, b = self.expression(source, depth - 1), self.expression(source, depth - 1)
        test = f'({a} {op} {b})'
        if source.is_float and source.base != 'half' and self.chance(0.4):
            name = r.choice(['isequal', 'isnotequal', 'isgreater', 'isgreaterequal', 'isless', 'islessequal', 'islessgreater',
                             'isordered', 'isunordered', 'isfinite', 'isinf', 'isnan', 'isnormal'])
            test = f'{name}({a})' if name in ('isfinite', 'isinf', 'isnan', 'isnormal') else f'{name}({a}, {b})'
        if t.n == 1:
            return f'({t})({test})'
        return f'HC{t.n}({test})' if source.base == 'half' else test

    def converted(self, t, depth):
        r = self.random
        source = Type(r.choice(list(BITS)), t.n)
        e = self.expression(source, depth - 1)
        if source.base == 'half':
            e, source = f'HF{"" if t.n == 1 else t.n}({e})', Type('float', t.n)
        if source.is_float:
            return f'convert_{t}_sat{r.choice(MODES)}({self.no_nan(source, e)})'
        return f'convert_{t}{r.choice(["", "_sat"])}({e})'

    def reinterpreted(self, t, depth):
        r = self.random
        total = t.bits * t.n
        sources = [Type(b, n) for b in BITS for n in WIDTHS if BITS[b] * n == total and b != 'half' and (n == 3) == (t.n == 3)]
        source = r.choice(sources)
        e = self.expression(source, depth - 1)
        return f'as_{t}({self.no_nan(source, e) if source.is_float else e})'

    # ---- floats

    def floating(self, t, depth):
        r = self.random
        e = lambda type_=t: self.expression(type_, depth - 1)
        how = r.randrange(14)
        if how < 5:
            return f'({e()} {r.choice("+-*/")} {e()})'
        if how == 5:
            return f'(-({e()}))'
        if how in (6, 7, 8):
            return self.float_function(t, e)
        if how == 9:
            return self.chosen(t, depth)
        if how == 10: # without infinities and NaNs
            bits = Type('uint' if t.bits == 32 else 'ulong', t.n)
            clear = '0xbfffffffu' if t.bits == 32 else '0xbffffffffffffffful'
            return f'as_{t}({e(bits)} & ({bits})({clear}))'
        source = Type(r.choice([b for b in BITS if b != t.base]), t.n)
        if source.base == 'half':
            return f'convert_{t}(HF{"" if t.n == 1 else t.n}({self.expression(source, depth - 1)}))'
        return f'convert_{t}{r.choice(MODES)}({self.expression(source, depth - 1)})'

    def float_function(self, t, e):
        r = self.random
        one = ['fabs', 'ceil', 'floor', 'trunc', 'rint', 'round', 'sign', 'sqrt_abs']
        two = ['fmax', 'fmin', 'max', 'min', 'copysign', 'fdim', 'fmod', 'remainder', 'nextafter', 'maxmag', 'minmag', 'step']
        name = r.choice(one + two + ['fma', 'ldexp', 'clamp', 'modf', 'frexp', 'fract'])
        if name == 'sqrt_abs':
            return f'sqrt(fabs({e()}))'
        if name in ('copysign', 'nextafter'): # the sign and the payload of a NaN are free
            return f'{name}({self.no_nan(t, e())}, {self.no_nan(t, e())})'
        if name in one:
            return f'{name}({self.no_nan(t, e())})'
        if name in ('fmax', 'fmin', 'max', 'min', 'maxmag', 'minmag', 'step'): # either zero may win
            return f'({name}({self.no_nan(t, e())}, {self.no_nan(t, e())}) + ({t})(0))'
        if name in two:
            name = f'FMOD{t.n}' if name == 'fmod' and t.base == 'double' and t.n > 1 else name
            return f'{name}({e()}, {e()})'
        if name == 'fma':
            return f'fma({e()}, {e()}, {e()})'
        if name == 'ldexp':
            return f'ldexp({e()}, {self.expression(Type("int", t.n), 0)} % 300)'
        if name == 'clamp':
            f = self.helper(f'clamp_{t}', f'{t} clamp_{t}({t} x, {t} a, {t} b) '
                            f'{{ return clamp(x, min(a, b), max(a, b)) + ({t})(0); }}')
            return f'{f}({self.no_nan(t, e())}, {self.no_nan(t, e())}, {self.no_nan(t, e())})'
        i = Type('int', t.n)
        body = {'modf': f'{t} p; {t} q = modf(x, &p); return p - q;', 'fract': f'{t} p; {t} q = fract(x, &p); return p + q;',
                'frexp': f'{i} p; {t} q = frexp(x, &p); return q + convert_{t}(p);'}[name]
        f = self.helper(f'{name}_{t}', f'{t} {name}_{t}({t} x) {{ {body} }}')
        finite = self.helper(f'finite_{t}', f'{t} finite_{t}({t} x) {{ return '
                             + (f'isnormal(x) ? x : ({t})(3)' if t.n == 1 else f'select(({t})(3), x, isnormal(x))') + '; }')
        return f'{f}({finite}({e()}))'

    def half(self, t, depth):
        r = self.random
        s = '' if t.n == 1 else str(t.n)
        e = lambda type_=t: self.expression(type_, depth - 1)
        how = r.randrange(10)
        if how < 5:
            return f'HR{s}({e()} {r.choice("+-*/")} {e()})'
        if how == 5:
            return f'HR{s}(-({e()}))'
        if how == 6:
            return f'{r.choice(["fabs", "ceil", "floor", "trunc", "rint"])}({self.no_nan(t, e())})'
        if how == 7:
            return f'({r.choice(["fmax", "fmin"])}({self.no_nan(t, e())}, {self.no_nan(t, e())}) + ({t})(0))'
        if how == 8:
            source = Type(r.choice(['char', 'uchar', 'short', 'ushort', 'float']), t.n)
            return f'FH{s}(convert_{Type("float", t.n)}({self.expression(source, depth - 1)}))'
        u = Type('ushort', t.n) # without infinities and NaNs
        return f'HALFOF{s}(({u})({self.expression(u, depth - 1)} & ({u})(0xbfff)))'

    # ---- a value as one number

    def folded(self, t, name):
        """A ulong of all components."""
        if t.base == 'half':
            s = '' if t.n == 1 else str(t.n)
            bits, t = f'HB{s}({self.no_nan(t, name)})', Type('ushort', t.n)
        elif t.is_float:
            u = Type('uint' if t.bits == 32 else 'ulong', t.n)
            bits, t = f'as_{u}({self.no_nan(t, name)})', u
        else:
            bits = name
        if t.n == 1:
            return f'(ulong)({bits})'
        f = self.helper(f'fold_{t}', f'ulong fold_{t}({t} x) {{ ulong h = 0; '
                        + ' '.join(f'h = h * 0x9e3779b97f4a7c15ul + (ulong)x.s{i:x};' for i in range(t.n)) + ' return h; }')
        return f'{f}({bits})'
