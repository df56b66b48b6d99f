#!/bin/sh
# Convolutional networks as ONNX Runtime quantizes them (tests/models/conv): the integer engine gives ONNX Runtime's outputs to the
# last bit, and every stream of the hardware is the integer engine's.
# test: seconds=600 cost=30
name=conv
. "$(dirname "$0")/lib.sh"

folder=$E2E_SOURCE/tests/models/conv
for network in line separable pooled mobile autoencoder inception upsampler decoder generator averaged excited; do
    for form in qdq qoperator; do
        model=${network}_$form
        [ -f "$folder/$model.onnx" ] || continue
        expect 0 "" "$WEIR" eval "$folder/$model.onnx" -e int --data "$folder/$model.npz:x" -o outputs.npy
        array_tool same outputs.npy "$folder/$model.npz:expected" || fail "$model: the integer engine"
    done
done
expect 0 "" "$WEIR" eval "$folder/averaged_optimized.onnx" -e int --data "$folder/averaged_qoperator.npz:x" -o outputs.npy
array_tool same outputs.npy "$folder/averaged_qoperator.npz:expected" || fail "averaged_optimized: the integer engine"
# simulated FRAMES SIMULATOR FORM...
simulated() {
    frames=$1 simulator=$2
    shift 2
    for form; do
        expect 0 " 0 of " "$WEIR" check "$folder/$form.onnx" --data "$folder/$(echo "$form" | sed s/optimized/qoperator/).npz:x" --frames "$frames" \
            --simulator "$simulator"
    done
}
simulated 1 icarus inception_qdq line_qoperator
if is_night; then
    simulated 1 icarus averaged_optimized mobile_qdq autoencoder_qoperator inception_qoperator
    simulated 2 icarus separable_qdq line_qoperator
    simulated 2 both upsampler_qdq decoder_qdq generator_qdq
    simulated 3 both pooled_qdq
    # A pool gives the results of a row in a burst; a Fifo holds it for the slower requantizer, so that no layer waits.
    expect 0 " 312.0    1.000x " "$WEIR" check "$folder/averaged_qdq.onnx" --data "$folder/averaged_qdq.npz:x" --frames 6 --debug-frames 0 \
        --simulator icarus
fi

# Where a stream waits for a branch that sees the whole image, behind windows, its Fifo has room for what comes later than estimated.
expect 0 " 1024.0    1.000x " "$WEIR" check "$folder/excited_qdq.onnx" --data "$folder/excited_qdq.npz:x" --frames 6 --debug-frames 0 \
    --simulator verilator --max-macs 64

# What waits where a window holds rows is an estimate.
expect 0 "8 beats, waiting up to 39 cycles .estimated." "$WEIR" compile "$folder/averaged_qdq.onnx" -o averaged

# The window and what it holds are named.
expect 0 "weir_window" "$WEIR" compile "$folder/separable_qdq.onnx" -o separable
grep -q "window 3x1, stride 2x1, 4 of 12 rows held" output || fail "the window's rows"

# 36 positions of 9 products, in 8 channels side by side, which the window gives so.
expect 0 "" "$WEIR" compile "$folder/separable_qdq.onnx" -o separable --target-interval 324
grep -q " 324 cycles a frame" output || fail "the pace of the depthwise layer"
grep -q "weir.Linear.*{group = 8, interleave = 8}" separable/hardware.weir || fail "the depthwise layer's channels"

# Faster than that, the windows give all 9 pixels of all channels, and of two positions: as fast as the products.
if is_night; then
    expect 0 " 36.0    1.000x " "$WEIR" check "$folder/separable_qdq.onnx" --data "$folder/separable_qdq.npz:x" --frames 6 --debug-frames 1 \
        --simulator icarus --target-interval 36
    expect 0 " 18.0    1.000x " "$WEIR" check "$folder/separable_qdq.onnx" --data "$folder/separable_qdq.npz:x" --frames 6 --debug-frames 1 \
        --simulator both --target-interval 18
    # Groups of several channels: 308 cycles for the 154 positions of 2 of them, a whole window of one each.
    expect 0 " 308.0    1.000x " "$WEIR" check "$folder/pooled_qdq.onnx" --data "$folder/pooled_qdq.npz:x" --frames 3 --debug-frames 1 \
        --simulator both --target-interval 308
fi

finish
