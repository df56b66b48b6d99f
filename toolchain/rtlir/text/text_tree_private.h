/* An expression of the text form as it is written, before names and widths mean anything. Nodes come after their
 * operands, and those of a subtree are adjacent, so that no work on a tree needs recursion. */
#ifndef WEIR_RTLIR_TEXT_TREE_H
#define WEIR_RTLIR_TEXT_TREE_H

#include "rtlir/core/private.h"

struct rtl_scan;

typedef enum rtl_node_kind {
    RTL_NODE_NUMBER,      /* text, size: decimal digits without a width; is_negative */
    RTL_NODE_HIGH_Z,      /* 'z, as wide as its neighbour */
    RTL_NODE_VALUE,       /* expr: a constant with a width, a member of an enum, a path */
    RTL_NODE_NAME,        /* text */
    RTL_NODE_STRING,      /* text; of formulas */
    RTL_NODE_OPAQUE,      /* of formulas */
    RTL_NODE_FIELD,       /* a.text */
    RTL_NODE_INDEX,       /* a[b] */
    RTL_NODE_RANGE,       /* a[b:c] */
    RTL_NODE_SELECT,      /* a[b +: c] */
    RTL_NODE_CALL,        /* text(list a to a + b - 1) */
    RTL_NODE_CONCAT,      /* {list a to a + b - 1} */
    RTL_NODE_REPEAT,      /* {a{b}} */
    RTL_NODE_UNARY,       /* op a */
    RTL_NODE_BINARY,      /* a op b */
    RTL_NODE_CONDITIONAL, /* a ? b : c */
    RTL_NODE_CAST,        /* $text(a) */
    RTL_NODE_SIZED /* a'dSIZE, or a'(b): the low bits of a parameter, a formula or a variable; b = 0: the former */
} rtl_node_kind;

typedef struct rtl_node {
    rtl_node_kind kind : 8;
    rtl_base base : 8; /* of sized constants */
    weir_rtl_operator op : 8;
    bool is_negative : 1;
    bool is_number : 1;      /* a number to be known while reading: a bound, a count */
    bool is_flexible : 1;    /* it has no width before somebody gives it one */
    bool is_signed : 1;      /* with `width`: what a flexible one gets */
    uint32_t width, formula; /* formula: of the width, or 0 */
    uint32_t first;          /* of its subtree, which ends with it */
    uint32_t a, b, c, expr;
    int line;
    size_t size;
    const char *text; /* interned, except for numbers */
} rtl_node;

/* What is open while a tree is read: an operator that waits for an operand, or a bracket. */
typedef struct rtl_pending {
    int kind;
    weir_rtl_operator op;
    uint32_t count; /* operands of a list so far */
    int line;
    const char *text;
} rtl_pending;

typedef struct rtl_tree {
    rtl_node *node;
    uint32_t *operand; /* roots that wait for their operator */
    uint32_t *list;
    rtl_pending *pending;
    size_t nodes, node_capacity, operands, operand_capacity, lists, list_capacity, pendings, pending_capacity;
    size_t brackets; /* open ones */
    int mode;
} rtl_tree;

typedef enum rtl_tree_mode {
    RTL_TREE_EXPR,
    RTL_TREE_TARGET, /* no operators outside of brackets */
    RTL_TREE_FORMULA,
    RTL_TREE_OPERAND /* a formula without operators outside of brackets */
} rtl_tree_mode;

/* Reads one into s->tree, whose last node is its root; false after a reported error. Operators bind as in Verilog.
 * Linear. */
bool rtl_read_tree(struct rtl_scan *s, rtl_tree_mode mode);
void rtl_free_tree(rtl_tree *tree);

/* W'hDIGITS and the like, the width having been read, and digits without a width as a constant of this one; none after
 * a reported error. */
weir_rtl_expr rtl_scan_sized(struct rtl_scan *s, const char *width, size_t size);
weir_rtl_expr rtl_number_constant(struct rtl_scan *s, const rtl_node *number, uint32_t width, bool is_signed);
/* The digits after W', of at most 64 bits. */
bool rtl_scan_digits(struct rtl_scan *s, uint64_t *value, bool *is_signed, rtl_base *base);

#endif
