/* create_stub: removes everything but ports and parameters from modules and are stubs from then on, which
 * zero_out_stubs gives outputs. Modules that only they contained go. Of several modules of a name all are meant. */
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/hierarchy/children.h"
#include "support/memory/arena.h"

typedef struct stubber {
    weir_rtl_design *design;
    weir_children children;
    int64_t made;
} stubber;

static bool make_stubs(stubber *s, const char *name) {
    weir_rtl_module module = weir_rtl_find_module(s->design, name);
    bool fine = module.id != 0;
    if (!fine) weir_error(WEIR_NOWHERE, "create_stub: there is no module '%s'", name);
    for (; module.id != 0; module = weir_rtl_next_namesake(s->design, module)) {
        const weir_rtl_module_info info = weir_rtl_get_module(s->design, module);
        if (info.is_external) {
            weir_error(weir_rtl_get_item(s->design, WEIR_RTL_ITEM(module)).location,
                       "the external module '%s' has no content to remove", name);
            fine = false;
        } else if (!info.is_stub) {
            weir_children_clear(&s->children, s->design, module);
            weir_rtl_set_stub(s->design, module, true);
            weir_rtl_touch(s->design, WEIR_RTL_ITEM(module));
            s->made++;
        }
    }
    return fine;
}

bool weir_pass_create_stub(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    stubber s = {.design = design};
    char *names = weir_copy_string(weir_pass_string(pass, "modules")), *rest = names;
    bool fine = true;
    if (strspn(names, ", ") == strlen(names))
        fine = make_stubs(&s, weir_rtl_get_module(design, weir_hardware_top(context)).name);
    for (char *name = strtok_r(names, ", ", &rest); name != NULL; name = strtok_r(NULL, ", ", &rest))
        fine = make_stubs(&s, name) && fine;
    if (s.made == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "stubs made", s.made);
    weir_children_remove(&s.children, design);
    free(names);
    return fine;
}
