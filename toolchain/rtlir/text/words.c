/* The words of the text form. */
#include "rtlir/text/words_private.h"

#include "rtlir/core/stmt.h"

const char *const rtl_kind_words[RTL_KIND_WORDS] = {"data", "clock", "reset", "async_reset", "clock_enable"};
const char *const rtl_timing_words[RTL_TIMING_WORDS] = {"assign", "set", "next", "let"};
const char *const rtl_direction_words[4] = {"variable", "input", "output", "inout"};
const char *const rtl_edge_words[2] = {"posedge", "negedge"};
const char *const rtl_assertion_words[RTL_ASSERTION_WORDS] = {"assert", "assume", "cover"};
const char *const rtl_stmt_words[] = {
    [WEIR_RTL_STMT_NONE] = "",
    [WEIR_RTL_STMT_ASSIGN] = "",
    [WEIR_RTL_STMT_INSTANCE] = "instance",
    [WEIR_RTL_STMT_COMMENT] = "remark",
    [WEIR_RTL_STMT_ALWAYS] = "always",
    [WEIR_RTL_STMT_COMBINATIONAL] = "combinational",
    [WEIR_RTL_STMT_LATCH] = "latch",
    [WEIR_RTL_STMT_INITIAL] = "initial",
    [WEIR_RTL_STMT_FINAL] = "final",
    [WEIR_RTL_STMT_FUNCTION] = "function",
    [WEIR_RTL_STMT_IF] = "if",
    [WEIR_RTL_STMT_CASE] = "case",
    [WEIR_RTL_STMT_CASE_ITEM] = "",
    [WEIR_RTL_STMT_FOR] = "for",
    [WEIR_RTL_STMT_BREAK] = "break",
    [WEIR_RTL_STMT_RETURN] = "return",
    [WEIR_RTL_STMT_ASSERT] = "",
    [WEIR_RTL_STMT_FSM] = "fsm",
    [WEIR_RTL_STMT_STATE] = "state",
    [WEIR_RTL_STMT_TRANSITION] = "goto",
};
