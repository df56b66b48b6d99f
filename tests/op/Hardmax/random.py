from random_graph import along_axis


def graph(random):
    return along_axis(random, "Hardmax")
