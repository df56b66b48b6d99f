#!/bin/sh
# A batch that a model leaves open stays open: through passes, the text form, and `weir export` in every dialect. Five frames at once
# give what each gives alone. What mixes frames, and sizes that the user gives, close it.
name=batch
. "$(dirname "$0")/lib.sh"
exporters=$E2E_SOURCE/tests/models/exporters
frames=$test_data:x
array_tool rows "$frames" twenty.npy 20

# opens FILE DATA WHAT [SYMBOL]: any number of frames, the same values.
opens() {
    weir import "$1" -o read.weir 2>/dev/null
    sed -n 2p read.weir | grep -q " batch \"${4-batch}\"\$" || fail "$3: $(sed -n 2p read.weir)"
    array_tool rows "$2" data.npy 20
    weir eval "$1" -e float -d data.npy -o one.npz 2>/dev/null
    weir eval "$1" -e float -d data.npy --batch 5 -o five.npz 2>/dev/null
    for output in $(sed -n 's/^output \(.*\) = .*/\1/p' read.weir | tr -d '"'); do
        array_tool elements "one.npz:$output" "five.npz:$output" || fail "$3: '$output' differs"
    done
}

hardware=lower_integer,realize_requantize,choose_folding,insert_streams,size_fifos
for model in mlp_float mlp_qdq mlp_qoperator mlp_residual_qdq; do
    for form in native qdq qonnx; do
        expect 0 "" "$WEIR" export "$models/$model.onnx" --form $form -o made.onnx
        opens made.onnx "$frames" "$model as $form"
    done
done
for passes in lower_integer $hardware "lower_integer,realize_requantize{form=threshold}"; do
    expect 0 "" "$WEIR" export "$models/mlp_qdq.onnx" --passes "$passes" -o made.onnx
    opens made.onnx "$frames" "mlp_qdq $passes"
    weir eval "$models/mlp_qdq.onnx" -d twenty.npy -o integer.npy
    array_tool same one.npz:logits integer.npy || fail "mlp_qdq $passes computes something else"
done
expect 0 "" "$WEIR" export "$models/mlp_float.onnx" -q int8 -c "$models/digits_calib.npz" -o made.onnx
opens made.onnx "$frames" "mlp_float quantized"
# Through the text form; a shape that the file computes; a batch without a name; labels, which lie beside each other.
weir import "$models/mlp_qdq.onnx" -o text.weir
expect 0 "" "$WEIR" export text.weir -o made.onnx
opens made.onnx "$frames" "the text form"
expect 0 "" "$WEIR" export "$exporters/shapes.onnx" -o made.onnx
opens made.onnx "$exporters/shapes.npz:x" shapes N
expect 0 "" "$WEIR" export "$exporters/sklearn_tensors.onnx" -o made.onnx
opens made.onnx "$exporters/sklearn_tensors.npz:x" sklearn_tensors ""

# What mixes frames is named, and sizes that the user gives are sizes.
cat >mixed.weir <<'END'
weir 1
graph "mixed" from "mixed.onnx" batch "N"
input %x : float32[1,4]
turned: %turned = Transpose(%x)
    : float32[4,1]
output y = %turned
END
cp text.npz mixed.npz
expect 0 "mixed.onnx: warning: the file is for one frame, because node 'turned' .Transpose. mixes frames: it moves the rows to" \
    "$WEIR" export mixed.weir -o mixed.onnx
weir eval "$models/mlp_qdq.onnx" -e float -d twenty.npy -o one.npz
weir eval "$models/mlp_qdq.onnx" -e float -d twenty.npy --batch 5 -o five.npz
array_tool elements one.npz:logits five.npz:logits || fail "the model itself"
for sizes in "--batch 4" "--shape 1,64"; do
    # shellcheck disable=SC2086 # two words
    weir export "$models/mlp_qdq.onnx" $sizes -o made.onnx
    weir import made.onnx -o read.weir
    grep -q batch read.weir && fail "$sizes leaves the batch open"
done
expect 1 "batch.weir:3: error: the batch is open, so input 'x' must have the first dimension 1, found .2,4." \
    sh -c 'sed "s/1,4/2,4/; s/4,1/4,2/" mixed.weir >batch.weir; cp text.npz batch.npz; "$WEIR" show batch.weir'

# A planted fault: another value is seen.
array_tool plant five.npz:logits planted.npy 7
if array_tool elements one.npz:logits planted.npy 2>/dev/null; then fail "another value is not seen"; fi
finish
