#include "cli/watch.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pass/core/registry.h"
#include "support/text/text.h"
#include "support/text/yaml.h"

int weir_watch_check(const weir_watch *w, const weir_pipeline *p) {
    const char *lists[] = {w->before, w->after};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (lists[i] != NULL && strcmp(lists[i], "all") != 0 && !weir_pass_registry_knows(p->registry, lists[i]))
            return WEIR_EXIT_USAGE;
    }
    if (w->verify && w->no_verify)
        return weir_cli_misuse(p->command, "--verify-each cannot be combined with --no-verify-each");
    if (strcmp(w->style, "diff") != 0 && strcmp(w->style, "text") != 0)
        return weir_cli_misuse(p->command, "unknown style '%s', expected diff or text", w->style);
    if (w->info != NULL && strcmp(w->info, "json") != 0 && strcmp(w->info, "text") != 0)
        return weir_cli_misuse(p->command, "unknown form '%s', expected json or text", w->info);
    return WEIR_EXIT_FINE;
}

void weir_watch_add(weir_watch *w, weir_pipeline *p, weir_pass_instrument *also) {
    if (w->timing || w->timing_json != NULL) w->timer = weir_pipeline_add(p, weir_pass_timing_new());
    if (w->limit != WEIR_WATCH_NO_LIMIT) weir_pipeline_add(p, weir_pass_bisect_new(stderr, w->limit));
    if (!w->no_verify) weir_pipeline_add(p, weir_pass_verifier_new());
    if (w->unchanged) weir_pipeline_add(p, weir_pass_immutable_new());
    if (also != NULL) weir_pipeline_add(p, also);
    if (w->change)
        weir_pipeline_add(p, weir_pass_changes_new(stderr, strcmp(w->style, "text") == 0 ? WEIR_PASS_CHANGE_TEXT
                                                                                         : WEIR_PASS_CHANGE_DIFF));
    if (w->dump != NULL) weir_pipeline_add(p, weir_pass_dump_new(w->dump));
    if (w->before != NULL || w->after != NULL || w->failure)
        weir_pipeline_add(p, weir_pass_printer_new(stderr, w->before, w->after, w->failure));
    if (w->reproducer != NULL) weir_pipeline_add(p, weir_pass_reproducer_new(w->reproducer, !w->no_verify));
}

int weir_watch_guard(const weir_watch *w, weir_pipeline *p, int (*work)(void *user), void *user) {
    p->plugins.guarded = w->reproducer != NULL;
    if (w->reproducer != NULL) weir_pass_reproducer_discard(w->reproducer);
    const int status = weir_plugins_guard(&p->plugins, work, user);
    if (w->reproducer != NULL) weir_pass_reproducer_rescue(w->reproducer);
    return status;
}

static int explain(const weir_watch *w, const weir_pipeline *p) {
    if (!w->explain) return WEIR_EXIT_FINE;
    weir_text text = {NULL, 0, 0};
    bool fine = weir_pass_explain(p->context, p->pass, &text);
    if (text.size > 0) fputs(text.data, stderr);
    weir_text_free(&text);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_USAGE;
}

int weir_watch_parse(const weir_watch *w, weir_pipeline *p, const char *otherwise) {
    const int status = weir_pipeline_parse(p, otherwise);
    if (status == WEIR_EXIT_FINE && !w->explain) weir_pipeline_note_skipped(p->context, p->pass);
    return status == WEIR_EXIT_FINE ? explain(w, p) : status;
}

int weir_watch_read(weir_watch *w, weir_pipeline *p, const char *path, weir_pass_reproducer *reproducer) {
    if (!weir_pass_reproducer_read(path, p->context, reproducer)) return WEIR_EXIT_INPUT;
    fprintf(stderr, "%s: %s\n", path, reproducer->failure);
    w->no_verify |= !reproducer->verified && !w->verify;
    return weir_watch_parse(w, p, reproducer->pipeline);
}

/* What the passes recorded, as JSON or as YAML. */
static void print_info(const weir_watch *w, const weir_pipeline *p) {
    json_t *records = (json_t *)(uintptr_t)weir_pass_records(p->context);
    weir_text text = {NULL, 0, 0};
    if (strcmp(w->info, "json") == 0) {
        char *json = weir_cli_json(json_incref(records));
        weir_text_add(&text, json);
        free(json);
    } else {
        weir_yaml_print(records, &text);
    }
    fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
}

bool weir_watch_report(const weir_watch *w, const weir_pipeline *p) {
    weir_text text = {NULL, 0, 0};
    bool fine = true;
    if (w->timing) weir_pass_timing_print(w->timer, &text);
    if (w->statistics) weir_pass_print_statistics(p->context, &text);
    if (text.size > 0) fputs(text.data, stderr);
    weir_text_free(&text);
    if (w->timing_json != NULL) fine = weir_cli_write_json(w->timing_json, weir_pass_timing_json(w->timer));
    const weir_text *output = weir_pass_output(p->context);
    fwrite(output->data, 1, output->size, w->info == NULL ? stdout : stderr);
    if (w->info != NULL) print_info(w, p);
    return fine;
}

bool weir_watch_has_output(const weir_watch *w, const weir_pipeline *p) {
    return w->info != NULL || weir_pass_output(p->context)->size > 0;
}
