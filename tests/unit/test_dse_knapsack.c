/* The knapsack over a forest: random ones against all of their choices. */
/* nightly: 20000 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../common/random_int.h"
#include "dse/folding/knapsack.h"

enum { ITEMS = 6, OPTIONS = 5, KINDS = 3, RESOURCES = WEIR_KNAPSACK_RESOURCES };
static const int64_t limit = INT64_C(1) << 40;

typedef struct sample {
    weir_knapsack knapsack;
    weir_knapsack_item item[ITEMS];
    weir_knapsack_option option[ITEMS][OPTIONS];
    weir_knapsack_price meet[ITEMS][KINDS * KINDS];
} sample;

static int64_t upto(int64_t most) { return random_int(0, most); }

static weir_knapsack_price random_price(int64_t most) {
    weir_knapsack_price p = {.value = upto(1) == 0 ? upto(most) : upto(1000 * most)};
    for (int r = 0; r < RESOURCES; r++) p.use[r] = upto(most);
    if (upto(20) == 0) p.use[upto(RESOURCES - 1)] = upto(INT64_C(1) << 40); /* a large memory in lookup tables */
    return p;
}

static void make(sample *s) {
    const size_t items = 1 + (size_t)upto(ITEMS - 1);
    s->knapsack = (weir_knapsack){.item = s->item, .count = items, .attain = upto(3) == 0, .limit = limit};
    for (int r = 0; r < RESOURCES; r++) s->knapsack.budget[r] = upto(2) == 0 ? 1000 : upto(25 * (int64_t)items);
    for (size_t i = 0; i < items; i++) {
        weir_knapsack_item *item = &s->item[i];
        *item = (weir_knapsack_item){.option = s->option[i],
                                     .count = 1 + (size_t)upto(OPTIONS - 1),
                                     .begins = KINDS,
                                     .ends = KINDS,
                                     .parent = WEIR_KNAPSACK_ROOT,
                                     .meet = s->meet[i]};
        if (i > 0 && upto(2) > 0) item->parent = (size_t)upto((int64_t)i - 1);
        if (item->parent == WEIR_KNAPSACK_ROOT) item->begins = 1;
        for (size_t k = 0; k < KINDS * KINDS; k++) s->meet[i][k] = random_price(4);
        for (size_t o = 0; o < item->count; o++)
            s->option[i][o] = (weir_knapsack_option){random_price(20), (uint32_t)upto(item->begins - 1),
                                                     (uint32_t)upto(KINDS - 1), upto(3) == 0};
    }
}

/* What a choice takes; false: it is none, for a budget or because nothing attains. */
static bool take(const sample *s, const size_t *chosen, weir_knapsack_price *sum) {
    bool fine = !s->knapsack.attain;
    *sum = (weir_knapsack_price){{0}, 0};
    for (size_t i = 0; i < s->knapsack.count; i++) {
        const weir_knapsack_item *item = &s->item[i];
        const weir_knapsack_option *option = &item->option[chosen[i]];
        fine |= option->attains;
        const bool root = item->parent == WEIR_KNAPSACK_ROOT;
        const uint32_t end = root ? 0 : s->item[item->parent].option[chosen[item->parent]].end;
        const weir_knapsack_price none = {{0}, 0},
                                  *meet = root ? &none : &item->meet[end * item->begins + option->begin];
        for (int r = 0; r < RESOURCES; r++) sum->use[r] += option->price.use[r] + meet->use[r];
        sum->value += option->price.value + meet->value;
    }
    for (int r = 0; r < RESOURCES; r++) fine &= sum->use[r] <= s->knapsack.budget[r];
    return fine;
}

/* The least value of all choices, or the limit. */
static int64_t least_of(const sample *s) {
    size_t chosen[ITEMS] = {0}, i;
    int64_t least = limit;
    do {
        weir_knapsack_price sum;
        if (take(s, chosen, &sum) && sum.value < least) least = sum.value;
        for (i = 0; i < s->knapsack.count && ++chosen[i] == s->item[i].count; i++) chosen[i] = 0;
    } while (i < s->knapsack.count);
    return least;
}

/* Is the result the best choice, and does it say so? */
static bool is_right(const sample *s, const weir_knapsack_result *result, const size_t *chosen) {
    const int64_t least = least_of(s);
    weir_knapsack_price sum;
    if (result->bound != least || result->fits != (least < limit)) return false;
    return !result->fits ||
           (take(s, chosen, &sum) && memcmp(&sum, &result->total, sizeof sum) == 0 && sum.value == least);
}

static size_t samples(void) {
    const char *more = getenv("WEIR_RANDOM");
    return more == NULL ? 1000 : (size_t)atoi(more);
}

static void the_best_choice_is_found(void **unused) {
    (void)unused;
    static sample s;
    size_t fits = 0, wrong = 0;
    for (size_t k = 0; k < samples(); k++) {
        make(&s);
        size_t chosen[ITEMS] = {0};
        const weir_knapsack_result result = weir_knapsack_solve(&s.knapsack, chosen);
        assert_true(is_right(&s, &result, chosen));
        fits += result.fits;
        /* Planted: another option of the first item, and a bound that is too good. */
        weir_knapsack_result planted = result;
        planted.bound++;
        assert_false(is_right(&s, &planted, chosen));
        if (!result.fits || s.item[0].count == 1) continue;
        chosen[0] = (chosen[0] + 1) % s.item[0].count;
        wrong += !is_right(&s, &result, chosen);
    }
    assert_in_range(fits, samples() / 4, samples() - 1);
    assert_in_range(wrong, fits / 2, fits);
}

/* With room for one partial choice only, or with few steps, what is found fits, and the bound is one. */
static void with_little_room_the_bound_holds(void **unused) {
    (void)unused;
    static sample s;
    size_t exact = 0;
    for (size_t k = 0; k < samples(); k++) {
        make(&s);
        if (k % 2 == 0) s.knapsack.capacity = 1;
        else s.knapsack.work = random_int(1, 4000);
        size_t chosen[ITEMS] = {0};
        const weir_knapsack_result result = weir_knapsack_solve(&s.knapsack, chosen);
        const int64_t least = least_of(&s);
        weir_knapsack_price sum;
        assert_true(result.bound <= least);
        if (result.fits) assert_true(take(&s, chosen, &sum) && sum.value == result.total.value && sum.value >= least);
        exact += result.bound == least;
    }
    assert_true(exact > samples() / 4);
}

/* Of options of one kind, those as good as another are dropped. */
static void worse_options_are_dropped(void **unused) {
    (void)unused;
    weir_knapsack_option option[] = {{{{1, 1, 1, 1}, 5}, 0, 0, false}, {{{1, 1, 1, 1}, 4}, 0, 0, false},
                                     {{{0, 1, 1, 1}, 5}, 0, 0, false}, {{{1, 1, 1, 1}, 5}, 0, 0, true},
                                     {{{2, 2, 2, 2}, 9}, 1, 0, false}, {{{1, 1, 1, 1}, 4}, 0, 0, false}};
    size_t tag[] = {0, 1, 2, 3, 4, 5};
    assert_int_equal(weir_knapsack_reduce(option, tag, 6), 4);
    static const size_t left[] = {1, 2, 3, 4};
    assert_memory_equal(tag, left, sizeof left);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_best_choice_is_found),
                                       cmocka_unit_test(with_little_room_the_bound_holds),
                                       cmocka_unit_test(worse_options_are_dropped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
