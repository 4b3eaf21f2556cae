#!/usr/bin/env python3
"""The modules in a plan for Vulkan have exactly the operations of the tests' texts: they are parsed from the
words, independently of the code that writes them.  The same for 64-bit locations, and for memory accessed
through addresses. test_vulkan_modules.py [plain|wide|pointers|both...]     only these modes"""
import base64
import collections
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from built import REFCL, ROOT  # noqa: E402
from tap import check, done  # noqa: E402

os.chdir(ROOT)
SCOPES = {"dv": 1, "wg": 2, "sg": 3, "qf": 5}
ORDERS = {"acq": 0x2, "rel": 0x4, "acq_rel": 0x8}
BITS = {"semsc0": 0x40, "semsc1": 0x100, "semsc2": 0x800, "semsc3": 0x1000, "semav": 0x2000, "semvis": 0x4000}
RMW = {"exch": 229, "cas": 230, "add": 234, "sub": 235, "smin": 236, "umin": 237, "smax": 238, "umax": 239, "and": 240,
       "or": 241, "xor": 242}
TEXEL_POINTER, READ, WRITE = 60, 98, 99
LOAD, STORE, ATOMIC_LOAD, ATOMIC_STORE, CONTROL, MEMORY = 61, 62, 227, 228, 224, 225
ADD, CONVERT, ALIGNED = 128, 120, 0x2
NON_PRIVATE, MAKE_AVAILABLE, MAKE_VISIBLE = 0x20, 0x8, 0x10
MODES = {"plain": [], "wide": ["--wide"], "pointers": ["--pointers"], "both": ["--wide", "--pointers"]}
TEXEL_BITS = {0x100: MAKE_AVAILABLE, 0x200: MAKE_VISIBLE}
FRAME_BARRIER = (CONTROL, 2, 2, 0x8 | 0x100 | 0x2000 | 0x4000)
FRAME_ACCESSES = {(LOAD, "local", NON_PRIVATE, 0), (STORE, "local", NON_PRIVATE, 0)}

# Every kind of operation that a text can contain.
OWN = """VULKAN everything
{ x = 0; y = 0; z = 0; }
 P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 | P2@sg 0, wg 1, qf 0 ;
 st.sc0 x, 1 | ld.sc0 r0, x | ld.vis.dv.sc0 r0, x ;
 st.nonpriv.sc0 x, 1 | ld.nonpriv.sc0 r1, x | ld.vis.qf.sc0 r1, x ;
 st.av.dv.sc0 x, 1 | ld.vis.wg.sc0 r2, x | ld.atom.acq.qf.sc0.semsc0.semsc1 r2, x ;
 st.av.sg.sc0 x, 1 | ld.atom.sg.sc0 r3, y | st.atom.rel.qf.sc0.semsc0.semav x, 3 ;
 membar.rel.dv.semsc0.semav | membar.acq.dv.semsc0.semvis | membar.acq_rel.qf.semsc0.semsc1.semav.semvis ;
 membar.acq_rel.wg.semsc1 | membar.rel.sg.semsc0.semsc1 | rmw.atom.acq_rel.dv.sc0.semsc0.semav.semvis.xor r3, y, 2 ;
 cbar.acq_rel.wg.semsc0.semsc1.semav.semvis 7 | cbar.acq_rel.wg.semsc0.semsc1.semav.semvis 7 | rmw.atom.acq.dv.sc0.semsc0.smax r4, y, 2 ;
 st.atom.rel.wg.sc1.semsc1.semav z, 1 | ld.atom.acq.wg.sc1.semsc1.semvis r4, z | rmw.atom.rel.wg.sc0.semsc0.cas r5, y, 2, 3 ;
 st.nonpriv.sc1 z, 2 | ld.nonpriv.sc1 r5, z | rmw.atom.acq_rel.dv.sc0.semsc0.semvis.cas r6, y, 2, 3 ;
exists (P2:r6 == 1 /\\ P1:r5 == 2)
"""

# Texels, which have 32 bits.
IMAGES = """VULKAN images
{ x = 0; w = 0; }
 P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;
 st.sc2 w, 1 | ld.sc2 r0, w ;
 st.nonpriv.sc2 w, 1 | ld.nonpriv.sc2 r1, w ;
 st.av.dv.sc2 w, 2 | ld.vis.wg.sc2 r2, w ;
 st.atom.rel.qf.sc2.semsc2.semav w, 3 | ld.atom.acq.dv.sc2.semsc2.semvis r3, w ;
 rmw.atom.acq_rel.dv.sc2.semsc0.semsc2.semav.semvis.add r0, w, 2 | rmw.atom.acq_rel.dv.sc2.semsc2.semvis.cas r4, w, 2, 3 ;
 membar.rel.dv.semsc0.semsc2.semav | membar.acq.dv.semsc0.semsc2.semvis ;
 st.nonpriv.sc0 x, 1 | ld.nonpriv.sc0 r5, x ;
exists (P1:r3 == 1)
"""


