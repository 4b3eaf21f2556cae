#!/usr/bin/env python3
"""Another user replaces the cache's folder, its parent and its entries while programs run: their compiled
code is never used, and nothing is written or removed through a path that they changed. The other user's
entries are valid and have the right key, but store 43 instead of the 42 of the program's kernel."""
import ctypes
import glob
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from built import BUILD, PATIENCE
from tap import check, done, skip_all

if os.geteuid() != 0:
    skip_all("no root: makes two other users")
if os.environ.get("SANITIZER"):
    skip_all("no sanitizer here: their runtimes are preloaded")

USER, ATTACKER = 65534, 65533
RUNS = 15  # of the program, during each attack
AT_FDCWD, RENAME_EXCHANGE = -100, 2
MASK, HEAD = (1 << 64) - 1, struct.Struct("<4Q")  # struct head of interp/cache.c
libc = ctypes.CDLL(None)


def cache_hash(total, data):
    """cache_hash() of interp/cache.c."""
    whole = len(data) // 8 * 8
    for (word,) in struct.iter_unpack("<Q", data[:whole]):
        total = (total ^ word) * 0x9E3779B97F4A7C15 & MASK
        total ^= total >> 29
    for byte in data[whole:]:
        total = (total ^ byte) * 0x100000001B3 & MASK
    return total ^ total >> 32


def forge(entry):
    """The entry with another constant in its kernel, and a matching checksum."""
    with open(entry, "rb") as f:
        magic, _, key_size, data_size = HEAD.unpack(f.read(HEAD.size))
        rest = f.read()
    data = rest[key_size:]
    assert data.count(struct.pack("<I", 42)) == 1 and len(data) == data_size
    rest = rest[:key_size] + data.replace(struct.pack("<I", 42), struct.pack("<I", 43))
    return HEAD.pack(magic, cache_hash(key_size, rest), key_size, data_size) + rest


def as_user(number):
    return {"user": number, "group": number, "extra_groups": []}


def make(path, owner, mode=0o755):
    os.mkdir(path)
    os.chown(path, owner, owner)
    os.chmod(path, mode)
    return path


def write(path, contents, owner, mode=0o600):
    with open(path, "wb") as f:
        f.write(contents)
    os.chown(path, owner, owner)
    os.chmod(path, mode)


def run(cache):
    """The value that the program's kernel stored."""
    variables = {"REFCL_ENGINE": "interp", "REFCL_CACHE_DIR": cache, "PATH": os.environ["PATH"]}
    printed = subprocess.run([program, os.path.join(folder, "librefcl.so")], env=variables, text=True, timeout=PATIENCE,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **as_user(USER)).stdout
    return printed[printed.find("result"):].strip()


def attack(step):
    """Starts a process of the other user that repeats STEP until it is killed."""
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(ATTACKER)
        os.setuid(ATTACKER)
        while True:
            try:
                step()
            except OSError:
                pass
    return child


def exchange(a, b):
    libc.renameat2(AT_FDCWD, os.fsencode(a), AT_FDCWD, os.fsencode(b), RENAME_EXCHANGE)


def contents(descriptor):
    """Of a folder, whose path may have changed."""
    return {name: open(os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=descriptor), "rb").read() for name in os.listdir(descriptor)}


def attacked(name, cache, step, others, before_each=lambda: None):
    """Programs with the folder CACHE run during the attack: each stores 42, and the folders OTHERS are
    unchanged."""
    descriptors = [os.open(path, os.O_RDONLY | os.O_DIRECTORY) for path in others]
    was = [contents(d) for d in descriptors]
    child, results = attack(step), []
    try:
        for _ in range(RUNS):
            before_each()
            results.append(run(cache))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    check(f"{name}: the program's own code runs", results == ["result 42"] * RUNS, sorted(set(results)))
    check(f"{name}: nothing is written or removed elsewhere", [contents(d) for d in descriptors] == was, [os.listdir(d) for d in descriptors])
    for d in descriptors:
        os.close(d)


def fill(path, owner, entry):
    """ENTRY under the name of the program's entry, and another file."""
    write(os.path.join(path, entry_name), entry, owner)
    write(os.path.join(path, "0" * 32), b"kept", owner)
    return path


def scene(name, owner, mode):
    """A parent folder with the other user's folder of forged entries, and a folder of the user elsewhere."""
    parent = make(os.path.join(folder, name), owner, mode)
    evil = fill(make(os.path.join(parent, "evil"), ATTACKER, 0o777), ATTACKER, forged)
    private = fill(make(os.path.join(folder, name + "-private"), USER, 0o700), USER, b"kept")
    return parent, evil, private, os.path.join(parent, "cache")


def folders_exchanged():
    _, evil, private, cache = scene("theirs", ATTACKER, 0o777)
    make(cache, USER, 0o700)
    attacked("a parent of the other user", cache, lambda: exchange(cache, evil), [evil, private])


def parents_exchanged():
    parent, evil, private, _ = scene("above", 0, 0o1777)
    ways = [make(os.path.join(parent, name), ATTACKER, 0o777) for name in ("one", "two")]
    caches = [fill(make(os.path.join(way, "cache"), owner, 0o755), owner, entry)
              for way, owner, entry in zip(ways, (ATTACKER, USER), (forged, forged))]
    attacked("a folder above the parent", caches[0], lambda: exchange(*ways), [*caches, evil, private])


def folder_replaced():
    """Replaces the folder, whenever it is missing, by a link to the user's private folder, a link to the
    forged entries, or their folder itself."""
    parent, evil, private, cache = scene("sticky", 0, 0o1777)

    def replace():
        for target in private, evil:
            os.symlink(target, cache)
            os.remove(cache)
        os.rename(evil, cache)
        os.rename(cache, evil)

    def remove_own():
        try:
            made = os.open(cache, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            return
        if os.fstat(made).st_uid == USER:
            for name in os.listdir(made):
                os.remove(name, dir_fd=made)
            os.rmdir(cache)
        os.close(made)

    attacked("a sticky parent", cache, replace, [evil, private], remove_own)


def entries_replaced():
    """Replaces an entry by a forged file of the other user, a link to one, or a FIFO."""
    _, evil, private, cache = scene("entries", 0, 0o755)
    make(cache, USER, 0o777)
    path = os.path.join(cache, entry_name)

    def write_new(new):
        with open(new, "wb") as f:
            f.write(forged)

    def replace():
        for create in write_new, lambda new: os.symlink(os.path.join(evil, entry_name), new), os.mkfifo:
            create(path + ".new")
            os.rename(path + ".new", path)

    attacked("a folder that the other user may write to", cache, replace, [evil, private])


folder = tempfile.mkdtemp()
os.chmod(folder, 0o755)
try:
    for built in "librefcl.so", "refcl-compiler", "tests/clients/privileged":
        shutil.copy(os.path.join(BUILD, built), folder)
    program = os.path.join(folder, "privileged")
    own = make(os.path.join(folder, "own"), USER, 0o700)
    check("a run of the user", run(own) == "result 42")
    entries = [e for e in glob.glob(os.path.join(own, "*")) if len(os.path.basename(e)) == 32]
    check("leaves an entry", len(entries) == 1, entries)
    entry_name, forged = os.path.basename(entries[0]), forge(entries[0])
    write(entries[0], forged, USER)
    check("a forged entry that the user owns would be used", run(own) == "result 43", run(own))
    for attack_on in folders_exchanged, parents_exchanged, folder_replaced, entries_replaced:
        attack_on()
finally:
    shutil.rmtree(folder)
sys.exit(done())
