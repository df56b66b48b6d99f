from random_graph import RandomGraph


def graph(random):
    g = RandomGraph(random)
    for _ in range(8):
        shape = g.shape(1, 4, 60)
        axes = random.sample(range(len(shape)), random.randint(1, len(shape)))
        steps = [random.choice([1, 1, 2, -1, -2]) for _ in axes]
        ends = [[random.randint(-7, 7) for _ in axes] for _ in range(2)]
        named = [a - len(shape) if random.random() < 0.4 else a for a in axes]
        g.node("Slice", [g.input("float32", shape)] + [g.sizes("", v) for v in (*ends, named, steps)])
    return g.result()
