#!/bin/sh
# bringup_layers.sh: results are wrong, and a debug build that bring-up makes by itself names the layer; or it is right, and says where else to look.
# test: name=bringup_layers seconds=900 cost=20
name=bringup_layers
. "$(dirname "$0")/lib.sh"
need_tools verilator jq

# The options of bringup.sh: one build of the simulator serves both.
expect 0 "" weir board build "$models/mlp_qdq.onnx" --board icebreaker --sources --benchmark --clock 12 -o board
flip() { awk 'NR == 1 { c = substr($0, 1, 1); $0 = (c == "0" ? "8" : "0") substr($0, 2) } { print }' "$1" >flipped && mv flipped "$1"; }
# names VERDICT LAYER FOLDER: of a bring-up of this folder that is red at a frame; LAYER as in the report.
names() {
    expect "${status_of:-3}" "^  verdict +$1" weir bringup "$3" --sim -d "$test_data" -n 24 --json report.json
    jq -e --arg layer "$2" '.debug.report.layer == (if $layer == "" then null else $layer end)' report.json >/dev/null ||
        fail "$2 is not named: $(jq -c .debug report.json)"
}

# A weight that is wrong in this bitstream alone, then in the design: the same model, whose reference is another.
flip board/rtl/fc3_weights.hex
names "the debug build is right: look at the first bitstream, its placement or its parameters" "" board
[ -d board-debug ] || fail "the debug build is not there"
flip board/design/rtl/fc3_weights.hex
names "the layer is named above" "layer 'fc3'" board
grep -q "RED  layers  *expected 10 beats of layer 'fc3', CRC [0-9a-f]* of byte 0" output || fail "the rung: $(cat output)"
expect 3 "RED  layers" weir bringup board-debug --sim -d "$test_data" -n 1
expect 2 "'board' is already built: --debug would have no effect" weir bringup board --sim --debug -d "$test_data"
jq '.[0].valid = 1' board/design/tb_debug/taps.json >taps.json && mv taps.json board/design/tb_debug/taps.json
expect 1 "taps.json:1: error: expected the streams of a compiled design" weir board build board/design --board icebreaker --debug --sources -o other

# --- in its logic: of the design, which both builds have, or of the first build alone ---
plant() { # TEXT ... behind the ports of each file
    for file in "$@"; do
        awk -v text="$fault" '{ print } /^\);/ && !done { print text; done = 1 }' "$file" >planted && mv planted "$file"
    done
}
if is_night; then
    expect 0 "" weir board build "$models/mlp_qdq.onnx" --board icebreaker --sources --clock 12 -o stuck
    sed -i '0,/\.m_data *(m_data),/s//.m_data(m_data | 8'"'"'d1),/' stuck/rtl/weir_board.v
    names "the debug build is right" "" stuck

    expect 0 "" weir board build "$models/mlp_qdq.onnx" --board icebreaker --sources --clock 12 -o late
    fault="reg [13:0] late_q; always @(posedge clk) if (rst) late_q <= 14'd0; else if (!late_q[13]) late_q <= late_q + 14'd1;"
    plant late/rtl/mlp_qdq.v late/design/rtl/mlp_qdq.v
    sed -i '/^  ) u_fc2 (/,/);/s/\.rst *(rst)/.rst(rst || !late_q[13])/' late/rtl/mlp_qdq.v late/design/rtl/mlp_qdq.v
    grep -q 'late_q\[13\])' late/rtl/mlp_qdq.v || fail "planted nothing"
    status_of=5 # it hangs
    names "the layer is named above" "layer 'fc2'" late

    expect 0 "" weir board build "$models/mlp_residual_qdq.onnx" --board icebreaker --sources --clock 12 -o lossy
    fault="reg [7:0] moved_q; always @(posedge clk) if (rst) moved_q <= 8'd0; else if (fc1_requantize_fork_valid[1] && fc1_requantize_fork_ready[1]) moved_q <= moved_q + 8'd1;"
    for file in lossy/rtl/mlp_residual_qdq.v lossy/design/rtl/mlp_residual_qdq.v; do
        awk -v text="$fault" '{ print } /^  wire .*fc1_requantize_fork_last/ && !done { print text; done = 1 }' $file >planted && mv planted $file
        sed -i '/^  ) u_fc1_requantize_fork_fifo (/,/);/s/\.s_valid(\(.*\)),$/.s_valid(\1 \&\& moved_q != 8'"'"'d5),/' $file
        grep -q "moved_q != 8'd5" $file || fail "planted nothing"
    done
    names "the layer is named above" "layer 'fc1_requantize_fork_fifo'" lossy
fi
finish
