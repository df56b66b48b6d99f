"""Post-training quantization with ONNX Runtime's own tool, and runs of its CPU session."""

import collections
import os
import tempfile

import onnx
import onnxruntime as ort
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static


class _Rows(CalibrationDataReader):
    def __init__(self, x):
        self._batches = iter([{"input": x[i:i + 32]} for i in range(0, len(x), 32)])

    def get_next(self):
        return next(self._batches, None)


def quantize(source, target, calib_x, fmt, **extra_options):
    """Static quantization: int8 weights a channel, symmetric; uint8 activations, asymmetric; int32 biases."""
    quantize_static(source, target, _Rows(calib_x), quant_format=fmt, per_channel=True, reduce_range=False,
                    activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
                    calibrate_method=CalibrationMethod.MinMax, extra_options=extra_options)


def session(path, optimized_to=None, level=ort.GraphOptimizationLevel.ORT_ENABLE_ALL, exact=True):
    """A CPU session. `exact` keeps u8 x s8 products out of kernels that add pairs in 16 bits and saturate."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = level
    options.log_severity_level = 3
    if exact:
        options.add_session_config_entry("session.x64quantprecision", "1")
    if optimized_to:
        options.optimized_model_filepath = optimized_to
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def run(path, x, **kw):
    return session(path, **kw).run(None, {"input": x})[0]


def optimized_nodes(path, **kw):
    """What ONNX Runtime executes after its graph optimizations, as {op type: count}."""
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, "optimized.onnx")
        session(path, optimized_to=saved, **kw)
        return dict(collections.Counter(
            (f"{n.domain}." if n.domain else "") + n.op_type for n in onnx.load(saved).graph.node))
