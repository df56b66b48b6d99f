#!/bin/sh
# export_import.sh MAKE_GRAPHS: whatever is exported can be imported, and computes the same bits: every model of the tree in
# every dialect, what each step of a compilation makes of it, and graphs with every integer operator in every rounding.
# test: -- %graphs
name=export_import
. "$(dirname "$0")/lib.sh"
make_graphs=$1

# same FILE EXPORTED WHAT [SHARE]
same() { "$E2E_TOOLS/same_results" "$1" "$2" 20 ${4:+"$4"} >output 2>&1 || fail "$3: $(cat output)"; }

# exports FILE NAME OPTIONS...: the graph that the options lead to, as text and as ONNX, compared.
exports() {
    file=$1 what=$2
    shift 2
    weir export "$file" "$@" -o exported.onnx >output 2>&1 || { fail "$what: $(cat output)"; return; }
    same made.weir exported.onnx "$what"
}

steps="lower_integer
lower_integer,realize_requantize
lower_integer,realize_requantize{form=threshold}
lower_integer,realize_requantize{form=scale},choose_folding,insert_streams,size_fifos"

count=0
for file in "$models"/*.onnx "$E2E_SOURCE"/tests/models/exporters/*.onnx; do
    model=$(basename "$file" .onnx) quantize="" calibration=$models/digits_calib.npz
    case $file in
    */exporters/*) calibration=${file%.onnx}.npz:x ;;
    esac
    case $model in
    mlp_float | *float16* | sklearn* | shapes | rows | keras | pytorch) quantize="quantize{calibration=\"$calibration\"}," ;;
    esac
    weir import "$file" -o made.weir 2>/dev/null
    exports "$file" "$model"
    weir opt "$file" -p "${quantize%,}" -o made.weir 2>/dev/null
    for form in qdq qonnx; do
        # Some have no form in the other dialect, which is said; ties may be rounded to another side.
        if weir export "$file" ${quantize:+--passes "${quantize%,}"} --form $form -o exported.onnx >output 2>&1; then
            same made.weir exported.onnx "$model as $form" 0.02
            count=$((count + 1))
        else
            grep -Eq "cannot be written|has no form|QONNX|QDQ|QuantizeLinear" output || fail "$model as $form: $(cat output)"
        fi
    done
    case $model in
    float8 | blocks | float_quant) continue ;; # without hardware
    esac
    for passes in $steps; do
        weir opt "$file" -p "$quantize$passes" -o made.weir >/dev/null 2>&1 || fail "$model $passes"
        exports "$file" "$model $passes" --passes "$quantize$passes"
    done
done
[ "$count" -gt 10 ] || fail "only $count exports in another dialect"

"$make_graphs" . || fail "no graphs"
for graph in casts scales thresholds sums fine ties encodes decodes masks; do
    cp $graph.weir made.weir && cp $graph.npz made.npz
    exports $graph.weir "$graph"
done

# A planted fault: the tool must see another scale.
sed 's/shift = 27/shift = 26/' scales.weir >made.weir && cp scales.npz made.npz
cmp -s scales.weir made.weir && fail "nothing planted"
weir export scales.weir -o exported.onnx
"$E2E_TOOLS/same_results" made.weir exported.onnx 20 >/dev/null 2>&1 && fail "a planted fault is not seen"

finish
