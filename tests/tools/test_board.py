#!/usr/bin/env python3
"""The pages of `refcl results site` in headless Chromium, at the width of a window and of a phone: with keys
only, in light and dark, as tables for screen readers, without requests; links to the playground and to
clauses.  The tables of litmus/results fill a store."""
import base64
import glob
import json
import math
import os
import re
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import chromium  # noqa: E402
import tap  # noqa: E402
from built import ROOT  # noqa: E402
from store import ALLOWED, DEVICE, FORBIDDEN, MP, SB, Store, mp, results, row, sb  # noqa: E402
from tap import check  # noqa: E402

SIZES = (("a window", 1300, 900, False), ("a phone", 390, 844, True))
LONG = "a driver whose name is long enough to be wider than the window of a phone, with numbers 580.159.04-2+deb13u1"


def filled(folder):
    """SB: driver 1 shows its weak outcome, driver 2 never; MP: driver 1 shows a forbidden outcome; one test
    does not run."""
    store = Store(folder, "board.sqlite")
    skipped = dict(row("IRIW", MP.replace("OPENCL MP", "OPENCL IRIW"), ["1:r0", "1:r1"], [], status="skipped", reason="no <scope>"), file="s/iriw/IRIW.litmus")
    source = MP.replace("exists", "(* ~~~~~~ ?????? *)\nexists")  # has both digits of base64 that an address must not
    store.add(results([dict(mp((ALLOWED, 98), (FORBIDDEN, 2)), file="s/message/MP.litmus", source=source), dict(sb(([1, 1], 960), ([0, 0], 40)), file="s/store/SB.litmus"),
                       skipped], "1"))
    store.add(results([dict(sb(([1, 1], 30000)), file="s/store/SB.litmus")], LONG))
    store.add(dict(results([dict(sb(([1, 1], 5)), file="s/store/SB.litmus", name="SB+x", source=SB.replace("OPENCL SB", "OPENCL SB+x"))]),
                   device=dict(DEVICE, name="G2")))
    for day, times in enumerate(((1, 9), (2, 1)), 1):
        run = store.add("kernel jit interp/64\nadd %g 3\nscan_of_a_kernel_with_a_long_name %g 5\n" % times, "--device", "CPU", "--driver", LONG, "--date", f"2026-02-0{day}")
        check("board: a table of benchmarks is added", run.returncode == 0, run)
    path = os.path.join(folder, "site")
    run = store.run("site", "--playground", "playground.html", "--xref", "xref.html", path)
    check("board: pages are written", run.returncode == 0, run)
    return path


def links(path):
    with open(os.path.join(path, "test-1.html")) as file:
        text = file.read()
    found = re.search(r'href="playground\.html#z([\w-]+)"', text)
    check("board: the address of the playground's link has letters that need no escapes", bool(found))
    if not found:
        return
    fragment = found.group(1)
    state = json.loads(zlib.decompress(base64.urlsafe_b64decode(fragment + "=" * (-len(fragment) % 4)), -15))
    side = state["s"][0]
    check("board: the link to the playground has the test and the model", len(state["s"]) == 1 and "1:r0=1 /\\ 1:r1=0" in side["t"].replace(" = ", "=") and
          side["t"].startswith("OPENCL MP") and "~~~~~~ ??????" in side["t"] and (side["m"], side["w"]) == ("opencl.cat", {}), side)
    check("board: the forbidden state links to its clause", 'href="xref.html#c=CL%203.3.6%20' in text)


def go(b, wanted, most=60):
    """Presses Tab until the focused element's text or label begins with WANTED."""
    seen = []
    while len(seen) < most and not (seen and seen[-1].startswith(wanted)):
        b.key("Tab", 9)
        seen.append(b.run("document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"))
    return seen


