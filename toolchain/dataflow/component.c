#include "dataflow/component.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/host.h"
#include "ir/graph/operator.h"
#include "ir/shape/index_map.h"
#include "ir/trait/mase.h"
#include "ir/trait/trait.h"
#include "support/text/diag.h"

#define WEIR_COMPONENT(name, ...) extern const weir_component_rules weir_##name##_rules;
#include "dataflow/component.def"
#undef WEIR_COMPONENT

static const weir_component table[] = {
#define WEIR_COMPONENT(name, module, op, summary) {#name, module, WEIR_OP_##op, summary, &weir_##name##_rules},
#include "dataflow/component.def"
#undef WEIR_COMPONENT
};

enum { OURS = sizeof table / sizeof *table };

/* Places in the table, from 1 on, and the last one of each operator: a later row overrides the one before. */
enum {
    NOWHERE,
#define WEIR_COMPONENT(name, module, op, summary) PLACE_##name,
#include "dataflow/component.def"
#undef WEIR_COMPONENT
};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init" /* operators with several components */
static const uint8_t last_of[] = {
#define WEIR_COMPONENT(name, module, op, summary) [WEIR_OP_##op] = PLACE_##name,
#include "dataflow/component.def"
#undef WEIR_COMPONENT
};
#pragma GCC diagnostic pop

size_t weir_component_count(void) { return OURS + weir_operator_component_count(); }

const weir_component *weir_component_at(size_t index) {
    const size_t own = weir_operator_component_count();
    assert(index < own + OURS);
    return index < own ? weir_operator_component(index, NULL) : &table[index - own];
}

static bool refuse(const weir_component *component, const char *what) {
    weir_error(WEIR_NOWHERE, "component '%s' cannot be registered: %s", component->name, what);
    return false;
}

/* Has it the settings that the schedule finds for nodes of ours? */
static bool has_found(const weir_component *component, const weir_component *ours) {
    const weir_component_setting *found;
    for (size_t i = 0; (found = weir_component_setting_as(ours->rules, WEIR_SETTING_FOUND, i)) != NULL; i++) {
        const weir_component_setting *own = weir_component_setting_called(component->rules, found->name);
        if (own == NULL || own->role != WEIR_SETTING_FOUND)
            return refuse(component, "it lacks a setting that the schedule finds for its operator");
    }
    return true;
}

static bool check_settings(const weir_component *component) {
    size_t count;
    const weir_component_setting *settings = weir_component_setting_list(component->rules, &count);
    if (count > WEIR_SETTINGS_MOST) return refuse(component, "it has more than 6 settings");
    for (size_t i = 0; i < count; i++) {
        if (!weir_settings_may_have(settings[i].name))
            return refuse(
                component,
                "expected names of settings in lower-case letters, digits and '_' that metadata does not use");
        if (weir_component_setting_called(component->rules, settings[i].name) != &settings[i])
            return refuse(component, "two settings have the same name");
    }
    for (size_t i = 0; i < OURS; i++)
        if (table[i].op == component->op && !has_found(component, &table[i])) return false;
    return true;
}

bool weir_component_register(const weir_component *component, const char *folder) {
    for (size_t i = 0; i < weir_component_count(); i++) {
        const weir_component *other = weir_component_at(i);
        if (other == component) return true;
        if (strcmp(other->name, component->name) == 0) return refuse(component, "the name is in use");
        if (strcmp(other->module, component->module) == 0)
            return refuse(component, "its module is another component's");
    }
    if (component->op == WEIR_OP_NONE) return refuse(component, "it realises no operator");
    if (component->rules == NULL || component->rules->timing == NULL || component->rules->build == NULL)
        return refuse(component, "expected timing and build");
    if ((component->rules->memory == NULL) != (component->rules->content == NULL))
        return refuse(component, "memory and content go together");
    if (!check_settings(component)) return false;
    if ((component->rules->foldings != NULL) && component->rules->derive == NULL)
        return refuse(component, "foldings need derive");
    return weir_operator_add_component(component, folder);
}

