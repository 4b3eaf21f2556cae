#!/usr/bin/env python3
"""Elements of memory that arguments point to: they have the type in the source, for refcl kernel, explore and
--auto, even if pointers in the module have another type."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
import tap
from built import PATIENCE, REFCL
from tap import check

# The pointers are to half, uchar and float4, which a translator without typed pointers may infer.
MODULE = """OpCapability Addresses
OpCapability Kernel
OpCapability Int16
OpCapability Float16Buffer
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%1 = OpString "kernel_arg_type.k.ushort*,struct pair*,uint*,uint*,"
OpSource OpenCL_C 300000
OpName %in "in"
OpName %pairs "pairs"
OpName %words "words"
OpName %out "out"
OpName %pair "struct.pair"
%void = OpTypeVoid
%uchar = OpTypeInt 8 0
%ushort = OpTypeInt 16 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%v4float = OpTypeVector %float 4
%pair = OpTypeStruct %uint %ushort
%to_half = OpTypePointer CrossWorkgroup %half
%to_uchar = OpTypePointer CrossWorkgroup %uchar
%to_uint = OpTypePointer CrossWorkgroup %uint
%to_v4float = OpTypePointer CrossWorkgroup %v4float
%to_pair = OpTypePointer CrossWorkgroup %pair
%type = OpTypeFunction %void %to_half %to_uchar %to_v4float %to_uint
%uint_0 = OpConstant %uint 0
%ulong_1 = OpConstant %ulong 1
%ulong_2 = OpConstant %ulong 2
%k = OpFunction %void None %type
%in = OpFunctionParameter %to_half
%pairs = OpFunctionParameter %to_uchar
%words = OpFunctionParameter %to_v4float
%out = OpFunctionParameter %to_uint
%entry = OpLabel
%at = OpInBoundsPtrAccessChain %to_half %in %ulong_1
%h = OpLoad %half %at Aligned 2
%s = OpBitcast %ushort %h
%u = OpUConvert %uint %s
%ps = OpBitcast %to_pair %pairs
%pa = OpInBoundsPtrAccessChain %to_uint %ps %ulong_1 %uint_0
%p = OpLoad %uint %pa Aligned 4
%ws = OpBitcast %to_uint %words
%wa = OpInBoundsPtrAccessChain %to_uint %ws %ulong_2
%w = OpLoad %uint %wa Aligned 4
%x = OpIAdd %uint %u %p
%y = OpIAdd %uint %x %w
OpStore %out %y Aligned 4
OpReturn
OpFunctionEnd
"""
SOURCE = """struct pair { char a; float b; };
typedef struct { int x; short y; } point;
typedef float real;
kernel void k(global struct pair *pairs, global point *points, global real *reals, global int *out)
{
    out[0] = pairs[2].a + (int)pairs[2].b + points[1].x + points[1].y + (int)reals[3];
}
"""
# The name of a structure may begin like that of a vector.
MATRICES = """typedef struct { float4 rows[4]; } float4x4;
kernel void k(global float4x4 *in, global int *out)
{
    out[0] = (int)in[1].rows[3].w;
}
"""
# Arguments, the result; None: an access out of bounds.
LAUNCHES = [
    ("module.spvasm", MODULE, ["in=buf:2:iota", "pairs=buf:2:fill={100,7}", "words=buf:3:iota"], 1 + 100 + 2),
    ("module.spvasm", MODULE, ["in=buf:2:fill=7", "pairs=buf:2", "words=buf:3:fill=5"], 7 + 5),
    ("module.spvasm", MODULE, ["in=buf:1:iota", "pairs=buf:2", "words=buf:3"], None),
    ("module.spvasm", MODULE, ["in=buf:2:iota", "pairs=buf:1", "words=buf:3"], None),
    ("module.spvasm", MODULE, ["in=buf:2:iota", "pairs=buf:2", "words=buf:2"], None),
    ("matrices.cl", MATRICES, ["in=buf:2:fill={{{1,2,3,4},{5,6,7,8},{9,10,11,12},{13,14,15,16}}}"], 16),
    ("matrices.cl", MATRICES, ["in=buf:1"], None),
    ("structures.cl", SOURCE, ["pairs=buf:3:fill={3, 20.0}", "points=buf:2:fill={100,1000}", "reals=buf:4:iota"], 1126),
    ("structures.cl", SOURCE, ["pairs=buf:2", "points=buf:2", "reals=buf:4"], None),
    ("structures.cl", SOURCE, ["pairs=buf:3", "points=buf:1", "reals=buf:4"], None),
    ("structures.cl", SOURCE, ["pairs=buf:3", "points=buf:2", "reals=buf:3"], None),
]


def run(*words):
    return subprocess.run([REFCL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)


def options(arguments):
    return [word for a in [*arguments, "out=buf:1"] for word in ("-a", a)]


def launched(path, arguments):
    done = run("kernel", "-q", "-p", "out", "--json", path + ".json", *options(arguments), path)
    with open(path + ".json") as f:
        kinds = {finding["kind"] for finding in json.load(f)["findings"]}
    return None if kinds == {"out-of-bounds"} else done.stdout, done


def explored(path, arguments, wanted):
    done = run("explore", "--json", "-", "--assert", "forall (out[0] == %d)" % (wanted or 0), *options(arguments), path)
    test = json.loads(done.stdout)["tests"][0]
    return None if "out_of_bounds" in test.get("flags", []) else test["condition"], done


def main():
    if not os.path.exists(REFCL):
        tap.skip_all("%s is not built" % REFCL)
    with tempfile.TemporaryDirectory(prefix="refcl-test.") as folder:
        for name, text, arguments, wanted in LAUNCHES:
            path = os.path.join(folder, name)
            with open(path, "w") as f:
                f.write(text)
            got, done = launched(path, arguments)
            check("kernel: " + " ".join(arguments), got == (None if wanted is None else "out: %d\n" % wanted), (got, done.stderr))
            got, done = explored(path, arguments, wanted)
            check("explore: " + " ".join(arguments), got == (None if wanted is None else "holds"), (done.stdout, done.stderr))
        for argument in ("points=buf:2:iota", "points=buf:2:fill=1"):
            words = options(["pairs=buf:3", argument, "reals=buf:4"])
            for command in ("kernel", "explore"):
                done = run(command, *words, path)
                check("%s: %s" % (command, argument), done.returncode == 2 and "numbers and vectors" in done.stderr, done.stderr)
        done = run("kernel", "--auto", path)
        check("chosen numbers of structures", done.returncode in (0, 1) and "points=buf:4096 " in done.stderr and "reals=buf:4096:changing" in done.stderr and
              "out-of-bounds" not in done.stderr, done.stderr)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
