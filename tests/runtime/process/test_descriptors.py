"""The library does not write to, read from or close descriptors of the application, even if the application
closes or reuses the library's."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from built import BUILD, PATIENCE, REFCL, on_refcl
from tap import check, done

CLIENT = os.path.join(BUILD, "tests/clients/descriptors")

with tempfile.TemporaryDirectory() as folder:
    def run(mode, **variables):
        """Exit code of the client, and the contents of its file."""
        path = os.path.join(folder, "file")
        if os.path.exists(path):
            os.remove(path)
        cache = tempfile.mkdtemp(dir=folder)
        code = subprocess.run([CLIENT, mode, path], env=on_refcl(REFCL_CACHE_DIR=cache, **variables), timeout=PATIENCE,
                              pass_fds=[int(variables["REFCL_TRACE_FD"])] if "REFCL_TRACE_FD" in variables else []).returncode
        entries = [name for name in os.listdir(cache) if name[0] != "."]  # not what keeps account of their size
        return code, open(path, "rb").read() if os.path.exists(path) else None, len(entries)

    for engine in ("interp", "jit"):
        entries = 3 if engine == "interp" else 6
        outcome = run("reuse", REFCL_ENGINE=engine)
        check(f"{engine}: numbers that the application took over", outcome == (0, b"mine", entries), outcome)
    trace = os.path.join(folder, "trace")
    outcome = run("reuse", REFCL_ENGINE="interp", REFCL_TRACE=trace)
    check("numbers that the application took over, while a trace is written", outcome == (0, b"mine", 3), outcome)
    dump = subprocess.run([REFCL, "trace", "dump", trace], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    check("the trace is whole up to there, and says that it ends early", "is cut short" in dump.stderr,
          (dump.returncode, dump.stderr))
    outcome = run("closed", REFCL_TRACE=trace, REFCL_ENGINE="interp")
    check("no standard descriptors", outcome == (0, b"mine", 2), outcome)
    dump = subprocess.run([REFCL, "trace", "dump", trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check("the trace is whole", dump.returncode == 0 and not dump.stderr and "k" in dump.stdout, (dump.returncode, dump.stderr))
    with open(trace, "wb") as file:
        outcome = run("reuse", REFCL_ENGINE="interp", REFCL_TRACE_FD=str(file.fileno()))
    check("a trace to a descriptor that is given", outcome == (0, b"mine", 3), outcome)
sys.exit(done())
