from random_graph import RandomGraph


def graph(random):
    g = RandomGraph(random)
    for _ in range(8):
        shape, time = g.shape(2, 4), random.randint(0, 1)
        lengths = [random.randint(0, shape[time]) for _ in range(shape[1 - time])]
        g.node("ReverseSequence", [g.input(random.choice(["float32", "int64"]), shape), g.sizes("lengths", lengths)], time_axis=time, batch_axis=1 - time)
    return g.result()
