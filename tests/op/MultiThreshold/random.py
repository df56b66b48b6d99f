from random_graph import RandomGraph

LAYOUTS = {2: ["NC"], 3: ["NWC", "NCW"], 4: ["NCHW", "NHWC"], 5: ["NCDHW", "NDHWC"]}


def graph(random):
    """Thresholds of whole halves, so that some are met exactly; they need not ascend."""
    g = RandomGraph(random)
    for _ in range(12):
        rank = random.randint(2, 5)
        shape = [random.randint(1, 3) for _ in range(rank)]
        layout = random.choice(LAYOUTS[rank] + [None])
        axis = layout.index("C") if layout else 2 if rank == 3 else 1
        rows = random.choice([1, shape[axis]])
        count = 1
        for size in shape:
            count *= size
        steps = random.randint(1, 7)
        x = g.input("float32", shape, [random.randint(-8, 8) / 2 for _ in range(count)])
        t = g.constant("float32", [rows, steps], [random.randint(-8, 8) / 2 for _ in range(rows * steps)])
        attributes = {} if layout is None else {"data_layout": layout}
        if random.random() < 0.6:
            attributes |= {"out_scale": random.choice([2.0, 0.1, 0.75]), "out_bias": random.choice([-1.0, 0.3, -4.0])}
        g.node("qonnx.custom_op.general.MultiThreshold", [x, t], out_dtype=random.choice(["UINT4", "INT8", "FLOAT32"]), **attributes)
    return g.result()
