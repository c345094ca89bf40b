/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-json-read.h"

#include <string.h>

#include "pvr-error.h"

/*
 * Two things that json-glib 1.6 lets through and that we must not: it recurses without a limit,
 * so that a file of brackets overflows the stack; and it also reads comments, single quotes and
 * assignments, which are no JSON and would hide brackets from the count here.
 */
static gboolean
check_outside_string(char c, guint line, guint *depth, GError **error)
{
    if (c == '[' || c == '{') {
        (*depth)++;
    } else if (c == ']' || c == '}') {
        *depth -= *depth > 0;
    } else if (c == '/' || c == '#' || c == '\'' || c == '=') {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "not JSON: unexpected '%c' in line %u",
                    c, line);
        return FALSE;
    }
    if (*depth > PVR_JSON_MAX_DEPTH) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "nested deeper than %d",
                    PVR_JSON_MAX_DEPTH);
        return FALSE;
    }
    return TRUE;
}

static gboolean
check_shape(const char *data, gsize len, GError **error)
{
    gboolean in_string = FALSE;
    guint depth = 0;
    guint line = 1;

    for (gsize i = 0; i < len; i++) {
        line += data[i] == '\n';
        if (in_string && data[i] == '\\') {
            i++;
        } else if (data[i] == '"') {
            in_string = !in_string;
        } else if (!in_string && !check_outside_string(data[i], line, &depth, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
check_text(const char *data, gsize len, GError **error)
{
    if (len == 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "it is empty");
        return FALSE;
    }
    if (!g_utf8_validate_len(data, len, NULL)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "it is not UTF-8 text");
        return FALSE;
    }
    return check_shape(data, len, error);
}

JsonNode *
pvr_json_parse_object(const char *data, gsize len, GError **error)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    g_autoptr(GError) local = NULL;
    g_autoptr(JsonNode) root = NULL;

    if (!check_text(data, len, error)) {
        return NULL;
    }
    if (!json_parser_load_from_data(parser, data, len, &local)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "not JSON: %s", local->message);
        return NULL;
    }
    root = json_parser_steal_root(parser);
    if (root == NULL || !JSON_NODE_HOLDS_OBJECT(root)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "not a JSON object");
        return NULL;
    }
    return g_steal_pointer(&root);
}

gboolean
pvr_json_check_members(JsonObject *object, const char *const *names, GError **error)
{
    g_autoptr(GList) members = json_object_get_members(object);

    for (GList *l = members; l != NULL; l = l->next) {
        if (!g_strv_contains(names, l->data)) {
            g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "unknown member '%.40s'",
                        (const char *)l->data);
            return FALSE;
        }
    }
    return TRUE;
}

static JsonNode *
get_value(JsonObject *object, const char *name, GType type, const char *what, GError **error)
{
    JsonNode *node = json_object_get_member(object, name);

    if (node == NULL || !JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != type) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "member '%s' is %s", name,
                    node == NULL ? "missing" : what);
        return NULL;
    }
    return node;
}

const char *
pvr_json_get_string(JsonObject *object, const char *name, gsize max, GError **error)
{
    JsonNode *node = get_value(object, name, G_TYPE_STRING, "not a string", error);
    const char *text;

    if (node == NULL) {
        return NULL;
    }
    text = json_node_get_string(node);
    if (text == NULL || *text == '\0' || strlen(text) > max) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT,
                    "member '%s' is empty or longer than %" G_GSIZE_FORMAT, name, max);
        return NULL;
    }
    return text;
}

gboolean
pvr_json_get_int(JsonObject *object, const char *name, gint64 min, gint64 max, gint64 *ret_value,
                 GError **error)
{
    JsonNode *node = get_value(object, name, G_TYPE_INT64, "not an integer", error);
    gint64 value;

    if (node == NULL) {
        return FALSE;
    }
    value = json_node_get_int(node);
    if (value < min || value > max) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT,
                    "member '%s' is %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT
                    " to %" G_GINT64_FORMAT,
                    name, value, min, max);
        return FALSE;
    }
    *ret_value = value;
    return TRUE;
}

JsonArray *
pvr_json_get_array(JsonObject *object, const char *name, guint max, GError **error)
{
    JsonNode *node = json_object_get_member(object, name);

    if (node == NULL || !JSON_NODE_HOLDS_ARRAY(node)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "member '%s' is %s", name,
                    node == NULL ? "missing" : "not an array");
        return NULL;
    }
    if (json_array_get_length(json_node_get_array(node)) > max) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "member '%s' has more than %u elements",
                    name, max);
        return NULL;
    }
    return json_node_get_array(node);
}
