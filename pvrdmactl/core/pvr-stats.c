/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-stats.h"

#include <string.h>

#include "pvr-error.h"
#include "pvr-json-read.h"

#define PARENT "/machine/peripheral"
#define MAX_TEXT 255
#define MAX_QPS 65536

static const char *const qp_numbers[] = {"handle",      "qpn",    "sends",
                                         "receives",    "completions", "errors",
                                         "outstanding-sends", "outstanding-receives"};

/* A command without arguments that need quoting but @path: an id may be anything. */
static char *
command_text(const char *name, const char *path, const char *property)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    g_autoptr(JsonNode) root = NULL;

    json_builder_begin_object(builder);
    json_builder_set_member_name(builder, "execute");
    json_builder_add_string_value(builder, name);
    json_builder_set_member_name(builder, "arguments");
    json_builder_begin_object(builder);
    json_builder_set_member_name(builder, "path");
    json_builder_add_string_value(builder, path);
    if (property) {
        json_builder_set_member_name(builder, "property");
        json_builder_add_string_value(builder, property);
    }
    json_builder_end_object(builder);
    json_builder_end_object(builder);
    root = json_builder_get_root(builder);
    return json_to_string(root, FALSE);
}

/* What QEMU refuses: which of the two reasons that we know it is, only its words say. */
static void
set_refusal(JsonObject *reply, const char *id, GError **error)
{
    JsonObject *refusal = json_object_get_object_member(reply, "error");
    const char *class = pvr_json_get_string(refusal, "class", MAX_TEXT, NULL);
    const char *text = pvr_json_get_string(refusal, "desc", MAX_TEXT, NULL);

    if (id && g_strcmp0(class, "DeviceNotFound") == 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "device '%s' is gone", id);
    } else if (id && text && strstr(text, "stats' not found")) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "the domain's QEMU has no counters for the device '%s'\n"
                    "it is older than this pvrdmactl: update the QEMU, and start the domain again",
                    id);
    } else {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "QEMU refuses: %s",
                    text ? text : "no reason");
    }
}

/* The member "return" of the reply, which has to hold @type. */
static JsonNode *
ask(PvrMonitor monitor, gpointer data, const char *command, const char *id, JsonNodeType type,
    GError **error)
{
    g_autofree char *text = monitor(data, command, error);
    g_autoptr(JsonNode) root = text ? pvr_json_parse_object(text, strlen(text), error) : NULL;
    JsonObject *reply = root ? json_node_get_object(root) : NULL;
    JsonNode *value = NULL;

    if (!root) {
        if (text) {
            g_prefix_error(error, "cannot understand QEMU: ");
        }
        return NULL;
    }
    value = json_object_get_member(reply, "error");
    if (value && JSON_NODE_HOLDS_OBJECT(value)) {
        set_refusal(reply, id, error);
        return NULL;
    }
    value = json_object_get_member(reply, "return");
    if (!value || json_node_get_node_type(value) != type) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT,
                    "cannot understand QEMU: its reply is of another kind");
        return NULL;
    }
    return json_node_copy(value);
}

static gint
compare_ids(gconstpointer a, gconstpointer b)
{
    return g_strcmp0(*(const char *const *)a, *(const char *const *)b);
}

GPtrArray *
pvr_stats_list(PvrMonitor monitor, gpointer data, GError **error)
{
    g_autofree char *command = command_text("qom-list", PARENT, NULL);
    g_autoptr(JsonNode) list = ask(monitor, data, command, NULL, JSON_NODE_ARRAY, error);
    GPtrArray *ids = list ? g_ptr_array_new_with_free_func(g_free) : NULL;

    for (guint i = 0; list && i < json_array_get_length(json_node_get_array(list)); i++) {
        JsonNode *node = json_array_get_element(json_node_get_array(list), i);
        JsonObject *child = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
        const char *type = child ? pvr_json_get_string(child, "type", MAX_TEXT, NULL) : NULL;
        const char *id = child ? pvr_json_get_string(child, "name", MAX_TEXT, NULL) : NULL;

        if (id && g_strcmp0(type, "child<pvrdma>") == 0) {
            g_ptr_array_add(ids, g_strdup(id));
        }
    }
    if (ids) {
        g_ptr_array_sort(ids, compare_ids);
    }
    return ids;
}

static gboolean
check_number(JsonObject *object, const char *name, GError **error)
{
    gint64 value;

    return pvr_json_get_int(object, name, G_MININT64, G_MAXINT64, &value, error);
}

static JsonObject *
get_object(JsonObject *object, const char *name, GError **error)
{
    JsonNode *node = json_object_get_member(object, name);

    if (!node || !JSON_NODE_HOLDS_OBJECT(node)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "member '%s' is %s", name,
                    node ? "not an object" : "missing");
        return NULL;
    }
    return json_node_get_object(node);
}

static gboolean
check_counters(JsonObject *stats, GError **error)
{
    JsonObject *counters = get_object(stats, "counters", error);
    g_autoptr(GList) names = counters ? json_object_get_members(counters) : NULL;

    for (GList *l = names; l; l = l->next) {
        if (!check_number(counters, l->data, error)) {
            return FALSE;
        }
    }
    return counters != NULL;
}

static gboolean
check_objects(JsonObject *stats, GError **error)
{
    JsonObject *objects = get_object(stats, "objects", error);
    g_autoptr(GList) names = objects ? json_object_get_members(objects) : NULL;

    for (GList *l = names; l; l = l->next) {
        JsonObject *object = get_object(objects, l->data, error);

        if (!object || !check_number(object, "used", error) ||
            !check_number(object, "limit", error)) {
            return FALSE;
        }
    }
    return objects != NULL;
}

static gboolean
check_qp(JsonNode *node, GError **error)
{
    JsonObject *qp = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;

    if (!qp) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "a QP is not an object");
        return FALSE;
    }
    for (guint i = 0; i < G_N_ELEMENTS(qp_numbers); i++) {
        if (!check_number(qp, qp_numbers[i], error)) {
            return FALSE;
        }
    }
    return pvr_json_get_string(qp, "type", MAX_TEXT, error) &&
           pvr_json_get_string(qp, "state", MAX_TEXT, error);
}

static gboolean
check_qps(JsonObject *stats, GError **error)
{
    JsonArray *qps = pvr_json_get_array(stats, "qps", MAX_QPS, error);

    for (guint i = 0; qps && i < json_array_get_length(qps); i++) {
        if (!check_qp(json_array_get_element(qps, i), error)) {
            return FALSE;
        }
    }
    return qps != NULL;
}

static gboolean
check_stats(JsonObject *stats, GError **error)
{
    return pvr_json_get_string(stats, "backend", MAX_TEXT, error) &&
           (!json_object_has_member(stats, "host-device") ||
            pvr_json_get_string(stats, "host-device", MAX_TEXT, error)) &&
           check_number(stats, "port", error) && check_counters(stats, error) &&
           check_objects(stats, error) && check_qps(stats, error);
}

JsonNode *
pvr_stats_read(PvrMonitor monitor, gpointer data, const char *id, GError **error)
{
    g_autofree char *path = g_strconcat(PARENT "/", id, NULL);
    g_autofree char *command = command_text("qom-get", path, "stats");
    g_autoptr(JsonNode) stats = ask(monitor, data, command, id, JSON_NODE_OBJECT, error);

    if (stats && !check_stats(json_node_get_object(stats), error)) {
        g_prefix_error(error, "cannot understand the counters of device '%s': ", id);
        return NULL;
    }
    return g_steal_pointer(&stats);
}
