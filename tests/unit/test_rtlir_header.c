/* What the reader says of every header of the library (ports, directions, widths under the defaults and under an
 * override) is what Yosys and Verilator say of the same file: by day Verilator of one in four. Needs the tools; what is
 * missing is skipped. */
/* nightly: 1 */
#include "test_rtlir_library.h"

#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#include "rtlir/edit/mutate.h"
#include "support/process/process.h"

/* A port as somebody sees it. */
typedef struct seen {
    char name[64];
    char direction[8];
    uint32_t width;
} seen;

typedef struct header {
    seen port[64];
    size_t count;
} header;

/* A parameter that is set, NULL: none. */
typedef struct setting {
    const char *name;
    long long value;
} setting;

/* A module under its defaults, or with a parameter set. */
typedef struct view {
    const char *module, *path;
    header own; /* as the reader sees it */
    setting set;
} view;

static void add_seen(header *h, const char *name, const char *direction, uint32_t width) {
    assert_true(h->count < sizeof h->port / sizeof *h->port);
    seen *port = &h->port[h->count++];
    snprintf(port->name, sizeof port->name, "%s", name);
    snprintf(port->direction, sizeof port->direction, "%s", direction);
    port->width = width;
}

static int by_name(const void *a, const void *b) { return strcmp(((const seen *)a)->name, ((const seen *)b)->name); }

/* The first difference as text, heap memory; NULL when there is none. Sorts both. */
static char *difference(header *expected, header *found) {
    const seen none = {"nothing", "", 0};
    qsort(expected->port, expected->count, sizeof *expected->port, by_name);
    qsort(found->port, found->count, sizeof *found->port, by_name);
    for (size_t i = 0; i < expected->count || i < found->count; i++) {
        const seen *a = i < expected->count ? &expected->port[i] : &none;
        const seen *b = i < found->count ? &found->port[i] : &none;
        if (strcmp(a->name, b->name) != 0 || strcmp(a->direction, b->direction) != 0 || a->width != b->width)
            return weir_format("'%s %s' of %u bits, and '%s %s' of %u", a->direction, a->name, (unsigned)a->width,
                               b->direction, b->name, (unsigned)b->width);
    }
    return NULL;
}

static void assert_same(const char *who, view *v, header *found) {
    char *text = difference(&v->own, found);
    if (text)
        fail_msg("%s%s%s: the reader and %s see %s", v->module, v->set.name ? " with " : "",
                 v->set.name ? v->set.name : "", who, text);
}

/* ---- three views ---- */

static header view_of_reader(weir_rtl_design *design, weir_rtl_module module, const setting *set) {
    static const char *const words[] = {"internal", "input", "output", "inout"};
    header h = {.count = 0};
    weir_rtl_module top = weir_rtl_add_module(design, weir_rtl_free_module_name(design, "around"));
    weir_rtl_instance u = weir_rtl_add_instance(design, top, module, "u");
    if (set->name) weir_rtl_set_parameter(design, u, set->name, set->value);
    for (size_t i = 0; i < weir_rtl_get_module(design, module).port_count; i++) {
        weir_rtl_var_info port = weir_rtl_get_var(design, weir_rtl_port_at(design, module, i));
        add_seen(&h, port.name, words[port.direction], weir_rtl_port_width(design, u, port.name));
    }
    weir_rtl_remove_module(design, top);
    return h;
}

static void run(const char *const *arguments) {
    weir_text output = {0};
    int status = -1;
    weir_process process = {.arguments = arguments, .seconds = 60};
    weir_process_end end = weir_process_run(&process, &output, &status);
    if (end != WEIR_PROCESS_EXITED || status != 0) fail_msg("%s: %s", arguments[0], output.data ? output.data : "");
    weir_text_free(&output);
}

