/* An accelerator as ZigZag describes it: one operational array, fed by a hierarchy of memories with ports. Plain data,
 * so that a hierarchy can be copied and cut down. Sizes in bits, bandwidths in bits a cycle, energies in pJ. */
#ifndef WEIR_DSE_ACCELERATOR_H
#define WEIR_DSE_ACCELERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "support/memory/types.h"

enum { WEIR_DSE_MEMORIES = 16, WEIR_DSE_PORTS = 8, WEIR_DSE_ARRAY_DIMS = 8, WEIR_DSE_OPERANDS = 3 };

/* What memories hold: the two inputs and the output. */
typedef enum weir_dse_memory_operand { WEIR_DSE_I1, WEIR_DSE_I2, WEIR_DSE_O } weir_dse_memory_operand;

/* How data passes a port, seen from its memory: read for or written by the level below (low) or above (high). */
typedef enum weir_dse_direction {
    WEIR_DSE_READ_LOW,   /* tl */
    WEIR_DSE_WRITE_LOW,  /* fl */
    WEIR_DSE_READ_HIGH,  /* th */
    WEIR_DSE_WRITE_HIGH, /* fh */
    WEIR_DSE_DIRECTIONS
} weir_dse_direction;

typedef struct weir_dse_port {
    const char *name;
    double bandwidth_min, bandwidth_max;
    int served; /* how many transfers share it */
    struct {
        uint8_t operand, direction;
    } serves[WEIR_DSE_OPERANDS * WEIR_DSE_DIRECTIONS];
} weir_dse_port;

typedef struct weir_dse_memory {
    const char *name;
    double size, read_energy, write_energy, area;
    int operand_count;
    uint8_t operand[WEIR_DSE_OPERANDS]; /* weir_dse_memory_operand, in the file's order */
    uint32_t serves;                    /* bit d: array dimension d shares one instance */
    int port_count;
    weir_dse_port port[WEIR_DSE_PORTS];
    int8_t port_of[WEIR_DSE_OPERANDS][WEIR_DSE_DIRECTIONS]; /* -1: none */
    int index;                                              /* in the file, also in a hierarchy that was cut down */
    bool is_inner;                                          /* next to the array */
    bool is_double_buffered;                                /* keeps room for the next part of what it has in parts */
} weir_dse_memory;

typedef struct weir_dse_accelerator {
    const char *name;
    int memory_count, dimension_count;
    weir_dse_memory memory[WEIR_DSE_MEMORIES]; /* the innermost of each operand first */
    const char *dimension[WEIR_DSE_ARRAY_DIMS];
    int64_t dimension_size[WEIR_DSE_ARRAY_DIMS];
    double unit_energy, unit_area;
    /* What weir_dse_accelerator_link derives. */
    int order[WEIR_DSE_MEMORIES]; /* topological */
    int levels[WEIR_DSE_OPERANDS];
    int chain[WEIR_DSE_OPERANDS][WEIR_DSE_MEMORIES]; /* memory of each level of an operand, innermost first */
    double unit_count;                               /* multiply-accumulate units */
} weir_dse_accelerator;

/* The accelerator of a YAML file; its texts live in the arena. NULL after reported errors. */
weir_dse_accelerator *weir_dse_accelerator_read(const char *path, weir_arena *arena);
/* Orders the memories of a hierarchy that was built or changed. */
void weir_dse_accelerator_link(weir_dse_accelerator *accelerator);
/* "I1", "I2", "O"; -1 for another text. */
int weir_dse_memory_operand_of(const char *text);
const char *weir_dse_memory_operand_name(int operand);
const char *weir_dse_direction_name(int direction); /* "tl", ... */
/* Index of the array dimension, -1: there is none of that name. */
int weir_dse_accelerator_dimension(const weir_dse_accelerator *accelerator, const char *name);
/* Number of instances of the memory: product of the array dimensions that do not share it. */
double weir_dse_memory_count(const weir_dse_accelerator *accelerator, const weir_dse_memory *memory);

#endif
