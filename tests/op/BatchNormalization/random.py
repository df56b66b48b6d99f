from random_graph import RandomGraph


def graph(random):
    g = RandomGraph(random)
    for _ in range(6):
        shape = g.shape(2, 4)
        parameters = [g.constant("float32", shape[1:2]) for _ in range(3)] + [g.constant("float32", shape[1:2], "random 0.1 4")]
        g.node("BatchNormalization", [g.input("float32", shape), *parameters], epsilon=round(random.uniform(0, 0.5), 3))
    return g.result()
