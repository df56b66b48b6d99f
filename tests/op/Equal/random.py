from random_graph import broadcast


def graph(random):
    return broadcast(random, "Equal")
