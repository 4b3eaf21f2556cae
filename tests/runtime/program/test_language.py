#!/usr/bin/python3
"""Requirements of OpenCL C on compilers: macros of features and extensions, invalid programs, and integer
conversions, functions and uniform work-group functions against a model in Python."""
import functools
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../lib'))
from opencl import cl, context, device, numpy, queue  # noqa: E402
from tap import check, done  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
LATEST = device.opencl_c_version.split()[2] if device.opencl_c_version.split()[2] >= '3.0' else '2.0'
IMPLIED = {'3d_image_writes': 'images', 'read_write_images': 'images', 'pipes': 'generic_address_space',
           'device_enqueue': 'generic_address_space program_scope_global_variables'}


def errors(source, version=LATEST):
    """The build log; an empty string if SOURCE is a valid program."""
    try:
        cl.Program(context, source).build(['-cl-std=CL' + version])
    except cl.Error as error:
        return str(error) or 'failed'
    return ''


def defined(names, version=LATEST):
    """The NAMES that are macros, with their values."""
    found = {}
    for name in names:
        if not errors(f'#ifndef {name}\n#error\n#endif\n#if ({name} + 0) != 1\n#error\n#endif\nkernel void k() {{}}', version):
            found[name] = 1
    return found


def macros():
    with open(os.path.join(HERE, '../../../ref-runtime/extensions.def'), encoding='utf-8') as file:
        text = file.read()
    features = re.findall(r'RT_FEATURE\((__opencl_c_\w+),', text)
    extensions = [n for n, predefined in re.findall(r'RT_EXTENSION\((\w+), CL_MAKE_VERSION\([^)]*\), ([01]),', text) if predefined == '1']
    have = defined(features)
    # [CLC 6.2.1 R1]
    check('features are macros of value 1', len(have) > 20 and all(v == 1 for v in have.values()), have)
    # [CLC 6.2.1 R2]
    check('features that are not offered are no macros', not defined(['__opencl_c_kernel_clock_scope_device', '__opencl_c_made_up']))
    # [CLC 6.2.1 R3]
    for feature, others in IMPLIED.items():
        check(f'{feature} comes with {others}', '__opencl_c_' + feature not in have or
              all('__opencl_c_' + other in have for other in others.split()))
    # [CLC 6.2.1 R4]
    check('64-bit integers', '__opencl_c_int64' in have)
    offered = device.extensions.split()
    # [CLC 6.12.1 R1]
    missing = [e for e in extensions if e in offered and not defined([e])]
    check('each extension of the language is a macro', not missing and len(extensions) > 20, missing)
    # [CLC 6.12 R1]
    check('images, byte order', '__IMAGE_SUPPORT__' in defined(['__IMAGE_SUPPORT__']) and '__ENDIAN_LITTLE__' in defined(['__ENDIAN_LITTLE__']))
    # [CLC 6.12 R2]
    fast = cl.Program(context, '#if __FAST_RELAXED_MATH__ != 1\n#error\n#endif\nkernel void k() {}')
    fast.build(['-cl-fast-relaxed-math'])
    check('fast relaxed math is a macro with its option alone', not defined(['__FAST_RELAXED_MATH__']))
    number = LATEST.replace('.', '') + '0'
    # [CLC 6.12 R3]
    check('versions', not errors(f'#if __OPENCL_C_VERSION__ != {number} || CL_VERSION_2_0 != 200\n#error\n#endif\nkernel void k() {{}}'))


def wrong_programs():
    check('a program', not errors('constant int x = 1; kernel void k(constant int *p, global atomic_int *q, global int *r) '
                                  '{ local int y; y = x; const constant char *s = "x"; *r = *p + y + *s; atomic_store(q, 1); }'))
    for name, source in [
            # [CLC 6.7.3 R1]
            ('a write to constant memory', 'constant int x = 1; kernel void k() { x = 2; }'),
            # [CLC 6.7.7 R1]
            ('an initialized local variable', 'kernel void k(global int *p) { local int x = 1; *p = x; }'),
            # [CLC 6.7.7 R2]
            ('a constant without value', 'kernel void k(global int *p) { constant int x; *p = x; }'),
            # [CLC 6.7.7 R2]
            ('a constant whose value is computed', 'kernel void k(global int *p) { constant int x = *p; *p = x; }'),
            # [CLC 6.7.6 R1]
            ('a kernel argument that points to private memory', 'kernel void k(private int *p) { *p = 1; }'),
            # [CLC 6.7.8 R1]
            ('a string that is not constant', 'kernel void k() { global const char *s = "x"; }'),
            # [CLC 6.7.9 R1]
            ('a cast to another address space', 'kernel void k(global int *p) { local int *q = (local int *)p; *q = 1; }'),
            # [CLC 6.7.9 R2]
            ('constant memory through a generic pointer', 'kernel void k(constant int *p, global int *q) { const int *g = p; *q = *g; }'),
            # [CLC 6.15.12.10 R2]
            ('an operator on an atomic object', 'kernel void k(global atomic_int *p) { *p += 1; }'),
            # [CLC 6.15.14.2 R2]
            ('a format that is computed', 'kernel void k(global int *p) { printf(*p ? (global char *)p : (global char *)0); }')]:
        check('not valid: ' + name, errors(source))


