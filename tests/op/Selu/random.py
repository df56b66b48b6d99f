from random_graph import unary


def graph(random):
    return unary(random, "Selu", alpha=(0.5, 2.0), gamma=(0.5, 2.0))
