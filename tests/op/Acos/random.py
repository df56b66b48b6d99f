from random_graph import unary


def graph(random):
    return unary(random, "Acos", data="random -1 1")
