#!/usr/bin/env bash
# A register that mapping drops has no partner in the netlist. Functions whose logic has it are proved where their values do not depend
# on it, different ones are noticed, and what does depend on it stays open.
#
#   unmatched.sh FOLDER    BUILD is where 'prove' is
#
# Exit status: 0 as expected; 77 a tool is missing.
set -euo pipefail

folder=$1
for tool in yosys yosys-abc jq; do
  command -v "$tool" >/dev/null || { echo "skipped: '$tool' is not installed"; exit 77; }
done
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

# The design before mapping: `dropped` is masked on each path to y, and not on that to z if MASK is 0.
design() {
  cat >design.v <<END
module design(input clk, input a, b, c, output y, output z);
  reg dropped = 0, kept = 0;
  always @(posedge clk) begin dropped <= c; kept <= kept ^ a; end
  wire masked = (dropped & a) & (b & ~a);
  assign y = kept ^ (b & c) ^ masked;
  assign z = $1 ? kept & masked : dropped & b;
endmodule
END
  yosys -q -p 'read_verilog design.v; proc; write_rtlil unmapped.il'
}

# The netlist, without the register.
netlist() {
  cat >netlist.v <<END
module design(input clk, input a, b, c, output y, output z);
  reg kept = 0;
  always @(posedge clk) kept <= kept ^ a;
  assign y = $1;
  assign z = 0;
endmodule
END
  TMPDIR=. yosys -q -p 'read_verilog netlist.v; synth_ice40 -noabc -top design; write_json mapped.json'
}

# expect WHAT FILTER: of what the proof says.
expect() {
  "$BUILD/prove" ice40hx8k . design >proof.json
  jq -e "$2" proof.json >/dev/null || { echo "unmatched.sh: error: $1: $(cat proof.json)" >&2; exit 1; }
  echo "$1: $(jq -r '.status + ", " + (.functions_equal | tostring) + " of " + (.functions | tostring)' proof.json)"
}

design 1
netlist 'kept ^ (b & c)'
expect "masked" '.status == "proved" and .registers == 2 and .registers_matched == 1 and .functions == .functions_equal'
netlist 'kept ^ (b | c)'
expect "a planted fault behind the mask" '.status == "different" and .different == ["y[0]"]'
design 0
netlist 'kept ^ (b & c)'
expect "not masked" '.status == "open" and .open == ["z[0]"]'
