/*
 * QTest testcase for pvrdma: what a hostile guest must not change
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma-watch.h"


uint64_t watch_kib(QTestState *qts, const char *field)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/status",
                                            (int)qtest_pid(qts));
    g_autofree char *key = g_strdup_printf("\n%s:", field);
    g_autofree char *text = NULL;
    const char *line;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    line = strstr(text, key);
    g_assert_nonnull(line);
    return g_ascii_strtoull(line + strlen(key), NULL, 10);
}

unsigned watch_fds(QTestState *qts)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/fd",
                                            (int)qtest_pid(qts));
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    unsigned n = 0;

    g_assert_nonnull(dir);
    while (g_dir_read_name(dir)) {
        n++;
    }
    return n;
}

/* A sanitizer keeps what was freed, and what it keeps looks like a leak. */
void watch_memory(void)
{
    const char *options = g_getenv("ASAN_OPTIONS");
    g_autofree char *all = g_strdup_printf("%s:quarantine_size_mb=1",
                                           options ?: "");

    g_setenv("ASAN_OPTIONS", all, true);
}

void watch_alive(PvrdmaGuest *g)
{
    PvrdmaReq req = { .query_port.port_num = 1 };

    qtest_qmp_assert_success(g->qts, "{'execute': 'query-status'}");
    g_assert_cmpuint(pvrdma_cmd(g, PVRDMA_CMD_QUERY_PORT, &req, NULL), ==, 0);
}

void watch_empty(PvrdmaGuest *g)
{
    const char *kinds[] = {
        "uc", "pd", "mr", "cq", "qp", "srq", "gid", "extents",
    };

    for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (pvrdma_usage(g, kinds[i], "used")) {
            g_error("the device still has objects of the kind %s", kinds[i]);
        }
    }
}

/* Pages differ, so that copies between them are seen, too; indices of 0 are
 * good ones, that work goes on from. */
static uint8_t mark_of(uint32_t page)
{
    return page * 37;
}

void watch_mark(PvrdmaGuest *g, const PvrdmaPages *mem)
{
    for (uint32_t i = 0; i < mem->n; i++) {
        qtest_memset(g->qts, mem->addr + (uint64_t)i * PVRDMA_PAGE,
                     mark_of(i), PVRDMA_PAGE);
    }
}

void watch_marked(PvrdmaGuest *g, const PvrdmaPages *mem)
{
    size_t size = (size_t)mem->n * PVRDMA_PAGE;
    g_autofree uint8_t *now = g_malloc(size);

    qtest_memread(g->qts, mem->addr, now, size);
    for (size_t i = 0; i < size; i++) {
        if (now[i] != mark_of(i / PVRDMA_PAGE)) {
            g_error("written to: byte %zu of %u pages at 0x%" PRIx64, i,
                    mem->n, mem->addr);
        }
    }
}