/* Of the table: the last row of the operator. */
static size_t place_of(weir_op op) { return (size_t)op < sizeof last_of ? last_of[op] : NOWHERE; }

const weir_component *weir_component_for(weir_op op) {
    const size_t own = weir_operator_component_count(), last = place_of(op);
    for (size_t i = 0; i < own; i++)
        if (weir_operator_component(i, NULL)->op == op) return weir_operator_component(i, NULL);
    for (size_t i = 0; i < last; i++)
        if (table[i].op == op) return &table[i];
    return NULL;
}

/* Mostly it is the component's own text. */
static bool is_module(const weir_component *component, const char *module) {
    return component->module == module || strcmp(component->module, module) == 0;
}

const weir_component *weir_component_of(const weir_graph *graph, weir_node node) {
    const char *module = weir_node_metadata_of(graph, node)->hardware.module;
    if (module == NULL) return NULL;
    const weir_op op = weir_node_op(graph, node);
    const size_t own = weir_operator_component_count();
    for (size_t i = 0; i < own; i++) {
        const weir_component *component = weir_operator_component(i, NULL);
        if (component->op == op && is_module(component, module)) return component;
    }
    for (size_t i = place_of(op); i > 0; i--)
        if (table[i - 1].op == op && is_module(&table[i - 1], module)) return &table[i - 1];
    return NULL;
}

bool weir_component_is_replaced(const weir_component_rules *rules) {
    const size_t own = weir_operator_component_count();
    for (size_t i = 0; i < own; i++)
        if (weir_operator_component(i, NULL)->rules->replaces == rules) return true;
    for (size_t i = 0; i < OURS; i++)
        if (table[i].rules->replaces == rules) return true;
    return false;
}

weir_graph *weir_component_copy(const weir_graph *graph) {
    weir_graph *copy = weir_graph_copy(graph);
    for (weir_node node = weir_graph_first(copy); node.id != 0; node = weir_node_next(copy, node)) {
        const weir_component *component = weir_component_of(copy, node);
        if (component == NULL) continue;
        weir_meta_hardware *hardware = &weir_node_metadata(copy, node)->hardware;
        hardware->module = component->module;
        for (uint8_t i = 0; i < hardware->settings.count; i++) {
            const weir_component_setting *setting =
                weir_component_setting_called(component->rules, hardware->settings.name[i]);
            if (setting != NULL) hardware->settings.name[i] = setting->name;
        }
    }
    return copy;
}

const weir_component *weir_component_expected(const weir_graph *graph, weir_node node) {
    const weir_component *component = weir_component_of(graph, node);
    return component != NULL ? component : weir_component_for(weir_node_op(graph, node));
}

const char *weir_component_module(const weir_graph *graph, weir_node node) {
    for (size_t i = 0; i < weir_component_count(); i++) {
        const weir_component *component = weir_component_at(i);
        if (component->op == weir_node_op(graph, node) ||
            (component->rules->becomes != NULL && component->rules->becomes(graph, node)))
            return component->module;
    }
    return NULL;
}

bool weir_component_takes_constant(const weir_graph *graph, weir_node node, const char *argument) {
    weir_value value = weir_mase_find(graph, node, argument);
    return value.id != 0 && weir_mase_constant(graph, value) != NULL;
}

bool weir_component_stream_operand(const weir_graph *graph, weir_node node, size_t input) {
    return weir_mase_constant(graph, weir_node_input(graph, node, input)) == NULL;
}

bool weir_component_takes_two(const weir_graph *graph, weir_node node, weir_op op, weir_op qlinear) {
    const weir_op kind = weir_trait_kind(graph, node);
    if (kind == qlinear)
        return weir_component_stream_operand(graph, node, 0) && weir_component_stream_operand(graph, node, 3);
    return kind == op && !weir_component_takes_constant(graph, node, "data_in_0") &&
           !weir_component_takes_constant(graph, node, "data_in_1");
}

