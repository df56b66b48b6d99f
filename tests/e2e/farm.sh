#!/bin/sh
# farm.sh: scripts/farm brings up a list of boards without a terminal: what it prints, keeps and ends with, for a simulated board, for one with
# another weight, and for answers of a command that only says so.
# test: name=farm seconds=600 cost=8
name=farm
. "$(dirname "$0")/lib.sh"
need_tools verilator jq
farm() { "$E2E_SOURCE/scripts/farm" --weir "${FARM_WEIR-$WEIR}" "$@"; }
cp "$models/mlp_qdq.onnx" . && cp "$test_data" test.npz

expect 2 "LIST is missing" farm
expect 2 "'none' cannot be read" farm none
expect 2 "unknown option '--fast'" farm --fast list
echo "icebreaker mlp_qdq.onnx test.npz --clock 12 -n 2 # two frames" >list
expect 0 "^icebreaker +mlp_qdq.onnx +right: 2 frames, 0 values differ" farm --sim -o out list
for made in json log; do [ -s out/1-icebreaker-mlp_qdq.$made ] || fail "no out/1-icebreaker-mlp_qdq.$made"; done
# The same folder with another weight, and a line that is wrong: the worst is told.
cp -r out/1-icebreaker-mlp_qdq board
awk 'NR == 1 { c = substr($0, 1, 1); $0 = (c == "0" ? "8" : "0") substr($0, 2) } { print }' board/rtl/fc3_weights.hex >hex && cp hex board/rtl/fc3_weights.hex
printf 'icebreaker mlp_qdq.onnx\nicebreaker board test.npz -n 20\n' >list
expect 3 "list:1: error: expected BOARD MODEL DATA" farm --sim -o out list
grep -Eq '^icebreaker +board +bits differ: [1-9][0-9]* of 10' output || { cat output >&2; fail "the weight is not told"; }

# A command that answers as it is asked to.
cat >answers <<'END_ANSWERS'
#!/bin/sh
case " $* " in *" one "*) exit 4 ;; *" slow "*) sleep 20 ;; esac
while [ "$1" != --json ]; do shift; done
echo '{"frames": 0, "rungs": [{"rung": "port", "state": "green"}, {"rung": "baud", "state": "red"}]}' >"$2"
exit 5
END_ANSWERS
chmod +x answers
FARM_WEIR=./answers
printf 'a one d\nb two d\n' >list
expect 5 "^a +one +a tool is missing or failed" farm list
grep -Eq '^b +two +red: baud' output || { cat output >&2; fail "the rung is not told"; }
echo "a slow d" >list
expect 4 "not done in 1 s" farm --seconds 1 list
finish
