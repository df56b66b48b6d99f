/* emit_internal_rtl: copies the components that the design instantiates, and those below them, into FOLDER/rtl, so that
 * the folder is complete. */
#include <stdlib.h>

#include "dataflow/library.h"
#include "passes/verilog/emit.h"
#include "support/file/file.h"
#include "support/memory/arena.h"

/* The design has read the file, or it is below the data folder. */
static bool copy_component(const char *data, const weir_library_file *file, const char *folder) {
    char *to = weir_format("%s/%s.v", folder, file->name), *read = NULL;
    size_t size = file->size;
    if (file->text == NULL) {
        char *from = weir_path_join(data, file->path);
        read = weir_file_read(from, &size);
        free(from);
    }
    const char *text = file->text != NULL ? file->text : read;
    const bool fine = text != NULL && weir_file_write(to, text, size);
    free(read);
    free(to);
    return fine;
}

bool weir_pass_emit_internal_rtl(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    weir_rtl_design *design = weir_module_design(module);
    weir_rtl_module top = weir_rtl_find_module(design, weir_module_string(module, "top", ""));
    weir_library_files files = {NULL, 0, 0};
    for (size_t i = 0; i < weir_rtl_get_module(design, top).instance_count; i++) {
        weir_rtl_instance instance = weir_rtl_instance_at(design, top, i);
        weir_library_add(&files, weir_rtl_get_module(design, weir_rtl_get_instance(design, instance).module).name);
    }
    weir_folder *output = weir_emit_open(pass, module);
    char *folder = output == NULL ? NULL : weir_emit_folder(output, "rtl");
    bool fine = folder != NULL && weir_library_close(&files, design);
    for (size_t i = 0; fine && i < files.count; i++)
        fine = copy_component(weir_rtl_library(design), &files.file[i], folder);
    weir_pass_count(context, "components", (int64_t)files.count);
    weir_library_free(&files);
    free(folder);
    return weir_emit_close(output, fine);
}
