from random_graph import unary


def graph(random):
    return unary(random, "Sin", data="random -20 20")
