/* Lines of Verilog: pieces, wrapping, comments, attributes. */
#include <stdlib.h>
#include <strings.h>

#include "rtlir/verilog/printer_private.h"

void rtl_put_blanks(rtl_writer *w, size_t count) {
    static const char blanks[] = "                                ";
    for (; count > sizeof blanks - 1; count -= sizeof blanks - 1) rtl_append(w->text, blanks, sizeof blanks - 1);
    rtl_append(w->text, blanks, count);
}

/* Greedy: wraps at the last mark before the right margin. Marks inside one call's line are few enough to rescan. */
static void wrap_line(rtl_writer *w, const char *line, size_t size) {
    size_t at = 0;
    size_t margin = (size_t)w->indent;
    bool first = true;
    while (at < size) {
        size_t room = w->columns > margin + 20 ? w->columns - margin : 20;
        size_t end = size;
        size_t mark = 0; /* one past the last mark that still fits */
        for (size_t i = at; i < size; i++) {
            if (line[i] != RTL_BREAK) continue;
            if (i - at > room && mark) break;
            mark = i + 1;
            if (i - at > room) break;
        }
        bool wraps = size - at > room && mark;
        if (wraps) end = mark - 1;
        rtl_put_blanks(w, margin);
        for (size_t i = at; i < end; i++) rtl_put_char(w, line[i] == RTL_BREAK ? ' ' : line[i]);
        rtl_put_char(w, '\n');
        at = wraps ? mark : size;
        margin += first ? RTL_INDENT : 0;
        first = false;
    }
}

void rtl_begin_line(rtl_writer *w, int indent) {
    w->line_start = w->text->size;
    w->indent = indent;
    rtl_put_blanks(w, (size_t)indent);
}

void rtl_end_line(rtl_writer *w) {
    size_t from = w->line_start + (size_t)w->indent;
    size_t size = w->text->size - from;
    char *line = w->text->data + from;
    size_t room = w->columns > (size_t)w->indent + 20 ? w->columns - (size_t)w->indent : 20;
    if (size <= room) {
        for (char *mark = line; (mark = memchr(mark, RTL_BREAK, (size_t)(line + size - mark))) != NULL;) *mark = ' ';
        rtl_put_char(w, '\n');
        return;
    }
    char *copy = weir_malloc(size + 1);
    memcpy(copy, line, size);
    w->text->size = w->line_start;
    wrap_line(w, copy, size);
    free(copy);
}

void rtl_put_line(rtl_writer *w, int indent, const char *line) {
    rtl_put_blanks(w, (size_t)indent);
    rtl_put(w, line);
    rtl_put_char(w, '\n');
}

/* What tools take a comment that begins with them for, or one after a blank, is an instruction. */
static bool is_instruction(const char *line, size_t size) {
    static const char *const words[] = {"verilator", "synopsys", "synthesis", "pragma",     "cadence", "ambit",
                                        "exemplar",  "xilinx",   "altera",    "verific",    "vcs",     "lint_off",
                                        "lint_on",   "coverage", "surefire",  "translate_o"};
    while (size > 0 && (unsigned char)*line <= ' ') line++, size--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (size >= strlen(words[i]) && strncasecmp(line, words[i], strlen(words[i])) == 0) return true;
    return false;
}

void rtl_put_comment(rtl_writer *w, const char *line, size_t size) {
    rtl_put(w, size ? "// " : "//");
    if (is_instruction(line, size)) rtl_put(w, ": ");
    weir_text_plain(w->text, line, size);
    /* A backslash at the end of a line would continue the comment for some preprocessors. */
    if (size && line[size - 1] == '\\') rtl_put(w, " .");
}

void rtl_print_comment(rtl_writer *w, const char *comment, int indent) {
    while (comment && *comment) {
        size_t length = strcspn(comment, "\n");
        size_t room = w->columns - 3 - (size_t)(indent < (int)w->columns / 2 ? indent : (int)w->columns / 2);
        size_t take = length;
        if (take > room) {
            take = room;
            while (take > 0 && comment[take] != ' ') take--;
            if (take == 0) take = strcspn(comment, " \n");
        }
        rtl_put_blanks(w, (size_t)indent);
        size_t shown = take;
        while (shown > 0 && (unsigned char)comment[shown - 1] <= ' ') shown--;
        rtl_put_comment(w, comment, shown);
        rtl_put_char(w, '\n');
        comment += take;
        if (*comment == ' ' || *comment == '\n') comment++;
    }
}

/* ---- attributes, and who asked for lines ---- */

static void tell_line(rtl_writer *w, weir_rtl_item item) {
    for (; w->counted < w->text->size; w->counted++) w->line += w->text->data[w->counted] == '\n';
    w->options->line(w->options->user, w->line, item);
}

