/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a QEMU, which may be a guest's by now, answers: what is accepted can be shown. */
#include "fuzz.h"
#include "pvr-error.h"
#include "pvr-stats-show.h"
#include "pvr-stats.h"

typedef struct {
    const uint8_t *data;
    size_t size;
} Reply;

static char *
monitor(gpointer data, const char *command, GError **error)
{
    const Reply *reply = data;

    return g_strndup((const char *)reply->data, reply->size);
}

static void
show(JsonNode *stats)
{
    PvrCtx ctx = {.out = g_string_new(NULL)};
    g_autoptr(JsonBuilder) builder = json_builder_new();
    PvrStatsView view = {.domain = "vm", .uuid = "u", .alias = "a", .seconds = 1, .watch = TRUE};

    view.now = view.before = json_node_get_object(stats);
    pvr_stats_show_text(&ctx, &view);
    json_builder_begin_array(builder);
    pvr_stats_show_json(builder, &view);
    json_builder_end_array(builder);
    g_string_free(ctx.out, TRUE);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Reply reply = {data, size};
    g_autoptr(GError) error = NULL;
    g_autoptr(GError) list_error = NULL;
    g_autoptr(JsonNode) stats = pvr_stats_read(monitor, &reply, "a", &error);
    g_autoptr(GPtrArray) ids = pvr_stats_list(monitor, &reply, &list_error);

    g_assert_true((stats == NULL) == (error != NULL));
    g_assert_true((ids == NULL) == (list_error != NULL));
    if (stats) {
        show(stats);
    }
    return 0;
}
