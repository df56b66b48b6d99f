from random_graph import unary


def graph(random):
    return unary(random, "Acosh", data="random 1 6")
