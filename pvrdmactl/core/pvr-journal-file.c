/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-journal-file.h"

#include <string.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-journal-priv.h"
#include "pvr-json-read.h"
#include "pvr-json.h"
#include "pvr-store.h"

#define VERSION 1
#define SUFFIX ".json"
#define MAX_FILES 4096 /* a bound for a directory somebody filled with rubbish */

static const char *const members[] = {"version", "name", "pid", "steps", NULL};

void
pvr_journal_file_free(PvrJournalFile *file)
{
    if (file != NULL) {
        g_free(file->name);
        g_clear_pointer(&file->steps, g_ptr_array_unref);
        pvr_lock_free(file->lock);
        g_free(file);
    }
}

/* ---- JSON ---- */

char *
pvr_journal_to_json(const PvrJournalFile *file, gsize *ret_len)
{
    g_autoptr(JsonBuilder) builder = pvr_json_begin();
    char *text;

    pvr_json_add_string(builder, "name", file->name);
    pvr_json_add_int(builder, "pid", file->pid);
    pvr_steps_add_json(builder, file->steps);
    text = pvr_json_end(builder);
    *ret_len = strlen(text);
    return text;
}

static gboolean
is_name(const char *text)
{
    const gsize len = strlen(text);

    return len > 0 && len <= PVR_JOURNAL_MAX_NAME && text[0] != '.' &&
           strspn(text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_.:") == len;
}

static gboolean
read_members(JsonObject *object, PvrJournalFile *file, GError **error)
{
    gint64 version;

    if (!pvr_json_get_int(object, "version", VERSION, VERSION, &version, error) ||
        !pvr_json_check_members(object, members, error)) {
        return FALSE;
    }
    file->name = g_strdup(pvr_json_get_string(object, "name", PVR_JOURNAL_MAX_NAME, error));
    if (file->name == NULL ||
        !pvr_json_get_int(object, "pid", 1, G_MAXINT32, &file->pid, error)) {
        return FALSE;
    }
    if (!is_name(file->name)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "member 'name' is malformed");
        return FALSE;
    }
    file->steps = pvr_steps_from_json(object, PVR_JOURNAL_MAX_STEPS, error);
    return file->steps != NULL;
}

PvrJournalFile *
pvr_journal_from_json(const char *data, gsize len, GError **error)
{
    g_autoptr(PvrJournalFile) file = g_new0(PvrJournalFile, 1);
    g_autoptr(JsonNode) root = NULL;

    if (len > PVR_JOURNAL_MAX_BYTES) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "longer than %d bytes",
                    PVR_JOURNAL_MAX_BYTES);
        return NULL;
    }
    root = pvr_json_parse_object(data, len, error);
    if (root == NULL || !read_members(json_node_get_object(root), file, error)) {
        return NULL;
    }
    return g_steal_pointer(&file);
}

/* ---- files ---- */

static char *
file_path(PvrHost *host, const char *name)
{
    g_autofree char *file = g_strconcat(name, SUFFIX, NULL);

    return pvr_host_path(host, PVR_DIR_RUN, "journal", file, NULL);
}

static PvrLock *
lock_file(PvrHost *host, const char *name, GError **error)
{
    g_autofree char *file = g_strconcat("journal-", name, NULL);
    g_autofree char *path = pvr_host_path(host, PVR_DIR_RUN, "locks", file, NULL);

    /* Without waiting: the caller may hold locks of devices. */
    return pvr_lock_take_passing(path, 0, error);
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The NAME of NAME.json or NAME.json.tmp, else NULL. */
static char *
name_of_entry(const char *entry)
{
    g_autofree char *name = g_strdup(entry);

    if (g_str_has_suffix(name, PVR_STORE_TMP_SUFFIX)) {
        name[strlen(name) - strlen(PVR_STORE_TMP_SUFFIX)] = '\0';
    }
    if (!g_str_has_suffix(name, SUFFIX)) {
        return NULL;
    }
    name[strlen(name) - strlen(SUFFIX)] = '\0';
    return is_name(name) ? g_steal_pointer(&name) : NULL;
}

static void
add_new(GPtrArray *names, char *name)
{
    if (name == NULL || g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL)) {
        g_free(name);
    } else {
        g_ptr_array_add(names, name);
    }
}

