"""onnxruntime_rate.py MODEL DATA.npy: images a second of ONNX Runtime, one thread, one image at a time, by processor time: fused to
integers, and the operators as they stand (a QDQ model in float32). The better of three rounds each."""
import sys
import time

import numpy
import onnxruntime


def rate(model, level, images):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = level
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    source = session.get_inputs()[0]
    shape = [size if isinstance(size, int) else 1 for size in source.shape]
    frames = [{source.name: image.reshape(shape)} for image in images]
    session.run(None, frames[0])
    best = 0
    for _ in range(3):
        start = time.process_time()
        for frame in frames:
            session.run(None, frame)
        best = max(best, len(frames) / (time.process_time() - start))
    return best


model, data = sys.argv[1:]
images = numpy.load(data).astype(numpy.float32)
levels = onnxruntime.GraphOptimizationLevel
print(f"{rate(model, levels.ORT_ENABLE_ALL, images):.0f} {rate(model, levels.ORT_DISABLE_ALL, images):.0f}")
