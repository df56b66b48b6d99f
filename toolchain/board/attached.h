/* Finds a board's USB device and serial port on this machine, also after programming, when the port may have another
 * name. */
#ifndef WEIR_ATTACHED_H
#define WEIR_ATTACHED_H

#include <stdbool.h>

#include "board/board.h"
#include "board/ports.h"

/* "NAME@PORT": the part before the last '@', heap memory; *which points behind it into `argument`; NULL: there is
 * none. */
char *weir_attached_split(const char *argument, const char **which);
/* Is the device one that the board has? */
bool weir_attached_is_board(const weir_board *board, const weir_usb *usb);

/* The board's own USB device, which its programmer opens: *usb points into `ports`, or is NULL for a board that names
 * none. `which` selects one of several boards, by its USB serial, its USB position, or the name or path of one of its
 * ports; NULL: the only one. False and the trouble: none is attached, or several. */
bool weir_attached_device(const weir_ports *ports, const weir_board *board, const char *which, const weir_usb **usb,
                          weir_trouble *trouble);
/* The port of the board's UART: *port points into `ports`. For a board without its own UART `which` selects the
 * adapter, likewise. False and the trouble: also when the device has no port. Permissions are not checked. */
bool weir_attached_port(const weir_ports *ports, const weir_board *board, const char *which, const weir_port **port,
                        weir_trouble *trouble);

/* The path of the UART's port once it is there and this user may open it, heap memory: waits for at most `seconds`.
 * `which` as above; pass a name that survives programming (weir_attached_lasting). NULL and the trouble: it did not
 * appear. */
char *weir_attached_wait(const weir_board *board, const char *which, double seconds, weir_trouble *trouble);
/* A device's name for as long as it is plugged in: its USB serial, or its USB position if it has none or another device
 * has the same. */
const char *weir_attached_lasting(const weir_ports *ports, const weir_usb *usb);

#endif
