from random_graph import RandomGraph


def graph(random):
    g = RandomGraph(random)
    for _ in range(8):
        image = [1, 1, random.randint(1, 4), random.randint(1, 4)]
        inputs = [g.input("float32", image), None]
        if random.random() < 0.5:
            inputs.append(g.constant("float32", [4], [1, 1, random.choice([0.5, 1, 1.5, 2, 3]), random.choice([1, 2, 2.5])]))
        else:
            inputs += [None, g.sizes("", [1, 1, random.randint(1, 6), random.randint(1, 6)])]
        place = random.choice(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
        rounding = random.choice(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
        g.node("Resize", inputs, coordinate_transformation_mode=place, nearest_mode=rounding)
    return g.result()
