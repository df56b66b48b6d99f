#!/bin/sh
# The cache of built simulators: what is damaged is rebuilt, a full disk and killed runs leave nothing in it, and
# `weir cache` shows, checks and clears it.
# test: cost=20
name=cache
umount "$E2E_WORK/$name/disk" 2>/dev/null || true # of a run that was cut off
. "$(dirname "$0")/lib.sh"
mkdir temporary bin
shared=$WEIR_CACHE
export TMPDIR="$work/temporary" WEIR_CACHE="$work/cache"
weir compile "$models/mlp_qdq.onnx" -o design >/dev/null || fail "compile"

# run STATUS TEXT: one frame in Icarus.
run() { expect "$1" "$2" "$WEIR" sim design -d "$test_data" -n 1 --simulator icarus -o out.npy; }
entries() { ls cache/sim | grep -v '\.lock$' | tr '\n' ' '; }

expect 0 "cache/sim: 0 entries" "$WEIR" cache
run 0 ""
mv out.npy right.npy
program=$(ls cache/sim/icarus-bench-*/tb.vvp) support=$(ls cache/sim/icarus-support-*/weir_harness.vpi)
kept=$(entries)
expect 0 "\| icarus-bench-[0-9a-f]{32} +\| +[0-9]+ +\| 20.* \| complete" "$WEIR" cache show
[ "$("$WEIR" cache --json | jq -c '[.entries[] | .complete and (.in_use | not)]')" = "[true,true]" ] || fail "--json: $("$WEIR" cache --json)"
expect 0 "2 entries, 0 damaged" "$WEIR" cache check

# --- damaged ---
cp "$program" whole.vvp
cp "$support" whole.vpi
rebuilt=0
for damage in 'head -c 1000 whole.vvp >$program' ': >$program' 'rm $program' 'tr 01 10 <whole.vvp >$program' \
    'head -c 30 ${program%/*}/weir.manifest >m && mv m ${program%/*}/weir.manifest' \
    'head -c 1000 whole.vpi >$support' 'rm -r ${support%/*} && mkdir ${support%/*}'; do
    rebuilt=$((rebuilt + 1))
    is_night || [ $((rebuilt % 3)) = 1 ] || continue # by day a cut program, another one, a support that is gone
    eval "$damage"
    expect 0 "damaged" "$WEIR" cache show
    run 0 "warning: cache entry is damaged; rebuilding it"
    cmp -s out.npy right.npy || fail "another result after: $damage"
    [ "$(entries)" = "$kept" ] || fail "after '$damage' the cache holds $(entries)"
done
# An entry without a manifest is what earlier versions left.
rm "${program%/*}/weir.manifest"
expect 0 "of an earlier version" "$WEIR" cache show
[ "$("$WEIR" cache --json | jq -r '[.entries[].state] | sort | join(", ")')" = "complete, of an earlier version" ] || fail "--json: no state"
run 0 "warning: cache entry is of an earlier version; rebuilding it"
cmp -s out.npy right.npy || fail "another result after an earlier version"
rm "${program%/*}/weir.manifest"
expect 0 "2 entries, 0 damaged, 1 of an earlier version" "$WEIR" cache check
grep -q "icarus-bench-.*: of an earlier version; removed" output || fail "no note of what was removed"
run 0 ""

tr 01 10 <whole.vvp >"$program"
expect 1 "icarus-bench-.*: error: damaged" "$WEIR" cache check
[ ! -e "$program" ] || fail "a damaged entry stays"
run 0 ""

# --- a full disk: files may not grow beyond some size, then (as root) one that is really full ---
full() { # WHERE: the program could not be written
    [ -z "$(ls "$1/sim" | grep -v -e '\.lock$' -e '^icarus-support')" ] || fail "a full disk leaves $(ls "$1/sim")"
}
size=$(($(stat -c %s whole.vvp) / 512 / 2))
rm -r cache/sim/icarus-bench-*
run_limited() { (ulimit -f $size && "$WEIR" sim design -d "$test_data" -n 1 --simulator icarus); }
expect 4 "tb.vvp: error: 'iverilog' wrote only part of it" run_limited
full cache
run 0 ""
mkdir disk
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=16m none disk 2>/dev/null; then
    export WEIR_CACHE="$work/disk"
    run 0 ""
    rm -r disk/sim/icarus-bench-*
    dd if=/dev/zero of=disk/filler bs=1k count=16384 2>/dev/null || true
    for free in 0 $((size / 2)); do # KiB
        truncate -s -${free}K disk/filler
        run 0 "note: nothing is kept for the next run: the cache '.*/disk' is full"
        cmp -s out.npy right.npy || fail "another result on a full disk"
        full disk
        gone "temporary/*" || fail "a full disk leaves $(ls temporary)"
    done
    rm disk/filler
    run 0 ""
    cmp -s out.npy right.npy || fail "another result after a full disk"
    umount disk
    export WEIR_CACHE="$work/cache"
