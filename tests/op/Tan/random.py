from random_graph import unary


def graph(random):
    return unary(random, "Tan", data="random -20 20")
