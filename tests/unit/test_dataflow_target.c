/* Targets: what the graph names is what the rules see; copies keep it, and a device that does not exist is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dataflow/cost/target.h"
#include "support/text/diag.h"

static void portable_unless_set(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("hardware");
    assert_null(weir_target_of(g).device);
    assert_int_equal(weir_target_of(g).clock_mhz, WEIR_TARGET_MHZ);
    assert_true(weir_target_set(g, NULL, 77));
    assert_null(weir_target_of(g).device);
    assert_int_equal(weir_target_of(g).clock_mhz, 77);
    weir_graph_free(g);
}

static void a_device_and_its_goal(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int goal;
    } goals[] = {{"ecp5-45k", 150}, {"ice40hx8k", 100}, {"ice40up5k", 48}, {"gw1nr-9", 100}, {"xc7a35t", 150}};
    weir_graph *g = weir_graph_new("hardware");
    for (size_t i = 0; i < sizeof goals / sizeof *goals; i++) {
        assert_true(weir_target_set(g, goals[i].name, 0));
        assert_string_equal(weir_target_of(g).device->name, goals[i].name);
        assert_int_equal(weir_target_of(g).clock_mhz, goals[i].goal);
    }
    assert_true(weir_target_set(g, "ecp5-25k", 90));
    weir_graph *copy = weir_graph_copy(g);
    weir_graph_free(g);
    const weir_target target = weir_target_of(copy);
    assert_string_equal(target.device->name, "ecp5-25k");
    assert_int_equal(target.clock_mhz, 90);
    assert_true(weir_target_memory_has_output(&target));
    assert_true(weir_target_has_distributed_ram(&target));
    assert_true(weir_target_set(copy, "ice40hx8k", 0));
    const weir_target without = weir_target_of(copy);
    assert_false(weir_target_has_distributed_ram(&without));
    assert_false(weir_target_memory_has_output(&without));
    weir_graph_free(copy);
}

/* Each graph owns what it was asked for; a new target takes the place of the old one. */
static void a_graph_owns_its_profile(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("hardware");
    assert_true(weir_target_set(g, "ecp5-25k", 0));
    const weir_device *device = weir_target_of(g).device;
    assert_ptr_equal(weir_target_of(g).device, device);
    weir_graph *copy = weir_graph_copy(g);
    const weir_device *copied = weir_target_of(copy).device;
    assert_ptr_not_equal(copied, device);
    assert_ptr_equal(weir_target_of(copy).device, copied);
    assert_true(weir_target_set(g, "gw1nr-9", 0));
    assert_string_equal(weir_target_of(g).device->name, "gw1nr-9");
    assert_true(weir_target_set(g, "", 0));
    assert_null(weir_target_of(g).device);
    weir_graph_free(g);
    assert_string_equal(copied->name, "ecp5-25k");
    weir_graph_free(copy);
}

static int released;

static void count_release(void *data) {
    (void)data;
    released++;
}

/* As when two threads read the profile at the same time. */
static void the_first_profile_stays(void **state) {
    (void)state;
    int first = 1, second = 2;
    weir_graph *g = weir_graph_new("hardware");
    assert_null(weir_graph_kept(g));
    assert_ptr_equal(weir_graph_keep(g, &first, count_release), &first);
    assert_ptr_equal(weir_graph_keep(g, &second, count_release), &first);
    assert_int_equal(released, 1);
    assert_ptr_equal(weir_graph_kept(g), &first);
    weir_graph_set_device(g, "ecp5-25k", 0);
    assert_int_equal(released, 2);
    assert_null(weir_graph_kept(g));
    weir_graph_keep(g, &second, count_release);
    weir_graph_free(g);
    assert_int_equal(released, 3);
}

static void unknown_devices(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("hardware");
    weir_diag_log *log = weir_diag_capture();
    assert_false(weir_target_set(g, "ecp9", 0));
    assert_string_equal(weir_graph_device(g), "");
    weir_graph_set_device(g, "ecp9", 0);
    assert_false(weir_target_check(g));
    assert_null(weir_target_of(g).device);
    weir_diag_release(log);
    weir_diag_log_free(log);
    weir_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(portable_unless_set), cmocka_unit_test(a_device_and_its_goal),
                                       cmocka_unit_test(a_graph_owns_its_profile),
                                       cmocka_unit_test(the_first_profile_stays), cmocka_unit_test(unknown_devices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