def values(result, body, *arguments, kind='uint', before=''):
    """RESULT[i] for each row of ARGUMENTS, as BODY computes it."""
    out = numpy.zeros(len(arguments[0]), result)
    names = ', '.join(f'global const {kind} *a{n}' for n in range(len(arguments)))
    types = {'u1': 'uchar', 'i1': 'char', 'u2': 'ushort', 'i2': 'short', 'u4': 'uint', 'i4': 'int', 'u8': 'ulong', 'i8': 'long'}
    source = f'{before} kernel void k(global {types[result]} *o, {names}) {{ size_t i = get_global_id(0); o[i] = {body}; }}'
    program = cl.Program(context, source).build(['-cl-std=CL' + LATEST])
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = [cl.Buffer(context, flags, hostbuf=numpy.ascontiguousarray(a)) for a in (out, *arguments)]
    cl.Kernel(program, 'k')(queue, (len(out),), (len(out),), *buffers)
    cl.enqueue_copy(queue, out, buffers[0])
    return [int(v) for v in out]


def bits():
    random = numpy.random.default_rng(7)
    for name, kind, width in ('uchar', 'u1', 8), ('ushort', 'u2', 16), ('uint', 'u4', 32), ('ulong', 'u8', 64):
        base, insert = (random.integers(0, 1 << width, 32, dtype='u8').astype(kind) for _ in range(2))
        pairs = [(o, c) for o in (0, 1, width // 2, width - 1, width) for c in (0, 1, width // 2 - 1, width) if o + c <= width]
        wrong = []
        for offset, count in pairs:
            mask = (1 << count) - 1
            arguments = f'{offset}, {count}'
            want = [int(b) & ~(mask << offset) | (int(n) & mask) << offset for b, n in zip(base, insert)]
            # [CLC 6.15.3.1 R1]
            if values(kind, f'bitfield_insert(a0[i], a1[i], {arguments})', base, insert, kind=name) != want:
                wrong.append(('insert', offset, count))
            field = [int(b) >> offset & mask for b in base]
            # [CLC 6.15.3.1 R3]
            if values(kind, f'bitfield_extract_unsigned(a0[i], {arguments})', base, kind=name) != field:
                wrong.append(('unsigned', offset, count))
            extended = [f - (1 << count) if count and f >> count - 1 else f for f in field]
            # [CLC 6.15.3.1 R2]
            if values(kind.replace('u', 'i'), f'bitfield_extract_signed(a0[i], {arguments})', base, kind=name) != extended:
                wrong.append(('signed', offset, count))
        # [CLC 6.15.3.1 R4]
        if values(kind, 'bit_reverse(a0[i])', base, kind=name) != [int(f'{int(b):0{width}b}'[::-1], 2) for b in base]:
            wrong.append('reverse')
        check(f'bits of {name}', not wrong, wrong)


def conversions():
    """Conversions between integers, with each rounding mode, which has no effect: of scalars and of
    vectors."""
    limits = {('u' if low == 0 else '') + name: (low, low + (1 << width) - 1) for name, width in
              (('char', 8), ('short', 16), ('int', 32), ('long', 64)) for low in (0, -1 << width - 1)}
    def fitting(value, low, high):
        """VALUE modulo the number of values from LOW to HIGH."""
        return (value - low) % (high - low + 1) + low
    given = [0, 1, -1, *(sign * (1 << n) + more for n in (7, 8, 15, 16, 31, 32, 62) for sign in (1, -1) for more in (-1, 0, 1)), -1 << 63]
    for to, (low, high) in limits.items():
        wanted, wrong = [], []
        for source, source_limits in limits.items():
            sources = [fitting(v, *source_limits) for v in given]
            for sat, results in ('', sources), ('_sat', [min(max(v, low), high) for v in sources]):
                wanted.append(numpy.array([fitting(v, *limits['long']) for v in results], 'i8'))
                want = f'({to})a{len(wanted)}[i]'
                wrong += [f'(convert_{to}{sat}{mode}(({source})a0[i]) != {want}) + '
                          f'(convert_{to}2{sat}{mode}(({source}2)(0, ({source})a0[i])).y != {want})'
                          for mode in ('', '_rte', '_rtz', '_rtp', '_rtn')]
        found = values('u4', ' + '.join(wrong), numpy.array(given, 'i8'), *wanted, kind='long')
        # [CLC 6.4.3]
        check(f'conversions of integers to {to}', not any(found), found)


def dots():
    random = numpy.random.default_rng(8)
    a, b, c = (random.integers(0, 1 << 32, 64, dtype='u8').astype('u4') for _ in range(3))
    a[:3], b[:3] = (0xffffffff, 0x80808080, 0x7f7f7f7f), (0xffffffff, 0x80808080, 0x80808080)
    c[:3] = 0x7fffffff
    def part(word, n, signed):
        byte = int(word) >> 8 * n & 255
        return byte - 256 if signed and byte > 127 else byte
    for kinds, result in ('uu', 'uint'), ('ss', 'int'), ('us', 'int'), ('su', 'int'):
        want = [sum(part(x, n, kinds[0] == 's') * part(y, n, kinds[1] == 's') for n in range(4)) for x, y in zip(a, b)]
        low, high = (0, (1 << 32) - 1) if result == 'uint' else (-1 << 31, (1 << 31) - 1)
        number = 'u4' if result == 'uint' else 'i4'
        sums = [min(max(w + int(numpy.uint32(z).astype(number)), low), high) for w, z in zip(want, c)]
        # [CLC 6.15.3 R2]
        check(f'packed dot products {kinds}', values(number, f'dot_4x8packed_{kinds}_{result}(a0[i], a1[i])', a, b) == want)
        # [CLC 6.15.3 R3]
        check(f'packed dot products {kinds} with a sum that saturates',
              values(number, f'dot_acc_sat_4x8packed_{kinds}_{result}(a0[i], a1[i], as_{result}(a2[i]))', a, b, c) == sums)
        types = ['uchar4' if k == 'u' else 'char4' for k in kinds]
        vectors = f'as_{types[0]}(a0[i]), as_{types[1]}(a1[i])'
        # [CLC 6.15.3 R1]
        check(f'dot products of {types[0]} and {types[1]}', values(number, f'dot({vectors})', a, b) == want and
              values(number, f'dot_acc_sat({vectors}, as_{result}(a2[i]))', a, b, c) == sums)


def uniform_arithmetic():
    random = numpy.random.default_rng(9)
    x = random.integers(0, 1 << 32, 24, dtype='u8').astype('u4')
    x[::5] = 0
    mask = (1 << 32) - 1
    operations = {'mul': (lambda p, q: p * q & mask, 1), 'and': (lambda p, q: p & q, mask), 'or': (lambda p, q: p | q, 0),
                  'xor': (lambda p, q: p ^ q, 0), 'logical_and': (lambda p, q: int(bool(p) and bool(q)), 1),
                  'logical_or': (lambda p, q: int(bool(p) or bool(q)), 0), 'logical_xor': (lambda p, q: int(bool(p) != bool(q)), 0)}
    for name, (function, identity) in operations.items():
        logical = name.startswith('logical')
        given = [int(bool(v)) if logical else int(v) for v in x]
        upto = [functools.reduce(function, given[:n], identity) for n in range(len(given) + 1)]
        shape = '!!{}' if logical else '{}'
        kind = '(int)' if logical else ''
        # [CLC 6.15.17 R1, R2, R3]
        good = all(values('u4', shape.format(f'work_group_{how}_{name}({kind}a0[i])'), x) == want for how, want in
                   (('reduce', upto[-1:] * 24), ('scan_inclusive', upto[1:]), ('scan_exclusive', upto[:-1])))
        check(f'work-group functions: {name}', good)


def rotations():
    """In a sub-group that lacks three work-items the others have the same positions as in a full one."""
    largest = values('u4', 'get_max_sub_group_size()', numpy.zeros(1, 'u4'))[0]
    size = largest - 3
    got = values('u4', 'sub_group_rotate(a0[i], 5)', numpy.arange(size, dtype='u4'))
    sources = [(n + 5) % largest for n in range(size)]
    # [CLC 6.15.20.5 R1]
    check('rotation of a partial sub-group', size > 1 and any(s < size for s in sources) and
          all(g == s for g, s in zip(got, sources) if s < size), got)


def long_long():
    """Constants with LL, and decimal ones out of the range of long, have 64 bits: SPIR-V cannot express
    clang's 128."""
    x = numpy.array([0, 5, (1 << 64) - 1], 'u8')
    check('constants with ULL', values('u8', 'a0[i] * 1099511628211ULL ^ 14695981039346656037ULL', x, kind='ulong') ==
          [(int(v) * 1099511628211 & (1 << 64) - 1) ^ 14695981039346656037 for v in x])
    check('they have the type of those with UL', values('u8', 'popcount(a0[i] | 1ULL) + sizeof(1LL)', x, kind='ulong') == [9, 10, 72])
    check('a decimal constant that no long holds', values('u8', 'a0[i] & 18446744073709551613', x, kind='ulong') == [0, 5, (1 << 64) - 3])


def constructors():
    """Program-scope objects in C++ for OpenCL are constructed before kernels use them."""
    source = '''struct Counter { int value; Counter(int v) { value = v + 41; } };
                global Counter one(1), two(2);
                kernel void k(global int *o) { o[0] = one.value; o[1] = two.value; two.value = 7; }'''
    kernel = cl.Kernel(cl.Program(context, source).build(['-cl-std=CLC++2021']), 'k')
    out = numpy.zeros(2, 'i4')
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, out.nbytes)
    for last in 43, 7:
        kernel(queue, (1,), (1,), buffer)
        cl.enqueue_copy(queue, out, buffer)
        check('objects of program scope have been constructed', out.tolist() == [42, last], out)
    source = '''struct Counter { int value; Counter(int v) { value = v + 41; } ~Counter() { value = 0; } };
                global Counter one(1), more[2] = {Counter(2), Counter(3)};
                int next() { static global Counter inner(4); return inner.value++; }
                kernel void k(global int *o) { o[0] = one.value; o[1] = more[1].value; o[2] = next(); o[3] = next(); }'''
    kernel = cl.Kernel(cl.Program(context, source).build(['-cl-std=CLC++2021']), 'k')
    out = numpy.zeros(4, 'i4')
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, out.nbytes)
    for inner in 45, 47:
        kernel(queue, (1,), (1,), buffer)
        cl.enqueue_copy(queue, out, buffer)
        check('objects with destructors live as long as the program', out.tolist() == [42, 44, inner, inner + 1], out)
    source = '''struct Pair { int a; float b; }; constexpr float table[3] = {1, 2, 4}; constexpr Pair pairs[2] = {{5, 6}, {7, 8}};
                int read(const int &n) { return n; }
                kernel void k(global int *o) {
                    size_t i = get_global_id(0) + 1;
                    o[0] = table[i]; o[1] = table[i + 1]; o[2] = pairs[i].b; o[3] = read(pairs[i].a); o[4] = &table[i] == table + 1;
                }'''
    check('elements of constexpr arrays', ran(source, 5, 'CLC++2021') == [2, 4, 8, 7, 1])