/* Attributes are printed where Icarus, Verilator and Yosys all read them; elsewhere they become a comment. */
static bool takes_attributes(const weir_rtl_design *design, weir_rtl_item item) {
    if (item.kind == WEIR_RTL_ITEM_PARAMETER) return design->parameter[item.id].is_local;
    if (item.kind != WEIR_RTL_ITEM_STMT) return true;
    const rtl_stmt *stmt = &design->stmt[item.id];
    const bool in_process = rtl_process_of(design, stmt->block) != 0;
    switch (stmt->kind) {
    case WEIR_RTL_STMT_ALWAYS:
    case WEIR_RTL_STMT_COMBINATIONAL:
    case WEIR_RTL_STMT_LATCH:
    case WEIR_RTL_STMT_INITIAL:
    case WEIR_RTL_STMT_FINAL: return true;
    case WEIR_RTL_STMT_ASSIGN:
    case WEIR_RTL_STMT_IF:
    case WEIR_RTL_STMT_CASE:
    case WEIR_RTL_STMT_FOR: return in_process;
    default: return false;
    }
}

/* ---- attributes ---- */

static bool is_public(const rtl_attribute *attribute) { return strcmp(attribute->name, "verilator_public") == 0; }

/* The attribute, or the first one after it, that is printed as such. */
static uint32_t printed(const weir_rtl_design *design, uint32_t attribute) {
    assert(attribute < design->attribute_count);
    while (attribute && is_public(&design->attribute[attribute])) attribute = design->attribute[attribute].next;
    return attribute;
}

const char *rtl_public_of(const weir_rtl_design *design, const rtl_common *common) {
    static const char *const texts[][2] = {{"flat", " /*verilator public_flat*/"},
                                           {"flat_rd", " /*verilator public_flat_rd*/"},
                                           {"flat_rw", " /*verilator public_flat_rw*/"}};
    uint32_t a = rtl_attributes_of(design, common);
    while (a && !is_public(&design->attribute[a])) a = design->attribute[a].next;
    if (!a) return NULL;
    const char *text = design->attribute[a].text;
    for (size_t i = 0; text && i < sizeof texts / sizeof *texts; i++)
        if (strcmp(text, texts[i][0]) == 0) return texts[i][1];
    return " /*verilator public*/";
}

static bool put_source(rtl_writer *w, const rtl_common *common) {
    const rtl_origin *origin = &w->design->origin_entry[common->origin];
    if (!w->options->source || !origin->file) return false;
    weir_text location = {0};
    weir_text_format(&location, "%s:%d", origin->file, origin->line);
    rtl_put(w, "src = ");
    rtl_print_string(location.data, w->text);
    weir_text_free(&location);
    return true;
}

static void put_attributes(rtl_writer *w, const rtl_common *common) {
    rtl_put(w, "(* ");
    bool first = !put_source(w, common);
    for (uint32_t a = printed(w->design, rtl_attributes_of(w->design, common)); a;
         a = printed(w->design, w->design->attribute[a].next), first = false) {
        const rtl_attribute *attribute = &w->design->attribute[a];
        if (!first) {
            rtl_put_char(w, ',');
            rtl_put_char(w, RTL_BREAK);
        }
        rtl_put(w, attribute->name);
        if (attribute->kind != WEIR_RTL_ATTRIBUTE_FLAG) rtl_put(w, " = ");
        if (attribute->kind == WEIR_RTL_ATTRIBUTE_TEXT) rtl_print_string(attribute->text, w->text);
        else if (attribute->kind == WEIR_RTL_ATTRIBUTE_INTEGER) rtl_print_integer(attribute->integer, w->text);
    }
    rtl_put(w, " *)");
}

/* The same as a comment of its own. */
static void put_remark(rtl_writer *w, const rtl_common *common, int indent) {
    const size_t start = w->text->size;
    put_attributes(w, common);
    char *text = weir_format("%.*s", (int)(w->text->size - start), w->text->data + start);
    for (char *c = text; *c; c++)
        if (*c == RTL_BREAK) *c = ' ';
    w->text->size = start;
    rtl_print_comment(w, text, indent);
    free(text);
}

void rtl_print_above(rtl_writer *w, weir_rtl_item item, const rtl_common *common, int indent) {
    const bool has_source = w->options->source && w->design->origin_entry[common->origin].file;
    const bool has_any = has_source || printed(w->design, rtl_attributes_of(w->design, common)) != 0;
    if (has_any && takes_attributes(w->design, item)) {
        rtl_begin_line(w, indent);
        put_attributes(w, common);
        rtl_end_line(w);
    } else if (has_any) {
        put_remark(w, common, indent);
    }
    if (w->options->line) tell_line(w, item);
}
