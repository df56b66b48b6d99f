/* Pictures of results as SVG that any browser opens. */
#ifndef WEIR_DSE_PICTURE_H
#define WEIR_DSE_PICTURE_H

#include "dse/result/result.h"
#include "support/text/text.h"

/* Energy and latency of each result: a bar for the array and each memory, of parts by operand; below a bar of the
 * cycles, of parts by what they are spent on. */
void weir_dse_picture_bars(const weir_dse_result *results, size_t count, weir_text *svg);
/* The memories, what they hold, and how they are connected. */
void weir_dse_picture_hierarchy(const weir_dse_accelerator *accelerator, weir_text *svg);
/* The loop nests: of each layer the loops, the outermost first, those of the array as parfor, beside them the memory
 * that holds each operand's data of the loops that it spans. */
void weir_dse_picture_nests(const weir_dse_result *results, size_t count, weir_text *svg);
/* The loop nest as text, the outermost loop first, with the memory of each operand, then what runs side by side. */
void weir_dse_picture_loops(const weir_dse_evaluation *evaluation, weir_text *text);

#endif
