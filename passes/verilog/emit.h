/* What the emission passes share: the design they build and the names of its streams. */
#ifndef WEIR_PASSES_EMIT_H
#define WEIR_PASSES_EMIT_H

#include "dataflow/build.h"
#include "dataflow/library.h"
#include "dataflow/schedule/stream.h"
#include "passes/passes.h"
#include "rtlir/core/expr.h"
#include "rtlir/core/rtl.h"
#include "rtlir/core/stmt.h"
#include "support/file/folder.h"

/* Side data of the module that emit_verilog_top leaves: weir_wires of each stream, by value id of the hardware
 * graph. */
#define WEIR_EMIT_STREAMS "streams"
/* Property of the module: the requested name of the top module; else it is the module's own. */
#define WEIR_EMIT_TOP "wanted top"

/* Property of the module: its folder is one that is written as a whole, which passes do not change. */
#define WEIR_EMIT_WHOLE "whole folder"

/* Opens the module's output folder for writing, which the pass's option `project_dir` sets; NULL after a reported
 * error. */
weir_folder *weir_emit_open(const weir_pass *pass, weir_module *module);
/* "SUB" of it while it is being written, made when absent; heap memory, NULL after a reported error. */
char *weir_emit_folder(const weir_folder *output, const char *sub);
/* Moves the files into place when `fine`, else discards them (NULL is fine). False after an error, or when it was not
 * fine. */
bool weir_emit_close(weir_folder *output, bool fine);
/* Why no top module can have the name, "a reserved word of ..."; NULL: it can. */
const char *weir_emit_refusal(const char *name);
/* The pass's option `top_name`, where it is set, becomes the requested name. False after a reported error. */
bool weir_emit_wish(const weir_pass *pass, weir_module *module);
/* A legal Verilog name for the design's top, from the module's name. */
const char *weir_emit_top_name(weir_rtl_design *design, const weir_module *module);
/* Prefixes of the streams at one side ("s" or "m") of the edge, which are `values`: the side, or when there are several
 * "SIDE_NAME" with the names of the model's inputs or outputs, no two the same. Each and the list are heap memory. */
char **weir_emit_prefixes(const weir_graph *graph, const char *side, const weir_value *values, size_t count);

/* What every emitted design passes through: the pipeline `verilog` (checks and clean-ups), the verifier, and
 * FOLDER/TOP.v. The first one is for the module's own design, below its top; the second one for another design, which
 * it takes over. False after a reported error. */
bool weir_emit_module(weir_pass_context *context, weir_module *module, const char *folder);
bool weir_emit_design(const weir_pass_context *context, weir_rtl_design *design, weir_rtl_module top,
                      const char *folder);

#endif
