/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strict reading of small JSON objects that somebody else may have damaged. */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>

#define PVR_JSON_MAX_DEPTH 8

/*
 * Parses @data (UTF-8, no NUL bytes) as one object. PVR_ERROR_CORRUPT when it is not, or when
 * it is nested deeper than PVR_JSON_MAX_DEPTH.
 */
JsonNode *pvr_json_parse_object(const char *data, gsize len, GError **error);

/* Fails unless each member of @object is named in the NULL-ended list @names. */
gboolean pvr_json_check_members(JsonObject *object, const char *const *names, GError **error);

/* The string member @name, 1 to @max bytes. Owned by @object. */
const char *pvr_json_get_string(JsonObject *object, const char *name, gsize max, GError **error);

/* The integer member @name, within @min and @max. */
gboolean pvr_json_get_int(JsonObject *object, const char *name, gint64 min, gint64 max,
                          gint64 *ret_value, GError **error);

/* The array member @name, at most @max elements. Owned by @object. */
JsonArray *pvr_json_get_array(JsonObject *object, const char *name, guint max, GError **error);
