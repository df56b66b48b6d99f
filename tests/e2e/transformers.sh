#!/bin/sh
# Transformers and normalizations as exporters write them (tests/models/transformers): the float engine gives the expected
# outputs, also of what is exported.
name=transformers
. "$(dirname "$0")/lib.sh"

folder=$E2E_SOURCE/tests/models/transformers
for file in "$folder"/*.onnx; do
    model=$(basename "$file" .onnx)
    data=$folder/${model%_*}.npz
    expect 0 "" "$WEIR" eval "$file" -e float -d "$data:x" -o "$model.npy"
    array_tool equal "$model.npy" "$data:expected" 1e-4 || fail "$model"
    expect 0 "" "$WEIR" export "$file" -o "$model.onnx"
    expect 0 "" "$WEIR" eval "$model.onnx" -e float -d "$data:x" -o again.npy
    array_tool same again.npy "$model.npy" || fail "$model: exported"
done

# RMSNorm as both exporters write it becomes one node, with the same results.
for model in gpt_script gpt_dynamo; do
    expect 0 "" "$WEIR" opt "$folder/$model.onnx" -p fold_constant,fuse_normalization -o fused.weir
    [ "$(grep -c ' = RMSNormalization(' fused.weir)" -eq 5 ] || fail "$model: not 5 RMSNormalizations"
    grep -q ' = Sqrt(' fused.weir && fail "$model: a root is left"
    expect 0 "" "$WEIR" eval fused.weir -e float -d "$folder/gpt.npz:x" -o fused.npy
    array_tool equal fused.npy "$folder/gpt.npz:expected" 1e-4 || fail "$model: fused"
done

# What has no hardware is refused by the node's name, with what would work.
expect 1 "node 'requantshift' \(PACTOps.RequantShift\): the arithmetic of its domain has no hardware" \
    "$WEIR" compile "$folder/shift.onnx" -o none
grep -q "weir eval --engine float computes the network exactly" output || fail "no remedy"
expect 1 "node 'n_1_6' \(RMSNormalization\): quantize does not support this operator" \
    "$WEIR" compile "$folder/gpt_script.onnx" -q int8 -c "$folder/gpt.npz:x" -o none
expect 1 "node '_1_n' \(LayerNormalization\): quantize does not support this operator" \
    "$WEIR" compile "$folder/convnext_script.onnx" -q int8 -c "$folder/convnext.npz:x" -o none

# The outputs of another network must be seen.
if array_tool equal vit_script.npy "$folder/convnext.npz:expected" 1e-4 2>/dev/null; then fail "wrong values are not seen"; fi

finish
