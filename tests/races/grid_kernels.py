"""Random kernels whose work-items access parts of arrays that are disjoint, or nearly so: by ids in up to three
dimensions, by tiles, by one work-item of the group and by loops, in any order of strides."""
import random

MOST = 6000  # elements of an array
TYPES = ("int", "int", "uint", "long", "ulong", "size_t")


class Variable:
    """A value of a subscript, NAME, from LOW on, with COUNT values that are STEP apart."""

    def __init__(self, name, count, low=0, step=1):
        self.name, self.count, self.low, self.step = name, count, low, step
        self.stride = 0

    def ends(self):
        return sorted((self.low * self.stride, (self.low + self.step * (self.count - 1)) * self.stride))


class Kernel:
    def __init__(self, seed):
        r = self.r = random.Random(seed)
        self.parameters, self.values = [], []
        self.guards, self.opened, self.closed = [], "", ""
        self.slack = 0
        self.dimensions = r.choice([1, 1, 2, 2, 3])
        most = {1: 16, 2: 5, 3: 3}[self.dimensions]
        self.local = [r.randint(1, most) for _ in range(self.dimensions)]
        self.size = [n * r.choice([1, 2, 3]) for n in self.local]
        if r.random() < 0.25:  # incomplete work-groups
            self.size = [max(n, s - r.choice([0, 1, 1, n - 1])) for n, s in zip(self.local, self.size)]
        self.offset = [r.choice([0, 1, 5]) for _ in self.size] if r.random() < 0.25 else [0] * self.dimensions
        self.single = False
        variables = [v for k in range(self.dimensions) for v in self.ids(k)]
        for name in "ij"[: r.choice([0, 1, 1, 2])]:
            variables.append(self.loop(name, variables))
        r.shuffle(variables)
        self.variables = variables
        self.lay_out()

    def chance(self, p):
        return self.r.random() < p

    def number(self, n):
        """N, as text: a constant, or the value of a parameter."""
        r = self.r
        if self.chance(0.3) or len(self.values) > 12:
            return "%d" % n
        for k in range(self.dimensions):
            if n == self.size[k] and self.chance(0.4):
                return "get_global_size(%d)" % k
            if n == self.local[k] and self.chance(0.3):
                return "get_enqueued_local_size(%d)" % k
        if n > 1 and n % 2 == 0 and self.chance(0.2):
            return "(%s * %s)" % (self.number(2), self.number(n // 2))
        if n > 1 and self.chance(0.1):
            return "(%s + %s)" % (self.number(n - 1), self.number(1))
        name = "a%d" % len(self.values)
        self.parameters.append("%s %s" % (r.choice(TYPES[:-1]), name))
        self.values.append(n)
        return name

    def cast(self, text):
        return "%s%s" % (self.r.choice(["", "", "(int)", "(uint)", "(long)", "(size_t)"]), text)

    def ids(self, k):
        """Variables of dimension K."""
        r, offset, size, local = self.r, self.offset[k], self.size[k], self.local[k]
        groups, form = -(-size // local), r.random()
        known = "get_global_id(%d)" % k
        if form < 0.06:
            return []
        if form < 0.45:
            if self.chance(0.3):  # fewer values than ids
                less = r.randint(0, size)
                limit, name = self.number(offset + less), self.cast(known)
                self.guards.append(r.choice(["%s < %s", "%s < %s", "!(%s >= %s)", "%s <= %s"]) % (name, limit))
                size = max(less, 1)
            return [Variable(known, size, offset)]
        group, item = "get_group_id(%d)" % k, "get_local_id(%d)" % k
        if form < 0.6:
            return [Variable(group, groups), Variable(item, local)]
        self.single = True
        which = r.randrange(local)
        form = r.random()
        text = "%s == %s" % (item, which)
        if form < 0.08:
            text = "%s <= %d" % (item, which)
        elif form < 0.12:
            text = "%s != %d" % (item, which)
        elif form < 0.16:
            text = "%s == %s" % (item, self.number(which))
        elif form < 0.20:
            text = "(uchar)%s == %d" % (item, which)
        elif form < 0.24:
            text = "(%s == %d || %s == %d)" % (item, which, item, r.randrange(local))
        elif form < 0.28:
            text = "(%s & 1) == %d" % (item, which & 1)
        elif form < 0.31:
            text = "%s == get_local_id(%d)" % (item, r.randrange(self.dimensions))
        elif form < 0.33:
            text = "get_local_linear_id() == %d" % which
        if not self.chance(0.06):
            self.guards.append(text)
        if self.chance(0.2):
            return [Variable(known, size, offset)]
        return [Variable(group, groups)]

    def loop(self, name, variables):
        """Opens a loop."""
        r = self.r
        trips, step, start = r.choice([0, 1, 2, 3, 4, 5]), r.choice([1, 1, 1, 2, 3, 7]), r.choice([0, 0, 0, 1, 2, 5])
        first, kind = str(start), r.choice(TYPES)
        low = start
        by_id = [v for v in variables if v.name.startswith("get_global")]
        if by_id and self.chance(0.3):  # strides of the launch, in place of the id
            v = r.choice(by_id)
            variables.remove(v)
            first, step, low, start = v.name, max(1, v.count + r.choice([0, 0, 0, -1, 1])), v.low, v.low
            variable = Variable(name, v.count + step * max(trips - 1, 0), low)
        elif self.chance(0.1):
            first = "get_local_id(0)"
            variable = Variable(name, self.local[0] + step * max(trips - 1, 0), 0)
        else:
            variable = Variable(name, max(trips, 1), low, step)
        limit = start + trips * step
        if self.chance(0.15):
            limit = max(0, limit - 1)
        if self.chance(0.05):
            limit += 1
        bound, by = self.number(limit), self.number(step)
        form = r.random()
        compared = "%s < %s" % (name, bound)
        if form < 0.1:
            compared = "%s > %s" % (bound, name)
        elif form < 0.2:
            compared = "%s <= %s" % (name, self.number(max(limit - 1, 0)))
        elif form < 0.25:
            compared = "!(%s >= %s)" % (name, bound)
        elif form < 0.3:
            compared = "%s < %s && %s < %s" % (name, bound, name, self.number(limit))
        elif form < 0.33:
            compared = "(%s)%s < (%s)%s" % (r.choice(("long", "int", "ulong")), name, r.choice(("long", "int")), bound)
        elif form < 0.36:
            compared = "%s < (int)c[%d] + %d" % (name, limit % 100, limit - limit % 100)
        elif form < 0.39:
            compared = "%s < %s + (int)(get_local_id(0) & 1)" % (name, bound)
            self.slack = 16
        advance = r.choice(["%s += %s", "%s += %s", "%s = %s + %s" % (name, "%s", "%s")]) % (name, by)
        inside = r.choice([""] * 8 + ["if (c[%s] == 2) break; ", "if (c[%s] == 2) continue; ", "if (c[%s] == 3) %s; " % ("%s", advance)])
        if inside:
            inside = inside % name
        form = r.random()
        self.opened += "%s %s = %s; " % (kind, name, first) if form < 0.3 else ""
        if form < 0.1 and "continue" not in inside:
            self.opened += "while (%s) { %s" % (compared, inside)
            self.closed = "%s; } " % advance + self.closed
        elif form < 0.15 and "continue" not in inside:
            self.opened += "while (%s) { %s; %s" % (compared, advance, inside)
            self.closed = "} " + self.closed
            self.slack += 8
        elif form < 0.2 and "continue" not in inside:
            self.opened += "do { %s" % inside
            self.closed = "%s; } while (%s); " % (advance, compared) + self.closed
        else:
            start_text = "%s = %s" % (name, first) if form < 0.3 else "%s %s = %s" % (kind, name, first)
            self.opened += "for (%s; %s; %s) { %s" % (start_text, compared, advance, inside)
            self.closed = "} " + self.closed
        return variable

    def lay_out(self):
        """The strides: one after the other, with gaps or overlaps."""
        r = self.r
        width, self.width = 1, r.choice([1, 1, 1, 1, 2, 3])
        width = self.width
        terms, low, high = [], 0, 0
        for v in self.variables:
            stride = max(0, -(-width // v.step) + r.choice([0] * 9 + [1, 2, -1, -1, -2, -width]))
            if self.chance(0.03):
                stride = r.choice([0, 1, 0x10000000, 0x40000000])
            v.stride = -stride if self.chance(0.15) and stride < MOST else stride
            ends = v.ends() if stride < MOST else (0, 0)
            width += ends[1] - ends[0] if stride < MOST else 0
            low, high = low + ends[0], high + ends[1]
            name = v.name if v.name in "ij" and not self.chance(0.1) else self.cast(v.name)
            factor = self.number(abs(v.stride))
            terms.append("%s %s * %s" % ("-" if v.stride < 0 else "+", name, factor))
        self.total = width
        self.low, self.high = low, high
        self.index = " ".join(terms).lstrip("+ ") or "0"

    def access(self, arrays):
        r, name = self.r, r_array(self.r, arrays)
        at = r.choice([0, 0, 0, 1, self.width - 1, self.width - 1, self.total, self.total, self.total - 1, 2 * self.total, 2 * self.total + 1])
        at = max(at, 0)
        self.most = max(self.most, at)
        first = at - self.low
        index = "%s + %s" % (self.index, self.number(first))
        if r.random() < 0.3:
            index = "%s + %s" % (self.number(first), self.index.lstrip("- ")) if not self.index.startswith("-") else index
        value = r.choice(["5", "get_global_id(0)", "get_group_id(0)", "get_local_id(0)"])
        forms = ["%s[%s] = %s;"] * 6 + ["%s[%s] += %s;"] * 3 + ["s += %s[%s] + %s;"] * 2
        if self.kind == "int":
            forms += ["((global uchar *)%s)[4 * (%s)] = %s;", "((global int2 *)%s)[(%s) / 2] = %s;"]
            if self.width >= 2 or r.random() < 0.3:
                forms += ["vstore2((int2)(1), 0, %s + (%s)); s += %s;"] * 2
            if r.random() < 0.1:
                forms = ["atomic_add(&%s[%s], (int)%s);"]
        return r.choice(forms) % (name, index, value)

    def text(self):
        """The kernel, and the arguments of refcl."""
        r = self.r
        self.kind, self.most = r.choice(["int", "int", "int", "char", "long"]), 0
        arrays = ["o", "p"] if self.chance(0.3) else ["o"]
        guard = r.choice([" && ", " && ", " && ", " & "]).join("(%s)" % g for g in r.sample(self.guards, len(self.guards)))
        inner = [self.access(arrays) for _ in range(r.choice([1, 1, 2, 2, 3, 5]))]
        outer = [a for a in [self.access(arrays)] if "i" not in names(a) and "j" not in names(a)] if self.chance(0.15) else []
        if self.chance(0.1):
            inner = ["if (%s) " % r.choice(["s == 77", "c[3] == 3", "get_global_id(0) > 0"]) + inner[0]] + inner[1:]
        body, form = " ".join(inner), r.random()
        if not guard:
            body = self.opened + body + " " + self.closed
        elif form < 0.5:
            body = "if (%s) { %s%s %s}" % (guard, self.opened, body, self.closed)
        elif form < 0.8:
            body = "%sif (%s) { %s } %s" % (self.opened, guard, body, self.closed)
        else:
            body = "if (!(%s)) return; %s%s %s" % (guard, self.opened, body, self.closed)
        before = self.chance(0.5)
        body = "long s = 0; %s%s%s%s" % (" ".join(outer) + " " if before else "", "barrier(CLK_GLOBAL_MEM_FENCE); " if self.chance(0.05) else "",
                                        body, "" if before else " ".join(outer))
        if "return" not in body and self.chance(0.1):
            body = "barrier(CLK_GLOBAL_MEM_FENCE); " + body
        listed = ["global %s *%s" % (self.kind, a) for a in arrays] + ["global uchar *c"] + self.parameters
        elements = min(max(self.high - self.low + self.most + self.slack + r.choice([4, 4, 4, 1, 0]), 1), 8 * MOST)
        how = "-g %s%s%s%s -a buf:100:iota%s" % (
            ",".join(map(str, self.size)), " -l %s" % ",".join(map(str, self.local)),
            " --offset %s" % ",".join(map(str, self.offset)) if any(self.offset) else "",
            " -a buf:%d:iota" % elements * len(arrays), "".join(" -a %d" % v for v in self.values))
        return "kernel void k(%s) { %s}\n" % (", ".join(listed), body), how


def r_array(r, arrays):
    return arrays[0] if len(arrays) == 1 or r.random() < 0.6 else arrays[1]


def names(text):
    return "".join(c if c.isalnum() or c == "_" else " " for c in text).split()
