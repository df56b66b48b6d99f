#include "ir/shape/index_map.h"

#include <assert.h>
#include <string.h>

#include "ir/shape/layout.h"
#include "support/memory/arena.h"

static int64_t count_of(const weir_shape *shape) {
    size_t count = 0;
    weir_shape_count(shape, &count);
    return (int64_t)count;
}

static int64_t added(const weir_index_loop *loop, int64_t i) {
    if (loop->at != NULL) return loop->at[i];
    return i < loop->begin || i >= loop->end ? WEIR_INDEX_NONE : i * loop->stride;
}

static bool fills(const weir_index_loop *loop) {
    bool any = loop->begin > 0 || loop->end < loop->size;
    for (int64_t i = 0; loop->at != NULL && i < loop->size; i++) any |= loop->at[i] == WEIR_INDEX_NONE;
    return any;
}

/* --- the one form of a map --- */

/* A map while its loops are put together, the innermost last. */
typedef struct builder {
    weir_arena *arena;
    weir_index_map map;
    size_t capacity;
} builder;

static void append(builder *b, const weir_index_loop *loop) {
    if (b->map.count == b->capacity) {
        weir_index_loop *old = b->map.loop;
        b->capacity = b->capacity * 2 + 4;
        b->map.loop = weir_arena_array(b->arena, b->capacity, sizeof *b->map.loop);
        if (b->map.count > 0) memcpy(b->map.loop, old, b->map.count * sizeof *old);
    }
    b->map.loop[b->map.count++] = *loop;
}

/* Has the loop one iteration that does not fill, so that it takes no step? */
static bool is_single(const weir_index_loop *loop) { return loop->at == NULL && loop->end - loop->begin == 1; }

/* Could the loop before do what `inner` does, with shorter steps? */
static bool merges(const weir_index_loop *outer, const weir_index_loop *inner) {
    return is_single(outer) || (outer->at == NULL && inner->begin == 0 && inner->end == inner->size &&
                                outer->stride == inner->stride * inner->size);
}

/* Adds a loop without a table behind the others. */
static void add_steps(builder *b, weir_index_loop loop) {
    weir_index_loop *last = b->map.count > 0 ? &b->map.loop[b->map.count - 1] : NULL;
    if (is_single(&loop)) {
        b->map.start += loop.begin * loop.stride;
        loop.stride = 0;
        if (loop.size == 1) return;
    }
    if (last == NULL || !merges(last, &loop)) {
        append(b, &loop);
        return;
    }
    const int64_t begin = last->begin * loop.size, more = is_single(last) ? loop.end : loop.size;
    const int64_t end = (last->end - 1) * loop.size + more;
    if (is_single(last)) b->map.start -= begin * loop.stride;
    *last = (weir_index_loop){last->size * loop.size, loop.stride, begin + loop.begin, end, NULL};
    if (is_single(last)) {
        b->map.start += last->begin * last->stride;
        last->stride = 0;
    }
}

/* The one loop of a table whose iterations take equal steps, but for those that fill at its ends. */
static bool take_steps(const int64_t *at, int64_t size, int64_t *base, weir_index_loop *loop) {
    *loop = (weir_index_loop){.size = size, .begin = 0, .end = size};
    while (loop->begin < size && at[loop->begin] == WEIR_INDEX_NONE) loop->begin++;
    while (loop->end > loop->begin && at[loop->end - 1] == WEIR_INDEX_NONE) loop->end--;
    if (loop->begin == loop->end) return true; /* nothing but fill */
    if (loop->end - loop->begin > 1 && at[loop->begin + 1] != WEIR_INDEX_NONE)
        loop->stride = at[loop->begin + 1] - at[loop->begin];
    for (int64_t i = loop->begin; i < loop->end; i++)
        if (at[i] == WEIR_INDEX_NONE || at[i] - at[loop->begin] != (i - loop->begin) * loop->stride) return false;
    *base = at[loop->begin] - loop->begin * loop->stride;
    return true;
}

static bool is_filled(const int64_t *at, int64_t size) {
    int64_t i = 0;
    while (i < size && at[i] == WEIR_INDEX_NONE) i++;
    return i == size;
}