def keys(b, path, where):
    b.open(f"file://{path}/index.html")
    seen = go(b, "to the contents")
    check(f"{where}: the first stop of the keyboard leads to the contents", len(seen) == 1, seen)
    seen = go(b, "P, GPU, OpenCL 3.0, 1")
    check("... then a driver", seen[-1] == "P, GPU, OpenCL 3.0, 1", seen)
    outline = b.run("getComputedStyle(document.activeElement).outlineStyle + getComputedStyle(document.activeElement).outlineWidth")
    check("... with the focus visible", outline == "solid3px", outline)
    seen = go(b, "Rates of weak behaviors")
    check("... then the table of rates, which scrolls by keys", seen[-1] == "Rates of weak behaviors by shape and driver", seen)
    seen = go(b, "1 not run")
    b.key("Enter", 13, text="\r")
    opened = b.run("[document.activeElement.parentNode.open, document.activeElement.parentNode.textContent].join()")
    check("... Enter opens the reasons why tests did not run", opened == "true,1 not run1 skipped: no <scope>", opened)
    b.open(f"file://{path}/index.html")
    go(b, "P, GPU, OpenCL 3.0, 1")
    b.follow(lambda: b.key("Enter", 13, text="\r"))
    seen = go(b, "MP")
    b.follow(lambda: b.key("Enter", 13, text="\r"))
    check("... Enter follows the driver to its test", seen[-1] == "MP" and b.run("document.querySelector('h1').textContent") == "MP", seen)


def looks(b, path, where):
    for page in sorted(os.listdir(path)):
        b.open(f"file://{path}/{page}")
        wide = b.run("document.documentElement.scrollWidth - innerWidth")
        check(f"{where}: {page} is no wider than the window", wide <= 0, wide)
        cut = b.run("[...document.querySelectorAll('caption, h1, h2, h3, p, nav, svg[width=\"100%\"] *')].filter(n => { const r = n.getBoundingClientRect(); return r.left < 0 || r.right > innerWidth; }).map(n => n.outerHTML.slice(0, 80))")
        check("... without scrolling it shows all of its text and plots, but for what is in tables", cut == [], cut)
        bad = b.run("""[...document.querySelectorAll('table')].filter(t => !t.caption || !t.caption.textContent || !t.querySelector('thead th[scope=col]') ||
            [...t.querySelectorAll('tbody tr')].some(r => !r.querySelector('th[scope=row]')) || !t.closest('[role=region][aria-label][tabindex]')).map(t => t.outerHTML.slice(0, 200))""")
        check("... each table has a caption, heads of columns and rows, and a box that scrolls by keys", bad == [], bad)
        colors = []
        for scheme in ("light", "dark"):
            b.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            colors.append(b.run("""(() => { const light = c => { const v = c.match(/[\\d.]+/g).slice(0, 3).map(x => { x /= 255; return x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4; });
                return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; }, back = n => { for (; n; n = n.parentElement) { const c = getComputedStyle(n).backgroundColor; if (!/, 0\\)$/.test(c)) return light(c); } };
                const ratios = [...document.querySelectorAll('body, a:not(.skip), td, th, p, summary, .forbidden, .none')].map(n => [light(getComputedStyle(n).color), back(n)])
                  .map(([a, b]) => (Math.max(a, b) + .05) / (Math.min(a, b) + .05));
                return [light(getComputedStyle(document.body).backgroundColor) > .5, Math.min(...ratios)]; })()"""))
        check("... light and dark, text with a contrast of 4.5 at least", [c[0] for c in colors] == [True, False] and min(c[1] for c in colors) >= 4.5, colors)
    b.call("Emulation.setEmulatedMedia", features=[])


def plot(b, path, where):
    b.open(f"file://{path}/index.html")
    shown = b.run("""[...document.querySelectorAll('svg circle')].map(c => [c.getAttribute('class'), c.nextElementSibling.textContent, c.cx.baseVal.value])""")
    letters = {r[0]: r[1] for r in b.run("[...document.querySelectorAll('table')[0].rows].slice(1).map(r => [r.cells[0].textContent, r.cells[1].textContent])")}
    kinds = {letters[letter].split(", ")[1] + letters[letter][-2:]: kind for kind, letter, _ in shown}
    check(f"{where}: the plot marks what was shown and what never was by form and letter", kinds == {"GPU 1": "seen", "GPUu1": "bound", "G2.0": "bound"}, (shown, letters))
    x = {letters[letter][-2:]: x for _, letter, x in shown}
    axis = dict(b.run("[...document.querySelectorAll('svg text')].filter(t => t.textContent.startsWith('1e-')).map(t => [t.textContent, t.x.baseVal[0].value])"))
    place = {key: axis["1e-2"] + (math.log10(rate) + 2) * (axis["1e-2"] - axis["1e-4"]) / 2 for key, rate in ((" 1", 0.04), ("u1", 1e-4), (".0", 0.6))}
    check("... at its rate or its bound, on the axis", all(abs(x[key] - place[key]) < 1 for key in place), (x, place))
    named = b.run("[...document.querySelectorAll('svg:not(.mark)')].every(s => s.getAttribute('role') === 'img' && s.querySelector('title').textContent && s.querySelector('desc').textContent)")
    rows = b.run("[...document.querySelectorAll('table')[1].rows].slice(1).map(r => [...r.cells].map(c => c.textContent))")
    check("... it has a name, and a table with the same figures", named and sorted(r[0] + ": " + r[2] for r in rows) ==
          ["SB: 0.04 (0.0295 to 0.054)", "SB: never in 3e+04: below 0.0001", "SB: never in 5: below 0.6"], rows)


