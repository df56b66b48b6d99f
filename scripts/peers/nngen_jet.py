"""NNgen's design for the jet classifier, for scripts/bench: writes FOLDER/jet.v, simulates a frame in Icarus and prints its cycles.
usage: nngen_jet.py JET_FLOAT.onnx FOLDER (nngen 1.3.4, veriloggen 2.3.0)

int8 weights and activations, 32-bit sums, a 32-bit AXI port, one multiplier a layer: NNgen's defaults. Memory holds zeros:
the cycles of its state machines do not depend on values."""
import os
import re
import sys

import nngen as ng
import numpy as np
import onnx
import veriloggen
import veriloggen.thread as vthread
import veriloggen.types.axi as axi
from onnx import numpy_helper
from veriloggen import simulation

LAYERS, CHUNK, WORD = ("fc1", "fc2", "fc3", "output"), 64, 32


def constant(kind, values, name):
    variable = ng.variable(kind, shape=values.shape, name=name)
    variable.set_value(values.astype(np.float64))
    return variable


def network(path):
    tensors = {t.name: numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer}
    x = y = ng.placeholder(ng.int8, shape=(1, 16), name="x")
    for layer in LAYERS:
        w, b = tensors[layer + ".weight"], tensors[layer + ".bias"]
        y = ng.matmul(y, constant(ng.int8, w, layer + "_w"), bias=constant(ng.int32, b, layer + "_b"),
                      scale=constant(ng.int8, np.ones(len(w)), layer + "_s"), transposed_b=True,
                      act_func=ng.relu if layer != LAYERS[-1] else None, dtype=ng.int8, sum_dtype=ng.int32, name=layer)
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
        raise SystemExit("nngen_jet.py: the simulation did not end")
    return int(found.group(1))


def main(path, folder):
    y = network(path)
    design = ng.to_veriloggen([y], "jet", silent=True, config={"maxi_datawidth": WORD})
    design.to_verilog(os.path.join(folder, "jet.v"))
    print(simulate(design, y, folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
