/* Settings as components declare them: integers that folding, folding files, reports, exploration and the text form
 * handle by these declarations, knowing none by name. Values are in the metadata of nodes (ir/graph/settings.h). */
#ifndef WEIR_DATAFLOW_COMPONENT_SETTING_H
#define WEIR_DATAFLOW_COMPONENT_SETTING_H

#include <jansson.h>

#include "ir/graph/graph.h"
#include "support/text/text.h"

/* What the rest of Weir knows of a setting. */
typedef enum weir_setting_role {
    WEIR_SETTING_UNITS,   /* parallel operations, in one dimension: the multipliers are the product of all of these */
    WEIR_SETTING_OWN,     /* nothing: a file may set it; the component interprets 0 */
    WEIR_SETTING_PIECES,  /* pieces of a beat done in a cycle: follows from the folding, not set by files */
    WEIR_SETTING_FOUND,   /* set by the schedule, not by files */
    WEIR_SETTING_PRODUCTS /* a weir_storage: where products of variables are formed; auto: in blocks for one a cycle */
} weir_setting_role;

/* `storage`, which every component with memories has, is none of these. */
typedef struct weir_component_setting {
    const char *name; /* ir/graph/settings.h says what it may be */
    weir_setting_role role;
    int64_t (*most)(const weir_graph *graph, weir_node node); /* INT32_MAX; not asked of PRODUCTS */
} weir_component_setting;

typedef struct weir_component_rules weir_component_rules; /* dataflow/component.h */

/* 0: not set. */
int64_t weir_component_setting_of(const weir_meta_hardware *hardware, const weir_component_setting *setting);
void weir_component_setting_set(weir_meta_hardware *hardware, const weir_component_setting *setting, int64_t value);
/* May a folding file set it? */
bool weir_component_setting_is_open(const weir_component_setting *setting);
/* The largest value, for a node that has it. */
int64_t weir_component_setting_most(const weir_component_setting *setting, const weir_graph *graph, weir_node node);

/* `digit`, the pieces of its work that it does in a cycle: of a component that takes the lanes of the stream before it
 * and declares no setting. And its value for a node that has it. */
extern const weir_component_setting weir_component_setting_digit;
int64_t weir_component_setting_digit_of(const weir_graph *graph, weir_node node);

/* All settings that a component has; none where `rules` is NULL. */
const weir_component_setting *weir_component_setting_list(const weir_component_rules *rules, size_t *count);
/* The `index`th of a role, from 0; NULL: there is none, or `rules` is NULL. */
const weir_component_setting *weir_component_setting_as(const weir_component_rules *rules, weir_setting_role role,
                                                        size_t index);
/* The one of a name; NULL: there is none, or `rules` is NULL. */
const weir_component_setting *weir_component_setting_called(const weir_component_rules *rules, const char *name);
/* Multipliers: the product of the units, 0 without any. */
int64_t weir_component_setting_units(const weir_component_rules *rules, const weir_meta_hardware *hardware);
/* "2 x 4": the units. False, and nothing, where there are none or none is set. */
bool weir_component_setting_add_units(const weir_component_rules *rules, const weir_meta_hardware *hardware,
                                      weir_text *text);
/* The value of the setting that has the role; 0 without one. And sets it where there is one. */
int64_t weir_component_setting_value_as(const weir_component_rules *rules, const weir_meta_hardware *hardware,
                                        weir_setting_role role);
void weir_component_setting_set_as(const weir_component_rules *rules, weir_meta_hardware *hardware,
                                   weir_setting_role role, int64_t value);
/* What a folding file may set, `storage` included: how many names; 0 where `rules` is NULL. */
enum { WEIR_COMPONENT_SETTING_OPEN_MOST = WEIR_SETTINGS_MOST + 1 };
size_t weir_component_setting_open_names(const weir_component_rules *rules,
                                         const char *name[WEIR_COMPONENT_SETTING_OPEN_MOST]);
/* "simd, pe, storage": the same as a text. */
void weir_component_setting_add_open(const weir_component_rules *rules, weir_text *text);
/* {"simd": 8, "pe": 4}: all settings of a node with a component, numbers or names of storage; a new reference. */
json_t *weir_component_setting_json(const weir_component_rules *rules, const weir_meta_hardware *hardware);
/* Does a node have only settings that its component declares? The error names the first other one, a note those that
 * exist. */
bool weir_component_setting_are_declared(const weir_component_rules *rules, const weir_graph *graph, weir_node node);
/* And are all in their bounds, units set? */
bool weir_component_setting_verify(const weir_component_rules *rules, const weir_graph *graph, weir_node node);
/* Puts the settings of a node that was given its component in the order of the declaration. */
void weir_component_setting_lay_out(const weir_component_rules *rules, weir_meta_hardware *hardware);

#endif
