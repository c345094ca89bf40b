/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), the
 * greedy forward variant: one array of furthest points is kept per number of
 * edits and walked back at the end.
 */
#include "pvr-diff.h"

#include <string.h>

#define CONTEXT 3
/* Memory grows with the square of the edits: beyond that, all is replaced. */
#define MAX_EDITS 1500

typedef struct {
    GPtrArray *old_lines; /* each with its newline, if it has one */
    GPtrArray *new_lines;
} Texts;

static GPtrArray *
split_lines(const char *text)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);

    while (*text) {
        const char *newline = strchr(text, '\n');
        gsize len = newline ? (gsize)(newline - text) + 1 : strlen(text);

        g_ptr_array_add(lines, g_strndup(text, len));
        text += len;
    }
    return lines;
}

static gboolean
same_line(const Texts *texts, int x, int y)
{
    return g_str_equal(g_ptr_array_index(texts->old_lines, x),
                       g_ptr_array_index(texts->new_lines, y));
}

/* From (x, y) along equal lines. */
static int
slide(const Texts *texts, int x, int y)
{
    const int old_len = (int)texts->old_lines->len;
    const int new_len = (int)texts->new_lines->len;

    while (x < old_len && y < new_len && same_line(texts, x, y)) {
        x++;
        y++;
    }
    return x;
}

/* Furthest x on diagonal k with d edits, from those with d - 1; row[k + d], prev[k + d - 1]. */
static int
step(const int *prev, int d, int k)
{
    if (d == 0) {
        return 0;
    }
    if (k == -d || (k != d && prev[k + d - 2] < prev[k + d])) {
        return prev[k + d]; /* down: a line of the new text */
    }
    return prev[k + d - 2] + 1; /* right: a line of the old text is gone */
}

/* Fills @trace with one row per d. FALSE if there are too many edits. */
static gboolean
search(const Texts *texts, GPtrArray *trace)
{
    const int old_len = (int)texts->old_lines->len;
    const int new_len = (int)texts->new_lines->len;

    for (int d = 0; d <= MAX_EDITS; d++) {
        int *row = g_new0(int, 2 * d + 1);
        const int *prev = d ? g_ptr_array_index(trace, d - 1) : NULL;

        g_ptr_array_add(trace, row);
        for (int k = -d; k <= d; k += 2) {
            int x = step(prev, d, k);

            /* Diagonals outside of the grid hold no point. */
            if (x < 0 || x > old_len || x - k > new_len || x - k < 0) {
                row[k + d] = MIN(x, old_len);
                continue;
            }
            row[k + d] = slide(texts, x, x - k);
            if (row[k + d] >= old_len && row[k + d] - k >= new_len) {
                return TRUE;
            }
        }
    }
    return FALSE;
}

/* The edit script, one character per line: ' ', '-' or '+'. */
static char *
walk_back(const Texts *texts, const GPtrArray *trace)
{
    GString *script = g_string_new(NULL);
    int x = (int)texts->old_lines->len;
    int y = (int)texts->new_lines->len;

    for (int d = (int)trace->len - 1; d >= 0; d--) {
        const int *prev = d ? g_ptr_array_index(trace, d - 1) : NULL;
        const int k = x - y;
        const int from = step(prev, d, k); /* x after this edit, before the equal lines */
        const gboolean down = d > 0 && (k == -d || (k != d && prev[k + d - 2] < prev[k + d]));

        for (; x > from; x--, y--) {
            g_string_append_c(script, ' ');
        }
        if (d > 0) {
            g_string_append_c(script, down ? '+' : '-');
            x -= down ? 0 : 1;
            y -= down ? 1 : 0;
        }
    }
    return g_strreverse(g_string_free(script, FALSE));
}

static char *
make_script(const Texts *texts)
{
    g_autoptr(GPtrArray) trace = g_ptr_array_new_with_free_func(g_free);
    GString *all = NULL;

    if (search(texts, trace)) {
        return walk_back(texts, trace);
    }
    all = g_string_new(NULL);
    for (guint i = 0; i < texts->old_lines->len; i++) {
        g_string_append_c(all, '-');
    }
    for (guint i = 0; i < texts->new_lines->len; i++) {
        g_string_append_c(all, '+');
    }
    return g_string_free(all, FALSE);
}

static void
append_line(GString *out, char mark, const char *line)
{
    g_string_append_c(out, mark);
    g_string_append(out, line);
    if (!g_str_has_suffix(line, "\n")) {
        g_string_append(out, "\n\\ No newline at end of file\n");
    }
}

/* "12,3"; "12" for one line; "11,0" (the line before) for none. */
static void
append_range(GString *out, char mark, gsize start, gsize count)
{
    g_string_append_printf(out, "%c%" G_GSIZE_FORMAT, mark, count ? start + 1 : start);
    if (count != 1) {
        g_string_append_printf(out, ",%" G_GSIZE_FORMAT, count);
    }
}

static gsize
count_in(const char *script, gsize begin, gsize end, char other)
{
    gsize count = 0;

    for (gsize i = begin; i < end; i++) {
        count += script[i] == other ? 0 : 1;
    }
    return count;
}

/* Script positions begin to end; the lines before them give the start of both ranges. */
static void
append_hunk(GString *out, const Texts *texts, const char *script, gsize begin, gsize end)
{
    gsize old_at = count_in(script, 0, begin, '+');
    gsize new_at = count_in(script, 0, begin, '-');

    g_string_append(out, "@@ ");
    append_range(out, '-', old_at, count_in(script, begin, end, '+'));
    g_string_append_c(out, ' ');
    append_range(out, '+', new_at, count_in(script, begin, end, '-'));
    g_string_append(out, " @@\n");
    for (gsize i = begin; i < end; i++) {
        const char *line = script[i] == '+' ? g_ptr_array_index(texts->new_lines, new_at)
                                            : g_ptr_array_index(texts->old_lines, old_at);

        append_line(out, script[i], line);
        old_at += script[i] == '+' ? 0 : 1;
        new_at += script[i] == '-' ? 0 : 1;
    }
}

/* End of the hunk that begins with the change at @at: where no change is near any more. */
static gsize
hunk_end(const char *script, gsize at)
{
    gsize end = at;

    while (script[at]) {
        gsize equal = strspn(script + at, " ");

        if (equal > 2 * CONTEXT || !script[at + equal]) {
            return end + MIN(equal, CONTEXT);
        }
        at += equal;
        at += strcspn(script + at, " ");
        end = at;
    }
    return end;
}

char *
pvr_diff_unified(const char *old_text, const char *new_text, const char *old_name,
                 const char *new_name)
{
    g_autoptr(GPtrArray) old_lines = split_lines(old_text);
    g_autoptr(GPtrArray) new_lines = split_lines(new_text);
    Texts texts = {old_lines, new_lines};
    g_autofree char *script = make_script(&texts);
    GString *out = g_string_new(NULL);
    gsize at = strspn(script, " ");

    if (script[at]) {
        g_string_append_printf(out, "--- %s\n+++ %s\n", old_name, new_name);
    }
    while (script[at]) {
        gsize begin = at - MIN(at, CONTEXT);
        gsize end = hunk_end(script, at);

        append_hunk(out, &texts, script, begin, end);
        at = end + strspn(script + end, " ");
    }
    return g_string_free(out, FALSE);
}
