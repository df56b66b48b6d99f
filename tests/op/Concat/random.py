from random_graph import RandomGraph


def graph(random):
    g = RandomGraph(random)
    for _ in range(8):
        shape = g.shape(1, 4, 16)
        axis = random.randrange(len(shape))
        parts = [shape[:axis] + [random.randint(1, 3)] + shape[axis + 1 :] for _ in range(random.randint(1, 3))]
        g.node("Concat", [g.input("float32", p) for p in parts], axis=axis - random.choice([0, len(shape)]))
    return g.result()
