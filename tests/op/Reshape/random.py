from random_graph import RandomGraph, product


def graph(random):
    g = RandomGraph(random)
    for _ in range(8):
        shape = g.shape(1, 4, 36)
        to, rest = [], product(shape)
        while rest > 1 and len(to) < 4:
            size = random.choice([d for d in range(1, rest + 1) if rest % d == 0])
            to.append(size)
            rest //= size
        to.append(rest)
        if random.random() < 0.5:
            to[random.randrange(len(to))] = -1
        elif to[0] == shape[0]:
            to[0] = 0
        g.node("Reshape", [g.input("float32", shape), g.sizes("", to)])
    return g.result()
