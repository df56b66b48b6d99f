#!/bin/sh
# schemas.sh [PART]: what the command writes as JSON is what toolchain/report/schema says of it, key by key: of each file a sample, and that no
# fault that is planted in one passes; the PyPI package jsonschema, where it is there, says the same. At night: what needs a placement or a debug build.
# test: seconds=300 cost=25 label=peers
# test: name=schemas_night seconds=900 label=nightly -- night
part=${1:-day}
name=schemas_$part
. "$(dirname "$0")/lib.sh"
folder=$E2E_SOURCE/toolchain/report/schema
affine=$E2E_SOURCE/tests/models/affine
python=${WEIR_PYTHON:-python3}
need_tools iverilog verilator yosys nextpnr-ice40 jq
schema_check() { "$E2E_TOOLS/schema_check" "$@"; }

# is SCHEMA FILE...: the files are what the schema says, and faults in them are found.
: >used
is() {
    echo "$1" >>used
    schema=$1
    shift
    for file; do
        printf '%s %s\n' "$schema" "$file" >>samples
        schema_check "$folder" "$schema" "$file" 2>log || { fail "$file: $(head -3 log)"; continue; }
        # What a pass records has keys of its own.
        [ "$schema" != records ] || continue
        schema_check "$folder" "$schema" plant "$file" >planted 2>log || fail "$file: $(head -3 log)"
        grep -Eq '^[1-9][0-9]* types, .* [1-9][0-9]* missing ones found' planted || fail "$file: $(cat planted)"
    done
}
# prints FILE COMMAND...: writes its output there.
prints() {
    file=$1
    shift
    "$WEIR" "$@" >"$file" 2>log || fail "weir $*: $(cat log)"
}
is_all_used() { # of the schemas, those without a sample
    sort -u used >with
    for file in "$folder"/*.schema.json; do basename "$file" .schema.json; done | sort | comm -23 - with
}
boards_as_built() { # BOARD OPTION...
    expect 0 "" weir board build "$affine/gemm_bn_relu.onnx" --max-macs 1 --board icebreaker --clock 12 "$@"
}

if [ "$part" = night ]; then
    boards_as_built -o placed --seeds 1
    is board placed/board.json
    boards_as_built -o loadable --sources --readback
    is board loadable/board.json
    # A weight that is wrong in the bitstream alone: bring-up adds a debug build.
    expect 0 "" weir board build "$models/mlp_qdq.onnx" --board icebreaker --sources --benchmark --clock 12 -o wrong
    sed -i '1s/^./0/; 2s/^./7/; 3s/^./8/' wrong/rtl/fc3_weights.hex
    expect 3 "" weir bringup wrong --sim -d "$test_data" -n 24 --json wrong.json
    [ "$(jq -r .debug.report.schema wrong.json)" = 1 ] || fail "no debug build in the report"
    is bringup wrong.json
    finish
    exit
fi

# --- the checker: each word of the subset, by hand ---
[ "$(schema_check "$folder")" = "$(find "$folder" -name '*.schema.json' | wc -l) schemas" ] || fail "the schemas"
mkdir -p hand
cat >hand/one.schema.json <<'END'
{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "one.schema.json", "title": "One",
 "type": "object", "required": ["a"], "additionalProperties": false, "properties": {
   "a": {"type": "integer", "minimum": 1, "maximum": 9, "description": "A."},
   "b": {"enum": ["x", null, 3], "description": "B."},
   "c": {"const": 2, "description": "C."},
   "d": {"type": ["number", "null"], "description": "D."},
   "e": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/pair"}], "description": "E."},
   "f": {"$ref": "two.schema.json#/$defs/flags", "description": "F."},
   "g": {"type": "object", "additionalProperties": {"type": "string"}, "description": "G."},
   "h": {"$ref": "#", "description": "H."}},
 "$defs": {"pair": {"type": "array", "items": {"type": "boolean"}}}}
END
cat >hand/two.schema.json <<'END'
{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "two.schema.json", "title": "Two", "type": "null",
 "$defs": {"flags": {"type": "array", "items": {"type": "boolean"}}}}
END
cp -r hand sound
[ "$(schema_check hand)" = "2 schemas" ] || fail "schemas that are sound"
right() { printf '%s' "$1" >hand.json && schema_check hand one hand.json 2>log || fail "$1: $(cat log)"; }
wrong() { printf '%s' "$1" >hand.json && schema_check hand one hand.json 2>log && fail "$1 passes"; grep -q -e "$2" log || fail "$1: $(cat log)"; }
right '{"a": 1, "b": null, "c": 2, "d": 1e3, "e": [true, false], "f": [], "g": {"any": ""}, "h": {"a": 9.0}}'
right '{"a": 5, "b": 3, "d": null, "e": "text", "g": {}}'
wrong '{"b": "x"}' "/: no key 'a'"
wrong '{"a": 1, "i": 1}' "/: unknown key 'i'"
wrong '{"a": "1"}' "/a: expected integer, found string"
wrong '{"a": 1.5}' "/a: expected integer, found number"
wrong '{"a": 0}' "/a: 0 is less than 1"
wrong '{"a": 10}' "/a: 10 is more than 9"
wrong '{"a": 1, "b": "y"}' "/b: \"y\" is none of the values of enum"
wrong '{"a": 1, "c": 3}' "/c: 3 is not the value of const"
wrong '{"a": 1, "d": true}' '/d: expected one of ."number","null".'
wrong '{"a": 1, "e": 1}' "/e: expected string, found integer"
wrong '{"a": 1, "e": [true, 1]}' "/e/1: expected boolean, found integer"
wrong '{"a": 1, "e": [1, 1]}' "/e/0: expected boolean, found integer"
wrong '{"a": 1, "f": [null]}' "/f/0: expected boolean, found null"
wrong '{"a": 1, "g": {"any": 1}}' "/g/any: expected string, found integer"
wrong '{"a": 1, "h": {"a": 1, "h": {}}}' "/h/h: no key 'a'"
wrong '[]' "/: expected object, found array"
wrong '{"a": 1,}' "hand.json:1: "
wrong '{"a": 1, "a": 1}' "duplicate"
# Schemas that are not sound. PATTERN TEXT: what is changed, what must be said.
unsound() {
    sed "$1" sound/one.schema.json >hand/one.schema.json
    cmp -s hand/one.schema.json sound/one.schema.json && fail "nothing is planted by $1"
    schema_check hand >log 2>&1 && fail "$1 is not found"
    grep -q -e "$2" log || fail "$1: $(cat log)"
}
unsound 's/"minimum"/"exclusiveMinimum"/' "'exclusiveMinimum' is not of the subset"
unsound 's/"A\."/"A"/' "'a' is not described in a sentence"
unsound 's/, "description": "B\."//' "'b' is not described in a sentence"
unsound 's/two.schema.json#/three.schema.json#/' "three.schema.json"
unsound 's/defs\/pair/defs\/pairs/' "leads nowhere"
unsound 's/"additionalProperties": false, //' "additionalProperties false"
unsound 's/"required": \["a"\], //' "not required"
unsound 's/\["a"\]/["z"]/' "a required key that is no property"
unsound 's/"integer"/"int"/' "an unknown type"
unsound 's/"\$id": "one/"$id": "other/' "not the file's name"

# --- tables of the command ---
for table in boards devices operators components passes; do
    prints $table.json $table --json
    is $table $table.json
done
prints board.json boards icebreaker --json
prints external.json boards tangnano9k --json
is boards board.json external.json
prints pll.json boards icebreaker --clock 48 --json
prints oscillator.json boards icebreaker --clock 12 --json
is clock pll.json oscillator.json
prints device.json devices ecp5-25k --json
is devices device.json
prints costs.json components --device ecp5-25k --json
prints relu.json components relu --json
is components costs.json relu.json
prints pass.json passes quantize --json
prints pipeline.json passes compile --json
is passes pass.json pipeline.json
prints explain.json passes --explain compile --json
is explain explain.json
prints records.json opt "$affine/gemm_bn_relu.onnx" -p calculate_avg_bits_mg --info json --timing-json timing.json
[ "$(jq length records.json)" = 1 ] || fail "no record"
is records records.json
is timing timing.json

# --- compiled folders, their simulations and syntheses ---
expect 0 "" weir check "$models/mlp_qdq.onnx" -d "$test_data" --simulator icarus --frames 6 --debug-frames 2 -o design --json check.json
is simulation check.json design/check.json
is host design/host.json
is taps design/tb_debug/taps.json
scores=$E2E_SOURCE/tests/models/scores
expect 0 "" weir check "$scores/regression.onnx" --quantize int8 --calibration "$scores/regression.npz" -d "$scores/regression.npz" \
    --simulator icarus --frames 8 --json regression.json
[ "$(jq '.noise | length' regression.json)" -gt 0 ] || fail "no noise in the report"
conv=$E2E_SOURCE/tests/models/conv/autoencoder_qdq
printf '1\n0\n0\n1\n' >labels.csv
expect 0 "" weir check "$conv.onnx" -d "x=$conv.npz:x" -d labels=labels.csv -n 4 --simulator icarus --debug-frames 0 --json anomaly.json
expect 0 "" weir sim design -d "$test_data" --simulator icarus -n 6 --malformed --json malformed.json
expect 0 "" weir compile "$affine/head_and_tail.onnx" -o parts
is host parts/host.json
is simulation regression.json anomaly.json malformed.json design/simulation.json
# A wrong weight: the first divergence, and a waveform around it.
cp -r design broken
sed -i '1s/^./0/; 2s/^./7/; 3s/^./8/' broken/rtl/fc1_weights.hex
expect 3 "" weir sim broken -d "$test_data" --simulator icarus -n 4 --json broken.json
[ "$(jq -r '.runs[-1].first_divergence.kind' broken.json)" = value ] || fail "no divergence in the report"
is simulation broken.json

expect 0 "" weir compile "$models/mlp_qdq.onnx" -o fast --device ecp5-25k --json fast.json
expect 0 "" weir compile "$models/mlp_qdq.onnx" -o forty --device gw1nr-9 --target-interval 512 --json forty.json
is estimate fast.json forty.json
expect 0 "" weir check "$affine/ternary_falling.onnx" -d "$affine/ternary_falling.npz" --max-macs 4 --simulator icarus --device ice40up5k --seeds 1 \
    --frames 4 -o small --json whole.json
is simulation whole.json
expect 0 "" weir synth small --device ice40up5k --place --seeds 1 -o placed --json synthesis.json
is synthesis synthesis.json placed/synthesis.json small/synthesis.json
[ "$(jq -r .simulation.status synthesis.json)$(jq -r .proof.status synthesis.json)" = doneproved ] || fail "no simulation, no proof"
expect 0 "" weir synth small --device ice40up5k --frames 0 --json alone.json
is synthesis alone.json
# What both say of one thing is the same.
jq -e --slurpfile whole whole.json '$whole[0].estimate == .estimate and .estimate.nodes[0].node == $whole[0].runs[0].nodes[0].node and
    .fmax_mhz == $whole[0].synthesis.fmax_mhz and .utilization == $whole[0].synthesis.utilization and .interval == $whole[0].folded_interval' \
    synthesis.json >log || fail "check and synth disagree"

# --- explorations ---
files=$E2E_SOURCE/tests/dse
usual="workload,minimal_latency,spatial_mapping_generator,minimal_latency,loma,cost_model"
small() { expect 0 "" weir dse -a "$files/hardware/tpu_like.yaml" -w "$files/workload/mini_resnet_layers.yaml" -m "$files/mapping/tpu_like.yaml" --lpf-limit 4 "$@"; }
small --json dse.json --stages "simple_save{dump_folder=kept},pickle_save{file=all.json},sum,complete_save{dump_folder=kept},$usual"
small --json several.json --stages "general_parameter_iterator{iterations=\"lpf_limit=2|4\"},sum,$usual"
expect 0 "" weir dse --sweep front -w "$models/mlp_qdq.onnx" --device ecp5-25k --json sweep.json
is dse dse.json several.json sweep.json
is dse_saved all.json
jq '.results[0]' dse.json >one_result.json
is dse_result one_result.json
is dse_simple kept/overall_simple.json
is dse_complete kept/conv7x7_complete.json
is front front/front.json

# --- regressions ---
cat >bench <<'END'
#!/bin/sh
case $1 in
good) echo "{\"cycles\": $(cat cycles)}" >"$2" ;;
bad) echo "fir.v:3: error: expected 2, found 9" && exit 3 ;;
lost) exit 4 ;;
slow) sleep 30 ;;
esac
END
chmod +x bench
printf 'name: benches\nmatrix:\n  test: [good, bad, lost, slow]\nsteps:\n  - run: "./bench {test} {report}"\n    inputs: [bench, cycles]\nlimits: {seconds: 1}\n' >suite.yaml
echo 100 >cycles
expect 3 "" weir regress suite.yaml --save-baseline baseline.json --json first.json
echo 200 >cycles
printf 'tolerances: {cycles: "+2%%"}\n' >>suite.yaml
expect 3 "1 number worse" weir regress suite.yaml --against baseline.json --json second.json
is regress first.json second.json
is baseline baseline.json

# --- boards ---
boards_as_built -o sources --sources --json sources.json
is board sources.json sources/board.json
# The options of bringup.sh: one build of the simulator serves both.
expect 0 "" weir bringup "$models/mlp_qdq.onnx" --board icebreaker --sim --benchmark --clock 12 -o board -d "$test_data" -n 2 --json bringup.json
mkdir -p no_sys no_dev
expect 5 "" env WEIR_SYS=no_sys WEIR_DEV=no_dev "$WEIR" run board -d "$test_data" --json red.json
is bringup bringup.json red.json
fake_machine
fake_usb 1-1 0403:6010 "" "iCEBreaker V1.0e"
fake_tty ttyUSB1 1-1 1 ftdi_sio 16
weir doctor --json doctor.json >log 2>&1 || true
weir doctor --board ulx3s-25f --json missing.json >log 2>&1 || true
is doctor doctor.json missing.json
unset WEIR_SYS WEIR_DEV

# --- the rest ---
expect 0 "" weir opt "$affine/gemm_bn_relu.onnx" -p "onnx_runtime{dir=ort frames=2}"
is compare ort/compare.json
prints cache.json cache show --json
is cache cache.json
[ -z "$(is_all_used)" ] || fail "schemas without a sample: $(is_all_used)"

# --- the pages ---
for file in "$folder"/*.schema.json; do
    file=$(basename "$file" .schema.json)
    grep -q "^| \[\`$file\`\]($file.schema.json) |" "$folder/README.md" || fail "README.md has no row of $file"
done
[ "$(grep -c '^| \[`' "$folder/README.md")" = "$(find "$folder" -name '*.schema.json' | wc -l)" ] || fail "README.md has other rows"

if "$python" -c 'import jsonschema' 2>/dev/null; then
    cat >peers.py <<'END'
import json, pathlib, sys
import jsonschema, referencing

folder = pathlib.Path(sys.argv[1])
schemas = {path.name: json.loads(path.read_text()) for path in folder.glob("*.schema.json")}
registry = referencing.Registry().with_resources((name, referencing.Resource.from_contents(s)) for name, s in schemas.items())
found, wrong = 0, 0
for schema in schemas.values():
    jsonschema.Draft202012Validator.check_schema(schema)
for line in pathlib.Path("samples").read_text().splitlines():
    name, path = line.split(" ", 1)
    validator = jsonschema.Draft202012Validator(schemas[name + ".schema.json"], registry=registry)
    value = json.loads(pathlib.Path(path).read_text())
    for error in validator.iter_errors(value):
        print(path, error.json_path, error.message[:300])
        wrong += 1
    one = value[0] if isinstance(value, list) else value
    one["planted"] = [[]]
    found += any(validator.iter_errors(value))
samples = len(pathlib.Path("samples").read_text().splitlines())
print(f"{len(schemas)} schemas, {samples} samples, {wrong} wrong, {found} planted keys found")
sys.exit(wrong > 0 or found != samples)
END
    expect 0 " 0 wrong" "$python" peers.py "$folder"
else
    echo "not compared with jsonschema, which $python does not have (WEIR_PYTHON names another interpreter)"
fi
finish
