#!/bin/sh
# Beside the waveform of a divergence: what opens it in GTKWave. Every name in it is in the dump; beats, elements and expected values are
# those of the dump and of the float engine; GTKWave itself shows them, also in a folder that has moved.
# test: seconds=300 cost=8
# test: name=waves_in_gtkwave seconds=300 cost=8 -- gtkwave
where=${1:-files}
name=waves_$where
. "$(dirname "$0")/lib.sh"
need_tools iverilog jq fst2vcd
[ "$where" = files ] || need_tools gtkwave xvfb-run

# --- wrong hardware: the highest weight in a word of fc3, which is of element 4 of 5 a beat ---
expect 0 "" "$WEIR" compile "$models/mlp_qdq.onnx" -o design --target-interval 32
awk 'NR == 1 { $0 = (substr($0, 1, 1) == "0" ? "1" : "0") substr($0, 2) } { print }' design/rtl/fc3_weights.hex >weights
mv weights design/rtl/fc3_weights.hex
simulators=icarus
! is_night || simulators="icarus verilator" # whose runtime for waveforms takes 20 s to compile
for simulator in $simulators; do
    expect 3 "its streams: gtkwave design/waves/$simulator.gtkw" "$WEIR" sim design --data "$test_data" --frames 8 --simulator $simulator -j $simulator.json
done
found=$(jq '.runs[1].first_divergence' icarus.json)
[ "$(echo "$found" | jq -c '[.node, .kind, .frame, .element, .beat]')" = '["fc3","value",0,4,0]' ] || fail "another divergence: $found"

# --- what the waveform has ---

# names SIMULATOR: of all signals of the dump, with their ranges, as GTKWave names them.
names() {
    fst2vcd "design/waves/$1.fst" | awk '/^\$scope/ { scope[++depth] = $3 } /^\$upscope/ { depth-- } /^\$enddefinitions/ { exit }
        /^\$var/ { for (i = 1; i <= depth; i++) printf "%s.", scope[i]; sub(/^\[0:0\]$/, "[0]", $6); print $5 ($6 == "$end" ? "" : $6) }' | sort -u
}
# absent_names FILE.gtkw SIMULATOR: those that the dump has not.
absent_names() {
    sed -n 's/^+{[^}]*} //p' "$1" | tr ' ' '\n' | sed '/^#/d; s/^([0-9]*)//' | sort -u >used
    names "$2" | comm -23 used -
}
# absent_variables FILE.sucl SIMULATOR: those that Surfer would not find, whose names have no ranges.
absent_variables() {
    sed -n 's/^variable_add //p' "$1" | sort -u >used
    names "$2" | sed 's/\[[0-9:]*\]$//' | sort -u | comm -23 used -
}
# group FILE.gtkw TITLE: its lines.
group() { awk -v title="-$2" '$0 == title { inside = !inside } inside' "$1"; }
# beats FILE.fst PART BITS LANE: of each beat that is accepted its number, the signed element and the cycle, by the falling edges of the clock.
beats() {
    fst2vcd "$1" | awk -v part="$2" -v bits="$3" -v lane="$4" '
        function number(text, signed,    i, sum) {
            sum = 0
            for (i = 1; i <= length(text); i++) sum = 2 * sum + substr(text, i, 1)
            return signed && length(text) == bits && substr(text, 1, 1) == 1 ? sum - 2 ^ bits : sum
        }
        function sample(    data) {
            if (value[id["clk"]] != 0 || was != 1 || value[id["s_valid"]] != 1 || value[id["s_ready"]] != 1) return
            data = value[id["s_data"]]
            while (length(data) < bits * (lane + 1)) data = "0" data
            print number(value[id["count"]], 0), number(substr(data, length(data) - bits * (lane + 1) + 1, bits), 1), number(value[id["cycle"]], 0)
        }
        /^\$scope/ { scope[++depth] = $3 } /^\$upscope/ { depth-- }
        /^\$var/ && scope[depth] == part { id[$5] = $4 }
        /^\$var/ && scope[depth - 1] == part && scope[depth] == "u_record" && $5 == "count" { id[$5] = $4 }
        /^#/ { sample(); was = value[id["clk"]]; next }
        /^b/ { value[$2] = substr($1, 2); next }
        /^[01xz]/ { value[substr($0, 2)] = substr($0, 1, 1) }'
}
# odd_beats FILE: beats of fc3.beats of which FILE expects something else than fc3.float.
odd_beats() {
    while read -r beat element cycle; do
        want=$(sed -n "$((beat + 1))p" fc3.float)
        [ "$want" = "$element" ] || want="?red?$want"
        key=$(printf '%08x' "$beat")
        told=$(awk -v key="$key" '$1 == "3" key || $1 == "2" key { print $2 }' "$1" | sort -u)
        [ "$told" = "$want" ] || echo "beat $beat of cycle $cycle, element $element: expected '$want', in the file '$told'"
    done <fc3.beats
}

