#!/usr/bin/env bash
# The int8 digits network as real hardware: an iCE40 UP5K, with Yosys and nextpnr.
#
#   flow.sh synthesize WORK         compile to WORK/design, synthesize to WORK/net.json and WORK/net.v
#   flow.sh place WORK [SEED]       place and route; the report goes to WORK/place_SEED.json; prints one line of figures
#   flow.sh simulate WORK [FRAMES]  the netlist in Icarus against the reference (5 frames, with WEIR_NIGHTLY 20); the report goes to WORK/netlist.json
#   flow.sh estimate WORK           what 'weir compile --device' says beforehand against what was synthesized
#   flow.sh planted WORK            the same with one weight bit of the netlist flipped: must be found
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

cells_of_yosys() {
  echo "$(dirname "$(readlink -f "$(command -v yosys)")")/../share/yosys/ice40/cells_sim.v"
}

# ABC inside Yosys cannot open files in a folder whose name has a blank: TMPDIR is the folder at hand.
# Nets are split into bits for the netlist in Verilog: Icarus simulates vectors whose bits have many drivers 3 times slower.
synthesize() {
  need yosys
  mkdir -p "$work"
  "$weir" compile "$digits/mlp_qdq.onnx" -o "$work/design" --folding "$here/up5k.yaml" --device ice40up5k
  (cd "$work/design/rtl" && TMPDIR=. yosys -q -l ../../yosys.log -p "
    read_verilog *.v
    synth_ice40 -dsp -top mlp_qdq
    check -assert
    write_json ../../net.json
    splitnets
    write_verilog -noattr ../../net.v")
}

# Every product in a DSP block, every weight memory in block RAM.
check_mapping() {
  local report=$1 multipliers dsps rom
  multipliers=$(jq '[.modules[].cells[] | select(.type | test("weir_mul$"))] | length' "$work/net.json")
  dsps=$(jq .utilization.ICESTORM_DSP.used "$report")
  [ "$multipliers" = "$dsps" ] || fail "$multipliers multipliers, but $dsps DSP blocks"
  for rom in fc1 fc2 fc3; do
    jq -e --arg rom "u_${rom}_weights" '[.modules.mlp_qdq.cells | to_entries[] |
      select(.value.type == "SB_RAM40_4K" and (.key | startswith($rom)))] | length > 0' "$work/net.json" >/dev/null ||
      fail "the weights of '$rom' are not in block RAM"
  done
}

