from random_graph import RandomGraph


def graph(random):
    g = RandomGraph(random)
    for _ in range(6):
        shape = g.shape(1, 4, 16)
        axis = random.randrange(len(shape))
        parts = [random.randint(1, 3) for _ in range(random.randint(1, 3))]
        whole = shape[:axis] + [sum(parts)] + shape[axis + 1 :]
        g.node("Split", [g.input("float32", whole), g.sizes("", parts)], len(parts), axis=axis - random.choice([0, len(shape)]))
    return g.result()
