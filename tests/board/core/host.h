/* The far end of the link for tests of the board's hardware: packets made and read as boards/common/README.md says,
 * with zlib's CRC, over a simulated wire (bench.v) with a delay of so many turns each way. Time is counted in turns, of
 * ten bits of the wire. */
#ifndef WEIR_TEST_BOARD_HOST_H
#define WEIR_TEST_BOARD_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DATA = 1, REGISTER = 2, STATUS = 3, START = 4 };
enum { MOST_BYTES = 256 };

typedef struct packet {
    int type, flags; /* flags: bits 4 to 6 as 1, 2, 4 */
    int length;
    int position, acknowledged;
    uint8_t payload[512];
} packet;

/* Encoded for the board, with the zero at the end; `out` has room for 600 bytes. */
size_t host_encode(const packet *p, uint8_t *out);
/* The packet of `size` bytes from the board, without the zero; false if it is none. */
bool host_decode(const uint8_t *bytes, size_t size, packet *p);
uint32_t host_random(void);
void host_seed(uint32_t seed);

/* Starts the simulator; ends the program when that fails. `delay`: turns each way. */
void wire_open(char *const *command, int delay);
void wire_close(void);
/* One turn: gives `order` and `value` (bench.v) to the wire, and up to 4 bytes that came to `came`; how many, the stop
 * bits counted in *broken. */
int wire_turn(int order, int value, uint8_t *came, int *broken);
uint64_t wire_now(void); /* turns so far */

#endif
