#!/bin/sh
# Bad usage and bad input of every subcommand: exit status, message, and that nothing is written or changed.
# test: seconds=900
name=usage
. "$(dirname "$0")/lib.sh"
model=$models/mlp_qdq.onnx
commands="import show eval compile sim check"

# --- usage: 2 ---
expect 2 "usage: weir COMMAND" "$WEIR"
expect 0 "usage: weir COMMAND" "$WEIR" --help
expect 0 "usage: weir COMMAND" "$WEIR" help
expect 0 "^weir [0-9]+\.[0-9]+\.[0-9]+( \([0-9a-f]+(-dirty)?\))?$" "$WEIR" --version
expect 2 "did you mean 'compile'" "$WEIR" compil "$model"
expect 2 "unknown command 'xyzzy'" "$WEIR" xyzzy
expect 2 "did you mean 'check'" "$WEIR" help chekc
expect 0 "usage: weir dse" "$WEIR" dse --help # and no run behind it
for command in $commands; do
    expect 0 "usage: weir $command" "$WEIR" $command --help
    expect 0 "usage: weir $command" "$WEIR" help $command
    expect 2 "unknown option '--frobnicate'" "$WEIR" $command --frobnicate "$model"
    expect 2 "unknown option '-Z'" "$WEIR" $command -Z "$model"
    case $command in
    show) ;;
    *) expect 2 "did you mean .--output" "$WEIR" $command --outptu out "$model" ;;
    esac
done
expect 2 "output: '-' does not mean stdout; './-' is a file" "$WEIR" opt -p infer_type "$model" -o -
expect 2 "json: '-' does not mean stdout" "$WEIR" compile "$model" -o design --json=-
[ ! -e ./- ] || fail "there is a file '-'"
expect 2 "did you mean '--target-interval'" "$WEIR" compile --target-intervall 4 "$model" -o design
expect 2 "did you mean '--simulator'" "$WEIR" sim --simulater icarus design
for command in $commands; do
    case $command in sim) operand=DIR ;; *) operand=MODEL ;; esac
    expect 2 "$operand is missing" "$WEIR" $command
    expect 2 "too many operands" "$WEIR" $command a b
    case $command in show) last=-t ;; sim | check) last=--data ;; *) last=-o ;; esac
    expect 2 "needs a value" "$WEIR" $command "$model" $last
done
expect 2 "--data FILE is missing" "$WEIR" eval "$model"
expect 2 "--data FILE is missing" "$WEIR" sim design
expect 2 "a simulation runs its frames one after another" "$WEIR" sim design --data "$test_data" --threads 2
expect 2 "--data FILE is missing" "$WEIR" check "$model"
expect 2 "missing" "$WEIR" compile "$model"
expect 2 "missing" "$WEIR" import "$model"
expect 2 "whole number from 1 to 2147483647, found 'many'" "$WEIR" check "$model" --data "$test_data" --frames many
expect 2 "whole number from 1 to 2147483647, found '-3'" "$WEIR" compile "$model" -o design --max-macs -3
expect 2 "whole number .*, found '4x'" "$WEIR" compile "$model" -o design --target-interval=4x
expect 2 "whole number .*, found ''" "$WEIR" compile "$model" -o design --target-interval=
# Counts: none is 0 or negative or beyond 32 bits; positions, seeds and the like may be 0.
for value in 0 -1 2147483648 99999999999999999999 ' 3' 0x10 1e3; do
    for option in --frames --batch --max-macs --target-interval -n -m -t; do
        expect 2 "takes a whole number from 1 to 2147483647, found '$value'" "$WEIR" check "$model" -d "$test_data" $option "$value"
    done
    for command in import show eval compile opt bisect export; do
        expect 2 "batch takes a whole number from 1" "$WEIR" $command "$model" --batch "$value"
    done
    expect 2 "samples takes a whole number from 1" "$WEIR" opt "$model" --samples "$value"
    expect 2 "samples takes a whole number from 1" "$WEIR" bisect "$model" -p compile --samples "$value"
    expect 2 "samples takes a whole number from 1" "$WEIR" rtl design.wrtl --samples "$value"
    expect 2 "opset takes a whole number from 1" "$WEIR" export "$model" -o out.onnx --opset "$value"