def ran(sources, count, version='CL' + LATEST):
    """Final contents of an array of COUNT ints after kernel k of a program that is built from one source, or
    linked from several."""
    options = ['-cl-std=' + version]
    program = (cl.Program(context, sources).build(options) if isinstance(sources, str) else
               cl.link_program(context, [cl.Program(context, s).compile(options) for s in sources]))
    out = numpy.zeros(count, 'i4')
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, out.nbytes)
    cl.Kernel(program, 'k')(queue, (1,), (1,), buffer)
    cl.enqueue_copy(queue, out, buffer)
    return out.tolist()


def addresses():
    """Initializers with addresses of variables: in arrays, structures and integers, in program-scope and
    function-scope variables."""
    source = '''struct pair { int number; global int *to; };
                struct texts { constant char *name; constant int *numbers; };
                global int one = 1, two = 2, three[3] = {3, 4, 5};
                global int *global pointers[2] = {&one, &two};
                global int *constant constants[2] = {&two, &one};
                int *global either[2] = {&one, 0};
                global struct pair pairs[2] = {{6, &two}, {7, three + 2}};
                constant int digits[2] = {8, 9};
                constant struct texts texts[2] = {{"ab", 0}, {"cd", digits}};
                global uintptr_t numbers[2] = {(uintptr_t)&two, 1}, number = (uintptr_t)(three + 1);
                kernel void k(global int *o) {
                    size_t i = get_global_id(0) + 1;
                    static global int *global inner[2] = {&one, &two};
                    global int *mine[3] = {&two, &one, &two};
                    uintptr_t bits[3] = {3, (uintptr_t)&two, 0};
                    o[0] = *pointers[i];
                    o[1] = *constants[i];
                    o[2] = *either[i - 1] + !either[i];
                    o[3] = *pairs[0].to + *pairs[i].to;
                    o[4] = texts[i].name[1] + texts[i].numbers[1];
                    o[5] = *(global int *)numbers[i - 1] + *(global int *)number;
                    o[6] = *inner[i] + *mine[i];
                    o[7] = *(global int *)bits[i];
                }'''
    check('initializers contain addresses', ran(source, 8) == [2, 1, 2, 7, ord('d') + 9, 6, 3, 2])


