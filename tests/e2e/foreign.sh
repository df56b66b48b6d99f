#!/bin/sh
# Files and folders that are no models: what they look like, and what makes a model of them. Refusals of operators and of
# models that are quantized in part name the way out, and no two of them contradict each other.
name=foreign
. "$(dirname "$0")/lib.sh"

# refused FILE PATTERN: by each command that reads a model.
refused() {
    for command in "show" "import -o out.weir" "eval -d $test_data" "compile -o out" "export -o out.onnx"; do
        expect 1 "$2" "$WEIR" $command "$1"
        [ ! -e out ] || fail "$command leaves something behind"
    done
}

array_tool npz "$test_data" model.onnx x 2>/dev/null || cp "$test_data" model.onnx
refused model.onnx "model.onnx: error: not an ONNX model: it looks like a NumPy archive"
printf 'PK\003\004..archive/data.pkl' >net.pt
refused net.pt "looks like a PyTorch file"
grep -q "torch.onnx.export" output || fail "no way from PyTorch"
printf '\034\000\000\000TFL3' >net.tflite
refused net.tflite "looks like a TensorFlow Lite model"
: >empty.onnx
refused empty.onnx "looks like an empty file"
weir import "$models/mlp_qdq.onnx" -o net.weir
cp net.weir text.onnx
refused text.onnx "looks like text IR"
cp "$models/mlp_qdq.onnx" onnx.weir
expect 1 "onnx.weir: error: not text IR" "$WEIR" show onnx.weir
expect 0 "" "$WEIR" compile "$models/mlp_qdq.onnx" -o compiled
expect 1 "compiled: error: a folder with a compiled model, expected a file" "$WEIR" show compiled
grep -q "weir sim" output || fail "no word about sim"
mkdir saved && : >saved/saved_model.pb
expect 1 "saved: error: a TensorFlow SavedModel" "$WEIR" eval saved -d "$test_data"
mkdir plain
expect 1 "plain: error: a folder, expected a file" "$WEIR" show plain
# An ONNX tensor, as conformance data has them: dims 2, float32, name "x", 8 bytes.
printf '\010\002\020\001\102\001x\112\010\000\000\200\077\000\000\000\100' >x.pb
refused x.pb "looks like an ONNX tensor"

# A model that is quantized in part: refused with the tensor and what completes it; completed, it says where.
weir export "$models/mlp_float.onnx" -q int8 -c "$models/digits_calib.npz" -o whole.onnx
expect 1 "the model already has quantizers" "$WEIR" compile whole.onnx -o out -q int8 -c "$models/digits_calib.npz"
grep -q "drop --quantize" output || fail "no word about --quantize"
weir import whole.onnx -o whole.weir
sed 's|Gemm(%input_dequantize, |Gemm(%input, |' whole.weir >part.weir
cp whole.npz part.npz
cmp -s whole.weir part.weir && fail "nothing taken away"
expect 1 "error: node 'fc1' .*tensor 'input' has no quantizer, though the model has others" "$WEIR" compile part.weir -o out
grep -q "quantize the model first" output && fail "contradicts the other refusal"
grep -q "^note: .*--quantize int8 --calibration DATA add what is missing" output || fail "no word about what completes it"
expect 0 "note: node 'fc1' .Gemm.: input 'input' had no quantizer: it gets 8 bits over .0, 1" "$WEIR" compile part.weir -o out -q int8 -c "$models/digits_calib.npz"
weir eval whole.onnx -e int -d "$test_data" -o whole.npy
weir eval part.weir -e int -d "$test_data" -o part.npy -q int8 -c "$models/digits_calib.npz"
array_tool same whole.npy part.npy || fail "the quantizer that was taken away is not what is added"
expect 1 "only partly quantized: tensor 'input'.*has no quantizer" "$WEIR" compile part.weir -o out -q fixed -c "$models/digits_calib.npz"
grep -q "drop --quantize" output && fail "contradicts the other refusal"

# Operators.
weir import "$models/mlp_float.onnx" -o float.weir
sed 's/= Relu(/= Elu(/' float.weir >elu.weir && cp float.npz elu.npz
expect 0 "relu .*weir_lookup" "$WEIR" compile elu.weir -o out -q int8 -c "$models/digits_calib.npz"
sed 's/= Relu(/= Softmax(/' float.weir >softmax.weir && cp float.npz softmax.npz
expect 0 "relu .*weir_softmax_integer" "$WEIR" compile softmax.weir -o out -q int8 -c "$models/digits_calib.npz"
sed 's/= Relu(/= LogSoftmax(/' float.weir >softmax.weir
expect 1 "only the host computes it" "$WEIR" compile softmax.weir -o out -q int8 -c "$models/digits_calib.npz"
grep -q "^note: between layers it has no hardware" output || fail "no advice for a function between layers"
sed 's/= Relu(/= LpNormalization(/' float.weir >norm.weir && cp float.npz norm.npz
expect 0 "relu .*weir_normalize" "$WEIR" compile norm.weir -o out -q int8 -c "$models/digits_calib.npz"
# Products by constants are taken into the layer before, at any level.
sed 's/^relu: \(%[^ ]*\) = Relu(\(%[^)]*\))/relu: \1 = Mul(\2, %fc1.bias)/' float.weir >mul.weir && cp float.npz mul.npz
expect 0 "fc1_requantize  *weir_requantize_float" "$WEIR" compile mul.weir -o out -q int8 -c "$models/digits_calib.npz"
grep -q "^  relu " output && fail "a product by channels is not in the layer before it"
expect 0 "" "$WEIR" compile mul.weir -O 3 -o out -q int8 -c "$models/digits_calib.npz"

finish
