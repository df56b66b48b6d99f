from random_graph import RandomGraph, matrices


def graph(random):
    g = RandomGraph(random)
    for _ in range(8):
        a, b = matrices(random)
        g.node("MatMul", [g.input("float32", a), g.input("float32", b)])
    return g.result()
