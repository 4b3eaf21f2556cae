#!/usr/bin/python3
"""Random host programs: queues, kernels, transfers of arrays and of their elements, maps, fine-grained SVM,
events of commands and of users, children, semaphores, command buffers.  Search and Z3 must agree on each, and
the races must be those of an independent oracle by the command rules [CL 3.3.6 H1-H15, H20, H24, H25;
CL 5.5.3; CL 5.13.6 R101, R102; CL 5.17 R101-R106]: the order of accesses as a graph, without models or solvers.

REFCL_HUNT_COUNT (default 60) and REFCL_HUNT_SEED change the programs.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

REFCL = os.environ.get("REFCL", os.path.abspath("build/refcl"))
COUNT = int(os.environ.get("REFCL_HUNT_COUNT", "60"))
SEED = int(os.environ.get("REFCL_HUNT_SEED", "1"))


class Program:
    """One test as text, and the same as a graph: nodes are accesses and points, an edge orders its first node
    before its second."""

    def __init__(self, rng):
        self.rng = rng
        self.edges = set()
        self.accesses = []  # (node, location, writes)
        self.maps = []  # (accesses of the map, start of the unmap, for writing)
        self.commands = []  # accesses of commands and work-items
        self.array = rng.random() < 0.5  # x has two elements
        self.svm = rng.random() < 0.5  # z is fine-grained SVM, and the host's too
        self.user = rng.random() < 0.4
        self.user_set = False
        self.nodes = 0
        self.queues = [(f"q{i}", rng.random() < 0.75) for i in range(rng.randint(1, 2))]
        self.kernels = rng.randint(1, 3)
        self.earlier = {name: [] for name, _ in self.queues}
        self.after_barrier = {name: [] for name, _ in self.queues}
        self.children = rng.random() < 0.3 and self.kernels > 1
        self.events = {}
        self.buffers = []  # name, queue of the creation
        self.runs = []  # completion of a run, start of a later one of the same command buffer
        self.semaphores = {}  # names; the number of signals of each without a wait
        self.host = []
        self.bodies = {}
        self.launches = {}
        self.build()

    def node(self):
        self.nodes += 1
        return self.nodes - 1

    def before(self, a, b):
        self.edges.add((a, b))

    def access(self, after, location, writes, host=False):
        n = self.node()
        self.accesses.append((n, location, writes))
        if not host:
            self.commands.append((n, location, writes))
        if after is not None:
            self.before(after, n)
        return n

    def place(self, names):
        """The operand in a statement: an element of the array, or an object of one element."""
        name = self.rng.choice(names)
        return f"x[{self.rng.randint(0, 1)}]" if name == "x" and self.array else name

    def elements(self, name):
        return ["x[0]", "x[1]"] if name == "x" and self.array else [name]

    def set_user(self):
        """Before the thread's first wait: a later wait could wait for a command that waits for the user
        event, and never end."""
        if self.user and not self.user_set:
            self.user_set = True
            self.before(self.step("clSetUserEventStatus(u, CL_COMPLETE);"), self.events["u"])

    def step(self, text):
        """The next point of the host thread."""
        n = self.node()
        if self.last is not None:
            self.before(self.last, n)
        self.last = n
        self.host.append(text)
        return n

    def body(self, kernel):
        """Statements of one or two work-items: text and accesses, each work-item in its own order."""
        items = []
        for w in range(self.rng.randint(1, 2)):
            items.append([(self.place("xyz" if self.svm else "xy"), self.rng.random() < 0.5) for _ in range(1 + (self.rng.random() < 0.2))])
        self.bodies[kernel] = items

    def command(self, queue, in_order, list_allowed=True, marker=False, barrier=False):
        """Start, end and completion of a command, ordered by its queue, its wait list and its call."""
        start, end, done = self.node(), self.node(), self.node()
        self.before(start, end)
        self.before(end, done)
        waits = []
        if list_allowed and self.events and self.rng.random() < 0.4:
            waits = self.rng.sample(sorted(self.events), self.rng.randint(1, min(2, len(self.events))))
        for e in waits:
            self.before(self.events[e], start)
        if in_order or ((marker or barrier) and not waits):
            for d in self.earlier[queue]:
                self.before(d, start)
        for d in self.after_barrier[queue]:
            self.before(d, start)
        self.earlier[queue].append(done)
        if barrier:
            self.after_barrier[queue].append(done)
        suffix = ", {" + ", ".join(waits) + "}" if waits else ""
        if self.rng.random() < 0.6:
            name = f"e{len(self.events)}"
            suffix += f", &{name}"
            self.events[name] = done
        return start, end, done, suffix

    def launch(self, kernel, start, end):
        """The work-items of a kernel between its start and its end."""
        for item in self.bodies[kernel]:
            last = start
            for location, writes in item:
                last = self.access(last, location, writes)
            self.before(last, end)

    def child(self, parent, start, end, done):
        """Kernel PARENT's first work-item enqueues the last kernel, before its other statements."""
        rng, kernel = self.rng, self.kernels - 1
        flag = rng.choice(["NO_WAIT", "WAIT_KERNEL", "WAIT_WORK_GROUP"])
        cstart, cend, cdone = self.node(), self.node(), self.node()
        self.before(cstart, cend)
        self.before(cend, cdone)
        self.before(cdone, done)
        self.before(start, cstart)
        self.flag = flag
        self.launch(kernel, cstart, cend)
        return flag, cstart

    def build(self):
        rng = self.rng
        self.last = None
        for k in range(self.kernels):
            self.body(k)
        if self.user:
            self.events["u"] = self.node()
        pending = list(range(self.kernels - 1 if self.children else self.kernels))
        self.flag = None
        while pending or (len(self.accesses) < 6 and rng.random() < 0.6):
            queue, in_order = rng.choice(self.queues)
            kind = rng.choice(["kernel"] * 3 * bool(pending) + ["fill", "copy", "read", "marker", "barrier", "finish",
                                                               "wait", "map", "buffer", "signal", "semaphore"] +
                              ["svm"] * self.svm)
            if kind == "semaphore" and not any(self.semaphores.values()):
                continue
            if kind == "wait" and not self.events:
                continue
            if kind == "kernel":
                kernel = pending.pop(0)
                call = self.step("")
                start, end, done, suffix = self.command(queue, in_order)
                self.before(call, start)
                first = len(self.accesses)
                self.launch(kernel, start, end)
                if self.children and kernel == 0:
                    flag, cstart = self.child(kernel, start, end, done)
                    if flag == "WAIT_KERNEL":
                        self.before(end, cstart)
                    if flag == "WAIT_WORK_GROUP":  # the group of the first work-item: all of the kernel
                        count = sum(len(item) for item in self.bodies[kernel])
                        for n, _, _ in self.accesses[first:first + count]:
                            self.before(n, cstart)
                self.host[-1] = f"clEnqueueNDRangeKernel({queue}, {kernel}{suffix});"
            elif kind == "svm":
                writes = rng.random() < 0.5
                n = self.step("*z = 9;" if writes else f"int r{len(self.host)} = *z;")
                self.accesses.append((n, "z", writes))
            elif kind == "map":
                self.map(queue, in_order)
            elif kind == "buffer":
                self.command_buffer(queue, in_order)
            elif kind in ("signal", "semaphore"):
                self.semaphore(kind == "signal", queue, in_order)
            elif kind in ("fill", "copy", "read"):
                blocking = kind == "read" and rng.random() < 0.7
                if blocking:
                    self.set_user()
                call = self.step("")
                start, end, done, suffix = self.command(queue, in_order)
                self.before(call, start)
                if kind == "fill":
                    where = self.place("xy") if rng.random() < 0.5 else rng.choice("xy")
                    for element in self.elements(where):
                        self.before(self.access(start, element, True), end)
                    self.host[-1] = f"clEnqueueFillBuffer({queue}, {where}, {rng.randint(1, 3)}{suffix});"
                elif kind == "copy":
                    source, target = rng.choice([("x", "y"), ("y", "x")])
                    one = [f"x[{rng.randint(0, 1)}]" if name == "x" and self.array else name for name in (source, target)]
                    loaded = self.access(start, one[0], False)
                    self.before(self.access(loaded, one[1], True), end)
                    self.host[-1] = f"clEnqueueCopyBuffer({queue}, {one[0]}, {one[1]}{suffix});"
                else:
                    source = self.place("xy")
                    loaded = self.access(start, source, False)
                    self.before(self.access(loaded, "h", True), end)
                    flag = "CL_TRUE" if blocking else "CL_FALSE"
                    self.host[-1] = f"clEnqueueReadBuffer({queue}, {source}, {flag}, h{suffix});"
                    if blocking:
                        self.before(done, self.step(""))
                    if rng.random() < 0.7:
                        n = self.step("int r%d = *h;" % len(self.host))
                        self.accesses.append((n, "h", False))
            elif kind in ("marker", "barrier"):
                call = self.step("")
                start, _, _, suffix = self.command(queue, in_order, True, kind == "marker", kind == "barrier")
                self.before(call, start)
                self.host[-1] = f"clEnqueue{kind.capitalize()}WithWaitList({queue}{suffix});"
            elif kind == "finish":
                self.set_user()
                point = self.step(f"clFinish({queue});")
                for d in self.earlier[queue]:
                    self.before(d, point)
            else:
                self.set_user()
                event = rng.choice(sorted(self.events))
                self.before(self.events[event], self.step(f"clWaitForEvents({{{event}}});"))
        self.set_user()

    def semaphore(self, signals, queue, in_order):
        """A signal of a semaphore without a pending wait, or a wait for a signaled one."""
        if signals:
            free = [name for name, signal in self.semaphores.items() if signal is None]
            name = self.rng.choice(free) if free and self.rng.random() < 0.5 else f"s{len(self.semaphores)}"
        else:
            name = self.rng.choice([name for name, signal in self.semaphores.items() if signal is not None])
        call = self.step("")
        start, _, done, suffix = self.command(queue, in_order)
        self.before(call, start)
        if not signals:
            self.before(self.semaphores[name], start)
        self.semaphores[name] = done if signals else None
        self.host[-1] = f"clEnqueue{'Signal' if signals else 'Wait'}SemaphoresKHR({queue}, {name}{suffix});"

    def command_buffer(self, queue, in_order):
        """Records up to three commands with a queue, then runs them once or twice in any queues."""
        rng, name = self.rng, f"b{len(self.buffers)}"
        self.buffers.append((name, queue))
        recorded = []  # (kind, places, sync-points by index)
        for i in range(rng.randint(1, 3)):
            kind = rng.choice(["fill", "copy", "barrier"])
            places = [self.place("xy")] if kind == "fill" else rng.choice([["x", "y"], ["y", "x"]])
            if kind == "copy" and self.array:
                places = [f"x[{rng.randint(0, 1)}]" if p == "x" else p for p in places]
            points = sorted(rng.sample(range(i), rng.randint(1, i))) if i and rng.random() < 0.5 else []
            recorded.append((kind, places, points))
            text = {"fill": f"FillBufferKHR({name}, {places[0]}, {rng.randint(1, 3)}", "copy": f"CopyBufferKHR({name}, " + ", ".join(places),
                    "barrier": f"BarrierWithWaitListKHR({name}"}[kind]
            suffix = ", {" + ", ".join(f"{name}p{k}" for k in points) + "}" if points else ""
            self.step(f"clCommand{text}{suffix}, &{name}p{i});")
        self.step(f"clFinalizeCommandBufferKHR({name});")
        completions = []
        for _ in range(rng.randint(1, 2)):
            where, ordered = rng.choice(self.queues)
            call = self.step("")
            start, end, done, suffix = self.command(where, ordered)
            self.before(call, start)
            self.host[-1] = f"clEnqueueCommandBufferKHR({where}, {name}{suffix});"
            self.runs += [(d, start) for d in completions]
            completions.append(done)
            finished, barriers = [], []
            for kind, places, points in recorded:
                first, last, complete = self.node(), self.node(), self.node()
                self.before(start, first)
                self.before(first, last)
                self.before(last, complete)
                self.before(complete, end)
                wanted = [finished[k] for k in points] + barriers
                if in_order or (kind == "barrier" and not points):
                    wanted += finished
                for d in wanted:
                    self.before(d, first)
                if kind == "fill":
                    for element in self.elements(places[0]):
                        self.before(self.access(first, element, True), last)
                elif kind == "copy":
                    loaded = self.access(first, places[0], False)
                    self.before(self.access(loaded, places[1], True), last)
                finished.append(complete)
                barriers += [complete] * (kind == "barrier")

    def map(self, queue, in_order):
        """A map that the thread waits for, an access to the mapped memory, and the unmap."""
        rng, writing = self.rng, self.rng.random() < 0.5
        where = self.place("xy") if rng.random() < 0.5 else rng.choice("xy")
        self.set_user()
        call = self.step("")
        start, end, done, suffix = self.command(queue, in_order)
        self.before(call, start)
        mapped = []
        for element in self.elements(where):
            mapped.append((self.access(start, element, False, True), element))
            self.before(mapped[-1][0], end)
        flag = "CL_MAP_WRITE" if writing else "CL_MAP_READ"
        self.host[-1] = f"clEnqueueMapBuffer({queue}, {where}, CL_TRUE, {flag}{suffix});"
        self.before(done, self.step(""))
        element = rng.choice(self.elements(where))
        text = element if "[" in element else "*" + element
        n = self.step(f"{text} = 7;" if writing else f"int r{len(self.host)} = {text};")
        self.accesses.append((n, element, writing))
        call = self.step("")
        start, end, _, suffix = self.command(queue, in_order)
        self.before(call, start)
        for element in self.elements(where) if writing else []:
            loaded = self.access(start, element, False, True)
            self.before(self.access(loaded, element, True, True), end)
        self.host[-1] = f"clEnqueueUnmapMemObject({queue}, {where}{suffix});"
        self.maps.append((mapped, start, writing))

    def maps_are_kept(self, reach):
        """No command accesses an object while a part of it is mapped for writing, or writes it while one is
        mapped."""
        for mapped, unmap, writing in self.maps:
            for m, place in mapped:
                for n, location, writes in self.commands:
                    if location[0] == place[0] and (writing or writes) and m not in reach[n] and n not in reach[unmap]:
                        return False
        return True

    def reach(self):
        after = [set() for _ in range(self.nodes)]
        for a, b in self.edges:
            after[a].add(b)
        reach = []
        for n in range(self.nodes):
            seen, todo = set(), [n]
            while todo:
                for m in after[todo.pop()]:
                    if m not in seen:
                        seen.add(m)
                        todo.append(m)
            reach.append(seen)
        return reach

    def races(self):
        """Pairs of accesses to one location, at least one a write, that no path orders."""
        reach = self.reach()
        for i, (a, location, writes) in enumerate(self.accesses):
            for b, other, also in self.accesses[:i]:
                if location == other and (writes or also) and a not in reach[b] and b not in reach[a]:
                    return True
        return False

    def misuses(self):
        """A violated map, or concurrent runs of one command buffer."""
        reach = self.reach()
        return not self.maps_are_kept(reach) or any(b not in reach[a] for a, b in self.runs)

    def text(self, name):
        x = "int x[2] = {0, 0};" if self.array else "[x] = 0;"
        lines = [f"OPENCL {name}", "", "{", x, "[y] = 0;", "[z] = 0;", "[h] = 0;"]
        if self.user:
            lines.append("user_event u;")
        for name in self.semaphores:
            lines.append(f"semaphore {name};")
        for queue, in_order in self.queues:
            lines.append(f"queue {queue} @ dev 0{'' if in_order else ', out_of_order'};")
        for buffer, queue in self.buffers:
            lines.append(f"command_buffer {buffer} @ {queue};")
        if self.flag:
            lines.append("queue d @ dev 0, on_device;")
        lines += ["}", "", "H0 (global int* x, global int* y, svm_fine int* z, host int* h) {"]
        lines += ["  " + s for s in self.host if s]
        lines += ["}"]
        number, value = 0, 0
        for kernel, items in self.bodies.items():
            for w, item in enumerate(items):
                lines += ["", f"P{number}@wg 0, dev 0, kernel {kernel} (global int* x, global int* y, svm_fine int* z) {{"]
                if self.flag and kernel == 0 and w == 0:
                    lines.append(f"  enqueue_kernel(d, CLK_ENQUEUE_FLAGS_{self.flag}, {self.kernels - 1});")
                for i, (location, writes) in enumerate(item):
                    value += 1
                    place = location if "[" in location else "*" + location
                    lines.append(f"  {place} = {value};" if writes else f"  int r{i} = {place};")
                lines.append("}")
                number += 1
        return "\n".join(lines + ["", f"exists ({'x[1]' if self.array else 'x'} = 1 /\\ y != 2)", ""])


