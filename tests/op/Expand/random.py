from random_graph import RandomGraph


def graph(random):
    g = RandomGraph(random)
    for _ in range(6):
        shape = g.shape(1, 4, 36)
        small = [1 if random.random() < 0.5 else s for s in shape[random.randint(0, len(shape)) :]]
        to = [1 if random.random() < 0.3 else s for s in shape]
        g.node("Expand", [g.input("float32", small), g.sizes("", to)])
    return g.result()
