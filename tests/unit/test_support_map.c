/* The hash map against a plain array: random puts, finds, removals and clears, with keys whose hashes collide; the walk
 * is in the order of the first put. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/memory/map.h"
#include "support/memory/random.h"

static uint64_t seed = 1;

static uint64_t draw(void) { return weir_random_next(&seed); }

/* --- the model: entries in order --- */

enum { KEYS = 300, STEPS = 20000 };

typedef struct model {
    uint64_t key[KEYS], value[KEYS];
    size_t count;
} model;

static size_t model_find(const model *m, uint64_t key) {
    size_t i = 0;
    while (i < m->count && m->key[i] != key) i++;
    return i;
}

static void model_remove(model *m, size_t at) {
    m->count--;
    memmove(m->key + at, m->key + at + 1, (m->count - at) * sizeof *m->key);
    memmove(m->value + at, m->value + at + 1, (m->count - at) * sizeof *m->value);
}

/* Does the map hold what the model holds, in its order? */
static bool agrees(const weir_map *map, const model *m) {
    size_t i = 0;
    if (map->count != m->count) return false;
    for (const weir_map_entry *e = weir_map_first(map); e != NULL; e = weir_map_next(map, e), i++) {
        if (i >= m->count || e->key != m->key[i] || e->value != m->value[i]) return false;
    }
    return i == m->count;
}

static bool is_key(const void *user, uint64_t key, uint64_t value) {
    (void)value;
    return key == *(const uint64_t *)user;
}

/* `spread`: how many hashes there are; 0: the map's own. */
static uint64_t *put(weir_map *map, uint64_t key, uint32_t spread) {
    bool is_new;
    if (spread == 0) return weir_map_put(map, key);
    weir_map_entry *entry = weir_map_put_as(map, (uint32_t)key % spread, is_key, &key, &is_new);
    assert_true(is_new ? entry->key == 0 && entry->value == 0 : entry->key == key);
    entry->key = key;
    return &entry->value;
}

static uint64_t *find(const weir_map *map, uint64_t key, uint32_t spread) {
    if (spread == 0) return weir_map_find(map, key);
    weir_map_entry *entry = weir_map_find_as(map, (uint32_t)key % spread, is_key, &key);
    return entry == NULL ? NULL : &entry->value;
}

static bool take(weir_map *map, uint64_t key, uint32_t spread) {
    return spread == 0 ? weir_map_remove(map, key) : weir_map_remove_as(map, (uint32_t)key % spread, is_key, &key);
}

/* The share of steps that remove grows and shrinks, so that the map fills and empties. */
static void steps(uint32_t spread) {
    weir_map map = {.slot = NULL};
    model m = {.count = 0};
    for (int i = 0; i < STEPS; i++) {
        const uint64_t key = draw() % KEYS, value = draw();
        const size_t at = model_find(&m, key);
        const bool removes = draw() % 100 < (uint64_t)(i / 1000 % 2 == 0 ? 20 : 70);
        if (draw() % 3000 == 0) {
            weir_map_clear(&map);
            m.count = 0;
        } else if (removes) {
            assert_int_equal(take(&map, key, spread), at < m.count);
            if (at < m.count) model_remove(&m, at);
        } else {
            uint64_t *place = put(&map, key, spread);
            if (at == m.count) {
                assert_int_equal(*place, 0);
                m.key[m.count++] = key;
            } else {
                assert_int_equal(*place, m.value[at]);
            }
            *place = m.value[at] = value;
        }
        const uint64_t other = draw() % KEYS, *found = find(&map, other, spread);
        const size_t there = model_find(&m, other);
        assert_int_equal(found != NULL, there < m.count);
        if (found != NULL) assert_int_equal(*found, m.value[there]);
        if (i % 97 == 0) assert_true(agrees(&map, &m));
    }
    assert_true(agrees(&map, &m));
    weir_map copy = weir_map_copy(&map);
    weir_map_free(&map);
    assert_true(agrees(&copy, &m));
    weir_map_free(&copy);
}

static void random_steps(void **state) {
    (void)state;
    steps(0);
}

static void colliding_hashes(void **state) {
    (void)state;
    steps(1);
    steps(2);
    steps(7);
}

/* Keys 0 and UINT64_MAX are keys like others; an empty map is one. */
static void odd_keys(void **state) {
    (void)state;
    weir_map map = {.slot = NULL};
    assert_null(weir_map_find(&map, 0));
    assert_false(weir_map_remove(&map, 0));
    assert_null(weir_map_first(&map));
    weir_map_clear(&map);
    *weir_map_put(&map, 0) = 3;
    *weir_map_put(&map, UINT64_MAX) = 4;
    assert_int_equal(weir_map_get(&map, 0, 9), 3);
    assert_int_equal(weir_map_get(&map, UINT64_MAX, 9), 4);
    assert_int_equal(weir_map_get(&map, 1, 9), 9);
    weir_map_free(&map);
}

/* Planted: an entry that is lost, or two that change places, is seen. */
static void planted_faults_are_found(void **state) {
    (void)state;
    weir_map map = {.slot = NULL};
    model m = {.count = 0};
    for (uint64_t key = 0; key < 100; key++) {
        *weir_map_put(&map, key) = key;
        m.key[m.count] = m.value[m.count] = key;
        m.count++;
    }
    assert_true(agrees(&map, &m));
    map.removed = weir_calloc(map.entry_capacity, sizeof *map.removed);
    assert_true(agrees(&map, &m));
    map.removed[50] = true;
    assert_false(agrees(&map, &m));
    map.removed[50] = false;
    const weir_map_entry first = map.entry[10];
    map.entry[10] = map.entry[11];
    map.entry[11] = first;
    assert_false(agrees(&map, &m));
    weir_map_free(&map);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_steps), cmocka_unit_test(colliding_hashes),
                                       cmocka_unit_test(odd_keys), cmocka_unit_test(planted_faults_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
