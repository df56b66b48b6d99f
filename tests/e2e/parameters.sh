#!/bin/sh
# parameters.sh: parameter memories over the link of a simulated board: read back and compared with the compilation, marched, written with those of the digits MLP
# trained on (scripts/models/retrain.py), which the board then computes; faults in memories, and while they are written, are named.
# test: name=parameters seconds=2400 cost=40
name=parameters
. "$(dirname "$0")/lib.sh"
need_tools jq verilator
model=$models/mlp_qdq.onnx new=$E2E_SOURCE/tests/models/retrained/mlp_qdq.onnx
climb() { folder=$1 && shift && "$E2E_TOOLS/ladder_tool" "$folder" "$test_data" 4 "$@"; }

# --- what is refused ---
expect 2 "'weights' takes DIR and NEW" weir board weights board
expect 2 "needs --load" weir board weights board "$new" --sim
expect 2 "needs --load" weir board build "$model" --board icebreaker -o no --port /dev/null
expect 2 "--load is for 'weights'" weir board build "$model" --board icebreaker -o no --load
expect 1 "takes at least [0-9]+ memory blocks of" weir board build "$model" --board icebreaker -o no --sources --loadable
[ ! -e no ] || fail "a refused build leaves a folder"
expect 0 "" weir compile "$model" -o compiled --device ice40hx8k
expect 1 "depends on the parameters that it was compiled with" weir board build compiled --board ice40hx8k-evn -o no --sources --loadable

# --- read back: as compiled; a bit of a weight that the bitstream has otherwise names memory and layer ---
expect 0 "" weir board build "$model" --board icebreaker -o plain --sources --clock 12 --readback
expect 2 "'plain' is already built: --readback would have no effect" weir bringup plain --sim --readback -d "$test_data"
expect 0 "ok +parameters 6 memories, 7120 bytes read back: CRCs as compiled" climb plain parameters=1
# The CRCs are of the files as $readmemh reads them, lowest byte first.
for memory in 0 2 4; do
    file=$(jq -r ".memories[$memory].file" plain/board.json) digits=$(($(jq ".memories[$memory].width" plain/board.json) / 4))
    # shellcheck disable=SC2059 # octal escapes
    printf "$(awk -v digits="$digits" '{ for (i = digits - 1; i > 0; i -= 2)
        printf "\\%03o", 16 * index("123456789abcdef", substr($0, i, 1)) + index("123456789abcdef", substr($0, i + 1, 1)) }' "plain/rtl/$file")" >content
    crc=$(gzip -c content | tail -c 8 | head -c 4 | od -An -tx4 | tr -d ' ')
    [ "0x$crc" = "$(jq -r ".memories[$memory].crc" plain/board.json)" ] || fail "the CRC of $file is $crc"
