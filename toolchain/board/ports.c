#define _XOPEN_SOURCE 700 /* realpath */
#define _DEFAULT_SOURCE   /* getgrouplist */
#include "board/ports.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"

static const char *root_of(const char *variable, const char *otherwise) {
    const char *root = getenv(variable);
    return root == NULL || *root == '\0' ? otherwise : root;
}

static const char *sys_root(void) { return root_of(WEIR_PORTS_SYS, "/sys"); }
static const char *dev_root(void) { return root_of(WEIR_PORTS_DEV, "/dev"); }

/* --- names of a folder --- */

/* "ttyUSB2" is before "ttyUSB10". */
static int compare_names(const void *a, const void *b) {
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    for (; *x != '\0' && *x == *y; x++, y++)
        if (isdigit((unsigned char)*x)) break;
    char *x_end = NULL, *y_end = NULL;
    if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
        const unsigned long n = strtoul(x, &x_end, 10), m = strtoul(y, &y_end, 10);
        if (n != m) return n < m ? -1 : 1;
        return compare_names(&(char *const){x_end}, &(char *const){y_end});
    }
    return (unsigned char)*x - (unsigned char)*y;
}

/* Heap memory, and each name. */
static char **names_in(const char *path, size_t *count) {
    DIR *folder = opendir(path);
    char **names = NULL;
    size_t capacity = 0;
    *count = 0;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        names = weir_grow(names, &capacity, *count + 1, sizeof *names);
        names[(*count)++] = weir_copy_string(entry->d_name);
    }
    if (folder != NULL) closedir(folder);
    if (*count > 0) qsort(names, *count, sizeof *names, compare_names);
    return names;
}

static void free_names(char **names, size_t count) {
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
}

/* --- attributes --- */

/* Its line as it may be printed; NULL: there is none. */
static const char *attribute(weir_arena *arena, const char *folder, const char *name) {
    size_t size = 0;
    char *path = weir_path_join(folder, name), *data = weir_file_read_quietly(path, &size);
    free(path);
    if (data == NULL) return NULL;
    size = strcspn(data, "\r\n");
    while (size > 0 && data[size - 1] == ' ') size--;
    weir_text text = {NULL, 0, 0};
    weir_text_plain(&text, data, size);
    const char *value = text.size == 0 ? NULL : weir_arena_copy_string(arena, text.data);
    weir_text_free(&text);
    free(data);
    return value;
}

/* -1: there is none. */
static int number_attribute(weir_arena *arena, const char *folder, const char *name, int base) {
    const char *text = attribute(arena, folder, name);
    char *end = NULL;
    const long value = text == NULL ? -1 : strtol(text, &end, base);
    return text == NULL || *end != '\0' || value < 0 || value > 65535 ? -1 : (int)value;
}

static char *resolve(const char *folder, const char *name) {
    char *path = weir_path_join(folder, name), *full = realpath(path, NULL);
    free(path);
    return full;
}

/* --- USB devices --- */

/* Where each is in sysfs. */
typedef struct reading {
    weir_ports *ports;
    char **folder;
} reading;

static const char *join_in(weir_arena *arena, const char *folder, const char *name) {
    return weir_arena_format(arena, "%s/%s", folder, name);
}

static void read_device(reading *r, const char *place, const char *folder) {
    weir_arena *arena = r->ports->arena;
    const char *vendor = attribute(arena, folder, "idVendor"), *product = attribute(arena, folder, "idProduct");
    if (vendor == NULL || product == NULL) return;
    const int bus = number_attribute(arena, folder, "busnum", 10),
              number = number_attribute(arena, folder, "devnum", 10);
    r->folder[r->ports->usb_count] = weir_copy_string(folder);
    r->ports->usb[r->ports->usb_count++] =
        (weir_usb){.place = weir_arena_copy_string(arena, place),
                   .id = weir_arena_format(arena, "%s:%s", vendor, product),
                   .serial = attribute(arena, folder, "serial"),
                   .product = attribute(arena, folder, "product"),
                   .manufacturer = attribute(arena, folder, "manufacturer"),
                   .node = weir_arena_format(arena, "%s/bus/usb/%03d/%03d", dev_root(), bus, number)};
}