/* Does the run add what another one adds, moved by some offset? `known`: an iteration in which that does not fill. */
static bool is_moved(const int64_t *at, const int64_t *other, int64_t known, int64_t size) {
    bool same = at[known] != WEIR_INDEX_NONE;
    for (int64_t i = 0; same && i < size; i++) {
        const bool filled = at[i] == WEIR_INDEX_NONE || other[i] == WEIR_INDEX_NONE;
        same = filled ? at[i] == other[i] : at[i] - other[i] == at[known] - other[known];
    }
    return same;
}

/* The longest innermost loop with steps that walks the table; false: there is none. */
static bool find_inner(const int64_t *at, int64_t count, weir_index_loop *loop) {
    int64_t base = 0, reference = 0;
    while (at[reference] == WEIR_INDEX_NONE) reference++;
    for (int64_t parts = 2; parts < count; parts++) {
        if (count % parts != 0) continue;
        const int64_t size = count / parts;
        const int64_t first = reference - reference % size;
        bool all = take_steps(at + first, size, &base, loop);
        for (int64_t run = 0; all && run < count; run += size)
            all = is_filled(at + run, size) || is_moved(at + run, at + first, reference - first, size);
        if (all) return true;
    }
    return false;
}

/* What the loops around runs of `loop` add: of each run what its first iteration would. In place. */
static int64_t take_outer(int64_t *at, int64_t count, const weir_index_loop *loop) {
    for (int64_t run = 0; run < count / loop->size; run++) {
        const int64_t there = at[run * loop->size + loop->begin];
        at[run] = there == WEIR_INDEX_NONE ? there : there - loop->begin * loop->stride;
    }
    return count / loop->size;
}

/* Adds what a table gives, as loops with steps where these do the same. */
static void add_table(builder *b, const int64_t *at, int64_t size) {
    int64_t *outer = weir_arena_array(b->arena, (size_t)size, sizeof *outer), base = 0, first = 0;
    weir_index_loop loop, inner[64]; /* an inner loop at least halves the table */
    size_t count = 0;
    memcpy(outer, at, (size_t)size * sizeof *outer);
    bool steps = take_steps(outer, size, &base, &loop);
    while (!steps && find_inner(outer, size, &inner[count])) {
        size = take_outer(outer, size, &inner[count++]);
        steps = take_steps(outer, size, &base, &loop);
    }
    if (steps) {
        b->map.start += base;
        add_steps(b, loop);
    } else { /* the first value that it adds is 0 */
        while (outer[first] == WEIR_INDEX_NONE) first++;
        b->map.start += outer[first];
        for (int64_t i = size - 1; i >= first; i--) outer[i] -= outer[i] == WEIR_INDEX_NONE ? 0 : outer[first];
        append(b, &(weir_index_loop){.size = size, .end = size, .at = outer});
    }
    while (count > 0) add_steps(b, inner[--count]);
}

static weir_index_map finish(builder *b) {
    int64_t all = 1;
    for (size_t i = 0; i < b->map.count; i++) all *= b->map.loop[i].size;
    assert(all == count_of(&b->map.to));
    return b->map;
}

weir_index_map weir_index_map_loops(weir_arena *arena, const weir_shape *from, const weir_shape *to, int64_t start,
                                    const weir_index_loop *loop, size_t count) {
    builder b = {arena, {*from, *to, start, 0, NULL}, 0};
    const bool none = count_of(to) == 0;
    if (none) append(&b, &(weir_index_loop){0});
    for (size_t i = 0; i < count && !none; i++) {
        assert(loop[i].size > 0);
        if (loop[i].at != NULL) add_table(&b, loop[i].at, loop[i].size);
        else if (loop[i].begin < loop[i].end) add_steps(&b, loop[i]);
        else add_steps(&b, (weir_index_loop){.size = loop[i].size});
    }
    return finish(&b);
}

/* --- maps --- */

weir_index_map weir_index_map_keep(weir_arena *arena, const weir_shape *from, const weir_shape *to) {
    const weir_index_loop all = {count_of(to), 1, 0, count_of(to), NULL};
    assert(count_of(from) == count_of(to));
    return weir_index_map_loops(arena, from, to, 0, &all, 1);
}

static void strides_of(const weir_shape *shape, int64_t *stride) {
    int64_t next = 1;
    for (int i = shape->rank - 1; i >= 0; i--) {
        stride[i] = next;
        next *= shape->dim[i];
    }
}