done
mkdir held
cp plain/rtl/*.hex held/
flip() { # FILE LINE: the lowest bit of the word
    awk -v line="$2" 'NR == line { c = substr($0, length($0)); i = index("0123456789abcdef", c) - 1; i += i % 2 ? -1 : 1
        $0 = substr($0, 1, length($0) - 1) substr("0123456789abcdef", i + 1, 1) } { print }' "$1" >flipped && mv flipped "$1"
}
flip held/fc2_weights.hex 100
expect 3 "RED +parameters expected word 99 of memory 'fc2_weights.hex' of layer 'fc2' to be [0-9a-f]{4}, as compiled" climb plain parameters=1 memories=held
grep -Eq "found [0-9a-f]{4}; 1 of 1024 words are wrong" output || fail "the word is not told"

# --- loadable: marched; the board gets other parameters, and computes what the new model says ---
expect 0 "board ice40hx8k-evn" weir board build "$model" --board ice40hx8k-evn -o board --sources --clock 12 --loadable
expect 1 "its memories cannot be written over the link" weir board weights plain --load --sim
cp -r board old
expect 0 "ok +frames +397 frames, 3970 values, 0 differ" weir board weights board "$new" --load --sim -d "$test_data"
grep -q "ok   identity   build .*, model $(jq -r .model old/board.json | cut -c3-)" output || fail "the board did not begin with the old parameters"
grep -q "ok   parameters 7 memories, 7978 bytes written and read back" output || fail "nothing is written"
[ "$(jq -r .build old/board.json)" = "$(jq -r .build board/board.json)" ] || fail "another build id"
[ "$(jq -r .model old/board.json)" != "$(jq -r .model board/board.json)" ] || fail "the same model id"
[ "$(jq -c '[.memories[] | {file, layer, width, words}]' old/board.json)" = "$(jq -c '[.memories[] | {file, layer, width, words}]' board/board.json)" ] || fail "other memories"
changed=$(diff -rq old/rtl board/rtl | sed -n 's/^Files [^ ]*\/\([^ /]*\) and .* differ$/\1/p' | grep -cv '\.hex$' || true)
[ "$changed" -eq 0 ] || fail "more changes than memories: $changed"
# The whole ladder on a board that still has the old ones; without the rung it is another's.
expect 0 "parameters 7 memories, 7978 bytes marched, written and read back" climb board memories=old/rtl
expect 5 "RED +identity" climb board memories=old/rtl frames=1
grep -q "next: *weir board weights DIR --load" output || fail "what loads the parameters is not said"
refused() { # PATTERN MODEL: the folder stays as it was
    cp -r board before
    expect 1 "$1" weir board weights board "$2" --load --sim
    diff -r before board >diff.txt || fail "a refused change leaves $(head -n 3 diff.txt)"
    rm -rf before
}
refused "here it is '// A frame takes 2048 cycles.*', and was '// A frame takes 1024 cycles" "$models/mlp_residual_qdq.onnx"
# The other families, whose memories, registers and resets differ: GateMate's registers begin without a value.
boards=
is_night && boards="ulx3s-25f tangnano20k olimex-gatemate"
for board in $boards; do
    expect 0 "board $board" weir board build "$model" --board "$board" -o "$board" --sources --clock 24 --loadable
    jq -r .model "$board/board.json" >first
    expect 0 "ok +frames +397 frames, 3970 values, 0 differ" weir board weights "$board" "$new" --load --sim -d "$test_data"
    grep -q "ok   identity   build .*, model $(cut -c3- first)" output || fail "$board did not begin with the old parameters"
    grep -Eq "ok   parameters 7 memories, [0-9]+ bytes written and read back" output || fail "nothing is written on $board"
done
# What the folder has is what was compiled.
cp board/rtl/fc1_weights.hex good.hex
flip board/rtl/fc1_weights.hex 7
expect 5 "found what 'fc1_weights.hex' of layer 'fc1' should hold is not in board/rtl" climb board parameters=1
cp good.hex board/rtl/fc1_weights.hex
# A bitstream with another bit in a memory, though its id is this one's.
cp board/rtl/*.hex held/
flip held/fc3_weights.hex 5
expect 3 "RED +parameters expected word 4 of memory 'fc3_weights.hex' of layer 'fc3' to be [0-9a-f]{2}, as compiled" climb board parameters=1 memories=held

# --- in the logic: a build of the simulator each ---
planted() { # PATTERN FILE EXPRESSION FAULTS...
    pattern=$1 file=board/rtl/$2.v expression=$3
    shift 3
    cp "$file" good.v
    sed -i "$expression" "$file"
    ! cmp -s good.v "$file" || fail "planted nothing: $expression"
    expect 3 "RED +parameters expected $pattern" climb board parameters=1 "$@"
    cp good.v "$file"
}
if is_night; then
    planted "word 77 of memory 'fc2_weights.hex' of layer 'fc2' to be [0-9a-f]{4}, as written" weir_board_memory \
        "s/\[8\*i+:8\] <= data;/[8*i+:8] <= INDEX == 2 \&\& word == 77 ? data | 8'd4 : data;/"
    # A byte that changes while it is written.
    planted "word 12 of memory 'fc1_weights.hex' of layer 'fc1' to be [0-9a-f]{8}, as compiled" weir_board_memories \
        "s/data_q <= s_data;/data_q <= which_q == 0 \&\& word_q == 12 \&\& place_q == 1 ? s_data ^ 8'd16 : s_data;/" load=1
    # A memory that is written with another; two words of one address.
    planted "word [0-9]+ of memory 'fc1_requantize_scale.hex' of layer 'fc1_requantize' to be [0-9a-f]+, as compiled" weir_board_memory_port \
        "s/write = chosen \&\& stores/write = (chosen || (INDEX == 1 \&\& which == 4)) \&\& stores/"
    planted "word [0-9]+ of memory 'fc1_weights.hex' of layer 'fc1' to be [0-9a-f]{8}, as written" weir_board_memory \
        "s/serve ? word\[ADDR_W-1:0\] : addr/serve ? word[ADDR_W-1:0] \& (INDEX == 0 ? ~10'd64 : ~10'd0) : addr/"
    # The packed file, filled with other parameters, decoded, with the PLL's model: what is in it, a march, loading.
    if command -v nextpnr-ice40 >/dev/null && command -v icepack >/dev/null; then
        expect 0 "0 of 20 values differ" weir board build "$model" --board ice40hx8k-evn -o placed --loadable --seeds 1 --clock 24
        expect 0 "" weir board weights placed "$new"
        expect 0 "" "$E2E_TOOLS/trial_tool" placed bitstream placed/ice40hx8k-evn.bin "$work/decoded.v"
        rm placed/rtl/*.v
        cp decoded.v placed/rtl/top.v
        {
            echo '`define NO_ICE40_DEFAULT_ASSIGNMENTS'
            awk '/^module SB_PLL40/ { out = 1 } !out { print } /^endmodule/ { out = 0 }' "$(dirname "$(readlink -f "$(command -v yosys)")")/../share/yosys/ice40/cells_sim.v"
        } >placed/rtl/cells.v
        expect 0 "ok +parameters 7 memories, 7978 bytes marched, written and read back" climb placed parameters=1
        flip placed/rtl/fc2_weights.hex 3 # of which the decoded file takes no notice: it is the host's alone
        expect 5 "RED +parameters" climb placed parameters=1
    fi
    # Memories of other components, on a device whose blocks pairs of them share.
    for other in "$models/../conv/"*.onnx; do
        rm -rf other
        expect 0 "" weir board build "$other" --board ulx3s-45f -o other --sources --clock 25 --readback
    done
fi
finish
