from random_graph import RandomGraph, product


def graph(random):
    g = RandomGraph(random)
    for _ in range(8):
        shape, where = g.shape(1, 3, 24), g.shape(0, 2, 6)
        axis = random.randrange(len(shape))
        at = [random.randint(-shape[axis], shape[axis] - 1) for _ in range(product(where))]
        g.node("Gather", [g.input("float32", shape), g.constant("int64", where, at)], axis=axis - random.choice([0, len(shape)]))
    return g.result()
