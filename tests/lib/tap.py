"""TAP for Python tests: check() for each result, then sys.exit(done()).  tests/skips.txt lists the reasons of
skips."""
import sys

_counts = {"number": 0, "failed": 0}


def check(name, good, detail=""):
    """One test; DETAIL is printed on failure."""
    _counts["number"] += 1
    _counts["failed"] += not good
    print("%s %d - %s" % ("ok" if good else "not ok", _counts["number"], name), flush=True)
    if not good and detail:
        print("#", str(detail).replace("\n", "\n# "), flush=True)


def skip(name, reason):
    _counts["number"] += 1
    print("ok %d - %s # SKIP %s" % (_counts["number"], name, reason))


def skip_all(reason):
    """Ends a test that cannot run here at all."""
    print("1..0 # SKIP %s" % reason)
    sys.exit(0)


def done():
    """Prints the plan; the exit code."""
    print("1..%d" % _counts["number"])
    return 1 if _counts["failed"] else 0
