#!/bin/sh
# cost_fit.sh COST_FIT SOURCE: fitted for one module, the rows of all others stay as they are; a module without rows gets one for each family.
fit=$1 source=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp "$source/toolchain/dataflow/cost/cost.def" "$work/before"
grep -v '"weir_relu"' "$work/before" >"$work/after"
"$fit" "$source/scripts/cost/measured.csv" "$work/after" weir_relu >/dev/null || exit 1
families=$(sed -n 's/^WEIR_COST("weir_relu", \([A-Z0-9]*\),.*/\1/p' "$work/after" | tr '\n' ' ')
[ "$families" = "ICE40 ECP5 GOWIN XILINX7 " ] || { echo "rows of weir_relu for: $families"; exit 1; }
grep -v '"weir_relu"' "$work/before" >"$work/others"
grep -v '"weir_relu"' "$work/after" | diff "$work/others" - || { echo "rows of other modules are changed"; exit 1; }