def cycles():
    """Variables whose initializers have their own addresses, directly and through others, in one module and
    in two that are linked."""
    node = 'struct N { int v; global struct N *next[2]; };'
    program = node + '''extern global struct N b;
        global struct N a = {1, {0, &b}}, b = {2, {&b, &a}}, list[3] = {{3, {&list[1]}}, {4, {&list[2], &a}}, {5, {list}}};
        int held() { static global const struct N own = {6, {&own}}; return own.next[0]->v + (own.next[1] == 0); }
        kernel void k(global int *o) {
            o[0] = a.next[1]->next[1]->v; o[1] = b.next[0]->v; o[2] = list[0].next[0]->next[0]->next[0] == list; o[3] = held();
            o[4] = a.next[0] == 0 && a.v == 1; o[5] = list[1].next[1]->next[1]->v++;
        }'''
    check('cycles of variables', ran(program, 6) == [1, 2, 1, 7, 1, 2])
    check('cycles of one module and another', ran([node + 'static global struct N a = {3, {&a}}; int first() { return a.next[0]->v; }',
                                                   node + 'static global struct N a = {4, {0, &a}}; int first(); '
                                                   'kernel void k(global int *o) { o[0] = first(); o[1] = a.next[1]->v; }'], 2) == [3, 4])
    log = errors('struct C { constant struct C *next; }; constant struct C ring = {&ring}; kernel void k(global int *o) { *o = !ring.next; }')
    check('a cycle in constant memory names the variable', "'ring'" in log, log)
    if LATEST >= '3.0':
        check('cycles are complete before constructors', ran('''struct N { global N *next; int v; };
            struct M { int v; M(global N &n) { v = n.next->v; } }; extern global N n; global M m(n); global N n = {&n, 8};
            kernel void k(global int *o) { o[0] = m.v; }''', 1, 'CLC++2021') == [8])


