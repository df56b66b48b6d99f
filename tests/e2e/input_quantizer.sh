#!/bin/sh
# --input-quantizer: a model that states nothing of its input has its first layer in hardware. The jet classifier without the quantizer of its
# input (QONNX's Quant of 8 bits, 2^-4) computes with one from the option what qonnx computes of the whole.
# test: seconds=300
name=input_quantizer
. "$(dirname "$0")/lib.sh"
folder=$E2E_SOURCE/tests/models/jet
weir import "$folder/jet_qonnx_w6a6.onnx" -o whole.weir
cp whole.npz model.npz
sed -e '/^input_quant: /,/^    : /d' -e 's/%x0\([^0-9]\)/%input\1/g' whole.weir >model.weir
! grep -q "^input_quant: " model.weir || fail "the quantizer of the input is still there"
data=$folder/jet_test.npz

expect 0 "weir_mvu" weir compile model.weir -o without
! grep -q "^  fc1  *weir_mvu" output || fail "the first layer is hardware without a quantizer of its input"
expect 0 "^  fc1  *weir_mvu" weir compile model.weir --input-quantizer s8:2^-4 -o with
for engine in int float; do
    expect 0 "accuracy" weir eval model.weir -e $engine --input-quantizer input=s8:0.0625 -d "$data" -o $engine.npy
    array_tool equal $engine.npy "$folder/jet_qonnx_w6a6.expected.npz:test" 1e-5 || fail "$engine: other logits than qonnx's"
done
expect 0 "accuracy" weir eval model.weir --input-quantizer s8:0.5 -d "$data" -o other.npy
array_tool equal other.npy "$folder/jet_qonnx_w6a6.expected.npz:test" 1e-5 2>/dev/null && fail "another scale goes unseen"
expect 0 " 0 of " weir check model.weir --input-quantizer s8:2^-4 -d "$data" --simulator icarus --frames 3
# Of 8 and 16 bits they are ONNX's own, of other widths QONNX's.
expect 0 "= QuantizeLinear" weir opt model.weir -p 'quantize_input{inputs="u16:2^-10:3"}'
expect 0 "= qonnx.custom_op.general.Quant.%input," weir opt model.weir -p 'quantize_input{inputs="s7:0.0625"}'

refused() { # PATTERN ITEM
    expect 1 "$1" weir compile model.weir --input-quantizer "$2" -o bad
    [ ! -e bad ] || fail "a refused input quantizer leaves a folder: $2"
}
for item in s17:1 s1:1 u8:-1 u8:1:256 u8 u8:1:1x f8:1; do refused "'$item': expected \[INPUT=\]TYPE:SCALE\[:ZERO\]" "$item"; done
refused "the model has no input 'inputs'" inputs=u8:1
grep -q "did you mean 'input'" output || fail "no suggestion for an unknown input"
expect 1 "node 'input_quant' \(.*Quant\) already quantizes input 'input'" weir compile whole.weir --input-quantizer u8:1 -o bad
finish
