/* Device profiles: all that ship are read, damaged ones are refused with file, line and what was expected. */
#include "dataflow/cost/device.h"
#include "test_yaml_damage.h"

static const char *const expected_names[] = {"ccgm1a1",  "ecp5-25k",  "ecp5-45k",  "ecp5-85k", "gw1nr-9",
                                             "gw2ar-18", "ice40hx8k", "ice40up5k", "xc7a100t", "xc7a35t"};
enum { NAMES = sizeof expected_names / sizeof *expected_names };

static weir_device *read_device(const char *name) {
    int status;
    return weir_device_read(name, &status);
}

static int status_of(const char *name) {
    int status = 0;
    weir_device *device = weir_device_read(name, &status);
    if (device != NULL) status = 0;
    weir_device_free(device);
    return status;
}

static void every_profile_is_read(void **state) {
    (void)state;
    size_t count;
    char **names = weir_device_names(&count);
    assert_non_null(names);
    for (size_t i = 0; i < NAMES; i++) {
        bool found = false;
        for (size_t k = 0; k < count; k++) found |= strcmp(names[k], expected_names[i]) == 0;
        if (!found) fail_msg("no profile of %s", expected_names[i]);
    }
    for (size_t i = 0; i < count; i++) {
        weir_device *device = read_device(names[i]);
        assert_non_null(device);
        assert_string_equal(device->name, names[i]);
        assert_true(device->luts.count > 0 && device->flip_flops > 0);
        assert_non_null(weir_device_block(device));
        weir_device_free(device);
    }
    free(names);
}

/* The vendors' data sheets, as the profiles' comments name them. */
static void facts(void **state) {
    (void)state;
    static const struct {
        const char *name;
        long long luts, flip_flops, multipliers, blocks, block_kbits;
    } known[] = {{"ice40hx8k", 7680, 7680, 0, 32, 4},      {"ice40up5k", 5280, 5280, 8, 30, 4},
                 {"ecp5-25k", 24288, 24288, 28, 56, 18},   {"ecp5-85k", 83640, 83640, 156, 208, 18},
                 {"gw1nr-9", 8640, 6480, 20, 26, 18},      {"gw2ar-18", 20736, 15552, 48, 46, 18},
                 {"ccgm1a1", 20480, 40960, 0, 64, 20},     {"xc7a35t", 20800, 41600, 90, 100, 18},
                 {"xc7a100t", 63400, 126800, 240, 270, 18}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        weir_device *device = read_device(known[i].name);
        assert_int_equal(device->luts.count, known[i].luts);
        assert_int_equal(device->flip_flops, known[i].flip_flops);
        assert_int_equal(device->multipliers.count, known[i].multipliers);
        assert_int_equal(weir_device_block(device)->count, known[i].blocks);
        assert_int_equal(weir_device_block(device)->bits, known[i].block_kbits * 1024);
        weir_device_free(device);
    }
}

/* Registers move into what the profile says is there: ECP5's blocks by `weir synth`, the multipliers of others by
 * Yosys. */
static void registers_that_move(void **state) {
    (void)state;
    static const struct {
        const char *name, *multiplier, *memory;
        bool absorbs, product, word; /* by weir synth; the register after a product, after a word */
    } known[] = {{"ecp5-25k", "MULT18X18D", "DP16KD", true, true, true},
                 {"ice40up5k", "SB_MAC16", "SB_RAM40_4K", false, true, false},
                 {"ice40hx8k", "SB_MAC16", "SB_RAM40_4K", false, false, false},
                 {"gw1nr-9", "MULT18X18", "BSRAM", false, false, false},
                 {"xc7a35t", "DSP48E1", "RAMB18E1", false, true, false}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        weir_device *device = read_device(known[i].name);
        assert_int_equal(weir_device_absorbs(device, known[i].multiplier), known[i].absorbs);
        assert_int_equal(weir_device_absorbs(device, known[i].memory), known[i].absorbs);
        assert_int_equal(weir_device_multiplier_takes_output(device), known[i].product);
        assert_int_equal(weir_device_memory_takes_output(device), known[i].word);
        weir_device_free(device);
    }
    weir_device *device = read_device("ecp5-25k"); /* without the registers nothing moves */
    weir_device_memory block = *weir_device_block(device);
    block.output_register = false;
    device->memories.item = &block;
    assert_true(weir_device_multiplier_has(device, "pipeline"));
    device->multipliers.registers.count = 1;
    assert_true(weir_device_multiplier_has(device, "input") && !weir_device_multiplier_has(device, "output"));
    assert_true(weir_device_absorbs(device, "MULT18X18D") && !weir_device_multiplier_takes_output(device));
    device->multipliers.registers.count = 0;
    assert_false(weir_device_absorbs(device, "MULT18X18D") || weir_device_absorbs(device, "DP16KD"));
    assert_false(weir_device_memory_takes_output(device));
    weir_device_free(device);
}

