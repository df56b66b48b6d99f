#!/usr/bin/env bash
# Netlists with the models of boards/cells against the Verilog that they were made of, in Icarus on random stimulus: as Yosys wrote
# them (of ECP5), with registers absorbed and mended as by 'weir synth', and with planted faults, which must be found.
#
#   run.sh FAMILY FOLDER COUNT SEED...    ecp5 or gowin; COUNT random parts a seed (modules.c); faults are planted with the first
#                                         seed; BUILD is where the programs are
#
# Exit status: 0 equal, and all faults found; 77 a tool is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

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

# The first cell for which the condition CONDITION holds, changed by CHANGE.
first() {
  planted "$1" "(to_entries | map(select(.value | $2)) | .[0].key) as \$k | if \$k == null then . else .[\$k] |= ($3) end"
}

plant_ecp5() {
  first stage '.parameters.REG_OUTPUT_CLK == "CLK0" and .parameters.REG_PIPELINE_CLK == null' \
    '.parameters += {REG_PIPELINE_CLK: "CLK0", REG_PIPELINE_CE: "CE0", REG_PIPELINE_RST: "RST0"}'
  first enable '.parameters.REG_OUTPUT_CLK == "CLK0" and (.connections.CE0[0] | type) == "number"' '.connections.CE0 = ["1"]'
  first sign '.type == "MULT18X18D" and .connections.SIGNEDA == ["1"]' '.connections.SIGNEDA = ["0"]'
  first read '.parameters.REGMODE_A == "OUTREG" or .parameters.REGMODE_B == "OUTREG"' \
    '.parameters += {REGMODE_A: "NOREG", REGMODE_B: "NOREG"}'
  planted contents 'map_values(if .type == "DP16KD" then .parameters |= with_entries(if (.key | startswith("INITVAL_")) and
      (.value | test("1")) then .value |= sub("1$"; "0") else . end) else . end)'
}

plant_gowin() {
  first stage '.type | test("^S?[SD]P(X9)?B?$")' '.parameters.READ_MODE = "1"'
  first table '.type == "LUT3"' '.parameters.INIT |= (explode | .[0] = 97 - .[0] | implode)'
  # The sum of a single ALU may go nowhere: what begins a chain only brings a carry.
  planted carry '(to_entries | map(select(.value.type == "ALU").key) | .[:16]) as $some | with_entries(
    if .key as $k | $some | index($k) then .value.parameters.ALU_MODE = "00000000000000000000000000000011" else . end)'
  # That of one memory may be of no consequence: what is read while nobody waits for it.
  planted enable 'map_values(if (.connections.CEB[0] // .connections.CE[0] | type) == "number" and (.type | test("^S?[SD]P(X9)?B?$"))
    then (if .connections.CEB then .connections.CEB = ["1"] else .connections.CE = ["1"] end) else . end)'
  planted contents 'map_values(if .type | test("^S?[SD]P(X9)?B?$") then .parameters |= with_entries(if (.key | startswith("INIT_RAM")) and
      (.value | test("1")) then .value |= sub("1$"; "0") else . end) else . end)'
}

family=$1 folder=$2 count=$3 faults=
cells=$here/../../boards/cells/$family.v
case $family in
  ecp5) synthesize="synth_ecp5" device=ecp5-45k kinds="plain absorbed" ;;
  gowin)
    synthesize="synth_gowin -noiopads -top modules -run :map_gates; techmap -map +/techmap.v -map $here/../../boards/cells/gowin_map.v;
      synth_gowin -noiopads -run map_gates:" device=gw1nr-9 kinds=absorbed
    ;;
  *) fail "unknown family '$family'" ;;
esac
shift 3
mkdir -p "$folder"
for seed; do
  rm -rf "${folder:?}/$seed"
  mkdir -p "$folder/$seed"
  cd "$folder/$seed"
  "$BUILD/modules" "$seed" "$count" .
  TMPDIR=. yosys -q -l yosys.log -p "read_verilog modules.v; $synthesize -top modules; write_json plain.json" >/dev/null
  "$BUILD/absorb" $device plain.json absorbed.json
  "$BUILD/absorb" $device absorbed.json again.json | grep -q ' 0 flip-flops fewer' || fail "seed $seed: a second run finds more"
  cmp absorbed.json again.json || fail "seed $seed: a second run changes the netlist"
  for kind in $kinds; do
    simulate "$kind.json" | tee "$kind.txt"
    [ "$(tail -1 "$kind.txt")" = equal ] || fail "seed $seed: the netlist differs ($kind)"
  done
  if [ "$seed" = "$1" ]; then
    "plant_$family"
    [ "$(wc -w <<<"$faults")" -ge 4 ] || fail "only$faults were planted"
  fi
done
echo "equal; found:$faults"
