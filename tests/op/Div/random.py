from random_graph import broadcast


def graph(random):
    return broadcast(random, "Div", data="random 0.5 2")