for simulator in $simulators; do
    save=design/waves/$simulator.gtkw
    absent_names "$save" $simulator >log
    [ ! -s log ] || fail "$simulator has no $(head -3 log)"
    sed '/u_tap_6/s/s_valid/s_valix/' "$save" >planted.gtkw
    absent_names planted.gtkw $simulator | grep -q '\.u_tap_6\.s_valix$' || fail "$simulator: a name that is wrong goes unseen"

    # Surfer's commands: names of the dump, the stream that diverges first, the cursor where GTKWave has its marker.
    surfer=design/waves/$simulator.sucl
    absent_variables "$surfer" $simulator >log
    [ ! -s log ] || fail "$simulator has no $(head -3 log)"
    sed '/u_tap_6/s/s_valid/s_valix/' "$surfer" >planted.sucl
    absent_variables planted.sucl $simulator | grep -q '\.u_tap_6\.s_valix$' || fail "$simulator: a name that is wrong goes unseen"
    [ "$(grep -c '^variable_add' "$surfer")" = "$((3 + 5 * $(grep -c '^divider_add' "$surfer")))" ] || fail "$simulator: signals of a stream for Surfer"
    [ "$(grep '^divider_add' "$surfer" | head -2 | paste -sd,)" = "divider_add fc3,divider_add input_QuantizeLinear_(input)" ] ||
        fail "$simulator: the order of streams for Surfer"
    [ "$(sed -n 's/^cursor_set //p' "$surfer")" = "$(sed -n 's/^\*-[0-9.]* \([0-9]*\)$/\1/p' "$save")" ] || fail "$simulator: Surfer's cursor"

    # A group for each stream in the order of the graph, the one that diverges open, and of that the element that does.
    sed -n '/^@[8c]00200$/{n; s/^-//p;}' "$save" >titles
    { echo "input_QuantizeLinear (input)"; jq -r '.runs[1].nodes[].node' $simulator.json; echo "fc3_requantize (output)"; } | diff - titles ||
        fail "$simulator: the groups"
    [ "$(grep -A1 '^@800200$' "$save" | tail -1)" = -fc3 ] || fail "$simulator: another group is open"
    [ "$(group "$save" fc3 | sed -n 's/^+{\([^}]*\)}.*/\1/p' | paste -sd,)" = "valid,ready,last,data,beat,element 4 of 5,expected" ] ||
        fail "$simulator: what the group of fc3 shows"
    group "$save" fc3 | grep -B1 '^+{element' | grep -q '^@424$' || fail "$simulator: fc3 has signed elements"
    group "$save" fc2_requantize | grep -B1 '^+{element' | grep -q '^@24$' || fail "$simulator: fc2_requantize has unsigned elements"

    # Beats as the dump has them, beside what the float engine says: of fc3 one is wrong, the first.
    cp design/hardware.npz float.npz
    sed 's/^output logits = .*/output fc3 = %fc3/' design/hardware.weir >float.weir
    "$WEIR" eval --engine float float.weir --data "$test_data" | head -8 | tr ' ' '\n' | awk 'NR % 5 == 0' >fc3.float
    beats design/waves/$simulator.fst u_tap_6 20 4 >fc3.beats
    [ "$(wc -l <fc3.beats)" -ge 3 ] || fail "$simulator: the window shows no beats"
    file=design/waves/$simulator.expected/tap_6.txt
    grep -q "^^1 /waves/$simulator.expected/tap_6.txt$" "$save" || fail "$simulator: no expected values of fc3"
    odd_beats "$file" >log
    [ ! -s log ] || fail "$simulator: $(head -3 log)"
    sed '/^300000002/s/[0-9]*$/7/' "$file" >planted.txt
    odd_beats planted.txt | grep -q '^beat 2 ' || fail "$simulator: an expected value that is wrong goes unseen"
    [ "$(grep -c '^3.*?red?' "$file")" -ge 1 ] || fail "$simulator: the wrong beat is not marked"
    [ "$(head -1 fc3.beats)" = "0 $(echo "$found" | jq -r '"\(.found) \(.cycle)"')" ] || fail "$simulator: beat 0 is $(head -1 fc3.beats)"
done

