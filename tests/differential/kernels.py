"""Random kernels: control flow, functions, structs, arrays, private and local memory, barriers, atomic operations
with results that do not depend on their order, group functions, text and packets; and the inexact built-in functions
on the side."""
import random

import expressions
import streams
from expressions import BITS, Expressions, INTEGERS, Type, WIDTHS

ITEMS, GROUP = 32, 16
SLOTS, LANES, COUNTERS = 12, 3, 8

# Twice the bound of the full profile in ULP, for two implementations; arguments in a range where both are defined.
INEXACT = [('sin({a})', 8), ('cos({a})', 8), ('tan({a})', 10), ('sinpi({a})', 8), ('cospi({a})', 8), ('tanpi({a})', 12),
           ('asin({u})', 8), ('acos({u})', 8), ('atan({a})', 10), ('atan2({a}, {b})', 12), ('atan2pi({a}, {b})', 12),
           ('sinh({a})', 8), ('cosh({a})', 8), ('tanh({a})', 10), ('asinh({a})', 8), ('acosh({p} + 1)', 8), ('atanh({u})', 10),
           ('exp({a})', 6), ('exp2({a})', 6), ('exp10({a})', 6), ('expm1({a})', 6), ('log({p})', 6), ('log2({p})', 6),
           ('log10({p})', 6), ('log1p({p})', 4), ('pow({p}, {a})', 32), ('pown({a}, {i})', 32), ('powr({p}, {a})', 32),
           ('rootn({p}, 3)', 32), ('cbrt({a})', 4), ('hypot({a}, {b})', 8), ('rsqrt({p})', 4), ('sqrt({p})', 6), ('erf({a})', 32),
           ('erfc({a})', 32), ('tgamma({p})', 32), ('degrees({a})', 4), ('radians({a})', 4), ('mix({a}, {b}, {u})', 'abs'),
           ('smoothstep({u} - 2, {u} + 2, {u})', 'abs'), ('dot({a3}, {b3})', 'abs'), ('length({a3})', 14), ('distance({a3}, {b3})', 'abs'),
           ('cross({a3}, {b3}).y', 'abs'), ('normalize({a3}).x', 12), ('mad({a}, {b}, {u})', 'abs')]
ONLY_FLOAT = [('half_sin({u})', 'half'), ('half_exp({a})', 'half'), ('half_sqrt({p})', 'half'), ('half_recip({p})', 'half'),
              ('fast_length({a3})', 'half'), ('half_divide({a}, {p})', 'half'), ('half_log2({p} + 2)', 'half')]


def prelude():
    return expressions.prelude() + streams.prelude()


