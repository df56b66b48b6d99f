"""expected.py RUN_OP CASE|FOLDER...: writes what others compute into cases of tests/op: the section `values`, the types that the
graph's nodes leave open ("?"), and the line `reference`. A folder stands for all of its cases, random.txt included. RUN_OP is the program of the build folder: it says what the data is, and
nothing else. A case with `diagnostics`, `refusal`, or with `reference: by hand`, stays as it is. Needs Python with the packages of scripts/peers.txt; the tests themselves do not.

The graph's text is parsed here, and each node is computed on its own: by FOLDER/reference.py where an operator's folder has
one (NumPy: Weir's own operators, `compute(inputs, attributes, input_types, output_types)`), else by qonnx, ONNX Runtime, or onnx.reference where ONNX Runtime has no kernel for
the types. A folder's random.py makes its random.txt first: `graph(random)` is the text of a graph, `data` its lines of data."""

import importlib.util
import pathlib
import random
import re
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

OPSET = 21
LATER = {"Swish": 24, "RMSNormalization": 23}  # operators that are younger
SEED = 1
here = pathlib.Path(__file__).parent
onnxruntime.set_default_logger_severity(4)


# Element types that NumPy has not; floats print as float32, integers as int8.
SMALL = {"int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4, "int2": ml_dtypes.int2, "uint2": ml_dtypes.uint2,
         "float4e2m1": ml_dtypes.float4_e2m1fn, "float8e4m3fn": ml_dtypes.float8_e4m3fn, "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
         "float8e5m2": ml_dtypes.float8_e5m2, "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz, "float8e8m0": ml_dtypes.float8_e8m0fnu}
SMALL = {name: np.dtype(dtype) for name, dtype in SMALL.items()}


def dtype_of(name):
    return SMALL[name] if name in SMALL else np.dtype(name)


def name_of(dtype):
    return next((name for name, small in SMALL.items() if small == dtype), dtype.name)


def is_real(dtype):
    return name_of(dtype).startswith(("float", "bfloat"))


class Case:
    def __init__(self, path):
        self.path = path
        head, *rest = re.split(r"^--- (\w+)\n", path.read_text(), flags=re.M)
        self.head = head
        self.sections = dict(zip(rest[::2], rest[1::2]))
        self.order = rest[::2]

    def write(self):
        if "values" not in self.order:
            self.order.append("values")
        text = self.head + "".join(f"--- {name}\n{self.sections[name]}" for name in self.order)
        self.path.write_text(text)


def parse_attribute(text):
    text = text.strip()
    if text.startswith('"'):
        return text[1:-1]
    number = int
    if text.startswith("float"):
        text, number = text[5:].strip(), float
    if text.startswith("["):
        inside = text[1:-1].strip()
        return [number(t) for t in inside.split(",")] if inside else []
    return number(text)


NODE = re.compile(r"^\S+: (?P<outputs>%.*?) = (?P<op>[\w.]+)\((?P<inputs>[^)]*)\)(?: \{(?P<attributes>.*)\})?")
VALUE = re.compile(r"^(?P<kind>input|constant) %(?P<name>\S+) : (?P<dtype>\w+)\[(?P<shape>[\d,]*)\]")


class Graph:
    def __init__(self, text):
        self.values, self.nodes, self.outputs, self.types = {}, [], [], {}
        open_types = []
        for line in text.splitlines():
            if m := VALUE.match(line):
                shape = [int(t) for t in m["shape"].split(",") if t]
                self.values[m["name"]] = (m["kind"], dtype_of(m["dtype"]), shape)
                self.types[m["name"]] = line.split(" : ", 1)[1]
            elif m := re.match(r"^output (\S+) = %(\S+)", line):
                self.outputs.append((m[1], m[2]))
            elif m := NODE.match(line):
                names = lambda t: [n.strip().lstrip("%") for n in t.split(",") if n.strip()]
                pairs = re.findall(r'(\w+) = ((?:float )?\[[^\]]*\]|"[^"]*"|(?:float )?[^,]+)', m["attributes"] or "")
                attributes = {k: parse_attribute(v) for k, v in pairs}
                inputs = [None if n == "_" else n for n in names(m["inputs"])]
                open_types = names(m["outputs"])
                self.nodes.append((m["op"], inputs, list(open_types), attributes))
            elif line.startswith("    ") and open_types:
                self.types[open_types.pop(0)] = line.strip()[1:].strip()


def read_data(run_op, case, graph):
    out = subprocess.run([run_op, case.path, "--data"], check=True, capture_output=True, text=True).stdout
    data = {}
    for line in out.splitlines():
        name, numbers = line.split(" =", 1)
        if name in graph.values:
            _, dtype, shape = graph.values[name]
            number = float if is_real(dtype) else int
            data[name] = np.array([number(t) for t in numbers.split()], dtype=dtype).reshape(shape)
    return data


used = set()


def module_of(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compute_qonnx(op, inputs, attributes):
    import importlib.metadata

    from qonnx.custom_op.general.bipolar_quant import BipolarQuant
    from qonnx.custom_op.general.multithreshold import MultiThreshold
    from qonnx.custom_op.general.quant import quant
    from qonnx.custom_op.general.trunc import Trunc_v1, Trunc_v2

    used.add(f"qonnx {importlib.metadata.version('qonnx')}")
    if op.endswith(".Quant"):
        mode = attributes.get("rounding_mode", "ROUND")
        return [np.asarray(quant(*inputs, attributes["signed"], attributes["narrow"], mode), np.float32)]
    if op.endswith(".FloatQuant"):
        from qonnx.custom_op.general.floatquant import float_quant

        settings = {"signed": True, "has_inf": False, "has_nan": False, "has_subnormal": False, "saturation": True, **attributes}
        *values, largest = inputs
        return [np.asarray(float_quant(*values, max_val=largest, **settings), np.float32)]
    name = op.rpartition(".")[2]
    classes = {
        "BipolarQuant": (BipolarQuant, {}),
        "MultiThreshold": (MultiThreshold, {"out_dtype": "FLOAT32"}),
        "Trunc": (Trunc_v1 if len(inputs) == 5 else Trunc_v2, {"rounding_mode": "FLOOR"}),
    }
    if name not in classes:
        raise ValueError(f"no reference for {op}")
    operator, needed = classes[name]
    names = [f"i{k}" for k in range(len(inputs))]
    node = helper.make_node(name, names, ["y"], domain="qonnx.custom_op.general", **{**needed, **attributes})
    context = {**dict(zip(names, inputs)), "y": np.zeros_like(inputs[0])}
    operator(node, 1).execute_node(context, None)
    return [np.asarray(context["y"], np.float32)]


def onnx_attributes(op, attributes):
    result = dict(attributes)
    result.pop("layout", None)
    for name in ("to", "output_dtype"):
        if isinstance(result.get(name), str):
            result[name] = helper.np_dtype_to_tensor_dtype(dtype_of(result[name]))
    return result


def compute_onnx(op, inputs, outputs, attributes, constant):
    domain, _, name = op.rpartition(".")
    names = ["" if x is None else f"i{k}" for k, x in enumerate(inputs)]
    node = helper.make_node(name, names, outputs, domain=domain, **onnx_attributes(op, attributes))
    info, initializers = [], []
    for k, x in enumerate(inputs):
        if x is None:
            continue
        if constant[k]:
            initializers.append(numpy_helper.from_array(x, f"i{k}"))
        else:
            info.append(helper.make_tensor_value_info(f"i{k}", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape))
    results = [onnx.ValueInfoProto(name=n) for n in outputs]
    graph = helper.make_graph([node], "g", info, results, initializers)
    imports = [helper.make_opsetid("", LATER.get(name, OPSET)), helper.make_opsetid("com.microsoft", 1), helper.make_opsetid("ai.onnx.ml", 3)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=10)
    feeds = {f"i{k}": x for k, x in enumerate(inputs) if x is not None and not constant[k]}
    kinds = {x.dtype for x in inputs if x is not None} | {dtype_of(attributes[n]) for n in ("to", "output_dtype") if n in attributes}
    try:
        if kinds & set(SMALL.values()):
            raise NotImplementedError("NOT_IMPLEMENTED: of these types ONNX Runtime has some")
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        found = session.run(None, feeds)
        used.add(f"ONNX Runtime {onnxruntime.__version__}")
    except Exception as error:
        missing = ("NOT_IMPLEMENTED", "could not be inferred", "INVALID_GRAPH", "fmod attribute must be true")
        if not any(word in str(error) for word in missing):
            raise
        model.opset_import[0].version = onnx.defs.onnx_opset_version()
        found = ReferenceEvaluator(model).run(None, feeds)
        used.add(f"onnx.reference {onnx.__version__}")
    return [np.asarray(f) for f in found]


def compute_node(folder, graph, node, data):
    op, names, outputs, attributes = node
    inputs = [None if n is None else data[n] for n in names]
    own = here / (op if op.startswith("weir.") else op.rpartition(".")[2]) / "reference.py"
    if own.exists():
        used.add("NumPy (reference.py)")
        types = [graph.types[n] for n in names if n is not None], [graph.types[n] for n in outputs]
        found = module_of(own, "reference").compute(inputs, attributes, *types)
        # whole numbers that the graph has as real ones
        found = [f.astype("float32") if t.startswith("float32") else f for f, t in zip(map(np.asarray, found), types[1])]
    elif op.startswith("qonnx."):
        found = compute_qonnx(op, inputs, attributes)
    else:
        constant = [n is None or graph.values.get(n, ("",))[0] == "constant" for n in names]
        found = compute_onnx(op, inputs, outputs, attributes, constant)
    for name, value in zip(outputs, found):
        data[name] = np.asarray(value)


def type_text(array):
    dtype = array.dtype
    name = name_of(dtype)
    text = f"{name}[{','.join(str(d) for d in array.shape)}]"
    if dtype.kind == "b":
        text += " integer u8"
    elif not is_real(dtype):
        text += f" integer {'u' if name[0] == 'u' else 's'}{name.lstrip('uint')}"
    return text


def quantizer_text(inputs, codes, attributes, data):
    """What the type of a quantizer's integers adds: of one scale, with a zero point that is a constant of the codes' type, or of blocks."""
    if is_real(codes.dtype):
        return ""
    limits = ml_dtypes.iinfo(codes.dtype) if codes.dtype in SMALL.values() else np.iinfo(codes.dtype)
    known = ""
    if not attributes.get("block_size"):
        scale, zero = (data[name] for name in inputs[1:3])
        known = f" scale={float(scale):.17g} zero={int(zero)}"
    return f" round=half-even{known} range=[{int(limits.min)},{int(limits.max)}]"


def fill_types(text, graph, data):
    lines, outputs, k, nodes = [], [], 0, iter(graph.nodes)
    for line in text.splitlines():
        if m := NODE.match(line):
            outputs, k = [n.strip().lstrip("%") for n in m["outputs"].split(",")], 0
            op, inputs, _, attributes = next(nodes)
        elif line.startswith("    ") and line.strip()[0] in ":,":
            if line.strip()[1:].strip() == "?":
                line = f"    {line.strip()[0]} {type_text(data[outputs[k]])}"
                if op == "QuantizeLinear":
                    line += quantizer_text(inputs, data[outputs[k]], attributes, data)
            k += 1
        lines.append(line)
    return "\n".join(lines) + "\n"


def number(x, dtype):
    if not is_real(dtype):
        return str(int(x))
    if dtype in SMALL.values():
        x = np.float32(x)
    text = np.format_float_positional(x, unique=True, trim="-") if np.isfinite(x) and 1e-4 <= abs(x) < 1e9 else repr(float(x))
    if np.isfinite(x) and not 1e-4 <= abs(x) < 1e9 and x != 0:
        text = np.format_float_scientific(x, unique=True, trim="-")
    return "0" if x == 0 else text


def update(run_op, path):
    used.clear()
    case = Case(path)
    if {"diagnostics", "refusal"} & case.sections.keys() or "\nreference: by hand" in case.head:
        return
    graph = Graph(case.sections["graph"])
    data = read_data(run_op, case, graph)
    for node in graph.nodes:
        compute_node(path.parent, graph, node, data)
    case.sections["graph"] = fill_types(case.sections["graph"], graph, data)
    lines = []
    for name, value in graph.outputs:
        array = data[value]
        lines.append(f"{name} = " + " ".join(number(x, array.dtype) for x in array.flatten()))
    case.sections["values"] = "\n".join(lines) + "\n"
    head = [line for line in case.head.splitlines() if line and not line.startswith("reference:")]
    case.head = "\n".join(head + ["reference: " + ", ".join(sorted(used))]) + "\n\n"
    case.write()


def make_random(path):
    module = module_of(path, "random_case")
    source = random.Random(f"{path.parent.name} {SEED}")
    text, data = module.graph(source)
    target = path.parent / "random.txt"
    parts = [f"# random shapes and attributes, seed {SEED} (random.py)\n\n--- graph\n{text}"]
    if data:
        parts.append(f"--- data\n{data}")
    target.write_text("".join(parts))
    return target


def main():
    run_op, *paths = sys.argv[1:]
    paths = [pathlib.Path(p).resolve() for p in paths]
    folders = {p.parent for p in paths if p.name == "random.txt"} | {p for p in paths if p.is_dir()}
    cases = {p for p in paths if p.is_file()}
    for folder in folders:
        if (folder / "random.py").exists():
            cases.add(make_random(folder / "random.py"))
        cases |= {p for p in folder.glob("*.txt")}
    failed = False
    for path in sorted(cases):
        try:
            update(run_op, path)
        except Exception as error:
            failed = True
            print(f"{path}: {type(error).__name__}: {error}", file=sys.stderr)
    return 1 if failed else 0


sys.exit(main())
