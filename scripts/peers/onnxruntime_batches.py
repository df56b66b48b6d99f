"""onnxruntime_batches.py MODEL FRAMES SECONDS: frames a second of ONNX Runtime, one thread, FRAMES a call, all optimizations, by processor
time: the best of five parts of the time. The first axis of inputs and outputs becomes free."""
import sys
import time

import numpy
import onnx
import onnxruntime


def free_batch(model):
    for value in list(model.graph.input) + list(model.graph.output):
        shape = value.type.tensor_type.shape.dim
        if len(shape) > 0 and shape[0].dim_value in (0, 1):
            shape[0].dim_param = "N"


def best_rate(session, feed, frames, seconds):
    best = 0
    session.run(None, feed)
    for _ in range(5):
        start, done = time.process_time(), 0
        while time.process_time() - start < seconds / 5:
            session.run(None, feed)
            done += frames
        best = max(best, done / (time.process_time() - start))
    return best


path, frames, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
model = onnx.load(path)
free_batch(model)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
options.log_severity_level = 3
session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
source = session.get_inputs()[0]
shape = [frames] + [size if isinstance(size, int) else 1 for size in source.shape[1:]]
data = numpy.random.default_rng(1).random(shape, dtype=numpy.float32)
print(f"{best_rate(session, {source.name: data}, frames, seconds):.0f}")
