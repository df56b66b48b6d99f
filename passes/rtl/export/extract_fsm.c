/* extract_fsm: FOLDER/<module>_<machine>.dot and .csv of every state machine. Modules that share a name get numbers as
 * their text form does: <module>#2. */
#include <stdlib.h>

#include "passes/rtl/rtl.h"
#include "rtlir/core/fsm.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/memory/arena.h"

/* Which one of its name the module is, from 1. */
static unsigned number_of(const weir_rtl_design *design, weir_rtl_module module) {
    unsigned number = 1;
    weir_rtl_module m = weir_rtl_find_module(design, weir_rtl_get_module(design, module).name);
    for (; m.id != module.id; m = weir_rtl_next_namesake(design, m)) number++;
    return number;
}

static bool write_file(const char *folder, const char *name, const char *ending, weir_text *text) {
    char *file = weir_format("%s.%s", name, ending), *path = weir_path_join(folder, file);
    const bool fine = weir_file_write(path, text->data, text->size);
    free(file);
    free(path);
    weir_text_free(text);
    return fine;
}

static bool extract(const weir_rtl_design *design, weir_rtl_module module, weir_rtl_fsm fsm, const char *folder) {
    const unsigned number = number_of(design, module);
    const char *owner = weir_rtl_get_module(design, module).name, *machine = weir_rtl_get_fsm(design, fsm).name;
    char *name = number > 1 ? weir_format("%s#%u_%s", owner, number, machine) : weir_format("%s_%s", owner, machine);
    weir_text text = {NULL, 0, 0};
    weir_rtl_fsm_dot(design, fsm, &text);
    bool fine = write_file(folder, name, "dot", &text);
    weir_rtl_fsm_csv(design, fsm, &text);
    fine = write_file(folder, name, "csv", &text) && fine;
    free(name);
    return fine;
}

bool weir_pass_extract_fsm(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    size_t count = 0, machines = 0;
    char *folder = weir_path_join(weir_module_folder(weir_pass_module_of(context)), weir_pass_string(pass, "folder"));
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    weir_folder *output = NULL; /* none without a machine */
    bool fine = modules != NULL;
    for (size_t i = 0; fine && i < count; i++) {
        weir_rtl_stmt s = weir_rtl_first(design, weir_rtl_get_module(design, modules[i]).body);
        for (; fine && s.id != 0; s = weir_rtl_next(design, s)) {
            const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, s);
            if (info.kind != WEIR_RTL_STMT_FSM) continue;
            if (output == NULL) output = weir_folder_open(folder, WEIR_FOLDER_SHARED);
            fine = output != NULL && extract(design, modules[i], info.fsm, weir_folder_staging(output));
            machines++;
        }
    }
    if (fine && output != NULL) fine = weir_folder_commit(output);
    else weir_folder_abandon(output);
    free(modules);
    free(folder);
    weir_pass_unchanged(context);
    weir_pass_count(context, "machines", (int64_t)machines);
    return fine;
}
