"""Runs the same test with the interpreter and with native code, each in a separate process."""
import json
import os
import subprocess
import sys

from built import PATIENCE
from tap import check, done, skip


def each_engine(run):
    """Ends the program.  RUN yields the name of each test, whether it passes (None: it is skipped), and the
    output on failure."""
    if len(sys.argv) > 1:
        json.dump([(name, good if good is None else bool(good), str(detail)) for name, good, detail in run()], sys.stdout)
        sys.exit(0)
    for engine in 'interp', 'jit':
        ran = subprocess.run([sys.executable, sys.argv[0], engine], env={**os.environ, 'REFCL_ENGINE': engine},
                             stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
        results = json.loads(ran.stdout) if ran.returncode == 0 else []
        check(f'{engine}: tests ran', results, f'exit code {ran.returncode}')
        for name, good, detail in results:
            if good is None:
                skip(f'{engine}: {name}', detail)
            else:
                check(f'{engine}: {name}', good, detail)
    sys.exit(done())
