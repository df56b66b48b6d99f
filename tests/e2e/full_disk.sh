#!/bin/sh
# A full disk: every command that writes a file says so, ends with an error, keeps the file that was there and leaves no
# other one. On a small file system that is filled (as root, who may mount one), and with files that may not grow.
name=full_disk
umount "$E2E_WORK/$name/disk" 2>/dev/null || true # of a run that was cut off
. "$(dirname "$0")/lib.sh"
model=$models/mlp_qdq.onnx float=$models/mlp_float.onnx calibration=$models/digits_calib.npz
designs=$E2E_SOURCE/tests/rtl/designs
mkdir disk temporary
export TMPDIR="$work/temporary"

weir compile "$model" -o design >/dev/null || fail "compile"
weir compile "$models/mlp_qlinearmatmul.onnx" -o other >/dev/null || fail "compile"
weir sim design -d "$test_data" -n 1 --simulator icarus >/dev/null || fail "sim" # what is built is kept in the cache
printf '#!/bin/sh\nexit 0\n' >judge && chmod +x judge

# Files of before, and their copy.
mkdir good
for file in out.weir out.npz out.npy out.json out.onnx out.yaml out.txt out.v out.sv out.wrtl out.repro; do echo "good $file" >good/$file; done
cp -r design good/design
weir opt "$model" -p 'save_graph{save_dir=good/saved},onnx_runtime{dir=good/runtime frames=1}' >/dev/null || fail "good files"
weir opt "$model" -p lower_integer --dump good/dump >/dev/null || fail "good files"
weir opt "$float" -p "tensorrt{dir=good/tensorrt calibration=\"$calibration\"}" >/dev/null || fail "good files"
weir rtl "$designs/hierarchy.wrtl" -p 'generate_verilog{folder=verilog}' --folder good >/dev/null || fail "good files"

# commands HOW: each is run by HOW with files on the disk.
commands() {
    how=$1
    $how import "$float" -o disk/out.weir
    $how import "$float" -o disk/new.weir
    $how eval "$model" -d "$test_data" -o disk/out.npy
    $how eval "$model" -d "$test_data" -o disk/new.npy
    $how export "$model" -o disk/out.onnx
    $how export "$float" -q int8 -c "$calibration" -o disk/new.onnx
    $how compile "$models/mlp_qlinearmatmul.onnx" -o disk/design
    $how compile "$model" -o disk/new/folder
    $how check "$models/mlp_qlinearmatmul.onnx" -d "$test_data" --frames 1 --simulator icarus -o disk/design
    $how sim design -d "$test_data" --frames 1 --simulator icarus -o disk/out.npy
    $how sim design -d "$test_data" --frames 1 --simulator icarus -j disk/out.json
    $how opt "$float" -o disk/out.weir
    $how opt "$model" -p lower_integer --dump disk/new
    $how opt "$model" -p lower_integer --timing-json disk/out.json
    $how opt "$model" -p 'report_graph{file_name="disk/out.txt"}'
    $how opt "$float" -p 'save_graph{save_dir="disk/saved"}'
    $how opt "$model" -p 'save_graph{save_dir="disk/new"}'
    $how opt "$model" -p 'export_onnx{file="disk/out.onnx"}'
    $how opt "$model" -p export_onnx --folder disk/new
    $how opt "$model" -p 'onnx_annotate{save_path="disk/out.onnx"}'
    $how opt "$model" -p 'onnx_runtime{dir="disk/runtime" frames=3}'
    $how opt "$float" -p "tensorrt{dir=\"disk/tensorrt\" calibration=\"$test_data:x\"}"
    $how opt "$model" -p 'save_node_meta_param{path="disk/out.yaml"}'
    $how opt "$model" -p "lower_integer,summarize_quantization{original_graph=\"$model\" save_dir=\"disk/new\"}"
    $how opt "$model" -p compile --folder disk/new
    $how rtl "$designs/alu.wrtl" -o disk/out.wrtl
    $how rtl "$designs/alu.wrtl" -o disk/out.v
    $how rtl "$designs/alu.wrtl" -o disk/new.sv
    $how rtl "$designs/hierarchy.wrtl" -p 'generate_verilog{folder=verilog yosys_src=true}' --folder disk
    $how rtl "$designs/alu.wrtl" -p 'generate_verilog{file=out.v}' --folder disk
    $how rtl "$designs/alu.wrtl" -p 'save_design{file=out.wrtl}' --folder disk
    $how rtl "$designs/alu.wrtl" -p save_design --folder disk/new
    $how rtl "$designs/machine_moore.wrtl" -p extract_fsm --folder disk/new
    $how rtl "$designs/alu.wrtl" -p extract_debug_info --folder disk/new
    $how rtl "$designs/alu.wrtl" -p 'uniquify_generators{tracked=new.json}' --folder disk
}

judge() { # STATUS WHY COMMAND...
    status=$1 why=$2
    shift 2
    { [ "$status" -ne 0 ] && [ "$status" -lt 128 ]; } || fail "exit status $status: $*"
    grep -q "error: .*\($why\)" output || { cat output >&2; fail "no word of the full disk: $*"; }
    diff -r good disk >differences 2>&1 || { cat differences >&2; fail "left or changed: $*"; rm -rf disk/new; }
    [ -z "$(ls temporary)" ] || fail "left in TMPDIR: $(ls temporary): $*"
}

# --- files that may not grow ---
cp -r good/. disk
limited() {
    status=0
    (ulimit -f 0 && exec "$WEIR" "$@" 2>&1) | cat >output.raw || true
    (ulimit -f 0 && exec "$WEIR" "$@" >/dev/null 2>/dev/null) || status=$?
    mv output.raw output
    judge $status "File too large" "$@"
}
commands limited

# --- a disk that is full ---
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=1m none disk 2>/dev/null; then
    cp -r good/. disk
    dd if=/dev/zero of=filler.size bs=1k count=1 2>/dev/null
    dd if=/dev/zero of=disk/filler bs=4k 2>/dev/null || true
    cp disk/filler good/filler
    full() {
        status=0
        "$WEIR" "$@" >output 2>&1 || status=$?
        judge $status "No space left on device" "$@"
    }
    commands full
    # Where temporary files go: another place serves, with a word.
    for command in "sim design -d $test_data --frames 1 --simulator icarus" "check $model -d $test_data --frames 1 --simulator icarus" \
        "bisect $model -p lower_integer" "bisect $model -p lower_integer --check true"; do
        # shellcheck disable=SC2086 # words
        TMPDIR="$work/disk" expect 0 "note: temporary files are in '.*' is full" "$WEIR" $command
    done
    # A disk that gets full meanwhile: what the simulator writes, where a bisection keeps its log.
    for free in 16 $(! is_night || echo 4 64); do
        truncate -s -${free}K disk/filler && cp disk/filler good/filler
        for command in "sim design -d $test_data --frames 100 --simulator icarus" "bisect $model -p lower_integer,realize_requantize"; do
            status=0
            # shellcheck disable=SC2086 # words
            TMPDIR="$work/disk" "$WEIR" $command >output 2>&1 || status=$?
            case $status in
            0) ;;
            *) grep -q "error: " output || fail "$command with $free KiB: status $status without a word" ;;
            esac
            [ $status -ne 3 ] || { cat output >&2; fail "$command with $free KiB: a wrong verdict"; }
            diff -r good disk >differences 2>&1 || { cat differences >&2; fail "left or changed: $command"; }
        done
    done
    umount disk
else
    echo "skipped: no small file system can be mounted, so no full one is tested"
fi
finish
