/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading one object of a configuration file: each error names file, line and key. */
#pragma once

#include <json-glib/json-glib.h>

#include "pvr-json-lines.h"

typedef struct {
    const char *file;
    const PvrJsonLines *lines;
    JsonObject *object;
    const char *path; /* "pools[0]"; "" for the whole file */
} PvrConfItem;

typedef gboolean (*PvrConfReadItem)(const PvrConfItem *item, gpointer target, GError **error);

/* "FILE:LINE" of that key, or of the item itself for "". */
char *pvr_conf_item_where(const PvrConfItem *item, const char *key);

/* Sets PVR_ERROR_CORRUPT "FILE:LINE: KEY: ..." and returns FALSE. @key as above. */
gboolean pvr_conf_fail(GError **error, const PvrConfItem *item, const char *key,
                       const char *format, ...) G_GNUC_PRINTF(4, 5);
gboolean pvr_conf_fail_twice(GError **error, const PvrConfItem *item, const char *key,
                             const char *what, const char *value, const char *first);

/* Each key is in the NULL-ended list @known. */
gboolean pvr_conf_check_keys(const PvrConfItem *item, const char *const *known, GError **error);

/*
 * What is not there and not @required leaves the output untouched. Text has neither blanks nor control
 * characters; numbers are from 0 to @max.
 */
gboolean pvr_conf_read_text(const PvrConfItem *item, const char *key, gboolean required,
                            char **ret_text, GError **error);
gboolean pvr_conf_read_number(const PvrConfItem *item, const char *key, gint64 max,
                              gint64 *ret_value, GError **error);
gboolean pvr_conf_read_array(const PvrConfItem *item, const char *key, gboolean required,
                             JsonArray **ret_array, GError **error);

/* A name that @check takes. */
gboolean pvr_conf_read_name(const PvrConfItem *item, const char *key, gboolean required,
                            gboolean (*check)(const char *, GError **), char **ret_name,
                            GError **error);

/* A PCI address, in the long form; of a device, also any other name. */
gboolean pvr_conf_read_pci(const PvrConfItem *item, const char *key, char **ret_address,
                           GError **error);
gboolean pvr_conf_read_device(const PvrConfItem *item, const char *key, gboolean required,
                              char **ret_text, GError **error);

/* Calls @read with each element of an array of objects. */
gboolean pvr_conf_read_items(const PvrConfItem *item, const char *key, gboolean required,
                             PvrConfReadItem read, gpointer target, GError **error);
