#!/bin/sh
# endless.sh: hardware that gives one result for ever and never another one ends the simulation as a deadlock, in both simulators.
# test: seconds=120 label=nightly
name=endless
. "$(dirname "$0")/lib.sh"
need_tools verilator iverilog

cat >two.weir <<'EOW'
weir 1
graph "two" from "two.onnx"
input %x : float32[1,2,3]
add: %y = Add(%x, %x)
    : float32[1,2,3]
max: %m = GlobalMaxPool(%y)
    : float32[1,2,1]
output y = %y
output m = %m
EOW
printf 'PK\005\006\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >two.npz # no constants
awk 'BEGIN { for (i = 0; i < 8; i++) for (j = 0; j < 6; j++) printf "%.4f%s", (i * 29 + j * 17) % 41 / 8 - 2.5, j < 5 ? "," : "\n" }' >two.csv
weir compile two.weir -q int8 -c two.csv -o two >/dev/null || fail "compile two"
expect 0 " 0 of 64 " weir sim two -d two.csv --simulator icarus
cp two/rtl/two.v good.v
sed -i "s/\.m_valid(m_[ym]_valid)/.m_valid()/; s/^endmodule/  assign m_y_valid = 1'b1;\n  assign m_m_valid = 1'b0;\nendmodule/" two/rtl/two.v
! cmp -s good.v two/rtl/two.v || fail "planted nothing"
for simulator in icarus verilator; do
    expect 3 "$simulator always: deadlock" timeout 60 "$WEIR" sim two -d two.csv --simulator $simulator --debug-frames 0
done
finish
