from random_graph import RandomGraph


def graph(random):
    g = RandomGraph(random)
    for _ in range(6):
        shape = g.shape(0, 4, 36)
        parts = [[1 if random.random() < 0.3 else s for s in shape[random.randint(0, len(shape)) :]] for _ in range(3)]
        g.node("Where", [g.input("bool", parts[0], "random 0 1"), *(g.input("float32", p) for p in parts[1:])])
    return g.result()
