#!/bin/sh
# synth_seeds.sh: 'weir synth --on' places the seeds in tasks of a scheduler: report, files and exit status are those of a run without it, also of seeds that are
# late, broken or refused; planted: a task that is killed, an interrupted run, another nextpnr on that machine, a result that was changed.
# test: name=synth_seeds seconds=600 cost=20
name=synth_seeds
. "$(dirname "$0")/lib.sh"
need_tools yosys nextpnr-ice40 jq
placer=$(command -v nextpnr-ice40)
mkdir bin
# nextpnr BODY: a program that notes what it does
nextpnr() { printf '#!/bin/sh\ncase $1 in -V) exec %s -V ;; esac\nfor seed; do :; done\necho $seed >>%s/started\n%s\n' "'$placer'" "'$work'" "$1" >bin/nextpnr-ice40 && chmod +x bin/nextpnr-ice40; }
nextpnr "exec '$placer' \"\$@\""
PATH=$work/bin:$PATH
# A scheduler: tasks one after the other, the last first.
echo 'submit: for task in $(seq {last} -1 {first}); do sh {script} $task; done' >own.yaml
expect 0 "" weir compile "$E2E_SOURCE/tests/models/affine/ternary_falling.onnx" -o design --max-macs 4 --device ice40hx8k
export WEIR_CACHE="$work/netlists"
expect 0 "" weir synth design --frames 0
# on CACHE OUT OPTION...: with a cache of its own, so that nothing is there yet
on() {
    WEIR_CACHE=$work/$1 out=$2
    shift 2
    weir synth design --place --frames 0 --json "$out.json" -o "$out" "$@"
}
# The netlist is there, and no placement.
fresh() {
    rm -rf cache.*
    for cache in cache.here cache.there; do cp -r netlists $cache; done
}
# The same files here and there, but for nextpnr's seconds.
same_files() {
    [ -e here.json ] || { [ ! -e there.json ] && [ ! -e there ] && return; }
    diff -r -x nextpnr.log -x weir.manifest here there || return 1
    [ -e here/nextpnr.log ] || { [ ! -e there/nextpnr.log ] && return; }
    for folder in here there; do sed -E 's/[0-9.]*s$//; s/[0-9. ]*\|[0-9. ]*\|$//' $folder/nextpnr.log >$folder.log; done
    diff here.log there.log
}
# same STATUS OPTION...: here and elsewhere, which end alike
same() {
    want=$1
    shift
    rm -rf here* there*
    fresh
    expect "$want" "" on cache.here here "$@"
    mv output here.txt
    expect "$want" "" on cache.there there "$@" --on ./own.yaml
    diff here.txt output || fail "another report: $*"
    [ ! -e here.json ] || diff here.json there.json || fail "another report in JSON: $*"
    same_files || fail "other files: $*"
}

