"""ranks.py WEIR [--most N]: every operator of the newest ONNX alone, on inputs of every rank, with no elements too, and of as few and one more inputs.

Most are wrong, and refused; what `eval` and `compile` must not do is to end with a signal, or with a status that does not exist. Prints the number of
models; exit status 1 after such an end."""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper

SHAPES = [[], [1], [3], [0], [2, 3], [1, 0], [2, 3, 4], [1, 2, 4, 4], [1, 2, 3, 4, 5]]
VALUES = {"INT": 1, "FLOAT": 1.0, "STRING": "x", "INTS": [1, 1], "FLOATS": [1.0]}
GRAPHS = {"If", "Loop", "Scan", "SequenceMap"}


def schemas():
    newest = {schema.name: schema for schema in onnx.defs.get_all_schemas() if schema.domain == ""}
    return [newest[name] for name in sorted(newest) if name not in GRAPHS]


def save(schema, inputs, shape):
    attributes = {name: VALUES[a.type.name] for name, a in schema.attributes.items() if a.required and a.type.name in VALUES}
    node = helper.make_node(schema.name, inputs, ["y"], **attributes)
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in inputs]
    graph = helper.make_graph([node], "g", values, [helper.make_empty_tensor_value_info("y")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10), "model.onnx")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("--most", type=int, default=100000, help="models")
    options = parser.parse_args()
    weir = os.path.abspath(options.weir)
    rng = np.random.default_rng(3)
    models = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for schema in schemas():
            for shape in SHAPES:
                least = max(1, schema.min_input)
                for count in sorted({least, min(schema.max_input, least + 1)}):
                    inputs = [f"x{i}" for i in range(count)]
                    if models == options.most or count == 0:
                        continue
                    models += 1
                    save(schema, inputs, shape)
                    frames = shape if shape[:1] == [1] else [1, *shape]
                    for name in inputs:
                        np.save(f"{name}.npy", rng.normal(size=frames).astype(np.float32))
                    data = [word for name in inputs for word in ("--data", f"{name}={name}.npy")]
                    for words in (["eval", "model.onnx", "--engine", "float", *data, "-o", "y.npz"], ["compile", "model.onnx", "-o", "design"]):
                        done = subprocess.run([weir, *words], capture_output=True, text=True)
                        if not 0 <= done.returncode <= 4:
                            failures += 1
                            print(f"{schema.name}, {count} inputs of {shape}: {words[0]} ends with {done.returncode}: {done.stderr[-300:]}")
    print(f"{models} models, {failures} ends that are none")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
