/* LSTM, GRU and RNN of ai.onnx: one step for all, with a weir.State and a weir.Update for what is remembered
 * (ir/trait/recurrence.h). Gates are products of their own; what depends on the input alone is computed for all steps
 * at once. Where sequences have lengths, steps behind their ends change nothing and give 0. */
#ifndef WEIR_ONNX_RECURRENT_H
#define WEIR_ONNX_RECURRENT_H

#include "frontend/import/onnx_form.h"

/* Rows of the table of onnx_compose.c; the main operator puts the results of the directions together. */
bool weir_onnx_recurrent_lstm(weir_onnx_form *form, weir_value *inputs, size_t *count);
bool weir_onnx_recurrent_gru(weir_onnx_form *form, weir_value *inputs, size_t *count);
bool weir_onnx_recurrent_rnn(weir_onnx_form *form, weir_value *inputs, size_t *count);
void weir_onnx_recurrent_attributes(const weir_onnx_form *form, weir_node node);

#endif
