from random_graph import RandomGraph


def graph(random):
    g = RandomGraph(random)
    for _ in range(8):
        shape = g.shape(0, 4, 16)
        repeats = [random.randint(1, 3) for _ in shape]
        g.node("Tile", [g.input(random.choice(["float32", "int64", "float32"]), shape), g.sizes("repeats", repeats)])
    return g.result()