# FILE REPORT: does the file tell the figures of the report, in a row of a table? A frame takes 1,024 cycles.
told() {
  local pattern
  pattern=$(jq -r '.utilization as $u | def of(k): "\($u[k].used) of \($u[k].available)"; ([.fmax[].achieved] | min) as $mhz |
    "| \(of("ICESTORM_LC")) | \(of("ICESTORM_RAM")) | \(of("ICESTORM_DSP")) | \($u.SB_IO.used) of [0-9]* | " +
    "\($mhz * 10 | round / 10) MHz | 1024 | \($mhz * 1e6 / 1024 | round) |"' "$2")
  tr -d , <"$1" | grep -q -e "$pattern"
}

# The README's figures are those of seed 1 in the distribution's nextpnr.
check_readme() {
  nextpnr-ice40 --version 2>&1 | grep -q ' 0\.4' || return 0
  told "$source_folder/README.md" "$1" || fail "README.md has other figures"
  sed 's/ MHz/ GHz/' "$source_folder/README.md" >"$work/planted.md"
  ! told "$work/planted.md" "$1" || fail "wrong figures in README.md are not found"
}

place() {
  local seed=$1 report=$work/place_$1.json
  need nextpnr-ice40 jq
  nextpnr-ice40 --quiet --up5k --package sg48 --seed "$seed" --json "$work/net.json" --report "$report" \
    --asc "$work/place_$seed.asc" --log "$work/nextpnr_$seed.log" 2>"$work/nextpnr_$seed.messages" || {
    cat "$work/nextpnr_$seed.messages" >&2
    fail "nextpnr-ice40 failed with seed $seed"
  }
  jq -r --arg seed "$seed" '.utilization as $u | def of(k): "\($u[k].used) of \($u[k].available)";
    "seed \($seed): \(of("ICESTORM_LC")) logic cells, \(of("ICESTORM_RAM")) block RAMs, \(of("ICESTORM_DSP")) DSPs, " +
    "\($u.SB_IO.used) pins, \([.fmax[].achieved] | min * 100 | round / 100) MHz"' "$report"
  check_mapping "$report"
  [ "$seed" != 1 ] || check_readme "$report"
}

# NAME ESTIMATED COUNTED PER-CENT
near() {
  local off=$(($2 > $3 ? $2 - $3 : $3 - $2))
  echo "$1: $2 estimated, $3 synthesized"
  [ $((off * 100)) -le $(($3 * $4)) ] || fail "$1: off by more than $4 %"
}

estimate() {
  need jq
  local counted
  "$weir" compile "$digits/mlp_qdq.onnx" -o "$work/estimated" --folding "$here/up5k.yaml" --device ice40up5k \
    --json "$work/estimate.json" >"$work/estimate.txt"
  counted=$(jq '[.modules | to_entries | (map({(.key): [.value.cells[].type]}) | add) as $m |
    def cells(n): $m[n][] | if $m[.] != null and (startswith("SB_") | not) then cells(.) else . end; cells("mlp_qdq")] |
    {luts: (map(select(. == "SB_LUT4")) | length), flip_flops: (map(select(startswith("SB_DFF"))) | length),
     multipliers: (map(select(. == "SB_MAC16")) | length), memory_blocks: (map(select(. == "SB_RAM40_4K")) | length)}' "$work/net.json")
  estimated() { jq ".resources.$1.used" "$work/estimate.json"; }
  near "lookup tables" "$(estimated luts)" "$(jq .luts <<<"$counted")" 40
  near "flip-flops" "$(estimated flip_flops)" "$(jq .flip_flops <<<"$counted")" 15
  near "multipliers" "$(estimated multipliers)" "$(jq .multipliers <<<"$counted")" 0
  near "memory blocks" "$(estimated memory_blocks)" "$(jq .memory_blocks <<<"$counted")" 0
}

# FRAMES NETLIST REPORT [DESIGN]
simulate() {
  need yosys iverilog vvp
  "$weir" sim "${4:-$work/design}" --netlist "$2" --cells "$(cells_of_yosys)" --simulator icarus --frames "${1:-5}" \
    --data "$digits/digits_test.npz" --json "$3"
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
  rm -rf "$work/planted"
  plant "$work/net.v" >"$work/planted.v"
  [ "$(diff "$work/net.v" "$work/planted.v" | grep -c '^>')" = 1 ] || fail "no fault was planted"
  cp -r "$work/design" "$work/planted" # a folder holds the files of one run at a time
  simulate 3 "$work/planted.v" "$work/planted.json" "$work/planted" || status=$?
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

options() {
  refused "--netlist needs --simulator icarus" --netlist net.v
  refused "--netlist needs --simulator icarus" --netlist net.v --simulator verilator
  refused "--netlist cannot be combined with --debug-frames" --netlist net.v --simulator icarus --debug-frames 1
  refused "--cells needs --netlist" --cells cells.v --simulator icarus
}

[ $# -ge 2 ] || fail "usage: flow.sh synthesize|place|estimate|simulate|planted|options WORK [NUMBER]"
weir=${WEIR:-$source_folder/build/toolchain/cli/weir}
mkdir -p "$2"
work=$(cd "$2" && pwd)
case $1 in
  synthesize) synthesize ;;
  place) place "${3:-1}" ;;
  simulate) simulate "${3:-${WEIR_NIGHTLY:+20}}" "$work/net.v" "$work/netlist.json" ;;
  estimate) estimate ;;
  planted) planted ;;
  options) options ;;
  *) fail "unknown step '$1'" ;;
esac
