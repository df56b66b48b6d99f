"""run_qonnx.py MODEL.onnx IN.npy OUT.npy: runs the qonnx package's executor, frame by frame. Exit status 77 when the package is not
installed."""

import sys

import numpy as np
import onnx

try:
    from qonnx.core.modelwrapper import ModelWrapper
    from qonnx.core.onnx_exec import execute_onnx
    from qonnx.transformation.infer_shapes import InferShapes
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

fixed = onnx.load(sys.argv[1])
for value in [*fixed.graph.input, *fixed.graph.output]:
    if value.type.tensor_type.shape.dim[0].dim_param:  # an open batch: a frame of it
        value.type.tensor_type.shape.dim[0].dim_value = 1
model = ModelWrapper(fixed).transform(InferShapes())
name, output = model.graph.input[0].name, model.graph.output[0].name
shape = model.get_tensor_shape(name)
frames = np.load(sys.argv[2]).astype(np.float32)
results = [execute_onnx(model, {name: frame.reshape(shape)})[output] for frame in frames]
np.save(sys.argv[3], np.concatenate(results).astype(np.float32))
