/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-json.h"

JsonBuilder *
pvr_json_begin(void)
{
    JsonBuilder *builder = json_builder_new();

    json_builder_begin_object(builder);
    pvr_json_add_int(builder, "version", 1);
    return builder;
}

void
pvr_json_add_string(JsonBuilder *builder, const char *key, const char *value)
{
    g_autofree char *valid = value != NULL ? g_utf8_make_valid(value, -1) : NULL;

    json_builder_set_member_name(builder, key);
    if (valid != NULL)
        json_builder_add_string_value(builder, valid);
    else
        json_builder_add_null_value(builder);
}

void
pvr_json_add_int(JsonBuilder *builder, const char *key, gint64 value)
{
    json_builder_set_member_name(builder, key);
    json_builder_add_int_value(builder, value);
}

void
pvr_json_add_bool(JsonBuilder *builder, const char *key, gboolean value)
{
    json_builder_set_member_name(builder, key);
    json_builder_add_boolean_value(builder, value);
}

void
pvr_json_begin_array(JsonBuilder *builder, const char *key)
{
    json_builder_set_member_name(builder, key);
    json_builder_begin_array(builder);
}

void
pvr_json_begin_object(JsonBuilder *builder, const char *key)
{
    json_builder_set_member_name(builder, key);
    json_builder_begin_object(builder);
}

char *
pvr_json_end(JsonBuilder *builder)
{
    g_autoptr(JsonNode) root = NULL;
    g_autofree char *text = NULL;

    json_builder_end_object(builder);
    root = json_builder_get_root(builder);
    text = json_to_string(root, TRUE);
    return g_strconcat(text, "\n", NULL);
}
