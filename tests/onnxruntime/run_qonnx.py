"""run_qonnx.py MODEL.onnx IN.npy OUT.npy: runs the qonnx package's executor, frame by frame. Exit status 77 when the package is not
installed."""

import sys

import numpy as np

try:
    from qonnx.core.modelwrapper import ModelWrapper
    from qonnx.core.onnx_exec import execute_onnx
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

model = ModelWrapper(sys.argv[1])
name, output = model.graph.input[0].name, model.graph.output[0].name
shape = model.get_tensor_shape(name)
frames = np.load(sys.argv[2]).astype(np.float32)
results = [execute_onnx(model, {name: frame.reshape(shape)})[output] for frame in frames]
np.save(sys.argv[3], np.concatenate(results).astype(np.float32))
