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
fi
finish
