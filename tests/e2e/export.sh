#!/bin/sh
# `weir export`: what is written reads back as the same graph and computes the same; misuse; nothing half written.
name=export
. "$(dirname "$0")/lib.sh"

for file in "$models"/*.onnx; do
    model=$(basename "$file" .onnx)
    expect 0 "" "$WEIR" export "$file" -o "made/$model.onnx"
    weir import "$file" -o first.weir
    weir import "made/$model.onnx" -o second.weir
    for text in first second; do
        sed 's/ at "[^"]*":[0-9]*//; s/ from "[^"]*"//' $text.weir | grep -v '^constant ' >$text.plain
        grep '^constant ' $text.weir | sort >>$text.plain
    done
    cmp first.plain second.plain || fail "$model does not come back"
    weir eval "$file" -e float -d "$test_data" -o first.npy
    weir eval "made/$model.onnx" -e float -d "$test_data" -o second.npy
    cmp first.npy second.npy || fail "$model computes something else"
done
weir export "$models/mlp_qdq.onnx" -o twice.onnx && cmp twice.onnx made/mlp_qdq.onnx || fail "not reproducible"

# What passes made, by option or by name.
expect 0 "" "$WEIR" export "$models/mlp_float.onnx" -q int8 -c "$models/digits_calib.npz" -o quantized.onnx
expect 0 "QuantizeLinear" "$WEIR" show quantized.onnx
expect 0 "" "$WEIR" export "$models/mlp_qdq.onnx" --passes lower_integer -o integer.onnx
grep -q ReduceSum integer.onnx && fail "an operator that nobody needs"
grep -q MatMul integer.onnx || fail "no integer arithmetic"
expect 0 "" "$WEIR" export "$models/mlp_qdq.onnx" --passes lower_integer -g model -o model.onnx
cmp model.onnx made/mlp_qdq.onnx || fail "--graph"
expect 0 "" "$WEIR" export "$models/mlp_qdq.onnx" --opset 13 -o old.onnx
expect 0 "" "$WEIR" show old.onnx

# Dialects.
expect 0 "" "$WEIR" export "$models/mlp_qoperator.onnx" --form qdq -o form.onnx
expect 0 "DequantizeLinear" "$WEIR" show form.onnx --table text
grep -q QGemm output && fail "QGemm is no QDQ"
expect 0 "" "$WEIR" export "$models/mlp_qdq.onnx" --form qonnx -o form.onnx
expect 0 "qonnx.custom_op.general.Quant" "$WEIR" show form.onnx --table text
expect 1 "node 'bipolarquant_3' .*cannot produce only -1 and .1" "$WEIR" export "$models/mlp_bipolar.onnx" --form qdq -o form.onnx
expect 2 "'form'" "$WEIR" export "$models/mlp_qdq.onnx" --form qqd -o form.onnx

# Misuse, and files that stay whole.
expect 2 "OUT.onnx is missing" "$WEIR" export "$models/mlp_qdq.onnx"
expect 1 "has no graph 'modle'" "$WEIR" export "$models/mlp_qdq.onnx" -g modle -o old.onnx
grep -q "did you mean 'model'" output || fail "no suggestion"
expect 1 "opset 12 cannot be written, expected 13 to" "$WEIR" export "$models/mlp_qdq.onnx" --opset 12 -o old.onnx
weir show old.onnx >/dev/null || fail "a failure touched the file before it"
expect 1 "" "$WEIR" export missing.onnx -o none.onnx
expect 1 "" "$WEIR" export "$models/mlp_qdq.onnx" -o /dev/null/none.onnx
[ ! -e none.onnx ] || fail "a file after a failure"
expect 0 "export .*ONNX" "$WEIR" --help

# Graphs saved and loaded; the folder is complete, the names keep their order.
weir opt "$models/mlp_qdq.onnx" -p 'lower_integer,save_graph{save_dir=saved}' -o integer.weir
weir opt "$models/mlp_float.onnx" -p 'load_graph{load_dir=saved}' -o loaded.weir
cmp integer.weir loaded.weir || fail "a graph changes between save and load"
for graph in integer loaded; do weir eval $graph.weir -e float -d "$test_data" -o $graph.npy; done
cmp integer.npy loaded.npy || fail "a constant changes between save and load"
expect 1 "expected 'graphs'" sh -c 'echo "graphs: [../saved/model]" >saved/graphs.yaml
    "$WEIR" opt "$0" -p "load_graph{load_dir=saved}"' "$models/mlp_float.onnx"
expect 1 "" "$WEIR" opt "$models/mlp_float.onnx" -p 'load_graph{load_dir=nowhere}'
finish