/* --- damaged profiles --- */

static const char whole[] =
    "name: mine\n"
    "title: My own\n"
    "family: ecp5\n"
    "yosys: {command: synth_ecp5}\n"
    "luts: {count: 100, inputs: 4}\n"
    "flip_flops: 100\n"
    "memories:\n"
    "  - {cell: RAM, kind: block, count: 3, bits: 1024, shapes: [64x16, 128x8], initialized: true, "
    "output_register: false}\n"
    "multipliers: {cell: MUL, count: 2, shapes: [8x8], registers: [input]}\n";

static void damaged_profiles_are_refused(void **state) {
    (void)state;
    static const yaml_damage cases[] = {
        {"luts:", "lots:",
         "mine.yaml:5: device: unknown key 'lots'\ndid you mean 'luts'?\nmine.yaml:1: device: 'luts' is missing\n"},
        {"family: ecp5\n", "family: ecp4\n", "mine.yaml:3: family: unknown word 'ecp4'\ndid you mean 'ecp5'?\n"},
        {"flip_flops: 100\n", "flip_flops: many\n",
         "mine.yaml:6: expected a whole number from 0 to 2147483647, found 'many'\n"},
        {"flip_flops: 100\n", "flip_flops: [100]\n",
         "mine.yaml:6: flip_flops: expected a whole number, found a sequence\n"},
        {"flip_flops: 100\n", "flip_flops: -1\n",
         "mine.yaml:6: expected a whole number from 0 to 2147483647, found '-1'\n"},
        {"flip_flops: 100\n", "", "mine.yaml:1: device: 'flip_flops' is missing\n"},
        {"inputs: 4", "inputs: 9", "mine.yaml:5: luts: expected 2 to 8 inputs, found 9\n"},
        {"inputs: 4", "inputs: 4, joined: 4", ""},
        {"inputs: 4", "inputs: 4, joined: 3", "mine.yaml:5: luts: joined: expected at least 4 inputs, found 3\n"},
        {"{count: 100, inputs: 4}", "100", "mine.yaml:5: luts: expected a mapping\n"},
        {"flip_flops: 100\n", "flip_flops: 100\npll: {input: 10000-133000, detector: 1-1, vco: 5-6, output: 2-3}\n",
         ""},
        {"flip_flops: 100\n", "flip_flops: 100\npll: {input: 10000-133000, detector: 1-1, vco: 6-5, output: 2-3}\n",
         "mine.yaml:7: vco: expected a range of kilohertz as '10000-133000', found '6-5'\n"},
        {"flip_flops: 100\n", "flip_flops: 100\npll: {input: 10000-133000, detector: 1-1, vco: 5-6}\n",
         "mine.yaml:7: pll: 'output' is missing\n"},
        {"64x16", "64*16", "mine.yaml:8: shapes: expected a shape as '256x16', found '64*16'\n"},
        {"64x16", "0x16", "mine.yaml:8: shapes: expected a shape as '256x16', found '0x16'\n"},
        {"64x16", "99999999999999999999x1",
         "mine.yaml:8: shapes: expected a shape as '256x16', found '99999999999999999999x1'\n"},
        {"64x16", "64x17", "mine.yaml:8: memories: a shape of 64x17 has more than 1024 bits\n"},
        {"initialized: true", "initialized: yes", "mine.yaml:8: expected true or false, found 'yes'\n"},
        {"kind: block", "kind: blok", "mine.yaml:8: kind: unknown word 'blok'\ndid you mean 'block'?\n"},
        {"[input]", "[inputs]", "mine.yaml:9: registers: unknown word 'inputs'\ndid you mean 'input'?\n"},
        {"[input]", "input", "mine.yaml:9: registers: expected a sequence of strings, found 'input'\n"},
        {"title: My own\n", "title:\n", "mine.yaml:2: title: expected text, found ''\n"},
    };
    expect_damage(status_of, whole, cases, sizeof cases / sizeof *cases);
    expect_messages(status_of, "- a\n", "mine.yaml:1: device: expected a mapping\n");
}

static void unknown_devices(void **state) {
    (void)state;
    expect_unknown(status_of, &(yaml_unknown){"ice40up5", "absent.yaml", "unknown device 'ice40up5'",
                                              "did you mean 'ice40up5k'?"});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_profile_is_read), cmocka_unit_test(facts), cmocka_unit_test(registers_that_move),
        cmocka_unit_test(damaged_profiles_are_refused), cmocka_unit_test(unknown_devices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
