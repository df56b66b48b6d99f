/* generate_verilog: the text of every module below the top, children first. Files whose content is already right are
 * left alone. */
#include <stdlib.h>

#include "passes/rtl/rtl.h"
#include "support/file.h"

bool weir_print_hardware(weir_rtl_design *design, weir_rtl_module top, const weir_rtl_print_options *options,
                         weir_text *text) {
    size_t count = 0;
    const size_t errors = weir_rtl_errors(design);
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0, printed = 0; modules != NULL && i < count; i++) {
        if (weir_rtl_get_module(design, modules[i]).is_external) continue;
        if (printed++ > 0) weir_text_char(text, '\n');
        weir_rtl_print_module(design, modules[i], options, text);
    }
    free(modules);
    return modules != NULL && weir_rtl_errors(design) == errors;
}

weir_rtl_print_options weir_verilog_options(const weir_pass *pass) {
    return (weir_rtl_print_options){.dialect = (weir_rtl_dialect)weir_pass_choice(pass, "dialect"),
                                    .columns = (int)weir_pass_int(pass, "line_wrap"),
                                    .plain_case = !weir_pass_bool(pass, "unique_case"),
                                    .source = weir_pass_bool(pass, "yosys_src")};
}

static bool write_file(weir_rtl_design *design, weir_rtl_module top, const weir_rtl_print_options *options,
                       const char *path) {
    weir_text text = {NULL, 0, 0};
    char *folder = weir_path_folder(path);
    bool fine = weir_print_hardware(design, top, options, &text) && weir_make_folder(folder) &&
                weir_file_write_changed(path, text.data, text.size);
    free(folder);
    weir_text_free(&text);
    return fine;
}

bool weir_pass_generate_verilog(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    const weir_rtl_print_options options = weir_verilog_options(pass);
    const bool is_one = weir_pass_is_set(pass, "file");
    const weir_rtl_module top = weir_hardware_top(context);
    char *path = weir_path_join(weir_module_folder(weir_pass_module_of(context)),
                                weir_pass_string(pass, is_one ? "file" : "folder"));
    weir_pass_unchanged(context);
    bool fine = is_one ? write_file(design, top, &options, path) : weir_rtl_write_design(design, top, &options, path);
    free(path);
    return fine;
}
