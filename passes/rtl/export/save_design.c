/* save_design: the whole design as text, which `weir rtl` reads. */
#include <stdlib.h>

#include "passes/rtl/forms.h"
#include "passes/rtl/rtl.h"
#include "rtlir/text/text.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/memory/arena.h"

/* Under a name that the user did not choose. */
static bool save_own(weir_rtl_design *design, const char *path, const char *name) {
    weir_folder *folder = weir_folder_open(path, WEIR_FOLDER_SHARED);
    if (folder == NULL) return false;
    char *file = weir_path_join(weir_folder_staging(folder), name);
    const bool fine = weir_rtl_save_text(design, file);
    free(file);
    if (fine) return weir_folder_commit(folder);
    weir_folder_abandon(folder);
    return false;
}

bool weir_pass_save_design(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    const weir_module *module = weir_pass_module_of(context);
    const char *file = weir_pass_string(pass, "file");
    char *top = weir_format("%s.wrtl", weir_rtl_get_module(design, weir_hardware_top(context)).name);
    char *path = weir_path_join(weir_module_folder(module), *file == '\0' ? top : file),
         *folder = weir_path_folder(path);
    weir_pass_unchanged(context);
    const bool fine = *file == '\0' ? save_own(design, weir_module_folder(module), top)
                                    : weir_make_folder(folder) &&
                                          weir_hardware_may_write(design, weir_hardware_top(context), path) &&
                                          weir_rtl_save_text(design, path);
    free(folder);
    free(path);
    free(top);
    return fine;
}
