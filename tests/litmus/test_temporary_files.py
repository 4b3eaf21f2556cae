"""Temporary files: in private folders, and never through a symbolic link that another user could have made."""
import ctypes
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from built import PATIENCE, REFCL, ROOT, RUNNER, on_refcl
from tap import check, done

libc = ctypes.CDLL(None, use_errno=True)
IN_CREATE, IN_ISDIR, IN_MOVED_TO = 0x100, 0x40000000, 0x80


def created(folder, command, environment):
    """The exit code of the command, and the entries that it created in the folder: names, and whether each is
    a folder."""
    watch = libc.inotify_init1(os.O_NONBLOCK)
    assert watch >= 0 and libc.inotify_add_watch(watch, folder.encode(), IN_CREATE | IN_MOVED_TO) >= 0
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
    made = []
    try:
        while events := os.read(watch, 1 << 16):
            at = 0
            while at < len(events):
                _, mask, _, size = struct.unpack_from("iIII", events, at)
                made.append((events[at + 16:at + 16 + size].rstrip(b"\0").decode(), bool(mask & IN_ISDIR)))
                at += 16 + size
    except BlockingIOError:
        pass
    os.close(watch)
    return run, [entry for entry in made if not entry[0].startswith("tsan.")]  # of ThreadSanitizer's runtime


with tempfile.TemporaryDirectory() as folder:
    plan, temporary, results = (os.path.join(folder, name) for name in ("plan.json", "temporary", "results.json"))
    os.mkdir(temporary)
    test = os.path.join(ROOT, "litmus/suite/message-passing/MP+rel+acq.litmus")
    subprocess.run([REFCL, "litmus", "plan", "-o", plan, test], check=True, stdout=subprocess.DEVNULL)

    # The tuner tries the plan, and ends as there is no outcome to tune for.
    text = json.load(open(plan))
    for test in text["tests"]:
        test.pop("target", None)
    json.dump(text, open(os.path.join(folder, "asks-nothing.json"), "w"))
    run, made = created(temporary, [RUNNER, "--tune", "--budget", "1", os.path.join(folder, "asks-nothing.json")],
                        on_refcl(TMPDIR=temporary, HOME=folder))
    check("the tuner ran", "asks about an outcome" in run.stdout, run.stdout)
    check("made one folder, and no file beside it", len(made) == 1 and made[0][1], made)
    check("and removed it", os.listdir(temporary) == [], os.listdir(temporary))

    # Results, if another user has created links with predictable names.
    victim = os.path.join(folder, "victim")
    with open(victim, "w") as f:
        f.write("untouched")
    for suffix in (".new", ".part", ".tmp"):
        os.symlink(victim, results + suffix)
    run, made = created(folder, [RUNNER, "-q", "-n", "20", "-o", results, plan], on_refcl())
    check("a campaign ran", run.returncode == 0 and os.path.isfile(results), run.stdout)
    check("what a link points to is untouched", open(victim).read() == "untouched")
    # The lock's name is predictable: it is opened without following links, and nothing is written to it.
    names = [name for name, _ in made if name not in ("results.json", "results.json.lock")]
    check("drafts have names that cannot be known", names and all(re.fullmatch(r"results\.json\.\w{6}", n) for n in names), names)
    check("results have the mode that the user gives to new files",
          os.stat(results).st_mode & 0o777 == 0o666 & ~os.umask(0o022), oct(os.stat(results).st_mode))

    # A captured launch, likewise.
    capture = os.path.join(folder, "launch")
    source = os.path.join(folder, "k.cl")
    with open(source, "w") as f:
        f.write("kernel void k(global int *a) { a[0] = 1; }")
    os.mkdir(capture)
    run, made = created(capture, [REFCL, "kernel", source, "-k", "k", "--global", "1", "--arg", "buf:4"],
                        on_refcl(REFCL_CAPTURE=os.path.join(capture, "c%n.cap")))
    drafts = [name for name, _ in made if not name.endswith(".cap")]
    check("captured launches: drafts have names that cannot be known",
          drafts and all(re.search(r"[0-9a-f]{16}$", n) for n in drafts), (made, run.stdout))
sys.exit(done())
