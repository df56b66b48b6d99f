from random_graph import broadcast


def graph(random):
    return broadcast(random, "Or", "bool", "random 0 1")