done
for value in -1 4294967296 99999999999999999999; do
    for option in --seed --debug-frames; do
        expect 2 "takes a whole number from 0 to 4294967295, found '$value'" "$WEIR" check "$model" -d "$test_data" $option "$value"
    done
    expect 2 "level takes a whole number from 0" "$WEIR" compile "$model" -o design -O "$value"
done
expect 2 "level.* from 0 to 4, found 5" "$WEIR" compile "$model" -o design --level 5
expect 2 "takes a whole number from -1" "$WEIR" opt "$model" --bisect-limit -2
expect 2 "did you mean '--folding'" "$WEIR" compile "$model" -o design -folding x.yaml
expect 2 "did you mean '--frames'" "$WEIR" check "$model" -d "$test_data" -frames=3
# Names that no top module can have: one error, and no folder. A model's file may have any name.
for top in weir_mvu weir_sim_source weir_something tb module endmodule always logic class interface '' 1a my-top 'a b'; do
    expect 2 "top '$top' cannot name the top module" "$WEIR" compile "$model" -o design --top "$top"
    [ "$(grep -c "error:" output)" -eq 1 ] || { fail "more than one error for --top '$top'"; cat output >&2; }
done
for stem in weir_mvu module tb; do
    cp "$model" $stem.onnx
    expect 0 "top module net_$stem " "$WEIR" compile $stem.onnx -o named
    [ -e named/rtl/net_$stem.v ] || fail "no net_$stem.v"
    rm -rf named
done
# Values attached to letters.
expect 2 "whole number from 1 to 2147483647, found '0'" "$WEIR" check "$model" "-d$test_data" -n0
expect 0 "" "$WEIR" eval "$model" "-d$test_data" -eint
expect 0 "^weir [0-9]+\.[0-9]+\.[0-9]+( \([0-9a-f]+(-dirty)?\))?$" "$WEIR" -V
expect 2 "takes no value" "$WEIR" compile "$model" -o design --timing=yes
expect 2 "unknown contract 'ort', expected model or onnxruntime" "$WEIR" eval "$model" --data "$test_data" --contract ort
expect 2 "unknown engine 'double'" "$WEIR" eval "$model" --data "$test_data" --engine double
expect 2 "expected text, graph, nodes, shapes, meta, quantization or hardware" "$WEIR" show "$model" --table weights
expect 2 "auto, scale, float or threshold|auto.*threshold" "$WEIR" compile "$model" -o design --requantize magic
expect 2 "int8" "$WEIR" compile "$models/mlp_float.onnx" -o design --quantize int4 --calibration "$models/digits_calib.npz"
expect 2 "PASS.OPTION=VALUE" "$WEIR" compile "$model" -o design --set nonsense
expect 2 "no pass 'nonsense'" "$WEIR" compile "$model" -o design --set nonsense.width=4
expect 2 "width" "$WEIR" compile "$model" -o design --set choose_folding.width=4
expect 2 "--calibration needs --quantize" "$WEIR" compile "$model" -o design --calibration "$models/digits_calib.npz"
[ ! -e design ] || fail "bad usage leaves a folder"

# --- input: 1 ---
head -c 3000 "$model" >truncated.onnx
echo "not a model" >text.onnx
echo "weir 1" >half.weir
: >empty.weir
for command in import show eval compile check; do
    options="-o out"
    [ $command = show ] && options=
    case $command in eval | check) options="$options --data $test_data" ;; esac
    for bad in absent.onnx truncated.onnx text.onnx empty.weir absent.weir .; do
        expect 1 "error: " "$WEIR" $command "$bad" $options
        [ ! -e out ] || fail "$command of '$bad' leaves 'out'"
        rm -rf out
    done
    expect 1 "absent.onnx: error" "$WEIR" $command absent.onnx $options
done
expect 1 "absent/hardware.weir" "$WEIR" sim absent --data "$test_data"
mkdir nothing
expect 1 "that 'weir compile' wrote" "$WEIR" sim nothing --data "$test_data"

