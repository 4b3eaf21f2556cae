#!/usr/bin/python3
"""Comparisons of queues and events in kernels, also with CLK_NULL_QUEUE and CLK_NULL_EVENT, and null queues
in variables, arguments and results [CLC 6.15.18]."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from engines import each_engine  # noqa: E402
from opencl import cl, context, device, numpy, queue  # noqa: E402

EXPRESSIONS = [('a == CLK_NULL_QUEUE', 0), ('a != CLK_NULL_QUEUE', 1), ('CLK_NULL_QUEUE == a', 0), ('a == b', 0), ('a != b', 1), ('a == a', 1),
               ('get_default_queue() == a', 1), ('none == CLK_NULL_QUEUE', 1), ('none == a', 0), ('chosen(1, a) == a', 1),
               ('chosen(0, a) == CLK_NULL_QUEUE', 1), ('late == b', 1), ('event == CLK_NULL_EVENT', 0), ('event != CLK_NULL_EVENT', 1),
               ('no_event == CLK_NULL_EVENT', 1), ('event == no_event', 0), ('event == event', 1), ('event == other', 0),
               ('is_valid_event(event)', 1), ('is_valid_event(no_event)', 0),
               ('enqueue_kernel(none, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{}) == CLK_SUCCESS', 0)]


def tests():
    out_of_order = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    on_device = cl.command_queue_properties.ON_DEVICE | out_of_order
    first, second = (cl.CommandQueue(context, device, properties=[cl.queue_properties.PROPERTIES, bits])
                     for bits in (on_device | cl.command_queue_properties.ON_DEVICE_DEFAULT, on_device))
    assignments = ''.join(f'o[{k}] = {text};' for k, (text, _) in enumerate(EXPRESSIONS))
    program = cl.Program(context, f'''queue_t chosen(int real, queue_t q) {{ if (real) return q; return CLK_NULL_QUEUE; }}
        kernel void k(queue_t a, queue_t b, global int *o) {{
            queue_t none = CLK_NULL_QUEUE, late = CLK_NULL_QUEUE;
            clk_event_t event = create_user_event(), other = create_user_event(), no_event = CLK_NULL_EVENT;
            if (late == CLK_NULL_QUEUE)
                late = b;
            {assignments}
            set_user_event_status(event, CL_COMPLETE); set_user_event_status(other, CL_COMPLETE); release_event(event); release_event(other);
        }}''').build('-cl-std=CL3.0 -w')
    got = numpy.full(len(EXPRESSIONS), 7, 'i4')
    o = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=got)
    kernel = program.k
    kernel.set_args(first, second, o)
    cl.enqueue_nd_range_kernel(queue, kernel, (1,), None)
    cl.enqueue_copy(queue, got, o)
    for (text, wanted), value in zip(EXPRESSIONS, got):
        yield text, value == wanted, f'{value} instead of {wanted}'


each_engine(tests)
