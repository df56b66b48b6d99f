#!/bin/sh
# golden.sh [--write]: every machine, compiler and processor emits these bytes: a hash for each digits model over the Verilog,
# the parameter memories and the benches. That the bytes are right is for the other tests; these lines are made by --write
# (WEIR=$PWD/build/toolchain/cli/weir
# E2E_SOURCE=$PWD E2E_WORK=$PWD/build sh tests/e2e/golden.sh --write) after a change that is meant to change what is emitted.
write=${1-}
name=golden
. "$(dirname "$0")/lib.sh"
file=$models/golden.txt

for model in "$models"/mlp_*.onnx; do
    model=$(basename "$model" .onnx)
    quantizations=none
    case $model in *float*) quantizations="int8 fixed" ;; esac
    for quantization in $quantizations; do
        # shellcheck disable=SC2046 # options are words
        weir compile $(quantize_options "$quantization") "$models/$model.onnx" -o "$model-$quantization" >/dev/null ||
            fail "compile $model $quantization"
        (cd "$model-$quantization" && find rtl tb tb_debug -type f | sort | xargs sha256sum) >"$model-$quantization.files"
        echo "$(sha256sum <"$model-$quantization.files" | cut -d' ' -f1) $model $quantization"
    done
done >found
if [ "$write" = --write ]; then
    cp found "$file"
elif ! cmp -s found "$file"; then
    diff "$file" found | sed -n 's/^> [0-9a-f]* //p' | while read -r model quantization; do
        echo "$model $quantization emits other bytes; its files are now:"
        cat "$model-$quantization.files"
    done >&2
    fail "other bytes than $file says: on purpose? then golden.sh --write"
fi

# Planted: a comment in one file.
echo "// planted" >>mlp_qdq-none/rtl/mlp_qdq.v
(cd mlp_qdq-none && find rtl tb tb_debug -type f | sort | xargs sha256sum) | cmp -s - mlp_qdq-none.files &&
    fail "a planted change is not seen"
finish
