/* Serial ports and USB devices of this machine, from sysfs and /dev, and whether this user may open them. */
#ifndef WEIR_PORTS_H
#define WEIR_PORTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "board/trouble.h"
#include "support/memory/types.h"

/* Environment variables that replace /sys and /dev. */
#define WEIR_PORTS_SYS "WEIR_SYS"
#define WEIR_PORTS_DEV "WEIR_DEV"

typedef struct weir_usb {
    const char *place;                           /* where it is plugged in: "1-2.4", which stays while it is reset */
    const char *id;                              /* "0403:6010" */
    const char *serial, *product, *manufacturer; /* NULL: it has none */
    const char *node;                            /* what a programmer opens: "/dev/bus/usb/001/004" */
} weir_usb;

typedef struct weir_port {
    const char *name;    /* "ttyUSB0" */
    const char *path;    /* "/dev/ttyUSB0" */
    const weir_usb *usb; /* NULL: a UART of the machine itself */
    int interface;       /* of the USB device; -1: unknown */
    const char *driver;  /* "ftdi_sio"; NULL: unknown */
    int latency_timer;   /* milliseconds that an FTDI chip holds a single frame; -1: it has no such timer */
} weir_port;

/* A snapshot, sorted by name with numbers in numeric order, without hubs, consoles and pseudo-terminals. */
typedef struct weir_ports {
    weir_usb *usb;
    size_t usb_count;
    weir_port *port;
    size_t port_count;
    weir_arena *arena;
} weir_ports;

/* Never NULL: without sysfs the lists are empty. */
weir_ports *weir_ports_read(void);
void weir_ports_free(weir_ports *ports);
json_t *weir_ports_json(const weir_ports *ports);

/* May this user open the port? False and the trouble: there is no such file, or no permission. */
bool weir_ports_may_open(const weir_port *port, weir_trouble *trouble);
/* May a program of this user open the device? Fine, too, when the file is not there: then the program must say so. */
bool weir_ports_may_program(const weir_usb *usb, weir_trouble *trouble);
/* The command that gives users of this machine the device, by a udev rule: heap memory. */
char *weir_ports_rule(const weir_usb *usb);
/* The process that has the file open, "screen (process 12)": heap memory. NULL: none that this user may see. */
char *weir_ports_holder(const char *path);

#endif
