#!/usr/bin/python3
"""Sub-group functions over all their types, in full and partial sub-groups, against a model of each work-item
in Python: reductions and scans, uniform, non-uniform (by some of the work-items), and clustered; shuffles,
rotations, broadcasts, ballots and masks [CLC 6.15.20]."""
import functools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from opencl import cl, context, numpy, queue  # noqa: E402
from tap import check, done  # noqa: E402

ITEMS, GROUP = 200, 100
TYPES = {'char': 'i1', 'uchar': 'u1', 'short': 'i2', 'ushort': 'u2', 'int': 'i4', 'uint': 'u4', 'long': 'i8', 'ulong': 'u8',
         'half': 'f2', 'float': 'f4', 'double': 'f8'}
random = numpy.random.default_rng(2)
numpy.seterr(over='ignore')


def launch(body, types, *arrays, before=''):
    """Runs BODY with arrays a0, a1, ... of TYPES, which hold its results afterwards."""
    parameters = ', '.join(f'global {t} *a{n}' for n, t in enumerate(types))
    program = cl.Program(context, f'''#pragma OPENCL EXTENSION cl_khr_fp16 : enable
        {before}
        kernel void k({parameters}) {{ size_t i = get_global_id(0); {body} }}''').build(['-cl-std=CL3.0'])
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = [cl.Buffer(context, flags, hostbuf=array) for array in arrays]
    cl.Kernel(program, 'k')(queue, (ITEMS,), (GROUP,), *buffers)
    for array, buffer in zip(arrays, buffers):
        cl.enqueue_copy(queue, array, buffer)


