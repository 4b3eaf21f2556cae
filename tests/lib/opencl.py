"""pyopencl, numpy, and the first DEVICE with a CONTEXT and a QUEUE; without pyopencl the test is skipped."""
import os
import sys

os.environ["PYOPENCL_NO_CACHE"] = "1"
try:
    import numpy
    import pyopencl as cl
except ImportError:
    print("1..0 # SKIP no pyopencl")
    sys.exit(0)

device = cl.get_platforms()[0].get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context)
