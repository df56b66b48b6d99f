#!/bin/sh
# Models as other programs write them (tests/models/exporters): codes of 2 and 4 bits, floats of 8 and 4, blocks, other
# floating-point types, the newest opset, shape arithmetic. The float engine gives the expected outputs, the quantized
# model about those, and the hardware the integer engine's bits; no option beside --quantize is needed. What is exported
# comes back.
name=exporters
. "$(dirname "$0")/lib.sh"

folder=$E2E_SOURCE/tests/models/exporters
for file in "$folder"/*.onnx; do
    model=$(basename "$file" .onnx)
    frames=$folder/$model.npz:x tolerance=1e-4 loss=0.5 as=npy part=
    quantize="--quantize int8 --calibration $frames"
    case $model in
    int[24]*) quantize="" tolerance=0 loss=0 ;;
    float8 | blocks | float_quant) quantize="" tolerance=0 ;; # without hardware
    sklearn_labels | sklearn_zipmap) as=npz part=:output_label loss=0 ;;
    sklearn_tensors) as=npz part=:label loss=0 ;;
    float16*) tolerance=0.02 ;; # what float16 arithmetic lost in the expected outputs
    esac
    expect 0 "" "$WEIR" eval "$file" -e float -d "$frames" -o float.$as
    array_tool equal float.$as$part "$folder/$model.npz:expected" $tolerance || fail "$model: float"
    case $model in
    float8 | blocks | float_quant)
        expect 1 "has no hardware here; the nearest format that has is '(affine|integer) width=[48] " "$WEIR" compile "$file" -o none
        ;;
    *)
        expect 0 "" "$WEIR" eval "$file" $quantize -d "$frames" -o integer.$as
        array_tool equal integer.$as$part "$folder/$model.npz:expected" $loss || fail "$model: integer"
        ;;
    esac
    expect 0 "" "$WEIR" export "$file" -o "$model.onnx"
    expect 0 "" "$WEIR" eval "$model.onnx" -e float -d "$frames" -o again.$as
    array_tool same again.$as$part float.$as$part || fail "$model: exported"
done

# Through hardware, one of each kind.
expect 0 "mismatches of compared" "$WEIR" check "$folder/int4_newest.onnx" --data "$folder/int4.npz:x" \
    --simulator icarus --frames 8
expect 0 "mismatches of compared" "$WEIR" check "$folder/int2.onnx" --data "$folder/int2.npz:x" \
    --simulator icarus --frames 8
frames=$folder/shapes.npz:x
expect 0 "mismatches of compared" "$WEIR" check "$folder/shapes.onnx" --data "$frames" -q int8 -c "$frames" \
    --simulator icarus --frames 8

# A fixed number of rows is a batch, whatever number the data has, unless an operator mixes them, which is said.
frames=$folder/rows.npz:x
array_tool rows "$frames" some.npy 5
expect 0 "each row is a frame" "$WEIR" eval "$folder/rows.onnx" -e float -d some.npy -o some_out.npy
array_tool equal "$folder/rows.npz:expected" some_out.npy 1e-4 || fail "some rows"
expect 0 "rows: 5 frames, 3 output values each" "$WEIR" check "$folder/rows.onnx" --data some.npy -q int8 -c "$frames" \
    --simulator icarus
weir import "$folder/rows.onnx" -o rows.weir
sed 's/MatMul(%r1, %w2)/Softmax(%r1) {axis = 0}/; s/float32\[64,3\]/float32[64,6]/' rows.weir >mixed.weir
cp rows.npz mixed.npz
weir export mixed.weir -o mixed.onnx
expect 1 "node 'fc2' \(Softmax\) mixes them: it works across the rows" "$WEIR" eval mixed.onnx \
    -e float -d some.npy

# The imported graph shows what the file has; the exported one says its types.
expect 0 " = Dropout\(" "$WEIR" show "$folder/shapes.onnx" --table text
expect 0 "it is converted to float32" "$WEIR" show "$folder/float16.onnx" --table text
grep -q "float16\[" output && fail "float16 is left"
expect 0 "uint4\[" "$WEIR" show "$folder/int4.onnx" --table text
weir import "$folder/int4.onnx" -o int4.weir
expect 0 "" "$WEIR" eval int4.weir -e float -d "$folder/int4.npz:x" -o text.npy
array_tool same text.npy "$folder/int4.npz:expected" || fail "int4 through text"
weir import "$folder/float8.onnx" -o float8.weir
expect 0 "" "$WEIR" eval float8.weir -e float -d "$folder/float8.npz:x" -o text.npy
array_tool same text.npy "$folder/float8.npz:expected" || fail "float8 through text"

finish
