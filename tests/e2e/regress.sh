#!/bin/sh
# regress.sh: a suite's points are run, kept, grouped, compared and reported; planted: a wrong point, a failing one, a crash, a time and a memory limit, points that
# the machine loses, an interrupted run, a line that is cut off, a changed input, a baseline that got worse, mistakes in the suite.
# test: name=regress seconds=300 cost=6
name=regress
. "$(dirname "$0")/lib.sh"
need_tools jq make
regress() { weir regress "$@"; }
count() { jq -r ".counts.$1" out.json; }
ran() { wc -l <ran 2>/dev/null || echo 0; }

# --- what a bench of the user's own may do ---
cat >bench <<'END_BENCH'
#!/bin/sh
echo "$1 $2" >>ran
case $1 in
good) echo "{\"cycles\": $(cat cycles), \"coverage\": $(cat coverage)}" >"$3" ;;
bad) echo "cycle 7: mismatch: expected $2, found 9" && exit 3 ;;
fails) echo "top.v:3: error: node 'fc$2' has no width" && exit 1 ;;
crash) kill -SEGV $$ ;;
slow) sleep 60 ;;
large) exec awk 'BEGIN { for (i = 0; i < 4000000; i++) a[i] = i; system("sleep 20") }' ;;
lost) exit 4 ;;
killed) kill -KILL $$ ;;
once) [ -e tried ] || { : >tried && exit 4; } ;;
esac
END_BENCH
chmod +x bench
echo 100 >cycles && echo 90 >coverage
cat >suite.yaml <<'END_SUITE'
name: benches
matrix:
  test: [good, bad, fails]
  seed: {from: 1, to: 3}
exclude:
  - {test: bad, seed: [2, 3]}
include:
  - {test: [crash, lost, killed, once], seed: 1}
steps:
  - run: "./bench {test} {seed} {report}"
    inputs: [bench]
retries: 1
END_SUITE

# --- points, states, groups, exit status ---
expect 0 "^seed=1,test=once$" regress suite.yaml --list
[ "$(wc -l <output)" -eq 11 ] || fail "$(wc -l <output) points, expected 11"
expect 3 "^benches: 11 points: 4 right, 1 wrong, 4 failed, 2 lost; " regress suite.yaml --jobs 3 --json out.json --junit out.xml --csv out.csv --html out.html
for text in "^wrong: 1 point at run" "cycle 7: mismatch: expected 1, found 9" "^failed: 3 points at run, node 'fc1'|^failed: 1 point at run, node 'fc1'" \
    "crashed: Segmentation fault" "killed from outside: Killed" "to repeat the first: mkdir -p repeat && ./bench crash 1 repeat/report.json"; do
    grep -Eq "$text" output || fail "no '$text' in the table of the suite"
done
[ "$(ran)" -eq 14 ] || fail "$(ran) runs, expected 11 and 3 again for points that were lost"
[ "$(count lost) $(jq '.points | length' out.json) $(jq '[.points[] | select(.tries == 2)] | length' out.json)" = "2 11 3" ] || fail "out.json"
[ "$(grep -c '<testcase' out.xml) $(grep -c '<failure' out.xml) $(grep -c '<error' out.xml)" = "11 5 2" ] || fail "out.xml"
grep -q 'message="cycle 7: mismatch: expected 1, found 9"' out.xml || fail "no message in out.xml"
[ "$(wc -l <out.csv)" -eq 12 ] || fail "out.csv"
[ "$(grep -c '<tr><th scope="row">[0-9]*</th>' out.html) $(grep -c '<h3><span class="bad">' out.html)" = "11 $(jq '.groups | length' out.json)" ] || fail "points and groups of the page"
grep -q '<p>cycle 7: mismatch: expected 1, found 9</p>' out.html || fail "the page does not name a cause"
expect 1 "" regress suite.yaml --only test=crash,seed=1 --only 'test=g*'
expect 4 "1 lost; " regress suite.yaml --only test=lost
expect 0 "3 right" regress suite.yaml --only 'test=g*'
expect 0 "2 right" regress suite.yaml -D test=good -D 'seed={from: 5, to: 6}' --only 'seed=[56]'

# --- kept, and run again ---
rm ran
expect 3 "9 kept from before" regress suite.yaml
[ "$(ran)" -eq 4 ] || fail "only what was lost is run again, twice: $(ran)"
rm ran
expect 3 "" regress suite.yaml --again failed --only test=good --only test=bad
[ "$(cat ran)" = "bad 1" ] || fail "--again failed runs what failed: $(cat ran)"
echo "# other" >>bench && rm ran
expect 0 "" regress suite.yaml --only test=good
[ "$(ran)" -eq 3 ] || fail "a changed bench is run again"

