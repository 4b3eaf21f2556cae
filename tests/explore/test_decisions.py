#!/usr/bin/env python3
"""Kernels of other tests, explored without --bound (decisions.py): loops whose trip counts constants,
arguments or the launch determine are decided, so are kernels without atomic operations and races, however
many events they have, and no verdict contradicts that of a kernel's file.  How many are decided in a given
time depends on the machine: decisions.py counts them."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../lib"), HERE]
import decisions
import sample
import tap
from built import PATIENCE

# Decided in a second of CPU time; unknown without trip counts, if search enumerates all executions of a
# kernel without atomic operations, or, for those with locks, if failed attempts to take the lock are kept.
COUNTED = ("antidiagonals.cl", "antidiagonals_barrier_inside.cl", "cholesky.cl", "grid_stride.cl", "columns_of_a_matrix.cl",
           "wavefront.cl", "elimination.cl", "fourier_two_buffers.cl", "finished_flag_vote.cl", "async_strided_tile.cl",
           "async_source_by_first_item_barrier.cl", "merge_sort_bottom_up.cl", "local_lock.cl", "generic_lock.cl",
           "local_lock_global_data_fenced.cl", "snapshot_published.cl")
# Decided in a few seconds of CPU time; its values are too many to list, and it takes more than a minute
# without symmetry reduction.
EXCHANGED = ("ticket_lock_local.cl",)
# Races that an execution shows only if plain reads return the visible write, not the latest one: random walks
# find them.
FOUND = ("local_lock_global_data.cl", "generic_lock_global_sum.cl", "sense_reversing_release_only.cl", "stack_push_relaxed.cl",
         "global_barrier_leaders_only.cl")
SHORT = 1  # seconds, after which the others may be unknown


def main():
    found = 0
    for case in decisions.cases(8, "races/"):
        name = os.path.basename(case.path)
        if name in COUNTED + EXCHANGED:
            found += 1
            result = decisions.run(case, PATIENCE // 2)
            tap.check(f"{case.name} is decided", result.what == "decided", f"{result.what}: {result.why}")
        elif name in FOUND:
            found += 1
            result = decisions.run(case, PATIENCE // 2, ["-e", "search", "--only-walk"])
            tap.check(f"{case.name}: random executions find the race", result.what == "decided", f"{result.what}: {result.why}")
        elif case.race and sample.is_chosen(case.name):
            result = decisions.run(case, SHORT)
            tap.check(f"{case.name} is not contradicted", result.what in ("decided", "unknown", "refused"),
                      f"{result.what}: {result.why}")
    tap.check("all kernels are there", found == len(COUNTED + EXCHANGED + FOUND),
              f"{found} of {len(COUNTED + EXCHANGED + FOUND)}")
    sample.print_left_out()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
