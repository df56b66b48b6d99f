#!/bin/sh
# --decode INPUT=AXIS: a causal network over whole sequences takes a step a frame, with its caches on the chip. The float engine gives what ONNX Runtime gives for the
# whole sequence, the integer engine and the hardware the bits of the quantized network's own whole form. Words, 6 or at night 72, are chosen from what the simulated hardware gives.
name=decode
. "$(dirname "$0")/lib.sh"
folder=$E2E_SOURCE/tests/models/transformers tokens=$E2E_SOURCE/tests/models/transformers/decoder.npz:tokens steps=8

expect 0 "" weir eval "$folder/decoder.onnx" -e float --decode tokens=1 -d "$tokens" -o y.npy
array_tool equal y.npy "$folder/decoder.npz:expected" 1e-4 || fail "the float engine"
expect 0 "" weir eval "$folder/decoder.onnx" -e float --decode tokens=-1 --threads 3 -d "$tokens" -o threads.npy
array_tool same threads.npy y.npy || fail "several threads"
# Shorter sequences, as frames of their own.
array_tool rows y.npy first.npy 4
array_tool csv "$tokens" tokens.csv
head -n 1 tokens.csv | tr ',' '\n' | head -n 4 >four.csv
expect 0 "" weir eval "$folder/decoder.onnx" -e float --decode tokens=1 --sequence 4 -d four.csv -o four.npy
array_tool same four.npy first.npy || fail "a shorter sequence"

# The quantized network: whole, step after step, and in hardware with stalls and damaged frames.
expect 0 "" weir export "$folder/decoder.onnx" -q int8 -c "$tokens" -g quantized -o whole.onnx
expect 0 "" weir eval whole.onnx -d "$tokens" -o whole.npy
expect 0 "" weir eval whole.onnx --decode tokens=1 -d "$tokens" -o steps.npy
array_tool elements steps.npy whole.npy || fail "the integer engine: steps are not the whole form's"
frames=16 debug=2
! is_night || { frames=24 && debug=8; }
expect 0 "half, malformed +$frames +0 of " weir check whole.onnx --decode tokens=1 -d "$tokens" --simulator icarus --profile half --malformed --debug-frames $debug --frames $frames
expect 0 "always +24 +0 of " weir check "$folder/decoder.onnx" --decode tokens=1 -q int8 -c "$tokens" -d "$tokens" --simulator icarus --debug-frames 1 --frames 24

# A prompt of two words, then each step's word is the largest of what the hardware gave for the one before.
expect 0 "" weir compile whole.onnx --decode tokens=1 -o decoder
if is_night; then rows=12; else rows=1; fi
grep -q '"longest": 8' decoder/host.json || fail "host.json does not say how long a sequence is at most"
array_tool csv "$tokens" grown.csv
awk -F, 'NR <= rows { printf "%s,%s", $1, $2; for (i = 3; i <= '$steps'; i++) printf ",0"; print "" }' rows=$rows grown.csv >sequences.csv
at=2
while [ $at -lt $steps ]; do
    tr ',' '\n' <sequences.csv >words.csv
    weir sim decoder -d words.csv --simulator icarus -o grown.npy >sim.txt || fail "the simulation of $at words: $(tail -n 3 sim.txt)"
    array_tool csv grown.npy grown.csv
    awk -F, -v OFS=, -v at=$at -v steps=$steps 'FILENAME == ARGV[1] { if ((FNR - 1) % steps == at - 1) { best = 1; for (i = 2; i <= NF; i++) if ($i > $best) best = i; chosen[++rows] = best - 1 } next }
        { $(at + 1) = chosen[FNR]; print }' grown.csv sequences.csv >longer.csv
    mv longer.csv sequences.csv
    at=$((at + 1))
done
# The whole form chooses the same words.
expect 0 "" weir eval whole.onnx -d sequences.csv -o chosen.npy
array_tool csv chosen.npy chosen.csv
awk -F, -v steps=$steps -v rows=$rows 'FILENAME == ARGV[1] { for (t = 2; t < steps; t++) { best = 1; width = NF / steps; for (i = 1; i <= width; i++) if ($((t - 1) * width + i) > $((t - 1) * width + best)) best = i
            want[FNR, t] = best - 1 } next }
    { for (t = 2; t < steps; t++) { words++; wrong += $(t + 1) != want[FNR, t] } } END { print words " words, " wrong + 0 " others than those of the whole form"; exit wrong > 0 || words != rows * (steps - 2) }' \
    chosen.csv sequences.csv >words.txt || fail "$(cat words.txt)"
cat words.txt

# Planted: a cache that forgets. Its first frame is right.
sed 's/\.KEPT *(1)/.KEPT(0)/' decoder/rtl/whole.v >forgets.v
cmp -s forgets.v decoder/rtl/whole.v && fail "nothing is planted"
cp forgets.v decoder/rtl/whole.v
expect 3 "wrong value at frame 1" weir sim decoder -d words.csv --frames 2 --simulator icarus

refused() { # STATUS PATTERN MODEL DECODE [OPTION ...]
    status=$1 pattern=$2 model=$3 decode=$4
    shift 4
    expect "$status" "$pattern" weir compile "$model" --decode "$decode" "$@" -o bad
    [ ! -e bad ] || fail "what is refused leaves a folder: $decode"
}
refused 1 "the model has no input 'words'" "$folder/decoder.onnx" words=1
refused 1 "expected INPUT=AXIS" "$folder/decoder.onnx" tokens
refused 1 "expected an axis with several steps, found \[1,8\]" "$folder/decoder.onnx" tokens=0
refused 1 "a sequence of 9 frames: the model has room for 8" "$folder/decoder.onnx" tokens=1 --sequence 9
refused 1 "one step at a time: it has a number for each step that is remembered" "$folder/operators.onnx" x=1
refused 1 "one step at a time: it uses another value for each step, which is computed" "$folder/masks.onnx" x=1
refused 1 "one step at a time: it picks steps" "$E2E_SOURCE/tests/models/recurrent/gru.onnx" x=1

# A sequence as long as one likes forgets the oldest words.
expect 0 "" weir eval "$folder/decoder.onnx" -e float --decode tokens=1:ring --sequence 16 -d words.csv -o ring.npy

# Networks of PyTorch, which may not be copied here: decoding is streaming, too.
trained=${WEIR_TRAINED-}/pytorch
if [ -e "$trained/gpt/dynamo.onnx" ]; then
    for form in dynamo script; do
        expect 0 "" weir eval "$trained/gpt/$form.onnx" -e float --decode tokens=1 -d "$trained/gpt/tokens.npy" -o gpt.npy
        expect 0 "" weir eval "$trained/gpt/$form.onnx" -e float -d "$trained/gpt/tokens.npy" -o whole.npy
        array_tool elements gpt.npy whole.npy || fail "gpt, $form"
    done
    expect 0 "always +2 +0 of " weir check "$trained/gpt/dynamo.onnx" --decode tokens=1 -q int8 -c "$trained/gpt/tokens.npy" -d "$trained/gpt/tokens.npy" --frames 2 --simulator icarus --debug-frames 1
fi
finish