else
    echo "skipped: no small file system can be mounted, so no full one is tested"
fi

# --- no place for the cache: no home, a file where it should be, a folder that may not be written to; and none for temporary files ---
echo "a file" >file
for place in "HOME=" "HOME=$work/file" "XDG_CACHE_HOME=$work/file HOME=/nonexistent" "WEIR_CACHE=$work/file" "WEIR_CACHE=$work/file/deeper"; do
    case $place in HOME=/* | */deeper) is_night || continue ;; esac
    # shellcheck disable=SC2086 # several settings
    expect 0 "note: nothing is kept for the next run: the cache" env -u WEIR_CACHE -u XDG_CACHE_HOME $place \
        "$WEIR" sim design -d "$test_data" -n 1 --simulator icarus -o out.npy
    [ "$(grep -c '^note' output)" = 1 ] || fail "more than one note with $place"
    cmp -s out.npy right.npy || fail "another result with $place"
    gone "temporary/*" || fail "$place leaves $(ls temporary)"
done
expect 0 "note: temporary files are in '/[a-z/]*': '$work/file' is not a folder" env TMPDIR="$work/file" \
    "$WEIR" sim design -d "$test_data" -n 1 --simulator icarus -o out.npy
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    mkdir mine closed && chmod 777 mine && chmod 755 closed
    for place in HOME=/nonexistent "WEIR_CACHE=$work/closed" "HOME=$work/closed"; do
        expect 0 "note: nothing is kept for the next run: the cache '.*' cannot be written to" setpriv --reuid=65534 --regid=65534 --clear-groups \
            env -u WEIR_CACHE -u XDG_CACHE_HOME "$place" TMPDIR="$work/mine" "$WEIR" sim design -d "$test_data" -n 1 --simulator icarus -o mine/out.npy
        cmp -s mine/out.npy right.npy || fail "another result as another user with $place"
        rm -f mine/out.npy
        gone "mine/*" || fail "another user leaves $(ls mine)"
    done
else
    echo "skipped: no other user can be taken on"
fi