/* Yosys reads the library once, and writes each view to a file of its own: OUT.0, OUT.1 and so on. */
static void let_yosys_see(const char *files, const view *views, size_t count, const char *out) {
    weir_text script = {0};
    weir_text_format(&script, "read_verilog -defer %s; design -save library", files);
    for (size_t i = 0; i < count; i++) {
        weir_text_format(&script, "; design -load library; hierarchy -top %s", views[i].module);
        if (views[i].set.name) weir_text_format(&script, " -chparam %s %lld", views[i].set.name, views[i].set.value);
        weir_text_format(&script, "; proc; write_json %s.%zu", out, i);
    }
    const char *arguments[] = {"yosys", "-q", "-p", script.data, NULL};
    run(arguments);
    weir_text_free(&script);
}

static header view_of_yosys(const char *out, size_t number) {
    header h = {.count = 0};
    char *path = weir_format("%s.%zu", out, number);
    json_t *netlist = json_load_file(path, 0, NULL), *entry, *port;
    const char *name;
    assert_non_null(netlist);
    json_object_foreach(json_object_get(netlist, "modules"), name, entry) {
        if (!json_object_get(json_object_get(entry, "attributes"), "top")) continue;
        json_object_foreach(json_object_get(entry, "ports"), name, port)
            add_seen(&h, name, json_string_value(json_object_get(port, "direction")),
                     (uint32_t)json_array_size(json_object_get(port, "bits")));
    }
    json_decref(netlist);
    unlink(path);
    free(path);
    return h;
}

/* The value of an attribute of the XML element at this place; false when it has none. */
static bool attribute(const char *element, const char *name, char *value, size_t size) {
    char *wanted = weir_format(" %s=\"", name);
    const char *end = strchr(element, '>'), *at = strstr(element, wanted);
    bool found = at && end && at < end;
    if (found) {
        at += strlen(wanted);
        snprintf(value, size, "%.*s", (int)strcspn(at, "\""), at);
    }
    free(wanted);
    return found;
}

static uint32_t width_of_type(const char *xml, const char *id) {
    char value[64];
    for (const char *at = xml; (at = strstr(at, "<basicdtype ")) != NULL; at++) {
        if (!attribute(at, "id", value, sizeof value) || strcmp(value, id) != 0) continue;
        return attribute(at, "left", value, sizeof value) ? (uint32_t)strtoul(value, NULL, 10) + 1 : 1;
    }
    fail_msg("no type %s", id);
    return 0;
}

static header view_of_verilator(const char *const *folders, const view *v, const char *out) {
    header h = {.count = 0};
    char *parameter = v->set.name ? weir_format("-G%s=%lld", v->set.name, v->set.value) : NULL;
    const char *arguments[32] = {"verilator",  "--xml-only",   "--xml-output", out,
                                 "-Wno-fatal", "--top-module", v->module,      v->path};
    size_t count = 8, size = 0;
    for (size_t i = 0; folders[i]; i++) {
        arguments[count++] = "-y";
        arguments[count++] = folders[i];
    }
    if (parameter) arguments[count++] = parameter;
    run(arguments);
    char *xml = weir_file_read(out, &size);
    assert_non_null(xml);
    /* The first module of the file is the top; its variables with a place among the pins are its ports. */
    const char *end = strstr(xml, "</module>");
    assert_non_null(end);
    for (const char *at = xml; (at = strstr(at, "<var ")) != NULL && at < end; at++) {
        char name[64], direction[8], type[16], pin[16];
        if (!attribute(at, "pinIndex", pin, sizeof pin) || !attribute(at, "dir", direction, sizeof direction)) continue;
        assert_true(attribute(at, "name", name, sizeof name) && attribute(at, "dtype_id", type, sizeof type));
        add_seen(&h, name, direction, width_of_type(xml, type));
    }
    free(xml);
    free(parameter);
    return h;
}

/* ---- the library ---- */

