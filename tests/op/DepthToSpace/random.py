from random_graph import RandomGraph


def graph(random):
    g = RandomGraph(random)
    for _ in range(6):
        size = random.randint(1, 3)
        channels, height, width = (random.randint(1, 2) for _ in range(3))
        shape = [random.randint(1, 2), channels * size * size, height, width]
        attributes = {"blocksize": size}
        if random.random() < 0.6:
            attributes["mode"] = random.choice(["DCR", "CRD"])
        g.node("DepthToSpace", [g.input("float32", shape)], **attributes)
    return g.result()
