#!/bin/sh
# `weir operators`: what it says of an operator holds for the models at hand, and misuse.
name=operators
. "$(dirname "$0")/lib.sh"
weir operators >list
expect 0 '"hardware": "yes"' "$WEIR" operators Gemm --json
expect 0 '^\| LogSoftmax .* host ' "$WEIR" operators LogSoftmax
expect 2 "no operator 'Gem'; did you mean 'Gemm'?" "$WEIR" operators Gem
expect 2 "cannot be combined" "$WEIR" operators --import Gemm
expect 2 "cannot be combined" "$WEIR" operators --import --json
expect 2 "cannot be combined" "$WEIR" operators --import --graph
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

# stale PAGE FILE MARK OPTION: FILE, as the PAGE that it is, does not say between the marks what the command prints.
stale() {
    weir operators $4 >section
    sed -n "/^<!-- $3 -->\$/,/^<!-- end -->\$/p" "$2" | sed '1d;$d' | cmp -s - section || echo "$1: run scripts/pages"
}
while IFS='|' read -r page mark option row; do
    [ -z "$(stale "$page" "$E2E_SOURCE/$page" "$mark" "$option")" ] || fail "$(stale "$page" "$E2E_SOURCE/$page" "$mark" "$option")"
    # Planted: a page in which an operator is missing.
    sed "s/^| $row/| /" "$E2E_SOURCE/$page" >planted.md
    [ -n "$(stale "$page" planted.md "$mark" "$option")" ] || fail "a page without '$row' is not found: $page"
done <<'END'
passes/OPERATORS.md|weir operators||Gemm
toolchain/ir/README.md|graph operators|--graph|Squeeze (squeeze)
toolchain/frontend/README.md|imported operators|--import|BitShift (from 11)
END
# Every row of op.def is in the graph's table, every operator that has a rule in that of files.
weir operators --graph | grep -oE '[A-Za-z.]+ \(' | sed 's/.*\.//; s/ (//' | sort -u >graph
sed -nE 's/^WEIR_OP\([A-Z0-9_]+, [A-Z]+, "([A-Za-z0-9]+)".*/\1/p' "$E2E_SOURCE"/toolchain/ir/graph/op_*.def | sort -u | comm -23 - graph >absent
[ ! -s absent ] || fail "not in 'operators --graph': $(cat absent)"
weir operators --import | cut -d'|' -f2 | sed 's/([^)]*)//g' | tr ', ' '\n\n' | sed 's/.*\.//' | sort -u >import
{
    sed -nE 's/^WEIR_OP\([A-Z0-9_]+, (ONNX|MICROSOFT|QONNX|ML), "([A-Za-z0-9]+)".*/\2/p' "$E2E_SOURCE"/toolchain/ir/graph/op_*.def
    sed -nE 's/^ +(RULE[A-Z_]*\(([A-Z]+, )?|\{(ONNX|MICROSOFT|QONNX|ML), )"([A-Za-z0-9]+)".*/\4/p' "$E2E_SOURCE/toolchain/frontend/import/onnx_table.c"
} | sort -u >rules
[ "$(wc -l <rules)" -ge 120 ] || fail "few rules: $(wc -l <rules)"
comm -23 rules import >absent
[ ! -s absent ] || fail "not in 'operators --import': $(cat absent)"
expect 0 "Upsample \(7 to 9\) . mode, scales \(until 8\) . Resize" "$WEIR" operators --import
finish