bool weir_component_fits_32(const weir_graph *graph, weir_node node, const char *const *names, size_t count,
                            weir_text *why) {
    for (size_t i = 0; i < count; i++) {
        int64_t value = weir_node_int(graph, node, names[i], 0);
        if (value == (int32_t)value) continue;
        weir_text_format(why, "hardware needs '%s' within 32 bits, found %lld", names[i], (long long)value);
        return false;
    }
    return true;
}

bool weir_component_fits_numbers(const weir_graph *graph, weir_node node, weir_text *why) {
    const int64_t low = weir_node_int(graph, node, "low", 0), high = weir_node_int(graph, node, "high", 0);
    if (low == (int32_t)low && high == (int32_t)high) return true;
    weir_text_format(
        why,
        "its numbers reach from %lld to %lld, but hardware has 32 bits for them; put a quantizer (QuantizeLinear and "
        "DequantizeLinear) after the operator that the line names, or make the scales of its operands more alike",
        (long long)low, (long long)high);
    return false;
}

/* The first component of the node's operator that takes the node; the reasons against all of them otherwise. */
static const weir_component *find(const weir_graph *graph, weir_node node, weir_text *why) {
    for (size_t i = 0; i < weir_component_count(); i++) {
        const weir_component *component = weir_component_at(i);
        if (component->op != weir_node_op(graph, node)) continue;
        if (why->size > 0) weir_text_add(why, "; ");
        if (component->rules->fits == NULL || component->rules->fits(graph, node, why)) return component;
    }
    return NULL;
}

/* Another name, or shape, of the same stream. */
static bool is_name(weir_op op) {
    return weir_index_map_keeps(op) && weir_op_get(op)->class != WEIR_CLASS_STREAM && op != WEIR_OP_UPDATE;
}

/* --- the host --- */

/* Which part makes the node's data; `given`: some of it is none of the host's, neither codes of the hardware nor codes
 * that come in. */
static weir_host part_of_users(const weir_graph *graph, weir_node node, bool *given) {
    weir_host part = WEIR_HOST_NONE;
    *given = false;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_value value = weir_node_input(graph, node, i);
        if (value.id == 0 || weir_value_constant(graph, value) != NULL) continue;
        const weir_node producer = weir_value_producer(graph, value);
        const weir_host made = producer.id == 0 ? WEIR_HOST_NONE : weir_host_of(graph, producer);
        if (made == WEIR_HOST_TAIL) part = made;
        else if (made == WEIR_HOST_HEAD && weir_node_op(graph, producer) != WEIR_OP_ENCODE)
            part = part == WEIR_HOST_NONE ? made : part;
        else *given |= producer.id != 0;
    }
    return part;
}

/* Is there a component for it, and for as many streams as flow into it? */
static bool has_component(const weir_graph *graph, weir_node node) {
    const weir_component *component = weir_component_for(weir_node_op(graph, node));
    if (component == NULL || component->rules->streams == 0) return component != NULL;
    size_t streams = 0;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++)
        streams += weir_value_constant(graph, weir_node_input(graph, node, i)) == NULL;
    return component->rules->streams == WEIR_COMPONENT_SOURCE ? streams <= 1 : streams == component->rules->streams;
}

/* A component of codes, which the host may have put in another order. */
static bool takes_codes(const weir_graph *graph, weir_node node) {
    return has_component(graph, node) &&
           weir_value_type(graph, weir_node_input(graph, node, 0))->quant.format != WEIR_FORMAT_FLOAT;
}

