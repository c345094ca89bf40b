/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-table.h"

#include <string.h>

#define GAP 2

struct _PvrTable {
    guint columns;
    guint left;             /* so many of them are aligned to the left */
    GPtrArray *rows;        /* GStrv of `columns` cells; the first holds the titles */
};

PvrTable *
pvr_table_new(const char *title, ...)
{
    g_autoptr(GPtrArray) titles = g_ptr_array_new();
    PvrTable *table = g_new0(PvrTable, 1);
    va_list args;

    va_start(args, title);
    for (const char *next = title; next != NULL; next = va_arg(args, const char *))
        g_ptr_array_add(titles, (gpointer) next);
    va_end(args);

    table->columns = table->left = titles->len;
    table->rows = g_ptr_array_new_with_free_func((GDestroyNotify) g_strfreev);
    pvr_table_add(table, (const char *const *) titles->pdata);
    return table;
}

void
pvr_table_free(PvrTable *table)
{
    g_ptr_array_unref(table->rows);
    g_free(table);
}

static char *
clean_cell(const char *cell)
{
    char *text = g_utf8_make_valid(cell != NULL ? cell : "-", -1);

    for (char *c = text; *c; c++)
        if (g_ascii_iscntrl(*c))
            *c = '?';
    return text;
}

void
pvr_table_add(PvrTable *table, const char *const *cells)
{
    GStrv row = g_new0(char *, table->columns + 1);

    for (guint i = 0; i < table->columns; i++)
        row[i] = clean_cell(cells[i]);
    g_ptr_array_add(table->rows, row);
}

guint
pvr_table_rows(const PvrTable *table)
{
    return table->rows->len - 1;
}

void
pvr_table_align_right(PvrTable *table, guint column)
{
    table->left = column;
}

static glong
column_width(const PvrTable *table, guint column)
{
    glong width = 0;

    for (guint i = 0; i < table->rows->len; i++) {
        const GStrv row = g_ptr_array_index(table->rows, i);

        width = MAX(width, g_utf8_strlen(row[column], -1));
    }
    return width;
}

static void
append_padding(GString *text, glong count)
{
    for (glong i = 0; i < count; i++)
        g_string_append_c(text, ' ');
}

static void
drop_trailing_blanks(GString *text)
{
    while (text->len > 0 && text->str[text->len - 1] == ' ')
        g_string_truncate(text, text->len - 1);
}

char *
pvr_table_to_string(const PvrTable *table)
{
    GString *text = g_string_new(NULL);
    g_autofree glong *widths = g_new(glong, table->columns);

    for (guint c = 0; c < table->columns; c++)
        widths[c] = column_width(table, c);
    for (guint i = 0; i < table->rows->len; i++) {
        const GStrv row = g_ptr_array_index(table->rows, i);

        for (guint c = 0; c < table->columns; c++) {
            const glong padding = widths[c] - g_utf8_strlen(row[c], -1);

            append_padding(text, c < table->left ? 0 : padding);
            g_string_append(text, row[c]);
            append_padding(text, GAP + (c < table->left ? padding : 0));
        }
        drop_trailing_blanks(text);
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, FALSE);
}