def benchmarks(b, path, where):
    b.open(f"file://{path}/index.html")
    b.follow(lambda: b.run("[...document.querySelectorAll('a')].find(a => a.textContent === 'Times of benchmarks').click()"))
    parts = b.run("[...document.querySelectorAll('h2, h3')].map(h => h.textContent)")
    check(f"{where}: benchmarks by device and measure", parts == ["CPU: jit interp/64", "interp/64", "jit"], parts)
    plots = b.run("""[...document.querySelectorAll('svg')].filter(s => s.querySelector('circle')).map(s => ({ axis: [...s.querySelectorAll('text')].map(t => [t.textContent, t.y.baseVal[0].value - 4]),
        marks: [...s.querySelectorAll('circle')].map(c => [c.cx.baseVal.value, c.cy.baseVal.value]), name: s.querySelector('title').textContent }))""")
    names = [p["name"].split(": ")[-1] for p in plots]
    check("... with a plot of each", names == ["interp/64", "jit"] and [len(p["marks"]) for p in plots] == [2, 2], plots)
    (first_x, first_y), (x, y) = plots[1]["marks"]
    axis = dict(plots[1]["axis"])
    mean = math.sqrt(2 / 1 * 1 / 9)
    check("... its marks are the geometric means of the ratios to the first run, from left to right", first_x < x and abs(first_y - axis["1"]) < 0.1 and
          abs(y - (axis["1"] + math.log2(mean) * (axis["2"] - axis["1"]))) < 0.2, plots[1])


def tables(folder):
    """All campaigns of the repository: every table is added, and shows the values of its rows."""
    store = Store(folder, "tables.sqlite")
    files = [f for f in sorted(glob.glob(os.path.join(ROOT, "litmus/results/*.json"))) if not f.endswith("-tuning.json")]
    run = store.run("add", "--no-judge", "--tests", ROOT, *files)
    check("tables: all are added", run.returncode == 0 and run.stdout.count(", added") == len(files), (run.stdout[-500:], run.stderr))
    whole = store.export()
    want = 0
    for file in files:
        with open(file) as f:
            want += sum(t["instances"] for t in json.load(f)["tests"])
    check("tables: no instance is lost", sum(t["instances"] for t in whole["totals"]) == want, want)
    devices = " ".join(d["platform"] + " " + d["name"] + " " + d["driver"] for d in whole["devices"])
    missing = [w for w in ("NVIDIA CUDA", "Vulkan NVIDIA H100", "Vulkan llvmpipe", "Portable Computing Language", "rusticl", "REFCL_MEMORY=strong", "REFCL_MEMORY=weak")
               if w not in devices]
    check("tables: of the H100 through OpenCL and Vulkan, PoCL, rusticl, lavapipe, refcl strong and weak", missing == [], missing)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = filled(folder)
        links(path)
        tables(folder)
        if not chromium.PROGRAM:
            tap.skip("the pages in a browser", "no Chromium")
            return tap.done()
        for where, width, height, mobile in SIZES:
            with tempfile.TemporaryDirectory() as scratch, chromium.Browser(scratch) as b:
                b.size(width, height, mobile)
                keys(b, path, where)
                looks(b, path, where)
                plot(b, path, where)
                benchmarks(b, path, where)
                asked = [r for r in b.requests if not r.startswith((f"file://{path}/", "about:"))]
                check(f"{where}: nothing was requested", asked == [], asked)
                check("... and no error was logged", b.errors == [], b.errors)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
