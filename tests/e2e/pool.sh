#!/bin/sh
# Quantized networks that pool an image and name a class (tests/models/pool): the whole of them is hardware but the
# transposition of an image that comes with its channels in front, which is named. Every stream is the integer engine's on both
# simulators, and the labels are ONNX Runtime's.
# test: seconds=600 cost=20
name=pool
. "$(dirname "$0")/lib.sh"

folder=$E2E_SOURCE/tests/models/pool
profiles=half frames=2
! is_night || profiles=all frames=6
for model in pool_nchw pool_nhwc pool_1d pool_mean; do
    simulator=icarus
    ! is_night || simulator=both
    case $model in
    pool_nhwc | pool_1d) is_night ;;
    *) true ;;
    esac && expect 0 " 0 of " "$WEIR" check "$folder/$model.onnx" --data "$folder/$model.npz:x" --frames $frames --profile $profiles \
        --simulator $simulator
    expect 0 "weir_pool" "$WEIR" compile "$folder/$model.onnx" -o "$model"
    grep -q "weir_argmax" output || fail "$model: no weir_argmax"
    case $model in
    pool_nhwc) ! grep -q "on the host" output || fail "$model: something is left for the host" ;;
    *) grep -q "before the hardware: image_transposed (Transpose)" output || fail "$model: the host's part" ;;
    esac
    expect 0 "" "$WEIR" sim "$model" --data "$folder/$model.npz:x" --simulator icarus -o labels.npy
    array_tool same labels.npy "$folder/$model.npz:expected" || fail "$model: labels"
    expect 0 "layout=N[HW]*C" "$WEIR" show "$model/hardware.weir" --table text
    expect 0 "range of codes  *layout" "$WEIR" show "$model/hardware.weir" --table quantization
    grep -q "  N[HW]*C *$" output || fail "$model: no layout in the table"
done
expect 0 "range of codes *$" "$WEIR" show "$models/mlp_qdq.onnx" --table quantization

# Codes in and out, channels in front on both sides.
expect 0 " 0 of " "$WEIR" check "$folder/codes.onnx" --data "$folder/codes.npz:x" --frames 6 --simulator icarus
expect 0 "on the host, after the hardware: .*\(Transpose\)" "$WEIR" compile "$folder/codes.onnx" -o codes
expect 0 "" "$WEIR" sim codes --data "$folder/codes.npz:x" --simulator icarus -o largest.npy
array_tool same largest.npy "$folder/codes.npz:expected" || fail "codes"

finish
