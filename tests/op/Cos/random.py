from random_graph import unary


def graph(random):
    return unary(random, "Cos", data="random -20 20")
