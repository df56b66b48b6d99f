def compute(inputs, attributes, input_types, output_types):
    return [inputs[0]]
