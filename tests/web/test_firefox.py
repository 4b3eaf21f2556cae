#!/usr/bin/env python3
"""The playground in headless Firefox: a test's verdict is read, a cycle followed, a link opened, and kernels
have the verdicts of the checker on this machine."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import firefox  # noqa: E402
import tap  # noqa: E402
from tap import check  # noqa: E402
from test_page import PAGE, TEXT, TYPED, answer, idle, same_kernels, stale  # noqa: E402


def main():
    if not firefox.PROGRAM:
        tap.skip_all("no Firefox")
    if stale():
        tap.skip_all("no playground page")
    with tempfile.TemporaryDirectory() as folder, firefox.Browser(folder) as b:
        b.open("file://" + os.path.abspath(PAGE))
        idle(b)
        check("Firefox: the first test has its verdict", (answer(b, "condition"), answer(b, "race")) == ("exists: holds", "found"))
        b.run("(() => { const v = playground.sides[0].editor.view; v.dispatch({ changes: { from: 0, to: v.state.doc.length, insert: %s } }); })()" % json.dumps(TYPED))
        idle(b)
        check("... another test has its own", (answer(b, "condition"), answer(b, "race")) == ("exists: does not hold", "none"), answer(b, "condition"))
        b.run("playground.sides[0].results.choose('f 0:r0=0 1:r0=0')")
        steps = b.run("[...document.querySelectorAll('.violation .cycle li')].map(l => l.textContent)")
        edges = b.run("playground.sides[0].results.graph.edges()")
        check("... a forbidden state has a cycle, in the graph too", len(steps) >= 4 and edges.count("cycle") == len(steps), (steps, edges))
        b.run("document.getElementById('share').click()")
        b.open(b.wait("document.getElementById('shared').textContent && document.getElementById('link').value"))
        idle(b)
        state = b.run("[%s, playground.sides[0].results.key].join('|')" % TEXT)
        check("... a link has the test and the choice", state == TYPED + "|f 0:r0=0 1:r0=0", state)
        check("... the page is no wider than the window", b.run("document.documentElement.scrollWidth <= innerWidth"))
        same_kernels(b)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