/* The first parameter whose double changes a width of the header; none when there is no such. */
static setting choose_setting(weir_rtl_design *design, weir_rtl_module module) {
    const setting defaults = {NULL, 0};
    header before = view_of_reader(design, module, &defaults);
    for (size_t i = 0; i < weir_rtl_get_module(design, module).parameter_count; i++) {
        weir_rtl_parameter_info p = weir_rtl_get_parameter(design, weir_rtl_parameter_at(design, module, i));
        if (p.is_local || !p.has_integer) continue;
        setting set = {p.name, 2 * p.integer};
        header after = view_of_reader(design, module, &set);
        for (size_t k = 0; k < before.count; k++)
            if (before.port[k].width != after.port[k].width) return set;
    }
    return defaults;
}

/* The files of the library, and NULL-terminated the folders that they are in: heap memory. */
static char **list_folders(const weir_rtl_design *design, size_t count, weir_text *files) {
    char **folders = calloc(count + 1, sizeof *folders);
    size_t found = 0;
    assert_non_null(folders);
    weir_rtl_module m = weir_rtl_first_module(design);
    for (size_t i = 0; i < count; i++, m = weir_rtl_next_module(design, m)) {
        const char *path = weir_rtl_get_module(design, m).path;
        char *folder = weir_path_folder(path);
        size_t k = 0;
        while (k < found && strcmp(folders[k], folder) != 0) k++;
        if (k == found) folders[found++] = folder;
        else free(folder);
        weir_text_format(files, " %s", path);
    }
    return folders;
}

static void headers_are_what_two_tools_see(void **state) {
    weir_rtl_design *design = *state;
    char *rtl = source_path("rtl"), *out = weir_format("test_rtlir_header_%ld", (long)getpid());
    weir_text files = {0};
    read_folder(design, rtl);
    size_t count = weir_rtl_module_count(design), overridden = 0, n = 0;
    bool has_yosys = weir_process_found("yosys"), has_verilator = weir_process_found("verilator");
    const size_t step = getenv("WEIR_RANDOM") == NULL ? 4 : 1; /* a run of Verilator each */
    if (count == 0 || (!has_yosys && !has_verilator)) skip();
    char **folders = list_folders(design, count, &files);
    view *views = calloc(2 * count, sizeof *views);
    assert_non_null(views);
    weir_rtl_module m = weir_rtl_first_module(design);
    for (size_t i = 0; i < count; i++, m = weir_rtl_next_module(design, m)) {
        weir_rtl_module_info info = weir_rtl_get_module(design, m);
        const setting settings[2] = {{NULL, 0}, choose_setting(design, m)};
        overridden += settings[1].name != NULL;
        for (int k = 0; k < (settings[1].name ? 2 : 1); k++)
            views[n++] = (view){info.name, info.path, view_of_reader(design, m, &settings[k]), settings[k]};
    }
    if (has_yosys) let_yosys_see(files.data, views, n, out);
    for (size_t i = 0; i < n; i++) {
        header other;
        if (has_yosys) {
            other = view_of_yosys(out, i);
            assert_same("Yosys", &views[i], &other);
        }
        if (!has_verilator || i % step != 0) continue;
        other = view_of_verilator((const char *const *)folders, &views[i], out);
        assert_same("Verilator", &views[i], &other);
    }
    free(views);
    assert_true(overridden * 2 > count);
    for (size_t i = 0; folders[i]; i++) free(folders[i]);
    free(folders);
    unlink(out);
    weir_text_free(&files);
    free(out);
    free(rtl);
}

/* Planted: another width, another direction, another name, one port less. */
static void differences_are_noticed(void **state) {
    (void)state;
    const header right = {.port = {{"a", "input", 4}, {"b", "output", 1}}, .count = 2};
    header wrong[4] = {right, right, right, right};
    wrong[0].port[0].width = 5;
    wrong[1].port[1].direction[0] = 'i';
    wrong[2].port[1].name[0] = 'c';
    wrong[3].count = 1;
    for (size_t i = 0; i < 4; i++) {
        header own = right;
        char *text = difference(&own, &wrong[i]);
        assert_non_null(text);
        free(text);
    }
    header own = right, same = right;
    assert_null(difference(&own, &same));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(headers_are_what_two_tools_see),
        DESIGN_TEST(differences_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
