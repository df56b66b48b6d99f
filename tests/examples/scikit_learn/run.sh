#!/bin/sh
# From scikit-learn to a board: train, quantize and prove by simulation, look at the report, try a simulated board.
# Needs scikit-learn and skl2onnx from PyPI (PYTHON: the interpreter that has them).
set -e
"${PYTHON:-python3}" "$(dirname "$0")/train.py"
weir check digits.onnx --quantize int8 --calibration calibration.npz --data test.npz --frames 100 --device ice40up5k \
    -o design --html report.html
weir board build design --board icebreaker --sources --clock 12 -o board
weir bringup board --sim --data test.npz
# With the board attached: weir board build design --board icebreaker -o board, then weir bringup board.
