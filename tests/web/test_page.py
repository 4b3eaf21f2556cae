#!/usr/bin/env python3
"""The playground in headless Chromium, at the width of a window and of a phone: a test is typed, its verdict
read, a cycle followed, a link and a kernel opened, by keys alone too; verdicts in the browser are those of
the checker on this machine; nothing is requested."""
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import chromium
import tap
from built import BUILD, PATIENCE, ROOT
from tap import check

PAGE = os.path.join(BUILD, "web/playground.html")
SIZES = (("a window", 1300, 900, False), ("a phone", 390, 844, True))
RELATIONS = "gsw ghb"
TYPED = """OPENCL typed
{ [x] = 0; [y] = 0; }
P0@wg 0, dev 0 (global atomic_int* x, global atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_seq_cst, memory_scope_device);
  int r0 = atomic_load_explicit(y, memory_order_seq_cst, memory_scope_device);
}
P1@wg 1, dev 0 (global atomic_int* x, global atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_seq_cst, memory_scope_device);
  int r0 = atomic_load_explicit(x, memory_order_seq_cst, memory_scope_device);
}
exists (0:r0 = 0 /\\ 1:r0 = 0)
"""
FREE = '"no order at all"\nempty 0 as nothing\n'
IDLE = "playground.sides.length && playground.sides.every(s => !s.busy && s.status.textContent)"
TEXT = "playground.sides[0].editor.text()"

# Pairs of an edge's label and an event or another label that it covers.
COVERED = """(() => { const cy = document.querySelector('.canvas')._cyreg.cy, boxes = cy.nodes('.event').map(n => [n.id(), n.boundingBox({ includeLabels: false })]), found = [];
  for (const e of cy.edges("[label != '']").toArray()) {
    const box = e.boundingBox({ includeNodes: false, includeEdges: false });
    for (const [name, other] of boxes) if (Math.min(box.x2, other.x2) - Math.max(box.x1, other.x1) > 1 && Math.min(box.y2, other.y2) - Math.max(box.y1, other.y1) > 1) found.push(e.data('label') + ' over ' + name);
    boxes.push([e.data('label'), box]);
  }
  return [boxes.length, found]; })()"""
# Labels that are neither left of their control, nor above it.
APART = """[...document.querySelectorAll('label[for]')].filter(l => { const a = l.getBoundingClientRect(), b = document.getElementById(l.htmlFor).getBoundingClientRect();
  const beside = a.right <= b.left && b.left - a.right < 20 && a.top < b.bottom && b.top < a.bottom, above = a.bottom <= b.top + 1 && b.top - a.bottom < 20 && Math.abs(a.left - b.left) < 4;
  return a.width && !beside && !above; }).map(l => l.textContent)"""


