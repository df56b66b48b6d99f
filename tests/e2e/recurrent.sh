#!/bin/sh
# Recurrent networks: the float engine gives ONNX Runtime's outputs; quantized, hardware computes the integer engine's bits, in every stream, frame after frame. What is remembered never reaches the next frame: a planted leak is seen.
# test: seconds=1800
name=recurrent
. "$(dirname "$0")/lib.sh"

folder=$E2E_SOURCE/tests/models/recurrent trained=${WEIR_TRAINED-}
for model in lstm gru layers; do
    x=$folder/$model.npz:x
    expect 0 "" "$WEIR" eval "$folder/$model.onnx" -e float -d "$x" -o $model.npy
    array_tool equal $model.npy "$folder/$model.npz:expected" 1e-5 || fail "$model"
    # A frame gives the same alone as behind others.
    array_tool rows "$x" first.npy 1
    expect 0 "" "$WEIR" eval "$folder/$model.onnx" -q int8 -c "$x" -d "$x" -o integer.npy
    expect 0 "" "$WEIR" eval "$folder/$model.onnx" -q int8 -c "$x" -d first.npy -o alone.npy
    array_tool rows integer.npy integer_first.npy 1
    array_tool same alone.npy integer_first.npy || fail "$model: its first frame depends on others"
done
for model in lstm gru; do
    expect 0 "always +3 +0 of 12" "$WEIR" check "$folder/$model.onnx" -q int8 -c "$folder/$model.npz:x" -d "$folder/$model.npz:x" --frames 3 --debug-frames 2 \
        --simulator icarus
done
# What a loop remembers may come from an operator on codes.
expect 0 "always +1 +0 of 4" "$WEIR" check "$folder/lstm.onnx" -q int8 -c "$folder/lstm.npz:x" -d "$folder/lstm.npz:x" --frames 1 --debug-frames 0 \
    --simulator icarus --contract onnxruntime
if [ -n "${WEIR_NIGHTLY-}" ]; then
    for model in lstm gru layers; do
        expect 0 "verilator .* 0 of " "$WEIR" check "$folder/$model.onnx" -q int8 -c "$folder/$model.npz:x" -d "$folder/$model.npz:x" --profile all
    done
fi

# What a loop begins with comes in, is kept from frame to frame, or is what another one ends with; whether it is positive or not.
chunks=$folder/chunks
expect 0 "" "$WEIR" eval $chunks.onnx -e float --state none -d $chunks.npz -o given.npz
expect 0 "" "$WEIR" eval $chunks.onnx -e float --state h0=hn --state c0=cn -d $chunks.npz:x -o kept.npy
array_tool equal given.npz:y $chunks.npz:expected 1e-5 || fail "initial values that come in"
array_tool equal kept.npy $chunks.npz:expected 1e-5 || fail "initial values that are kept"
expect 0 "always, malformed +6 +0 of" "$WEIR" check $chunks.onnx --state none -q int8 -c $chunks.npz -d $chunks.npz --frames 6 --debug-frames 1 \
    --simulator icarus --malformed
expect 0 "half +6 +0 of" "$WEIR" check $chunks.onnx --sequence 4 -q int8 -c $chunks.npz:x -d $chunks.npz:x --frames 6 --debug-frames 1 --simulator icarus --profile half
expect 0 "" "$WEIR" compile $chunks.onnx --state none -q int8 -c $chunks.npz -o begins
sed 's/initially ? i_data : row_data;/initially ? 0 : row_data;/' begins/rtl/weir_state.v >zeros.v
cmp -s zeros.v begins/rtl/weir_state.v && fail "nothing is planted"
cp zeros.v begins/rtl/weir_state.v
expect 3 "debug: first divergence at node '[a-z]*_[hc]_before': wrong value at frame 0" "$WEIR" sim begins -d $chunks.npz --frames 1 --simulator icarus

# Planted: a State that keeps its last row. The first frame is right, the next ones are not.
expect 0 "" "$WEIR" compile "$folder/layers.onnx" -q int8 -c "$folder/layers.npz:x" -o planted
sed 's/KEPT == 0 \&\& \(row_q\|step_q\)/KEPT == 1 \&\& \1/' planted/rtl/weir_state.v >leak.v
cmp -s leak.v planted/rtl/weir_state.v && fail "nothing is planted"
cp leak.v planted/rtl/weir_state.v
expect 3 "first divergence at node 'y': wrong value at frame 1" "$WEIR" sim planted -d "$folder/layers.npz:x" --frames 2 --simulator icarus

