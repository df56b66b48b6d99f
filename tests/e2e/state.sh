#!/bin/sh
# --state IN=OUT: a network of one step remembers on the chip from frame to frame. The float engine gives what ONNX Runtime gives step after step, the hardware the integer engine's bits.
name=state
. "$(dirname "$0")/lib.sh"
folder=$E2E_SOURCE/tests/models/recurrent
pairs() { case $1 in step_lstm) echo "--state h0=hn --state c0=cn" ;; *) echo "--state cache_in=cache_out" ;; esac; }

for model in step_lstm step_conv; do
    x=$folder/$model.npz:x
    for states in "$(pairs $model)" "--state auto"; do
        for threads in 1 3; do
            # shellcheck disable=SC2086 # words
            expect 0 "" weir eval "$folder/$model.onnx" -e float $states --threads $threads -d "$x" -o y.npy
            array_tool equal y.npy "$folder/$model.npz:expected" 1e-5 || fail "$model, $states, $threads threads"
        done
    done
    # A frame behind others is not what it is alone.
    array_tool rows "$x" first.npy 1
    # shellcheck disable=SC2046 # words
    expect 0 "always +24 +0 of " weir check "$folder/$model.onnx" -q int8 -c "$x" -d "$x" --simulator icarus $(pairs $model)
    expect 0 "half +24 +0 of " weir check "$folder/$model.onnx" -q int8 -c "$x" -d "$x" --simulator icarus --profile half --debug-frames 2
    grep -q "is kept on the chip from frame to frame" output || fail "$model: the report does not name what was found"
    # Left to the host, they are inputs and outputs.
    expect 1 "no data for input '.*', one of the model's" weir eval "$folder/$model.onnx" -e float --state none -d "$x"
done

# Exported, the states are inputs and outputs again, of the quantized network too: the same bits. Loops inside of a frame have no such form.
for model in step_lstm step_conv; do
    x=$folder/$model.npz:x
    for scheme in "" "-q int8 -c $x"; do
        engine=int
        [ -n "$scheme" ] || engine=float
        # shellcheck disable=SC2046,SC2086 # words
        {
            expect 0 "" weir export "$folder/$model.onnx" $(pairs $model) $scheme -o exported.onnx
            expect 0 "" weir eval "$folder/$model.onnx" -e $engine $(pairs $model) $scheme -d "$x" -o y.npy
            expect 0 "" weir eval exported.onnx -e $engine $(pairs $model) -d "$x" -o again.npy
        }
        array_tool same y.npy again.npy || fail "$model exported, $engine"
    done
done
array_tool plant again.npy wrong.npy 5
if array_tool same y.npy wrong.npy; then fail "a wrong value is not seen"; fi
expect 1 "node 'lstm_h_before' .* cannot be exported: it is part of a loop over time" weir export "$folder/lstm.onnx" -o loop.onnx

# Sequences: each starts afresh, and a frame that is too short or too long begins one.
x=$folder/step_lstm.npz:x
expect 0 "" weir eval "$folder/step_lstm.onnx" -e float --sequence 1 -d "$x" -o y.npy
expect 0 "" weir eval "$folder/step_lstm.onnx" -e float --state auto -d first.npy -o alone.npy 
expect 0 "half, malformed +24 +0 of " weir check "$folder/step_lstm.onnx" -q int8 -c "$x" -d "$x" --simulator icarus --profile half --sequence 5 --malformed
expect 2 "sequence needs a state that is kept" weir eval "$folder/step_lstm.onnx" -e float --sequence 2 --state none -d "$x"
expect 1 "a sequence of 2 frames: the model keeps no state" weir eval "$folder/lstm.onnx" -e float --sequence 2 -d "$folder/lstm.npz:x"

# Planted: a State that forgets. Its first frame is right.
x=$folder/step_lstm.npz:x
expect 0 "kept from frame to frame" weir compile "$folder/step_lstm.onnx" -q int8 -c "$x" -o planted
sed 's/\.KEPT *(1)/.KEPT(0)/' planted/rtl/step_lstm.v >forgets.v
cmp -s forgets.v planted/rtl/step_lstm.v && fail "nothing is planted"
cp forgets.v planted/rtl/step_lstm.v
expect 3 "first divergence at node '[a-z0-9_]*': wrong value at frame 1" weir sim planted -d "$x" --frames 2 --simulator icarus

refused() { # PATTERN STATES
    expect 1 "$1" weir compile "$folder/step_lstm.onnx" -q int8 -c "$x" --state "$2" -o bad
    [ ! -e bad ] || fail "a refused state leaves a folder: $2"
}
refused "state 'h0': expected IN=OUT" h0
refused "the model has no input 'h1'" h1=hn
refused "the model has no output 'hm'" h0=hm
expect 1 "the model has no output 'hm'" weir eval "$folder/step_lstm.onnx" --state h0=hm -d "$x"
if grep -q "runs it as it is" output; then fail "a note blames what is not wrong"; fi
refused "state 'h0=y': expected one type, or more entries along an axis, found float32\[1,1,8\] and float32\[1,4\]" h0=y
finish
