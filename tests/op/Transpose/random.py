from random_graph import RandomGraph


def graph(random):
    g = RandomGraph(random)
    for _ in range(8):
        shape = g.shape(1, 5, 36)
        g.node("Transpose", [g.input("float32", shape)], perm=random.sample(range(len(shape)), len(shape)))
    return g.result()
