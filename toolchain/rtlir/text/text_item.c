/* What any item of the text has: comments and attributes above it, an origin after it; and the lines of instances,
 * which are in a list or in the body. */
#include <stdlib.h>

#include "rtlir/core/formula.h"
#include "rtlir/edit/mutate.h"
#include "rtlir/text/text_parser_private.h"

/* Comments and attributes on the lines above an item; false after an error. */
bool rtl_parse_above(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    p->above.comment = NULL;
    p->above.count = 0;
    while (rtl_scan_space(s) && !s->failed) {
        if (rtl_scan_accept_word(s, "comment")) {
            if (!rtl_scan_string(s)) return false;
            p->above.comment = weir_strings_intern(s->design->strings, s->word.data);
        } else if (rtl_scan_accept_word(s, "attribute")) {
            rtl_attribute attribute = {.name = rtl_scan_name(s), .kind = WEIR_RTL_ATTRIBUTE_FLAG};
            if (attribute.name && rtl_scan_accept(s, '=')) {
                bool is_text = rtl_scan_peek(s, '"');
                attribute.kind = is_text ? WEIR_RTL_ATTRIBUTE_TEXT : WEIR_RTL_ATTRIBUTE_INTEGER;
                if (is_text ? !rtl_scan_string(s) : !rtl_scan_signed(s, &attribute.integer)) return false;
                if (is_text) attribute.text = weir_strings_intern(s->design->strings, s->word.data);
            }
            if (s->failed) return false;
            p->above.attribute =
                weir_grow(p->above.attribute, &p->above.capacity, p->above.count + 1, sizeof *p->above.attribute);
            p->above.attribute[p->above.count++] = attribute;
        } else {
            return true;
        }
        if (!rtl_scan_end_line(s)) return false;
    }
    return !s->failed;
}

/* What the items made next come from, when nothing else is known: this line, and the passes of the trail. */
void rtl_begin_origin(rtl_parser *p, uint32_t trail) {
    weir_rtl_design *design = p->scan.design;
    rtl_origin origin = {.file = p->scan.file, .line = p->scan.line, .trail = trail, .is_implicit = true};
    const rtl_origin *last = &design->origin_entry[p->implicit];
    if (last->line != origin.line || last->trail != trail) {
        p->implicit = RTL_APPEND(design, origin_entry);
        design->origin_entry[p->implicit] = origin;
    }
    design->origin = p->implicit;
}

/* `:12`, a line of the file that the text was written from; the passes are those of the trail. */
static bool parse_from_line(rtl_parser *p, uint32_t trail) {
    rtl_scan *s = &p->scan;
    uint64_t line = 0;
    if (!s->design->from) return rtl_scan_fail(s, "'from' and a file at the start of the text for lines without one");
    if (!rtl_scan_unsigned(s, INT32_MAX, &line)) return false;
    uint32_t id = RTL_APPEND(s->design, origin_entry);
    s->design->origin_entry[id] =
        (rtl_origin){.file = s->design->from, .line = (int)line, .trail = trail, .is_from = true};
    s->design->origin = id;
    return true;
}

/* `@3`, `@:12` or `@3:12`, which the items made next come from. */
bool rtl_parse_origin(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    uint64_t number = 0;
    rtl_begin_origin(p, 0);
    if (!rtl_scan_accept(s, '@')) return !s->failed;
    if (rtl_scan_accept(s, ':')) return parse_from_line(p, 0);
    if (!rtl_scan_unsigned(s, UINT32_MAX, &number)) return false;
    if (number < 1 || number > p->origins) return rtl_scan_fail(s, "the number of an origin before this");
    const rtl_origin *origin = &s->design->origin_entry[p->origin[number - 1]];
    if (s->at < s->end && *s->at == ':') {
        s->at++;
        return parse_from_line(p, origin->trail);
    }
    if (origin->file || origin->line) s->design->origin = p->origin[number - 1];
    else rtl_begin_origin(p, origin->trail);
    return true;
}

