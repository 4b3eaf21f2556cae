#!/usr/bin/python3
"""OpenCV's transparent API: each function on the device against the same function on the host.

Left out: Canny, HoughLines and optical flow, which give other results than the host's on any device."""
import os
import sys

os.environ["OPENCV_OPENCL_DEVICE"] = ":CPU:"
os.environ["OPENCV_OPENCL_CACHE_ENABLE"] = "0"
try:
    import cv2
    import numpy as np
except ImportError:
    print("1..0 # SKIP not installed: python3-opencv")
    sys.exit(0)

rng = np.random.default_rng(1)
img = rng.integers(0, 256, (120, 160, 3), dtype=np.uint8)
g = rng.integers(0, 256, (120, 160), dtype=np.uint8)
f = rng.random((120, 160)).astype(np.float32)
box = np.ones((5, 5), np.uint8)
affine = np.float32([[0.9, 0.1, 5], [-0.1, 0.9, 7]])
rows, columns = np.indices((120, 160)).astype(np.float32)
functions = {
    "GaussianBlur": lambda m: cv2.GaussianBlur(m(img), (5, 5), 1.2),
    "blur": lambda m: cv2.blur(m(img), (7, 7)),
    "medianBlur": lambda m: cv2.medianBlur(m(g), 5),
    "bilateralFilter": lambda m: cv2.bilateralFilter(m(g), 5, 20, 20),
    "resize linear": lambda m: cv2.resize(m(img), (111, 77)),
    "resize area": lambda m: cv2.resize(m(img), (55, 37), interpolation=cv2.INTER_AREA),
    "cvtColor gray": lambda m: cv2.cvtColor(m(img), cv2.COLOR_BGR2GRAY),
    "cvtColor HSV": lambda m: cv2.cvtColor(m(img), cv2.COLOR_BGR2HSV),
    "cvtColor Lab": lambda m: cv2.cvtColor(m(img), cv2.COLOR_BGR2Lab),
    "Sobel": lambda m: cv2.Sobel(m(g), cv2.CV_16S, 1, 0),
    "Laplacian": lambda m: cv2.Laplacian(m(g), cv2.CV_16S, ksize=3),
    "erode": lambda m: cv2.erode(m(g), box),
    "morphologyEx": lambda m: cv2.morphologyEx(m(g), cv2.MORPH_GRADIENT, box),
    "dft": lambda m: cv2.dft(m(f), flags=cv2.DFT_COMPLEX_OUTPUT),
    "gemm": lambda m: cv2.gemm(m(f), m(f.T.copy()), 1.0, None, 0.0),
    "matchTemplate": lambda m: cv2.matchTemplate(m(g), m(g[50:70, 60:90].copy()), cv2.TM_CCORR_NORMED),
    "warpAffine": lambda m: cv2.warpAffine(m(g), affine, (160, 120)),
    "threshold": lambda m: cv2.threshold(m(g), 100, 255, cv2.THRESH_BINARY)[1],
    "adaptiveThreshold": lambda m: cv2.adaptiveThreshold(m(g), 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 11, 2),
    "equalizeHist": lambda m: cv2.equalizeHist(m(g)),
    "CLAHE": lambda m: cv2.createCLAHE(2.0, (8, 8)).apply(m(g)),
    "integral": lambda m: cv2.integral(m(g)),
    "pyrDown": lambda m: cv2.pyrDown(m(img)),
    "pyrUp": lambda m: cv2.pyrUp(m(img)),
    "addWeighted": lambda m: cv2.addWeighted(m(g), 0.3, m(g), 0.5, 3),
    "exp": lambda m: cv2.exp(m(f)),
    "log": lambda m: cv2.log(m(f + 1)),
    "pow": lambda m: cv2.pow(m(f), 2.5),
    "magnitude": lambda m: cv2.magnitude(m(f), m(f)),
    "minMaxLoc": lambda m: np.array(cv2.minMaxLoc(m(f))[:2]),
    "countNonZero": lambda m: np.array([cv2.countNonZero(m(g))]),
    "transpose": lambda m: cv2.transpose(m(g)),
    "split": lambda m: cv2.split(m(img))[1],
    "LUT": lambda m: cv2.LUT(m(g), np.arange(255, -1, -1).astype(np.uint8)),
    "calcHist": lambda m: cv2.calcHist([m(g)], [0], None, [256], [0, 256]),
    "inRange": lambda m: cv2.inRange(m(g), 50, 150),
    "remap": lambda m: cv2.remap(m(g), columns * 0.9, rows * 0.8, cv2.INTER_LINEAR),
    "fastNlMeansDenoising": lambda m: cv2.fastNlMeansDenoising(m(g[:48, :48].copy()), None, 10, 5, 11),
    "cornerHarris": lambda m: cv2.cornerHarris(m(g), 3, 3, 0.04),
    "reduce": lambda m: cv2.reduce(m(f), 0, cv2.REDUCE_SUM),
}


def same(host, device):
    host, device = np.asarray(host), np.asarray(device)
    if host.shape != device.shape:
        return False
    difference = np.abs(host.astype(np.float64) - device.astype(np.float64))
    if host.dtype == np.uint8:  # rounding of the last bit, and rarely more where coordinates are rounded
        return (difference > 1).mean() < 0.001
    return difference.max() <= 1e-3 * max(1, np.abs(host.astype(np.float64)).max())


cv2.ocl.setUseOpenCL(True)
print(f"1..{len(functions) + 1}")
used = cv2.ocl.useOpenCL() and cv2.ocl.Device.getDefault().vendorName() != ""
print(("ok" if used else "not ok") + f" 1 - runs on {cv2.ocl.Device.getDefault().name()}", flush=True)
failed = not used
for number, (name, function) in enumerate(functions.items(), 2):
    cv2.ocl.setUseOpenCL(False)
    host = function(lambda a: a)
    cv2.ocl.setUseOpenCL(True)
    device = function(cv2.UMat)
    good = same(host, device.get() if isinstance(device, cv2.UMat) else device)
    failed |= not good
    print(("ok" if good else "not ok") + f" {number} - {name}", flush=True)
sys.exit(failed)
