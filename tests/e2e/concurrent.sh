#!/bin/sh
# Many runs on one folder at the same time: simulations share nothing, compilations come one after the other, and nobody
# sees a mixture. Runs that are ended leave nothing. A folder that may not be written is simulated all the same.
# test: processors=2 cost=100
name=concurrent
. "$(dirname "$0")/lib.sh"
mkdir temporary
export TMPDIR="$work/temporary"
for model in mlp_qdq mlp_qlinearmatmul; do
    weir compile "$models/$model.onnx" -o $model >/dev/null || fail "compile"
    weir sim $model -d "$test_data" -n 2 --simulator icarus -o $model.npy >/dev/null || fail "sim"
done
cmp -s mlp_qdq.npy mlp_qlinearmatmul.npy && fail "the two models cannot be told apart"

# --- a writer that takes its time: it waits for its calibration data, which come through a pipe ---
mkfifo slow.npy
"$WEIR" compile "$models/mlp_float.onnx" -o locked -q int8 -c slow.npy >slow 2>&1 &
slow=$!
while ! ls -d locked/.weir-new-* >/dev/null 2>&1; do sleep 0.1; done
"$WEIR" compile "$models/mlp_qdq.onnx" -o locked >second 2>&1 &
second=$!

# --- simulations ---
runs=
for i in 1 2 3 4 5 6; do
    "$WEIR" sim mlp_qdq -d "$test_data" -n 2 --simulator icarus --seed $i -o sim$i.npy >sim$i 2>&1 &
    runs="$runs $!"
done
for run in $runs; do wait "$run" || fail "one of several simulations: exit status $?"; done
for i in 1 2 3 4 5 6; do cmp -s sim$i.npy mlp_qdq.npy || { cat sim$i >&2; fail "simulation $i of several"; }; done

# --- compilations of two models into one folder, and readers ---
cp -r mlp_qdq shared
writers=
for model in mlp_qdq mlp_qlinearmatmul mlp_qdq mlp_qlinearmatmul; do
    (for i in 1 2 3 4 5 6; do "$WEIR" compile "$models/$model.onnx" -o shared || exit 1; done) >/dev/null 2>errors.$model &
    writers="$writers $!"
done
for i in 1 2 3 4 5 6; do
    "$WEIR" sim shared -d "$test_data" -n 2 --simulator icarus -o shared.npy >sim 2>&1 || { cat sim >&2; fail "a reader among writers"; }
    for j in 1 2 3 4 5; do weir show shared/hardware.weir >/dev/null || fail "weir show among writers"; done
    cmp -s shared.npy mlp_qdq.npy || cmp -s shared.npy mlp_qlinearmatmul.npy || fail "a reader sees a mixture"
done
for writer in $writers; do wait "$writer" || { cat errors.* >&2; fail "one of several writers"; }; done
same_design shared mlp_qdq >/dev/null || same_design shared mlp_qlinearmatmul >/dev/null || fail "writers leave a mixture"

# --- the one that waits says for whom ---
status=0
wait "$second" || status=$?
[ "$status" = 1 ] || fail "a second writer does not give up: $(cat second)"
grep -q "^locked: error: being written by process $slow on '$(uname -n)' (.*compile .*slow.npy" second ||
    fail "who holds the folder: $(cat second)"
kill "$slow"
wait "$slow" 2>/dev/null || true

# --- ended runs ---
# A shell lets its background processes ignore SIGINT, and nohup SIGHUP, hence --default-signal.
gone locked || fail "a compilation that is ended leaves $(find locked)"
for signal in INT TERM HUP KILL; do
    rm -rf ended
    env --default-signal "$WEIR" compile "$models/mlp_float.onnx" -o ended/new -q int8 -c slow.npy >/dev/null 2>&1 &
    run=$!
    while ! ls -d ended/new/.weir-new-* >/dev/null 2>&1; do sleep 0.1; done
    kill -$signal $run
    wait $run 2>/dev/null || true
    gone ended || fail "a compilation ended by $signal leaves $(find ended)"
    env --default-signal "$WEIR" check "$models/mlp_float.onnx" -q int8 -c slow.npy -d "$test_data" >/dev/null 2>&1 &
    run=$!
    while ! ls -d temporary/weir-check-* >/dev/null 2>&1; do sleep 0.1; done
    kill -$signal $run
    wait $run 2>/dev/null || true
    gone 'temporary/*' || fail "a check ended by $signal leaves $(ls temporary)"
done
# Even what cleans up is killed: the next run does it, but leaves alone what others have there.
"$WEIR" check "$models/mlp_float.onnx" -q int8 -c slow.npy -d "$test_data" >/dev/null 2>&1 &
run=$!
while ! ls temporary/weir-check-*/.alive >/dev/null 2>&1; do sleep 0.1; done
mkdir temporary/weir-mine temporary/other
for child in $(cat /proc/$run/task/*/children); do kill -KILL "$child"; done
kill -KILL $run
wait $run 2>/dev/null || true
ls -d temporary/weir-check-* >/dev/null || fail "nothing is left, so this tests nothing"
weir sim mlp_qdq -d "$test_data" -n 1 --simulator icarus >/dev/null || fail "sim"
[ "$(ls temporary | tr '\n' ' ')" = "other weir-mine " ] || fail "the next run leaves $(ls temporary)"
cp -r mlp_qdq swept && mkdir swept/.weir-new-dead && : >swept/.weir-new-dead/.alive
weir compile "$models/mlp_qdq.onnx" -o swept >/dev/null || fail "compile"
same_design swept mlp_qdq || fail "what a dead writer left stays"
rm -r temporary/*

# --- a folder that may not be written ---
chmod -R a-w mlp_qdq
chmod -R a+rX . "$work"
as=
if [ "$(id -u)" = 0 ]; then as="setpriv --reuid 65534 --regid 65534 --clear-groups"; fi
if $as test -x "$WEIR" -a -r "$models/mlp_qdq.onnx" -a -r mlp_qdq/weir.manifest 2>/dev/null; then
    mkdir nobody && chmod 777 nobody
    export TMPDIR="$work/nobody"
    # shellcheck disable=SC2086 # words
    expect 0 "" env WEIR_CACHE="$work/nobody/cache" $as "$WEIR" sim mlp_qdq -d "$test_data" -n 2 --simulator icarus -o nobody/out.npy
    cmp nobody/out.npy mlp_qdq.npy || fail "a read-only folder"
    # shellcheck disable=SC2086 # words
    expect 1 "error: " $as "$WEIR" compile "$models/mlp_qdq.onnx" -o mlp_qdq
else
    echo "skipped: another user cannot read the build folder, so read-only folders are not tested"
fi
chmod -R u+w mlp_qdq
same_design shared mlp_qdq >/dev/null || same_design shared mlp_qlinearmatmul >/dev/null || fail "the read-only folder changed"
finish
