#!/bin/sh
# From Keras to hardware: train, quantize and prove by simulation, with as many multipliers as a small FPGA has.
# Needs keras, torch, onnx, onnxscript and scikit-learn from PyPI (PYTHON: the interpreter that has them).
set -e
"${PYTHON:-python3}" "$(dirname "$0")/train.py"
weir check digits.onnx --quantize int8 --calibration calibration.npy --data test.npz --frames 50 --objective throughput \
    --budget dsp=8 -o design --html report.html
