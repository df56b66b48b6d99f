from random_graph import RandomGraph, product


def graph(random):
    """Few values, so that many are equal: the first of them wins."""
    g = RandomGraph(random)
    for _ in range(10):
        shape = g.shape(1, 4)
        axis = random.randrange(-len(shape), len(shape))
        dtype = random.choice(["float32", "int32", "float32"])
        x = g.input(dtype, shape, [random.randint(-3, 3) for _ in range(product(shape))])
        attributes = {"largest": random.randint(0, 1)} if random.random() < 0.7 else {}
        count = random.randint(1, shape[axis])
        sizes = list(shape)
        sizes[axis] = count
        positions = f"int64[{','.join(map(str, sizes))}] integer s64 range=[0,{shape[axis] - 1}]"
        g.node("TopK", [x, g.sizes("k", [count])], 2, ["?", positions], axis=axis, **attributes)
    return g.result()
