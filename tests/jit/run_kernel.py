"""Runs the kernel k of FILE over GLOBAL work-items in groups of LOCAL with the arguments: N for a buffer of N
ints, local:N for N bytes of local memory.  run_kernel.py FILE GLOBAL LOCAL ARGUMENT...
[exit:MS|exit:WORD|fork:MS]: ends the process MS milliseconds after the launch, or when standard error has the
word; or forks a child then, which ends, and is waited for.  Prints the event's status, and the sum of a
buffer that is no argument."""
import os
import sys
import tempfile
import time

import numpy
import pyopencl as cl



def wait_for(word):
    while word not in open(notes.name).read():
        time.sleep(0.01)
    os.write(errors, open(notes.name, 'rb').read())


way, _, after = sys.argv[-1].partition(':')
if way == 'exit' and not after.isdigit():
    notes, errors = tempfile.NamedTemporaryFile(), os.dup(2)
    os.dup2(notes.fileno(), 2)
device = cl.get_platforms()[0].get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context)
kernel = cl.Kernel(cl.Program(context, open(sys.argv[1]).read()).build(['-cl-std=CL3.0']), 'k')
flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
buffers = []
for n, text in enumerate(a for a in sys.argv[4:] if not a.startswith(('exit:', 'fork:'))):
    if text.startswith('local:'):
        kernel.set_arg(n, cl.LocalMemory(int(text[6:])))
        continue
    buffers.append(cl.Buffer(context, flags, hostbuf=numpy.zeros(int(text), 'i4')))
    kernel.set_arg(n, buffers[-1])
beside = cl.Buffer(context, flags, hostbuf=numpy.ones(1000, 'i4'))
event = cl.enqueue_nd_range_kernel(queue, kernel, (int(sys.argv[2]),), (int(sys.argv[3]),))
queue.flush()
if way in ('exit', 'fork') and after.isdigit():
    time.sleep(int(after) / 1000)
elif way == 'exit':
    wait_for(after)
if way == 'exit' or (way == 'fork' and os.fork() == 0):
    sys.exit(7)
if way == 'fork':
    print('child', os.waitstatus_to_exitcode(os.wait()[1]))
try:
    event.wait()
except cl.Error:
    pass
print('status', event.command_execution_status)
result = numpy.zeros(1000, 'i4')
cl.enqueue_copy(queue, result, beside)
print('beside', result.sum())
