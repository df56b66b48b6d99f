/* The folder that save_graph writes and load_graph reads. */
#ifndef WEIR_PASSES_SAVED_H
#define WEIR_PASSES_SAVED_H

#define WEIR_SAVED_LIST "graphs.yaml" /* "graphs": the names in order; each is NAME.weir with NAME.npz */

#endif
