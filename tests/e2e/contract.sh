#!/bin/sh
# --contract: what is written names it, what is not followed is said, and `check` and `eval` say what the other one would change.
# test: seconds=300
name=contract
. "$(dirname "$0")/lib.sh"
need_tools jq
cat >pools.weir <<'END'
weir 1
graph "pools" from "pools.onnx"
input %x : float32[1,2,4,4]
input %y : float32[1,2,4,4]
pool_x: %p = AveragePool(%x) {kernel_shape = [2,2], strides = [2,2]}
    : float32[1,2,2,2]
pool_y: %q = AveragePool(%y) {kernel_shape = [2,2], strides = [2,2]}
    : float32[1,2,2,2]
sum: %s = Add(%p, %q)
    : float32[1,2,2,2]
output s = %s
END
printf 'PK\005\006\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >pools.npz # no constants
awk 'BEGIN { for (i = 0; i < 40; i++) for (j = 0; j < 32; j++) printf "%.4f%s", (i * 29 + j * 17) % 41 / 8 - 2.5, j < 31 ? "," : "\n" }' >x.csv
awk 'BEGIN { for (i = 0; i < 40; i++) for (j = 0; j < 32; j++) printf "%.4f%s", (i * 11 + j * 7) % 37 / 8 - 2, j < 31 ? "," : "\n" }' >y.csv
data="-d x=x.csv -d y=y.csv" quantize="-q int8 -c x=x.csv -c y=y.csv"

# shellcheck disable=SC2086 # words
for contract in model onnxruntime; do
    expect 0 "contract $contract; of 320 outputs [0-9]+ differ by the contract" weir eval pools.weir $quantize $data --contract $contract -o $contract.npy
    expect 0 "  contract $contract; of 320 outputs [0-9]+ differ by the contract" weir check pools.weir $quantize $data --contract $contract --simulator icarus \
        -n 2 --debug-frames 1 --json $contract.json -o $contract
    [ "$(jq -r .contract $contract/host.json)" = $contract ] || fail "host.json does not name the contract $contract"
    jq -e ".contract.name == \"$contract\" and .contract.outputs == 320" $contract.json >/dev/null || fail "the report does not name the contract $contract"
done
# Both say the same number, which is that of the outputs.
for contract in model onnxruntime; do jq .contract.changed_by_other $contract.json; done | uniq >changed
[ "$(wc -l <changed)" = 1 ] || fail "the contracts count differently: $(cat changed)"
if [ "$(cat changed)" = 0 ]; then array_tool same model.npy onnxruntime.npy || fail "the outputs differ, and 0 were said to"
else ! array_tool same model.npy onnxruntime.npy 2>/dev/null || fail "the outputs are the same, and $(cat changed) were said to differ"; fi
# In the text of all graphs, and read back.
for graph in integer hardware; do
    grep -q '^graph .* by onnxruntime' onnxruntime/$graph.weir || fail "$graph.weir does not name the contract"
    ! grep -q '^graph .* by ' model/$graph.weir || fail "$graph.weir of the model's contract names another"
    expect 0 '^graph .* by onnxruntime' weir opt onnxruntime/$graph.weir -p infer_type
done
sed 's/by onnxruntime/by nonsense/' onnxruntime/integer.weir >wrong.weir
cp onnxruntime/integer.npz wrong.npz
expect 1 "wrong.weir:2: error: expected 'by onnxruntime', the contract" weir show wrong.weir
# shellcheck disable=SC2086 # words
expect 0 "warning: node 'pool_x' \(AveragePool\) keeps the model's contract: its kernel adds float32 numbers" \
    weir compile pools.weir $quantize --contract onnxruntime -o with
[ "$(grep -c "keeps the model's contract" output)" = 1 ] || fail "the reason is said more than once"
# shellcheck disable=SC2086 # words
weir compile pools.weir $quantize -o without 2>&1 | grep "keeps the model's" && fail "a warning without --contract onnxruntime"
grep -q "com.microsoft.QLinearAdd" with/*.weir || fail "no kernel in the graphs"
# A model without such operators has nothing to say.
expect 0 "accuracy" weir eval "$models/mlp_qdq.onnx" -d "$test_data" -o out.npy
! grep -q "^contract" output || fail "said though the contracts are the same"
finish
