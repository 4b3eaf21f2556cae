#!/usr/bin/env python3
"""Random kernels with regular subscripts: instrumented code has the findings of the interpreter.

Rows, columns and strides of one and two dimensions behind guards, trees in local memory, barriers with either
flag, and work-group functions; many kernels race, or access memory out of bounds, in one element.  The
interpreter's report and final memory are the expected ones; many of the clean kernels must not need the
interpreter under REFCL_ENGINE=jit.  RANDOM_SUBSCRIPTS_COUNT kernels (default 24), RANDOM_SUBSCRIPTS_SEED."""
import os
import random
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, ".."), os.path.join(here, "../../lib")]
import slow_instrumented  # noqa: E402
from built import JOBS, REFCL  # noqa: E402

COUNT = int(os.environ.get("RANDOM_SUBSCRIPTS_COUNT", "24"))
SEED = int(os.environ.get("RANDOM_SUBSCRIPTS_SEED", "1"))
LEAST_WATCHED = 0.15  # of all kernels


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.two = self.r.random() < 0.5
        if self.two:
            self.local = [self.r.choice([1, 2, 4, 8, 16]), self.r.choice([1, 2, 3, 4, 8])]
            groups = [self.r.randint(1, 3), self.r.randint(1, 3)]
        else:
            self.local = [self.r.choice([4, 8, 16, 16, 32, 64])]
            groups = [self.r.randint(1, 4)]
        self.size = [n * g for n, g in zip(self.local, groups)]
        if self.r.random() < 0.15:
            self.size[0] += self.r.randint(1, self.local[0])
        self.items = self.local[0] * (self.local[1] if self.two else 1)
        self.offset = [self.r.choice([0, 0, 0, 0, 1, 5]) for _ in self.size]
        self.usual = None

    def near(self, n):
        return max(1, n + self.r.choice([-1, 0, 0, 0, 0, 1, 3]))

    def constant(self):
        return self.r.choice([0, 0, 0, 1, 2, 3])

    def global_subscript(self):
        """Mostly the variable that the kernel uses first, so that many kernels are free of races."""
        if self.usual is None or self.r.random() < 0.15:
            self.usual = self.any_subscript()
        return self.usual

    def any_subscript(self):
        r, c = self.r, self.constant()
        if self.two:
            w, h = self.size
            return r.choice([
                "y * w + x", "x * h + y", "x * %d + y" % self.near(h), "y * %d + x" % self.near(w),
                "(x + %d) * h + y" % c, "(x + %d) * %d + y + %d" % (c, self.near(h) + 2, r.choice([0, 1, 2])),
                "x * h + y + %d" % c, "(y * w + x) * 2 + %d" % r.choice([0, 1, 2]), "(x * h + y) * 2 + %d" % r.choice([0, 1]),
                "x * (h + %d) + y" % c, "x * h * 2 + y * 2", "x * h + (h - 1 - y)", "x", "y", "x * h", "(uint)x * (uint)h + (uint)y",
                "(int)x * (int)h + (int)y", "(x + 1) * %d - y" % self.near(h), "y * %d + x * %d" % (r.choice([1, 2, w]), r.choice([1, h, w]))])
        return r.choice(["x", "x + %d" % c, "x * 2 + %d" % r.choice([0, 1, 2]), "l", "g * %d + l" % self.near(self.local[0]),
                         "w - 1 - x", "x ^ 1", "x / 2", "x * 3 + %d" % c, "g", "(uint)x * 2u + 1u", "(x + %d) %% %d" % (c, self.near(self.size[0]))])

    def local_subscript(self):
        n, r = self.items, self.r
        if r.random() < 0.6:
            return "l"
        return r.choice(["l", "l", "(l + %d) %% %d" % (self.constant(), n), "l + %d" % self.constant(), "%d - l" % (n - 1),
                         "l * 2 + %d" % r.choice([0, 1]), "l ^ 1", "0", "l / 2"])

    def guard(self):
        if self.two:
            w, h = self.size
            return self.r.choice(["", "", "", "if (x < %d) " % self.near(w), "if (x < %d && y < %d) " % (self.near(w), self.near(h)),
                                  "if (y < %d) " % self.near(h), "if (y >= %d) " % self.near(2), "if (l == 0) ", "if (a[l] > 3) "])
        return self.r.choice(["", "", "", "if (x < %d) " % self.near(self.size[0]), "if (l == 0) ", "if (l == %d) " % (self.items - 1),
                              "if (l < %d) " % (self.items // 2), "if (a[x] > 3) "])

    def tree(self):
        n, r = self.items, self.r
        most = r.choice([n, n, n // 2, 2 * n])
        up = "t[off * (2 * l + 2) - %d] %s t[off * (2 * l + 1) - 1];" % (r.choice([1, 1, 1, 2]), r.choice(["+=", "="]))
        down = "int i = off * (2 * l + 1) - 1, j = off * (2 * l + %d) - 1; uint z = t[i]; t[i] = t[j]; t[j] += z;" % r.choice([2, 2, 2, 3])
        fence = r.choice(["CLK_LOCAL_MEM_FENCE"] * 5 + ["CLK_GLOBAL_MEM_FENCE"])
        text = "  int off = %d;\n  for (int d = %d; d > 0; d >>= 1, off *= 2) {\n    barrier(%s);\n    if (l < d) { %s }\n  }\n" % (
            r.choice([1, 1, 1, 2, 0]), most, fence, up)
        if r.random() < 0.6:
            text += r.choice(["", "  if (l == 0) t[%d] = 0;\n" % (2 * n - 1), "  if (l == %d) t[%d] = 0;\n" % (r.choice([0, 1]), n - 1)])
            text += "  for (int d = 1; d < %d; d *= 2) {\n    off >>= 1;\n    barrier(%s);\n    if (l < d) { %s }\n  }\n" % (2 * most, fence, down)
        return text + r.choice(["", "  barrier(CLK_LOCAL_MEM_FENCE);\n"])

    def group_function(self):
        place = "%d" % self.near(self.items // 2)
        if self.two:
            place = "(ulong)%d, (ulong)%d" % (self.r.choice([0, self.local[0] - 1, self.local[0]]), self.r.choice([0, self.local[1] - 1]))
        return self.r.choice(["v = work_group_reduce_add(v);", "v += work_group_scan_inclusive_max(v);", "v += work_group_scan_exclusive_add(v);",
                              "v += work_group_any(v > 9);", "v += work_group_all(v > 2);", "v += work_group_broadcast(v, %s);" % place])

    def statement(self):
        r = self.r
        kind = r.random()
        if kind < 0.3:
            return "%so[%s] = v;" % (self.guard(), self.global_subscript())
        if kind < 0.4:
            return "%so[%s] += v;" % (self.guard(), self.global_subscript())
        if kind < 0.5:
            return "%sv += a[%s];" % (self.guard(), self.global_subscript())
        if kind < 0.55:
            return "%sv += o[%s];" % (self.guard(), self.global_subscript())
        if kind < 0.6:
            return "%satomic_add(c + (%s) %% 8, v);" % (self.guard(), self.global_subscript())
        if kind < 0.7:
            return "%st[%s] = v;" % (self.guard(), self.local_subscript())
        if kind < 0.8:
            return "v += t[%s];" % self.local_subscript()
        if kind < 0.9:
            return "barrier(%s);" % r.choice(["CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"])
        return self.group_function()

    def kernel(self):
        body = "  uint v = a[l] + (uint)x;\n"
        body += self.r.choice(["", "  t[l] = v;\n", "  t[2 * l] = v;\n  t[2 * l + 1] = l;\n"])
        for _ in range(self.r.randint(1, 5)):
            body += "  " + self.statement() + "\n"
        if self.r.random() < 0.3:
            body += self.tree() + self.r.choice(["", "  v += t[l];\n"])
        body += self.r.choice(["", "  o[%s] = v;\n" % self.global_subscript()])
        ids = "  size_t x = get_global_id(0), w = get_global_size(0), h = get_global_size(1), y = get_global_id(1), g = get_group_id(0);\n"
        ids = ids.replace("size_t", self.r.choice(["size_t", "size_t", "int", "uint"]))
        return ("kernel void k(global uint *o, global const uint *a, global uint *c)\n{\n"
                "  local uint t[%d];\n%s  int l = get_local_linear_id();\n%s}\n" % (2 * self.items, ids, body))

    def run(self):
        needed = 1
        for n, f in zip(self.size, self.offset):
            needed *= n + f
        words = self.r.choice([1, 4, 16, 16, 16]) * needed + self.r.choice([0, 0, 1])
        def join(numbers):
            return ",".join(map(str, numbers))
        return ["-g", join(self.size), "-l", join(self.local), "--offset", join(self.offset), "-a", "buf:%d:iota" % words, "-a",
                "buf:%d:rand=1:below=8" % max(words, 256), "-a", "buf:8:zero", "-p", "o", "-p", "c"]


def examine(seed, folder):
    maker = Maker(seed)
    path = os.path.join(folder, "%d.cl" % seed)
    with open(path, "w") as f:
        f.write(maker.kernel())
    command = [REFCL, "kernel", "--quiet", "--json", path + ".json", *maker.run(), path]
    expected, _ = slow_instrumented.report(command, path + ".json", "interp", {})
    found, completed = slow_instrumented.report(command, path + ".json", "jit", {})
    problem = slow_instrumented.differences(expected, found, False)
    if problem is None and not expected["findings"] and expected["stdout"] != found["stdout"]:
        problem = "interp and jit leave other memory"
    return path, maker, problem, completed, expected["status"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        with ThreadPoolExecutor(JOBS) as pool:
            results = pool.map(lambda n: examine(SEED * 1000000 + n, folder), range(COUNT))
            failed = count = 0
            for number, (path, maker, problem, completed, status) in enumerate(results, 1):
                failed += problem is not None
                count += completed
                print("%s %d - kernel %s, %s%s" % ("not ok" if problem else "ok", number, os.path.basename(path), status,
                                                   ", completed" if completed else ""), flush=True)
                if problem:
                    with open(path) as f:
                        print("# %s\n# %s\n# %s" % (" ".join(maker.run()), problem, f.read().replace("\n", "\n# ")))
        enough = count >= LEAST_WATCHED * COUNT
        print("%s %d - %d of %d kernels were instrumented" % ("ok" if enough else "not ok", COUNT + 1, count, COUNT))
        print("1..%d" % (COUNT + 1))
        return 1 if failed or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
