#!/usr/bin/env bash
# The int8 digits network as real hardware: an iCE40 UP5K, by 'weir synth'.
#
#   flow.sh synthesize WORK         compile to WORK/design, synthesize to WORK/out: every product in a DSP, weights in block RAM
#   flow.sh place WORK              place with seed 1; the report goes to WORK/place.json; toolchain/synth/RESULTS.md has these figures
#   flow.sh row WORK                the row of figures that the page's table shall have, after 'place'
#   flow.sh simulate WORK [FRAMES]  the netlist against the reference (2 frames, with WEIR_NIGHTLY 20); the report goes to WORK/netlist.json
#   flow.sh estimate WORK           what is estimated beforehand against what was synthesized
#   flow.sh planted WORK            the same with one weight bit of the netlist flipped: must be found
#   flow.sh too_large WORK          a device that lacks room: exit status 1 before nextpnr, 0 with a warning where it is not placed
#   flow.sh options WORK            what 'weir sim --netlist' refuses; needs no tools
#
# WEIR is the command to use. Exit status as weir's (3: the hardware disagrees), 1: a promise is broken, 77: a tool is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_folder=$(cd "$here/../.." && pwd)
digits=$source_folder/tests/models/digits
export WEIR_DATA=${WEIR_DATA:-$source_folder}

fail() {
  echo "flow.sh: error: $*" >&2
  exit 1
}

need() {
  local tool
  for tool in "$@"; do
    if ! command -v "$tool" >/dev/null; then
      echo "skipped: '$tool' is not installed"
      exit 77
    fi
  done
}

synthesize() {
  need yosys jq
  mkdir -p "$work"
  "$weir" compile "$digits/mlp_qdq.onnx" -o "$work/design" --folding "$here/up5k.yaml" --device ice40up5k
  "$weir" synth "$work/design" --frames 0 -o "$work/out" --json "$work/synthesis.json"
  check_mapping
}

# Every product in a DSP block, every weight memory in block RAM.
check_mapping() {
  local multipliers dsps rom net=$work/out/netlist.json
  multipliers=$(jq '[.modules[].cells[] | select(.type | test("weir_mul$"))] | length' "$net")
  dsps=$(jq .utilization.multipliers.used "$work/synthesis.json")
  [ "$multipliers" = "$dsps" ] || fail "$multipliers multipliers, but $dsps DSP blocks"
  for rom in fc1 fc2 fc3; do
    jq -e --arg rom "u_${rom}_weights" '[.modules.mlp_qdq.cells | to_entries[] |
      select(.value.type == "SB_RAM40_4K" and (.key | startswith($rom)))] | length > 0' "$net" >/dev/null ||
      fail "the weights of '$rom' are not in block RAM"
  done
}

# With commas as RESULTS.md has them: 1,939.
row() {
  jq -r 'def commas: tostring | explode | reverse | [range(length) as $i | (if $i > 0 and $i % 3 == 0 then 44 else empty end), .[$i]] |
      reverse | implode;
    .placement.utilization as $u | def of(k): "\($u[k].used | commas) of \($u[k].available | commas)";
    "| \(of("ICESTORM_LC")) | \(of("ICESTORM_RAM")) | \(of("ICESTORM_DSP")) | \(.fmax_mhz * 10 | round / 10) MHz | " +
    "\(.interval | commas) | \(.inferences_per_second | round | commas) |"' "$work/place.json"
}

# has PAGE ROW: the row, with a clock within a seventh: nextpnr places by sums of floating-point numbers, which differ from processor to processor.
has() {
  awk -F' *[|] *' -v row="$2" 'BEGIN { split(row, want) }
    $2 == want[2] && $3 == want[3] && $4 == want[4] && $6 == want[6] && $5 ~ / MHz$/ { ratio = $5 / want[5]; found = found || (ratio > 0.86 && ratio < 1.14) }
    END { exit !found }' "$1"
}

# The page's figures are those of seed 1 in the distribution's nextpnr.
check_page() {
  local figures page=$source_folder/toolchain/synth/RESULTS.md
  nextpnr-ice40 --version 2>&1 | grep -q ' 0\.4' || return 0
  figures=$(row)
  has "$page" "$figures" || fail "RESULTS.md has other figures than: $figures"
  sed 's/ MHz/ GHz/' "$page" >"$work/planted.md"
  ! has "$work/planted.md" "$figures" || fail "wrong figures in RESULTS.md are not found"
}

place() {
  need yosys nextpnr-ice40 jq
  "$weir" synth "$work/design" --frames 0 --place --seeds 1 -o "$work/out" --json "$work/place.json"
  check_page
}