# --- limits; each more than it is allowed, and then allowed more ---
printf 'matrix: {test: [slow, large]}\nsteps: [{run: "./bench {test} 1 {report}", inputs: []}]\nlimits: {seconds: 15, memory: 60}\n' >limits.yaml
expect 1 "1 right, 1 failed; " regress limits.yaml --json out.json -D test=large,good
jq -r '.points[].message' out.json | grep -q "held more than 60 MB" || fail "the memory limit"
sed -i 's/seconds: 15/seconds: 1/' limits.yaml
expect 1 "took longer than 1 s" regress limits.yaml -D test=slow
expect 1 "1 kept from before" regress limits.yaml -D test=slow
pgrep -f "sleep 60" >pids || true
[ ! -s pids ] || fail "children are left after a time limit"
sed -i 's/seconds: 1,/seconds: 2,/' limits.yaml
expect 1 "took longer than 2 s" regress limits.yaml -D test=slow

# --- interrupted: what was done is kept, the rest is run, nothing is left ---
printf 'matrix: {x: [1, 2, 3, 4, 5, 6]}\nsteps: [{run: "echo {x} >>begun; sleep 0.{x}5; [ {x} -lt 4 ] || [ -e on ] || sleep 61; echo {x} >>done", inputs: []}]\n' >interrupted.yaml
"$WEIR" regress interrupted.yaml --jobs 2 >output 2>&1 &
pid=$!
while [ ! -e done ] || [ "$(wc -l <done)" -lt 3 ]; do sleep 0.1; done
sleep 0.3
kill -TERM $pid
status=0 && wait $pid || status=$?
[ $status -eq 143 ] || fail "interrupted: status $status"
grep -q "the same command continues" output || fail "interrupted: $(cat output)"
sleep 0.2
if pgrep -f "sleep 61" >/dev/null; then fail "children are left after an interrupt"; fi
# The last line is cut off as well: its point is nobody's.
[ "$(wc -l <interrupted.regress/results.jsonl)" -eq 3 ] || fail "not 3 results are kept"
size=$(wc -c <interrupted.regress/results.jsonl)
head -c $((size - 20)) interrupted.regress/results.jsonl >cut && cp cut interrupted.regress/results.jsonl
: >on && rm done
expect 0 "6 right; 2 kept from before" regress interrupted.yaml
[ "$(wc -l <done)" -eq 4 ] || fail "goes on with 4 points: $(cat done)"
expect 0 "6 kept from before" regress interrupted.yaml
# Two runs in one folder.
rm on && : >begun
"$WEIR" regress interrupted.yaml --again all >/dev/null 2>&1 &
pid=$!
while [ ! -s begun ]; do sleep 0.1; done
expect 1 "another run holds the folder: process $pid on" regress interrupted.yaml
kill -TERM $pid && wait $pid || true

# --- baselines ---
printf 'matrix: {test: good, seed: [1, 2]}\nsteps: [{run: "./bench {test} {seed} {report}", inputs: [cycles, coverage]}]\nbaseline: base.json\ntolerances: {cycles: +5%%, coverage: -1}\n' >base.yaml
expect 1 "base.yaml:3: error: the baseline './base.json' cannot be read" regress base.yaml
expect 0 "2 right" regress base.yaml --save-baseline base.json
echo 105 >cycles && echo 89 >coverage
expect 0 "0 numbers worse than the baseline" regress base.yaml
echo 106 >cycles
expect 1 "seed=2,test=good: cycles 106, was 100 \(allowed \+5%\)" regress base.yaml --junit out.xml --html worse.html
grep -q '106 <span class="bad">worse than 100</span>' worse.html || fail "the page does not show what got worse"
grep -q '<h2>Numbers over ' worse.html && fail "seeds are no axis"
# --- coverage: merged as Verilator's own tool does; kept with the points; a damaged file is named ---
cat >cover <<'END'
#!/bin/sh
# cover SEED FILE: toggles and lines of a bench, of which each seed reaches others.
printf '# SystemC::Coverage-3\n' >"$2"
for place in 1 2 3 4 5 6; do
    for kind in toggle line; do
        printf "C '\001f\002bench.v\001l\002%d\001n\0025\001page\002v_%s/bench\001o\002net%d\001h\002top' %d\n" $place $kind $place \
            $(((place % 4 == $1 % 4 || (place == 5 && $1 > 2)) * $1))
    done
