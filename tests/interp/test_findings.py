#!/usr/bin/python3
"""Undefined behavior of each class: the report names the clause, the kernel, the work-item, the source line,
the object and where that was created; a correct variant of the program has none."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
REFCL = os.environ.get('REFCL', os.environ.get('BUILD', 'build') + '/refcl')
HOST = HERE + '/findings_host.c'
HEAD = 'kernel void k(global int *in, global int *out) {\n  int i = get_global_id(0), l = get_local_id(0);\n'
IMAGE = 'kernel void k(global int *in, global int *out, IMAGE image) {\n  int i = get_global_id(0), l = get_local_id(0);\n'

# name, program (line 3 is wrong by default), and expected parts of the report: kind, clause, first work-item,
# and the object's region, name, and the host line that creates it.
CASES = [
    ('global memory', HEAD + 'out[i + 13] = 1; }', 'out-of-bounds', 'CLC 6.7', 3, 'global', 'buffer 2', 'OUT'),
    ('before global memory', HEAD + 'out[i - 2] = 1; }', 'out-of-bounds', 'CLC 6.7', 0, 'global', 'buffer 2', 'OUT'),
    ('a neighboring object', HEAD + 'int d = (int)(out - in); in[d + (i == 5 ? 0 : -d)] = 1; }', 'out-of-bounds', 'CLC 6.7', 5,
     'global', 'buffer 1', 'IN'),
    ('constant memory', 'constant int t[4] = {1, 2, 3, 4};\n' + HEAD.replace('\n', ' ') + '\nout[i] = t[i]; }', 'out-of-bounds', 'CLC 6.7',
     4, 'constant', 't', None),
    ('local memory', HEAD + 'local int box[4]; box[l + 1] = 1; }', 'out-of-bounds', 'CLC 6.7', 3, 'local', 'box', None),
    ('private memory', HEAD + 'int box[4] = {0}; box[in[0] + i] = 1; out[i] = box[in[1]]; }', 'out-of-bounds', 'CLC 6.7', 4, None,
     'private object box of 16 bytes', None),
    ('program-scope memory', 'global int t[4];\n' + HEAD.replace('\n', ' ') + '\nt[i] = 1; }', 'out-of-bounds', 'CLC 6.7', 4,
     'program-scope', 't', None),
    ('an image', IMAGE.replace('IMAGE', 'write_only image2d_t') + 'write_imageui(image, (int2)(i, 0), 1); }', 'out-of-bounds', 'CLC 6.15.15',
     4, 'image', 'image', 'IMAGE'),
    ('a value never given to a branch', HEAD + 'int x; if (in[0] > 0) x = 1; if (x > 3)\nout[i] = 1; }', 'uninitialized', 'CLC 6.3.1', 0,
     None, None, None),
    ('a value never given to an address', HEAD + 'int x; if (in[0] > 0) x = 1; out[x & 7] = 1; }', 'uninitialized', 'CLC 6.3.1', 0,
     None, None, None),
    ('a value never given to memory', HEAD + 'int x; if (in[0] > 0) x = 1; out[i] = x; }', 'uninitialized', 'CLC 6.3.1', 0, None, None,
     None),
    ('uninitialized memory', HEAD + 'if (out[i] > 3) in[i] = 1; }', 'uninitialized', 'CLC 6.3.1', 0, None, None, None),
    ('uninitialized local memory', HEAD + 'local int box[4]; if (l > 0) box[l] = 1; barrier(1); out[i] = box[l]; }', 'uninitialized',
     'CLC 6.3.1', 0, None, None, None),
    ('a variable after its life', '__attribute__((noinline)) int *f(int x) { int v[2] = {x, x}; int *volatile p = v; return p; }\n' +
     HEAD.replace('\n', ' ') + '\nint *p = f(i); out[i] = p[in[0]]; }', 'use-after-lifetime', 'CLC 6.7.1', 0, None, 'variable v', None),
    ('misaligned access', HEAD + 'out[0] = *(global int *)((global char *)in + i); }', 'misaligned', 'CLC 6.', 1, 'global', 'buffer 1', 'IN'),
    ('a null pointer', HEAD + 'global int *p = i == 2 ? 0 : in; out[i] = *p; }', 'null-pointer', 'CLC 6.7', 2, None, None, None),
    ('an array inside of an object', 'struct s { int a[2], b[2]; };\n' + HEAD.replace('\n', ' ') +
     '\n((global struct s *)out)[0].a[i] = 1; }', 'out-of-bounds', 'CLC 6.7', 2, 'global', 'buffer 2', 'OUT'),
    ('memory of another work-group', HEAD + 'local int box[4]; out[i] = 1; *(local int *)((local char *)box + 64 * i) = 1; }', 'out-of-bounds',
     'CLC 6.7', 1, 'local', 'box', None),
    ('division by zero', HEAD + 'out[i] = 6 / (i - 3); }', 'division-by-zero', 'SPIRV 3.49.13', 3, None, None, None),
    ('signed overflow', HEAD + 'out[i] = in[i] + (2147483644 + i) + 0 * in[1]; int x = 2147483640 + in[0]; x += 2 * i; out[i] = x; }',
     'signed-overflow', 'CLC 6.3.3', 4, None, None, None),
    ('a float that fits no integer', HEAD + 'float x = 1e9f * i; out[i] = (int)x; }', 'float-to-integer', 'CLC 6.', 3, None, None, None),
    ('unreachable code', HEAD + 'if (i == 2) __builtin_unreachable(); out[i] = 1; }', 'unreachable', 'SPIRV', 2, None, None, None),
    # [CLC 6.15.8 R1]
    ('a barrier that not all reach', HEAD + 'if (l != 1) barrier(CLK_LOCAL_MEM_FENCE); out[i] = 1; }', 'barrier-divergence', 'CLC 6.15.8', 0,
     None, None, None),
    # [CLC 6.15.16 R1; CLC 6.15.17 R1]
    ('a group function that not all reach', HEAD + 'out[i] = l; if (l != 1) out[i] = work_group_reduce_add(l); }', 'barrier-divergence',
     'CLC 6.15.8', 0, None, None, None),
    # [CLC 6.15.12.7.1 R1]
    ('an order that a store cannot have', HEAD + 'atomic_store_explicit((global atomic_int *)out, 1, memory_order_acquire, memory_scope_device); }',
     'invalid-order', 'CLC 6.15.12', 0, None, None, None),
    ('an atomic operation on a null pointer', HEAD + 'global atomic_int *p = i == 3 ? 0 : (global atomic_int *)in;\n'
     'atomic_fetch_add_explicit(p, 1, memory_order_relaxed, memory_scope_device); }', 'null-pointer', 'CLC 6.7', 3, None, None, None),
    ('a write to constant memory', 'constant int t[4] = {1, 2, 3, 4};\n' + HEAD.replace('\n', ' ') +
     '\nif (i == 1) *(volatile private int *)(ulong)&t[i] = 1; }', 'write-to-constant', 'CL 5.3.3', 1, 'constant', 't', None),
    ('an infinite loop', HEAD + 'while (in[0] == 0) ; out[i] = 1; }', 'step-limit', 'refcl', 0, None, None, None),
    ('a correct program', HEAD + 'local int box[4]; box[l] = in[i]; barrier(CLK_LOCAL_MEM_FENCE); out[i] = box[3 - l] / (i + 1); }', None, None,
     None, None, None, None),
]


def run(host, folder, program):
    with open(folder + '/k.cl', 'w') as file:
        file.write(program + '\n')
    command = [REFCL, 'run', '-q', '-c', 'race,memory,uninitialized', '--step-limit', '100000', '--json', folder + '/report', '--', host,
               folder + '/k.cl']
    if os.path.exists(folder + '/report'):
        os.remove(folder + '/report')
    done = subprocess.run(command, capture_output=True, text=True)
    if not os.path.exists(folder + '/report'):
        return done.stdout + done.stderr
    with open(folder + '/report') as file:
        return json.load(file)


def problem(case, report, places):
    """The difference between the report and the expectation; "" if there is none."""
    name, program, kind, clause, item, region, object_name, created = case
    if isinstance(report, str):
        return report
    if kind is None:
        return str(report['findings']) if report['findings'] else ''
    found = [f for f in report['findings'] if f['kind'] == kind]
    if not found:
        return f'no {kind}, but {[(f["kind"], f["message"]) for f in report["findings"]]}'
    f, access = found[0], found[0]['accesses'][0]
    line = program.count('\n', 0, program.rindex(program.split('\n')[-1])) + 1
    memory = f.get('memory', {})
    for what, is_, should in [('clause', f['clause'].startswith(clause), True), ('kernel', access['kernel'], 'k'),
                              ('work-item', access['work_item'], [item, 0, 0]), ('file', os.path.basename(access['file']), 'k.cl'),
                              ('region', memory.get('region') if region else None, region),
                              ('object', (object_name or '') in (memory.get('name', '') if region else f['message']), True),
                              ('created', memory.get('created', {}).get('line') if created else None, places.get(created)),
                              ('offset is a small number', abs(memory.get('offset', 0)) < 1 << 20, True),
                              ('enqueued', access.get('enqueued', {}).get('function'), 'main')]:
        if is_ != should:
            return f'{what}: {is_}, expected {should}: {f}'
    if 'uninitialized' not in kind and access['line'] != line:
        return f'line {access["line"]}, expected {line}: {f}'
    return ''


def main():
    with open(HOST) as file:
        lines = file.read().split('\n')
    places = {word: n + 1 for n, text in enumerate(lines) for word in ('IN', 'OUT', 'IMAGE') if f'/* {word} */' in text}
    with tempfile.TemporaryDirectory() as folder:
        host = folder + '/host'
        subprocess.run([os.environ.get('CC', 'gcc'), '-g', '-w', '-o', host, HOST, '-lOpenCL'], check=True)
        for number, case in enumerate(CASES, 1):
            wrong = problem(case, run(host, folder, case[1]), places)
            print(f'{"not ok" if wrong else "ok"} {number} - {case[0]}')
            if wrong:
                print('# ' + wrong.replace('\n', '\n# '))
    print(f'1..{len(CASES)}')


if __name__ == '__main__':
    sys.exit(main())
