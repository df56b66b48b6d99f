#!/bin/sh
# `weir operators`: what it says of an operator holds for the models at hand, and misuse.
name=operators
. "$(dirname "$0")/lib.sh"
weir operators >list
expect 0 '"hardware": "yes"' "$WEIR" operators Gemm --json
expect 0 '^\| Softmax .* host ' "$WEIR" operators Softmax
expect 2 "no operator 'Gem'; did you mean 'Gemm'?" "$WEIR" operators Gem
expect 2 "markdown cannot be combined" "$WEIR" operators --markdown Gemm
# Rows for operators that are alike have each operator once.
weir operators --markdown | sed '1,2d;s/^| //;s/ |.*//' | tr -d ' ' | tr ',' '\n' | sort >grouped
sed -n 's/^| \([A-Z][A-Za-z]*\) *|.*/\1/p' list | sed '1d' | sort | diff - grouped || fail "the groups are not the list"

# lies LIST: operators of models that compile, of which the list says that they are no hardware.
lies() {
    cut -d'|' -f2,7 "$1" | tr -d ' ' | sed -n 's/|no$//p' | grep -xFf - used || true
}
for file in "$models"/*.onnx; do
    weir import "$file" -o model.weir
    sed -nE 's/^.* = ([a-z_.]+\.)?([A-Za-z]+)\(%.*/\2/p' model.weir
done | sort -u >used
[ "$(wc -l <used)" -ge 8 ] || fail "few operators in the models: $(cat used)"
[ -z "$(lies list)" ] || fail "models with these become hardware: $(lies list)"
# Planted: Gemm as one that does not.
sed '/^| Gemm /s/yes *|$/no |/' list >planted
[ "$(lies planted)" = Gemm ] || fail "the planted fault is not found: $(lies planted)"
finish
