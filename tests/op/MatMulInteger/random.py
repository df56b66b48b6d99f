from random_graph import RandomGraph, matrices


def graph(random):
    g = RandomGraph(random)
    for _ in range(8):
        a, b = matrices(random)
        inputs = [g.input("uint8", a, "random 0 255"), g.constant("int8", b, "random -128 127")]
        if random.random() < 0.6:
            inputs.append(g.constant("uint8", [], [random.randint(0, 255)]))
            if random.random() < 0.6:
                inputs.append(g.constant("int8", [] if len(b) > 2 or random.random() < 0.5 else b[-1:], "random -128 127"))
        g.node("MatMulInteger", inputs)
    return g.result()
