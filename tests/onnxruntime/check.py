"""check.py MODEL.onnx...: each is valid for onnx.checker with full type and shape inference. Exit status 77 when the
package onnx is not installed."""

import sys

try:
    import onnx
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

for path in sys.argv[1:]:
    onnx.checker.check_model(path, full_check=True)
