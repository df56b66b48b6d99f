from random_graph import RandomGraph


def graph(random):
    g = RandomGraph(random)
    for _ in range(8):
        shape = g.shape(1, 4)
        axis, keep = random.randrange(len(shape)), random.randint(0, 1)
        kept = shape[:axis] + [1] * keep + shape[axis + 1 :]
        types = f"int64[{','.join(str(s) for s in kept)}] integer s64 range=[0,{shape[axis] - 1}]"
        x = g.input("float32", shape, [random.randint(-3, 3) for _ in range(48)])
        g.node("ArgMin", [x], types=types, axis=axis - random.choice([0, len(shape)]), keepdims=keep, select_last_index=random.randint(0, 1))
    return g.result()
