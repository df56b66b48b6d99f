/* A program whose first argument is a device and which takes all of its arguments. */
#ifndef WEIR_TEST_NETLIST_DEVICE_PROGRAM_H
#define WEIR_TEST_NETLIST_DEVICE_PROGRAM_H

#include <stdio.h>
#include <stdlib.h>

#include "dataflow/cost/device.h"

/* Its exit status; `usage` names all of its arguments, of which there are `arguments`. */
static inline int run_with_device(int argc, char **argv, int arguments, const char *usage,
                                  int (*run)(const weir_device *device, char **argv)) {
    if (argc != arguments + 1) {
        fprintf(stderr, "usage: %s\n", usage);
        return 2;
    }
    int status = 0;
    weir_device *device = weir_device_read(argv[1], &status);
    if (device == NULL) return EXIT_FAILURE;
    status = run(device, argv);
    weir_device_free(device);
    return status;
}

#endif
