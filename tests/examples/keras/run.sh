#!/bin/sh
# From Keras to hardware: train, quantize and prove by simulation, with the eight multipliers of a small FPGA.
# Needs keras, torch, onnx, onnxscript and scikit-learn from PyPI (PYTHON: the interpreter that has them).
set -e
"${PYTHON:-python3}" "$(dirname "$0")/train.py"
weir check digits.onnx --quantize int8 --calibration calibration.npy --data test.npz --frames 50 --max-macs 8 \
    -o design --html report.html
