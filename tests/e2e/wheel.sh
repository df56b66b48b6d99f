#!/bin/sh
# wheel.sh BUILD: a wheel, installed into a fresh environment and used there: the command, reports as dictionaries, results as
# NumPy arrays (those of the command), failures as exceptions. Needs PyPI.
# test: seconds=1800 label=nightly -- %build
build=$1
name=wheel
. "$(dirname "$0")/lib.sh"
need_tools python3 unzip readelf
python3 -m venv try >log 2>&1 || { echo "no python3-venv"; exit 77; }
try/bin/pip install --quiet numpy >log 2>&1 || { echo "skipped: no PyPI here"; exit 77; }
"$E2E_SOURCE/scripts/package" wheel --build "$build" --to "$work/wheels" >log 2>&1 || { tail -20 log >&2; fail "scripts/package wheel"; }
try/bin/pip install --quiet wheels/weir-*.whl >log 2>&1 || { cat log >&2; fail "installing it"; }
unset WEIR_DATA
expect 0 "^weir [0-9]" try/bin/weir --version
unzip -q -d inside wheels/weir-*.whl
readelf -d inside/weir/bin/weir | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v '^lib[cm][.]so\|^libdl[.]\|^ld-linux' >needed || true
[ ! -s needed ] || { cat needed >&2; fail "the command needs libraries that a machine may not have"; }

cp "$models/mlp_qdq.onnx" model.onnx
cp "$test_data" data.npz
weir eval --engine int model.onnx -d data.npz -o want.npy >/dev/null || fail "weir eval"
cat >use.py <<'END'
import numpy, weir

data = numpy.load("data.npz")
x = data[next(name for name in data.files if data[name].ndim == 2)]
y = weir.evaluate("model.onnx", x, engine="int")
numpy.testing.assert_array_equal(y, numpy.load("want.npy"))
report = weir.check("model.onnx", data="data.npz", frames=16, profile="all", output="design")
assert report["frames"] == 16, report["frames"]
assert all(run["mismatches"] == 0 for run in report["runs"]), report["runs"]
assert any(d["name"] == "ice40up5k" for d in weir.devices()), weir.devices()
page = weir.report("design", output="design.html")
assert "<iframe" in page._repr_html_()
try:
    weir.compile("missing.onnx", output="none")
except weir.Error as error:
    assert error.status == 2 or error.status == 1, error.status
    assert "missing.onnx" in str(error), error
else:
    raise AssertionError("a missing model is no error")
try:
    weir.check("model.onnx", no_such_option=True)
except weir.Error as error:
    assert "--no-such-option" in str(error), error
else:
    raise AssertionError("an unknown option is no error")
print("all of it works")
END
expect 0 "all of it works" try/bin/python use.py
finish
