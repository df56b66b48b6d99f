#include "ir/trait/op_listing.h"

#include <stdbool.h>
#include <string.h>

#include "ir/trait/mase.h"
#include "support/text/table.h"

static const char *class_name(weir_op_class class) {
    static const char *const names[] = {[WEIR_CLASS_TENSOR] = "tensor",
                                        [WEIR_CLASS_INTEGER] = "integer",
                                        [WEIR_CLASS_HOST] = "host",
                                        [WEIR_CLASS_STREAM] = "stream"};
    return names[class];
}

/* "data, weight, [bias]"; "data, ...": any number of the last one. */
static void add_inputs(weir_text *text, weir_op op) {
    const weir_op_info *info = weir_op_get(op);
    const char *word = weir_mase_inputs(op);
    for (int i = 0; info->inputs_max < 0 || i < info->inputs_max; i++) {
        const size_t size = strcspn(word, " ");
        const bool is_optional = i >= info->inputs_min, is_setting = *word == '=';
        weir_text_format(text, "%s%s%.*s%s", i == 0 ? "" : ", ", is_optional ? "[" : "", (int)size - is_setting,
                         word + is_setting, is_optional ? "]" : "");
        if (word[size] == ' ') word += size + 1;
        else if (info->inputs_max < 0 && i + 1 >= info->inputs_min) break;
    }
    if (info->inputs_max < 0) weir_text_add(text, ", ...");
}

void weir_op_listing(weir_text *text) {
    static const char *const headers[] = {"operators (MASE's names)", "inputs", "outputs", "class", "MASE's type"};
    weir_table *table = weir_table_new(headers, sizeof headers / sizeof *headers);
    for (weir_op op = 1; op < weir_op_limit(); op++) {
        const weir_op_info *info = weir_op_get(op);
        weir_text inputs = {NULL, 0, 0};
        add_inputs(&inputs, op);
        weir_table_format(table, "%s (%s)", info->full_name, weir_mase_name(op));
        weir_table_take(table, &inputs);
        if (info->outputs < 0) weir_table_add(table, "any number");
        else weir_table_format(table, "%d", info->outputs);
        weir_table_add(table, class_name(info->class));
        weir_table_add(table, weir_mase_type_name(weir_mase_kind(op)));
    }
    weir_table_print_groups(table, text);
    weir_table_free(table);
}
