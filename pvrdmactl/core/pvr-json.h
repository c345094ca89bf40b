/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON output: one object {"version": 1, ...} with snake_case keys. Keys are an
 * interface: add, never rename.
 */
#pragma once

#include <json-glib/json-glib.h>

/* A builder inside the open top-level object, with "version" already in it. */
JsonBuilder *pvr_json_begin(void);

/* "key": "value", or null for NULL. */
void pvr_json_add_string(JsonBuilder *builder, const char *key, const char *value);
void pvr_json_add_int(JsonBuilder *builder, const char *key, gint64 value);
void pvr_json_add_bool(JsonBuilder *builder, const char *key, gboolean value);

/* Opens "key": [ or "key": {; close with json_builder_end_array() / json_builder_end_object(). */
void pvr_json_begin_array(JsonBuilder *builder, const char *key);
void pvr_json_begin_object(JsonBuilder *builder, const char *key);

/* Closes the top-level object; indented text with a final newline. Does not free the builder. */
char *pvr_json_end(JsonBuilder *builder);