/* Gives the item the comments and attributes read above it; false when it could not be made. */
bool rtl_finish_item(rtl_parser *p, weir_rtl_item item) {
    weir_rtl_design *design = p->scan.design;
    if (!item.id) p->scan.failed = true; /* its constructor has said why */
    if (p->scan.failed) return false;
    weir_rtl_set_comment(design, item, p->above.comment);
    for (size_t i = 0; i < p->above.count; i++) {
        const rtl_attribute *a = &p->above.attribute[i];
        if (a->kind == WEIR_RTL_ATTRIBUTE_FLAG) weir_rtl_set_attribute(design, item, a->name);
        else if (a->kind == WEIR_RTL_ATTRIBUTE_TEXT) weir_rtl_set_attribute_string(design, item, a->name, a->text);
        else weir_rtl_set_attribute_integer(design, item, a->name, a->integer);
    }
    p->above.comment = NULL;
    p->above.count = 0;
    return true;
}

/* Goes on to the next item of a block, with the comments and attributes above it; false at its end, and after an error
 * that ends reading. */
bool rtl_next_item(rtl_parser *p, rtl_spot *start) {
    rtl_scan *s = &p->scan;
    for (;;) {
        if (!rtl_scan_space(s)) return rtl_scan_fail(s, "'}'");
        *start = (rtl_spot){s->at, s->line};
        if (rtl_parse_above(p)) break;
        if (!rtl_recover_line(p, *start)) return false;
    }
    if (!rtl_scan_space(s)) return rtl_scan_fail(s, "'}'");
    *start = (rtl_spot){s->at, s->line};
    return !rtl_scan_accept(s, '}');
}

void rtl_go_to(rtl_scan *s, uint32_t module, rtl_spot where) {
    s->at = where.at;
    s->line = where.line;
    s->module = module;
    s->function = 0;
}

/* A text, an integer of any size, a formula of the parent's parameters, or `value` and a constant. */
bool rtl_parse_value(rtl_scan *s, weir_rtl_instance instance, const char *name) {
    if (rtl_scan_accept_word(s, "value")) {
        weir_rtl_set_parameter_expr(s->design, instance, name, rtl_scan_expr(s));
        return !s->failed;
    }
    if (rtl_scan_peek(s, '"')) {
        if (!rtl_scan_string(s)) return false;
        weir_rtl_set_parameter_string(s->design, instance, name, s->word.data);
        return true;
    }
    const uint32_t formula = rtl_scan_formula(s), normal = formula ? rtl_normalize(s->design, formula) : 0;
    int64_t number;
    if (!normal) return false;
    if (rtl_formula_number(s->design, normal, &number)) weir_rtl_set_parameter(s->design, instance, name, number);
    else weir_rtl_set_parameter_by(s->design, instance, name, (weir_rtl_formula){normal});
    return !s->failed;
}

/* `(WIDTH = W + 1, MODE = "fast")` */
static bool parse_values(rtl_scan *s, weir_rtl_instance instance) {
    const size_t errors = s->design->errors;
    if (!rtl_scan_accept(s, '(')) return !s->failed;
    do {
        const char *name = rtl_scan_name(s);
        if (!name || !rtl_scan_expect(s, '=') || !rtl_parse_value(s, instance, name)) return false;
    } while (s->design->errors == errors && rtl_scan_accept(s, ','));
    return s->design->errors == errors && rtl_scan_expect(s, ')');
}

/* `u : leaf#2 (WIDTH = 4) wired`, the name having been read. */
weir_rtl_instance rtl_declare_instance(rtl_parser *p, const char *name) {
    rtl_scan *s = &p->scan;
    weir_rtl_instance none = {0};
    uint64_t number = 1;
    const char *child = name && rtl_scan_expect(s, ':') ? rtl_scan_name(s) : NULL;
    if (!child) return none;
    if (s->at < s->end && *s->at == '#') {
        s->at++;
        if (!rtl_scan_unsigned(s, UINT32_MAX, &number)) return none;
    }
    const rtl_label *label = rtl_labels_find(&p->namesakes, (uint32_t)number, child);
    if (!label) return rtl_scan_fail_name(s, "unknown module", child), none;
    weir_rtl_module parent = {s->module};
    weir_rtl_module module = {label->number};
    rtl_begin_origin(p, 0);
    weir_rtl_instance made = weir_rtl_add_instance(s->design, parent, module, name);
    if (!made.id || !parse_values(s, made)) return none;
    weir_rtl_set_wired(s->design, made, rtl_scan_accept_word(s, "wired"));
    return made;
}
