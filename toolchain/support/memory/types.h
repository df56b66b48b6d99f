/* Forward declarations of the opaque types that several modules share. */
#ifndef WEIR_SUPPORT_TYPES_H
#define WEIR_SUPPORT_TYPES_H

typedef struct weir_arena weir_arena;
typedef struct weir_strings weir_strings;
typedef struct weir_array weir_array;
typedef struct weir_graph weir_graph;
typedef struct weir_rtl_design weir_rtl_design;

#endif
