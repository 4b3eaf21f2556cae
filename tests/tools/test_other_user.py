#!/usr/bin/env python3
"""Runs by an unprivileged user of refcl installed by root: each command gives that user the output that it
gives root, with and without a home folder; its files belong to the user, are below the home folder or where
an option says, and no temporary file remains."""
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import BUILD, PATIENCE, ROOT
from tap import check

USER = 65534
RACY = "tests/races/kernels/scans/scan_blelloch_no_middle_barrier.cl"
LAUNCH = ["--global", "16", "--local", "16", "--arg", "buf:16:iota", "--arg", "local:64"]
LITMUS = "litmus/suite/message-passing/MP+rel+acq.litmus"
HISTOGRAM = ["tests/clients/racy_histogram", "tests/clients/racy_histogram.cl"]


def install(folder):
    made = subprocess.run(["make", "--no-print-directory", f"BUILD={os.path.relpath(BUILD, ROOT)}", "-o", "all", "install",
                           f"PREFIX={folder}/usr", f"DESTDIR={folder}/root"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          umask=0o077, cwd=ROOT)
    check("make install", made.returncode == 0, made.stdout)
    os.rename(f"{folder}/root{folder}/usr", f"{folder}/usr")
    for name in RACY, LITMUS, HISTOGRAM[1]:
        shutil.copy(os.path.join(ROOT, name), folder)
    shutil.copy(os.path.join(BUILD, HISTOGRAM[0]), folder)
    for name in map(os.path.basename, (RACY, LITMUS, *HISTOGRAM)):
        os.chmod(os.path.join(folder, name), 0o755)


def commands(folder, out):
    at = {name: os.path.join(folder, os.path.basename(name)) for name in (RACY, LITMUS, *HISTOGRAM)}
    program = [at[HISTOGRAM[0]], at[HISTOGRAM[1]]]
    return {
        "kernel": ["kernel", "--json", f"{out}/kernel.json", *LAUNCH, at[RACY]],
        "kernel, from the cache": ["kernel", *LAUNCH, at[RACY]],
        "run": ["run", "--json", f"{out}/run.json", "--html", f"{out}/run.html", "--trace", f"{out}/run.trace", "--", *program],
        "trace check": ["trace", "check", f"{out}/run.trace"],
        "capture": ["capture", "--output", f"{out}/captured", "--", *program],
        "explore": ["explore", "--json", f"{out}/explore.json", *LAUNCH, at[RACY]],
        "litmus check": ["litmus", "check", "--verify", at[LITMUS]],
        "litmus run": ["litmus", "run", "-q", "-n", "200", "-o", f"{out}/results.json", at[LITMUS]],
        "litmus judge": ["litmus", "judge", f"{out}/results.json"],
        "a folder of others": ["kernel", "--json", f"{folder}/usr/kernel.json", *LAUNCH, at[RACY]],
    }


def plain(text, out):
    """Without what differs between two runs: process ids, times, folders."""
    text = text.replace(out, "OUT")
    return re.sub(r"\d+(\.\d+)?", "N", text)


def run_all(folder, name, home, **user):
    out, temporary = os.path.join(folder, "out-" + name), os.path.join(folder, "tmp-" + name)
    for path in (out, temporary):
        os.mkdir(path)
        os.chown(path, user.get("user", 0), user.get("user", 0))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("REFCL", "OCL_ICD", "XDG_"))}
    environment.update(HOME=home, TMPDIR=temporary)
    results = {}
    for command, words in commands(folder, out).items():
        done = subprocess.run([f"{folder}/usr/bin/refcl", *words], env=environment, cwd=folder, timeout=PATIENCE, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **user)
        results[command] = done.returncode, plain(done.stdout + done.stderr, out)
    check(f"{name}: no temporary file remains", not os.listdir(temporary), os.listdir(temporary))
    return out, results


def owners(path):
    return {os.lstat(os.path.join(at, name)).st_uid for at, folders, files in os.walk(path) for name in [*folders, *files]}


def compare(name, of_root, of_user):
    for command, (code, text) in of_root.items():
        if command == "a folder of others":
            continue
        check(f"{name}, {command}: as for root", of_user[command] == (code, text), (code, text, of_user[command]))
    code, text = of_user["a folder of others"]
    check(f"{name}: no file where only root may write", code == 2 and "cannot write" in text, (code, text))


def main():
    if os.geteuid() != 0:
        tap.skip_all("no root: runs as two users")
    if os.environ.get("SANITIZER"):
        tap.skip_all("no sanitizer here: their runtimes are preloaded")
    folder = tempfile.mkdtemp(prefix="refcl-test.")
    os.chmod(folder, 0o755)
    try:
        install(folder)
        homes = {name: os.path.join(folder, name) for name in ("home-of-root", "home")}
        for name, home in homes.items():
            os.mkdir(home)
            os.chown(home, *([USER, USER] if name == "home" else [0, 0]))
        user = {"user": USER, "group": USER, "extra_groups": []}
        _, of_root = run_all(folder, "root", homes["home-of-root"])
        for command, (code, text) in of_root.items():
            finds = command in ("kernel", "kernel, from the cache", "run", "trace check", "explore", "a folder of others")
            check(f"root, {command}: exit {int(finds)}", code == finds and ("race" in text or not finds), (code, text))
        out, of_user = run_all(folder, "user", homes["home"], **user)
        compare("with a home folder", of_root, of_user)
        check("what is written is the user's", owners(out) == {USER} and owners(homes["home"]) == {USER}, (owners(out), owners(homes["home"])))
        with open(f"{out}/run.json", encoding="utf-8") as f:
            check("the report has findings", json.load(f)["findings"])
        cache = os.path.join(homes["home"], ".cache/refcl")
        open_to_others = [n for n in os.listdir(cache) if os.stat(os.path.join(cache, n)).st_mode & 0o077] if os.path.isdir(cache) else ["no cache"]
        check("the cache is there, closed to other users", not open_to_others and
              stat.S_IMODE(os.stat(cache).st_mode) == 0o700, open_to_others)
        _, without = run_all(folder, "homeless", "/nonexistent", **user)
        compare("without a home folder", of_root, without)
        check("nothing is written elsewhere", os.listdir(homes["home"]) == [".cache"] and not os.path.exists("/nonexistent"),
              os.listdir(homes["home"]))
    finally:
        shutil.rmtree(folder)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