def expected(source):
    """The operations of a text: accesses (opcode, place, ...) and barriers."""
    body = re.search(r"\{(.*?)\}\s*(P\d+@.*?;)(.*?)(?:exists|forall|~exists|locations)", source, re.S)
    places = [re.match(r"\s*(?:\w+\s+)?\[?(\w+)", i).group(1) for i in body.group(1).split(";")
              if i.strip() and not re.match(r"\s*P?\d+\s*:", i)]
    found = collections.Counter()
    for cell in re.split(r"[|;]", body.group(3)):
        name, _, operands = cell.strip().partition(" ")
        tags = name.split(".")
        kind, tags = tags[0], tags[1:]
        if kind not in ("ld", "st", "rmw", "membar", "cbar"):
            continue
        scope = next((SCOPES[t] for t in tags if t in SCOPES), 0)
        order = next((ORDERS[t] for t in tags if t in ORDERS), 0)
        semantics = (order | sum(BITS.get(t, 0) for t in tags)) if order else 0
        if kind == "membar":
            found[(MEMORY, scope, semantics)] += 1
            continue
        if kind == "cbar":
            found[(CONTROL, 3 if scope == 3 else 2, scope, semantics)] = 1
            continue
        location = re.split(r"[,+]", operands)[0 if kind == "st" else 1].strip()
        place = "local" if "sc1" in tags else places.index(location)
        if kind == "rmw":
            code = next((RMW[t] for t in tags if t in RMW), 229)
            weaker = semantics & ~0x2000
            weaker = weaker & ~0x8 | 0x2 if order == 0x8 else 0 if order == 0x4 else weaker
            found[(code, place, scope, semantics) + ((weaker,) if code == 230 else ())] += 1
        elif "atom" in tags:
            found[(ATOMIC_LOAD if kind == "ld" else ATOMIC_STORE, place, scope, semantics)] += 1
        else:
            make = MAKE_VISIBLE if "vis" in tags else MAKE_AVAILABLE if "av" in tags else 0
            private = NON_PRIVATE if make or "nonpriv" in tags else 0
            found[(LOAD if kind == "ld" else STORE, place, private | make, scope if make else 0)] += 1
    return found


def instructions(words):
    at = 5
    while at < len(words):
        count = words[at] >> 16
        yield words[at] & 0xffff, words[at + 1:at + count]
        at += count


def operations(words):
    """The operations of the function "run" on the test's locations; the sizes of atomic values; whether
    memory has addresses."""
    constants, bindings, chains, variables, found = {}, {}, {}, {}, collections.Counter()
    converted, addresses, sizes, images, atomics = set(), {}, {}, {}, set()  # addresses: values computed from a location's address
    entry = function = None
    pointers = any(code == CONVERT for code, _ in instructions(words))

    def memory_operands(a):
        mask, rest = (a[0], a[1:]) if a else (0, ())
        if (mask & ALIGNED != 0) != pointers and place_now != "local":
            return "not aligned" if pointers else "aligned"
        return mask & ~ALIGNED, constants[rest[1 if mask & ALIGNED else 0]] if mask & 0x18 else 0

    for code, a in instructions(words):
        if code == 15 and struct.pack("<I", a[2]) == b"run\0":
            entry = a[1]
        elif code == 43:
            constants[a[1]] = a[2]
        elif code == 71 and a[1] == 33:
            bindings[a[0]] = a[2]
        elif code == 59:
            variables[a[1]] = a[2]
        elif code == 54:
            function = a[1]
        elif code == 21:
            sizes[a[0]] = a[1]
        elif code == LOAD and pointers and isinstance(chains.get(a[2]), int) and a[2] not in converted:
            addresses[a[1]] = chains[a[2]]
            continue
        elif code == ADD and (a[2] in addresses or a[3] in addresses):
            addresses[a[1]] = addresses.get(a[2], addresses.get(a[3]))
        elif code == TEXEL_POINTER:
            chains[a[1]] = bindings[a[2]] - 70
        elif code == LOAD and bindings.get(a[2], 0) >= 70:
            images[a[1]] = bindings[a[2]] - 70
        elif code == CONVERT:
            chains[a[1]] = addresses[a[2]]
            converted.add(a[1])
        elif code == 65:
            chains[a[1]] = "local" if variables.get(a[2]) == 4 else bindings.get(a[2], -1) - 6
        if function != entry or function is None:
            continue
        place = lambda pointer: chains.get(pointer, -9)  # noqa: E731
        place_now = place(a[2 if code == LOAD else 0]) if code in (LOAD, STORE) else None
        if (code == ATOMIC_LOAD or 229 <= code <= 242) and place(a[2]) != -9 and (place(a[2]) == "local" or place(a[2]) >= 0):
            atomics.add(sizes[a[0]])
        number = lambda id_: constants[id_]  # noqa: E731
        if code in (READ, WRITE):
            image, mask, *rest = [images[a[2]], *a[4:], 0] if code == READ else [images[a[0]], *a[3:], 0]
            makes = next((bit for texel, bit in TEXEL_BITS.items() if mask & texel), 0)
            found[(LOAD if code == READ else STORE, image, (NON_PRIVATE if mask & 0x400 else 0) | makes, number(rest[0]) if makes else 0)] += 1
        elif code in (LOAD, STORE) and place(a[2 if code == LOAD else 0]) in ("local", *range(64)):
            found[(code, place(a[2 if code == LOAD else 0])) + memory_operands(a[3 if code == LOAD else 2:])] += 1
        elif code == ATOMIC_STORE:
            found[(code, place(a[0]), number(a[1]), number(a[2]))] += 1
        elif code == ATOMIC_LOAD or 229 <= code <= 242:
            if place(a[2]) != "local" and place(a[2]) < 0:
                continue
            more = (number(a[5]),) if code == 230 else ()
            found[(code, place(a[2]), number(a[3]), number(a[4])) + more] += 1
        elif code == MEMORY:
            found[(code, number(a[0]), number(a[1]))] += 1
        elif code == CONTROL:
            found[(code, number(a[0]), number(a[1]), number(a[2]))] = 1
    return found, atomics, pointers


