#!/usr/bin/env bash
# Netlists of ECP5 with boards/cells/ecp5.v against the Verilog that they were made of, in Icarus on random stimulus: as Yosys wrote
# them, with registers absorbed, and with planted faults, which must be found.
#
#   run.sh FOLDER COUNT SEED...    COUNT random parts a seed (modules.c); BUILD is where the programs are
#
# Exit status: 0 equal, and all faults found; 77 a tool is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cells=$here/../../boards/cells/ecp5.v

fail() {
  echo "run.sh: error: $*" >&2
  exit 1
}

for tool in yosys iverilog vvp jq; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: '$tool' is not installed"
    exit 77
  fi
done

# JSON: prints "equal", or the first differences.
simulate() {
  yosys -q -p "read_json $1; rename modules mapped; opt_clean; splitnets; write_verilog -noattr $1.v"
  iverilog -g2012 -o "$1.vvp" -s bench bench.v modules.v "$1.v" "$cells"
  timeout 300 vvp -n "$1.vvp"
}

# NAME FILTER: the absorbed netlist, changed by the jq filter on the cells, must differ.
planted() {
  local found
  jq "(.modules.modules.cells) |= ($2)" absorbed.json >"planted_$1.json"
  if cmp -s <(jq . absorbed.json) "planted_$1.json"; then
    echo "  no place to plant: $1"
    return
  fi
  found=$(simulate "planted_$1.json" | tail -1)
  [ "$found" = different ] || fail "seed $seed: the planted fault is not found: $1"
  faults="$faults $1"
}

folder=$1 count=$2 faults=
shift 2
mkdir -p "$folder"
for seed; do
  rm -rf "${folder:?}/$seed"
  mkdir -p "$folder/$seed"
  cd "$folder/$seed"
  "$BUILD/modules" "$seed" "$count" .
  TMPDIR=. yosys -q -l yosys.log -p "read_verilog modules.v; synth_ecp5 -top modules; write_json plain.json" >/dev/null
  "$BUILD/absorb" ecp5-45k plain.json absorbed.json
  "$BUILD/absorb" ecp5-45k absorbed.json again.json | grep -q ' 0 flip-flops fewer' || fail "seed $seed: a second run finds more"
  cmp absorbed.json again.json || fail "seed $seed: a second run changes the netlist"
  for kind in plain absorbed; do
    simulate "$kind.json" | tee "$kind.txt"
    [ "$(tail -1 "$kind.txt")" = equal ] || fail "seed $seed: the netlist differs ($kind)"
  done
  if [ "$seed" = 1 ]; then
    first='def first_of(f): (to_entries | map(select(.value | f)) | .[0].key) as $k | if $k == null then null else $k end;'
    planted stage "$first first_of(.parameters.REG_OUTPUT_CLK == \"CLK0\" and .parameters.REG_PIPELINE_CLK == null) as \$k |
      if \$k == null then . else .[\$k].parameters += {REG_PIPELINE_CLK: \"CLK0\", REG_PIPELINE_CE: \"CE0\", REG_PIPELINE_RST: \"RST0\"} end"
    planted enable "$first first_of(.parameters.REG_OUTPUT_CLK == \"CLK0\" and (.connections.CE0[0] | type) == \"number\") as \$k |
      if \$k == null then . else .[\$k].connections.CE0 = [\"1\"] end"
    planted sign "$first first_of(.type == \"MULT18X18D\" and .connections.SIGNEDA == [\"1\"]) as \$k |
      if \$k == null then . else .[\$k].connections.SIGNEDA = [\"0\"] end"
    planted read "$first first_of(.parameters.REGMODE_A == \"OUTREG\" or .parameters.REGMODE_B == \"OUTREG\") as \$k |
      if \$k == null then . else .[\$k].parameters += {REGMODE_A: \"NOREG\", REGMODE_B: \"NOREG\"} end"
    planted contents 'map_values(if .type == "DP16KD" then .parameters |= with_entries(if (.key | startswith("INITVAL_")) and
      (.value | test("1")) then .value |= sub("1$"; "0") else . end) else . end)'
    [ "$(wc -w <<<"$faults")" -ge 4 ] || fail "only$faults were planted"
  fi
done
echo "equal; found:$faults"
