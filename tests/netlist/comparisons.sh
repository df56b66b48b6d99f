#!/usr/bin/env bash
# Comparisons as 'weir synth' maps them, against their Verilog on all inputs; with Yosys' own map of carry chains for Gowin, which is
# wrong up to Yosys 0.28, and with Weir's spoilt in the same way, they must differ.
#
#   comparisons.sh DEVICE FOLDER    BUILD is where 'synthesize' is, SOURCE the repository
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
device=$1 folder=$2

fail() {
  echo "comparisons.sh: error: $*" >&2
  exit 1
}

for tool in yosys iverilog vvp; do
  command -v "$tool" >/dev/null || { echo "skipped: '$tool' is not installed"; exit 77; }
done

share=$(dirname "$(readlink -f "$(command -v yosys)")")/../share/yosys
case $device in
  ecp5*) cells=$SOURCE/boards/cells/ecp5.v ;;
  gw*) cells=$SOURCE/boards/cells/gowin.v ;;
  ccgm*) cells=$share/gatemate/cells_sim.v ;;
  *) cells=$share/ice40/cells_sim.v ;;
esac

# NAME: prints what the bench says of the netlist; with the data of the folder data_NAME if there is one.
compare() {
  local data=$SOURCE
  [ ! -d "$folder/data_$1" ] || data=$folder/data_$1
  mkdir -p "$folder/$1/rtl"
  cp "$here/comparisons.v" "$folder/$1/rtl"
  WEIR_DATA=$data WEIR_CACHE=$folder/cache "$BUILD/synthesize" "$device" "$folder/$1" comparisons
  sed 's/^module comparisons\b/module mapped/' "$folder/$1/netlist.v" >"$folder/$1/mapped.v"
  iverilog -g2012 -DNO_ICE40_DEFAULT_ASSIGNMENTS -s comparisons_bench -o "$folder/$1/bench.vvp" "$here/comparisons_bench.v" \
    "$here/comparisons.v" "$folder/$1/mapped.v" "$cells"
  vvp -n "$folder/$1/bench.vvp"
}

rm -rf "$folder"
mkdir -p "$folder"
[ "$(compare as_is | tail -1)" = equal ] || fail "the netlist for $device compares wrongly"
if [[ $device = gw* ]]; then
  mkdir -p "$folder/data_planted"
  cp -r "$SOURCE/boards" "$folder/data_planted"
  sed -i 's/assign X = .*/assign X = a ^ b;/' "$folder/data_planted/boards/cells/gowin_map.v"
  ! cmp -s "$SOURCE/boards/cells/gowin_map.v" "$folder/data_planted/boards/cells/gowin_map.v" || fail "no fault was planted"
  compare planted
  [ "$(compare planted | tail -1)" = different ] || fail "the planted fault is not found"
fi