/* Is one of its inputs made by the hardware, and none of the codes that come in under another name? */
static bool depends_on_hardware(const weir_graph *graph, weir_node node) {
    bool any = false;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_value value = weir_node_input(graph, node, i);
        weir_node maker = value.id == 0 ? WEIR_NO_NODE : weir_value_producer(graph, value);
        while (maker.id != 0 && is_name(weir_node_op(graph, maker)))
            maker = weir_value_producer(graph, weir_node_input(graph, maker, 0));
        any |= maker.id != 0 && weir_host_of(graph, maker) == WEIR_HOST_NONE;
    }
    return any;
}

/* Do conversions to real numbers alone read the value, as it is or under another name? */
static bool becomes_real(const weir_graph *graph, weir_value value) {
    const size_t count = weir_value_use_count(graph, value);
    bool all = count > 0 && !weir_value_is_output(graph, value);
    for (size_t i = 0; all && i < count; i++) {
        const weir_node user = weir_value_use(graph, value, i).node;
        const weir_value made = weir_node_output(graph, user, 0);
        const bool real = weir_value_type(graph, made)->quant.format == WEIR_FORMAT_FLOAT;
        all = (weir_trait_kind(graph, user) == WEIR_OP_CAST && real) ||
              (is_name(weir_node_op(graph, user)) && becomes_real(graph, made));
    }
    return all;
}

static weir_host part_of(const weir_graph *graph, weir_node node) {
    const weir_op op = weir_node_op(graph, node);
    if (weir_node_info(graph, node)->class == WEIR_CLASS_HOST) return weir_host_of(graph, node);
    if (weir_node_info(graph, node)->class != WEIR_CLASS_TENSOR) return WEIR_HOST_NONE;
    bool given;
    const weir_host part = part_of_users(graph, node, &given);
    if (part == WEIR_HOST_HEAD && takes_codes(graph, node)) return WEIR_HOST_NONE;
    if (part != WEIR_HOST_NONE) return part;
    const bool real = weir_value_type(graph, weir_node_output(graph, node, 0))->quant.format == WEIR_FORMAT_FLOAT;
    if (real) return depends_on_hardware(graph, node) ? WEIR_HOST_TAIL : WEIR_HOST_HEAD;
    if (is_name(op) && !given && becomes_real(graph, weir_node_output(graph, node, 0))) return WEIR_HOST_HEAD;
    if (is_name(op) || takes_codes(graph, node)) return WEIR_HOST_NONE;
    return given ? WEIR_HOST_TAIL : WEIR_HOST_HEAD;
}

void weir_component_mark_host(weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        weir_node_metadata(graph, node)->hardware.host = part_of(graph, node);
}

/* --- assignment --- */

static bool assign(weir_graph *graph, weir_node node) {
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    weir_op op = weir_node_op(graph, node);
    bool real = weir_value_type(graph, weir_node_output(graph, node, 0))->quant.format == WEIR_FORMAT_FLOAT;
    const weir_component *before = weir_component_of(graph, node);
    if (before != NULL && !weir_component_setting_are_declared(before->rules, graph, node)) return false;
    weir_text why = {NULL, 0, 0};
    const bool host = hardware->host != WEIR_HOST_NONE;
    const weir_component *component = host ? NULL : find(graph, node, &why);
    hardware->assigned = true;
    hardware->module = component == NULL ? NULL : component->module;
    weir_component_setting_lay_out(component == NULL ? NULL : component->rules, hardware);
    hardware->is_implicit = !real && !host && is_name(op);
    bool fine = component != NULL || hardware->is_implicit || host;
    if (!fine && why.size > 0) weir_node_fail(graph, node, "%s", why.data);
    else if (!fine)
        weir_error(weir_node_location(graph, node), "node '%s': no component computes %s", weir_node_name(graph, node),
                   weir_node_info(graph, node)->full_name);
    weir_text_free(&why);
    return fine;
}

bool weir_component_assign(weir_graph *graph) {
    bool fine = true;
    weir_component_mark_host(graph);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        fine &= assign(graph, node);
    return fine;
}
