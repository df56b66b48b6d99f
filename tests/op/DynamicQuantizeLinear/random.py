from random_graph import RandomGraph


def graph(random):
    """Ranges of any size, on one side of 0 or around it."""
    g = RandomGraph(random)
    for _ in range(12):
        low, size = random.choice([-1, 0, 1, -0.3]), 10 ** random.uniform(-4, 4)
        shape = g.shape(0, 4)
        x = g.input("float32", shape, f"random {low * size:g} {(low + 1) * size:g}")
        codes = f"uint8[{','.join(map(str, shape))}] integer u8 round=half-even range=[0,255]"
        g.node("DynamicQuantizeLinear", [x], 3, [codes, "?", "?"])
    return g.result()
