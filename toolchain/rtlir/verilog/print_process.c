/* Text of processes, functions and assertions. Verilog-2005 has neither `return` nor `break`: a flag takes their place
 * where statements follow them, which are then under `if (!flag)`. */
#include <stdlib.h>
#include <string.h>

#include "rtlir/analysis/branch.h"
#include "rtlir/verilog/printer_private.h"
#include "support/text/unreachable.h"

static void print_block(rtl_writer *w, uint32_t block, int indent);

/* ---- leaving early ---- */

/* Does the statement, or anything in it, leave the loop or function `around`? */
static bool leaves(const weir_rtl_design *design, uint32_t stmt, uint32_t around) {
    assert(around < design->stmt_count);
    bool is_loop = design->stmt[around].kind == WEIR_RTL_STMT_FOR;
    for (uint32_t s = stmt; s; s = rtl_walk_next(design, s, stmt)) {
        weir_rtl_stmt_kind kind = design->stmt[s].kind;
        if (!is_loop && kind == WEIR_RTL_STMT_RETURN) return true;
        if (!is_loop || kind != WEIR_RTL_STMT_BREAK) continue;
        uint32_t owner = design->block[design->stmt[s].block].owner;
        while (design->stmt[owner].kind != WEIR_RTL_STMT_FOR) owner = design->block[design->stmt[owner].block].owner;
        if (owner == around) return true;
    }
    return false;
}

/* Is the last statement of the block one that leaves, so that nothing after the block runs? */
static bool ends_leaving(const weir_rtl_design *design, uint32_t block) {
    assert(block < design->block_count);
    uint32_t last = design->block[block].last;
    weir_rtl_stmt_kind kind = design->stmt[last].kind;
    return kind == WEIR_RTL_STMT_RETURN || kind == WEIR_RTL_STMT_BREAK;
}

/* `if (a) return x; rest` is printed as if and else. */
static bool takes_rest(const weir_rtl_design *design, const rtl_stmt *stmt) {
    return stmt->kind == WEIR_RTL_STMT_IF && !stmt->other && ends_leaving(design, stmt->body);
}

/* Does leaving skip anything, so that a flag must say that it happened? */
static bool needs_flag(const weir_rtl_design *design, uint32_t around) {
    assert(around < design->stmt_count);
    bool is_loop = design->stmt[around].kind == WEIR_RTL_STMT_FOR;
    if (is_loop) return leaves(design, around, around);
    for (uint32_t s = rtl_walk_next(design, around, around); s; s = rtl_walk_next(design, s, around)) {
        const rtl_stmt *stmt = &design->stmt[s];
        if (stmt->kind == WEIR_RTL_STMT_FOR && leaves(design, s, around)) return true;
        if (stmt->next && stmt->kind != WEIR_RTL_STMT_CASE_ITEM && stmt->kind != WEIR_RTL_STMT_RETURN &&
            leaves(design, s, around) && !takes_rest(design, stmt))
            return true;
    }
    return false;
}

/* The flag is named after the iterator or the function. */
static void put_flag(rtl_writer *w, uint32_t around) {
    assert(around < w->design->stmt_count);
    const rtl_stmt *stmt = &w->design->stmt[around];
    bool is_loop = stmt->kind == WEIR_RTL_STMT_FOR;
    rtl_put_spare(w,
                  is_loop ? w->design->var[rtl_loop_of(w->design, stmt)->iterator].name
                          : rtl_function_of(w->design, stmt)->name,
                  "_done");
}

static void print_flag(rtl_writer *w, uint32_t around, int indent, const char *before, const char *after) {
    rtl_put_blanks(w, (size_t)indent);
    rtl_put(w, before);
    put_flag(w, around);
    rtl_put(w, after);
}

