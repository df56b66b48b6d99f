from random_graph import unary


def graph(random):
    return unary(random, "Log", "random 0.1 9")