def main():
    rng = random.Random(SEED)
    programs = [Program(rng) for _ in range(COUNT)]
    failures, number = 0, 0

    def report(good, what):
        nonlocal failures, number
        number += 1
        failures += not good
        print(f"{'ok' if good else 'not ok'} {number} - {what}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, p in enumerate(programs):
            paths.append(os.path.join(folder, f"host-{i}.litmus"))
            with open(paths[-1], "w") as f:
                f.write(p.text(f"host-{i}"))
        out = os.path.join(folder, "out.json")
        run = subprocess.run([REFCL, "litmus", "check", "-e", "both", "-t", "5", "--json", out, *paths],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        report(run.returncode in (0, 3), f"search and Z3 agree on {COUNT} programs of seed {SEED}")
        if run.returncode not in (0, 3):
            print("# " + run.stderr.strip().replace("\n", "\n# "))
        answers = json.load(open(out))["tests"]
        undecided = sum("unknown" in (answer.get("race"), answer.get("usage")) for answer in answers)
        report(len(answers) == COUNT and undecided * 10 <= COUNT, f"{undecided} of {COUNT} programs are not decided")
        wrong = []
        for i, (p, answer) in enumerate(zip(programs, answers)):
            for what, found in (("race", p.races()), ("usage", p.misuses())):
                want, got = "found" if found else "none", answer.get(what, "none")
                if got not in (want, "unknown"):
                    wrong.append(i)
                    print(f"# {what} {got}, {want} expected:")
                    print("# " + p.text(f"host-{i}").replace("\n", "\n# "))
        report(not wrong, "races and misuses are those of the command rules read directly")
        found = sum(p.races() for p in programs)
        report(min(found, COUNT - found) * 10 >= COUNT, f"{found} programs race, {COUNT - found} do not")
        for what, least, having in (("a command buffer", 5, [p for p in programs if p.buffers]),
                                    ("two runs of one", 10, [p for p in programs if p.runs]),
                                    ("a semaphore that is waited for", 10, [p for p in programs if None in p.semaphores.values()])):
            report(len(having) * least >= COUNT, f"{len(having)} programs have {what}")
    print(f"1..{number}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
