#!/bin/sh
# bringup.sh: a model on a simulated board, down to the pins of its UART: every result is the reference's; faults that are planted between host and board, in
# its memories and in its logic are named by the rung that they break.
# test: name=bringup seconds=900 cost=60
name=bringup
. "$(dirname "$0")/lib.sh"
need_tools verilator jq
model=$models/mlp_qdq.onnx
climb() { "$E2E_TOOLS/ladder_tool" board "$test_data" 24 "$@"; }

expect 2 "--data FILE is missing" weir bringup "$model" --board icebreaker --sim -o board
expect 2 "name different boards" weir bringup "$model" --board icebreaker --sim --port /dev/null -o board -d "$test_data"
expect 2 "unknown simulator 'vcs'" weir bringup "$model" --board icebreaker --sim --simulator vcs -o board -d "$test_data"
expect 2 "--simulator needs --sim" weir run . --simulator icarus -d "$test_data"
expect 2 "--flash is for a real board" weir bringup "$model" --board icebreaker --sim --flash -o board -d "$test_data"
expect 1 "board.json" weir run . --sim -d "$test_data"

expect 0 "ok +frames +397 frames, 3970 values, 0 differ" weir bringup "$model" --board icebreaker --sim --benchmark --clock 12 -o board -d "$test_data" --json report.json
for rung in port baud identity clock echo registers "one frame" benchmark; do grep -Eq "^  ok   $rung " output || fail "no rung '$rung'"; done
jq -e '.mismatches == 0 and .compared == 3970 and .frames == 397 and .cycles > 1000 and ([.rungs[] | select(.rung != "layers" and .rung != "parameters") | .state] | all(. == "green")) and
    .benchmark.frames == 128 and .benchmark.found == .benchmark.expected and .benchmark.interval == 1024 and (.benchmark.inferences_per_second - 11719 | fabs) < 20 and
    (.metrics.accuracy > 0.9) and (.clock_hz - 12e6 | fabs) < 1e5' report.json >/dev/null || fail "the report: $(cat report.json)"
grep -q "^  --   parameters not looked at: 'weir board build --readback'" output || fail "no word of parameters"
jq -e '.rungs[] | select(.rung == "parameters") | .state == "absent"' report.json >/dev/null || fail "the rung is not absent"
expect 2 "'board' is already built: --clock would have no effect" weir bringup board --sim --clock 24 -d "$test_data"
expect 2 "'board' is already built: --output would have no effect" weir bringup board --sim -o other -d "$test_data"
expect 2 "was built for board 'icebreaker', not for 'ulx3s-25f'" weir bringup board --sim --board ulx3s-25f -d "$test_data"
# The same results as the reference's, and once more over a recorded conversation.
expect 0 "0 differ" weir run board --sim -d "$test_data" -n 20 -o board.npy --record talk.txt
grep -q "ok   benchmark" output || fail "run has no benchmark"
expect 0 "" weir eval "$model" -d "$test_data" -o all.npy
expect 0 "0 differ" weir run board --replay talk.txt -d "$test_data" -n 20
expect 5 "RED +" weir run board --replay talk.txt -d "$test_data" -n 19

# Without a board: what is missing is said before anything is touched.
mkdir -p no_sys no_dev
expect 5 "no board 'icebreaker' is attached" env WEIR_SYS=no_sys WEIR_DEV=no_dev "$WEIR" run board -d "$test_data"
expect 1 "holds no bitstream" weir bringup board -d "$test_data"

# Without -o the folder is named after the model and the board.
expect 0 "^mlp_qdq-icebreaker: board icebreaker" weir bringup "$model" --board icebreaker --sim --clock 12 -d "$test_data" -n 1
[ -e mlp_qdq-icebreaker/board.json ] || fail "no folder mlp_qdq-icebreaker"

# --- between host and board ---
red() { # STATUS RUNG PATTERN FAULT...
    status=$1 rung=$2 pattern=$3
    shift 3
    expect "$status" "^  RED  $rung +expected " climb "$@"
    grep -Eq "$pattern" output || { cat output >&2; fail "$*: not named"; }
}
if is_night; then
    expect 0 "ok +frames" climb
    red 5 baud "answers at 6000000 baud, 4 of it" baud=4
    red 5 baud "RX and TX are swapped" silent=1
    red 5 echo "packets damaged on the way back" changed=1e-4
    red 5 baud "answers at 16[0-9]+ baud, 1.08 of it" baud=1.08
    red 5 baud "answers at 750000 baud, 0.5 of it" clock=0.5
    red 5 echo "packets damaged on the way back" lost=1e-4
    red 5 echo "packets damaged on the way back" doubled=1e-4
    red 5 frames "the board was reset|was reset in the middle" frames=1 reset=1200
    red 5 frames "the cable or a hub lost the board" frames=1 unplug=1200
fi

# --- another bitstream, another weight ---
jq '.build = "0x00000001"' board/board.json >other.json && cp board/board.json good.json && cp other.json board/board.json
red 5 identity "another bitstream is loaded" frames=1
cp good.json board/board.json
cp board/rtl/fc3_weights.hex good.hex
awk 'NR == 1 { c = substr($0, 1, 1); $0 = (c == "0" ? "8" : "0") substr($0, 2) } { print }' good.hex >board/rtl/fc3_weights.hex
red 3 "(one frame|frames)" "a parameter memory differs from the compiled one" frames=1
# Frames of the chip's own show a weight that is wrong, too.
red 3 benchmark "expected CRC [0-9a-f]{8} of the results of 64 frames" benchmark=1
cp good.hex board/rtl/fc3_weights.hex
mv board/rtl/fc3_weights.hex away.hex
expect 5 "fc3_weights.hex" climb frames=1
mv away.hex board/rtl/fc3_weights.hex

# --- in its logic: a build of the simulator each ---
logic() { # WHAT STATUS RUNG PATTERN MODULE EXPRESSION [RUNGS]
    cp "board/rtl/$5.v" good.v
    sed -i "$6" "board/rtl/$5.v"
    ! cmp -s good.v "board/rtl/$5.v" || fail "planted nothing: $1"
    red "$2" "$3" "$4" "${7:-frames=1}"
    cp good.v "board/rtl/$5.v"
}
if is_night; then
    logic "a stuck output bit" 3 "(one frame|frames)" "a bit of a result is stuck" weir_board '0,/\.m_data *(m_data),/s//.m_data(m_data | 8'"'"'d1),/'
    logic "another seed" 3 benchmark "the frames come from a different generator" weir_board_core "s/32'hFFFFFFFF - i/32'hFFFFFFFE - i/" benchmark=1
fi
finish
