#!/usr/bin/python3
"""A few random kernels in the interpreter and as native code by PoCL: `make differential` runs a thousand."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
try:
    import numpy  # noqa: F401
    import pyopencl  # noqa: F401
except ImportError:
    print('1..0 # SKIP no pyopencl')
    sys.exit(0)
if not os.path.exists('/etc/OpenCL/vendors/pocl.icd'):
    print('1..0 # SKIP no PoCL')
    sys.exit(0)
sys.exit(subprocess.call([sys.executable, HERE + '/differential.py', '--count', '40', '--batch', '20', '--seed', '1',
                          '--engines', 'interp,pocl'], env=dict(os.environ, PYTHONDONTWRITEBYTECODE='1')))
