#!/bin/sh
# bringup_boards.sh: a model climbs all rungs of the ladder on every board that Weir knows, simulated with its own clock, PLL and baud: at night; by day only
# what is refused.
# test: seconds=3600
name=bringup_boards
. "$(dirname "$0")/lib.sh"
need_tools verilator jq
boards= options=
if is_night; then
    boards=$(weir boards --json | jq -r '.[].name') options="--target-interval 1024"
    [ "$(echo "$boards" | wc -l)" -ge 15 ] || fail "few boards: $boards"
fi

for board in $boards; do
    # shellcheck disable=SC2086 # options are words
    expect 0 "ok +frames +2 frames, 20 values, 0 differ" weir bringup --sim --data "$test_data" -n 2 "$models/mlp_qdq.onnx" $options --board "$board" -o "$board"
    for rung in port baud identity clock echo registers "one frame"; do grep -Eq "^  ok   $rung " output || fail "$board: no rung '$rung'"; done
    # What the echo takes is a time, not a number of bytes.
    case $board in colorlight-i*) grep -q "ok   echo       1280 bytes" output || fail "$board: echo at 115,200 baud" ;; esac
done

# Nothing is built for what cannot be run.
expect 2 "--board NAME is missing" weir bringup "$models/mlp_qdq.onnx" --sim --data "$test_data"
expect 2 "a choice among several boards is for a real board" weir bringup "$models/mlp_qdq.onnx" --board icebreaker@ttyX --sim --data "$test_data"
expect 1 "nosuch.npz: error: cannot read" weir bringup "$models/mlp_qdq.onnx" --board icebreaker --sim --data nosuch.npz -o none
expect 1 "expected \[N, ...\] with 64 elements a frame" weir bringup "$models/mlp_qdq.onnx" --board icebreaker --data "$E2E_SOURCE/tests/models/lenet/lenet_test.npz" -o none
[ ! -e none ] || fail "a board was built for data that cannot be run"
finish