weir_index_map weir_index_map_transpose(weir_arena *arena, const weir_shape *from, const int *order) {
    assert(weir_layout_is_permutation(order, from->rank));
    int64_t stride[WEIR_MAX_RANK];
    weir_index_loop loop[WEIR_MAX_RANK];
    weir_shape to = {.rank = from->rank};
    strides_of(from, stride);
    for (int i = 0; i < from->rank; i++) {
        to.dim[i] = from->dim[order[i]];
        loop[i] = (weir_index_loop){to.dim[i], stride[order[i]], 0, to.dim[i], NULL};
    }
    return weir_index_map_loops(arena, from, &to, 0, loop, (size_t)to.rank);
}

weir_index_map weir_index_map_along(weir_arena *arena, const weir_shape *from, const weir_shape *to,
                                    const int64_t *const *at) {
    int64_t stride[WEIR_MAX_RANK];
    weir_index_loop loop[WEIR_MAX_RANK];
    assert(from->rank == to->rank);
    strides_of(from, stride);
    for (int i = 0; i < to->rank; i++) {
        int64_t *table = weir_arena_array(arena, (size_t)to->dim[i], sizeof *table);
        for (int64_t o = 0; o < to->dim[i]; o++) {
            assert(at[i][o] == WEIR_INDEX_FILL || (at[i][o] >= 0 && at[i][o] < from->dim[i]));
            table[o] = at[i][o] == WEIR_INDEX_FILL ? WEIR_INDEX_NONE : at[i][o] * stride[i];
        }
        loop[i] = (weir_index_loop){.size = to->dim[i], .end = to->dim[i], .at = table};
    }
    return weir_index_map_loops(arena, from, to, 0, loop, (size_t)to->rank);
}

/* The loop over axis i of the result, as the elements behind `origin` show it. */
static int64_t *along_axis(weir_arena *arena, const int64_t *position, int64_t origin, int64_t size, int64_t stride) {
    int64_t *table = weir_arena_array(arena, (size_t)size, sizeof *table);
    const int64_t at = origin / stride % size;
    for (int64_t o = 0; o < size; o++) {
        const int64_t there = position[origin + (o - at) * stride];
        table[o] = there == WEIR_INDEX_FILL ? WEIR_INDEX_NONE : there - position[origin];
    }
    return table;
}

/* A loop an axis; false where what an axis adds depends on the other axes. */
static bool find_axes(weir_arena *arena, const weir_shape *to, const int64_t *position, weir_index_map *map) {
    int64_t stride[WEIR_MAX_RANK], origin = 0;
    const int64_t count = count_of(to);
    weir_index_loop loop[WEIR_MAX_RANK];
    while (origin < count && position[origin] == WEIR_INDEX_FILL) origin++;
    if (origin == count) return false;
    strides_of(to, stride);
    for (int i = 0; i < to->rank; i++)
        loop[i] = (weir_index_loop){
            .size = to->dim[i], .end = to->dim[i], .at = along_axis(arena, position, origin, to->dim[i], stride[i])};
    *map = weir_index_map_loops(arena, &map->from, to, position[origin], loop, (size_t)to->rank);
    for (int64_t k = 0; k < count; k++)
        if (weir_index_map_at(map, k) != position[k]) return false;
    return true;
}

weir_index_map weir_index_map_table(weir_arena *arena, const weir_shape *from, const weir_shape *to,
                                    const int64_t *position) {
    const int64_t count = count_of(to);
    weir_index_map map = {.from = *from}, whole;
    int64_t *table = weir_arena_array(arena, (size_t)count, sizeof *table);
    for (int64_t k = 0; k < count; k++) {
        assert(position[k] == WEIR_INDEX_FILL || (position[k] >= 0 && position[k] < count_of(from)));
        table[k] = position[k] == WEIR_INDEX_FILL ? WEIR_INDEX_NONE : position[k];
    }
    const weir_index_loop loop = {.size = count, .end = count, .at = table};
    whole = weir_index_map_loops(arena, from, to, 0, &loop, count > 0);
    return weir_index_map_is_regular(&whole) || !find_axes(arena, to, position, &map) ? whole : map;
}

weir_index_map weir_index_map_then(weir_arena *arena, const weir_index_map *first, const weir_index_map *second) {
    const int64_t count = count_of(&second->to);
    weir_index_map both = weir_index_map_is_kept(second) ? *first : *second;
    assert(count_of(&first->to) == count_of(&second->from));
    both.from = first->from;
    both.to = second->to;
    if (weir_index_map_is_kept(first) || weir_index_map_is_kept(second)) return both;
    int64_t *position = weir_index_map_positions(arena, second);
    for (int64_t k = 0; k < count; k++) {
        if (position[k] == WEIR_INDEX_FILL) continue;
        assert(position[k] >= 0 && position[k] < count_of(&second->from));
        position[k] = weir_index_map_at(first, position[k]);
    }
    return weir_index_map_table(arena, &both.from, &both.to, position);
}

