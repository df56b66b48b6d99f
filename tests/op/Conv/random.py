from random_graph import RandomGraph, convolution


def graph(random):
    g = RandomGraph(random)
    for image, weights, attributes in convolution(random):
        inputs = [g.input("float32", image), g.constant("float32", weights)]
        if random.random() < 0.5:
            inputs.append(g.constant("float32", weights[:1]))
        g.node("Conv", inputs, **attributes)
    return g.result()
