"""Code of the JIT, for a test script that runs the kernel NAME when it is called with this name."""
import os
import subprocess
import sys


def compiled(name):
    """LLVM IR of the kernel, "" if it was not compiled."""
    environment = dict(os.environ, REFCL_ENGINE='jit', REFCL_DEBUG='jit', REFCL_JIT_DUMP='optimized')
    ran = subprocess.run([sys.executable, sys.argv[0], name], env=environment, capture_output=True, text=True, timeout=600)
    return ran.stderr if ': compiled' in ran.stderr else ''
