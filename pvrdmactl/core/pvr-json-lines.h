/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines at which the members of a JSON text stand: json-glib forgets them, and people want to know. */
#pragma once

#include <glib.h>

typedef struct _PvrJsonLines PvrJsonLines;

/*
 * Of a text that pvr_json_parse_object() takes. Fails with PVR_ERROR_CORRUPT, "LINE: KEY: ...", when
 * an object has a key twice, of which json-glib would keep the last.
 */
PvrJsonLines *pvr_json_lines_new(const char *data, gsize len, GError **error);
void pvr_json_lines_free(PvrJsonLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrJsonLines, pvr_json_lines_free)

/* From 1; of a member or an element like "pools[0].members[2].pf". 1 when there is none such. */
guint pvr_json_lines_find(const PvrJsonLines *lines, const char *path);