def find_sub_groups():
    """Lists of work-items by their ids in their sub-groups."""
    where = numpy.zeros((ITEMS, 4), 'u4')
    launch('a0[i] = (uint4)(get_sub_group_id(), get_sub_group_local_id(), get_sub_group_size(), get_max_sub_group_size());',
           ['uint4'], where)
    found = {}
    for item, (sub_group, local, _, _) in enumerate(where):
        found.setdefault((item // GROUP, sub_group), {})[local] = item
    members = [[group[n] for n in sorted(group)] for group in found.values()]
    check('sub-groups cover the work-items, numbered from 0',
          all(sorted(group) == list(range(len(group))) for group in found.values()) and
          all(where[item, 2] == len(group) for group in members for item in group))
    return members, int(where[0, 3])


def operations(dtype):
    """For each: the function of two operands, and its neutral element."""
    kind = dtype.type
    if dtype.kind == 'f':
        return {'add': (lambda a, b: kind(a + b), kind(0)), 'mul': (lambda a, b: kind(a * b), kind(1)),
                'min': (min, kind(numpy.inf)), 'max': (max, kind(-numpy.inf))}
    limits = numpy.iinfo(dtype)
    return {'add': (lambda a, b: kind(a + b), kind(0)), 'mul': (lambda a, b: kind(a * b), kind(1)),
            'min': (min, kind(limits.max)), 'max': (max, kind(limits.min)), 'and': (lambda a, b: a & b, ~kind(0)),
            'or': (lambda a, b: a | b, kind(0)), 'xor': (lambda a, b: a ^ b, kind(0))}


def combined(function, identity, values, how):
    """The results for each of VALUES."""
    if how == 'reduce':
        return [functools.reduce(function, values, identity)] * len(values)
    before = [identity]
    for value in values:
        before.append(function(before[-1], value))
    return before[1:] if how == 'scan_inclusive' else before[:-1]


def arithmetic(name, dtype):
    values = random.integers(1, 3 if dtype.kind == 'f' else 120, ITEMS).astype(dtype)
    if dtype == 'f2':
        values[::2] = 1
    calls, wants = [], []

    def expect(call, each, part=lambda n: True):
        want = numpy.zeros(ITEMS, dtype)
        for group in members:
            chosen = [item for n, item in enumerate(group) if part(n)]
            want[chosen] = each([values[item] for item in chosen])
        calls.append(call)
        wants.append(want)

    for op, (function, identity) in operations(dtype).items():
        for how in ('reduce', 'scan_inclusive', 'scan_exclusive'):
            each = functools.partial(combined, function, identity, how=how)
            if op in ('add', 'min', 'max'):
                expect(f'sub_group_{how}_{op}(x)', each)
            expect(f'sub_group_non_uniform_{how}_{op}(x)', each)
            expect(f'if (n % 3 == 1) sub_group_non_uniform_{how}_{op}(x)', each, lambda n: n % 3 == 1)
        for size in (1, 4, largest):
            expect(f'sub_group_clustered_reduce_{op}(x, {size}u)', lambda all_, size=size: sum(
                [combined(function, identity, all_[n:n + size], 'reduce') for n in range(0, len(all_), size)], []))
    body = f'{name} x = a0[i]; uint n = get_sub_group_local_id();'
    for n, call in enumerate(calls):
        condition, _, call = call.rpartition(') ') if call.startswith('if') else ('', '', call)
        body += f'{condition + ")" if condition else ""} a1[{n * ITEMS} + i] = {call};'
    out = numpy.zeros(ITEMS * len(calls), dtype)
    launch(body, [name, name], values, out)
    wrong = [call for n, call in enumerate(calls) if (out[n * ITEMS:][:ITEMS] != wants[n]).any()]
    # [CLC 6.15.20 R1; CLC 6.15.20.2 R1; CLC 6.15.20.3 R1]
    check(f'{len(calls)} reductions and scans of {name}', not wrong, wrong)


def movement(name, dtype):
    values = random.integers(0, 120, ITEMS).astype(dtype)
    to = random.integers(0, largest, ITEMS).astype('u4')
    out = numpy.zeros(ITEMS * 8, dtype)
    calls = ['shuffle(x, a1[i] % get_sub_group_size())', 'shuffle_xor(x, 1u)', 'shuffle_up(x, 2u)', 'shuffle_down(x, 3u)',
             'rotate(x, 5)', 'clustered_rotate(x, 1, 2u)', 'broadcast(x, 1u)', 'non_uniform_broadcast(x, 2u)']
    launch(f'{name} x = a0[i];' + ''.join(f'a2[{n * ITEMS} + i] = sub_group_{call};' for n, call in enumerate(calls)),
           [name, 'uint', name], values, to, out)
    wrong = set()
    for group in members:
        size = len(group)
        for n, item in enumerate(group):
            # Rotations are modulo the maximum size or clusters; sources past the end are undefined.
            sources = [to[item] % size, n ^ 1, n - 2, n + 3, (n + 5) % largest, n ^ 1, 1, 2]
            wrong |= {call for k, (call, source) in enumerate(zip(calls, sources))
                      if 0 <= source < size and out[k * ITEMS + item] != values[group[source]]}
    # [CLC 6.15.20.5 R1; CLC 6.15.20.6 R1; CLC 6.15.20.7 R1]
    check(f'{len(calls)} ways that values of {name} move', not wrong, wrong)


def vectors(name, dtype):
    wrong = []
    for width in (2, 3, 4, 8, 16):
        values = random.integers(0, 120, (ITEMS, width)).astype(dtype)
        out = numpy.zeros_like(values)
        launch(f'vstore{width}(sub_group_broadcast(vload{width}(i, a0), 3u), i, a1);', [name, name], values, out)
        wrong += [width for group in members if (out[group] != values[group[3]]).any()]
    # [CLC 6.15.20 R1]
    check(f'vectors of {name} are broadcast', not wrong, wrong)


def bits_of(positions):
    whole = sum(1 << position for position in positions)
    return [whole >> 32 * n & 0xffffffff for n in range(4)]


def ballots():
    values = random.integers(0, 2, ITEMS).astype('i4')
    out = numpy.zeros((ITEMS, 16), 'u4')
    launch('''uint4 b = sub_group_ballot(a0[i]); uint16 r = 0; r.s0123 = b; r.s4 = !!sub_group_inverse_ballot(b);
        r.s5 = !!sub_group_ballot_bit_extract(b, 1u); r.s6 = sub_group_ballot_bit_count(b);
        r.s7 = sub_group_ballot_inclusive_scan(b); r.s8 = sub_group_ballot_exclusive_scan(b);
        r.s9 = sub_group_ballot_find_lsb(b); r.sa = sub_group_ballot_find_msb(b); r.sb = !!sub_group_elect();
        r.sc = !!sub_group_non_uniform_all(a0[i]); r.sd = !!sub_group_non_uniform_any(a0[i]);
        r.se = !!sub_group_non_uniform_all_equal(a0[i]); r.sf = !!sub_group_all(a0[i]) * 2 + !!sub_group_any(a0[i]);
        a1[i] = r;''', ['int', 'uint16'], values, out)
    good = True
    for group in members:
        votes = [int(values[item]) for item in group]
        voters = [n for n, vote in enumerate(votes) if vote]
        for n, item in enumerate(group):
            want = bits_of(voters) + [votes[n], votes[1], len(voters), sum(votes[:n + 1]), sum(votes[:n])]
            want += [voters[0], voters[-1]] if voters else list(out[item, 9:11])
            want += [n == 0, all(votes), any(votes), len(set(votes)) == 1, all(votes) * 2 + any(votes)]
            good = good and list(out[item]) == [int(w) for w in want]
    # [CLC 6.15.20.1 R1; CLC 6.15.20.4 R1]
    check('ballots and votes', good)


def constant_ballots():
    """Also in a partial sub-group, bits below the maximum size count. [CLC 6.15.20]"""
    bits = random.integers(0, 1 << 32, (ITEMS, 4), 'u4')
    bits[::3] = 0xffffffff
    out = numpy.zeros((ITEMS, 4), 'u4')
    launch('a1[i] = (uint4)(sub_group_ballot_bit_count(a0[i]), sub_group_ballot_find_lsb(a0[i]), '
           'sub_group_ballot_find_msb(a0[i]), get_sub_group_size());', ['uint4', 'uint4'], bits, out)
    good = True
    for item in range(ITEMS):
        voters = [n for n in range(min(largest, 128)) if bits[item, n // 32] >> n % 32 & 1]
        good = good and list(out[item, :3]) == [len(voters), voters[0], voters[-1]]
    check('a sub-group is partial', (out[:, 3] < largest).any())
    # [CLC 6.15.20.1 R1]
    check('bits of ballots that the program makes up', good, out[-3:].tolist())


def masks():
    kinds = {'eq': int.__eq__, 'ge': int.__ge__, 'gt': int.__gt__, 'le': int.__le__, 'lt': int.__lt__}
    out = numpy.zeros((ITEMS, len(kinds), 4), 'u4')
    launch(''.join(f'a0[{len(kinds)} * i + {n}] = get_sub_group_{kind}_mask();' for n, kind in enumerate(kinds)), ['uint4'], out)
    good = True
    for group in members:
        for n, item in enumerate(group):
            for k, compare in enumerate(kinds.values()):
                # Bits past the sub-group, up to its maximum size, may be set.
                within = numpy.array(bits_of(range(len(group))), 'u4')
                good = good and ((out[item, k] & within) == bits_of(m for m in range(len(group)) if compare(m, n))).all()
    # [CLC 6.15.20.1 R2]
    check('masks', good)


def meeting_again():
    """After a loop with different trip counts, and a function that some work-items call, all have
    reconverged."""
    out = numpy.zeros((ITEMS, 3), 'i4')
    program = '''uint n = get_sub_group_local_id(), s = 0;
        for (uint k = 0; k < n % 4; k++) s += sub_group_non_uniform_reduce_add(1);
        a0[3 * i] = s; a0[3 * i + 1] = sub_group_non_uniform_reduce_add(1);
        if (n % 5 == 2) helper(n);
        a0[3 * i + 2] = sub_group_non_uniform_reduce_add(1);'''
    launch(program, ['int'], out, before='int helper(int x) { return x & 1 ? sub_group_non_uniform_reduce_add(x) : x; }')
    good = True
    for group in members:
        rounds = [sum(n % 4 > k for n in range(len(group))) for k in range(4)]
        for n, item in enumerate(group):
            good = good and list(out[item]) == [sum(rounds[:n % 4]), len(group), len(group)]
    check('work-items meet again behind loops and calls', good, out[:8])


members, largest = find_sub_groups()
for type_name, code in TYPES.items():
    arithmetic(type_name, numpy.dtype(code))
    movement(type_name, numpy.dtype(code))
    vectors(type_name, numpy.dtype(code))
ballots()
constant_ballots()
masks()
meeting_again()
sys.exit(done())
