#!/usr/bin/env python3
"""`refcl results`: files are added once, in any order, by many processes, even if some are killed; sums,
verdicts, differences and regressions are those of the files."""
import collections
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from built import PATIENCE, REFCL, ROOT  # noqa: E402
from store import ALLOWED, DEVICE, FORBIDDEN, MP, SB, Page, Store, mp, results, row, sb  # noqa: E402
from tap import check, done, skip  # noqa: E402

WIDE = 2**53 + 1  # the least integer that is no double


def added_once(folder):
    store = Store(folder, "once.sqlite")
    shard = dict(campaign="c", shard="1/2", run="r1")
    first = store.file(results([mp((ALLOWED, 3))], **shard))
    run = store.run("add", first)
    check("a file is added", run.returncode == 0 and ": run 1, added" in run.stdout, run)
    run = store.run("add", first)
    check("the same file again changes nothing", run.returncode == 0 and "known already" in run.stdout and
          store.counts() == ({("1.0", "MP", "[0,-1]"): 3}, {("1.0", "MP"): (1, 3)}), (run, store.counts()))
    run = store.add(results([mp((ALLOWED, 5), (FORBIDDEN, 1))], **shard))
    check("the campaign, resumed since, takes the place of its earlier state", "earlier state" in run.stdout and store.counts() ==
          ({("1.0", "MP", "[0,-1]"): 5, ("1.0", "MP", "[1,0]"): 1}, {("1.0", "MP"): (1, 6)}), (run, store.counts()))
    run = store.add(results([mp((ALLOWED, 4))], **shard))
    check("an older state of it does not", "known already" in run.stdout and
          store.counts()[1] == {("1.0", "MP"): (1, 6)}, (run, store.counts()))
    parts = [{"campaign": "c", "shard": "1/2", "run": "r1"}, {"campaign": "c", "shard": "2/2", "run": "r2"}]
    before = store.counts()
    run = store.add(results([mp((ALLOWED, 9))], parts=parts))
    check("a sum of it and another is an error", run.returncode == 2 and "1 of the 2 campaigns" in run.stderr and
          store.counts() == before, run)
    run = store.add(results([mp((ALLOWED, 9))], parts=parts[:1]))
    check("a sum of what is there changes nothing", run.returncode == 0 and store.counts() == before, run)
    run = store.add(results([mp((ALLOWED, 1)), mp((ALLOWED, 2), (["1", "0"], 1))], "2.0", campaign="d", run="s"))
    check("two files that hold one test are added up", run.returncode == 0 and store.counts()[0][("2.0", "MP", "[0,-1]")] == 3 and
          store.counts()[1][("2.0", "MP")] == (1, 4), (run, store.counts()))
    store.add(results([mp((ALLOWED, 1)), mp(status="skipped", reason="r")], "3.0", campaign="e", run="t"))
    shown = json.loads(store.run("show", "--json", "--device", "3.0, 3.0", "MP").stdout)["results"][0]
    check("which is done if one of both is", (shown["runs"], shown["runs_done"], shown["instances"]) == (1, 1, 1), shown)