bool weir_index_map_invert(weir_arena *arena, const weir_index_map *map, weir_index_map *inverse) {
    const int64_t count = count_of(&map->to);
    if (count != count_of(&map->from)) return false;
    int64_t *back = weir_arena_array(arena, (size_t)count, sizeof *back);
    for (int64_t k = 0; k < count; k++) back[k] = WEIR_INDEX_FILL;
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = weir_index_map_at(map, k);
        assert(at == WEIR_INDEX_FILL || (at >= 0 && at < count));
        if (at == WEIR_INDEX_FILL || back[at] != WEIR_INDEX_FILL) return false;
        back[at] = k;
    }
    *inverse = weir_index_map_table(arena, &map->to, &map->from, back);
    return true;
}

/* --- what a map says --- */

int64_t weir_index_map_at(const weir_index_map *map, int64_t k) {
    assert(k >= 0);
    int64_t from = map->start;
    for (size_t i = map->count; i-- > 0;) {
        assert(map->loop[i].size > 0); /* where there is an element */
        const int64_t more = added(&map->loop[i], k % map->loop[i].size);
        if (more == WEIR_INDEX_NONE) return WEIR_INDEX_FILL;
        from += more;
        k /= map->loop[i].size;
    }
    return from;
}

int64_t *weir_index_map_positions(weir_arena *arena, const weir_index_map *map) {
    assert(map->count == 0 || map->loop != NULL);
    const int64_t count = count_of(&map->to);
    int64_t *position = weir_arena_array(arena, (size_t)count, sizeof *position);
    for (int64_t k = 0; k < count; k++) position[k] = weir_index_map_at(map, k);
    return position;
}

void weir_index_map_apply(const weir_index_map *map, const weir_array *x, const weir_array *fill, weir_array *y) {
    const size_t size = weir_dtype_size(x->dtype);
    assert(x->dtype == y->dtype && (int64_t)x->count == count_of(&map->from) && weir_shape_equal(&y->shape, &map->to));
    if (weir_index_map_is_kept(map)) {
        if (y->count > 0) memcpy(y->data, x->data, y->count * size);
        return;
    }
    for (size_t k = 0; k < y->count; k++) {
        const int64_t from = weir_index_map_at(map, (int64_t)k);
        char *to = (char *)y->data + k * size;
        if (from != WEIR_INDEX_FILL) memcpy(to, (const char *)x->data + (size_t)from * size, size);
        else if (fill != NULL) memcpy(to, fill->data, size);
        else memset(to, 0, size);
    }
}

bool weir_index_map_is_kept(const weir_index_map *map) {
    const weir_index_loop *only = map->loop;
    return count_of(&map->from) == count_of(&map->to) && map->start == 0 &&
           (map->count == 0 || (map->count == 1 && only->at == NULL && only->begin == 0 && only->end == only->size &&
                                (only->stride == 1 || only->size == 0)));
}

bool weir_index_map_fills(const weir_index_map *map) {
    bool any = false;
    for (size_t i = 0; i < map->count; i++) any |= fills(&map->loop[i]);
    return any;
}

bool weir_index_map_is_regular(const weir_index_map *map) {
    bool all = true;
    for (size_t i = 0; i < map->count; i++) all &= map->loop[i].at == NULL;
    return all;
}

static bool same_loops(const weir_index_map *a, const weir_index_map *b) {
    bool same = a->start == b->start && a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        const weir_index_loop *x = &a->loop[i], *y = &b->loop[i];
        same = x->size == y->size && x->stride == y->stride && x->begin == y->begin && x->end == y->end &&
               x->at == NULL && y->at == NULL;
    }
    return same;
}

bool weir_index_map_equal(const weir_index_map *a, const weir_index_map *b) {
    bool same = weir_shape_equal(&a->from, &b->from) && weir_shape_equal(&a->to, &b->to);
    if (!same || same_loops(a, b)) return same;
    for (int64_t k = 0; same && k < count_of(&a->to); k++) same = weir_index_map_at(a, k) == weir_index_map_at(b, k);
    return same;
}
