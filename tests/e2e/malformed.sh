#!/bin/sh
# malformed.sh: frames that are too short or too long. One frame comes out for every `last` that goes in, the damaged ones flagged, every
# other one right: in both simulators under all profiles, with one input and output and with several, and in a hostile bench of its
# own (malformed.v) with resets.
# test: seconds=900 cost=60
name=malformed
. "$(dirname "$0")/lib.sh"
need_tools verilator iverilog
conv=$E2E_SOURCE/tests/models/conv

# number FOLDER KEY SIDE: of the input (1) or the output (2) of a design with one of each.
number() { sed -n "s/.*\"$2\": \([0-9]*\).*/\1/p" "$1/host.json" | sed -n "$3p"; }

# bench FOLDER TOP: malformed.v on a compiled folder.
bench() {
    mw=$(($(number "$1" lanes 2) * $(number "$1" width 2)))
    mb=$(number "$1" beats 2)
    kept=$((($(number "$1" elements 2) - (mb - 1) * $(number "$1" lanes 2)) * $(number "$1" width 2)))
    (cd "$1/rtl" && iverilog -g2005 -o ../malformed.vvp -DTOP="$2" -DSEED=7 -DWAIT=5000 \
        -DSW=$(($(number "$work/$1" lanes 1) * $(number "$work/$1" width 1))) -DSB="$(number "$work/$1" beats 1)" \
        -DMW="$mw" -DMB="$mb" -DMMASK="({$mw{1'b1}} >> $((mw - kept)))" "$E2E_SOURCE/tests/e2e/malformed.v" ./*.v &&
        vvp -n ../malformed.vvp)
}

# The waveform of rtl/README.md is what a simulator draws.
(cd "$E2E_SOURCE/rtl/stream" && iverilog -g2005 -o "$work/frames.vvp" "$E2E_SOURCE/tests/e2e/frames.v" weir_frame_guard.v \
    weir_frame_flags.v weir_register_slice.v) && vvp -n frames.vvp >drawn
sed -n '/^```text$/,/^```$/p' "$E2E_SOURCE/rtl/README.md" | sed '/^```/d' >shown
cmp -s drawn shown || fail "rtl/README.md shows another waveform: $(diff shown drawn)"
sed 's/#/_/' drawn | cmp -s - shown && fail "a planted change of the waveform is not seen"

# Lanes that do not divide the frame, a window that does not need the end of its input, small designs.
for model in autoencoder_qdq line_qdq; do
    weir compile "$conv/$model.onnx" -o "$model" >/dev/null || fail "compile $model"
    expect 0 "^done [0-9]{3} frames, 0 failures" bench "$model" "$model"
done

# Both simulators, all profiles.
expect 0 "malformed runs: of 24 frames [0-9]+ too short or too long" \
    weir check "$models/mlp_residual_qdq.onnx" -d "$test_data" -n 24 --debug-frames 0 -p all --malformed

# planted WHAT MODULE EXPRESSION: a fault in a door must be found by both.
weir compile "$conv/autoencoder_qdq.onnx" -o planted >/dev/null
planted() {
    what=$1 file=planted/rtl/$2.v
    cp "$file" good.v
    sed -i "$3" "$file"
    ! cmp -s good.v "$file" || fail "planted nothing: $what"
    expect 3 "malformed: |damaged frames counted" weir sim planted -d "$conv/autoencoder_qdq.npz" -n 10 --malformed --simulator icarus
    bench planted autoencoder_qdq >output 2>&1 || true
    ! grep -q ", 0 failures" output || fail "the bench does not see: $what"
    cp good.v "$file"
}
planted "a short frame ends early" weir_frame_guard 's/ends ? at_end \&\& /ends ? /'
planted "a long frame runs on" weir_frame_guard 's/s_last \&\& !hold : /!hold : /'
planted "no flag" weir_frame_flags 's/s_last \&\& |flag/1'"'"'b0/'
planted "the newest flag" weir_frame_flags 's/flags_q\[place_q.*\];/flags_q[0];/'
planted "good frames are counted" weir_frame_guard 's/if (done \&\& damaged_q)/if (done)/'
finish