GPtrArray *
pvr_journal_list(PvrHost *host, GError **error)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_RUN, "journal", NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) local = NULL;
    g_autoptr(GDir) dir = g_dir_open(path, 0, &local);
    const char *entry;

    if (dir == NULL && !g_error_matches(local, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "cannot list the journals: %s",
                    local->message);
        return NULL;
    }
    while (dir != NULL && names->len < MAX_FILES && (entry = g_dir_read_name(dir)) != NULL) {
        add_new(names, name_of_entry(entry));
    }
    g_ptr_array_sort(names, compare_names);
    return g_steal_pointer(&names);
}

static PvrJournalFile *
load_path(const char *path, const char *name, GError **error)
{
    gsize len = 0;
    g_autofree char *data = pvr_store_read(path, PVR_JOURNAL_MAX_BYTES, &len, error);
    g_autoptr(PvrJournalFile) file = data != NULL ? pvr_journal_from_json(data, len, error) : NULL;

    if (file != NULL && strcmp(file->name, name) != 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "its content belongs to another file name");
        return NULL;
    }
    return g_steal_pointer(&file);
}

PvrJournalFile *
pvr_journal_load(PvrHost *host, const char *name, GError **error)
{
    g_autofree char *path = file_path(host, name);
    g_autoptr(GError) local = NULL;
    PvrJournalFile *file = load_path(path, name, &local);

    if (g_error_matches(local, PVR_ERROR, PVR_ERROR_CORRUPT)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT,
                    "journal '%s' is damaged: %s\n"
                    "look at the devices that its text names, then remove the file",
                    path, local->message);
    } else if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
    }
    return file;
}

static gboolean
save_file(gpointer owner, PvrHost *host, GError **error)
{
    const PvrJournalFile *file = owner;
    g_autofree char *path = file_path(host, file->name);
    gsize len = 0;
    g_autofree char *text = pvr_journal_to_json(file, &len);

    return pvr_store_write(path, text, len, error);
}

static gboolean
remove_file(gpointer owner, PvrHost *host, GError **error)
{
    const PvrJournalFile *file = owner;
    g_autofree char *path = file_path(host, file->name);

    return pvr_store_remove(path, error);
}

static void
free_file(gpointer owner)
{
    pvr_journal_file_free(owner);
}

static const PvrJournalStore store = {save_file, remove_file, free_file, PVR_JOURNAL_MAX_STEPS};

static PvrJournal *
open_file(PvrHost *host, PvrJournalFile *file, PvrCheckpoint checkpoint, gpointer user_data)
{
    return pvr_journal_new(host, file->steps, &store, file, checkpoint, user_data);
}

static gboolean
check_new(PvrHost *host, const char *name, GError **error)
{
    g_autofree char *path = file_path(host, name);

    if (g_file_test(path, G_FILE_TEST_EXISTS)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                    "'%s' was left by a process that did not finish\n"
                    "run 'pvrdmactl recover', which takes back what it had done",
                    path);
        return FALSE;
    }
    return TRUE;
}

PvrJournal *
pvr_journal_begin(PvrHost *host, const char *name, PvrCheckpoint checkpoint, gpointer user_data,
                  GError **error)
{
    g_autoptr(PvrJournalFile) file = g_new0(PvrJournalFile, 1);

    g_return_val_if_fail(is_name(name), NULL);
    file->name = g_strdup(name);
    file->pid = getpid();
    file->steps = pvr_steps_new();
    file->lock = lock_file(host, name, error);
    if (file->lock == NULL || !check_new(host, name, error) || !save_file(file, host, error)) {
        return NULL;
    }
    return open_file(host, g_steal_pointer(&file), checkpoint, user_data);
}

PvrJournal *
pvr_journal_reopen(PvrHost *host, const char *name, gboolean clean, PvrCheckpoint checkpoint,
                   gpointer user_data, GError **error)
{
    g_autoptr(PvrLock) lock = lock_file(host, name, error);
    g_autoptr(PvrJournalFile) file = NULL;
    g_autoptr(GError) local = NULL;
    g_autofree char *path = file_path(host, name);

    if (lock == NULL) {
        return NULL;
    }
    file = pvr_journal_load(host, name, &local);
    if (file != NULL) {
        file->lock = g_steal_pointer(&lock);
        return open_file(host, g_steal_pointer(&file), checkpoint, user_data);
    }
    if (!g_error_matches(local, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
        g_propagate_error(error, g_steal_pointer(&local));
    } else if (clean) {
        pvr_store_remove(path, error);
    }
    return NULL;
}
