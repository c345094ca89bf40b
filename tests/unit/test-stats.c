/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of devices: what QEMU is asked, what it may answer, and what is shown. */
#include <string.h>

#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-stats-show.h"
#include "pvr-stats.h"

#define COUNTERS(commands) \
    "\"counters\": {\"zeta\": 1, \"tx-packets\": 0, \"send-wqes\": 7, \"eta\": 2," \
    " \"commands\": " commands "}"
#define OBJECTS \
    "\"objects\": {\"gid\": {\"used\": 3, \"limit\": 64}, \"pd\": {\"used\": 1, \"limit\": 256}}"
#define QP(qpn, sends) \
    "{\"handle\": 2, \"qpn\": " qpn ", \"type\": \"RC\", \"state\": \"RTS\", \"sends\": " sends \
    ", \"receives\": 5, \"completions\": 12, \"errors\": 0, \"outstanding-sends\": 16," \
    " \"outstanding-receives\": 1}"
#define STATS(commands, qps) \
    "{\"backend\": \"soft\", \"port\": 1, " COUNTERS(commands) ", " OBJECTS ", \"qps\": [" qps "]}"
#define RETURN(value) "{\"return\": " value ", \"id\": \"libvirt-42\"}"
#define REFUSE(class, text) \
    "{\"id\": \"libvirt-42\", \"error\": {\"class\": \"" class "\", \"desc\": \"" text "\"}}"

/* A monitor that knows one answer. */
typedef struct {
    const char *reply; /* NULL: there is no monitor */
    char *asked;
} FakeMonitor;

static char *
fake_monitor(gpointer data, const char *command, GError **error)
{
    FakeMonitor *fake = data;

    g_free(fake->asked);
    fake->asked = g_strdup(command);
    if (!fake->reply) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_PRIVILEGE, "no monitor");
    }
    return g_strdup(fake->reply);
}

static JsonNode *
read_stats(const char *reply, GError **error)
{
    FakeMonitor fake = {reply, NULL};
    JsonNode *stats = pvr_stats_read(fake_monitor, &fake, "ua-pvrdma0", error);

    g_assert_cmpstr(fake.asked, ==,
                    "{\"execute\":\"qom-get\",\"arguments\":{\"path\":"
                    "\"/machine/peripheral/ua-pvrdma0\",\"property\":\"stats\"}}");
    g_free(fake.asked);
    return stats;
}

static void
test_list(void)
{
    FakeMonitor fake = {RETURN("[{\"name\": \"type\", \"type\": \"string\"},"
                               " {\"name\": \"ua-pvrdma1\", \"type\": \"child<pvrdma>\"},"
                               " {\"name\": \"ua-pvrdma1-net\", \"type\": \"child<vmxnet3>\"},"
                               " {\"name\": \"mine\", \"type\": \"child<pvrdma>\"}, 7]"),
                        NULL};
    g_autoptr(GPtrArray) ids = pvr_stats_list(fake_monitor, &fake, NULL);

    g_assert_cmpstr(fake.asked, ==,
                    "{\"execute\":\"qom-list\",\"arguments\":{\"path\":"
                    "\"/machine/peripheral\"}}");
    g_assert_cmpuint(ids->len, ==, 2);
    g_assert_cmpstr(ids->pdata[0], ==, "mine");
    g_assert_cmpstr(ids->pdata[1], ==, "ua-pvrdma1");
    g_free(fake.asked);
}

static void
check_read_fails(const char *reply, PvrError code, const char *part)
{
    g_autoptr(GError) error = NULL;

    g_assert_null(read_stats(reply, &error));
    g_assert_error(error, PVR_ERROR, (int)code);
    g_test_message("%s", error->message);
    g_assert_nonnull(strstr(error->message, part));
}