done >>"$2"
END
chmod +x cover
printf 'name: cover\nmatrix: {seed: [1, 2, 3]}\nsteps: [{run: "./cover {seed} {coverage}", inputs: [cover]}]\n' >cover.yaml
expect 0 "coverage of 3 points: line 5 of 6 \(83.3 %\), toggle 5 of 6 \(83.3 %\)" regress cover.yaml --json cover.json --html cover.html
[ "$(jq -c .coverage.toggle cover.json)" = '{"found":6,"reached":5}' ] || fail "coverage in JSON: $(jq -c .coverage cover.json)"
grep -q 'coverage, toggle</dt><dd>83.3' cover.html || fail "coverage in the page"
expect 0 "coverage of 3 points: .*3 kept from before" sh -c "'$WEIR' regress cover.yaml | tr '\n' ' '"
if command -v verilator_coverage >/dev/null; then
    verilator_coverage --write judge.dat cover.regress/coverage/*.dat >log 2>&1 || fail "verilator_coverage: $(cat log)"
    sort judge.dat >judge
    sort cover.regress/coverage.dat | cmp -s - judge || { diff judge.dat cover.regress/coverage.dat >&2; fail "other counts than verilator_coverage's"; }
fi
sed -i "3s/.*/C 'damaged/" "$(find cover.regress/coverage -name '*.dat' | head -1)"
expect 1 "coverage/[0-9a-f]*.dat:3: error: expected C 'KEY' COUNT" regress cover.yaml

# --- {result}: kept by point; without it a right point runs again; planted: another's file ---
printf 'name: left\nmatrix: {seed: [1, 2]}\nsteps: [{run: "echo {seed} >>ran; echo result {seed} >{result}", inputs: []}]\n' >left.yaml
: >ran
expect 0 "2 right" regress left.yaml
for seed in 1 2; do
    key=$(jq -r "select(.point.seed == \"$seed\") | .key" left.regress/results.jsonl)
    [ "$(cat "left.regress/result/$key")" = "result $seed" ] || fail "the result of seed $seed"
done
expect 0 "2 kept from before" regress left.yaml
rm "left.regress/result/$key"
expect 0 "1 kept from before" regress left.yaml
[ "$(sort ran | tr '\n' ' ')" = "1 2 2 " ] || fail "only the point whose result is gone runs again: $(cat ran)"

# A value that would be a script.
printf 'matrix: {name: ["<script>x</script>", "b"], size: [1, 2, 3]}\nsteps: [{run: "echo {name}; echo {size} >{report}; exit 1", inputs: []}]\n' >hostile.yaml
expect 1 "6 failed" regress hostile.yaml --html hostile.html
grep -q '<script>x' hostile.html && fail "a value of the matrix is a script in the page"
grep -q '&lt;script&gt;x' hostile.html || fail "the page lacks a value"
grep -q 'type="worse" message="cycles 106, was 100"' out.xml || fail "worse is not in out.xml"
echo 100 >cycles && echo 88 >coverage
expect 1 "coverage 88, was 90 \(allowed -1\)" regress base.yaml --against base.json
expect 0 "which lacks 1" regress base.yaml -D seed=1,7 --against base.json --only seed=7

# --- Weir's own steps; a model's content counts, and only its points are run again ---
cp "$models/mlp_qdq.onnx" a.onnx && cp "$models/mlp_qoperator.onnx" b.onnx && cp "$test_data" test.npz
printf 'matrix:\n  model: ["*.onnx"]\n  max-macs: {from: 1, to: 4, times: 4}\n  device: [~, ice40up5k]\nsteps:\n  - compile\n' >weir.yaml
expect 0 "8 points: 8 right; " regress weir.yaml
cp "$models/mlp_qlinearmatmul.onnx" b.onnx
expect 0 "8 right; 4 kept from before" regress weir.yaml --json out.json
[ "$(jq -r '[.points[] | select(.kept) | .point.model] | unique | join(" ")' out.json)" = a.onnx ] || fail "b.onnx is kept"
printf 'matrix: {model: a.onnx, data: test.npz, frames: 3, simulator: icarus, seed: 2}\nsteps: [{check: [--debug-frames, "0"]}]\n' >check.yaml
expect 0 "1 right" regress check.yaml --json out.json
[ "$(jq -r '.points[0].metrics | "\(.accuracy) \(.interval)"' out.json)" = "1 128" ] || fail "metrics of check: $(jq -c '.points[0].metrics' out.json)"
# Hardware that is wrong (a sign in the library): other results than those that are kept, grouped by the node.
mkdir -p data/boards && cp -r "$E2E_SOURCE/rtl" "$E2E_SOURCE/sim" data/ && cp -r "$E2E_SOURCE/boards/devices" data/boards/
sed -i 's/\(assign biased = .*\) + \(\$signed(p_data\)/\1 - \2/' data/rtl/cast/weir_requantize_float.v
cmp -s "$E2E_SOURCE/rtl/cast/weir_requantize_float.v" data/rtl/cast/weir_requantize_float.v && fail "nothing is planted in the library"
sed 's/seed: 2/seed: [2, 3]/; s/"0"/"1"/' check.yaml >wrong_rtl.yaml
expect 3 "^wrong: 2 points at check, node 'fc1_requantize'" env WEIR_DATA="$PWD/data" "$WEIR" regress wrong_rtl.yaml -o check.regress
rm -r data
head -c 3000 a.onnx >c.onnx
expect 1 "^failed: 2 points at compile" regress weir.yaml --only 'model=c*' -D device=~

