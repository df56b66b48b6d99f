#!/bin/sh
# Quantization-aware training: from PyTorch and Brevitas to hardware with the same bits, and its place on an FPGA.
# Needs torch, brevitas, onnx, onnxoptimizer, onnxscript and scikit-learn from PyPI (PYTHON: the interpreter that has them).
set -e
"${PYTHON:-python3}" "$(dirname "$0")/train.py"
weir check digits.onnx --data test.npz --frames 100 --target-interval 64 -o design --html report.html
weir synth design --device ice40hx8k --data test.npz --frames 4
