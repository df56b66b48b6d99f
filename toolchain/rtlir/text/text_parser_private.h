/* What the two files of the text form's parser share: text_parse.c reads declarations, text_body.c statements. */
#ifndef WEIR_RTLIR_TEXT_PARSER_H
#define WEIR_RTLIR_TEXT_PARSER_H

#include "rtlir/text/text_scan_private.h"

/* Where something of a module starts in the text. */
typedef struct rtl_spot {
    const char *at; /* NULL: there is none */
    int line;
} rtl_spot;

typedef struct rtl_section {
    uint32_t module;
    rtl_spot instances, body;
} rtl_section;

/* The comments and attributes above an item. */
typedef struct rtl_above {
    const char *comment; /* interned, or NULL */
    rtl_attribute *attribute;
    size_t count, capacity;
} rtl_above;

/* A transition to a state that may be declared further down. */
typedef struct rtl_lead {
    uint32_t stmt;
    const char *name; /* with those of inner machines before it, joined by dots */
    int line;
} rtl_lead;

/* A block that is being read. */
typedef struct rtl_open {
    uint32_t block;
    uint32_t labels;  /* items after its own that get copies of it */
    bool is_broken;   /* of an if whose head is wrong: its statements are read as those of the block around it */
    bool is_reset;    /* what a process with a reset does otherwise */
    bool is_implicit; /* it has no bracket of its own: the else of an else if, a process around its reset */
} rtl_open;

/* The reset value that a variable is declared with. */
typedef struct rtl_start {
    uint32_t value; /* expression; 0: none */
    int line;
    bool is_used;
} rtl_start;

/* A group of the module, or of that of an instance in it. */
typedef struct rtl_group_ref {
    uint32_t group, instance;
} rtl_group_ref;

typedef struct rtl_assignment {
    weir_rtl_block block;
    weir_rtl_timing timing;
} rtl_assignment;

typedef struct rtl_parser {
    rtl_scan scan;
    rtl_section *section;
    size_t sections, section_capacity;
    uint32_t implicit; /* the origin of the line that was read last */
    uint32_t *origin;  /* ids by number - 1 */
    size_t origins, origin_capacity;
    rtl_labels namesakes; /* modules by name, scope being their number */
    rtl_above above;
    rtl_open *open; /* blocks around the one being read */
    size_t open_count, open_capacity;
    rtl_start *start; /* by variable */
    size_t starts, start_capacity;
    size_t copies;  /* statements that several labels share */
    rtl_lead *lead; /* transitions of the machine being read */
    size_t leads, lead_capacity;
    uint32_t current; /* the variable that holds its state, or 0 */
} rtl_parser;

/* Reads the comments and attributes above an item; false after an error. */
bool rtl_parse_above(rtl_parser *p);
/* The next item of a block: its comments and attributes, and where it starts. False after the block's end, and after an
 * error that ends reading. */
bool rtl_next_item(rtl_parser *p, rtl_spot *start);
/* `@3`, which the items made next come from; without it they come from this line. */
void rtl_begin_origin(rtl_parser *p, uint32_t trail);
bool rtl_parse_origin(rtl_parser *p);
/* Gives the item the comments and attributes read above it; false when it could not be made. */
bool rtl_finish_item(rtl_parser *p, weir_rtl_item item);
/* Makes an instance, whose name has been read; none after an error. */
weir_rtl_instance rtl_declare_instance(rtl_parser *p, const char *name);
/* What an instance gives a parameter. */
bool rtl_parse_value(rtl_scan *s, weir_rtl_instance instance, const char *name);
/* Reading continues where this section of the module starts. */
void rtl_go_to(rtl_scan *s, uint32_t module, rtl_spot where);
/* After an error in the line that starts at `start`: reading continues after it, or at a closing bracket in it that is
 * not read yet. `opened` blocks of the line are read; the number of those that are not, with their brackets ahead.
 * False when reading cannot continue. */
bool rtl_recover(rtl_parser *p, rtl_spot start, size_t opened, size_t *unopened);
/* The same where a line is a declaration, with everything inside it. */
bool rtl_recover_line(rtl_parser *p, rtl_spot start);
/* Past the ends of blocks whose brackets were not read as such. */
bool rtl_skip_blocks(rtl_parser *p, size_t depth);
/* The statements of a module. */
bool rtl_parse_body(rtl_parser *p, const rtl_section *from);

/* text_expand.c; false after a reported error. */
bool rtl_parse_start(rtl_parser *p, rtl_var *model, uint32_t *start);
void rtl_declare_start(rtl_parser *p, uint32_t var, uint32_t value);
bool rtl_close_reset(rtl_parser *p, uint32_t rest);
bool rtl_check_starts(rtl_parser *p);
bool rtl_close_labels(rtl_parser *p, uint32_t body, uint32_t count);
bool rtl_scan_group(rtl_scan *s, rtl_group_ref *ref);
bool rtl_assign_groups(rtl_parser *p, const rtl_group_ref *left, const rtl_assignment *how);

#endif
