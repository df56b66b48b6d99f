#!/bin/sh
# What `eval` and `check` say about labelled data: accuracy of classifiers whose output is a label, R2 and RMSE of regressors. The expected
# scores are scikit-learn's (tests/models/scores).
name=scores
. "$(dirname "$0")/lib.sh"
folder=$E2E_SOURCE/tests/models/scores

while read -r model want; do
    weir eval "$folder/$model.onnx" --engine float --data "$folder/$model.npz" -o out.npz 2>output || fail "eval $model"
    grep -v '^note:' output | grep -qF "$want" || { fail "$model: expected '$want'"; cat output >&2; }
    [ "$(grep -cv '^note:' output)" = 1 ] || { fail "$model: more is said"; cat output >&2; }
done <"$folder/expected.txt"
[ "$(wc -l <"$folder/expected.txt")" -ge 7 ] || fail "few models"

# Labels in the model's own words, as text of each kind and as the numbers that its words are; words that it does not know are wrong.
while read -r model data want; do
    weir eval "$folder/$model.onnx" --engine float --data "$folder/$data.npz" -o out.npz >output 2>&1 || fail "eval $data"
    grep -qF "accuracy $want % of" output || { fail "$data: expected $want"; cat output >&2; }
done <<END
names names_bytes 90.67
names names_big_endian 90.67
numerals numerals_int 97.75
names names_misspelt 88.00
END
grep -q "warning: 2 labels name no class of the model, the first 'setossa'; these count as wrong" output || fail "no warning"
grep -q "did you mean 'setosa'" output || fail "no suggestion"
weir import "$folder/names.onnx" -o names.weir 2>/dev/null
expect 0 "accuracy 90.67" "$WEIR" eval names.weir --engine float --data "$folder/names.npz" -o out.npz

# Labels by another number: a score that is another one.
weir eval "$folder/three_classes.onnx" --engine float --data "$folder/other_numbers.npz" -o out.npz >output 2>&1 && fail "data of another model"
# The integer network of a regressor and its hardware: the figures of all three, which the report has too.
if command -v iverilog >/dev/null; then
    weir check "$folder/regression.onnx" --threads 2 --quantize int8 --calibration "$folder/regression.npz" --data "$folder/regression.npz" \
        --simulator icarus --json report.json >output 2>&1 || { fail "check of a regressor"; cat output >&2; }
    grep -Eq 'error +float R2 0.4918, RMSE 59.21; integer R2 0.49[0-9]+, RMSE 59.[0-9]+; hardware R2' output || fail "no figures"
    grep -q 'same class' output && fail "numbers are called classes"
    grep -q '"rmse": 59' report.json || fail "no figures in the report"
    # An autoencoder: NumPy's area under the ROC curve of the errors between its expected outputs and its inputs.
    model=$E2E_SOURCE/tests/models/conv/autoencoder_qdq
    printf '1\n0\n0\n1\n1\n0\n1\n0\n0\n0\n1\n0\n' >labels.csv
    coder="$model.onnx --data x=$model.npz:x --simulator icarus --debug-frames 0"
    # shellcheck disable=SC2086 # words
    {
        expect 0 'anomaly +float AUC 0.3714, integer AUC 0.3714, hardware AUC 0.3714' "$WEIR" check $coder --data labels=labels.csv
        expect 0 'accuracy +float [0-9.]+ %, .*largest of 40' "$WEIR" check $coder --data labels=labels.csv --task largest
        expect 0 'not scored' "$WEIR" check $coder --data labels=labels.csv --task none
        expect 0 'error +float R2 1.0000, RMSE 0;' "$WEIR" check $coder --data labels=$model.npz:expected --task regression
        expect 2 "unknown task 'boxes', expected largest, logit" "$WEIR" check $coder --task boxes
        expect 2 "output 'gemm6' has 40 values, which task 'logit' cannot score" "$WEIR" check $coder --task logit
        expect 2 "no output 'y'" "$WEIR" check $coder --output-of y
        expect 0 "" "$WEIR" check $coder --output-of gemm6 --json report.json
    }
    grep -q '"scored_output": "gemm6"' report.json || fail "the report names another output"
fi
finish
