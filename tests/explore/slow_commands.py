#!/usr/bin/env python3
"""All programs of ../races/host under `refcl explore -- PROGRAM`: the verdict of `refcl run`, or "unknown"
for a stated reason."""
import concurrent.futures
import glob
import os
import sys

import test_commands as commands
import tap
from built import JOBS, NO_HOST_CC
from test_host import compiled
from test_races import directives

ORDER = "the order of host threads"
THREADS = "synchronization of host threads is not recorded"
ATOMICS = "synchronization by atomic operations"
NO_RACE = "findings that are no races"
SEVERAL_QUEUES = "the specification both states and denies an order of commands"
NOT_OBSERVED = "does not observe all"
UNKNOWN = {"finish_after_many_commands": "earlier commands", "image_own_write_unfenced": NO_RACE,
           "image_level_missing": NO_RACE, "instrumented_flag": ATOMICS,
           "instrumented_host_publishes": ATOMICS, "svm_host_feeds_kernel": ATOMICS, "svm_kernel_feeds_host": ATOMICS, "svm_read_only_written": NO_RACE,
           "svm_write_only_read": NO_RACE, "two_devices_all_svm": ATOMICS,
           "two_kernels_message_svm": ATOMICS, "two_kernels_ring_svm": ATOMICS, "threads_hand_over": THREADS,
           "threads_share_a_queue": THREADS, "threads_with_own_queues": THREADS,
           "update_to_more_items": NO_RACE, "view_as_line_own_write": NO_RACE}
for name in ("barrier", "c11_threads", "condition", "mutex", "other_locks", "own_atomic", "own_fences", "read_write_lock",
             "semaphores", "threads_join", "workers_from_before"):
    UNKNOWN["instrumented_" + name] = ORDER
for name in ("around_in_order", "before_waits", "finish", "next_waits"):
    UNKNOWN["runs_queues_" + name] = SEVERAL_QUEUES
for name in ("barrier_for_other", "barrier_of_other", "before_in_order", "next_in_order", "next_in_order_of_first"):
    UNKNOWN["runs_queues_" + name] = NOT_OBSERVED


def answer(path):
    wanted = directives(path)
    if wanted.get("build") == "host-cc" and NO_HOST_CC:
        return wanted, None, NO_HOST_CC
    variables = dict(word.split("=", 1) for word in wanted.get("environment", "").split())
    if wanted["expect"] != "clean":
        variables.update(commands.SEEDED)
    run, document = commands.explored("--", compiled(path, wanted), **variables)
    return wanted, document["tests"][0], "no protection keys" if run.stdout.startswith("SKIP") else None


def main():
    paths = sorted(glob.glob(os.path.join(commands.here, "../races/host/*/*.c")))
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for path, (wanted, result, skipped) in zip(paths, pool.map(answer, paths)):
            name = os.path.basename(path)[:-2]
            api = "REFCL_RUN_CHECK=api" in wanted.get("environment", "")  # explore does not check the rules of the API
            verdict = "none" if wanted["expect"] == "clean" or api else "found"
            if skipped:
                tap.skip(name, skipped)
                continue
            if name in UNKNOWN:
                good = result["race"] == "unknown" and UNKNOWN[name] in result.get("limit", "")
            else:
                good = result["race"] == verdict
            tap.check("%s: %s" % (name, "unknown" if name in UNKNOWN else verdict), good, result)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
