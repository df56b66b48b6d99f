#!/bin/sh
# malformed.sh: frames that are too short or too long. One frame comes out for every `last` that goes in, the damaged ones flagged, every
# other one right: in both simulators under all profiles, with one input and output and with several, and in a hostile bench of its
# own (malformed.v) with resets.
# test: seconds=900 cost=60
name=malformed
. "$(dirname "$0")/lib.sh"
need_tools verilator iverilog jq
conv=$E2E_SOURCE/tests/models/conv
stop= every=2

# bench FOLDER TOP [DEPENDS]: malformed.v on a compiled folder, whose ports are those that host.json names. DEPENDS has a bit an input, the first
# one lowest, for each output, the first one lowest; 1 with one of each.
bench() {
    jq -r --arg top "$2" 'def at($of; $more): [to_entries[] | .value as $s | .key as $k |
            ([range(4) | ["valid", "ready", "data", "last"][.] | ".\($s.stream)_\(.)(\($of)_\(.)[\($k)\(if . == "data" then "*`W +: \($s.lanes * $s.width)" else "" end)])"] | join(", ")) +
            ", .\($s[$more])(\($more)[\($k)\(if $more == "error_count" then "*8 +: 8" else "" end)])"] | join(", ");
        "module ports (input clk, rst, input [`INPUTS-1:0] s_valid, s_last, output [`INPUTS-1:0] s_ready, input [`INPUTS*`W-1:0] s_data,",
        "  output [`INPUTS*8-1:0] error_count, output [`OUTPUTS-1:0] m_valid, m_last, error, input [`OUTPUTS-1:0] m_ready, output [`OUTPUTS*`W-1:0] m_data);",
        "  \($top) u_top (.clk(clk), .rst(rst), " + (.head.outputs | at("s"; "error_count")) + ", " + (.tail.inputs | at("m"; "error")) + ");",
        "endmodule"' "$1/host.json" >ports.v
    macros=$(jq -r 'def all(f): "{" + ([reverse[] | "32'"'"'d\(f)"] | join(",")) + "}";
        def bits: .lanes * .width;
        .head.outputs as $s | .tail.inputs as $m |
        "-DINPUTS=\($s | length) -DOUTPUTS=\($m | length) -DW=\([$s[], $m[] | bits] | max) -DBEATS=\([$m[].beats] | max) -DSB=\($s | all(.beats)) " +
        "-DMB=\($m | all(.beats)) -DMW=\($m | all(bits)) -DMKEPT=\($m | all((.elements - (.beats - 1) * .lanes) * .width))"' "$1/host.json")
    # shellcheck disable=SC2086 # options
    (cd "$1/rtl" && iverilog -g2005 -o ../malformed.vvp -DSEED=7 -DWAIT=60000 -DEVERY=$every "-DDEPENDS=${3-1}" $stop $macros "$E2E_SOURCE/tests/e2e/malformed.v" \
        ../../ports.v ./*.v && vvp -n ../malformed.vvp)
}

# The waveform of rtl/README.md is what a simulator draws.
(cd "$E2E_SOURCE/rtl/stream" && iverilog -g2005 -o "$work/frames.vvp" "$E2E_SOURCE/tests/e2e/frames.v" weir_frame_guard.v \
    weir_frame_flags.v weir_register_slice.v) && vvp -n frames.vvp >drawn
sed -n '/^```text$/,/^```$/p' "$E2E_SOURCE/rtl/README.md" | sed '/^```/d' >shown
cmp -s drawn shown || fail "rtl/README.md shows another waveform: $(diff shown drawn)"
sed 's/#/_/' drawn | cmp -s - shown && fail "a planted change of the waveform is not seen"

# Lanes that do not divide the frame, a window that does not need the end of its input, small designs.
for model in $(! is_night || echo autoencoder_qdq line_qdq); do
    weir compile "$conv/$model.onnx" -o "$model" --max-macs 200 >/dev/null || fail "compile $model"
    expect 0 "^done [0-9]{3} frames, 0 failures" bench "$model" "$model"
    every=3 # the second has long frames
done
every=2

# Both simulators, all profiles.
! is_night ||
    expect 0 "malformed runs: of 10 frames [0-9]+ too short or too long" \
        weir check "$models/mlp_residual_qdq.onnx" -d "$test_data" -n 10 --debug-frames 0 -p all --malformed

# Several inputs that belong together, outputs that depend on some of them each, frames of a single beat.
cat >doors.weir <<'EOF'
weir 1
graph "doors" from "doors.onnx"
input %a : float32[1,6]
input %b : float32[1,6]
input %c : float32[1,6]
input %d : float32[1,1]
input %e : float32[1,1]
add_1: %p = Add(%a, %b)
    : float32[1,6]
add_2: %q = Add(%b, %c)
    : float32[1,6]
add_3: %r = Add(%d, %e)
    : float32[1,1]
output p = %p
output q = %q
output r = %r
EOF
printf 'PK\005\006\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >doors.npz # no constants
awk 'BEGIN { for (i = 0; i < 24; i++) for (j = 0; j < 6; j++) printf "%.4f%s", (i * 29 + j * 17) % 41 / 8 - 2.5, j < 5 ? "," : "\n" }' >wide.csv
sed 's/,.*//' wide.csv >one.csv
data=a=wide.csv,b=wide.csv,c=wide.csv,d=one.csv,e=one.csv
weir compile doors.weir -q int8 -c "$data" --target-interval 16 -o doors >/dev/null || fail "compile doors"
expect 0 "^done [0-9]{3} frames, 0 failures" bench doors doors "15'b11000_00110_00011"
expect 0 "FAIL error: port 1" bench doors doors "15'b11000_00111_00011" # planted: an output that is said to depend on one more
expect 0 "malformed runs: of 24 frames [0-9]+ too short or too long" weir sim doors -d "$data" --debug-frames 0 -p all --malformed

# planted WHAT MODULE EXPRESSION: a fault in a door must be found by both.
weir compile "$conv/autoencoder_qdq.onnx" -o planted >/dev/null
planted() {
    what=$1 file=planted/rtl/$2.v
    cp "$file" good.v
    sed -i "$3" "$file"
    ! cmp -s good.v "$file" || fail "planted nothing: $what"
    expect 3 "malformed: |damaged frames counted" weir sim planted -d "$conv/autoencoder_qdq.npz" -n 10 --malformed --simulator icarus
    stop=-DSTOP # with the first failure
    bench planted autoencoder_qdq >output 2>&1 || true
    stop=
    ! grep -q ", 0 failures" output || fail "the bench does not see: $what"
    cp good.v "$file"
}
planted "a short frame ends early" weir_frame_guard 's/ends ? at_end \&\& /ends ? /'
if is_night; then
    planted "no flag" weir_frame_flags 's/s_last \&\& |flag/1'"'"'b0/'
    planted "a long frame runs on" weir_frame_guard 's/s_last \&\& !held : /!held : /'
    planted "the newest flag" weir_frame_flags 's/|(flags & others_q)/flags[0]/'
    planted "good frames are counted" weir_frame_guard 's/if (done \&\& damaged_q)/if (done)/'
fi
finish
