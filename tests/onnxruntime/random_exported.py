"""Networks that PyTorch exported (exported_networks.py), with ONNX Runtime's quantizers in its settings. The fifth source of random_run.py. A network is
a function of its seed alone."""

import os
import tempfile

import onnx

import exported_networks
from random_models import ort_settings  # noqa: F401: the module stands for random_models

FORMS = ("ort",)


def float_model(seed):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        made = exported_networks.export(seed, path)
        if made is None:
            raise RuntimeError("PyTorch does not export it")
        model = onnx.load(path)
        constants = {value.name for value in model.graph.initializer}  # which may be inputs, too
        data, = [value for value in model.graph.input if value.name not in constants]
        for node in model.graph.node:
            node.input[:] = ["x" if one == data.name else one for one in node.input]
        data.name = "x"  # as frames of one input are called
        return model, {"x": made[0].shape}
