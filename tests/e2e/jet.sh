#!/bin/sh
# The jet classifier in every dialect (tests/models/jet): logits are those of ONNX Runtime and qonnx, and hardware computes
# the same at the fastest, a middle and the slowest folding.
# test: seconds=300
name=jet
. "$(dirname "$0")/lib.sh"

folder=$E2E_SOURCE/tests/models/jet
for model in jet_qdq jet_qoperator jet_qonnx_w6a6; do
    expect 0 "accuracy" "$WEIR" eval "$folder/$model.onnx" --data "$folder/jet_test.npz" -o "$model.npy"
    array_tool same "$model.npy" "$folder/$model.expected.npz:test" || fail "$model: logits"
done
for interval in 2048 $(! is_night || echo 16); do
    expect 0 " 0 of 2500" "$WEIR" check "$folder/jet_qdq.onnx" --data "$folder/jet_test.npz" --simulator verilator \
        --target-interval $interval
done
! is_night || expect 0 " 0 of 2500" "$WEIR" check "$folder/jet_qonnx_w6a6.onnx" --data "$folder/jet_test.npz" --simulator verilator
frames=4
! is_night || frames=12
expect 0 " 0 of $((5 * frames))" "$WEIR" check "$folder/jet_qoperator.onnx" --data "$folder/jet_test.npz" --simulator icarus --frames $frames

# Planted: logits of another dialect.
array_tool same jet_qdq.npy "$folder/jet_qonnx_w6a6.expected.npz:test" 2>/dev/null && fail "other logits are taken for equal"
finish
