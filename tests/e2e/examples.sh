#!/bin/sh
# examples.sh EXAMPLE: a folder of tests/examples, as its script or the steps of its Actions file have it. Those that train
# something need packages of PyPI, which WEIR_PYTHON then has.
# test: name=example_rtl_regression seconds=300 -- rtl_regression
# test: name=example_scikit_learn seconds=900 label=nightly -- scikit_learn
# test: name=example_keras seconds=1800 label=nightly -- keras
# test: name=example_brevitas seconds=1800 label=nightly -- brevitas
# test: name=example_notebook seconds=1800 label=nightly -- notebook
example=$1
name=example_$1
. "$(dirname "$0")/lib.sh"
mkdir bin
ln -s "$WEIR" bin/weir
PATH=$work/bin:$PATH
PYTHON=${WEIR_PYTHON:-python3}
export PATH PYTHON
need_modules() {
    "$PYTHON" -c "import $1" 2>/dev/null || { echo "skipped: $PYTHON has not all of $1"; exit 77; }
}
# at_least TEXT PERCENT: an accuracy that the output names after the text.
at_least() {
    awk -v text="$1" -v least="$2" 'index($0, text) { at = index($0, text) + length(text); if (substr($0, at) + 0 >= least) found = 1 }
        END { exit !found }' output || fail "no '$1' of at least $2 %: $(grep -F "$1" output)"
}
cp -r "$E2E_SOURCE/tests/examples/$example" here
cd here

case $example in
rtl_regression)
    need_tools iverilog
    # The packages are there already; what is asked for must be one.
    printf '#!/bin/sh\nfor word; do case $word in update|install|-y|./*) ;; *) dpkg -s "$word" >/dev/null || exit 1 ;; esac; done\n' >"$work/bin/apt-get"
    chmod +x "$work/bin/apt-get"
    awk '/^ *run: \|$/ { inside = match($0, /[^ ]/); next }
        inside && match($0, /[^ ]/) <= inside { inside = 0 }
        inside { print }' ci.yml >steps
    [ "$(grep -c . steps)" -eq 3 ] || fail "the Actions file has other steps: $(cat steps)"
    expect 0 "24 points: 24 right; 0 numbers worse than the baseline" sh -e steps
    grep -q '<testsuite name="skid" tests="24" failures="0"' junit.xml || fail "junit.xml: $(head -3 junit.xml)"
    # A wrong design is wrong, a slower one worse than the baseline.
    cp skid.v right.v
    sed 's/full ? kept : s_data/s_data/' right.v >skid.v
    expect 3 "word [0-9]*: expected" sh -e steps
    sed 's/assign s_ready = !full;/assign s_ready = !full \&\& !(m_valid \&\& m_ready);/; s/full || s_valid;/full || (s_valid \&\& s_ready);/' \
        right.v >skid.v
    expect 1 "24 numbers worse than the baseline" sh -e steps
    ;;
scikit_learn)
    need_modules skl2onnx,sklearn
    expect 0 "integer 98.00 %, hardware 98.00 %" sh run.sh
    at_least "scikit-learn:" 97
    at_least "board " 97
    grep -q "frames     400 frames, 4000 values, 0 differ" output || fail "the simulated board"
    [ -s report.html ] || fail "no report"
    ;;
keras)
    export KERAS_BACKEND=torch
    need_modules keras,torch,onnxscript,sklearn
    expect 0 " 0 of " sh run.sh
    at_least "Keras:" 93
    at_least ", hardware " 92
    ;;
brevitas)
    need_modules torch,brevitas,onnxoptimizer,sklearn
    expect 0 "mapping proved" sh run.sh
    at_least "PyTorch:" 93
    at_least ", hardware " 93
    ;;
notebook)
    need_modules nbclient,ipykernel,skl2onnx,sklearn
    # The module without its wheel (e2e/wheel builds that): the command is found beside it.
    cp -r "$E2E_SOURCE/scripts/packaging/python/weir" weir
    mkdir weir/bin
    ln -s "$WEIR" weir/bin/weir
    "$PYTHON" "$E2E_SOURCE/tests/examples/scikit_learn/train.py" >log 2>&1 || fail "$(cat log)"
    expect 0 "" "$PYTHON" -c 'import nbclient, nbformat
book = nbformat.read("weir.ipynb", 4)
nbclient.NotebookClient(book, timeout=600).execute()
for cell in book.cells:
    for output in cell.get("outputs", []):
        print(output.get("text", ""), output.get("data", {}).get("text/plain", ""), len(output.get("data", {}).get("text/html", "")))'
    grep -q "9[0-9][.][0-9]* % right" output || fail "the accuracy"
    grep -q "('always', 0, [0-9]*)" output || fail "the simulation"
    awk '$NF > 20000 { found = 1 } END { exit !found }' output || fail "no report in place"
    ;;
*) fail "unknown example '$example'" ;;
esac
cd "$work"
finish
