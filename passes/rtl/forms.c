/* Forms of hardware designs that passes require (rtl.def names them): what the printer, and passes that look at
 * registers, take for granted. The pass manager asks before such a pass runs. */
#include "passes/rtl/forms.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "passes/equivalence/files.h"
#include "passes/rtl/rtl.h"
#include "rtlir/core/formula.h"
#include "rtlir/verify/verify.h"
#include "support/file/file.h"

/* ---- files of external modules ---- */

/* Is the file called like the module, its ending taken off? */
static bool is_called(const char *path, const char *module) {
    const char *file = weir_path_name(path);
    const size_t size = strcspn(file, ".");
    return strlen(module) == size && strncmp(file, module, size) == 0;
}

static bool differs_from_files(const weir_rtl_design *design, weir_rtl_module module, const weir_rtl_files *files) {
    const weir_rtl_module_info info = weir_rtl_get_module(design, module);
    bool fine = true;
    for (size_t i = 0; i < files->count && !info.is_external; i++) {
        if (!is_called(files->path[i], info.name)) continue;
        weir_error(weir_rtl_get_item(design, WEIR_RTL_ITEM(module)).location,
                   "module '%s' has the name of a module in '%s', which the design needs as well", info.name,
                   files->path[i]);
        fine = false;
    }
    return fine;
}

/* External modules bring others along: those of the component library below them. An own module of such a name would be
 * two. What has no file cannot be looked at, and is no fault of the names. */
static bool fits_library(weir_rtl_design *design, weir_rtl_module top) {
    weir_rtl_files files = {NULL, 0, 0};
    weir_text why = {NULL, 0, 0};
    size_t count = 0;
    bool fine = true;
    weir_rtl_find_files(design, top, &files, &why);
    weir_rtl_module *modules =
        files.count > 0 ? weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count) : NULL;
    for (size_t i = 0; i < count; i++) fine = differs_from_files(design, modules[i], &files) && fine;
    free(modules);
    weir_text_free(&why);
    weir_rtl_free_files(&files);
    return fine;
}

static bool is_same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool weir_hardware_may_write(weir_rtl_design *design, weir_rtl_module top, const char *path) {
    weir_rtl_files files = {NULL, 0, 0};
    weir_text why = {NULL, 0, 0};
    bool fine = true;
    weir_rtl_find_files(design, top, &files, &why);
    for (size_t i = 0; i < files.count && fine; i++) fine = !is_same_file(files.path[i], path);
    if (!fine) weir_error(weir_at(path, 0), "this is the file of an external module of the design: it is not replaced");
    weir_text_free(&why);
    weir_rtl_free_files(&files);
    return fine;
}

/* ---- the forms ---- */

static bool has_unique_names(weir_rtl_design *design, weir_rtl_module top) {
    return weir_rtl_check_names(design, top) && fits_library(design, top);
}

static bool has_fixed_widths(weir_rtl_design *design, weir_rtl_module top) {
    const weir_rtl_module found = weir_rtl_find_parametrised(design, top);
    if (found.id == 0) return true;
    weir_error(weir_rtl_get_item(design, WEIR_RTL_ITEM(found)).location,
               "module '%s' has widths that depend on parameters", weir_rtl_get_module(design, found).name);
    return false;
}

/* The rows: name, what holds, the pass that establishes it, the check. */
#define PRINTABLE_FORMS                                                                                                \
    FORM(no_machines, "there are no state machines, only processes", "realize_fsm", weir_rtl_check_machines)           \
    FORM(clocked_properties, "properties name their clocks", "infer_property_clocking", weir_rtl_check_properties)     \
    FORM(connected_instances, "instances have connections, and no assignments to and from their ports",                \
         "create_module_instantiation", weir_rtl_check_instances)                                                      \
    FORM(unique_names, "no two modules share a name, including those in the files of external modules",                \
         "uniquify_generators", has_unique_names)                                                                      \
    FORM(sound_design,                                                                                                 \
         "the verifier reports nothing: every bit that is read has one driver, every port is connected, widths agree", \
         NULL, weir_rtl_verify)

#define FORMS                                                                                                          \
    FORM(fixed_widths, "widths, depths and bounds are numbers, not formulas of parameters", "specialize_parameters",   \
         has_fixed_widths)                                                                                             \
    PRINTABLE_FORMS

#define FORM(id, help_, remedy_, check)                                                                                \
    static bool holds_##id(weir_pass_context *context, weir_rtl_design *design) {                                      \
        return check(design, weir_hardware_top(context));                                                              \
    }
FORMS
#undef FORM

bool weir_hardware_register_forms(weir_pass_registry *registry) {
#define FORM(id, help_, remedy_, check)                                                                                \
    {.name = #id, .kind = WEIR_PASS_HARDWARE, .help = (help_), .remedy = (remedy_), .holds = {.hardware = holds_##id}},
    static const weir_pass_form forms[] = {FORMS};
#undef FORM
    return weir_pass_registry_add_forms(registry, forms, sizeof forms / sizeof *forms);
}

bool weir_hardware_is_printable(weir_rtl_design *design, weir_rtl_module top) {
#define FORM(id, help_, remedy_, check) {check, remedy_},
    static const struct {
        bool (*holds)(weir_rtl_design *design, weir_rtl_module top);
        const char *remedy;
    } forms[] = {PRINTABLE_FORMS};
#undef FORM
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (forms[i].holds(design, top)) continue;
        if (forms[i].remedy != NULL) weir_note("run '%s' first", forms[i].remedy);
        return false;
    }
    return true;
}
