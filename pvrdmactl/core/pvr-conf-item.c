/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-conf-item.h"

#include <string.h>

#include "pvr-conf.h"
#include "pvr-error.h"

#define MAX_TEXT 255

static char *
pvr_conf_item_path(const PvrConfItem *item, const char *key)
{
    return g_strconcat(item->path, *item->path != '\0' && *key != '\0' ? "." : "", key, NULL);
}

char *
pvr_conf_item_where(const PvrConfItem *item, const char *key)
{
    g_autofree char *path = pvr_conf_item_path(item, key);

    return g_strdup_printf("%s:%u", item->file, pvr_json_lines_find(item->lines, path));
}

/* @key may be "": the item itself. */
gboolean
pvr_conf_fail(GError **error, const PvrConfItem *item, const char *key, const char *format, ...)
{
    g_autofree char *path = pvr_conf_item_path(item, key);
    g_autofree char *where = pvr_conf_item_where(item, key);
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "%s: %s%s%s", where, path,
                *path != '\0' ? ": " : "", text);
    return FALSE;
}

gboolean
pvr_conf_check_keys(const PvrConfItem *item, const char *const *known, GError **error)
{
    g_autoptr(GList) keys = json_object_get_members(item->object);
    g_autofree char *list = g_strjoinv(", ", (char **)known);

    for (GList *l = keys; l != NULL; l = l->next) {
        if (!g_strv_contains(known, l->data)) {
            g_autofree char *key = g_strndup(l->data, 40);
            g_autofree char *valid = g_utf8_make_valid(key, -1);

            return pvr_conf_fail(error, item, strlen(l->data) > 40 ? "" : valid,
                        "unknown key '%s'\nknown here: %s", valid, list);
        }
    }
    return TRUE;
}

/* NULL without error when it is not there and need not be. */
static JsonNode *
find_value(const PvrConfItem *item, const char *key, gboolean required, GError **error)
{
    JsonNode *node = json_object_get_member(item->object, key);

    if (node == NULL && required) {
        pvr_conf_fail(error, item, "", "the key '%s' is missing", key);
    }
    return node;
}

/* A text without control characters; @ret_text stays NULL when it is not there and need not be. */
gboolean
pvr_conf_read_text(const PvrConfItem *item, const char *key, gboolean required, char **ret_text, GError **error)
{
    JsonNode *node = find_value(item, key, required, error);
    const char *text;

    if (node == NULL) {
        return !required;
    }
    if (!JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_STRING) {
        return pvr_conf_fail(error, item, key, "not a string");
    }
    text = json_node_get_string(node);
    if (*text == '\0' || strlen(text) > MAX_TEXT) {
        return pvr_conf_fail(error, item, key, "empty, or longer than %d bytes", MAX_TEXT);
    }
    for (const char *c = text; *c != '\0'; c++) {
        if (!g_ascii_isgraph(*c)) {
            return pvr_conf_fail(error, item, key, "has a blank or a character that is not ASCII");
        }
    }
    *ret_text = g_strdup(text);
    return TRUE;
}

gboolean
pvr_conf_read_number(const PvrConfItem *item, const char *key, gint64 max, gint64 *ret_value, GError **error)
{
    JsonNode *node = find_value(item, key, TRUE, error);

    if (node == NULL) {
        return FALSE;
    }
    if (!JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_INT64) {
        return pvr_conf_fail(error, item, key, "not an integer");
    }
    *ret_value = json_node_get_int(node);
    return (*ret_value >= 0 && *ret_value <= max) ||
           pvr_conf_fail(error, item, key, "%" G_GINT64_FORMAT " is not from 0 to %" G_GINT64_FORMAT,
                *ret_value, max);
}

/* A name that @check takes; the second line of its error says what is allowed. */
gboolean
pvr_conf_read_name(const PvrConfItem *item, const char *key, gboolean required,
          gboolean (*check)(const char *, GError **), char **ret_name, GError **error)
{
    g_autoptr(GError) why = NULL;

    if (!pvr_conf_read_text(item, key, required, ret_name, error)) {
        return FALSE;
    }
    return *ret_name == NULL || check(*ret_name, &why) || pvr_conf_fail(error, item, key, "%s", why->message);
}

gboolean
pvr_conf_read_pci(const PvrConfItem *item, const char *key, char **ret_address, GError **error)
{
    g_autofree char *text = NULL;

    if (!pvr_conf_read_text(item, key, FALSE, &text, error)) {
        return FALSE;
    }
    *ret_address = text != NULL ? pvr_pci_parse_address(text) : NULL;
    return text == NULL || *ret_address != NULL ||
           pvr_conf_fail(error, item, key, "'%s' is no PCI address\nwrite it like 0000:3b:00.2", text);
}

/* An address, or a name for pvr_resolve(). */
gboolean
pvr_conf_read_device(const PvrConfItem *item, const char *key, gboolean required, char **ret_text, GError **error)
{
    g_autofree char *text = NULL;

    if (!pvr_conf_read_text(item, key, required, &text, error)) {
        return FALSE;
    }
    *ret_text = text != NULL ? pvr_pci_parse_address(text) : NULL;
    if (*ret_text == NULL) {
        *ret_text = g_steal_pointer(&text);
    }
    return TRUE;
}

gboolean
pvr_conf_fail_twice(GError **error, const PvrConfItem *item, const char *key, const char *what, const char *value,
           const char *first)
{
    return pvr_conf_fail(error, item, key, "%s '%s' is there twice\nthe first one is at %s", what, value,
                first);
}

static gboolean
read_element(const PvrConfItem *parent, const char *key, guint index, JsonNode *node, PvrConfReadItem read,
             gpointer target, GError **error)
{
    g_autofree char *own = g_strdup_printf("%s[%u]", key, index);
    g_autofree char *path = pvr_conf_item_path(parent, own);
    PvrConfItem item = {parent->file, parent->lines, NULL, path};

    if (!JSON_NODE_HOLDS_OBJECT(node)) {
        return pvr_conf_fail(error, &item, "", "not an object");
    }
    item.object = json_node_get_object(node);
    return read(&item, target, error);
}

gboolean
pvr_conf_read_array(const PvrConfItem *item, const char *key, gboolean required, JsonArray **ret_array,
           GError **error)
{
    JsonNode *node = find_value(item, key, required, error);

    if (node == NULL) {
        return !required;
    }
    if (!JSON_NODE_HOLDS_ARRAY(node)) {
        return pvr_conf_fail(error, item, key, "not an array");
    }
    *ret_array = json_node_get_array(node);
    return json_array_get_length(*ret_array) <= PVR_CONF_MAX_ITEMS ||
           pvr_conf_fail(error, item, key, "more than %d elements", PVR_CONF_MAX_ITEMS);
}

gboolean
pvr_conf_read_items(const PvrConfItem *item, const char *key, gboolean required, PvrConfReadItem read, gpointer target,
           GError **error)
{
    JsonArray *array = NULL;

    if (!pvr_conf_read_array(item, key, required, &array, error)) {
        return FALSE;
    }
    for (guint i = 0; array != NULL && i < json_array_get_length(array); i++) {
        if (!read_element(item, key, i, json_array_get_element(array, i), read, target, error)) {
            return FALSE;
        }
    }
    return TRUE;
}
