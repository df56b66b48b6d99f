#!/bin/sh
# newest.sh CONFORMANCE: the node tests of the onnx package that Python has, or that lies in WEIR_ONNX_NODES. Skipped without
# one; WEIR_PYTHON names another interpreter.
set -u
python=${WEIR_PYTHON:-python3} here=$(dirname "$0")
[ -z "${WEIR_ONNX_NODES-}" ] || export PYTHONPATH="$WEIR_ONNX_NODES"
"$python" -c 'import onnx.backend.test.case.node' 2>/dev/null || {
    echo "skipped: $python has no onnx (WEIR_PYTHON names another interpreter)"
    exit 77
}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$python" -W ignore "$here/make_nodes.py" "$folder" || exit 1
"$python" -c 'import onnx; print("onnx", onnx.__version__)'
"$1" --at-least 1150 "$folder" || exit 1
"$1" --planted --at-least 1150 "$folder" >"$folder/planted.txt" || {
    grep MISSED "$folder/planted.txt"
    exit 1
}
