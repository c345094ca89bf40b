/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "pvrdma_table.h"

static int objects[64];

static void test_fill_to_the_brim(void)
{
    PvrdmaTable t;
    uint32_t handle;

    pvrdma_table_init(&t, 1, 7);
    for (uint32_t i = 0; i < 7; i++) {
        g_assert_true(pvrdma_table_add(&t, &objects[i], &handle));
        g_assert_cmpuint(handle, ==, 1 + i);
    }
    handle = 99;
    g_assert_false(pvrdma_table_add(&t, &objects[7], &handle));
    g_assert_cmpuint(handle, ==, 99);
    for (uint32_t i = 0; i < 7; i++) {
        g_assert_true(pvrdma_table_get(&t, 1 + i) == &objects[i]);
    }
    g_assert_null(pvrdma_table_get(&t, 0));
    g_assert_null(pvrdma_table_get(&t, 8));
    g_assert_null(pvrdma_table_get(&t, UINT32_MAX));
    pvrdma_table_clear(&t);
}

static void test_handles_come_back_last(void)
{
    PvrdmaTable t;
    uint32_t handle;

    pvrdma_table_init(&t, 1, 4);
    g_assert_true(pvrdma_table_add(&t, &objects[0], &handle));
    g_assert_true(pvrdma_table_remove(&t, handle) == &objects[0]);
    g_assert_null(pvrdma_table_remove(&t, handle));
    for (uint32_t want = 2; want <= 4; want++) {
        g_assert_true(pvrdma_table_add(&t, &objects[0], &handle));
        g_assert_cmpuint(handle, ==, want);
    }
    g_assert_true(pvrdma_table_add(&t, &objects[0], &handle));
    g_assert_cmpuint(handle, ==, 1);
    pvrdma_table_clear(&t);
}

static void test_walk_and_remove(void)
{
    PvrdmaTable t;
    uint32_t handle, seen = 0;
    void *obj;

    pvrdma_table_init(&t, 5, 16);
    for (int i = 0; i < 10; i++) {
        g_assert_true(pvrdma_table_add(&t, &objects[i], &handle));
    }
    handle = 0;
    for (; (obj = pvrdma_table_next(&t, &handle)); handle++) {
        g_assert_true(obj == &objects[handle - 5]);
        pvrdma_table_remove(&t, handle);
        seen++;
    }
    g_assert_cmpuint(seen, ==, 10);
    g_assert_cmpuint(t.used, ==, 0);
    pvrdma_table_clear(&t);
}

/* Against a model: the set of handles in use. */
static void test_random(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    gboolean used[33] = { FALSE };
    uint32_t handle, count = 0;
    PvrdmaTable t;

    pvrdma_table_init(&t, 1, 32);
    for (int i = 0; i < 100000; i++) {
        if (g_rand_boolean(rand)) {
            g_assert_true(pvrdma_table_add(&t, &objects[0], &handle) ==
                          (count < 32));
            if (count < 32) {
                g_assert_false(used[handle]);
                used[handle] = TRUE;
                count++;
            }
        } else {
            handle = g_rand_int_range(rand, 0, 40);
            g_assert_true(!!pvrdma_table_remove(&t, handle) ==
                          (handle < 33 && used[handle]));
            if (handle < 33 && used[handle]) {
                used[handle] = FALSE;
                count--;
            }
        }
        g_assert_cmpuint(t.used, ==, count);
    }
    pvrdma_table_clear(&t);
}

static void test_empty(void)
{
    PvrdmaTable t = { 0 };
    uint32_t handle = 0;

    g_assert_null(pvrdma_table_get(&t, 0));
    g_assert_null(pvrdma_table_next(&t, &handle));
    g_assert_false(pvrdma_table_add(&t, &objects[0], &handle));
    pvrdma_table_clear(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/device/table/brim", test_fill_to_the_brim);
    g_test_add_func("/device/table/round-robin", test_handles_come_back_last);
    g_test_add_func("/device/table/walk", test_walk_and_remove);
    g_test_add_func("/device/table/random", test_random);
    g_test_add_func("/device/table/empty", test_empty);
    return g_test_run();
}
