#!/bin/sh
# engines.sh MODEL ENGINE TOLERANCE: the software engines against the outputs that ONNX Runtime (or the qonnx package)
# gave, on every element, and the accuracy that the models' README states.
# test: name=engines/%name models=.* except=^mlp_float_ -- %model int 0
# test: name=engines/mlp_float -- mlp_float float 1e-4
model=$1 engine=$2 tolerance=$3
name="engines-$model-$engine"
. "$(dirname "$0")/lib.sh"
share=$(sed -n "s/^| \`$model\` | \([0-9.]*\) % |\$/\1/p" "$models/README.md")
[ -n "$share" ] || fail "no accuracy of $model in the README"

expect 0 "" "$WEIR" eval "$models/$model.onnx" --engine "$engine" --data "$test_data" -o test.npy
array_tool equal test.npy "$models/$model.expected.npz:test" "$tolerance" || fail "$model: test images"
array_tool accuracy test.npy "$test_data:y" "$share" || fail "$model: accuracy"
if [ "$model" != mlp_float ]; then
    expect 0 "" "$WEIR" eval "$models/$model.onnx" --engine "$engine" --data "$models/random10k.npz" -o random.npy
    array_tool equal random.npy "$models/$model.expected.npz:random" "$tolerance" || fail "$model: random inputs"
    # The comparison must see one changed element of the real outputs.
    array_tool plant random.npy planted.npy 4321
    if array_tool equal planted.npy "$models/$model.expected.npz:random" "$tolerance" 2>output; then
        fail "$model: a changed element is not found"
    fi
fi
finish
