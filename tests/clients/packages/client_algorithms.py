#!/usr/bin/python3
"""Algorithms of pyopencl: reductions, scans, sorts, random numbers, arithmetic on arrays; against numpy."""
import os
import sys

os.environ["PYOPENCL_NO_CACHE"] = "1"
import warnings

warnings.simplefilter("ignore")
import numpy as np
import pyopencl as cl
import pyopencl.array as array
import pyopencl.clmath as clmath
import pyopencl.clrandom as clrandom
from pyopencl.algorithm import RadixSort, copy_if, partition, unique
from pyopencl.bitonic_sort import BitonicSort
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import ExclusiveScanKernel, GenericScanKernel, InclusiveScanKernel

ctx = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(ctx)
rng = np.random.default_rng(3)
x = rng.random(3001).astype(np.float32)
X = array.to_device(queue, x)
i = rng.integers(0, 100, 2000).astype(np.int32)
I = array.to_device(queue, i)


def reductions():
    assert abs(array.sum(X).get() - x.sum()) < 1e-2
    assert array.max(X).get() == x.max() and array.min(X).get() == x.min()
    assert abs(array.dot(X, X).get() - x.dot(x)) < 1e-2
    squares = ReductionKernel(ctx, np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*x[i]",
                              arguments="__global float *x")
    assert abs(squares(X).get() - (x * x).sum()) < 1e-2


def scans():
    inclusive = InclusiveScanKernel(ctx, np.int32, "a+b", neutral="0")
    out = array.empty_like(I)
    inclusive(I, out)
    assert np.array_equal(out.get(), np.cumsum(i))
    exclusive = ExclusiveScanKernel(ctx, np.int32, "a+b", neutral="0")
    exclusive(I, out)
    assert np.array_equal(out.get(), np.cumsum(i) - i)


def functions():
    for name in "sin cos exp log sqrt tanh floor".split():
        assert np.allclose(getattr(clmath, name)(X).get(), getattr(np, name)(x), rtol=1e-5, atol=1e-6), name


def sorts():
    radix = RadixSort(ctx, "int *ary", key_expr="ary[i]", sort_arg_names=["ary"], scan_kernel=GenericScanKernel)
    (out,), _ = radix(I, key_bits=8)
    assert np.array_equal(out.get(), np.sort(i))
    z = rng.random(1024).astype(np.float32)
    out, _ = BitonicSort(ctx)(array.to_device(queue, z))
    assert np.array_equal(out.get(), np.sort(z))


def selections():
    out, n, _ = copy_if(I, "ary[i] > 50")
    assert np.array_equal(out.get()[: n.get()], i[i > 50])
    yes, no, n, _ = partition(I, "ary[i] > 50")
    n = int(n.get())
    assert np.array_equal(yes.get()[:n], i[i > 50]) and np.array_equal(no.get()[: len(i) - n], i[i <= 50])
    out, n, _ = unique(array.to_device(queue, np.sort(i)))
    assert np.array_equal(out.get()[: n.get()], np.unique(i))
    assert np.array_equal(array.take(X, I).get(), x[i])


def random_numbers():
    u = clrandom.PhiloxGenerator(ctx).uniform(queue, 10000, np.float32).get()
    assert u.min() >= 0 and u.max() < 1 and abs(u.mean() - 0.5) < 0.02
    z = clrandom.ThreefryGenerator(ctx).normal(queue, 10000, np.float32).get()
    assert abs(z.mean()) < 0.05 and abs(z.std() - 1) < 0.05


def elements():
    axpy = ElementwiseKernel(ctx, "float a, float *x, float *y", "y[i] = a * x[i] + y[i]")
    y = array.zeros(queue, 3001, np.float32)
    axpy(3, X, y)
    assert np.allclose(y.get(), 3 * x)
    half = np.float32(0.5)
    assert np.array_equal(array.if_positive(X - half, X, -X).get(), np.where(x - half > 0, x, -x))


def complex_numbers():
    c = (rng.random(500) + 1j * rng.random(500)).astype(np.complex64)
    C = array.to_device(queue, c)
    assert np.allclose((C * C + C.conj()).get(), c * c + c.conj(), rtol=1e-5)
    assert np.allclose(abs(C).get(), abs(c), rtol=1e-5)


tests = [reductions, scans, functions, sorts, selections, random_numbers, elements, complex_numbers]
print(f"1..{len(tests)}")
failed = 0
for number, test in enumerate(tests, 1):
    try:
        test()
        print(f"ok {number} - {test.__name__}", flush=True)
    except Exception as error:  # pylint: disable=broad-except
        failed += 1
        print(f"not ok {number} - {test.__name__}\n# {str(error).splitlines()[:3]} {type(error).__name__}", flush=True)
sys.exit(failed != 0)
