"""make_nodes.py FOLDER: writes the node tests of the installed onnx package as files, a folder each, as libonnx-testdata has
them. What is no tensor is left out."""

import pathlib
import sys

import onnx
from onnx import numpy_helper
from onnx.backend.test.case import node


def write(folder, names, values, kind):
    for index, (value, info) in enumerate(zip(values, names)):
        if not info.type.HasField("tensor_type"):
            continue
        tensor = value if isinstance(value, onnx.TensorProto) else numpy_helper.from_array(value, info.name)
        (folder / f"{kind}_{index}.pb").write_bytes(tensor.SerializeToString())


# Later cases of one name replace earlier ones, as in the package's own generator.
root = pathlib.Path(sys.argv[1])
cases = {case.name: case for case in node.collect_testcases(None)}
for case in cases.values():
    for index, (inputs, outputs) in enumerate(case.data_sets):
        folder = root / case.name / f"test_data_set_{index}"
        folder.mkdir(parents=True, exist_ok=True)
        write(folder, case.model.graph.input, inputs, "input")
        write(folder, case.model.graph.output, outputs, "output")
    (root / case.name / "model.onnx").write_bytes(case.model.SerializeToString())