# --- make's jobserver: two jobs in all, this one's first included ---
printf 'matrix: {x: {from: 1, to: 6}}\nsteps: [{run: "echo + {x} >>trace; sleep 0.3; echo - >>trace", inputs: []}]\n' >jobs.yaml
printf 'all:\n\t+%s regress jobs.yaml\n' "$WEIR" >Makefile
make -j2 >output 2>&1 || { cat output >&2; fail "make"; }
[ "$(awk '/[+]/ { n++ } /-/ { n-- } n > m { m = n } END { print m }' trace)" -eq 2 ] || fail "not two at a time below make -j2: $(tr -d '\n' <trace)"

# --- a thousand points that are kept: at most two seconds ---
printf 'matrix: {x: {from: 1, to: 1000}, file: bench}\nsteps: [{run: ": {x} {file}", inputs: []}]\n' >thousand.yaml
expect 0 "1000 right" regress thousand.yaml --jobs 8
begun=$(date +%s%N)
expect 0 "1000 kept from before" regress thousand.yaml
took=$((($(date +%s%N) - begun) / 1000000))
[ $took -lt 2000 ] || fail "a thousand kept points took $took ms"

# --- mistakes, each with its line and remedy ---
wrong() { # TEXT PATTERN
    printf '%b' "$1" >wrong.yaml
    expect 1 "$2" regress wrong.yaml
}
printf 'matrix: {x: 1}\nsteps:\n  - run: "true {x}"\n' >inputs.yaml
expect 0 "inputs.yaml:3: warning: the command has no 'inputs'" regress inputs.yaml
wrong 'matrix: {x: 1}\nstep: [check]\n' "wrong.yaml:2: error: suite: unknown key 'step'"
wrong 'matrix: {x: 1}\n' "wrong.yaml: error: 'steps' is missing"
wrong 'matrix:\n  x: {from: 1, to: 9, times: 1}\nsteps: [{run: "{x}"}]\n' "wrong.yaml:2: error: the range never reaches its end"
wrong 'matrix:\n  model: ["none*.onnx"]\nsteps: [compile]\n' "wrong.yaml:2: error: model: no file fits 'none\*.onnx'"
wrong 'matrix: {model: none.onnx}\nsteps: [compile]\n' "model: there is no file 'none.onnx'"
wrong 'matrix: {model: a.onnx, sed: 1}\nsteps: [{check: []}]\n' "did you mean 'seed'"
wrong 'matrix: {seed: 1}\nsteps:\n  - run: "make {sead}"\n' "wrong.yaml:3: error: no matrix has the name 'sead' of the placeholder"
wrong 'matrix: {x: 1}\nsteps:\n  - check\n' "wrong.yaml:3: error: step 'check' has no 'model'"
wrong 'matrix: {device: ice40up5k}\nsteps: [synth]\n' "synth has no compiled folder"
wrong 'matrix: {x: 1}\nexclude: [{y: 1}]\nsteps: [{run: "{x}"}]\n' "wrong.yaml:2: error: no matrix has the name 'y'"
wrong 'matrix: {x: 1}\nsteps: [{run: "{x}"}]\ntolerances: {luts: 5%}\n' "wrong.yaml:3: error: expected a tolerance as"
wrong 'matrix: {x: {from: 1, to: 100000}, y: {from: 1, to: 100000}}\nsteps: [{run: "{x}{y}"}]\n' "at most 10000000"
expect 1 "no matrix has the name 'sed'" regress suite.yaml --only sed=1
expect 1 "no point is left" regress suite.yaml --only seed=77
expect 2 "--again takes 'failed' or 'all'" regress suite.yaml --again some
# A value is one word of the shell's, whatever it holds.
printf 'matrix: {x: ["a; touch injected", "$(touch injected)"]}\nsteps: [{run: "echo {x}", inputs: []}]\n' >words.yaml
expect 0 "2 right" regress words.yaml
[ ! -e injected ] || fail "a value ran as a command"
finish
