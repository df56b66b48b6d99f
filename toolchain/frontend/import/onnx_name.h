/* Node names that are legal Verilog identifiers, from the names in an ONNX file. */
#ifndef WEIR_ONNX_NAME_H
#define WEIR_ONNX_NAME_H

enum { WEIR_ONNX_NAME_SIZE = 128 };

/* A name for a node of type `op_type` that is `name` in the file (NULL or "": unnamed), by the rules of README.md:
 * "/fc1/Gemm" gives "fc1", "" gives "gemm". Not unique: the graph adds _1, _2. */
void weir_onnx_name_node(const char *name, const char *op_type, char text[WEIR_ONNX_NAME_SIZE]);

/* A name for a graph from its file's name: the part before the first dot. */
void weir_onnx_name_graph(const char *file, char text[WEIR_ONNX_NAME_SIZE]);

#endif