static void
test_refusals(void)
{
    check_read_fails(NULL, PVR_ERROR_PRIVILEGE, "no monitor");
    check_read_fails(REFUSE("GenericError", "Property 'pvrdma.stats' not found"),
                     PVR_ERROR_UNSUPPORTED, "no counters for the device 'ua-pvrdma0'\n");
    check_read_fails(REFUSE("DeviceNotFound", "Device 'x' not found"), PVR_ERROR_NOT_FOUND,
                     "'ua-pvrdma0' is gone");
    check_read_fails(REFUSE("GenericError", "out of order"), PVR_ERROR_FAILED,
                     "QEMU refuses: out of order");
    check_read_fails("{\"error\": {\"class\": 1, \"desc\": {}}}", PVR_ERROR_FAILED, "no reason");
    check_read_fails("{\"error\": {}}", PVR_ERROR_FAILED, "no reason");
}

/* A QEMU that a guest may have taken over answers what it likes. */
static void
test_bad_answers(void)
{
    static const char *const bad[] = {
        "",
        "{}",
        "[]",
        "{\"return\": []}",
        "{\"return\": 1, \"error\": 2}",
        RETURN("{}"),
        RETURN("{\"backend\": \"soft\", \"port\": 1, " COUNTERS("1") ", " OBJECTS "}"),
        RETURN("{\"backend\": \"soft\", \"port\": 1, " OBJECTS ", \"qps\": []}"),
        RETURN("{\"backend\": 1, \"port\": 1, " COUNTERS("1") ", " OBJECTS ", \"qps\": []}"),
        RETURN("{\"backend\": \"verbs\", \"host-device\": {}, \"port\": 1, " COUNTERS(
            "1") ", " OBJECTS ", \"qps\": []}"),
        RETURN("{\"backend\": \"soft\", \"port\": 1, " COUNTERS(
            "1") ", \"objects\": {\"pd\": {\"used\": 1}}, \"qps\": []}"),
        RETURN("{\"backend\": \"soft\", \"port\": 1, " COUNTERS(
            "1") ", \"objects\": {\"pd\": 1}, \"qps\": []}"),
        RETURN(STATS("\"many\"", "")),
        RETURN(STATS("1", "1")),
        RETURN(STATS("1", QP("\"x\"", "1"))),
    };

    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        check_read_fails(bad[i], PVR_ERROR_CORRUPT, "");
    }
}

static char *
show(const PvrStatsView *view)
{
    PvrCtx ctx = {.out = g_string_new(NULL)};

    pvr_stats_show_text(&ctx, view);
    return g_string_free(ctx.out, FALSE);
}

static void
test_text(void)
{
    g_autoptr(JsonNode) now = read_stats(RETURN(STATS("123456", QP("17", "1000"))), NULL);
    PvrStatsView view = {.domain = "vm1", .id = 0, .alias = "ua-pvrdma0"};
    g_autofree char *text = NULL;

    view.now = json_node_get_object(now);
    text = show(&view);
    g_assert_cmpstr(text, ==,
                    "vm1, device 0 (ua-pvrdma0): soft\n"
                    "\n"
                    "COUNTER      TOTAL\n"
                    "commands    123456\n"
                    "send-wqes        7\n"
                    "tx-packets       0\n"
                    "eta              2\n"
                    "zeta             1\n"
                    "\n"
                    "OBJECT  USED  LIMIT\n"
                    "pd         1    256\n"
                    "gid        3     64\n"
                    "\n"
                    "QP  STATE  QPN  SENDS  QUEUED  RECEIVES  QUEUED  COMPLETIONS  ERRORS\n"
                    "RC  RTS     17   1000      16         5       1           12       0\n");
}

/* A device that is not in our metadata, of the host, and without QPs. */
static void
test_text_foreign(void)
{
    g_autoptr(JsonNode) now =
        read_stats(RETURN("{\"backend\": \"verbs\", \"host-device\": \"rxe0\", \"port\": 2, "
                          "\"counters\": {}, \"objects\": {}, \"qps\": [], \"more\": [1]}"),
                   NULL);
    PvrStatsView view = {.domain = "vm1", .id = -1, .alias = "mine"};
    g_autofree char *text = NULL;

    view.now = json_node_get_object(now);
    text = show(&view);
    g_assert_cmpstr(text, ==,
                    "vm1, device ? (mine): verbs, rxe0 port 2\n"
                    "\n"
                    "COUNTER  TOTAL\n"
                    "\n"
                    "OBJECT  USED  LIMIT\n"
                    "\n"
                    "no QP\n");
}

