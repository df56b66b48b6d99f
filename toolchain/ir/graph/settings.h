/* Settings: integers of a node's component, under names that the component declares (dataflow/component.h). The graph
 * stores, copies, prints and reads them; the component defines their meaning. */
#ifndef WEIR_IR_SETTINGS_H
#define WEIR_IR_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

enum { WEIR_SETTINGS_MOST = 6 }; /* of a node */

/* Where the text form has a setting, and as what. */
typedef enum weir_settings_place {
    WEIR_SETTINGS_BEFORE_LANES, /* the lanes follow from it */
    WEIR_SETTINGS_AFTER_LANES,  /* it follows from the lanes */
    WEIR_SETTINGS_STORAGE       /* a weir_storage by its name, after that of the parameters */
} weir_settings_place;

/* In the order in which they were set first, which for a component's is that of its declaration. All 0: none. */
typedef struct weir_settings {
    const char *name[WEIR_SETTINGS_MOST]; /* constant, or the graph's */
    int64_t value[WEIR_SETTINGS_MOST];    /* 0: not set */
    uint8_t place[WEIR_SETTINGS_MOST];    /* weir_settings_place */
    uint8_t count;
} weir_settings;

/* Letters in lower case, digits and '_', no digit first, and no other field of the text form. */
bool weir_settings_may_have(const char *name);
/* The value under a name; 0: not set. */
int64_t weir_settings_get(const weir_settings *settings, const char *name);
/* A new name takes a place at the end, of which there must be one. The name is not copied. */
void weir_settings_set(weir_settings *settings, const char *name, weir_settings_place place, int64_t value);
/* Mixes the settings into a hash, except storage choices. */
uint64_t weir_settings_hash(const weir_settings *settings, uint64_t hash);

#endif