def stale():
    """Whether there is no page built from the current sources."""
    variables = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    build = os.environ.get("BUILD", "build")
    made = subprocess.run(["make", "-q", "BUILD=" + build, build + "/web/playground.html"], cwd=ROOT, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return not os.path.exists(PAGE) or made.returncode != 0


def page_size():
    with open(PAGE, "rb") as f:
        return len(gzip.compress(f.read()))


def answer(b, what, side=0):
    return b.run("document.querySelectorAll('.side')[%d].querySelector('[data-answer=%s]').textContent" % (side, what))


def idle(b):
    b.wait(IDLE)


def replace_all(b, text):
    """Types over the editor's text."""
    b.run("playground.sides[0].editor.view.focus()")
    b.key("a", 65, modifiers=2)
    b.call("Input.insertText", text=text)
    b.key("Escape", 27)


def same_verdicts(b):
    """The whole answers, of every fourth test of the suite."""
    files = sorted(glob.glob(os.path.join(ROOT, "litmus/suite/*/*.litmus")))[::4]
    names = [os.path.relpath(f, os.path.join(ROOT, "litmus/suite")) for f in files]
    said = b.run("""(async () => { const answers = []; for (const name of %s) answers.push(await new Promise(resolve =>
        playground.engine.ask("T", { test: playground.data.tests[name], model: "opencl.cat", relations: "%s", timeout: 60000 }, (a, last) => { if (last) resolve(a); })));
        return JSON.stringify(answers); })()""" % (json.dumps(names), RELATIONS))
    run = subprocess.run([os.path.join(BUILD, "tests/web/check_files"), "3", os.path.join(ROOT, "memmodel/models"), "opencl.cat", "", RELATIONS] + files, stdout=subprocess.PIPE, timeout=PATIENCE)
    wanted = [json.loads(line) for line in run.stdout.decode().splitlines()]
    said = json.loads(said)
    for verdict in said + wanted:
        verdict.pop("microseconds", None)
    wrong = [n for n, a, c in zip(names, said, wanted) if a != c]
    check("%d answers in the browser are those of this machine" % len(names), len(said) == len(wanted) == len(names) >= 300 and not wrong, wrong[:5])


def same_kernels(b):
    """The first answer for each kernel: the verdict without forbidden states."""
    files = sorted(glob.glob(os.path.join(BUILD, "web/kernels/*.program")))
    names = [os.path.basename(f)[:-len(".program")] for f in files]
    said = json.loads(b.run("""(async () => { const answers = []; for (const name of %s) answers.push(await new Promise(resolve =>
        playground.engine.ask("K", { test: playground.data.kernels[name].program, model: "opencl.cat", relations: "%s", timeout: 60000 }, resolve))); playground.engine.cancel("K");
        return JSON.stringify(answers); })()""" % (json.dumps(names), RELATIONS)))
    run = subprocess.run([os.path.join(BUILD, "tests/web/check_files"), "0", os.path.join(ROOT, "memmodel/models"), "opencl.cat", "", RELATIONS] + files, stdout=subprocess.PIPE, timeout=PATIENCE)
    wanted = [json.loads(line) for line in run.stdout.decode().splitlines()]
    for verdict in said + wanted:
        verdict.pop("microseconds", None)
    wrong = [n for n, a, c in zip(names, said, wanted) if a != c]
    sources = glob.glob(os.path.join(ROOT, "tools/web/kernels/*.cl"))
    check("%d kernels have the verdicts of this machine" % len(names), len(said) == len(wanted) == len(names) == len(sources) >= 24 and not wrong, wrong[:5])


def tab_to(b, script):
    """Presses Tab until the expression is true of the focused element, e; returns the names of the elements
    passed."""
    seen = []
    while len(seen) < 80 and not b.run("(e => %s)(document.activeElement)" % script):
        b.key("Tab", 9)
        seen.append(b.run("document.activeElement.id || document.activeElement.textContent.slice(0, 40)"))
    return seen


def kernel(b, where):
    """By keys alone: from the top of the page to a kernel in the library, to its forbidden state, and to a
    change that allows it."""
    b.run("(() => { const s = playground.sides[0]; s.switches = {}; s.setModel('opencl.cat'); })()")
    idle(b)
    b.run("(() => { document.querySelectorAll('details').forEach(d => { d.open = false; }); document.querySelector('.skip').focus(); })()")
    seen = tab_to(b, "e.tagName === 'SUMMARY' && e.textContent.startsWith('Library')")
    b.key("Enter", 13, text="\r")
    seen += tab_to(b, "e.id === 'find-A'")
    b.run("document.activeElement.select()")
    b.type("kernels lock_flags")
    seen += tab_to(b, "e.id === 'library-A'")
    b.key("ArrowDown", 40)
    idle(b)
    check("%s: the keyboard opens a kernel" % where, b.run("playground.sides[0].kernel") == "lock_flags" and "Dekker" in b.run("document.querySelector('.teaching').textContent"), seen)
    answers = [answer(b, what) for what in ("condition", "race", "divergence", "termination")]
    check("... its verdict is read", answers == ["~exists: holds", "none", "none", "always"], answers)
    source = b.run(TEXT)
    b.run("playground.sides[0].editor.view.focus()")
    b.type("x")
    check("... its source is shown, and stays", "memory_order_seq_cst" in source and b.run(TEXT) == source)
    b.key("Escape", 27)
    seen = tab_to(b, "(e.dataset.key || '').startsWith('f ')")
    b.key("Enter", 13, text="\r")
    steps = b.run("[...document.querySelectorAll('.violation .cycle li')].map(l => l.textContent)")
    check("... its forbidden state has an axiom and a cycle", b.run("document.activeElement.dataset.key") == "f in[0]=1 in[1]=1" and len(steps) >= 4, (seen, steps))
    lines = [n for n, line in enumerate(source.split("\n"), 1) if "seq_cst" in line]
    check("... the cycle's lines are marked in the source", b.run("[...document.querySelectorAll('.cm-here')].map(n => n.textContent)") == [source.split("\n")[n - 1] for n in lines], lines)
    count, covered = b.run(COVERED)
    check("... the labels in its graph cover neither events nor one another", count > 12 and covered == [], (count, covered))
    size = b.run("document.querySelector('.canvas')._cyreg.cy.zoom() * 13")
    check("... its text can be read", size >= 9, size)
    rows = b.run("[...document.querySelectorAll('.tables table')[0].tBodies[0].rows].map(r => r.cells[1].textContent)")
    check("... events have their lines", set(map(str, lines)) <= set(rows), rows)
    seen = tab_to(b, "e.classList.contains('change')")
    b.key("Enter", 13, text="\r")
    said = b.wait("[...document.querySelectorAll('.advice code')].map(c => c.textContent).join()")
    check("... a change that allows it is found", "line %d: memory_order_" % lines[0] in said or "line %d: memory_order_" % lines[1] in said, said)
    b.run("document.getElementById('share').click()")
    address = b.wait("document.getElementById('shared').textContent && document.getElementById('link').value")
    b.open(address)
    idle(b)
    check("... a link opens it", b.run("[playground.sides[0].kernel, playground.sides[0].results.key].join()") == "lock_flags,f in[0]=1 in[1]=1" and b.run(TEXT) == source)


def twins(b, where):
    b.run("[...document.querySelectorAll('.launch button')].find(n => n.textContent.includes('twin')).click()")
    idle(b)
    rows = b.run("[...document.querySelectorAll('#differences tbody tr')].map(r => [...r.cells].map(c => c.textContent).join(': '))")
    check("%s: the twin with a mistake beside it" % where, "allowed here alone: none: in[0]=1 in[1]=1" in rows and "Condition: ~exists: holds: ~exists: does not hold" in rows, rows)
    check("... the page is no wider than the window", b.run("document.documentElement.scrollWidth <= innerWidth"))
    b.run("document.getElementById('compare').click()")
    b.run("playground.sides[0].open('kernel:message_flag_relaxed')")
    idle(b)
    said = b.run("document.querySelector('.output').textContent")
    check("... a race has its change, and is no defined behavior", "memory_order_release" in said and "undefined" in said, said)
    b.run("playground.sides[0].open('kernel:lock_two_opposite')")
    idle(b)
    check("... a deadlock is shown", answer(b, "termination") == "not always" and "non-termination" in b.run("document.querySelector('.finding').textContent"), answer(b, "termination"))


def typing(b, where):
    replace_all(b, TYPED)
    idle(b)
    check("%s: a test is typed" % where, b.run(TEXT) == TYPED, b.run(TEXT))
    check("... its verdict is read", (answer(b, "condition"), answer(b, "race")) == ("exists: does not hold", "none"), answer(b, "condition"))
    wrong = TYPED.replace("memory_order_seq_cst", "memory_order_sequential", 1)
    replace_all(b, wrong)
    idle(b)
    place = b.wait("document.querySelector('.cm-lintRange-error') && document.querySelector('.cm-lintRange-error').textContent")
    check("... an error is shown at its place", place == "memory_order_sequential" and "line 4" in b.run("document.querySelector('.message').textContent"), place)
    replace_all(b, "OPENCL t\n")
    b.type("memory_order_a")
    b.key(" ", 32, modifiers=2)
    options = b.wait("document.querySelector('.cm-tooltip-autocomplete') && [...document.querySelectorAll('.cm-tooltip-autocomplete li')].map(l => l.textContent).join(' ')")
    check("... orders are completed", "memory_order_acquire" in options and "memory_order_acq_rel" in options, options)
    b.key("Escape", 27)
    replace_all(b, TYPED)
    idle(b)


def cycle(b, where):
    """By keys alone: from the editor to the forbidden state, and to its cycle."""
    b.run("playground.sides[0].editor.view.focus()")
    b.key("Escape", 27)
    seen = []
    while len(seen) < 80 and not (seen and seen[-1].startswith("f ")):
        b.key("Tab", 9)
        seen.append(b.run("document.activeElement.dataset.key || document.activeElement.tagName"))
    check("%s: the keyboard reaches the forbidden state" % where, seen[-1] == "f 0:r0=0 1:r0=0", seen)
    b.key("Enter", 13, text="\r")
    shown = b.run("document.querySelector('.detail').textContent")
    steps = b.run("[...document.querySelectorAll('.violation .cycle li')].map(l => l.textContent)")
    check("... its axiom and its cycle are shown", "seq_cst-order" in shown and len(steps) >= 4 and all("\u2192" in s for s in steps), steps)
    check("... with the clause in words", b.run("[...document.querySelectorAll('.clauses dd')].some(d => d.textContent.length > 40)"), shown)
    edges = b.run("playground.sides[0].results.graph.edges()")
    check("... the graph has the cycle", edges.count("cycle") == len(steps), edges)
    check("... whose labels cover neither events nor one another", b.run(COVERED)[1] == [], b.run(COVERED))
    check("... the same is a table", b.run("document.querySelectorAll('.tables tbody tr').length") > len(steps))
    for relation in ("rf", "po"):
        box = "[...document.querySelectorAll('.relations label')].find(l => l.textContent === '%s').querySelector('input')" % relation
        b.run(box + ".click()")
        without = b.run("playground.sides[0].results.graph.edges()")
        b.run(box + ".click()")
        check("... relation %s can be switched" % relation, relation not in without and relation in b.run("playground.sides[0].results.graph.edges()"), without)


def link(b, where):
    b.run("(() => { const s = document.querySelector('[data-switch=sc]'); s.value = 'none'; s.dispatchEvent(new Event('change')); })()")
    idle(b)
    check("%s: a switch changes the verdict" % where, answer(b, "condition") == "exists: holds", answer(b, "condition"))
    b.run("playground.sides[0].results.choose('a 0:r0=0 1:r0=0')")
    b.run("document.getElementById('share').click()")
    address = b.wait("document.getElementById('shared').textContent && document.getElementById('link').value")
    b.open(address)
    idle(b)
    state = b.run("[%s, playground.sides[0].switches.sc, playground.sides[0].results.key].join('|')" % TEXT)
    check("... a link has the test, the switches and the choice", state == TYPED + "|none|a 0:r0=0 1:r0=0", state)
    b.open(address[:-9] + "damaged")
    idle(b)
    check("... a damaged link opens the page as it begins", "MP+rel+rlx" in b.run(TEXT))
    b.open(address)
    idle(b)


def compare(b, where):
    b.run("document.getElementById('compare').click()")
    idle(b)
    check("%s: two equal sides have no differences" % where, "None" in b.run("document.getElementById('differences').textContent"))
    b.run("(() => { const s = document.querySelectorAll('.side')[1].querySelector('[data-switch=sc]'); s.value = 'version'; s.dispatchEvent(new Event('change')); })()")
    idle(b)
    rows = b.run("[...document.querySelectorAll('#differences tbody tr')].map(r => [...r.cells].map(c => c.textContent).join(': '))")
    check("... other settings: what differs is listed", "sc: none: default" in rows and "Condition: exists: holds: exists: does not hold" in rows and "allowed here alone: 0:r0=0 1:r0=0: none" in rows, rows)
    check("... and marked", b.run("[...document.querySelectorAll('.lists button.only')].map(n => n.dataset.key).join()") == "a 0:r0=0 1:r0=0,f 0:r0=0 1:r0=0")
    check("... the page is no wider than the window", b.run("document.documentElement.scrollWidth <= innerWidth"))
    b.run("document.getElementById('compare').click()")


def model(b, where):
    b.run("playground.sides[0].setModel('own model')")
    b.run("(() => { const v = playground.sides[0].catEditor.view; v.dispatch({ changes: { from: 0, to: v.state.doc.length, insert: %s } }); })()" % json.dumps(FREE))
    idle(b)
    check("%s: a pasted model decides" % where, answer(b, "condition") == "exists: holds" and b.run("playground.sides[0].verdict.model") == "own.cat", answer(b, "condition"))


def library(b, where):
    b.run("(() => { const s = playground.sides[0]; s.find.value = 'IRIW acquire'; s.find.dispatchEvent(new Event('input')); s.library.selectedIndex = 0; s.library.dispatchEvent(new Event('change')); })()")
    idle(b)
    check("%s: the library opens a test and says what it teaches" % where, "IRIW" in b.run(TEXT) and len(b.run("document.querySelector('.teaching').textContent")) > 40, b.run(TEXT)[:50])
    b.run("playground.sides[0].run(); playground.sides[0].cancelButton.click()")
    check("... a check is cancelled", b.run("document.querySelector('.status').textContent") == "Cancelled.")
    b.run("playground.sides[0].run()")
    idle(b)
    check("... and the next one answers", b.run("document.querySelector('.status').textContent").startswith("Answered"))


def looks(b, where):
    nameless = b.run("""[...document.querySelectorAll('button, select, input, [role=textbox]')].filter(n => !n.hidden && !(n.labels && n.labels.length) && !n.closest('label') && !n.getAttribute('aria-label') &&
        !n.textContent.trim() && !n.closest('.cm-editor .cm-panels')).map(n => n.outerHTML)""")
    check("%s: every control has a name" % where, nameless == [], nameless)
    check("... and its label beside or above it", b.run(APART) == [], b.run(APART))
    check("... the page is no wider than the window", b.run("document.documentElement.scrollWidth <= innerWidth"), b.run("document.documentElement.scrollWidth"))
    colors = []
    for scheme in ("light", "dark"):
        b.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        colors.append(b.run("(() => { const rgb = c => c.match(/[\\d.]+/g).slice(0, 3).reduce((a, v) => a + +v, 0), s = getComputedStyle(document.body); return rgb(s.backgroundColor) > rgb(s.color); })()"))
    check("... light and dark", colors == [True, False], colors)


def main():
    if not chromium.PROGRAM:
        tap.skip_all("no Chromium")
    if stale():
        tap.skip_all("no playground page")
    check("the page is less than 3 MB compressed", page_size() < 3000000)
    for where, width, height, mobile in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(PAGE, os.path.join(folder, "page.html"))
            with chromium.Browser(folder) as b:
                b.size(width, height, mobile)
                b.open("file://%s/page.html" % folder)
                idle(b)
                check("%s: the first test has its verdict" % where, (answer(b, "condition"), answer(b, "race")) == ("exists: holds", "found"))
                for part in (looks, typing, cycle, link, compare, model, library, kernel, twins, looks):
                    part(b, where)
                if not mobile:
                    same_verdicts(b)
                    same_kernels(b)
                asked = [r for r in b.requests if not r.startswith(("file://%s/page.html" % folder, "blob:", "about:", "data:"))]
                check("%s: nothing was requested" % where, asked == [], asked)
                check("... and no script failed", b.errors == [], b.errors)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
