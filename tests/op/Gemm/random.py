from random_graph import RandomGraph


def graph(random):
    g = RandomGraph(random)
    for _ in range(8):
        rows, inner, columns = (random.randint(1, 5) for _ in range(3))
        a, b = (random.randint(0, 1) for _ in range(2))
        inputs = [g.input("float32", [inner, rows] if a else [rows, inner]), g.input("float32", [columns, inner] if b else [inner, columns])]
        if random.random() < 0.7:
            inputs.append(g.input("float32", random.choice([[], [1], [columns], [1, columns], [rows, 1], [rows, columns]])))
        factors = {k: round(random.uniform(-2, 2), 3) for k in ("alpha", "beta") if random.random() < 0.5}
        g.node("Gemm", inputs, transA=a, transB=b, **factors)
    return g.result()