class Kernel(Expressions, streams.Streams):
    def __init__(self, seed, number):
        Expressions.__init__(self, random.Random(seed * 1000003 + number))
        streams.Streams.__init__(self)
        self.name = f'k{number}'
        self.lines, self.indent = [], 1
        self.scopes = [[]]
        self.serial = 0
        self.tolerances = []
        self.structs, self.functions, self.constants = [], [], []
        self.in_function = False
        self.sub_group = self.random.choice([4, 8, 16])

    # ---- names

    def variables(self, t):
        found = [name for scope in self.scopes for name, type_, _ in scope if type_ == t]
        if t.n == 1:
            found += [f'{name}.s{self.random.randrange(v.n):x}' for scope in self.scopes for name, v, _ in scope
                      if v.n > 1 and v.base == t.base]
        if not self.in_function:
            if t.base == 'uint' and t.n == 1:
                found += [f'a[{self.index(64)}]', 'lid', 'gid']
            if t.base == 'ulong' and t.n == 1:
                found += ['get_global_id(0)', 'get_local_id(0)', 'get_group_id(0)', 'get_global_size(0)', 'get_local_size(0)']
        return found

    def index(self, size):
        candidates = [name for scope in self.scopes for name, t, _ in scope if t.n == 1 and not t.is_float]
        choices = candidates + ([] if self.in_function else ['gid', 'lid'])
        if not choices or self.chance(0.2):
            return str(self.random.randrange(size))
        return f'({self.random.choice(choices)} + {self.random.randrange(size)}) & {size - 1}'

    def fresh(self, prefix='v'):
        self.serial += 1
        return f'{prefix}{self.serial}'

    def declare(self, name, t, writable=True):
        self.scopes[-1].append((name, t, writable))

    def emit(self, text):
        self.lines.append('    ' * self.indent + text)

    # ---- statements

    def new_variable(self):
        t = self.any_type()
        e = self.expression(t, self.random.randrange(1, 4))
        name = self.fresh()
        self.emit(f'{t} {name} = {e};')
        self.declare(name, t)

    def target(self):
        found = [(name, t) for scope in self.scopes for name, t, writable in scope if writable]
        return self.random.choice(found) if found else None

    def assignment(self):
        r = self.random
        chosen = self.target()
        if chosen is None:
            return self.new_variable()
        name, t = chosen
        if t.n > 1 and self.chance(0.4):
            n = r.choice([w for w in WIDTHS if w <= t.n])
            picks = r.sample(range(t.n), n)
            self.emit(f'{name}.s{"".join("%x" % p for p in picks)} = {self.expression(t.wide(n), 2)};')
        elif not t.is_float and not t.is_signed and self.chance(0.3):
            op = r.choice(['+=', '-=', '*=', '^=', '|=', '&='])
            if t.bits >= 32 or op not in ('*=',):
                self.emit(f'{name} {op} {self.expression(t, 2)};')
        elif t.base in ('uint', 'ulong', 'uchar') and t.n == 1 and '.' not in name and self.chance(0.2):
            self.emit(r.choice([f'{name}++;', f'--{name};']))
        else:
            self.emit(f'{name} = {self.expression(t, r.randrange(1, 4))};')

    def block(self, depth, budget, jumps=False):
        self.indent += 1
        self.scopes.append([])
        for _ in range(self.random.randrange(1, 3)):
            self.statement(depth, budget, jumps)
        self.scopes.pop()
        self.indent -= 1

    def branch(self, depth, jumps):
        self.emit(f'if ({self.truth(2)}) {{')
        self.block(depth - 1, 2, jumps)
        if self.chance(0.6):
            self.emit('} else {')
            self.block(depth - 1, 2, jumps)
        self.emit('}')

    def loop(self, depth):
        r = self.random
        i = self.fresh('i')
        bound = str(r.randrange(1, 6))
        names = [n for n in self.variables(Type('uint')) + self.variables(Type('uchar')) if 'get_' not in n]
        if names and self.chance(0.4):
            bound = f'(int)({r.choice(names)} & 7)'
        how = r.randrange(3)
        limit = self.fresh('n')
        self.emit(f'int {limit} = {bound};')
        self.emit([f'for (int {i} = 0; {i} < {limit}; {i}++) {{', f'int {i} = 0; while ({i}++ < {limit}) {{',
                   f'int {i} = 0; do {{'][how])
        self.scopes.append([(i, Type('int'), False)])
        self.block(depth - 1, 2, how < 2)
        self.scopes.pop()
        self.emit('}' if how < 2 else f'}} while (++{i} < {limit});')

    def switch(self, depth, jumps):
        r = self.random
        t = Type(r.choice(['int', 'uint', 'uchar', 'ulong', 'short']))
        self.emit(f'switch ({self.expression(t, 1)} & 7) {{')
        for value in sorted(r.sample(range(8), r.randrange(1, 5))):
            self.emit(f'case {value}: {{')
            self.block(depth - 1, 2)
            self.emit('}' if self.chance(0.25) else '} break;')
        if self.chance(0.7):
            self.emit('default: {')
            self.block(depth - 1, 2)
            self.emit('}')
        self.emit('}')

    def array(self):
        """A private array: initialized, changed, read at computed indices."""
        r = self.random
        t = self.any_type()
        size, name, i = r.choice([2, 4, 8]), self.fresh('p'), self.fresh('i')
        self.emit(f'{t} {name}[{size}];')
        self.emit(f'for (int {i} = 0; {i} < {size}; {i}++) {name}[{i}] = {self.expression(t, 1)};')
        self.emit(f'{name}[{self.index(size)}] = {self.expression(t, 2)};')
        out = self.fresh()
        if t.base != 'half' and t.n > 1 and self.chance(0.3):
            self.emit(f'vstore{t.n}({self.expression(t, 1)}, {self.index(size)}, ({t.base} *){name});' if t.n != 3
                      else f'{name}[0] = {name}[{size - 1}].zxy;')
        if t.base != 'half' and t.n in (1, 2, 4) and self.chance(0.4):
            pairs = Type(t.base, t.n * 2)
            self.emit(f'{pairs} {out} = vload{pairs.n}({self.index(size // 2)}, ({t.base} *){name});')
            self.declare(out, pairs)
        else:
            pointer = self.fresh('q')
            self.emit(f'{t} *{pointer} = {name} + ({self.index(size)});')
            self.emit(f'{t} {out} = *({self.truth(1)} ? {pointer} : &{name}[{self.index(size)}]);')
            self.declare(out, t)

    def record(self):
        """A variable of a struct type with scalars, vectors, an array and a struct inside."""
        r = self.random
        number = len(self.structs)
        members = [(f'm{k}', self.any_type()) for k in range(r.randrange(2, 5))]
        inner = self.any_type()
        self.structs.append(f'struct S{number}_{self.name} {{ ' + ' '.join(f'{t} {n};' for n, t in members)
                            + f' struct {{ {inner} x; uchar y[3]; }} in[2]; }};')
        name = self.fresh('s')
        kind = f'struct S{number}_{self.name}'
        self.emit(f'{kind} {name};')
        for n, t in members:
            self.emit(f'{name}.{n} = {self.expression(t, 2)};')
        for k in range(2):
            self.emit(f'{name}.in[{k}].x = {self.expression(inner, 1)}; '
                      + ' '.join(f'{name}.in[{k}].y[{j}] = {self.expression(Type("uchar"), 1)};' for j in range(3)))
        other = self.fresh('s')
        self.emit(f'{kind} {other} = {name};')
        if self.chance(0.5):
            function = f'f{len(self.functions)}_{self.name}'
            n, t = r.choice(members)
            self.functions.append(f'{kind} {function}({kind} x, {kind} *y) {{ y->{n} = x.{n}; x.in[0] = y->in[1]; '
                                  f'y->in[0].y[1] += 3; return x; }}')
            self.emit(f'{name} = {function}({name}, &{other});')
        for owner in (name, other):
            for n, t in members:
                self.declare(f'{owner}.{n}', t)
            self.declare(f'{owner}.in[{self.index(2)}].x', inner, False)
            self.declare(f'{owner}.in[{self.index(2)}].y[{r.randrange(3)}]', Type('uchar'), False)

    def call(self):
        """A function with parameters, control flow and early returns."""
        r = self.random
        result, parameters = self.any_type(), [self.any_type() for _ in range(r.randrange(1, 4))]
        arguments = ', '.join(self.expression(t, 1) for t in parameters)
        saved = self.lines, self.indent, self.scopes
        self.lines, self.indent, self.in_function = [], 1, True
        self.scopes = [[(f'x{k}', t, True) for k, t in enumerate(parameters)]]
        for _ in range(r.randrange(1, 3)):
            self.simple()
        if self.chance(0.6):
            self.emit(f'if ({self.truth(1)}) return {self.expression(result, 2)};')
        if self.chance(0.4):
            self.loop(1)
        self.emit(f'return {self.expression(result, 2)};')
        body = '\n'.join(self.lines)
        self.lines, self.indent, self.scopes = saved
        self.in_function = False
        name = f'f{len(self.functions)}_{self.name}'
        declared = ', '.join(f'{t} x{k}' for k, t in enumerate(parameters))
        attribute = r.choice(['', '__attribute__((noinline)) ', 'static inline '])
        self.functions.append(f'{attribute}{result} {name}({declared})\n{{\n{body}\n}}')
        out = self.fresh()
        self.emit(f'{result} {out} = {name}({arguments});')
        self.declare(out, result)

    def either(self, real, other):
        self.emit(f'\n#ifdef REAL\n{real}\n#else\n{other}\n#endif')

    def generic(self):
        """A function that takes a pointer into any address space, and a program-scope variable; for PoCL,
        which has neither, private ones."""
        t = self.any_type()
        if t.base == 'half':
            t = Type('ushort', t.n)
        number = len(self.functions)
        name, shared, array, pointer, out = f'f{number}_{self.name}', f'g{number}_{self.name}', self.fresh('p'), self.fresh('q'), self.fresh()
        self.constants.append(f'#ifdef REAL\nglobal {t} {shared}[{ITEMS}];\n#endif')
        step = 'p[j] - p[i]' if t.is_float else self.wrap(t, '+', 'p[i]', 'p[j]')
        self.functions.append(f'{t} {name}({t} *p, int i, int j)\n{{\n    p[i] = {step};\n    return p[j];\n}}')
        self.emit(f'{t} {array}[4]; for (int i = 0; i < 4; i++) {array}[i] = {self.expression(t, 1)};')
        self.either('', f'{t} {shared}[{ITEMS}];')
        self.emit(f'{shared}[gid] = {self.expression(t, 2)};')
        self.emit(f'{t} *{pointer} = {shared} + gid; if ({self.truth(1)}) {pointer} = {array} + ({self.index(4)});')
        if len(self.scopes) == 1 and self.chance(0.5): # reached by all work-items
            room = self.fresh('r')
            self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
            self.either(f'local {t} *{room} = (local {t} *)room;', f'{t} {room}[{GROUP}];')
            self.emit(f'{room}[lid] = {self.expression(t, 1)};')
            self.emit(f'if ({self.truth(1)}) {pointer} = {room} + lid;')
        self.emit(f'{t} {out} = {name}({pointer}, 0, 0);')
        self.emit(f'{out} = {self.truth(1)} ? {name}({array}, {self.index(4)}, {self.index(4)}) : {shared}[gid];')
        self.declare(out, t)

    def texel(self):
        """A texel of unsigned numbers, inside or outside of the image."""
        out = self.fresh()
        sampler = self.random.choice(['CLK_ADDRESS_CLAMP', 'CLK_ADDRESS_CLAMP_TO_EDGE'])
        near = f'CLK_NORMALIZED_COORDS_FALSE | {sampler} | CLK_FILTER_NEAREST'
        x, y = (f'(int)({self.index(8)}) + {self.random.choice([0, 0, -3, 4])}' for _ in range(2))
        at = f'(int2)({x}, {y})' if self.chance(0.5) else f'(float2)({x}, {y}) + 0.25f'
        self.emit(f'const sampler_t {out}s = {near}; uint4 {out} = read_imageui(image, {out}s, {at});')
        self.declare(out, Type('uint', 4))

    def table(self):
        """A table in constant memory."""
        t = self.any_type()
        if t.base == 'half':
            t = Type('short', t.n)
        name = f'c{len(self.constants)}_{self.name}'
        self.constants.append(f'constant {t} {name}[4] = {{{", ".join(self.literal(t) for _ in range(4))}}};')
        out = self.fresh()
        self.emit(f'{t} {out} = {name}[{self.index(4)}];')
        self.declare(out, t)

    def memory(self):
        """Global memory through vectors and halves."""
        r = self.random
        out = self.fresh()
        if self.chance(0.5):
            t = Type(r.choice(['uchar', 'char', 'short', 'ushort', 'int', 'uint', 'long', 'ulong']), r.choice(WIDTHS[1:]))
            room = 256 * 8 // t.bits // (4 if t.n == 3 else t.n)
            room = 1 << (max(1, room).bit_length() - 1)
            self.emit(f'{t} {out} = vload{t.n}({self.index(room)}, (global const {t.base} *)a);')
        else:
            t = Type('float', r.choice(WIDTHS))
            s = '' if t.n == 1 else str(t.n)
            box = self.fresh('h')
            value = self.no_nan(t, self.expression(t, 2))
            mode = r.choice(['_rte', '_rtz', '_rtp', '_rtn', ''])
            aligned = 'a' if t.n > 1 and self.chance(0.5) else ''
            self.emit(f'ushort {box}[32] __attribute__((aligned(64))); vstore{aligned}_half{s}{mode}({value}, 1, (half *){box});')
            self.emit(f'{t} {out} = vload{aligned}_half{s}(1, (half *){box});')
        self.declare(out, t)

    def atomic(self):
        r = self.random
        op = r.choice(['add', 'sub', 'and', 'or', 'xor', 'min', 'max', 'inc'])
        at = {'add': 0, 'sub': 0, 'inc': 0, 'and': 1, 'or': 2, 'xor': 3, 'min': 4, 'max': 5}[op]
        value = '' if op == 'inc' else f', (int)({self.expression(Type("int"), 1)})'
        place = r.choice(['counters', 'shared'])
        if op == 'inc' or self.chance(0.6):
            self.emit(f'atomic_{op}(&{place}[{at}]{value});')
        else:
            fetch = {'add': 'fetch_add', 'sub': 'fetch_sub', 'and': 'fetch_and', 'or': 'fetch_or', 'xor': 'fetch_xor',
                     'min': 'fetch_min', 'max': 'fetch_max'}[op]
            space = 'global' if place == 'counters' else 'local'
            scope = 'memory_scope_device' if place == 'counters' else 'memory_scope_work_group'
            self.emit(f'atomic_{fetch}_explicit((volatile {space} atomic_int *)&{place}[{at}]{value}, memory_order_relaxed, {scope});')

    def simple(self):
        r = self.random
        r.choice([self.new_variable, self.new_variable, self.assignment])()

    def statement(self, depth, budget, jumps=False):
        r = self.random
        how = r.randrange(16)
        if depth > 0 and how < 3:
            self.branch(depth, jumps)
        elif depth > 0 and how < 5:
            self.loop(depth)
        elif depth > 0 and how == 5:
            self.switch(depth, jumps)
        elif how == 6 and jumps:
            self.emit(f'if ({self.truth(1)}) {r.choice(["break", "continue"])};')
        elif how in (7, 8) and not self.in_function:
            r.choice([self.array, self.record, self.call, self.table, self.memory, self.generic, self.texel])()
        elif how == 9 and not self.in_function:
            r.choice([self.atomic, self.printed])()
        elif how < 13:
            self.new_variable()
        else:
            self.assignment()

    # ---- work-group operations

    def exchange(self):
        """Each writes its own element of local memory, all read others' after a barrier."""
        t = self.any_type()
        base = f'((local {t} *)room)'
        self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
        self.emit(f'{base}[lid] = {self.expression(t, 2)};')
        self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
        out = self.fresh()
        self.emit(f'{t} {out} = {base}[{self.index(GROUP)}];')
        self.declare(out, t)

    def rounds(self):
        """Barriers inside a loop."""
        t = self.any_type()
        base, i, out = f'((local {t} *)room)', self.fresh('i'), self.fresh()
        self.emit(f'{t} {out} = {self.expression(t, 2)};')
        self.declare(out, t)
        self.emit(f'for (int {i} = 1; {i} < {GROUP}; {i} <<= 1) {{')
        self.scopes.append([])
        self.indent += 1
        self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
        self.emit(f'{base}[lid] = {out};')
        self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
        other = self.fresh()
        self.emit(f'{t} {other} = {base}[lid ^ {i}];')
        self.declare(other, t)
        if self.chance(0.5):
            self.emit(f'if (lid & {i}) {{')
            self.block(1, 2)
            self.emit('}')
        self.emit(f'{out} = {self.expression(t, 2)};')
        self.indent -= 1
        self.scopes.pop()
        self.emit('}')

    def collective(self):
        """Work-group and sub-group functions, beside the same computation through local memory."""
        r = self.random
        sub = self.chance(0.5)
        t = Type(r.choice(['int', 'uint', 'long', 'ulong', 'float', 'double']))
        if sub and self.chance(0.3):
            t = Type(r.choice(['char', 'uchar', 'short', 'ushort']))
        op = r.choice(['min', 'max'] if t.is_float else ['add', 'min', 'max'])
        kind = r.choice(['reduce', 'scan_inclusive', 'scan_exclusive', 'broadcast', 'all', 'any'])
        x, out, i, s = self.fresh(), self.fresh(), self.fresh('i'), self.fresh('r')
        group = 'sub_group' if sub else 'work_group'
        first, size = (f'(lid & ~{self.sub_group - 1})', self.sub_group) if sub else ('0', GROUP)
        if kind in ('all', 'any'):
            t = Type('int')
        value = self.expression(t, 2)
        value = f'({self.no_nan(t, value)} + ({t})(0))' if t.is_float else value
        self.emit(f'{t} {x} = {value}, {out};')
        low, high = {'int': ('INT_MIN', 'INT_MAX'), 'uint': ('0', 'UINT_MAX'), 'long': ('LONG_MIN', 'LONG_MAX'), 'ulong': ('0', 'ULONG_MAX'),
                     'float': ('-INFINITY', 'INFINITY'), 'double': ('-INFINITY', 'INFINITY'), 'char': ('CHAR_MIN', 'CHAR_MAX'),
                     'uchar': ('0', 'UCHAR_MAX'), 'short': ('SHRT_MIN', 'SHRT_MAX'), 'ushort': ('0', 'USHRT_MAX')}[t.base]
        unit = {'add': '0', 'min': high, 'max': low}[op]
        step = f'{out} = {op}({out}, {s}[{i}]);' if op != 'add' else f'{out} = {self.wrap(t, "+", out, f"{s}[{i}]")};'
        lane = r.randrange(size)
        rank = f'(int)(lid - {first})'
        if kind == 'broadcast':
            call = f'{group}_broadcast({x}, {lane}u)'
            body = f'{out} = {s}[{lane}];'
        elif kind in ('all', 'any'):
            call = f'{group}_{kind}({x} & 1)'
            body = f'{out} = {int(kind == "all")}; for (int {i} = 0; {i} < {size}; {i}++) ' \
                   f'{out} = {out} {"&&" if kind == "all" else "||"} ({s}[{i}] & 1);'
        else:
            call = f'{group}_{kind}_{op}({x})'
            end = {'reduce': str(size), 'scan_inclusive': f'{rank} + 1', 'scan_exclusive': rank}[kind]
            body = f'{out} = {unit}; for (int {i} = 0; {i} < {end}; {i}++) {step}'
        if kind in ('all', 'any'):
            call = f'({call} != 0)'
        self.emit('#ifdef REAL')
        self.emit(f'{out} = {call};')
        self.emit('#else')
        self.emit(f'barrier(CLK_LOCAL_MEM_FENCE); ((local {t} *)room)[lid] = {x}; barrier(CLK_LOCAL_MEM_FENCE);')
        self.emit(f'{{ local {t} *{s} = (local {t} *)room + {first}; {body} }} barrier(CLK_LOCAL_MEM_FENCE);')
        self.emit('#endif')
        self.declare(x, t)
        self.declare(out, t)

    def copied(self):
        """An asynchronous copy into local memory."""
        r = self.random
        t = Type(r.choice(['uchar', 'ushort', 'uint', 'ulong', 'int']), r.choice([1, 2, 4, 8]))
        count = min(16, 256 * 8 // (t.bits * t.n))
        self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
        event = self.fresh('e')
        if self.chance(0.5):
            self.emit(f'event_t {event} = async_work_group_copy((local {t} *)room, (global const {t} *)a, {count}, 0);')
        else:
            self.emit(f'event_t {event} = async_work_group_strided_copy((local {t} *)room, (global const {t} *)a, {count // 2}, 2, 0);')
            count //= 2
        self.emit(f'wait_group_events(1, &{event});')
        out = self.fresh()
        self.emit(f'{t} {out} = ((local {t} *)room)[{self.index(count)}];')
        self.declare(out, t)

    def inexact(self, lane):
        r = self.random
        wide = self.chance(0.3)
        base = r.choice(['float', 'float', 'double'])
        text, bound = r.choice(INEXACT + (ONLY_FLOAT if base == 'float' else []))
        if '3}' in text:
            wide = False
        t = Type(base, r.choice([2, 3, 4, 8]) if wide else 1)

        def argument(scale, offset, n=t.n):
            # A multiple of 1/64 in a small range.
            v = Type(base, n)
            i = Type('short' , n)
            return f'(convert_{v}({self.expression(i, 2)}) * ({v})({scale / 32768.0}) + ({v})({offset}))'
        three = {'a3': argument(9, 0, 3), 'b3': argument(9, 0, 3)} if '3}' in text else {}
        integer = f'({Type("int", t.n)})({r.choice([-3, -1, 2, 5])})'
        e = text.format(a=argument(9, 0), b=argument(5, 7), u=argument(0.99, 0), p=argument(4, 4.5), i=integer, **three)
        out = self.fresh()
        scalar = e if t.n == 1 else f'({e}).s{r.randrange(t.n):x}'
        self.emit(f'{base} {out} = {scalar};')
        self.tolerances.append((text, base, bound))
        return f'f[gid * {LANES} + {lane}] = {out};'

    # ---- the kernel

    def build(self):
        r = self.random
        for _ in range(r.randrange(2, 5)):
            r.choice([self.memory, self.new_variable])()
        together = [self.exchange, self.rounds, self.collective, self.collective, self.copied, self.piped, self.piped, None, None]
        for _ in range(r.randrange(2, 5)):
            self.statement(2, 3)
            step = r.choice(together)
            if step is not None:
                step()
        stores = [self.inexact(k) for k in range(LANES)]
        live = [(n, t) for n, t, _ in self.scopes[0]]
        r.shuffle(live)
        self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
        self.emit(f'if (lid < {COUNTERS}) atomic_add(&counters[8 + lid], shared[lid]);')
        for k, (n, t) in enumerate(live[:SLOTS]):
            self.emit(f'o[gid * {SLOTS} + {k}] = {self.folded(t, n)};')
        self.emit(f'if (PACKETS_OF(p) != {streams.PACKETS}) return;')
        if self.chance(0.3):
            self.emit(f'if ({self.truth(1)}) return;')
        for s in stores:
            self.emit(s)
        attribute = r.choice(['', f'__attribute__((reqd_work_group_size({GROUP}, 1, 1))) ', '__attribute__((vec_type_hint(float4))) '])
        attribute += f'SUB_GROUPS({self.sub_group}) '
        head = f'{attribute}kernel void {self.name}(global const uint *a, global ulong *o, global double *f, ' \
               f'volatile global int *counters, PIPE p, read_only image2d_t image)\n{{\n    local ulong16 room[{GROUP}];\n    volatile local int shared[{COUNTERS}];\n' \
               f'    uint gid = get_global_id(0), lid = get_local_id(0);\n    if (lid < {COUNTERS}) shared[lid] = 0;\n' \
               '    barrier(CLK_LOCAL_MEM_FENCE);\n'
        helpers = [h.replace(f'{name}(', f'{name}_{self.name}(', 1) for name, h in self.helpers.items()]
        text = '\n'.join(self.structs + self.constants) + '\n'
        body = '\n'.join(self.functions) + '\n' + head + '\n'.join(self.lines) + '\n}\n' + self.drain()
        for name in self.helpers:
            body = body.replace(f'{name}(', f'{name}_{self.name}(')
        return text + '\n'.join(helpers) + '\n' + body


def make(seed, number):
    kernel = Kernel(seed, number)
    return {'name': kernel.name, 'source': kernel.build(), 'tolerances': kernel.tolerances}