def long_arrays():
    """Initializers of more elements than an instruction of SPIR-V has operands, also inside of others."""
    numbers = ','.join(str(i % 32768) for i in range(70000))
    source = f'''constant short a[70000] = {{{numbers}}};
                 constant struct {{ char c; int n[2][70000]; short e; }} b = {{1, {{{{0}}, {{{numbers}}}}}, 2}};
                 constant short *constant p[2] = {{a + 5, &a[69999]}};
                 kernel void k(global int *o) {{
                     int wrong = 0;
                     for (int i = 0; i < 70000; i++) wrong += (a[i] != i % 32768) + (b.n[1][i] != i % 32768) + (b.n[0][i] != 0);
                     o[0] = wrong; o[1] = *p[0]; o[2] = *p[1]; o[3] = b.c + b.e;
                 }}'''
    check('initializers of many elements', ran(source, 4) == [0, 5, 69999 % 32768, 3])


def comparisons():
    """Generic pointers are compared with pointers into any address space, also another than theirs; results
    of comparisons that LLVM folds to constants are compared again."""
    source = '''global int g;
                kernel void k(global int *o) {
                    int p = 1, *to_g = &g, *to_p = &p;
                    local int l;
                    int *to_l = &l;
                    o[0] = (&p != (int *)&g) + 2 * (&p == (int *)&g);
                    o[1] = (&p == to_p) + 2 * (to_p == &p) + 4 * (&l == to_p) + 8 * (to_p == &g);
                    o[2] = (&l == to_l) + 2 * (to_l != &l) + 4 * (&g != to_l) + 8 * (&g == to_g);
                    o[3] = (&l < to_g) + (&l > to_g);
                    o[4] = (&l != 0) + 2 * ((int *)o == o) + 4 * ((int *)&g != (int *)&l);
                    o[5] = (((p, (void *)0) != &g) < 1) + 2 * (((p, (void *)0) != &g) > 0u) + 4 * (((p, (void *)0) != &g) >= (&l != 0));
                }'''
    check('comparisons with generic pointers', ran(source, 6) == [1, 3, 13, 1, 7, 6])


macros()
rotations()
wrong_programs()
bits()
conversions()
dots()
uniform_arithmetic()
long_long()
if LATEST >= '3.0':
    constructors()
addresses()
cycles()
long_arrays()
comparisons()
sys.exit(done())
