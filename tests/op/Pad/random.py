from random_graph import RandomGraph


def graph(random):
    g = RandomGraph(random)
    for _ in range(8):
        shape = [random.randint(2, 4) for _ in range(random.randint(1, 3))]
        mode = random.choice(["constant", "constant", "reflect", "edge"])
        least = -1 if mode == "constant" else 0
        pads = [random.randint(least if s > 2 else 0, 1) for s in shape * 2]
        inputs = [g.input("float32", shape), g.sizes("", pads)]
        if mode == "constant" and random.random() < 0.5:
            inputs.append(g.constant("float32", [], [0.5]))
        g.node("Pad", inputs, mode=mode)
    return g.result()