def verdicts(folder):
    store = Store(folder, "verdicts.sqlite")
    run = store.add(results([mp((ALLOWED, 90), (FORBIDDEN, 10)), sb(([0, 0], 7), ([1, 1], 3))]))
    found = {values + str(test): verdict for (test, values, _), verdict in store.verdicts().items()}
    check("each state is judged by the model", run.returncode == 0 and "4 states judged by opencl.cat" in run.stdout and
          found == {"[0,-1]MP": "allowed", "[1,0]MP": "forbidden", "[0,0]SB": "allowed", "[1,1]SB": "allowed"}, (run, found))
    shown = json.loads(store.run("show", "--json", "MP").stdout)["results"][0]
    by_state = {s["state"]: s for s in shown["states"]}
    bad = by_state.get("1:r0=1; 1:r1=0", {})
    check("a forbidden one with its clause, rate and first day", bad.get("verdict") == "forbidden" and bad.get("clause") and
          abs(bad.get("rate", 0) - 0.1) < 1e-12 and bad.get("first") == "2026-01-02", shown)
    check("and the rate that anything else stays below", abs(shown["unseen_rate_below"] - 0.03) < 1e-12, shown)
    text = store.run("show", "MP").stdout
    check("as text", "forbidden" in text and "since 2026-01-02" in text and "P, GPU, OpenCL 3.0, 1.0" in text, text)
    run = store.add(results([mp((FORBIDDEN, 1))], "1.1"), "--no-judge")
    check("a state that is known is not judged again", "judged" not in run.stdout and "judged" not in store.run("judge").stdout, run)
    run = store.add(results([row("MP", MP, ["1:r0"], [([0], 1)])], "1.2"))
    check("names other than those observed before are an error", run.returncode == 2 and "observes" in run.stderr, run)
    # Both values are stored by the threads; no execution has the double next to them.
    wide = SB.replace("OPENCL SB", "OPENCL WIDE").replace("int", "long").replace("1, memory", f"{WIDE}, memory")
    store = Store(folder, "wide.sqlite")
    run = store.add(results([row("WIDE", wide, ["0:r0", "1:r0"], [([str(WIDE), str(WIDE)], 5)])]))
    text = store.run("show", "WIDE").stdout
    check("values of 64 bits keep their digits", run.returncode == 0 and list(store.verdicts().values()) == ["allowed"] and
          f"0:r0={WIDE}; 1:r0={WIDE}" in text, (run, text))
    with sqlite3.connect(store.path) as db:
        db.execute("update verdict set verdict = 'forbidden'")
        db.execute("pragma user_version = 4")
    run = store.run("judge")
    check("and are judged again in a store whose verdicts are of rounded values", "1 states judged" in run.stdout and
          list(store.verdicts().values()) == ["allowed"], (run, store.verdicts()))
    store = Store(folder, "unknown.sqlite")
    run = store.add(results([row("MP", MP, ["1:r0"], [([0], 1)])], "1.2"))
    unknown = [v for v in store.export()["verdicts"] if v["verdict"] == "unknown"]
    check("a test that cannot be judged is unknown, with the reason", run.returncode == 0 and len(unknown) == 1 and
          "observed values do not fit" in unknown[0]["clause"], (run, unknown))


def chains(folder):
    """A Vulkan test that has a race unless the device has chains of availability and visibility operations."""
    path = os.path.join(folder, "then-flag.litmus")
    subprocess.run([REFCL, "litmus", "translate", "-o", path, os.path.join(ROOT, "litmus/suite/barriers/then-flag.litmus")], check=True)
    with open(path) as file:
        source = file.read()
    store = Store(folder, "chains.sqlite")
    for driver, has in (("1", {}), ("2", {"availability_visibility_chains": 1})):
        device = dict(DEVICE, platform="Vulkan", version="Vulkan 1.3", driver=driver, **has)
        run = store.add(dict(results([row("then-flag", source, ["2:r0", "2:r1"], [([1, 1], 5)], mapping="plain")]), device=device))
        check("chains: added", run.returncode == 0, run)
    found = {variant: verdict for (_, _, variant), verdict in store.verdicts().items()}
    check("chains: a device that has them is judged with them", found == {"Vulkan": "racy", "Vulkan chains": "allowed"}, found)
    shown = [s["verdict"] for r in json.loads(store.run("show", "--json", "then-flag").stdout)["results"] for s in r["states"]]
    check("chains: each device shows its own verdict", shown == ["racy", "allowed"], shown)
    run = store.run("judge", "--switch", "chains=off")
    found = {variant: verdict for (_, _, variant), verdict in store.verdicts().items()}
    check("chains: a switch that was given decides", "1 states judged by vulkan.cat chains=off" in run.stdout and
          set(found.values()) == {"racy"}, (run, found))
    run = store.run("judge")
    check("chains: verdicts under both are kept", run.returncode == 0 and run.stdout == "" and
          "allowed" in {v for v in store.verdicts().values()}, run)
    for bad in ("chains=perhaps", "nothing=on", "chains"):
        run = store.run("judge", "--switch", bad)
        check("chains: bad switch " + bad, run.returncode == 2 and bad in run.stderr, run)