# --- killed while something is being made ---
printf '#!/bin/sh\n[ "$1" = -V ] && exec "%s" "$@"\nexec sleep 2\n' "$(command -v iverilog)" >bin/iverilog
chmod +x bin/iverilog
"$WEIR" cache clear >/dev/null
PATH="$work/bin:$PATH" "$WEIR" sim design -d "$test_data" -n 1 --simulator icarus >/dev/null 2>&1 &
run=$!
while ! ls cache/sim/new-*/entry >/dev/null 2>&1 || ! pgrep -P $run sleep >/dev/null; do sleep 0.1; done
for child in $(cat /proc/$run/task/*/children); do kill -KILL "$child"; done
kill -KILL $run
wait $run 2>/dev/null || true
[ -n "$(ls -d cache/sim/new-* 2>/dev/null)" ] && [ -n "$(ls temporary)" ] || fail "nothing is left, so this tests nothing"
run 0 ""
[ "$(entries)" = "$kept" ] && [ -z "$(ls temporary)" ] || fail "a killed run leaves $(entries) $(ls temporary)"

# --- cleared while a run uses it ---
printf '#!/bin/sh\ntouch "%s/started"; while [ -e "%s/started" ]; do sleep 0.1; done\nexec "%s" "$@"\n' "$work" "$work" "$(command -v vvp)" >bin/vvp
chmod +x bin/vvp
rm bin/iverilog
PATH="$work/bin:$PATH" "$WEIR" sim design -d "$test_data" -n 1 --simulator icarus -o out.npy >log 2>&1 &
run=$!
while [ ! -e started ]; do sleep 0.1; done
expect 0 "\| in use" "$WEIR" cache show
expect 0 "0 entries removed, 0 KiB; 2 in use" "$WEIR" cache clear
rm started
wait $run || { cat log >&2; fail "a run in a cache that is cleared"; }
cmp -s out.npy right.npy || fail "another result in a cache that is cleared"
echo mine >cache/mine && echo mine >cache/sim/mine && mkdir cache/sim/new-mine
expect 0 "2 entries removed, [0-9]+ KiB; 0 in use" "$WEIR" cache clear
[ "$(ls cache/sim | tr '\n' ' ')" = "mine new-mine " ] && [ -e cache/mine ] || fail "clear leaves $(ls cache/sim)"

# --- Verilator: a quick build for few cycles, unless the other is there ---
WEIR_CACHE=$shared "$WEIR" sim design -d "$test_data" -n 1 --simulator verilator >/dev/null || fail "verilator"
weir compile "$models/mlp_qdq.onnx" -t 4096 -o slow >/dev/null || fail "compile"
cp -al "$shared"/sim/verilator-support-* cache/sim/
verilated() { # ENTRIES FRAMES: Verilator's entries after so many frames
    "$WEIR" sim slow -d "$test_data" -n "$2" --simulator verilator -o "$2.npy" >/dev/null || fail "verilator, $2 frames"
    kinds=$(ls cache/sim | sed -n 's/^verilator-\([a-z]*\)-[0-9a-f]*$/\1/p' | grep -v support | sort | tr '\n' ' ')
    [ "$kinds" = "$1" ] || fail "$2 frames leave the entries '$kinds'"
}
verilated "quick " 1
cmp -s 1.npy right.npy || fail "another result in Verilator, built quickly"
if is_night; then
    verilated "bench quick " 100
    "$WEIR" cache check >/dev/null && rm -r cache/sim/verilator-quick-*
    verilated "bench " 1
    cmp -s 1.npy right.npy || fail "another result in Verilator"
fi
"$WEIR" cache clear >/dev/null

# --- Verilator from nothing: a second thread makes what all designs share. An interrupt ends both threads and what they run ---
quick() { # OUTPUT: in the background, as a process of its own
    env --default-signal "$WEIR" sim design -d "$test_data" -n 1 --simulator verilator -o "$1.npy" >"$1.log" 2>&1 &
    run=$!
}
# ended_quietly WHEN: by the signal, without a word.
ended_quietly() {
    status=0
    wait $run || status=$?
    gone "temporary/*" && gone "cache/sim/new-*" && [ $status = 130 ] && [ ! -s out.log ] && [ -z "$(entries)" ] ||
        fail "interrupted $1: exit status $status, left $(entries) $(ls temporary), said: $(cat out.log)"
}
compiler() { # COMMAND: what g++ does instead of compiling
    printf '#!/bin/sh\ncase "$*" in *--version*) exec "%s" "$@" ;; esac\n%s\n' "$(PATH=$before command -v g++)" "$1" >bin/g++
    chmod +x bin/g++
}
rm bin/vvp
rm -rf cache
before=$PATH
PATH="$work/bin:$PATH"
compiler "exec sleep 100"
quick out
for i in 1 2 3 4 5; do # until both threads have come as far as they can
    while ! running=$(pgrep -P $run sh); do sleep 0.1; done
    sleep 0.1
done
kill -INT $run
ended_quietly "while both threads run programs"
for process in $running; do
    ! pgrep -r R,S,D -g "$process" || fail "what an interrupted run started goes on"
done
compiler "echo broken; exit 1"
expect 4 "broken" "$WEIR" sim design -d "$test_data" -n 1 --simulator verilator
[ "$(grep -c "^weir: error:" output)" = 1 ] || fail "an error of both threads is told twice"
[ -z "$(entries)" ] || fail "a compiler that fails leaves $(entries)"
PATH=$before
# While another process makes the header, the run waits for it.
header=$(ls "$shared/sim" | grep '^verilator-support-header-[0-9a-f]*$' | head -1)
flock "cache/sim/$header.lock" sleep 100 &
holder=$!
quick out
while ! ls cache/sim/new-*/entry/generated/unit0.cpp >/dev/null 2>&1; do sleep 0.1; done
kill -INT $run
ended_quietly "while it waits"
pkill -P $holder sleep || kill $holder
wait $holder || true
if is_night; then
    quick first
    first=$run
    quick second
    wait $first && wait $run || fail "two runs at once: $(cat first.log second.log)"
    cmp first.npy right.npy && cmp second.npy right.npy || fail "another result of two runs at once"
    [ "$(ls cache/sim | grep -c '^verilator-[a-z-]*-[0-9a-f]*$')" = 3 ] || fail "two runs at once leave $(entries)"
    "$WEIR" cache check >/dev/null || fail "two runs at once leave something damaged"
fi

# --- usage ---
expect 2 "unknown action 'wipe', expected show, check or clear" "$WEIR" cache wipe
expect 2 "requires the action show" "$WEIR" cache clear --json
expect 1 "error: " env WEIR_CACHE="$work/right.npy" "$WEIR" cache
finish