# Float model without calibration, integer engine on it.
expect 1 "calibration|--quantize" "$WEIR" compile "$models/mlp_float.onnx" -o out
[ ! -e out ] || fail "a float model leaves 'out'"
expect 1 "calibration" "$WEIR" compile "$models/mlp_float.onnx" -o out --quantize int8
[ ! -e out ] || fail "a float model without calibration leaves 'out'"
expect 1 "calibration|--quantize" "$WEIR" eval "$models/mlp_float.onnx" --data "$test_data" -o out.npy
expect 1 "absent.npz" "$WEIR" compile "$models/mlp_float.onnx" -o out --quantize int8 --calibration absent.npz
[ ! -e out ] || fail "an absent calibration file leaves 'out'"

# Data: absent, of the wrong shape, an unknown key, a file that is no array, no rows.
weir compile "$model" -o design >/dev/null || fail "compile"
cp -r design before
array_tool columns "$test_data:x" narrow.npy 63
array_tool rows "$test_data:x" none.npy 0
echo "1,2,x" >text.csv
head -c 700 "$test_data" >half.npz
for data in absent.npz narrow.npy "$test_data:z" text.csv half.npz none.npy "$model" .; do
    rm -f out.npy report.json
    expect 1 "error: " "$WEIR" eval "$model" --data "$data" -o out.npy
    expect 1 "error: " "$WEIR" sim design --data "$data" --simulator verilator -o out.npy -j report.json
    expect 1 "error: " "$WEIR" check "$model" --data "$data" --simulator verilator -j report.json
    [ ! -e out.npy ] || fail "data '$data' leaves an output file"
    [ ! -e report.json ] || fail "data '$data' leaves a report"
done
expect 1 "64" "$WEIR" eval "$model" --data narrow.npy -o out.npy
same_design before design >/dev/null || fail "a failed run changes the compiled folder"

expect 0 "temporary files are in '/" env TMPDIR="$work/nowhere" "$WEIR" sim design --data "$test_data" -n 1 --simulator icarus

# Data that are no numbers.
array_tool rows "$test_data:x" some.npy 3
array_tool csv some.npy some.csv
sed '2s/^[^,]*/nan/' some.csv >nan.csv
sed '3s/,[^,]*/,inf/' some.csv >inf.csv
for command in "eval $model -d" "check $model --simulator icarus -d" "sim design --simulator icarus -d" \
    "compile $models/mlp_float.onnx -o out --quantize int8 --calibration"; do
    expect 1 "frame 1, element 0 is nan, expected a finite number" "$WEIR" $command nan.csv
    expect 1 "frame 2, element 1 is inf, expected a finite number" "$WEIR" $command inf.csv
done

# A full disk behind stdout, for every command that prints.
if [ -w /dev/full ]; then
    lost() {
        status=0
        "$@" >/dev/full 2>output || status=$?
        [ "$status" -eq 1 ] || fail "exit status $status with a full stdout: $*"
        grep -q "standard output: error: cannot be written" output || fail "nothing is said of a full stdout: $*"
    }
    lost "$WEIR" help
    lost "$WEIR" --version
    lost "$WEIR" --help
    lost "$WEIR" passes
    lost "$WEIR" passes quantize --json
    lost "$WEIR" show "$model"
    lost "$WEIR" eval "$model" -d "$test_data"
    lost "$WEIR" compile "$model" -o full
    lost "$WEIR" sim design -d "$test_data" --simulator icarus -n 1
    lost "$WEIR" check "$model" -d "$test_data" --simulator icarus -n 1 --debug-frames 0
    lost "$WEIR" opt "$model"
    lost "$WEIR" opt "$model" -p runtime_analysis{engine=float,data="$test_data"}
    lost "$WEIR" opt "$model" -p dead_code_elimination --reproducer unused.repro
    lost "$WEIR" bisect "$model" -p lower_integer
    for command in import show eval compile sim check export opt rtl passes components bisect; do lost "$WEIR" help $command; done
    rm -rf full
fi
# A closed stdout: the same, and nothing gets into the files.
status=0
"$WEIR" compile "$model" -o closed >&- 2>output || status=$?
[ "$status" -eq 1 ] && grep -q "standard output: error: cannot be written" output || fail "a closed stdout: $status"
diff -r before closed >differences || { fail "a closed stdout changes the folder"; head -5 differences >&2; }

