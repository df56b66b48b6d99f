#!/bin/sh
# Convolutional and binary networks fit the devices of the table of toolchain/synth/RESULTS.md, and their netlists compute the reference's values.
# test: seconds=36000 cost=90 processors=2 label=nightly
name=synth_networks
. "$(dirname "$0")/lib.sh"
need_tools yosys iverilog vvp jq
status=0
"$E2E_SOURCE/scripts/networks" --weir "$WEIR" >networks.txt || status=$?
cat networks.txt
[ $status != 77 ] || exit 77
[ $status = 0 ] || fail "exit status $status"
is_right() { grep -Eq "netlists: 0 of [1-9][0-9]* values wrong" "$1"; }
is_right networks.txt || fail "a netlist is wrong, or none was simulated"
sed 's/netlists: 0/netlists: 3/' networks.txt >planted.txt
is_right planted.txt && fail "wrong values go unseen"
grep -q "failed" networks.txt && fail "a network was not placed"
finish