with tempfile.TemporaryDirectory() as tmp:
    with open(f"{tmp}/own.litmus", "w") as f:
        f.write(OWN)
    with open(f"{tmp}/images.litmus", "w") as f:
        f.write(IMAGES)
    suite = [f"litmus/suite/{d}" for d in ("barriers", "fences", "generated-barriers", "generated-scopes", "generated-local",
                                           "generated-rmw", "locks", "message-passing", "regions", "rmw", "scopes",
                                           "generated-sub-group-barriers", "generated-fence-scopes")]
    for mode in sys.argv[1:] or MODES:
        options = MODES[mode]
        shown = " ".join(["plan"] + options)
        planned = subprocess.run([REFCL, "litmus", "plan", "--vulkan", "-o", f"{tmp}/plan.json"] + options + [f"{tmp}/own.litmus", f"{tmp}/images.litmus"] + suite,
                                 check=False)
        check(shown, planned.returncode == 0)
        fits = subprocess.run(["/usr/bin/python3", "tools/validate.py", "tools/schema/plan.schema.json", f"{tmp}/plan.json"], check=False)
        check(f"{shown}: it fits its schema", fits.returncode == 0)
        with open(f"{tmp}/plan.json") as f:
            tests = json.load(f)["tests"]
        print("#", dict(collections.Counter(t["skip"] for t in tests if "skip" in t)))
        check(f"{shown}: tests without a module say why", all("skip" in t or "vulkan" in t for t in tests))
        ran = [t for t in tests if "vulkan" in t]
        check(f"{shown}: most tests have a module", len(ran) > 200, f"{len(ran)} of {len(tests)}")
        check(f"{shown}: the one with all operations too", "vulkan" in tests[0], tests[0].get("skip"))
        check(f"{shown}: and that with texels, unless they are 64 bits wide", ("vulkan" in tests[1]) != ("--wide" in options), tests[1].get("skip"))
        wrong = []
        for t in ran:
            data = base64.b64decode(t["vulkan"], validate=True)
            want = expected(t["source"])
            got, sizes, pointers = operations(struct.unpack(f"<{len(data) // 4}I", data))
            missing, extra = want - got, got - want
            extra = [e for e in extra if e not in FRAME_ACCESSES and e != FRAME_BARRIER]
            if missing or extra or sizes - {64 if "--wide" in options else 32}:
                wrong.append(f"{t['name']}: missing {dict(missing)}, not asked for {extra}, atomics of {sizes} bits")
            if pointers != ("--pointers" in options and any(place["region"] == "global" for place in t["locations"])):
                wrong.append(f"{t['name']}: addresses: {pointers}")
        check(f"{shown}: the operations of {len(ran)} modules are those of the texts", not wrong, "\n".join(wrong[:10]))
sys.exit(done())
