/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-json-lines.h"

#include <string.h>

#include "pvr-error.h"
#include "pvr-json-read.h"

/* An object or array that is open. */
typedef struct {
    gboolean is_array;
    gboolean wants_key; /* of an object: the next string is a key */
    guint index;        /* of an array: of the next element */
    gsize base;         /* length of the path to it */
} Level;

struct _PvrJsonLines {
    GHashTable *table; /* path -> line */
    GString *path;
    Level levels[PVR_JSON_MAX_DEPTH + 1];
    guint depth;
    guint line;
};

void
pvr_json_lines_free(PvrJsonLines *lines)
{
    g_hash_table_unref(lines->table);
    g_string_free(lines->path, TRUE);
    g_free(lines);
}

static gboolean
remember(PvrJsonLines *lines)
{
    return g_hash_table_insert(lines->table, g_strdup(lines->path->str),
                               GUINT_TO_POINTER(lines->line));
}

static Level *
top(PvrJsonLines *lines)
{
    return &lines->levels[lines->depth];
}

/* Before a value of whatever type: in an array it is the next element. */
static void
begin_value(PvrJsonLines *lines)
{
    Level *level = top(lines);

    if (level->is_array) {
        g_string_truncate(lines->path, level->base);
        g_string_append_printf(lines->path, "[%u]", level->index);
        remember(lines);
    }
}

static void
open_level(PvrJsonLines *lines, gboolean is_array)
{
    begin_value(lines);
    if (lines->depth < PVR_JSON_MAX_DEPTH) {
        lines->depth++;
        *top(lines) = (Level){is_array, !is_array, 0, lines->path->len};
    }
}

/* Position after the string that begins at @at, which may end with the text. */
static gsize
skip_string(const char *data, gsize len, gsize at)
{
    for (at++; at < len && data[at] != '"'; at++) {
        at += data[at] == '\\';
    }
    return MIN(at, len);
}

static gboolean
take_key(PvrJsonLines *lines, const char *key, gsize len, GError **error)
{
    Level *level = top(lines);

    level->wants_key = FALSE;
    if (memchr(key, '\\', len) != NULL) { /* the same key in two disguises */
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "%u: a key has an escape in it",
                    lines->line);
        return FALSE;
    }
    g_string_truncate(lines->path, level->base);
    g_string_append_printf(lines->path, "%s%.*s", level->base > 0 ? "." : "", (int)len, key);
    if (!remember(lines)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "%u: %.200s: this key is there twice",
                    lines->line, lines->path->str);
        return FALSE;
    }
    return TRUE;
}

static void
take_punctuation(PvrJsonLines *lines, char c)
{
    Level *level = top(lines);

    if (c == '\n') {
        lines->line++;
    } else if (c == '{' || c == '[') {
        open_level(lines, c == '[');
    } else if ((c == '}' || c == ']') && lines->depth > 0) {
        lines->depth--;
    } else if (c == ',') {
        level->index++;
        level->wants_key = !level->is_array;
    } else if (g_ascii_isalnum(c) || c == '-') {
        begin_value(lines); /* again for each character of the value, which does no harm */
    }
}

/* The text is well-formed: only what matters for the places is looked at. */
static gboolean
scan(PvrJsonLines *lines, const char *data, gsize len, GError **error)
{
    for (gsize i = 0; i < len; i++) {
        gsize begin = i;

        if (data[i] != '"') {
            take_punctuation(lines, data[i]);
            continue;
        }
        i = skip_string(data, len, i);
        if (!top(lines)->wants_key) {
            begin_value(lines);
        } else if (!take_key(lines, data + begin + 1, i - begin - 1, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

PvrJsonLines *
pvr_json_lines_new(const char *data, gsize len, GError **error)
{
    g_autoptr(PvrJsonLines) lines = g_new0(PvrJsonLines, 1);

    lines->table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    lines->path = g_string_new(NULL);
    lines->line = 1;
    return scan(lines, data, len, error) ? g_steal_pointer(&lines) : NULL;
}

guint
pvr_json_lines_find(const PvrJsonLines *lines, const char *path)
{
    const guint line = GPOINTER_TO_UINT(g_hash_table_lookup(lines->table, path));

    return line > 0 ? line : 1;
}