same 0 --clock 1000 --seeds 2
grep -q "seeds: 1 at [0-9.]* MHz, 2 at" output || fail "not two seeds"
[ "$(sort started | tr '\n' ' ')" = "1 1 2 2 " ] || fail "each seed runs once here and once there: $(cat started)"
# Kept; one more is placed alone. From here on a placement is a copy of that one.
cp here/nextpnr.json report.json
nextpnr "cp '$work/report.json' report.json"
rm started
expect 0 "" on cache.there there --clock 1000 --seeds 2 --on ./own.yaml
diff here.txt output && same_files || fail "another report of what is kept"
[ ! -e started ] || fail "placed again: $(cat started)"
expect 0 "3 at " on cache.there there --clock 1000 --seeds 3 --on ./own.yaml
[ "$(cat started)" = 3 ] || fail "not the third seed alone: $(cat started)"
# Planted: the report is made of the results.
for file in there.seeds/result/*; do jq '.report.fmax[].achieved = 77.75' "$file" >changed && cp changed "$file"; done
expect 0 "77.8 MHz" on cache.there there --clock 1000 --seeds 2 --on ./own.yaml
# The first seed that meets the goal ends the list.
same 0 --clock 1 --seeds 2
jq -e '.clock_met and (.placement.seeds | length) == 1' there.json >/dev/null || fail "seeds beyond the one that met the goal"

# --- seeds that are late, broken, refused ---
nextpnr "case \$* in *'--seed 1') exec sleep 654 ;; *'--seed 2') echo 'wasm trap'; kill -9 \$\$ ;; esac; cp '$work/report.json' report.json"
same 0 --clock 1000 --seeds 3 --timeout 5
grep -q "seeds: 1 too late, 2 broken, 3 at" output || fail "late and broken"
nextpnr "echo 'wasm trap'; exit 1"
same 4 --clock 1000 --seeds 2
nextpnr "echo 'ERROR: no such pin'; exit 1"
same 4 --clock 1000 --seeds 2
grep -q "ERROR: no such pin" output || fail "the error of nextpnr"
nextpnr "echo 'ERROR: Unable to find legal placement'; exit 1"
same 1 --clock 1000 --seeds 2

# --- lost to the machine ---
rm -rf there*
fresh
nextpnr "[ -e tried ] || [ -e '$work/tried' ] || { : >'$work/tried'; kill -KILL \$PPID; sleep 5; }; cp '$work/report.json' report.json"
rm started
expect 0 "seeds: 1 at" on cache.there there --clock 1000 --seeds 2 --on ./own.yaml
[ "$(sort started | tr '\n' ' ')" = "1 2 2 " ] || fail "the killed seed runs again: $(cat started)"
rm -rf there*
fresh
nextpnr "kill -KILL \$PPID"
expect 4 "seed=[12] is lost: killed from outside" on cache.there there --clock 1000 --seeds 2 --on ./own.yaml
mkdir other
printf '#!/bin/sh\necho "nextpnr-ice40 -- of another place (Version 99)"\n' >other/nextpnr-ice40
chmod +x other/nextpnr-ice40
echo "submit: PATH='$work/other':\$PATH; for task in \$(seq {first} {last}); do sh {script} \$task; done" >other.yaml
expect 4 "program 'nextpnr-ice40' is version '99' on this machine, expected '" on cache.there there --clock 1000 --seeds 2 --on ./other.yaml
rm -rf there*

# --- interrupted: what is done is kept ---
nextpnr "case \$* in *'--seed 1') [ -e '$work/on' ] || exec sleep 655 ;; esac; cp '$work/report.json' report.json"
rm started
fresh
WEIR_CACHE=$work/cache.there "$WEIR" synth design --place --frames 0 -o there --clock 1000 --seeds 2 --on ./own.yaml >output 2>&1 &
pid=$! tries=0
until grep -q 1 started 2>/dev/null || [ $tries = 600 ]; do sleep 0.1 && tries=$((tries + 1)); done
kill -TERM $pid
status=0 && wait $pid || status=$?
[ $status -eq 143 ] && grep -q "interrupted: 1 of 2 points are done; the same command continues" output || fail "interrupted: status $status: $(cat output)"
tries=0
while pgrep -f "sleep 655" >/dev/null && [ $tries -lt 200 ]; do sleep 0.1 && tries=$((tries + 1)); done
[ $tries -lt 200 ] || fail "nextpnr is left after an interrupt"
: >on && rm started
expect 0 "seeds: 1 at" on cache.there there --clock 1000 --seeds 2 --on ./own.yaml
[ "$(cat started)" = 1 ] || fail "goes on with the first seed: $(cat started)"

expect 2 "--on needs --place" weir synth design --on slurm
expect 2 "--scheduler and --each need --on" weir synth design --place --each 2
expect 1 "unknown launcher 'slrm'" on cache.there there --clock 1000 --on slrm --seeds 3
echo '{}' >task.json
expect 1 "expected the task of a run with --on" weir synth task.json --seed 1 --json result.json
expect 2 "--seed needs --json" weir synth task.json --seed 1
finish
