#!/bin/sh
# MASE's reports and metadata from the command line: where they go, and that `weir show` prints the same.
name=reports
. "$(dirname "$0")/lib.sh"
model=$models/mlp_float.onnx

opt() { weir opt "$@" >out 2>err; }
has() { grep -Eq -e "$2" "$1" || fail "no '$2' in $1: $(head -5 "$1")"; }
lacks() { ! grep -Eq -e "$2" "$1" || fail "'$2' in $1"; }
squeeze() { sed -e 's/  */ /g' -e 's/---*/-/g' "$1"; }

# --- the tables, instead of the IR ---
opt "$model" -p report_node_type || fail "report_node_type"
squeeze out >found
cat >expected <<'END'
| Node name | Fx Node op | Mase type | Mase op | Value type |
|-|-|-|-|-|
| input | placeholder | placeholder | placeholder | NA |
| fc1 | call_module | module_related_func | linear | float |
| relu | call_function | module_related_func | relu | float |
| fc2 | call_module | module_related_func | linear | float |
| relu_1 | call_function | module_related_func | relu | float |
| fc3 | call_module | module_related_func | linear | float |
| output | output | output | output | NA |
END
cmp found expected || fail "report_node_type: $(cat found)"
for pair in graph:report_graph nodes:report_node_type shapes:report_node_shape meta:report_node_meta_param; do
    weir show "$model" --table "${pair%:*}" >shown
    opt "$model" -p "${pair#*:}" && cmp out shown || fail "show and ${pair#*:} differ"
    [ ! -s err ] || fail "${pair#*:} writes to stderr"
done
opt "$model" -p report_graph,report_node_type && has out '^Graph Summary$' && has out '^\| Node name' && lacks out '^weir 1$' ||
    fail "two reports"

# --- beside the IR ---
weir import "$model" -o plain.weir
opt "$model" -p report_node_type -o same.weir && cmp same.weir plain.weir && has out '^\| Node name' || fail "with -o"
opt "$model" -p 'report_graph{file_name=graph.txt}' && cmp out plain.weir && has graph.txt '^Graph Summary$' ||
    fail "file_name"
opt "$model" -p 'report_node_meta_param{which=common save_path=meta.txt}' && cmp out plain.weir && has meta.txt 'mase_op' ||
    fail "save_path"
opt "$model" -p add_common_metadata,report_node_type --info json && has out '"nodes_in": \["fc1"\]|"fc1"' &&
    lacks out 'Node name' && has err '^\| Node name' || fail "--info"
opt "$models/mlp_qdq.onnx" -p 'lower_integer,report_node_type' && has out "^graph 'model'$" && has out "^graph 'integer'$" ||
    fail "two graphs"
opt "$models/mlp_qdq.onnx" -p 'lower_integer,report_graph{file_name=both.txt}' && has both.txt "^graph 'model'$" &&
    has both.txt "^graph 'integer'$" || fail "two graphs in a file"
weir compile "$models/mlp_qdq.onnx" -o design --passes report_node_type >out 2>err && has err '^\| Node name' &&
    lacks out 'Node name' || fail "compile --passes"
weir show design/hardware.weir --table meta >out && has out "'module': 'weir_mvu'" && has out "'rtl/linear/weir_mvu.v'" ||
    fail "metadata of hardware"
cp -r design damaged
sed -i 's/module=weir_mvu/module=weir_nothing/' damaged/hardware.weir
for command in 'show damaged/hardware.weir' "sim damaged --data $test_data" 'synth damaged --device ice40up5k -o placed'; do
    # shellcheck disable=SC2086
    expect 1 "mlp_qdq.onnx:[0-9]+: error: .*no component 'weir_nothing' computes it" "$WEIR" $command
done

# --- metadata to YAML and back ---
opt "$model" -p 'add_software_metadata,add_hardware_metadata{max_parallelism="2,8"},save_node_meta_param{path=m.yaml}' \
    -o with.weir || fail "save_node_meta_param"
has with.weir '"max_parallelism":\[2,8\]'
opt "$model" -p 'load_node_meta_param{path=m.yaml}' && cmp out with.weir || fail "metadata do not come back"
sed 's/mase_op: linear/mase_op: conv2d/' m.yaml >lie.yaml
line=$(grep -n 'mase_op: conv2d' lie.yaml | head -1 | cut -d: -f1)
expect 1 "lie.yaml:$line: error: 'fc1': common.mase_op is \"linear\" in the graph, found \"conv2d\"" \
    "$WEIR" opt "$model" -p 'load_node_meta_param{path=lie.yaml}'
expect 1 'missing.yaml' "$WEIR" opt "$model" -p 'load_node_meta_param{path=missing.yaml}'
opt "$model" -p 'save_node_meta_param,load_node_meta_param' --folder into && has into/mlp_float.meta.yaml 'mase_op: linear' ||
    fail "--folder"
expect 1 "which: expected all, common, hardware or software, found 'commn'" \
    "$WEIR" opt "$model" -p 'report_node_meta_param{which=commn}'
echo 1,2,3 >short.csv
expect 1 "input 'input' takes frames of shape \[1,64\], but the data has shape" \
    "$WEIR" opt "$model" -p 'add_common_metadata{dummy_in=short.csv}'

# QONNX's quantizers are nodes between real numbers: the table of quantization has them too.
expect 0 '^  Quant_0_out0 +integer +u4 +1 +ROUND +0\.\.15$' weir show "$models/mlp_qonnx_w4a4.onnx" -t quantization
expect 0 '^  Quant_1_out0 +integer +s4 +64 +ROUND +-7\.\.7$' weir show "$models/mlp_qonnx_w4a4.onnx" -t quantization
expect 0 '^  BipolarQuant_0_out0 +binary +s1 +1 +-1\.\.1$' weir show "$models/mlp_bipolar.onnx" -t quantization
expect 0 '^  .* +integer +u8 +1 +half-even +0\.\.255$' weir show "$models/mlp_qdq.onnx" -t quantization
finish