static void print_leave(rtl_writer *w, uint32_t id, int indent) {
    assert(id < w->design->stmt_count);
    const rtl_stmt *stmt = &w->design->stmt[id];
    bool is_return = stmt->kind == WEIR_RTL_STMT_RETURN;
    if (rtl_is_system(w)) {
        rtl_begin_line(w, indent);
        rtl_put(w, is_return ? "return " : "break");
        if (is_return) rtl_print_broken(w, stmt->a);
        rtl_put_char(w, ';');
        rtl_end_line(w);
        return;
    }
    uint32_t process = rtl_process_of(w->design, stmt->block);
    if (is_return) {
        rtl_begin_line(w, indent);
        rtl_put(w, rtl_function_of(w->design, &w->design->stmt[process])->name);
        rtl_put(w, " =");
        rtl_put_char(w, RTL_BREAK);
        rtl_print_broken(w, stmt->a);
        rtl_put_char(w, ';');
        rtl_end_line(w);
        if (needs_flag(w->design, process)) print_flag(w, process, indent, "", " = 1'b1;\n");
        return;
    }
    uint32_t owner = w->design->block[stmt->block].owner;
    while (w->design->stmt[owner].kind != WEIR_RTL_STMT_FOR)
        owner = w->design->block[w->design->stmt[owner].block].owner;
    print_flag(w, owner, indent, "", " = 1'b1;\n");
}

/* The next loop or function around a statement or a loop, 0 at the end. */
static uint32_t around_of(const weir_rtl_design *design, uint32_t stmt) {
    assert(stmt < design->stmt_count);
    if (rtl_is_process(design->stmt[stmt].kind)) return 0;
    uint32_t owner = design->block[design->stmt[stmt].block].owner;
    while (owner && design->stmt[owner].kind != WEIR_RTL_STMT_FOR && !rtl_is_process(design->stmt[owner].kind))
        owner = design->block[design->stmt[owner].block].owner;
    bool is_either =
        design->stmt[owner].kind == WEIR_RTL_STMT_FOR || design->stmt[owner].kind == WEIR_RTL_STMT_FUNCTION;
    return is_either ? owner : 0;
}

static bool leaves_any(const weir_rtl_design *design, uint32_t stmt) {
    for (uint32_t around = around_of(design, stmt); around; around = around_of(design, around))
        if (leaves(design, stmt, around)) return true;
    return false;
}

/* `if (!flag && ...) begin` with the flags of all that the statement may have left, itself included when it is a loop
 * whose next turn this is about. False when there is none. */
static bool print_guard(rtl_writer *w, uint32_t stmt, bool with_itself, int indent) {
    bool any = false;
    for (uint32_t around = with_itself ? stmt : around_of(w->design, stmt); around;
         around = around_of(w->design, around)) {
        if (!leaves(w->design, stmt, around)) continue;
        if (!any) rtl_put_blanks(w, (size_t)indent);
        rtl_put(w, any ? " && !" : "if (!");
        put_flag(w, around);
        any = true;
    }
    if (any) rtl_put(w, ") begin\n");
    return any;
}

/* ---- branches ---- */

static void print_rest(rtl_writer *w, uint32_t stmt, int indent);

static void print_condition(rtl_writer *w, const rtl_stmt *stmt, int indent, const char *before) {
    rtl_begin_line(w, indent);
    rtl_put(w, before);
    rtl_print_broken(w, stmt->a);
    rtl_put(w, ") begin");
    rtl_end_line(w);
}

/* `if (a) begin ... end else if (b) begin ... end else begin ... end`, the chain being walked in a loop. */
static void print_if(rtl_writer *w, const rtl_stmt *stmt, int indent) {
    for (bool chained = false;; chained = true) {
        print_condition(w, stmt, indent, chained ? "end else if (" : "if (");
        print_block(w, stmt->body, indent + RTL_INDENT);
        uint32_t first = stmt->other ? w->design->block[stmt->other].first : 0;
        if (!first) break;
        const rtl_stmt *next = &w->design->stmt[first];
        if (next->kind != WEIR_RTL_STMT_IF || next->next || next->common.extra) {
            rtl_put_line(w, indent, "end else begin");
            print_block(w, stmt->other, indent + RTL_INDENT);
            break;
        }
        stmt = next;
    }
    rtl_put_line(w, indent, "end");
}