/* Rates: of what was there before and grew; not of another QP with the same handle. */
static void
test_rates(void)
{
    g_autoptr(JsonNode) before = read_stats(RETURN(STATS("100", QP("17", "1000"))), NULL);
    g_autoptr(JsonNode) now = read_stats(RETURN(STATS("150", QP("17", "1250"))), NULL);
    g_autoptr(JsonNode) other = read_stats(RETURN(STATS("40", QP("18", "2000"))), NULL);
    PvrStatsView view = {.domain = "vm1", .alias = "ua-pvrdma0", .seconds = 2, .watch = TRUE};
    g_autofree char *first = NULL, *text = NULL, *changed = NULL;

    view.now = json_node_get_object(now);
    first = show(&view);
    g_assert_nonnull(strstr(first, "commands      150      -\n"));
    view.before = json_node_get_object(before);
    text = show(&view);
    g_assert_nonnull(strstr(text, "COUNTER     TOTAL  PER-S\n"
                                  "commands      150   25.0\n"
                                  "send-wqes       7    0.0\n"));
    g_assert_nonnull(strstr(text, "ERRORS  SENDS-PER-S  RECEIVES-PER-S\n"));
    g_assert_nonnull(strstr(text, "     0        125.0             0.0\n"));
    view.now = json_node_get_object(other);
    changed = show(&view);
    g_assert_nonnull(strstr(changed, "commands       40      -\n"));
    g_assert_nonnull(strstr(changed, "     0            -               -\n"));
}

static void
test_json(void)
{
    g_autoptr(JsonNode) before = read_stats(RETURN(STATS("100", "")), NULL);
    g_autoptr(JsonNode) now = read_stats(RETURN(STATS("150", QP("17", "1250"))), NULL);
    g_autoptr(JsonBuilder) builder = pvr_json_begin();
    PvrStatsView view = {.domain = "vm1", .uuid = "u", .id = 3, .alias = "ua-pvrdma3"};
    g_autofree char *text = NULL;
    g_autoptr(JsonNode) root = NULL;
    JsonObject *device;

    view.now = json_node_get_object(now);
    pvr_json_begin_array(builder, "devices");
    pvr_stats_show_json(builder, &view);
    view.before = json_node_get_object(before);
    view.seconds = 0.5;
    view.watch = TRUE;
    view.id = -1;
    pvr_stats_show_json(builder, &view);
    json_builder_end_array(builder);
    text = pvr_json_end(builder);
    root = json_from_string(text, NULL);
    device = json_array_get_object_element(
        json_object_get_array_member(json_node_get_object(root), "devices"), 0);
    g_assert_cmpstr(json_object_get_string_member(device, "domain"), ==, "vm1");
    g_assert_cmpint(json_object_get_int_member(device, "id"), ==, 3);
    g_assert_true(json_node_equal(json_object_get_member(device, "stats"), now));
    g_assert_false(json_object_has_member(device, "rates"));
    device = json_array_get_object_element(
        json_object_get_array_member(json_node_get_object(root), "devices"), 1);
    g_assert_true(json_object_get_null_member(device, "id"));
    device = json_object_get_object_member(device, "rates");
    g_assert_cmpfloat(json_object_get_double_member(device, "commands"), ==, 100.0);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stats/list", test_list);
    g_test_add_func("/stats/refusals", test_refusals);
    g_test_add_func("/stats/bad-answers", test_bad_answers);
    g_test_add_func("/stats/text", test_text);
    g_test_add_func("/stats/text-foreign", test_text_foreign);
    g_test_add_func("/stats/rates", test_rates);
    g_test_add_func("/stats/json", test_json);
    return g_test_run();
}