/* Interfaces have a ':' in their names, root hubs are called usb1. */
static void read_devices(reading *r) {
    size_t count;
    char *list = weir_path_join(sys_root(), "bus/usb/devices"), **names = names_in(list, &count);
    r->ports->usb = weir_arena_array(r->ports->arena, count + 1, sizeof *r->ports->usb);
    r->folder = weir_calloc(count + 1, sizeof *r->folder);
    for (size_t i = 0; i < count; i++) {
        char *folder =
            isdigit((unsigned char)names[i][0]) && strchr(names[i], ':') == NULL ? resolve(list, names[i]) : NULL;
        if (folder != NULL) read_device(r, names[i], folder);
        free(folder);
    }
    free_names(names, count);
    free(list);
}

/* --- ports --- */

/* From the port's device up to the USB device that it is part of. */
static void find_above(const reading *r, const char *device, weir_port *port) {
    char *root = realpath(sys_root(), NULL), *at = weir_copy_string(device);
    const size_t top = root == NULL ? 0 : strlen(root);
    while (port->usb == NULL && strlen(at) > top) {
        if (port->interface < 0) port->interface = number_attribute(r->ports->arena, at, "bInterfaceNumber", 16);
        for (size_t i = 0; i < r->ports->usb_count; i++)
            if (strcmp(r->folder[i], at) == 0) port->usb = &r->ports->usb[i];
        char *slash = strrchr(at, '/');
        if (slash == NULL) break;
        *slash = '\0';
    }
    free(at);
    free(root);
}

/* Of the machine's own UARTs there are names for more than there are: those have type 0. */
static bool is_real(const weir_port *port, weir_arena *arena, const char *folder) {
    return port->usb != NULL || number_attribute(arena, folder, "type", 10) != 0;
}

static void read_port(const reading *r, const char *name, const char *folder) {
    weir_ports *ports = r->ports;
    char *device = resolve(folder, "device");
    if (device == NULL) return;
    weir_port port = {.interface = -1};
    find_above(r, device, &port);
    if (is_real(&port, ports->arena, folder)) {
        char *driver = resolve(device, "driver");
        port.name = weir_arena_copy_string(ports->arena, name);
        port.path = join_in(ports->arena, dev_root(), name);
        port.driver = driver == NULL ? NULL : weir_arena_copy_string(ports->arena, weir_path_name(driver));
        port.latency_timer = number_attribute(ports->arena, device, "latency_timer", 10);
        ports->port[ports->port_count++] = port;
        free(driver);
    }
    free(device);
}

static void read_ports(const reading *r) {
    size_t count;
    char *list = weir_path_join(sys_root(), "class/tty"), **names = names_in(list, &count);
    r->ports->port = weir_arena_array(r->ports->arena, count + 1, sizeof *r->ports->port);
    for (size_t i = 0; i < count; i++) {
        char *folder = weir_path_join(list, names[i]);
        read_port(r, names[i], folder);
        free(folder);
    }
    free_names(names, count);
    free(list);
}

weir_ports *weir_ports_read(void) {
    weir_arena *arena = weir_arena_new();
    weir_ports *ports = weir_arena_alloc(arena, sizeof *ports);
    ports->arena = arena;
    reading r = {ports, NULL};
    read_devices(&r);
    read_ports(&r);
    free_names(r.folder, ports->usb_count);
    return ports;
}

void weir_ports_free(weir_ports *ports) {
    if (ports != NULL) weir_arena_free(ports->arena);
}

json_t *weir_ports_json(const weir_ports *ports) {
    json_t *devices = json_array(), *list = json_array();
    for (size_t i = 0; i < ports->usb_count; i++) {
        const weir_usb *u = &ports->usb[i];
        json_array_append_new(devices, json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:s}", "place", u->place, "id", u->id,
                                                 "serial", u->serial, "product", u->product, "manufacturer",
                                                 u->manufacturer, "node", u->node));
    }
    for (size_t i = 0; i < ports->port_count; i++) {
        const weir_port *p = &ports->port[i];
        json_t *timer = p->latency_timer < 0 ? json_null() : json_integer(p->latency_timer);
        json_t *interface = p->interface < 0 ? json_null() : json_integer(p->interface);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s?, s:o, s:s?, s:o}", "name", p->name, "path", p->path,
                                              "usb", p->usb == NULL ? NULL : p->usb->place, "interface", interface,
                                              "driver", p->driver, "latency_timer", timer));
    }
    return json_pack("{s:o, s:o}", "usb", devices, "ports", list);
}

/* --- permission --- */

static char *group_name(gid_t group) {
    const struct group *entry = getgrgid(group);
    return entry == NULL ? weir_format("%lu", (unsigned long)group) : weir_copy_string(entry->gr_name);
}