# Choices that are known only late.
expect 2 "unknown simulator 'modelsim'" "$WEIR" sim design --data "$test_data" --simulator modelsim
expect 2 "unknown profile 'never'" "$WEIR" sim design --data "$test_data" --profile never
expect 2 "unknown simulator 'modelsim'" "$WEIR" check "$model" --data "$test_data" --simulator modelsim
expect 2 "unknown profile 'never'" "$WEIR" check "$model" --data "$test_data" --profile never

# Places that cannot be written: below a file (which stops root too).
echo keep >file
expect 1 "error: " "$WEIR" compile "$model" -o file/design
expect 1 "error: " "$WEIR" compile "$model" -o file
expect 1 "error: " "$WEIR" import "$model" -o file/model.weir
expect 1 "error: " "$WEIR" eval "$model" --data "$test_data" -o file/out.npy
expect 1 "error: " "$WEIR" check "$model" --data "$test_data" --simulator verilator --frames 2 -o file/design
expect 1 "error: " "$WEIR" check "$model" --data "$test_data" --simulator verilator --frames 2 -j file/report.json
expect 1 "error: " "$WEIR" sim design --data "$test_data" --simulator verilator --frames 2 -o file/out.npy
[ "$(cat file)" = keep ] || fail "a file in the way is changed"

# A failed run leaves the good folder of an earlier one alone.
expect 1 "" "$WEIR" compile truncated.onnx -o design
expect 1 "" "$WEIR" compile "$models/mlp_float.onnx" -o design
expect 2 "" "$WEIR" compile "$model" -o design --requantize magic
same_design before design >/dev/null || fail "a failed compile changes the folder of an earlier one"

# --- tools: 4 ---
# A PATH with everything but one simulator's programs, and an empty cache, so that nothing is built already.
without() {
    rm -rf bin
    mkdir bin
    for tool in sh gcc g++ ar as ld cc1 perl verilator verilator_bin iverilog vvp; do
        case $tool in "$1"*) continue ;; esac
        found=$(command -v $tool) && ln -s "$found" bin/$tool
    done
    return 0
}
without verilator
expect 4 "verilator" env PATH="$work/bin" WEIR_CACHE="$work/cache" "$WEIR" check "$model" --data "$test_data" --simulator verilator --frames 1
grep -q "error: .*verilator" output || fail "no clear message about the missing verilator"
expect 4 "verilator" env PATH="$work/bin" WEIR_CACHE="$work/cache" "$WEIR" sim design --data "$test_data" --simulator verilator --frames 1
without iverilog
expect 4 "iverilog" env PATH="$work/bin" WEIR_CACHE="$work/cache" "$WEIR" check "$model" --data "$test_data" --simulator icarus --frames 1
grep -q "error: .*iverilog" output || fail "no clear message about the missing iverilog"
# A tool that fails shows its own message.
without verilator
printf '#!/bin/sh\necho "licence expired" >&2\nexit 7\n' >bin/verilator
chmod +x bin/verilator
expect 4 "licence expired" env PATH="$work/bin" WEIR_CACHE="$work/cache" "$WEIR" sim design --data "$test_data" --simulator verilator --frames 1
# The other simulator runs all the same, and what it finds counts more.
cp bin/verilator bin/verilator_bin
expect 4 "licence expired" env PATH="$work/bin:$PATH" WEIR_CACHE="$work/cache" "$WEIR" sim design --data "$test_data" --frames 1
grep -Eq "^ +icarus +always" output || { fail "a failing simulator stops the other one"; sed 's/^/    /' output >&2; }
cp -r design broken
for memory in broken/rtl/*weights*.hex; do tr 0-9 1-90 <"$memory" >bent && cp bent "$memory"; done
expect 3 "licence expired" env PATH="$work/bin:$PATH" WEIR_CACHE="$work/cache" "$WEIR" sim broken --data "$test_data" --frames 1
same_design before design >/dev/null || fail "a missing tool changes the compiled folder"
expect 4 "WEIR_DATA" env WEIR_DATA="$work/nowhere" "$WEIR" compile "$model" -o elsewhere
[ ! -e elsewhere ] || fail "a missing library leaves a folder"
finish
