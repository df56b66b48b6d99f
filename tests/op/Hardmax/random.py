from random_graph import RandomGraph


def graph(random):
    g = RandomGraph(random)
    for _ in range(8):
        shape = g.shape(1, 4)
        g.node("Hardmax", [g.input("float32", shape, "random -9 9")], axis=random.randrange(-len(shape), len(shape)))
    return g.result()