# KEY PER-CENT
near() {
  local guess count off
  guess=$(jq ".estimate.resources.$1.used" "$work/synthesis.json")
  count=$(jq ".utilization.$1.used" "$work/synthesis.json")
  off=$((guess > count ? guess - count : count - guess))
  echo "$1: $guess estimated, $count synthesized"
  [ $((off * 100)) -le $((count * $2)) ] || fail "$1: off by more than $2 %"
}

estimate() {
  need jq
  near luts 40
  near flip_flops 15
  near multipliers 0
  near memory_blocks 0
}

simulate() {
  need yosys iverilog vvp
  "$weir" synth "$work/design" --frames "$1" --data "$digits/digits_test.npz" --json "$work/netlist.json"
}

# Flips bit 14 of the first word of fc3's memory: the sign of weight 0 of output 0.
plant() {
  awk '
    NR == FNR { if (/\.INIT_0\(/) init = FNR; if (/^ *\) \\u_fc3_weights\.[^ ]*\.mem\./) { line = init }; next }
    FNR == line {
      at = match($0, /[0-9a-f][0-9a-f][0-9a-f][0-9a-f]\)/)
      digit = index("0123456789abcdef", substr($0, at, 1)) - 1
      digit += int(digit / 4) % 2 ? -4 : 4
      $0 = substr($0, 1, at - 1) substr("0123456789abcdef", digit + 1, 1) substr($0, at + 1)
    }
    { print }' "$1" "$1"
}

planted() {
  local status=0
  need yosys iverilog vvp
  plant "$work/out/netlist.v" >"$work/planted.v"
  [ "$(diff "$work/out/netlist.v" "$work/planted.v" | grep -c '^>')" = 1 ] || fail "no fault was planted"
  "$weir" sim "$work/design" --netlist "$work/planted.v" --simulator icarus --frames 1 \
    --data "$digits/digits_test.npz" || status=$?
  [ "$status" = 3 ] || fail "the planted fault gave exit status $status, expected 3"
}

# EXPECTED-TEXT OPTIONS: a misuse of 'weir sim' with exit status 2 and that text.
refused() {
  local text=$1 status=0
  shift
  "$weir" sim "$work/design" --data "$digits/digits_test.npz" "$@" 2>"$work/refused.txt" || status=$?
  [ "$status" = 2 ] || fail "exit status $status, expected 2: $*"
  grep -qF -- "$text" "$work/refused.txt" || fail "expected '$text', found: $(cat "$work/refused.txt")"
}

too_large() {
  local status=0 note="error: the netlist does not fit ice40up5k: [0-9]* LUTs of 100, [0-9]* too many"
  need yosys nextpnr-ice40
  sed 's/count: 5280/count: 100/' "$source_folder/boards/devices/ice40up5k.yaml" >"$work/small.yaml"
  ! cmp -s "$source_folder/boards/devices/ice40up5k.yaml" "$work/small.yaml" || fail "the device was not made smaller"
  "$weir" synth "$work/design" --device "$work/small.yaml" --frames 0 --place >"$work/large.txt" 2>&1 || status=$?
  [ "$status" = 1 ] || fail "exit status $status where there is no room, expected 1: $(cat "$work/large.txt")"
  grep -q "$note" "$work/large.txt" || fail "expected '$note', found: $(cat "$work/large.txt")"
  ! grep -q 'exit status\|placed by' "$work/large.txt" || fail "nextpnr was started: $(cat "$work/large.txt")"
  "$weir" synth "$work/design" --device "$work/small.yaml" --frames 0 >"$work/large.txt" 2>&1 || fail "a design that is not placed is refused"
  grep -q "${note/error/warning}" "$work/large.txt" || fail "no warning: $(cat "$work/large.txt")"
}

options() {
  refused "--netlist cannot be combined with --debug-frames" --netlist net.v --simulator icarus --debug-frames 1
  refused "--cells needs --netlist" --cells cells.v --simulator icarus
}

[ $# -ge 2 ] || fail "usage: flow.sh synthesize|place|row|estimate|simulate|planted|too_large|options WORK [NUMBER]"
weir=${WEIR:-$source_folder/build/toolchain/cli/weir}
mkdir -p "$2"
work=$(cd "$2" && pwd)
case $1 in
  synthesize) synthesize ;;
  place) place ;;
  row) row ;;
  simulate) frames=${WEIR_NIGHTLY:+20} && simulate "${3:-${frames:-2}}" ;;
  estimate) estimate ;;
  planted) planted ;;
  too_large) too_large ;;
  options) options ;;
  *) fail "unknown step '$1'" ;;
esac
