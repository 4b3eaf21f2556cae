#!/usr/bin/env python3
"""REFCL_MEMORY=weak: forbidden outcomes never occur, allowed ones do, depending on the seed."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from tap import check

from suite import PATIENCE, REFCL as refcl, ROOT as root, Seen, campaign

KERNEL = """kernel void mp(global atomic_int *flag, global atomic_int *data, global int *out)
{
    if (get_global_id(0) == 0) {
        atomic_store_explicit(data, 42, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(flag, 1, memory_order_ORDER, memory_scope_device);
    } else {
        out[0] = atomic_load_explicit(flag, memory_order_ACQUIRE, memory_scope_device);
        out[1] = atomic_load_explicit(data, memory_order_relaxed, memory_scope_device);
    }
}
kernel void spin(global atomic_int *flag, global int *data, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        out[0] = *data;
    }
}
kernel void count(global atomic_int *n, local int *l, global int *out)
{
    l[get_local_id(0)] = atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_device);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        for (int i = 0; i < get_local_size(0); i++)
            out[get_group_id(0)] += l[i] >= 0;
}
"""
COPIES = """kernel void copies(global const int *in, global int *out)
{
    local int t[4];
    event_t e[2];
    t[get_local_id(0)] = 9;
    barrier(CLK_LOCAL_MEM_FENCE);
    e[0] = async_work_group_copy(t, in, 4, 0);
    FENCE;
    e[1] = async_work_group_copy(out, t, 4, 0);
    wait_group_events(1, &e[1]);
    wait_group_events(1, &e[0]);
}
"""


def kernel(source, name, *options, **variables):
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "k.cl")
        with open(path, "w") as f:
            f.write(source)
        run = subprocess.run([refcl, "kernel", "-k", name, "--memory", "weak"] + list(options) + [path],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, env=dict(os.environ, **variables))
        return run.returncode, run.stdout.decode().strip(), run.stderr.decode()


def outcomes(source, seeds, arguments, **variables):
    return [kernel(source, "mp", "-q", "-c", "none", "--seed", str(s), "--print", "2", *arguments, **variables)[1]
            for s in seeds]


def main():
    folders = sorted(os.path.join("litmus/suite", f) for f in os.listdir(os.path.join(root, "litmus/suite"))
                     if not f.startswith(("generated-", "host-")))
    os.chdir(root)
    seen = Seen()
    for seed in (1,):
        seen.add(campaign(folders, seed, 2000))
    check("no state that the model forbids", not seen.forbidden, seen.forbidden)
    share = seen.share(("load-buffering", "variants"))
    print("# %d instances; of the allowed states seen: %.1f %%, without load buffering %.1f %%"
          % (seen.instances, 100 * seen.share(), 100 * share))
    check("of the allowed states more than 95 % are seen", share > 0.95, share)
    arguments = ["-g", "2", "-l", "1", "-a", "buf:1", "-a", "buf:1", "-a", "buf:2"]
    relaxed = KERNEL.replace("ORDER", "relaxed").replace("ACQUIRE", "relaxed")
    ordered = KERNEL.replace("ORDER", "release").replace("ACQUIRE", "acquire")
    some = outcomes(relaxed, range(1, 13), arguments)
    check("a relaxed message arrives before its data", "2: 1 0" in some, some)
    check("the same seeds give the same outcomes", some == outcomes(relaxed, range(1, 13), arguments))
    check("a released message never", "2: 1 0" not in outcomes(ordered, range(1, 13), arguments))
    narrow = ordered.replace("memory_order_release, memory_scope_device", "memory_order_release, memory_scope_work_group")
    group = ["-g", "2", "-l", "2"] + arguments[4:]
    some = outcomes(narrow, range(1, 13), group, REFCL_VERSION="3.0")
    check("until 3.0 scopes that differ do not include each other [CL 3.3.5 O13]", "2: 1 0" in some, some)
    some = outcomes(narrow, range(1, 13), group, REFCL_VERSION="3.1")
    check("from 3.1 on they do [CL 3.3.5 O101]", "2: 1 0" not in some and "2: 1 42" in some, some)
    some = outcomes(narrow, range(1, 13), arguments, REFCL_VERSION="3.1")
    check("but not between work-groups", "2: 1 0" in some, some)
    code, _, text = kernel(ordered, "spin", "--seeds", "1..8", "-g", "2", "-l", "1", "-a", "buf:1", "-a", "buf:1", "-a", "buf:1")
    check("a spin loop ends under every seed, without findings", code == 0 and "seeds 1 to 8" in text, (code, text))
    code, _, text = kernel(ordered.replace("*flag, 1, memory_order_release", "").replace("memory_order_release", "memory_order_relaxed"),
                           "spin", "--seeds", "20", "-g", "2", "-l", "1", "-a", "buf:1", "-a", "buf:1", "-a", "buf:1")
    check("a race names the seed that shows it again", code == 1 and "--memory weak --seed " in text, (code, text))
    code, out, text = kernel(ordered, "count", "--seeds", "3", "-g", "64", "-l", "16", "-a", "buf:1", "-a", "local:64",
                             "-a", "buf:4", "--print", "0", "--print", "2")
    check("counters lose nothing, local memory is per work-group",
          code == 0 and out.split("\n") == ["0: 64", "2: 16 16 16 16"] * 3, (code, out, text))
    for fence, name in (("async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE)", "with a fence"), ("", "without one")):
        seen = {kernel(COPIES.replace("FENCE;", fence + ";"), "copies", "-q", "-c", "none", "--seed", str(seed), "-g", "4",
                       "-l", "4", "-a", "buf:4:iota", "-a", "buf:4", "--print", "1")[1] for seed in range(1, 17)}
        wanted = {"1: 0 1 2 3"} if fence else {"1: 0 1 2 3", "1: 9 9 9 9"}
        check("the second of two asynchronous copies sees the first: %s [CLC 6.15.11]" % name, seen == wanted, seen)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
