#!/bin/sh
# Transformers and normalizations as exporters write them: the float engine gives the expected outputs, also of what is exported. The
# networks of tests/models/transformers, and PyTorch's of the folder WEIR_TRAINED, which may not be copied here (without it they are left out).
name=transformers
. "$(dirname "$0")/lib.sh"

folder=$E2E_SOURCE/tests/models/transformers trained=${WEIR_TRAINED-}/pytorch
# same MODEL FILE X EXPECTED: the outputs of the file, and of what is exported of it.
same() {
    expect 0 "" "$WEIR" eval "$2" -e float -d "$3" -o "$1.npy"
    array_tool equal "$1.npy" "$4" 1e-4 || fail "$1"
    expect 0 "" "$WEIR" export "$2" -o "$1.onnx"
    expect 0 "" "$WEIR" eval "$1.onnx" -e float -d "$3" -o again.npy
    array_tool same again.npy "$1.npy" || fail "$1: exported"
}
for model in operators shift; do same $model "$folder/$model.onnx" "$folder/$model.npz:x" "$folder/$model.npz:expected"; done

# Masks leave elements out: in the float engine, and, with quantizers before them, in hardware. A wrong mask is seen.
expect 0 "" "$WEIR" eval "$folder/masks.onnx" -e float -d "$folder/masks.npz" -o masks.npy
array_tool equal masks.npy "$folder/masks_expected.npz:y" 1e-5 || fail masks
frames=3 shared=1
! is_night || { frames=8 && shared=2; }
expect 0 "0 of $((48 * frames)) .*" "$WEIR" check "$folder/masks.onnx" -q int8 -c "$folder/masks.npz" -d "$folder/masks.npz" --simulator icarus --frames $frames --debug-frames 1
for line in "softmax_mask .*weir_cast" "softmax_1_masked .*weir_add" "softmax_2_masked .*weir_add" "before: .*where_condition"; do
    grep -q "$line" output || fail "masks: no $line"
done
[ "$(sed -n 's/.*SQNR \([0-9]*\).*/\1/p' output)" -ge 20 ] || fail "masks: too far from the float engine"

# Shares that are results, too, have the codes that the product behind them reads.
weir import "$folder/masks.onnx" -o shares.weir
shares=$(sed -n 's/.*: %\([^ ]*\) = Softmax(.*/\1/p' shares.weir | tail -n 1)
printf 'output shares = %%%s\n' "$shares" >>shares.weir
expect 0 "0 of $((120 * shared)) .*" "$WEIR" check shares.weir -q int8 -c "$folder/masks.npz" -d "$folder/masks.npz" --simulator icarus --frames $shared --debug-frames 0

# The integer network is hardware once the type of its input is stated, with the same outputs.
expect 1 "node 'conv' \(Conv\): .*state the input's type, such as --input-quantizer u8:1" \
    "$WEIR" compile "$folder/shift.onnx" -o none
expect 0 "" "$WEIR" eval "$folder/shift.onnx" --input-quantizer u8:1 -d "$folder/shift.npz:x" -o shift_int.npy
array_tool same shift_int.npy "$folder/shift.npz:expected" || fail "shift: integers"
expect 0 "^  icarus +always +2 +0 of " "$WEIR" check "$folder/shift.onnx" --input-quantizer u8:1 -d "$folder/shift.npz:x" \
    --simulator icarus --frames 2 --debug-frames 1

# What defines results is named.
arithmetic() { "$WEIR" compile "$@" -o named >/dev/null 2>&1 && jq -c .arithmetic named/host.json; }
[ "$(arithmetic "$folder/masks.onnx" -q int8 -c "$folder/masks.npz")" = '{"exact-softmax":{"k":30}}' ] || fail "masks: host.json does not name exact-softmax"
[ "$(arithmetic "$folder/shift.onnx" --input-quantizer u8:1)" = '{"requantshift":{}}' ] || fail "shift: host.json does not name requantshift"

# A wrong output must be seen.
array_tool affine shift.npy planted.npy 1 1
if array_tool equal planted.npy "$folder/shift.npz:expected" 1e-4 2>/dev/null; then fail "wrong values are not seen"; fi

if [ -d "$trained/gpt" ]; then
    array_tool rows "$trained/images.npz:x" bytes.npy 4
    array_tool affine bytes.npy images.npy 0 0.00392156862745098
    array_tool rows "$trained/gpt/tokens.npy" tokens.npy 4
    for model in convnext gpt norms points vit; do
        array_tool rows "$trained/$model/expected.npz:y0" ${model}_expected.npy 4
        x=images.npy
        [ $model != gpt ] || x=tokens.npy
        for exporter in script dynamo; do same ${model}_$exporter "$trained/$model/$exporter.onnx" $x ${model}_expected.npy; done
    done

    # Quantized, the compiler finds every node near the model's, and float32's near ties are no fault.
    for model in convnext gpt vit; do
        x=images.npy
        [ $model != gpt ] || x=$trained/gpt/tokens.npy
        for exporter in script dynamo; do
            case "$(arithmetic "$trained/$model/$exporter.onnx" -q int8 -c $x)" in *exact-norm*) ;; *) fail "$model, $exporter: no exact-norm" ;; esac
        done
    done

    # RMSNorm as both exporters write it becomes one node, with the same results.
    for exporter in script dynamo; do
        expect 0 "" "$WEIR" opt "$trained/gpt/$exporter.onnx" -p fold_constant,fuse_normalization -o fused.weir
        [ "$(grep -c ' = RMSNormalization(' fused.weir)" -eq 5 ] || fail "gpt, $exporter: not 5 RMSNormalizations"
        grep -q ' = Sqrt(' fused.weir && fail "gpt, $exporter: a root is left"
        expect 0 "" "$WEIR" eval fused.weir -e float -d tokens.npy -o fused.npy
        array_tool equal fused.npy gpt_expected.npy 1e-4 || fail "gpt, $exporter: fused"
    done
fi
finish
