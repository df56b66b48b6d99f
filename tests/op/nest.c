#include "op/nest.h"

#include <stdlib.h>

#include "support/memory/arena.h"

static void print_axis(const weir_loop_nest *nest, const weir_loop_axis *axis, weir_text *text) {
    if (axis->is_indirect) {
        weir_text_add(text, "?");
        return;
    }
    for (int i = 0; i < axis->terms; i++) {
        if (i > 0) weir_text_add(text, " + ");
        if (axis->term[i].stride != 1) weir_text_format(text, "%lld*", (long long)axis->term[i].stride);
        weir_text_add(text, nest->loop[axis->term[i].loop].name);
    }
    if (axis->terms == 0) weir_text_format(text, "%lld", (long long)axis->offset);
    else if (axis->offset != 0)
        weir_text_format(text, " %c %lld", axis->offset < 0 ? '-' : '+', llabs((long long)axis->offset));
}

void print_nest(const weir_graph *graph, weir_node node, weir_text *text) {
    static const char *const bodies[] = {[WEIR_LOOP_NONE] = "none",
                                         [WEIR_LOOP_MOVE] = "move",
                                         [WEIR_LOOP_MAP] = "map",
                                         [WEIR_LOOP_MULTIPLY_ACCUMULATE] = "multiply-accumulate",
                                         [WEIR_LOOP_REDUCE] = "reduce"};
    weir_arena *arena = weir_arena_new();
    const weir_loop_nest *nest = weir_loop_nest_of(graph, node, arena);
    weir_text_format(text, "%s: %s", weir_node_name(graph, node), bodies[nest->body]);
    for (uint32_t i = 0; i < nest->loop_count; i++)
        weir_text_format(text, " %s=%lld%s", nest->loop[i].name, (long long)nest->loop[i].size,
                         nest->loop[i].is_reduced ? "*" : "");
    weir_text_add(text, "\n");
    for (uint32_t i = 0; i < nest->operand_count; i++) {
        const weir_loop_operand *operand = &nest->operand[i];
        weir_text_format(text, "  %c%c", operand->name, operand->is_flat ? '{' : '[');
        for (int k = 0; k < operand->rank; k++) {
            if (k > 0) weir_text_add(text, ", ");
            print_axis(nest, &operand->axis[k], text);
        }
        weir_text_format(text, "%c\n", operand->is_flat ? '}' : ']');
    }
    weir_arena_free(arena);
}
