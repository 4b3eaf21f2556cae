"""A results store, litmus results to add to it, and pages of its board."""
import html.parser
import json
import os
import subprocess

from built import PATIENCE, REFCL

# By CL 3.3.6 G16 and 3.3.4, a reader whose acquire reads 1 from the release store reads the data written before it.
MP = """OPENCL MP
{
[x] = 0;
[y] = 0;
}
P0 (global int* x, global atomic_int* y) {
  *x = 1;
  atomic_store_explicit(y, 1, memory_order_release, memory_scope_device);
}
P1 (global int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_device);
  int r1 = -1;
  if (r0 == 1) r1 = *x;
}
exists (1:r0=1 /\\ 1:r1=0)
"""
SB = """OPENCL SB
{
[x] = 0;
[y] = 0;
}
P0 (global atomic_int* x, global atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);
  int r0 = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device);
}
P1 (global atomic_int* x, global atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_device);
  int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
}
exists (0:r0=0 /\\ 1:r0=0)
"""
ALLOWED, FORBIDDEN = [0, -1], [1, 0]
DEVICE = {"platform": "P", "name": "GPU", "version": "OpenCL 3.0", "driver": "1.0"}


def row(name, source, observed, states, status="done", **more):
    return dict({"name": name, "file": name + ".litmus", "source": source, "status": status,
                 "instances": sum(n for _, n in states), "discarded": 0, "batches": 1, "time_ms": 1, "observed": observed,
                 "states": [{"values": v, "count": n} for v, n in states]}, **more)


def mp(*states, **more):
    return row("MP", MP, ["1:r0", "1:r1"], states, **more)


def sb(*states, **more):
    return row("SB", SB, ["0:r0", "1:r0"], states, **more)


def results(tests, driver="1.0", **more):
    return dict({"format": "refcl-litmus-results", "version": 1, "seed": 1, "date": "2026-01-02",
                 "device": dict(DEVICE, driver=driver), "tests": tests}, **more)


class Store:
    """A store in FOLDER, and the files that were added to it."""

    def __init__(self, folder, name="store.sqlite"):
        self.folder, self.path, self.files = folder, os.path.join(folder, name), 0

    def file(self, content):
        self.files += 1
        path = os.path.join(self.folder, f"{os.path.basename(self.path)}-{self.files}.json")
        with open(path, "w") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def run(self, command, *words):
        return subprocess.run([REFCL, "results", command, "--store", self.path, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=PATIENCE)

    def add(self, content, *words):
        return self.run("add", *words, self.file(content))

    def export(self):
        return json.loads(self.run("export").stdout)

    def verdicts(self):
        """{(test, values, variant): verdict}"""
        whole = self.export()
        test = {t["id"]: t["name"] for t in whole["tests"]}
        state = {s["id"]: (test[s["test"]], s["values"]) for s in whole["states"]}
        return {(*state[v["state"]], v["variant"]): v["verdict"] for v in whole["verdicts"]}

    def counts(self):
        """{(driver, test, values): count}, and {(driver, test): (runs, instances)}"""
        whole = self.export()
        device = {d["id"]: d["driver"] for d in whole["devices"]}
        test = {t["id"]: t["name"] for t in whole["tests"]}
        state = {s["id"]: (test[s["test"]], s["values"]) for s in whole["states"]}
        return ({(device[s["device"]], *state[s["state"]]): s["count"] for s in whole["seen"]},
                {(device[t["device"]], test[t["test"]]): (t["runs"], t["instances"]) for t in whole["totals"]})


class Page(html.parser.HTMLParser):
    """Cells of tables as lists of words, and what the page refers to."""

    def __init__(self, path):
        super().__init__()
        self.rows, self.references, self.open = [], [], []
        with open(path) as file:
            self.feed(file.read())
        self.whole = self.open == []

    def handle_starttag(self, tag, attributes):
        self.references += [value for name, value in attributes if name in ("href", "src")]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in ("meta", "br"):  # elements without an end
            self.open.append(tag)

    def handle_endtag(self, tag):
        self.open.pop() if self.open and self.open[-1] == tag else self.open.append("/" + tag)

    def handle_data(self, data):
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data