/* Has the user's account the group, which this session may not have yet? */
static bool account_has(const struct passwd *user, gid_t group) {
    gid_t groups[256];
    int count = sizeof groups / sizeof *groups;
    if (user == NULL || getgrouplist(user->pw_name, user->pw_gid, groups, &count) < 0) return false;
    for (int i = 0; i < count; i++)
        if (groups[i] == group) return true;
    return false;
}

/* Through the file's group, where that helps; NULL: it does not. */
static char *join_group(const struct stat *state) {
    enum { OPENS = 060 };
    if (state->st_gid == 0 || (state->st_mode & OPENS) != OPENS) return NULL;
    const struct passwd *user = getpwuid(getuid());
    char *group = group_name(state->st_gid);
    char *remedy =
        account_has(user, state->st_gid)
            ? weir_format("log in again: this session does not have the group %s yet", group)
            : weir_format("sudo usermod -aG %s %s, then log in again", group, user == NULL ? "USER" : user->pw_name);
    free(group);
    return remedy;
}

static char *not_allowed(const char *path, const struct stat *state) {
    char *group = group_name(state->st_gid);
    char *text = weir_format("%s may not be opened by this user (mode %04o, group %s)", path,
                             (unsigned)(state->st_mode & 07777), group);
    free(group);
    return text;
}

bool weir_ports_may_open(const weir_port *port, weir_trouble *trouble) {
    struct stat state;
    if (access(port->path, R_OK | W_OK) == 0) return true;
    if (stat(port->path, &state) != 0) {
        weir_trouble_set(trouble, WEIR_EXIT_BOARD, weir_format("%s is not there", port->path),
                         weir_format("in a container give it the device (docker run --device %s); else udevadm trigger",
                                     port->path));
        return false;
    }
    char *remedy = join_group(&state);
    weir_trouble_set(trouble, WEIR_EXIT_BOARD, not_allowed(port->path, &state),
                     remedy != NULL ? remedy : weir_format("sudo chmod a+rw %s", port->path));
    return false;
}

char *weir_ports_rule(const weir_usb *usb) {
    const char *vendor = usb->id, *product = usb->id + 5;
    return weir_format(
        "echo 'SUBSYSTEM==\"usb|hidraw\", ATTRS{idVendor}==\"%.4s\", ATTRS{idProduct}==\"%s\", MODE=\"0660\", "
        "GROUP=\"plugdev\", TAG+=\"uaccess\"' | sudo tee /etc/udev/rules.d/70-weir-%.4s-%s.rules "
        "&& sudo udevadm control --reload && sudo udevadm trigger",
        vendor, product, vendor, product);
}

bool weir_ports_may_program(const weir_usb *usb, weir_trouble *trouble) {
    struct stat state;
    if (access(usb->node, R_OK | W_OK) == 0 || stat(usb->node, &state) != 0) return true;
    char *remedy = join_group(&state);
    weir_trouble_set(trouble, WEIR_EXIT_BOARD, not_allowed(usb->node, &state),
                     remedy != NULL ? remedy : weir_ports_rule(usb));
    return false;
}

/* --- who has it open --- */

/* Has the process a file open that is this one? */
static bool process_holds(const char *process, const struct stat *wanted) {
    size_t count;
    char *list = weir_format("/proc/%s/fd", process), **names = names_in(list, &count);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        struct stat state;
        char *path = weir_path_join(list, names[i]);
        found = stat(path, &state) == 0 && state.st_dev == wanted->st_dev && state.st_ino == wanted->st_ino;
        free(path);
    }
    free_names(names, count);
    free(list);
    return found;
}

static char *describe_process(const char *process) {
    weir_arena *arena = weir_arena_new();
    char *folder = weir_path_join("/proc", process);
    const char *name = attribute(arena, folder, "comm");
    char *text = weir_format("%s (process %s)", name == NULL ? "a program" : name, process);
    free(folder);
    weir_arena_free(arena);
    return text;
}

char *weir_ports_holder(const char *path) {
    struct stat wanted;
    if (stat(path, &wanted) != 0) return NULL;
    size_t count;
    char **names = names_in("/proc", &count), *holder = NULL;
    for (size_t i = 0; i < count && holder == NULL; i++)
        if (isdigit((unsigned char)names[i][0]) && process_holds(names[i], &wanted))
            holder = describe_process(names[i]);
    free_names(names, count);
    return holder;
}