static void print_item(rtl_writer *w, uint32_t id, int indent, bool stands_for_rest) {
    assert(id < w->design->stmt_count);
    const rtl_stmt *item = &w->design->stmt[id];
    rtl_print_comment(w, rtl_comment_of(w->design, &item->common), indent);
    rtl_print_above(w, (weir_rtl_item){WEIR_RTL_ITEM_STMT, id}, &item->common, indent);
    rtl_begin_line(w, indent);
    if (!item->a || stands_for_rest) rtl_put(w, "default");
    if (item->a && stands_for_rest) rtl_put(w, " /* ");
    if (item->a) rtl_print_broken(w, item->a);
    if (item->a && stands_for_rest) rtl_put(w, " */");
    rtl_put(w, ": begin");
    rtl_end_line(w);
    print_block(w, item->body, indent + RTL_INDENT);
    rtl_put_line(w, indent, "end");
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* What the labels of a case say about its values: is there one for each, or a default; does none occur twice? */
typedef struct coverage {
    bool is_full, differs;
} coverage;

static coverage cover(const weir_rtl_design *design, const rtl_stmt *stmt) {
    uint32_t width = design->expr[stmt->a].width;
    size_t count = 0, distinct = 0;
    bool has_default = false;
    for (uint32_t i = design->block[stmt->body].first; i; i = design->stmt[i].next) count++;
    uint64_t *value = weir_malloc((count + 1) * sizeof *value);
    count = 0;
    for (uint32_t i = design->block[stmt->body].first; i; i = design->stmt[i].next) {
        if (design->stmt[i].a) value[count++] = design->word[design->expr[design->stmt[i].a].a];
        else has_default = true;
    }
    qsort(value, count, sizeof *value, by_value);
    for (size_t i = 0; i < count; i++) distinct += i == 0 || value[i] != value[i - 1];
    free(value);
    return (coverage){has_default || (width < 32 && distinct == (size_t)1 << width), width <= 64 && distinct == count};
}

/* A case that covers all members of an enum, but not all values of its bits, would be a latch to tools: its last item,
 * which then takes the remaining values. */
static uint32_t item_for_rest(const weir_rtl_design *design, const rtl_stmt *stmt, uint32_t id) {
    weir_rtl_stmt_kind process = design->stmt[rtl_process_of(design, stmt->block)].kind;
    if (process != WEIR_RTL_STMT_COMBINATIONAL && process != WEIR_RTL_STMT_FUNCTION) return 0;
    return weir_rtl_case_is_full(design, (weir_rtl_stmt){id}) ? design->block[stmt->body].last : 0;
}

/* Values without a label get an empty default, which tells tools that this is on purpose. */
static void print_case(rtl_writer *w, uint32_t id, int indent) {
    assert(id < w->design->stmt_count);
    const rtl_stmt *stmt = &w->design->stmt[id];
    const coverage covered = cover(w->design, stmt);
    const uint32_t rest = covered.is_full ? 0 : item_for_rest(w->design, stmt, id);
    bool unique = rtl_is_system(w) && !w->options->plain_case && covered.is_full && covered.differs;
    rtl_begin_line(w, indent);
    rtl_put(w, unique ? "unique case (" : "case (");
    rtl_print_broken(w, stmt->a);
    rtl_put_char(w, ')');
    rtl_end_line(w);
    for (int defaults = 0; defaults < 2; defaults++)
        for (uint32_t i = w->design->block[stmt->body].first; i; i = w->design->stmt[i].next)
            if ((w->design->stmt[i].a == 0) == (defaults == 1)) print_item(w, i, indent + RTL_INDENT, i == rest);
    if (!covered.is_full && !rest) rtl_put_line(w, indent + RTL_INDENT, "default: begin end");
    rtl_put_line(w, indent, "endcase");
}

/* ---- loops ---- */

void rtl_print_loop_head(rtl_writer *w, const rtl_loop *loop, const char *type) {
    const char *name = w->design->var[loop->iterator].name;
    const rtl_size start = {loop->start, loop->formula[0]}, end = {loop->end, loop->formula[1]};
    rtl_size step = {loop->step, loop->formula[2]};
    const bool is_up = loop->step > 0;
    if (!is_up) step = rtl_size_apply(w->design, WEIR_RTL_SUBTRACT, (rtl_size){0}, step);
    weir_text_format(w->text, "for (%s%s%s = ", type, *type ? " " : "", name);
    rtl_print_size(w, start, false);
    weir_text_format(w->text, "; %s %s ", name, is_up ? "<" : ">");
    rtl_print_size(w, end, true);
    weir_text_format(w->text, "; %s = %s %s ", name, name, is_up ? "+" : "-");
    rtl_print_size(w, step, true);
    rtl_put(w, ") begin");
}

void rtl_print_iterator(rtl_writer *w, uint32_t loop, int indent) {
    assert(loop < w->design->stmt_count);
    const rtl_stmt *stmt = &w->design->stmt[loop];
    bool in_process = rtl_process_of(w->design, stmt->block) != 0;
    rtl_put_blanks(w, (size_t)indent);
    rtl_put(w, in_process ? "integer " : "genvar ");
    rtl_put(w, w->design->var[rtl_loop_of(w->design, stmt)->iterator].name);
    rtl_put(w, ";\n");
    if (in_process && needs_flag(w->design, loop)) print_flag(w, loop, indent, "reg ", ";\n");
}

static void print_for(rtl_writer *w, uint32_t id, int indent) {
    assert(id < w->design->stmt_count);
    const rtl_stmt *stmt = &w->design->stmt[id];
    bool has_flag = !rtl_is_system(w) && needs_flag(w->design, id);
    if (has_flag) print_flag(w, id, indent, "", " = 1'b0;\n");
    rtl_begin_line(w, indent);
    rtl_print_loop_head(w, rtl_loop_of(w->design, stmt), rtl_is_system(w) ? "int" : "");
    rtl_end_line(w);
    bool has_guard = !rtl_is_system(w) && print_guard(w, id, true, indent + RTL_INDENT);
    print_block(w, stmt->body, indent + (has_guard ? 2 : 1) * RTL_INDENT);
    if (has_guard) rtl_put_line(w, indent + RTL_INDENT, "end");
    rtl_put_line(w, indent, "end");
}

/* ---- assertions ---- */

static const char *message_of(const rtl_assertion *a) {
    if (a->message) return a->message;
    return a->kind == WEIR_RTL_ASSUME ? "assumption failed" : "assertion failed";
}

/* As an argument for "%s", or as a format itself: $error takes that only. */
static void print_message(rtl_writer *w, const rtl_assertion *a) {
    const char *message = message_of(a);
    weir_text format = {0};
    weir_text_add(&format, "");
    for (const char *c = message; *c; c++) {
        if (*c == '%' && rtl_is_system(w)) weir_text_char(&format, '%');
        weir_text_char(&format, *c);
    }
    rtl_print_string(format.data, w->text);
    weir_text_free(&format);
}

/* SystemVerilog: what a failure does. The call comes first, because $error may end the simulation. */
static void print_failure(rtl_writer *w, const rtl_assertion *a) {
    rtl_put(w, a->call ? " else begin" : " else $error(");
    if (a->call) {
        weir_text call = {0};
        weir_text_format(&call, "%c%s($sformatf(\"%%m\"), ", RTL_BREAK, a->call);
        rtl_put(w, call.data);
        weir_text_free(&call);
        rtl_print_string(message_of(a), w->text);
        rtl_put(w, ");");
        rtl_put_char(w, RTL_BREAK);
        rtl_put(w, "$error(");
    }
    print_message(w, a);
    rtl_put(w, a->call ? "); end" : ")");
}

static void print_assertion(rtl_writer *w, const rtl_assertion *a, int indent) {
    static const char *const words[] = {"assert", "assume", "cover"};
    if (rtl_is_system(w)) {
        if (a->call) rtl_put(w, "`ifndef SYNTHESIS\n");
        rtl_begin_line(w, indent);
        rtl_put(w, words[a->kind]);
        rtl_put(w, " (");
        rtl_print_broken(w, a->consequent);
        rtl_put_char(w, ')');
        if (a->kind != WEIR_RTL_COVER) print_failure(w, a);
        if (a->kind == WEIR_RTL_COVER || !a->call) rtl_put_char(w, ';');
        rtl_end_line(w);
        if (a->call) rtl_put(w, "`endif\n");
        return;
    }
    if (a->kind == WEIR_RTL_COVER) {
        rtl_put_line(w, indent, "// a cover statement (SystemVerilog only)");
        return;
    }
    rtl_put(w, "`ifndef SYNTHESIS\n");
    rtl_begin_line(w, indent);
    rtl_put(w, "if (!(");
    rtl_print_broken(w, a->consequent);
    rtl_put(w, ")) $display(\"%m: %s\",");
    rtl_put_char(w, RTL_BREAK);
    print_message(w, a);
    rtl_put(w, ");");
    rtl_end_line(w);
    rtl_put(w, "`endif\n");
}

/* In SystemVerilog a property; Verilog-2005 checks what needs no history at the edge. */
void rtl_print_property(rtl_writer *w, uint32_t id, int indent) {
    assert(id < w->design->stmt_count);
    static const char *const words[] = {"assert", "assume", "cover"};
    const rtl_assertion *a = rtl_assertion_of(w->design, &w->design->stmt[id]);
    const char *edge = a->edge == WEIR_RTL_POSEDGE ? "posedge " : "negedge ";
    if (!rtl_is_system(w) && (a->high > 0 || a->kind == WEIR_RTL_COVER)) {
        rtl_put_line(w, indent, "// a property over several cycles, or to cover (SystemVerilog only)");
        return;
    }
    bool is_guarded = !rtl_is_system(w) || a->high > 0; /* Verilator 5.006 knows no delays */
    const bool is_call = rtl_is_system(w) && a->call;
    if (is_call) rtl_put(w, "`ifndef SYNTHESIS\n");
    if (is_guarded) rtl_put(w, rtl_is_system(w) ? "`ifndef VERILATOR\n" : "`ifndef SYNTHESIS\n");
    rtl_begin_line(w, indent);
    rtl_put(w, rtl_is_system(w) ? words[a->kind] : "always ");
    rtl_put(w, rtl_is_system(w) ? " property (@(" : "@(");
    rtl_put(w, edge);
    rtl_put_var(w, a->clock);
    rtl_put(w, rtl_is_system(w) ? ")" : ") if (");
    rtl_put(w, a->disable && rtl_is_system(w) ? " disable iff (" : a->disable ? "!(" : "");
    if (a->disable) rtl_print_broken(w, a->disable);
    rtl_put(w, a->disable ? (rtl_is_system(w) ? ")" : ") && ") : "");
    if (rtl_is_system(w)) rtl_put_char(w, RTL_BREAK);
    if (a->antecedent) {
        rtl_put_char(w, '(');
        rtl_print_broken(w, a->antecedent);
        rtl_put(w, rtl_is_system(w) ? ") |-> " : ") && ");
    }
    if (rtl_is_system(w) && a->high > 0) {
        weir_text delay = {0};
        if (a->low == a->high) weir_text_format(&delay, "##%u ", (unsigned)a->low);
        else weir_text_format(&delay, "##[%u:%u] ", (unsigned)a->low, (unsigned)a->high);
        rtl_put(w, delay.data);
        weir_text_free(&delay);
    }
    rtl_put(w, rtl_is_system(w) ? "(" : "!(");
    rtl_print_broken(w, a->consequent);
    rtl_put(w, "))");
    if (a->kind != WEIR_RTL_COVER && rtl_is_system(w)) {
        print_failure(w, a);
    } else if (a->kind != WEIR_RTL_COVER) {
        rtl_put(w, " $display(\"%m: %s\", ");
        print_message(w, a);
        rtl_put_char(w, ')');
    }
    if (!is_call || a->kind == WEIR_RTL_COVER) rtl_put_char(w, ';');
    rtl_end_line(w);
    if (is_guarded) rtl_put(w, "`endif\n");
    if (is_call) rtl_put(w, "`endif\n");
}

/* ---- statements of a process ---- */

static void print_stmt(rtl_writer *w, uint32_t id, int indent) {
    assert(id < w->design->stmt_count);
    const rtl_stmt *stmt = &w->design->stmt[id];
    if (stmt->common.extra) rtl_print_comment(w, rtl_comment_of(w->design, &stmt->common), indent);
    rtl_print_above(w, (weir_rtl_item){WEIR_RTL_ITEM_STMT, id}, &stmt->common, indent);
    switch (stmt->kind) {
    case WEIR_RTL_STMT_ASSIGN: rtl_print_assign(w, id, indent); break;
    case WEIR_RTL_STMT_IF: print_if(w, stmt, indent); break;
    case WEIR_RTL_STMT_CASE: print_case(w, id, indent); break;
    case WEIR_RTL_STMT_FOR: print_for(w, id, indent); break;
    case WEIR_RTL_STMT_BREAK:
    case WEIR_RTL_STMT_RETURN: print_leave(w, id, indent); break;
    case WEIR_RTL_STMT_ASSERT: print_assertion(w, rtl_assertion_of(w->design, stmt), indent); break;
    default: break;
    }
}

/* A statement and those after it in its block. */
static void print_rest(rtl_writer *w, uint32_t stmt, int indent) {
    for (uint32_t s = stmt; s; s = w->design->stmt[s].next) {
        const rtl_stmt *record = &w->design->stmt[s];
        bool may_leave = !rtl_is_system(w) && record->next && record->body && w->exit_flag;
        if (!may_leave || !leaves_any(w->design, s)) {
            print_stmt(w, s, indent);
            bool is_over = record->kind == WEIR_RTL_STMT_RETURN || record->kind == WEIR_RTL_STMT_BREAK;
            if (is_over && !rtl_is_system(w)) return;
            continue;
        }
        if (takes_rest(w->design, record)) {
            print_condition(w, record, indent, "if (");
            print_block(w, record->body, indent + RTL_INDENT);
            rtl_put_line(w, indent, "end else begin");
        } else {
            print_stmt(w, s, indent);
            print_guard(w, s, false, indent);
        }
        print_rest(w, record->next, indent + RTL_INDENT);
        rtl_put_line(w, indent, "end");
        return;
    }
}

/* Recursion is bounded by RTL_MAX_DEPTH. */
static void print_block(rtl_writer *w, uint32_t block, int indent) {
    assert(block < w->design->block_count);
    print_rest(w, w->design->block[block].first, indent);
}

/* ---- processes ---- */

static void print_events(rtl_writer *w, uint32_t event) {
    for (uint32_t e = event; e; e = w->design->event[e].next) {
        rtl_put(w, w->design->event[e].edge == WEIR_RTL_POSEDGE ? "posedge " : "negedge ");
        rtl_put_var(w, w->design->event[e].var);
        rtl_put(w, w->design->event[e].next ? " or " : ")");
    }
}

/* Functions of Verilog-2005 have an argument; calls give a 0. */
static void print_no_arguments(rtl_writer *w, int indent) {
    if (rtl_is_system(w)) {
        rtl_put(w, ");\n");
        return;
    }
    rtl_put_line(w, indent + RTL_INDENT, "/* verilator lint_off UNUSEDSIGNAL */ // Verilog-2005 wants an argument");
    rtl_put_blanks(w, (size_t)indent + RTL_INDENT);
    rtl_put(w, "input ");
    rtl_put_spare(w, "nothing", "");
    rtl_put(w, ";\n");
    rtl_put_line(w, indent + RTL_INDENT, "/* verilator lint_on UNUSEDSIGNAL */");
}

static void print_function(rtl_writer *w, uint32_t id, int indent) {
    assert(id < w->design->stmt_count);
    const rtl_stmt *stmt = &w->design->stmt[id];
    const rtl_function *function = rtl_function_of(w->design, stmt);
    bool is_system = rtl_is_system(w);
    bool has_flag = !is_system && needs_flag(w->design, id);
    rtl_put_blanks(w, (size_t)indent);
    rtl_put(w, is_system ? "function automatic logic" : "function");
    rtl_print_type(w, 0, (rtl_size){.number = function->width}, function->is_signed);
    rtl_put_char(w, ' ');
    rtl_put(w, function->name);
    rtl_put(w, is_system ? "(" : ";\n");
    for (size_t i = 0; i < function->arguments.count; i++) {
        const rtl_var *var = &w->design->var[function->arguments.id[i]];
        if (!is_system) rtl_put_blanks(w, (size_t)indent + RTL_INDENT);
        rtl_put(w, is_system ? "input logic" : "input");
        rtl_print_type(w, 0, (rtl_size){.number = var->width}, var->is_signed);
        rtl_put_char(w, ' ');
        rtl_put(w, var->name);
        rtl_put(w, !is_system ? ";\n" : i + 1 < function->arguments.count ? ", " : ");\n");
    }
    if (function->arguments.count == 0) print_no_arguments(w, indent);
    for (size_t i = 0; i < function->locals.count; i++) {
        const rtl_var *var = &w->design->var[function->locals.id[i]];
        rtl_put_blanks(w, (size_t)indent + RTL_INDENT);
        rtl_put(w, is_system ? "logic" : "reg");
        rtl_print_type(w, 0, (rtl_size){.number = var->width}, var->is_signed);
        rtl_put_char(w, ' ');
        rtl_put(w, var->name);
        rtl_put(w, ";\n");
    }
    for (uint32_t s = rtl_walk_next(w->design, id, id); s && !is_system; s = rtl_walk_next(w->design, s, id))
        if (w->design->stmt[s].kind == WEIR_RTL_STMT_FOR) rtl_print_iterator(w, s, indent + RTL_INDENT);
    if (has_flag) print_flag(w, id, indent + RTL_INDENT, "reg ", ";\n");
    int inner = indent + (is_system ? 1 : 2) * RTL_INDENT;
    if (!is_system) rtl_put_line(w, indent + RTL_INDENT, "begin");
    if (has_flag) print_flag(w, id, inner, "", " = 1'b0;\n");
    print_block(w, stmt->body, inner);
    if (!is_system) rtl_put_line(w, indent + RTL_INDENT, "end");
    rtl_put_line(w, indent, "endfunction");
}

static const char *process_word(const rtl_writer *w, weir_rtl_stmt_kind kind) {
    bool is_system = rtl_is_system(w);
    switch (kind) {
    case WEIR_RTL_STMT_ALWAYS: return is_system ? "always_ff @(" : "always @(";
    case WEIR_RTL_STMT_COMBINATIONAL: return is_system ? "always_comb" : "always @*";
    case WEIR_RTL_STMT_LATCH: return is_system ? "always_latch" : "always @*";
    case WEIR_RTL_STMT_FINAL: return "final";
    case WEIR_RTL_STMT_INITIAL: return "initial";
    default: weir_unreachable("a statement that is not a process");
    }
}

static void put_trigger(rtl_writer *w) {
    weir_text wanted = {0};
    weir_text_format(&wanted, "start_%u", (unsigned)w->trigger);
    rtl_put_spare(w, wanted.data, "");
    weir_text_free(&wanted);
}

void rtl_print_trigger(rtl_writer *w, uint32_t id, int indent) {
    assert(id < w->design->stmt_count);
    const weir_rtl_stmt_kind kind = w->design->stmt[id].kind;
    const bool waits = kind == WEIR_RTL_STMT_COMBINATIONAL || kind == WEIR_RTL_STMT_LATCH;
    w->trigger = 0;
    if (!waits || rtl_is_system(w)) return;
    w->waits_for_nothing = rtl_waits_for_nothing(w->design, id);
    if (!w->waits_for_nothing && !w->options->starts) return;
    w->trigger = ++w->triggers;
    rtl_put_blanks(w, (size_t)indent);
    rtl_put(w, "wire ");
    put_trigger(w);
    rtl_put(w, " = 1'b1;\n");
}

void rtl_print_process(rtl_writer *w, uint32_t id, int indent) {
    assert(id < w->design->stmt_count);
    const rtl_stmt *stmt = &w->design->stmt[id];
    bool is_system = rtl_is_system(w);
    w->exit_flag = 0;
    for (uint32_t s = rtl_walk_next(w->design, id, id); s && !w->exit_flag; s = rtl_walk_next(w->design, s, id))
        if (w->design->stmt[s].kind == WEIR_RTL_STMT_RETURN || w->design->stmt[s].kind == WEIR_RTL_STMT_BREAK)
            w->exit_flag = id;
    if (stmt->kind == WEIR_RTL_STMT_FUNCTION) {
        print_function(w, id, indent);
        return;
    }
    if (stmt->kind == WEIR_RTL_STMT_FINAL && !is_system) {
        rtl_put_line(w, indent, "// a final block (SystemVerilog only)");
        return;
    }
    bool waives = stmt->kind == WEIR_RTL_STMT_LATCH && !is_system;
    if (waives) rtl_put_line(w, indent, "/* verilator lint_off LATCH */ // meant");
    rtl_begin_line(w, indent);
    const bool is_alone = w->trigger && w->waits_for_nothing;
    rtl_put(w, is_alone ? "always @(" : process_word(w, stmt->kind));
    if (is_alone) {
        put_trigger(w);
        rtl_put_char(w, ')');
    }
    if (stmt->kind == WEIR_RTL_STMT_ALWAYS) print_events(w, stmt->a);
    rtl_put(w, " begin");
    rtl_end_line(w);
    if (w->trigger && !is_alone) {
        rtl_put_blanks(w, (size_t)indent + RTL_INDENT);
        rtl_put(w, "if (");
        put_trigger(w);
        rtl_put(w, ") begin end\n");
    }
    print_block(w, stmt->body, indent + RTL_INDENT);
    rtl_put_line(w, indent, "end");
    if (waives) rtl_put_line(w, indent, "/* verilator lint_on LATCH */");
}

void rtl_print_assign(rtl_writer *w, uint32_t id, int indent) {
    assert(id < w->design->stmt_count);
    const rtl_stmt *stmt = &w->design->stmt[id];
    uint32_t process = rtl_process_of(w->design, stmt->block);
    weir_rtl_timing timing = stmt->timing;
    if (timing == WEIR_RTL_UNDECIDED) timing = weir_rtl_timing_in(w->design, (weir_rtl_block){stmt->block});
    const uint32_t value = rtl_driver_value(w->design, stmt->b);
    rtl_begin_line(w, indent);
    if (!process) rtl_put(w, "assign ");
    rtl_print_target(w, stmt->a);
    rtl_put(w, timing == WEIR_RTL_NONBLOCKING ? " <=" : " =");
    rtl_put_char(w, RTL_BREAK);
    rtl_print_value(w, rtl_type_of(w->design, stmt->a), value);
    rtl_put_char(w, ';');
    rtl_end_line(w);
}
