from random_graph import unary


def graph(random):
    return unary(random, "LeakyRelu", alpha=(0.0, 1.0))
