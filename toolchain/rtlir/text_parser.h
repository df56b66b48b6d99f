/* What the two files of the text form's parser share: text_parse.c reads declarations, text_body.c statements. */
#ifndef WEIR_RTLIR_TEXT_PARSER_H
#define WEIR_RTLIR_TEXT_PARSER_H

#include "rtlir/text_scan.h"

/* Where something of a module starts in the text. */
typedef struct rtl_spot {
    const char *at; /* NULL: there is none */
    int line;
} rtl_spot;

typedef struct rtl_section {
    uint32_t module;
    rtl_spot instances, body;
} rtl_section;

/* What stands above an item. */
typedef struct rtl_above {
    const char *comment; /* interned, or NULL */
    rtl_attribute *attribute;
    size_t count, capacity;
} rtl_above;

/* A transition to a state that may stand further down. */
typedef struct rtl_lead {
    uint32_t stmt;
    const char *name; /* with those of inner machines before it, joined by dots */
    int line;
} rtl_lead;

typedef struct rtl_parser {
    rtl_scan scan;
    rtl_section *section;
    size_t sections, section_capacity;
    uint32_t implicit; /* the origin of the line that was read last */
    uint32_t *origin;  /* ids by number - 1 */
    size_t origins, origin_capacity;
    rtl_labels namesakes; /* modules by name, scope being their number */
    rtl_above above;
    uint32_t *open; /* blocks around the one being read */
    size_t open_count, open_capacity;
    rtl_lead *lead; /* transitions of the machine being read */
    size_t leads, lead_capacity;
    uint32_t current; /* the variable that holds its state, or 0 */
} rtl_parser;

/* What stands above an item; false after an error. */
bool rtl_parse_above(rtl_parser *p);
/* `@3`, which the items made next come from; without it they come from this line. */
bool rtl_parse_origin(rtl_parser *p);
/* Gives the item what stood above it; false when it could not be made. */
bool rtl_finish_item(rtl_parser *p, weir_rtl_item item);
/* Reading goes on where this section of the module starts. */
void rtl_go_to(rtl_scan *s, uint32_t module, rtl_spot where);
/* The statements of a module. */
bool rtl_parse_body(rtl_parser *p, const rtl_section *from);

#endif
