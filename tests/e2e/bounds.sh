# Nothing in a user's graph runs into a fixed size: ports, users of a value, names, paths, dimensions, nodes.
# test: seconds=600 label=nightly
name=bounds
. "$(dirname "$0")/lib.sh"
simulate() { weir sim "$1" -d frames.npy --simulator icarus -n 4 >output 2>&1 || fail "$1: $(tail -3 output)"; }

array_tool columns "$test_data" columns.npy 4 && array_tool rows columns.npy frames.npy 4

# --- ports: 70 streams out, each with codes of its own; 70 in; a value with 200 users ---
"$E2E_TOOLS/make_wide" outputs 70 outputs.weir
expect 0 "m_y69|in_requantize_68" weir compile outputs.weir -o outputs
[ "$(grep -c 'output.* m_y[0-9]*_valid' outputs/rtl/outputs.v)" = 70 ] || fail "not 70 outputs"
weir eval outputs.weir -d frames.npy -e float -o float.npz && weir eval outputs.weir -d frames.npy -e int -o int.npz
array_tool same float.npz:y69 int.npz:y69 || fail "output 70 differs between the engines"
"$E2E_TOOLS/make_wide" inputs 70 inputs.weir
expect 0 "add_68" weir compile inputs.weir -o inputs
[ "$(grep -c 'input.* s_x[0-9]*_valid' inputs/rtl/inputs.v)" = 70 ] || fail "not 70 inputs"
"$E2E_TOOLS/make_wide" alike 4 alike.weir
expect 0 "in_requantize" weir compile alike.weir -o alike
ports=$(grep -o 'm_[a-z0-9_]*_valid' alike/rtl/alike.v | grep -v _frame_ | sort -u | tr '\n' ' ')
[ "$ports" = "m_y__2_valid m_y__3_valid m_y__4_valid m_y__valid " ] || fail "names of outputs that are written alike: $ports"
"$E2E_TOOLS/make_wide" fan 200 fan.weir
expect 0 "add_198" weir compile fan.weir -o fan
if command -v iverilog >/dev/null; then
    simulate outputs
    simulate fan
fi

# --- a binary layer with 8,192 products a cycle: its memory holds more signs than Verilator generates in a loop ---
if command -v verilator >/dev/null; then
    expect 0 "4x8192" weir compile "$models/mlp_bipolar.onnx" --target-interval 4 -o signs
    verilator --lint-only -Wall --top-module mlp_bipolar signs/rtl/*.v >output 2>&1 || fail "8,192 signs a word: $(head -3 output)"
fi

# --- names of 3,000 characters, for model, nodes, inputs and outputs ---
"$E2E_TOOLS/make_wide" names 3000 names.weir
expect 0 "nnnnnnnn" weir compile names.weir -o names
expect 0 "nnnnnnnn" weir show names.weir
weir opt names.weir -p default -o again.weir && weir eval again.weir -e float -d frames.npy -o again.npz || fail "names in texts"
if command -v iverilog >/dev/null; then simulate names; fi

# --- a path of 3,000 characters ---
part=$(printf '%0200d' 0)
path=.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do path=$path/$part; done
mkdir -p "$path" && cp "$models/mlp_qdq.onnx" "$path/model.onnx"
expect 0 "fc1" weir compile "$path/model.onnx" -o "$path/out"
expect 0 "fc1" weir show "$path/out/model.weir"
expect 1 "$part/absent.onnx: error: cannot read" weir compile "$path/absent.onnx" -o absent

# --- nine dimensions are refused by number; 20,000 nodes are not many ---
printf 'weir 1\ngraph "g" from "g"\ninput %%x : float32[1,1,1,1,1,1,1,1,1]\noutput y = %%x\n' >nine.weir
cp outputs.npz nine.npz
expect 1 "nine.weir:3: error: expected at most 8 dimensions" weir show nine.weir
"$E2E_TOOLS/make_wide" chain 20000 chain.weir
weir eval chain.weir -e float -d frames.npy -o chain.npy || fail "20,000 nodes"
array_tool csv chain.npy chain.csv && array_tool csv frames.npy frames.csv && cmp chain.csv frames.csv ||
    fail "20,000 changes of sign change something"
expect 0 "" weir opt chain.weir -p default -o default.weir
finish
