"""The main program of a test with cases and a number of random kernels: TEST [COUNT [FIRST]]."""
import shutil
import sys

from tap import check, done

SAMPLE = 40  # random kernels after the cases


def run_random_kernels(first, count, run, trait):
    """Runs the seeds from FIRST on.  RUN(SEED) checks one kernel, and returns the kinds of its findings,
    whether compiled code completed the launch, and whether the kernel has TRAIT.  Returns the number of
    kernels of each sort."""
    completed = racy = special = 0
    for seed in range(first, first + count):
        kinds, is_completed, has_trait = run(seed)
        completed += is_completed
        racy += any(kind in kinds for kind in ("data-race", "uniform-write"))
        special += has_trait
    print("# %d completed, %d with races, %d %s" % (completed, racy, special, trait))
    return completed, racy, special


def main(folder, cases, run, trait):
    """Ends the program, and removes FOLDER, which has its files."""
    try:
        if len(sys.argv) > 1:
            run_random_kernels(int(sys.argv[2]) if len(sys.argv) > 2 else 0, int(sys.argv[1]), run, trait)
        else:
            cases()
            counts = run_random_kernels(0, SAMPLE, run, trait)
            check("random kernels of all sorts", min(counts) >= 3, counts)
        code = done()
    finally:
        shutil.rmtree(folder)
    sys.exit(code)