def migration(folder):
    """A store of the first version is brought up to date, once."""
    store = Store(folder, "first.sqlite")
    with open(os.path.join(ROOT, "tests/tools/store-1.sql")) as file, sqlite3.connect(store.path) as db:
        db.executescript(file.read())
    run = store.run("judge")
    check("migration: states are judged again", run.returncode == 0 and "2 states judged by opencl.cat" in run.stdout and
          store.verdicts() == {("MP", "[0,-1]", "OpenCL"): "allowed", ("MP", "[1,0]", "OpenCL"): "forbidden"}, (run, store.verdicts()))
    whole = store.export()
    check("migration: what the test asks about is known", [s["asked"] for s in whole["states"]] == [0, 1] and
          [a["verdict"] for a in whole["asked"]] == ["forbidden"], whole)
    store.add(results([mp((FORBIDDEN, 3))]))
    check("migration: and results are added", store.counts() == ({("1.0", "MP", "[0,-1]"): 8, ("1.0", "MP", "[1,0]"): 5}, {("1.0", "MP"): (2, 13)}),
          store.counts())


def differences(folder):
    store = Store(folder, "differences.sqlite")
    store.add(results([mp((ALLOWED, 1000)), sb(([1, 1], 500))], "1.0"))
    store.add(results([mp((ALLOWED, 990), (FORBIDDEN, 10)), sb(([1, 1], 400), ([0, 0], 100))], "1.1", date="2026-02-03"))
    store.add(results([mp((ALLOWED, 10)), sb(status="skipped", reason="no relaxed order")], "1.2", date="2026-03-04"))
    run = store.run("compare", "--json", "1.0", "1.1")
    compared = json.loads(run.stdout)
    shown = {(s["test"], s["state"], s["shown_by"]): s for s in compared["states"]}
    weak = shown.get(("SB", "0:r0=0; 1:r0=0", "B"), {})
    check("compare: the states that one driver alone shows", run.returncode == 0 and len(shown) == 2 and
          ("MP", "1:r0=1; 1:r1=0", "B") in shown and weak.get("rate") == 0.2 and weak.get("other_instances") == 500 and
          abs(weak.get("other_rate_below", 0) - 3 / 500) < 1e-12, compared)
    compared = json.loads(store.run("compare", "--json", "1", "2").stdout)
    check("compare: the same of two runs", len(compared["states"]) == 2 and compared["common_tests"] == 2, compared)
    compared = json.loads(store.run("compare", "--json", "1.1", "1.2").stdout)
    check("compare: a test that was skipped did not run", compared["only_a"] == ["SB"] and compared["common_tests"] == 1, compared)
    run = store.run("regressions", "--json")
    updates = json.loads(run.stdout)["updates"]
    check("regressions: a forbidden state that is new, then a test that no longer runs", run.returncode == 1 and
          [([s["test"] for s in u["forbidden"]], u["lost"]) for u in updates] == [(["MP"], []), ([], ["SB"])], run)
    run = store.run("regressions", "--device", "OpenCL 3.0, 1.0")
    check("regressions: none in one driver alone", run.returncode == 0 and "0 updates" in run.stdout, run)


