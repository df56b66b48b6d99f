"""NNgen's design of a float network, for scripts/bench: writes FOLDER/NAME.v, simulates a frame in Icarus and prints its cycles;
with --time it prints the milliseconds of processor time from the file to the Verilog, imports left out.
usage: nngen_design.py NAME FLOAT.onnx FOLDER [--time] (nngen 1.3.4, veriloggen 2.3.0)

A chain of Conv, Gemm, Relu, MaxPool and Flatten. int8 weights and activations, 32-bit sums, a 32-bit AXI port, one multiplier a
layer: NNgen's defaults. Memory holds zeros: the cycles of its state machines do not depend on values."""
import os
import re
import sys
import time

import nngen as ng
import numpy as np
import onnx
import veriloggen
import veriloggen.thread as vthread
import veriloggen.types.axi as axi
from onnx import numpy_helper
from veriloggen import simulation

CHUNK, WORD = 64, 32


def constant(kind, values, name):
    variable = ng.variable(kind, shape=values.shape, name=name)
    variable.set_value(values.astype(np.float64))
    return variable


def weighted(y, node, tensors, relu):
    """A convolution or dense layer with its bias, and the Relu behind it."""
    name, w, b = node.name, tensors[node.input[1]], tensors[node.input[2]]
    common = {"bias": constant(ng.int32, b, name + "_b"), "scale": constant(ng.int8, np.ones(len(b)), name + "_s"),
              "act_func": ng.relu if relu else None, "dtype": ng.int8, "sum_dtype": ng.int32, "name": name}
    if node.op_type == "Gemm":
        return ng.matmul(y, constant(ng.int8, w, name + "_w"), transposed_b=True, **common)
    pads = {a.name: a.ints for a in node.attribute}.get("pads", [0] * 4)
    return ng.conv2d(y, constant(ng.int8, w.transpose(0, 2, 3, 1), name + "_w"), strides=(1, 1, 1, 1),
                     padding=(pads[0], pads[2], pads[1], pads[3]), **common)


def network(path):
    graph = onnx.load(path).graph
    tensors = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    sizes = [d.dim_value or 1 for d in graph.input[0].type.tensor_type.shape.dim]
    shape = (sizes[0], *sizes[2:], sizes[1]) if len(sizes) == 4 else tuple(sizes)
    y = ng.placeholder(ng.int8, shape=shape, name="x")
    for node, following in zip(graph.node, [*list(graph.node)[1:], None]):
        if node.op_type in ("Conv", "Gemm"):
            y = weighted(y, node, tensors, following is not None and following.op_type == "Relu")
        elif node.op_type == "MaxPool":
            kernel, strides = ({a.name: a.ints for a in node.attribute}[key] for key in ("kernel_shape", "strides"))
            y = ng.max_pool_serial(y, ksize=(1, *kernel, 1), strides=(1, *strides, 1))
        elif node.op_type == "Flatten":
            y = ng.reshape(y, [1, -1])
        elif node.op_type != "Relu":
            raise SystemExit("nngen_design.py: %s is not known here" % node.op_type)
    ng.quantize([y], {"x": 32.0}, input_means={"x": 0}, input_stds={"x": 1})
    return y


def simulate(design, y, folder):
    """Cycles from the start command to the end of one frame."""
    size = len(ng.export_ndarray([y], CHUNK)) + (1 << 16)
    bench = veriloggen.Module("test")
    parameters, ports = bench.copy_params(design), bench.copy_sim_ports(design)
    clk, resetn = ports["CLK"], ports["RESETN"]
    rst = bench.Wire("RST")
    rst.assign(veriloggen.Not(resetn))
    memory = axi.AxiMemoryModel(bench, "memory", clk, rst, datawidth=WORD, memimg=np.zeros(1 << 18, dtype=np.int64),
                                memimg_name=os.path.join(folder, "memory.img"), memimg_datawidth=WORD)
    memory.connect(ports, "maxi")
    control = vthread.AXIMLite(bench, "control", clk, rst, noio=True)
    control.connect(ports, "saxi")
    cycle = bench.Reg("cycle", 32, initval=0)
    veriloggen.Seq(bench, "count", clk, rst)(cycle.inc())

    def run():
        for _ in range(100):
            pass
        ng.sim.set_global_addrs(control, size)
        begin = cycle.value
        ng.sim.start(control)
        ng.sim.wait(control)
        print("cycles: %d" % (cycle.value - begin))
        vthread.finish()

    vthread.Thread(bench, "run", clk, rst, run).start()
    bench.Instance(design, "accelerator", params=bench.connect_params(design), ports=bench.connect_ports(design))
    simulation.setup_clock(bench, clk, hperiod=5)
    simulation.setup_reset(bench, resetn, bench.make_reset(), period=100, polarity="low")
    found = re.search(r"cycles:\s*(\d+)", simulation.Simulator(bench).run(outputfile=os.path.join(folder, "bench.out")))
    if not found:
        raise SystemExit("nngen_design.py: the simulation did not end")
    return int(found.group(1))


def main(name, path, folder, *more):
    start = time.process_time()
    y = network(path)
    design = ng.to_veriloggen([y], name, silent=True, config={"maxi_datawidth": WORD})
    design.to_verilog(os.path.join(folder, name + ".v"))
    print("%.0f" % (1000 * (time.process_time() - start)) if more == ("--time",) else simulate(design, y, folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
