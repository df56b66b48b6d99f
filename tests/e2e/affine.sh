#!/bin/sh
# affine.sh: quantized networks with normalizations, products and sums by constants between their quantizers, in front of the
# first and behind the last: what the simulated hardware and the host give is what qonnx and ONNX Runtime gave
# (tests/models/affine). Icarus runs all of them, Verilator one.
# test: seconds=600 label=nightly
name=affine
. "$(dirname "$0")/lib.sh"
affine=$E2E_SOURCE/tests/models/affine
for model in "$affine"/*.onnx; do
    model=$(basename "$model" .onnx)
    tolerance=0 simulator=icarus
    case $model in
    uneven_scales) tolerance=2e-6 ;; # scales that are no powers of two: the order of sums decides
    sub_div) simulator=both ;;
    esac
    expect 0 "" "$WEIR" compile "$affine/$model.onnx" -o "$model"
    expect 0 "compared every value" "$WEIR" sim "$model" --data "$affine/$model.npz:x" --simulator $simulator --frames 12 \
        --debug-frames 2 -o hardware.npy
    array_tool equal "$affine/$model.npz:expected" hardware.npy $tolerance || fail "$model: other results than others have"
done
# A changed weight does not stay unseen.
file=$(ls sub_div/rtl/*_weights*.hex | head -1)
sed '1s/[0-7]/f/' "$file" >planted.hex && mv planted.hex "$file"
expect 3 "first divergence" "$WEIR" sim sub_div --data "$affine/sub_div.npz:x" --simulator icarus --frames 12 --debug-frames 2
finish
