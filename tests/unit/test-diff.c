/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pvr-diff: known texts; and on many random pairs, applying the diff gives the new text. */
#include <stdlib.h>
#include <string.h>

#include "pvr-diff.h"

static void
check(const char *old_text, const char *new_text, const char *want)
{
    g_autofree char *have = pvr_diff_unified(old_text, new_text, "a", "b");

    g_assert_cmpstr(have, ==, want);
}

static void
test_known(void)
{
    check("", "", "");
    check("same\n", "same\n", "");
    check("", "x\n", "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
    check("x\n", "", "--- a\n+++ b\n@@ -1 +0,0 @@\n-x\n");
    check("x", "x\n",
          "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n");
    check("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nnew\n5\n6\n7\n8\n",
          "--- a\n+++ b\n@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n");
}

/* Seven equal lines part two changes into two hunks, six do not. */
static void
test_hunks(void)
{
    check("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
          "--- a\n+++ b\n@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
    check("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
          "--- a\n+++ b\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n"
          "@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

/* A small patch(1) for our own output: takes the hunks literally. */
static char *
apply(const char *old_text, const char *diff)
{
    g_auto(GStrv) old_lines = g_strsplit(old_text, "\n", -1);
    g_auto(GStrv) diff_lines = g_strsplit(diff, "\n", -1);
    GString *out = g_string_new(NULL);
    guint at = 0;

    for (guint i = 2; *diff && diff_lines[i] && diff_lines[i][0]; i++) {
        const char *line = diff_lines[i];

        if (line[0] == '@') {
            gboolean none = strstr(line, ",0 +") != NULL;
            guint start = (guint)strtoul(line + 4, NULL, 10) - (none ? 0 : 1);

            while (at < start) {
                g_string_append_printf(out, "%s\n", old_lines[at++]);
            }
            continue;
        }
        if (line[0] != '+') {
            g_assert_cmpstr(old_lines[at], ==, line + 1);
            at++;
        }
        if (line[0] != '-') {
            g_string_append_printf(out, "%s\n", line + 1);
        }
    }
    while (old_lines[at] && old_lines[at + 1]) {
        g_string_append_printf(out, "%s\n", old_lines[at++]);
    }
    return g_string_free(out, FALSE);
}

static char *
random_text(int max_lines)
{
    GString *text = g_string_new(NULL);
    int lines = g_test_rand_int_range(0, max_lines);

    for (int i = 0; i < lines; i++) {
        g_string_append_printf(text, "line %d\n", g_test_rand_int_range(0, 6));
    }
    return g_string_free(text, FALSE);
}

static void
test_random(void)
{
    for (int i = 0; i < 2000; i++) {
        g_autofree char *old_text = random_text(40);
        g_autofree char *new_text = random_text(40);
        g_autofree char *diff = pvr_diff_unified(old_text, new_text, "a", "b");
        g_autofree char *result = apply(old_text, diff);

        g_assert_cmpstr(result, ==, new_text);
    }
}

/* Nothing in common and more lines than the search takes: still a valid diff. */
static void
test_large(void)
{
    GString *old_text = g_string_new(NULL);
    GString *new_text = g_string_new(NULL);
    g_autofree char *diff = NULL;
    g_autofree char *result = NULL;

    for (int i = 0; i < 2000; i++) {
        g_string_append_printf(old_text, "old %d\n", i);
        g_string_append_printf(new_text, "new %d\n", i);
    }
    diff = pvr_diff_unified(old_text->str, new_text->str, "a", "b");
    result = apply(old_text->str, diff);
    g_assert_cmpstr(result, ==, new_text->str);
    g_string_free(old_text, TRUE);
    g_string_free(new_text, TRUE);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/diff/known", test_known);
    g_test_add_func("/diff/hunks", test_hunks);
    g_test_add_func("/diff/random", test_random);
    g_test_add_func("/diff/large", test_large);
    return g_test_run();
}
