#!/bin/sh
# Every dialect of the digits and jet networks meets the clock goal of each device that can be placed, at three foldings.
# test: seconds=36000 cost=90 processors=2 label=nightly
name=synth_goals
. "$(dirname "$0")/lib.sh"
need_tools yosys jq
status=0
"$E2E_SOURCE/scripts/goals" --weir "$WEIR" --check || status=$?
[ $status != 77 ] || exit 77
[ $status = 0 ] || fail "a goal is missed, or a netlist is wrong"
# Planted: a clock that nothing reaches.
status=0
"$E2E_SOURCE/scripts/goals" --weir "$WEIR" --check --clock 999 --seeds 1 --only "jet_qdq smallest ice40hx8k" >planted.txt || status=$?
[ $status = 1 ] && grep -q "missed: jet_qdq smallest ice40hx8k: [0-9.]* of 999 MHz" planted.txt || { cat planted.txt; fail "a missed goal is not found"; }
finish