# Planted: two gates in each other's place; at night, a cell of 8 bits.
expect 0 "" "$WEIR" compile "$folder/lstm.onnx" -q int8 -c "$folder/lstm.npz:x" -o gates
mv gates/rtl/lstm_input_state_weights.hex kept.hex
mv gates/rtl/lstm_forget_state_weights.hex gates/rtl/lstm_input_state_weights.hex
mv kept.hex gates/rtl/lstm_forget_state_weights.hex
expect 3 "debug: first divergence at node 'lstm_h_before': wrong value at frame 0" "$WEIR" sim gates -d "$folder/lstm.npz:x" --frames 1 --simulator icarus
if is_night; then
    expect 0 "" "$WEIR" compile "$folder/lstm.onnx" -q int8 -c "$folder/lstm.npz:x" -o cell
    sed "s/initially ? i_data : row_data;/initially ? i_data : row_data \& 8'hff;/" cell/rtl/weir_state.v >cut.v
    cmp -s cut.v cell/rtl/weir_state.v && fail "nothing is planted"
    cp cut.v cell/rtl/weir_state.v
    expect 3 "debug: first divergence at node 'lstm_[hc]_[a-z_]*': wrong value at frame 0" "$WEIR" sim cell -d "$folder/lstm.npz:x" --frames 1 --simulator icarus
fi

# Foldings are searched for with their loops: by day for an objective each, at night for all.
for row in lstm:throughput gru:latency layers:area step_lstm:energy step_conv:throughput chunks:throughput; do
    model=${row%:*} objectives=${row#*:}
    ! is_night || objectives="throughput latency area energy"
    for objective in $objectives; do
        expect 0 "inferences/s" "$WEIR" compile "$folder/$model.onnx" -q int8 -c "$folder/$model.npz:x" --device ecp5-85k --objective "$objective" -o searched
    done
    [ $model = lstm ] || is_night || continue
    expect 0 "always +3 +0 of .* (0\.9|1\.0)[0-9]+x" "$WEIR" sim searched -d "$folder/$model.npz:x" --frames 3 --debug-frames 0 --simulator icarus
done

# Without quantizers it is refused by name.
expect 1 "node 'lstm_h' .*: what it remembers is not quantized; quantize the model first" "$WEIR" compile "$folder/lstm.onnx" -o none

if [ -d "$trained/pytorch/lstm" ]; then
    array_tool rows "$trained/pytorch/images.npz:x" bytes.npy 8
    array_tool affine bytes.npy images.npy 0 0.00392156862745098
    for model in lstm gru; do
        array_tool rows "$trained/pytorch/$model/expected.npz:y0" expected.npy 8
        for exporter in script dynamo; do
            expect 0 "" "$WEIR" eval "$trained/pytorch/$model/$exporter.onnx" -e float -d images.npy -o y.npy
            array_tool equal y.npy expected.npy 1e-4 || fail "$model, $exporter"
        done
        expect 0 "steps of" "$WEIR" compile "$trained/pytorch/$model/script.onnx" -q int8 -c images.npy -o "$model"
    done
    for model in dtln_mask_lstm dtln_time_lstm_unrolled gtcrn_gru; do
        inputs=$trained/$model/inputs.npz
        expect 0 "" "$WEIR" eval "$trained/$model/model.onnx" -e float -d "$inputs" -o y.npz
        case $model in
        dtln_mask_lstm) outputs="activation_2 tf_op_layer_stack_2" ;;
        gtcrn_gru) outputs="enh conv_cache_out tra_cache_out inter_cache_out" ;;
        *) outputs="conv1d_3 tf_op_layer_stack_5" ;;
        esac
        for output in $outputs; do
            array_tool equal "y.npz:$output" "$trained/$model/expected.npz:$output" 1e-4 || fail "$model, $output"
        done
    done
    # What a quantizer left in float is refused with the remedy, which completes it.
    dtln=$trained/dtln_mask_lstm
    expect 1 "let --quantize int8 --calibration DATA add what is missing" "$WEIR" compile "$dtln/model_qdq.onnx" -o none
    expect 0 "multipliers, .* cycles a frame" "$WEIR" compile "$dtln/model_qdq.onnx" -q int8 -c "$dtln/calibration.npz" --state none -o completed
    if [ -n "${WEIR_NIGHTLY-}" ]; then
        expect 0 "SQNR 39\.[0-9] dB" "$WEIR" sim completed -d "$dtln/inputs.npz" -n 4 --debug-frames 2 --simulator verilator
    fi
fi
finish
