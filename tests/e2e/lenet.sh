#!/bin/sh
# lenet.sh quick|all: LeNet-5 in every form (tests/models/lenet), with the model and its data alone. The integer engine gives the
# outputs of ONNX Runtime and qonnx to the last bit on 1,000 images, and, with `all`, the hardware the integer engine's. A frame takes 7,840
# cycles, of which Icarus does some thousand a second.
# test: name=lenet seconds=600 -- quick
# test: name=lenet_all label=nightly seconds=7200 -- all
name=lenet-$1
. "$(dirname "$0")/lib.sh"

folder=$E2E_SOURCE/tests/models/lenet
data=$folder/lenet_test.npz
quantize="--quantize int8 --calibration $folder/lenet_calib.npz"

expect 0 "" "$WEIR" eval "$folder/lenet_float.onnx" -e float --data "$data" -o float.npy
array_tool equal float.npy "$folder/lenet_float.expected.npz:test" 1e-2 || fail "float"
for form in qdq qoperator qonnx_w4a4; do
    expect 0 "" "$WEIR" eval "$folder/lenet_$form.onnx" --data "$data" -o "$form.npy"
    array_tool same "$form.npy" "$folder/lenet_$form.expected.npz:test" || fail "$form: the integer engine"
done
array_tool plant qdq.npy planted.npy 77
array_tool same planted.npy "$folder/lenet_qdq.expected.npz:test" 2>/dev/null && fail "a wrong element goes unseen"

# simulate FORM SIMULATOR FRAMES DEBUG-FRAMES
simulate() {
    options=
    [ "$1" != float ] || options=$quantize
    # shellcheck disable=SC2086 # options are words
    expect 0 "^  $2 +always +$3 +0 of " "$WEIR" check "$folder/lenet_$1.onnx" --data "$data" $options --simulator "$2" --frames "$3" \
        --debug-frames "$4"
}
if [ "$1" = all ]; then
    # Fewer cycles than the first layer has positions: two of them a beat.
    expect 0 "^  verilator +always +4 +0 of " "$WEIR" check "$folder/lenet_qdq.onnx" --data "$data" --target-interval 400 \
        --simulator verilator --frames 4 --debug-frames 1
    grep -Eq "^  verilator +always .* 400[.]0 +1[.]000x" output || fail "400 cycles a frame"
    grep -Eq "^  conv1 +weir_mvu +50 +12 " output || fail "two positions of the first layer a beat"
    for form in float qdq qoperator qonnx_w4a4; do
        simulate $form verilator 1000 16
        simulate $form icarus 3 3
    done
fi
finish