# A deadlock: from cycle 1,000 or so on fc2 takes nothing. The waveform is around the last beat that it took or gave, and the next is expected.
if [ "$where" = files ]; then
    expect 0 "" "$WEIR" compile "$models/mlp_qdq.onnx" -o stuck
    sed -i 's/\.s_ready *(fc1_requantize_lanes_ready)/.s_ready(raw_ready)/
        s/\.s_valid *(fc1_requantize_lanes_valid)/.s_valid(fc1_requantize_lanes_valid \&\& go)/
        s/wire  *fc1_requantize_lanes_ready;/wire raw_ready, go; wire fc1_requantize_lanes_ready = raw_ready \&\& go; reg [9:0] stop_q;/
        s/^endmodule/initial stop_q = 10'"'"'d0; always @(posedge clk) if (go) stop_q <= stop_q + 10'"'"'d1; assign go = !(\&stop_q); endmodule/' \
        stuck/rtl/mlp_qdq.v
    expect 3 "deadlock; first divergence at node 'fc2': missing beats" "$WEIR" sim stuck --data "$test_data" --frames 12 --debug-frames 12 --simulator icarus
    save=stuck/waves/icarus.gtkw
    cycle=$(sed -n 's/^\*-[0-9.]* \([0-9]*\)$/\1/p' "$save")
    cycle=$(((cycle - 100) / 10))
    { beats stuck/waves/icarus.fst u_tap_2 8 0; beats stuck/waves/icarus.fst u_tap_3 21 0; } >stuck.beats
    [ "$(awk '{ print $3 }' stuck.beats | sort -n | tail -1)" = "$cycle" ] || fail "the marker of a deadlock is at cycle $cycle: $(tail -3 stuck.beats)"
    [ "$(grep -A1 '^@800200$' "$save" | tail -1)" = -fc2 ] || fail "the open group of a deadlock: $(grep -A1 '^@800200$' "$save")"
    cp stuck/hardware.npz float.npz
    sed 's/^output logits = .*/output fc2 = %fc2/' stuck/hardware.weir >float.weir
    next=$(beats stuck/waves/icarus.fst u_tap_3 21 0 | tail -1 | awk '{ print $1 + 1 }')
    want=$("$WEIR" eval --engine float float.weir --data "$test_data" | head -12 | tr ' ' '\n' | sed -n "$((next + 1))p")
    [ "$(tail -1 stuck/waves/icarus.expected/tap_3.txt)" = "3$(printf '%08x' "$next") $want" ] ||
        fail "the beat that is missing, $next, is $want: $(tail -1 stuck/waves/icarus.expected/tap_3.txt)"
fi

# --- in GTKWave ---
if [ "$where" = gtkwave ]; then
    cat >show.tcl <<'END_OF_TCL'
set n [gtkwave::getTotalNumTraces]
puts "file [file tail [gtkwave::getDumpFileName]]"
for {set i 0} {$i < $n} {incr i} {
    puts "trace [gtkwave::getTraceNameFromIndex $i] = [gtkwave::getTraceValueAtMarkerFromIndex $i]"
}
exit
END_OF_TCL
    show() { timeout 60 xvfb-run -a gtkwave -S show.tcl "$1" 2>log | sed -n 's/^trace //p; s/^file/file/p' >shown || cat log >&2; }
    mkdir elsewhere && mv design/waves elsewhere/moved
    for simulator in $simulators; do
        save=elsewhere/moved/$simulator.gtkw
        show "$save"
        grep -q "^file $simulator.fst" shown || fail "GTKWave opens $(head -1 shown)"
        # Traces: those of the clock, and of each group what it has with the two lines around it.
        [ "$(grep -vc '^file' shown)" -eq "$(grep -c '^[+-]' "$save")" ] || fail "$simulator: GTKWave leaves out traces of $save"
        echo "$found" | jq -r '"valid = 1\nready = 1\nlast = 0\nbeat = 0\nelement 4 of 5 = \(.found)\nexpected = \(.expected)"' >wanted
        sed -n '/^fc3 = /,/^fc3 = /{/^fc3 = /d; /^data/d; p;}' shown | diff wanted - || fail "$simulator: GTKWave shows another beat"
        sed '/u_tap_6/s/s_valid/s_valix/' "$save" >elsewhere/moved/planted.gtkw
        show elsewhere/moved/planted.gtkw
        [ "$(grep -vc '^file' shown)" -lt "$(grep -c '^[+-]' "$save")" ] || fail "$simulator: GTKWave does not mind a wrong name"
    done
fi
finish
