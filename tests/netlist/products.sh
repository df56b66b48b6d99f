#!/bin/sh
# The models of Gowin's multipliers against sums of shifted factors; with a sign that is spoilt they must differ.
#
#   products.sh FOLDER    SOURCE is the repository
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=$1

fail() {
  echo "products.sh: error: $*" >&2
  exit 1
}

for tool in iverilog vvp; do
  command -v "$tool" >/dev/null || { echo "skipped: '$tool' is not installed"; exit 77; }
done

run() { # CELLS
  iverilog -g2005 -s products_bench -o "$folder/bench.vvp" "$here/products_bench.v" "$1"
  vvp -n "$folder/bench.vvp"
}

rm -rf "$folder"
mkdir -p "$folder"
cells=$SOURCE/boards/cells/gowin.v
said=$(run "$cells")
echo "$said"
[ "$said" = "wrong 0 of 12000" ] || fail "the models"
sed 's/BSIGN && B\[W-1\]/ASIGN \&\& B[W-1]/' "$cells" >"$folder/planted.v"
! cmp -s "$cells" "$folder/planted.v" || fail "no fault was planted"
said=$(run "$folder/planted.v")
echo "planted: $said"
[ "$said" != "wrong 0 of 12000" ] || fail "a planted fault is not found"
# What Yosys does not make is not modelled.
sed 's/MULT9X9 u9 (/MULT9X9 #(.PIPE_REG(1'"'"'b1)) u9 (/' "$here/products_bench.v" >"$folder/registers.v"
! iverilog -g2005 -s products_bench -o "$folder/bench.vvp" "$folder/registers.v" "$cells" 2>"$folder/errors.txt" || fail "registers are ignored"
grep -q MULT9X9_is_modelled_without_registers "$folder/errors.txt" || fail "the registers are not named: $(cat "$folder/errors.txt")"
