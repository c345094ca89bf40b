/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text tables: aligned columns, two blanks between, no trailing blanks. */
#pragma once

#include <glib.h>

typedef struct _PvrTable PvrTable;

/* Column titles; the list ends with NULL. */
PvrTable *pvr_table_new(const char *title, ...) G_GNUC_NULL_TERMINATED;
void pvr_table_free(PvrTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrTable, pvr_table_free)

/*
 * Exactly as many cells as there are titles (copied). NULL shows as "-", "" as blanks. Control characters
 * and bytes that are not UTF-8 are replaced, so that no content can disturb the terminal.
 */
void pvr_table_add(PvrTable *table, const char *const *cells);

/* That column and all after it are numbers: aligned to the right. */
void pvr_table_align_right(PvrTable *table, guint column);

guint pvr_table_rows(const PvrTable *table);

/* Title line and rows, each with a newline. */
char *pvr_table_to_string(const PvrTable *table);
