#!/bin/sh
# Library modules that no component shows alone (memories, sources of parameters, replay, join): latency and interval in
# simulation (Icarus; at night Verilator too) are what their headers' formulas say, for parameters at corners, and their data is right, without stalls and with them.
# A formula that is a cycle off, and a module whose words are wrong, must be found.
# test: label=nightly seconds=600
name=rtl_timing
. "$(dirname "$0")/lib.sh"
need_tools iverilog
bench=$E2E_SOURCE/tests/rtl/timing/bench.v

# formula LIBRARY MODULE WORD: of the header's line, as Verilog.
formula() {
    sed -n "s|^// $3: *||p" "$1"/*/"$2".v | sed 's/ cycle.*//' | head -n 1
}

# formulas LIBRARY: macros for the bench.
formulas() {
    for module in weir_rom weir_rom_pair weir_rom_source weir_ram weir_replay weir_join; do
        for word in Latency Interval; do
            text=$(formula "$1" "$module" "$word")
            [ -n "$text" ] || fail "no $word in the header of $module"
            printf '`define %s_%s (%s)\n' "$module" "$word" "$text"
        done
    done
}

for depth in 1 2 3 5 64; do
    awk -v depth="$depth" 'BEGIN { for (i = 0; i < depth; i++) printf "%02x\n", (i * 37 + 11) % 256 }' >"words_$depth.hex"
done
library=$E2E_SOURCE/rtl
formulas "$library" >formulas.v

# icarus LIBRARY FORMULAS: builds and runs the bench.
icarus() {
    iverilog -g2005 -Wall -Wno-timescale -o bench.vvp "$2" "$bench" "$1"/memory/*.v "$1"/stream/*.v && vvp -n bench.vvp
}
expect 0 "^all [0-9]+ checks hold" icarus "$library" formulas.v
# At night: its runtime takes longer to compile than all the rest.
if is_night && command -v verilator_bin >/dev/null; then
    expect 0 "" verilator --binary --timing -Wno-fatal -Wno-lint -Wno-style --top-module bench --Mdir built -CFLAGS -O0 \
        formulas.v "$bench" "$library"/memory/*.v "$library"/stream/*.v
    expect 0 "^all [0-9]+ checks hold" built/Vbench
fi

# Planted: each formula a cycle off; then words and beats that are wrong.
for module in weir_rom weir_rom_pair weir_rom_source weir_ram weir_replay weir_join; do
    for word in Latency Interval; do
        sed "s/^\(.define ${module}_$word .*\)/\1 + 1/" formulas.v >off.v
        cmp -s off.v formulas.v && fail "no fault in $module $word"
        expect 0 "^wrong: $module" icarus "$library" off.v
    done
done
plant() {
    rm -rf planted
    cp -r "$library" planted
    sed "s/$2/$3/" "$library/$1" >"planted/$1"
    cmp -s "planted/$1" "$library/$1" && fail "no fault in $1"
    expect 0 "^wrong: $4" icarus planted formulas.v
}
plant memory/weir_rom_source_reader.v "from_q ? data_1_q : data_0_q" "from_q ? data_0_q : data_1_q" weir_rom_source
plant memory/weir_rom_source_reader.v "data_q <= rom_q;" "data_q <= rom_q + 1'b1;" weir_rom_source
plant memory/weir_replay.v "row_1_q : row_0_q" "row_0_q : row_1_q" weir_replay
plant memory/weir_ram.v "mem\[raddr\]" "mem[raddr ^ 1'b1]" weir_ram
plant memory/weir_rom.v "output_q <= word_q;" "output_q <= ~word_q;" weir_rom
plant memory/weir_rom_pair.v "output_q <= b_word_q;" "output_q <= ~b_word_q;" weir_rom_pair
plant memory/weir_rom_pair.v "B_PAGE\[PAGE_W-1:0\]" "~B_PAGE[PAGE_W-1:0]" weir_rom_pair
plant stream/weir_join.v "{s_b_data, s_a_data}" "{s_a_data, s_b_data}" weir_join
finish