def gate(folder):
    """Against all drivers of the device in the store of differences()."""
    store = Store(folder, "differences.sqlite")

    def judged(*tests, name="GPU"):
        verdicts = {"[1, 0]": "forbidden"}
        path = os.path.join(folder, "judgement.json")
        rows = [dict({k: t[k] for k in ("name", "file", "status")}, verdict="allowed", positive=0, negative=t["instances"], states=[
            dict(s, verdict=verdicts.get(str(s["values"]), "allowed")) for s in t["states"]]) for t in tests]
        with open(path, "w") as file:
            json.dump({"format": "refcl-litmus-judgement", "version": 1, "device": dict(DEVICE, name=name), "tests": rows}, file)
        return subprocess.run([REFCL, "gate", "--store", store.path, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    run = judged(mp((ALLOWED, 5), (FORBIDDEN, 1)), sb(([1, 1], 1)))
    check("gate: a forbidden state that an earlier driver showed is no finding", run.returncode == 0 and "0 findings" in run.stdout, run)
    run = judged(mp((ALLOWED, 5)))
    check("gate: a test that an earlier driver ran is missing", run.returncode == 1 and "lost test: SB" in run.stdout, run)
    run = judged(mp((ALLOWED, 5), ([1, 0], 1)), sb(([1, 0], 1)))
    check("gate: a forbidden state that none showed", run.returncode == 1 and "new forbidden outcome: SB" in run.stdout and
          "outcome: MP" not in run.stdout, run)
    run = judged(mp((ALLOWED, 5)), name="other")
    check("gate: a device that the store does not have", run.returncode == 2 and "'other'" in run.stderr, run)


def junit(folder):
    store = Store(folder, "junit.sqlite")
    suite = ('<?xml version="1.0"?><testsuites><testsuite name="s"><testcase classname="basic" name="vload &lt;1&gt;" time="0.5"/>'
             '<testcase classname="basic" name="%s"><failure message="wrong">x</failure></testcase>'
             '<testcase name="c"><skipped message="no images"/></testcase></testsuite></testsuites>')
    run = store.add(suite % "fpmath")
    check("JUnit: the device is to be named", run.returncode == 2 and "--device" in run.stderr, run)
    run = store.add(suite % "fpmath", "--device", "GPU", "--driver", "1.0", "--date", "2026-01-01")
    with sqlite3.connect(store.path) as db:
        rows = db.execute("select name, status, ifnull(text, '') from result join test on test = test.id left join reason on"
                          " reason = reason.id order by name").fetchall()
    check("JUnit: results of conformance tests", run.returncode == 0 and rows ==
          [("basic.fpmath", "failed", "wrong"), ("basic.vload <1>", "done", ""), ("c", "skipped", "no images")], (run, rows))
    passed = suite.replace('<failure message="wrong">x</failure>', "") % "fpmath"
    run = store.add(passed.replace('name="vload &lt;1&gt;" time="0.5"/>', 'name="vload &lt;1&gt;"><error message="lost"/></testcase>'),
                    "--device", "GPU", "--driver", "1.1", "--date", "2026-01-02")
    updates = json.loads(store.run("regressions", "--json").stdout)["updates"]
    check("JUnit: a test that an update broke", [u["lost"] for u in updates] == [["basic.vload <1>"]], (run, updates))


def bad_input(folder):
    store = Store(folder, "bad.sqlite")
    store.add(results([mp((ALLOWED, 1))]))
    before = store.counts()
    case = '<testcase name="a"/>'
    for name, content, words in (
            ("no JSON", "{", "no JSON"), ("another format", {"format": "x", "version": 1}, "neither results"),
            ("a newer version", dict(results([]), version=2), "version 2"),
            ("no device", dict(results([]), device=None), "'device' is missing"),
            ("a state of another width", results([mp(([1], 1))]), "'MP'"),
            ("a value that is no number", results([mp((["1);drop table run", 0], 1))]), "'MP'"),
            ("a value that is a sign", results([mp((["-", 0], 1))]), "needs an integer"),
            ("a value that is null", results([mp(([None, 0], 1))]), "needs an integer"),
            ("a value of more than 64 bits", results([mp((["9223372036854775808", 0], 1))]), "needs an integer"),
            ("a state twice", results([mp((ALLOWED, 1), (ALLOWED, 2))]), "a state is there twice"),
            ("a test without a text", results([dict(mp(), source="")]), "neither its text nor its digest"),
            ("a test that is none", results([dict(mp((ALLOWED, 1)), source="OPENCL x {")]), "error"),
            ("a date", results([], date="2026-13-01"), "no date"),
            ("XML that ends early", "<testsuite>" + case, ":1:"),
            ("XML with a document type", '<!DOCTYPE t [<!ENTITY a "b">]><testsuite>' + case + "</testsuite>", "document type"),
            ("a test case twice", "<testsuite>" + 2 * case + "</testsuite>", "twice"),
            ("JUnit without test cases", "<testsuite/>", "no test case")):
        run = store.add(content, "--device", "D")
        check("bad input: " + name, run.returncode == 2 and words in run.stderr and store.counts() == before, run)
    text = store.file("hello, this is no database and long enough for one page")
    run = subprocess.run([REFCL, "results", "list", "--store", text], stderr=subprocess.PIPE, text=True)
    check("a file that is no store", run.returncode == 2 and "not a database" in run.stderr, run)
    other = os.path.join(folder, "other.sqlite")
    with sqlite3.connect(other) as db:
        db.execute("create table mine(x)")
    run = subprocess.run([REFCL, "results", "add", "--store", other, text], stderr=subprocess.PIPE, text=True)
    with sqlite3.connect(other) as db:
        tables = db.execute("select name from sqlite_schema").fetchall()
    check("another program's database is left alone", run.returncode == 2 and "not a store" in run.stderr and tables == [("mine",)],
          (run, tables))
    for version, name in ((99, "a store of a newer refcl"), (-7, "a store of a version that none has")):
        with sqlite3.connect(store.path) as db:
            db.execute(f"pragma user_version = {version}")
        run = store.run("list")
        check(name, run.returncode == 2 and f"version {version}," in run.stderr, run)
    run = Store(folder, "absent.sqlite").run("list")
    check("no store", run.returncode == 2 and not os.path.exists(os.path.join(folder, "absent.sqlite")), run)


def site(folder):
    store, path = Store(folder, "site.sqlite"), os.path.join(folder, "site")
    store.add(results([dict(mp((ALLOWED, 98), (FORBIDDEN, 2)), file="suite/message/MP.litmus"),
                       dict(sb(status="skipped", reason="<none> & no"), file="suite/store/SB.litmus")]))
    store.add(results([dict(mp((ALLOWED, 5)), file="suite/message/MP.litmus")], "<2.0>"))
    run = store.run("site", path)
    pages = {name: Page(os.path.join(path, name)) for name in sorted(os.listdir(path))}
    check("site: a page for each driver and each test", run.returncode == 0 and sorted(pages) ==
          ["device-1.html", "device-2.html", "index.html", "test-1.html", "test-2.html"], (run, list(pages)))
    references = {r.split("#")[0] for p in pages.values() for r in p.references}
    check("site: well-formed, and refers to its own pages alone", all(p.whole for p in pages.values()) and references <= {""} | set(pages),
          ({name: p.open for name, p in pages.items()}, references))
    rows = pages["index.html"].rows
    check("site: drivers beside rule families", rows[-3:] ==
          [["rule family", "A: GPU, 1.0", "B: GPU, <2.0>"], ["message", "1 forbidden", "1 allowed"],
           ["store", "1 not run1 skipped: <none> & no", ""]], rows)
    check("site: each driver with its tests by verdict", [r[:2] + r[4:] for r in rows[1:3]] ==
          [["A", "P, GPU, OpenCL 3.0, 1.0", "2", "0", "1", "0", "0", "1"], ["B", "P, GPU, OpenCL 3.0, <2.0>", "1", "1", "0", "0", "0", "0"]], rows)
    states = [row[:3] for row in pages["test-1.html"].rows if row[0].startswith("1:r0")]
    check("site: states of a test by driver, with clauses", [(s, v[:9], n) for s, v, n in states] ==
          [("1:r0=0; 1:r1=-1", "allowed", "98"), ("1:r0=1; 1:r1=0", "forbidden", "2"), ("1:r0=0; 1:r1=-1", "allowed", "5")] and
          "CL 3.3.6" in states[1][1], states)
    history = [row[1:] for row in pages["test-1.html"].rows if row[0].startswith("P, GPU")]
    check("site: the runs of a test, with what it asks about", history ==
          [["2026-01-02", "1", "done", "100", "2"], ["2026-01-02", "2", "done", "5", "0"]], history)
    with sqlite3.connect(store.path) as db:
        db.execute("update verdict set verdict = '<script>'")
        db.execute("update seen set first = '<script>', last = '<script>'")
        db.execute("update total set first = '<script>', last = '<script>'")
    run = store.run("site", path)
    text = "".join(open(os.path.join(path, name)).read() for name in os.listdir(path))
    check("site: what another program wrote into the store is text", run.returncode == 0 and "<script" not in text and
          "&lt;script&gt;" in text, run)


def parallel(folder):
    """Forty shards, added by eight processes at a time, each twice, in random order; some are killed on the way."""
    store, rng = Store(folder, "parallel.sqlite"), random.Random(7)
    want, files = collections.Counter(), []
    for n in range(40):
        counts = rng.randrange(1, 1000), rng.randrange(1, 1000)
        want["[0,-1]"] += counts[0]
        want["[1,1]"] += counts[1]
        files.append(store.file(results([mp((ALLOWED, counts[0]), ([1, 1], counts[1]))], campaign="c", shard=f"{n + 1}/40",
                                        run=f"r{n}")))
    order = files * 2
    rng.shuffle(order)
    for start in range(0, len(order), 8):
        children = [subprocess.Popen([REFCL, "results", "add", "--store", store.path, path], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL) for path in order[start:start + 8]]
        for child in children:
            if rng.random() < 0.3:
                child.send_signal(signal.SIGKILL)
        for child in children:
            child.wait(PATIENCE)
    last = store.run("add", *files)
    seen, totals = store.counts()
    check("shards from many processes, some killed: none is lost, none counts twice", last.returncode == 0 and
          {key[2]: n for key, n in seen.items()} == want and totals == {("1.0", "MP"): (40, sum(want.values()))},
          (last.stderr, seen, totals))


def killed(folder):
    """A process that is killed within its transaction leaves nothing."""
    store = Store(folder, "killed.sqlite")
    store.add(results([sb(([1, 1], 1))]))
    before = store.counts()
    path = store.file(results([row(f"MP{n}", MP.replace("OPENCL MP", f"OPENCL MP{n}"), ["1:r0", "1:r1"], [(ALLOWED, 1)])
                               for n in range(3000)]))
    child = subprocess.Popen([REFCL, "results", "add", "--no-judge", "--store", store.path, path], stdout=subprocess.DEVNULL)
    while not os.path.exists(store.path + "-journal") and child.poll() is None:
        pass
    child.kill()
    check("killed within a transaction", child.wait(PATIENCE) == -signal.SIGKILL and store.counts() == before, child.returncode)
    run = store.run("add", "--no-judge", path)
    check("and added whole later", run.returncode == 0 and len(store.counts()[1]) == 3001, run)


def schema(folder):
    try:
        import jsonschema
    except ImportError:
        skip("the export fits its schema", "no jsonschema")
        return
    store = Store(folder, "verdicts.sqlite")
    with open(os.path.join(ROOT, "tools/schema/results-store.schema.json")) as file:
        described = json.load(file)
    whole = store.export()
    jsonschema.validate(whole, described)
    check("the export fits its schema", all(whole[key] for key in ("devices", "tests", "states", "verdicts", "asked", "totals", "seen")))


with tempfile.TemporaryDirectory() as folder:
    added_once(folder)
    verdicts(folder)
    chains(folder)
    migration(folder)
    differences(folder)
    gate(folder)
    junit(folder)
    bad_input(folder)
    site(folder)
    parallel(folder)
    killed(folder)
    schema(folder)
sys.exit(done())
