/* A design as Yosys' write_json gives it once `techmap` has left gates of one bit, registers without enable and reset,
 * and blocks: memories and multipliers, whose insides are not looked at. Modules below the top one are flattened. */
#ifndef WEIR_SYNTH_GATES_H
#define WEIR_SYNTH_GATES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A wire of one bit. */
typedef uint32_t weir_net;
enum { WEIR_NET_0, WEIR_NET_1, WEIR_NET_UNDEFINED, WEIR_NET_FIRST };

typedef enum weir_gate_kind {
    WEIR_GATE_BUF,
    WEIR_GATE_NOT,
    WEIR_GATE_AND,
    WEIR_GATE_NAND,
    WEIR_GATE_OR,
    WEIR_GATE_NOR,
    WEIR_GATE_XOR,
    WEIR_GATE_XNOR,
    WEIR_GATE_ANDNOT, /* a and not b */
    WEIR_GATE_ORNOT,
    WEIR_GATE_MUX, /* s ? b : a */
    WEIR_GATE_KINDS
} weir_gate_kind;

typedef struct weir_gate {
    weir_gate_kind kind;
    weir_net a, b, s, y;
} weir_gate;

typedef struct weir_register {
    weir_net q, d, clock;
    bool falls;   /* it takes d on falling edges */
    char initial; /* '0', '1', or 'x': any */
} weir_register;

typedef struct weir_pin {
    const char *port;
    size_t bit;
    weir_net net;
    bool is_output;
} weir_pin;

typedef struct weir_block {
    const char *name, *type;
    const json_t *parameters;
    weir_pin *pin; /* in order of the ports' names */
    size_t pins, capacity;
} weir_block;

/* What drives a net. */
typedef enum weir_driver {
    WEIR_DRIVER_NONE,
    WEIR_DRIVER_INPUT,
    WEIR_DRIVER_GATE,
    WEIR_DRIVER_REGISTER,
    WEIR_DRIVER_BLOCK
} weir_driver;

typedef struct weir_gates {
    json_t *json; /* owns names */
    const json_t *top;
    weir_gate *gate;
    weir_register *reg;
    weir_block *block;
    size_t gates, regs, blocks, nets;
    size_t gate_capacity, reg_capacity, block_capacity;
    struct {
        weir_driver kind;
        uint32_t index; /* of the gate, register or block */
    } * driver;         /* by net */
    size_t driver_capacity;
} weir_gates;

/* Takes over a reference to `json`. False after a reported error: a cell that is not known, which names `where`. Free
 * it in any case. */
bool weir_gates_read(json_t *json, const char *top, const char *where, weir_gates *gates);
void weir_gates_free(weir_gates *gates);
/* Net of a bit in the top module. */
weir_net weir_gates_net(const json_t *bit);

#endif
