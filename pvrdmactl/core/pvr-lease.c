/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-lease.h"

#include <stdlib.h>
#include <string.h>

#include "pvr-error.h"
#include "pvr-journal-priv.h"
#include "pvr-proc.h"
#include "pvr-store.h"

#define SUFFIX ".json"
#define MAX_LEASES 4096 /* a bound for a directory somebody filled with rubbish */

PvrLease *
pvr_lease_new(const char *uuid, const char *domain, guint id, const char *ibdev, guint port,
              const PvrGid *gid)
{
    PvrLease *lease = g_new0(PvrLease, 1);

    lease->uuid = g_ascii_strdown(uuid, -1);
    lease->domain = g_strdup(domain);
    lease->id = id;
    lease->ibdev = g_strdup(ibdev);
    lease->port = port;
    lease->gid = *gid;
    lease->state = g_strdup(PVR_LEASE_PREPARING);
    lease->steps = pvr_steps_new();
    return lease;
}

void
pvr_lease_free(PvrLease *lease)
{
    if (lease != NULL) {
        g_free(lease->uuid);
        g_free(lease->domain);
        g_free(lease->ibdev);
        g_free(lease->device);
        g_free(lease->state);
        g_ptr_array_unref(lease->steps);
        g_free(lease);
    }
}

PvrLock *
pvr_lease_lock(PvrHost *host, guint timeout_ms, GError **error)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_RUN, "lock", NULL);

    return pvr_lock_take(path, timeout_ms, error);
}

char *
pvr_lease_path(PvrHost *host, const char *uuid, guint id)
{
    g_autofree char *lower = g_ascii_strdown(uuid, -1);
    g_autofree char *name = g_strdup_printf("%s-%u" SUFFIX, lower, id);

    return pvr_host_path(host, PVR_DIR_RUN, "leases", name, NULL);
}

/* UUID-ID.json as pvr_lease_path() writes it, and nothing else. */
static gboolean
parse_file_name(const char *name, char ret_uuid[37], guint *ret_id)
{
    g_autofree char *again = NULL;
    guint64 id;

    if (strlen(name) < 37 + 1 + strlen(SUFFIX) || name[36] != '-') {
        return FALSE;
    }
    memcpy(ret_uuid, name, 36);
    ret_uuid[36] = '\0';
    id = g_ascii_strtoull(name + 37, NULL, 10);
    if (!g_uuid_string_is_valid(ret_uuid) || id > PVR_DEVICE_MAX_ID) {
        return FALSE;
    }
    *ret_id = id;
    again = g_strdup_printf("%s-%u" SUFFIX, ret_uuid, *ret_id);
    return strcmp(again, name) == 0;
}

static PvrLease *
corrupt(const char *path, const char *why, GError **error)
{
    g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT,
                "lease file '%s' is damaged: %s\n"
                "make sure that its domain is shut off, remove what is left of it ('rdma link "
                "show', /dev/pvrdma), "
                "then remove the file",
                path, why);
    return NULL;
}

static PvrLease *
load_file(const char *path, const char *uuid, guint id, GError **error)
{
    g_autofree char *data = NULL;
    g_autoptr(PvrLease) lease = NULL;
    g_autoptr(GError) local = NULL;
    gsize len = 0;

    data = pvr_store_read(path, PVR_LEASE_MAX_BYTES, &len, &local);
    if (data == NULL && !g_error_matches(local, PVR_ERROR, PVR_ERROR_CORRUPT)) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    if (data != NULL) {
        lease = pvr_lease_from_json(data, len, &local);
    }
    if (lease == NULL) {
        return corrupt(path, local->message, error);
    }
    if (g_ascii_strcasecmp(lease->uuid, uuid) != 0 || lease->id != id) {
        return corrupt(path, "its content belongs to another file name", error);
    }
    return g_steal_pointer(&lease);
}

PvrLease *
pvr_lease_load(PvrHost *host, const char *uuid, guint id, GError **error)
{
    g_autofree char *path = pvr_lease_path(host, uuid, id);

    return load_file(path, uuid, id, error);
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in the directory of leases, sorted. No directory means none. */
static GPtrArray *
list_names(PvrHost *host, GError **error)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_RUN, "leases", NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) local = NULL;
    g_autoptr(GDir) dir = g_dir_open(path, 0, &local);
    const char *name;

    if (dir == NULL && !g_error_matches(local, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "cannot list the leases: %s",
                    local->message);
        return NULL;
    }
    while (dir != NULL && names->len < MAX_LEASES && (name = g_dir_read_name(dir)) != NULL) {
        g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_sort(names, compare_names);
    return g_steal_pointer(&names);
}

/* FALSE with @error only when the file is there and no lease. */
static gboolean
add_named(GPtrArray *leases, PvrHost *host, const char *name, GError **error)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_RUN, "leases", name, NULL);
    g_autoptr(GError) local = NULL;
    char uuid[37];
    PvrLease *lease;
    guint id;

    if (!parse_file_name(name, uuid, &id)) {
        corrupt(path, "its name is not UUID-ID.json", error);
        return FALSE;
    }
    lease = load_file(path, uuid, id, &local);
    if (lease != NULL) {
        g_ptr_array_add(leases, lease);
        return TRUE;
    }
    if (g_error_matches(local, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
        return TRUE; /* released since the directory was read */
    }
    g_propagate_error(error, g_steal_pointer(&local));
    return FALSE;
}

GPtrArray *
pvr_lease_list(PvrHost *host, GError **error)
{
    g_autoptr(GPtrArray) names = list_names(host, error);
    g_autoptr(GPtrArray) leases = g_ptr_array_new_with_free_func((GDestroyNotify)pvr_lease_free);

    if (names == NULL) {
        return NULL;
    }
    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);

        if (g_str_has_suffix(name, SUFFIX) && !add_named(leases, host, name, error)) {
            return NULL;
        }
    }
    return g_steal_pointer(&leases);
}

GArray *
pvr_lease_list_ids(PvrHost *host, const char *uuid, GError **error)
{
    g_autoptr(GPtrArray) names = list_names(host, error);
    GArray *ids;

    if (names == NULL) {
        return NULL;
    }
    ids = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < names->len; i++) {
        char *name = g_ptr_array_index(names, i);
        char key[37];
        guint id;

        if (g_str_has_suffix(name, PVR_STORE_TMP_SUFFIX)) {
            name[strlen(name) - strlen(PVR_STORE_TMP_SUFFIX)] = '\0';
        }
        if (parse_file_name(name, key, &id) && g_ascii_strcasecmp(key, uuid) == 0) {
            g_array_append_val(ids, id);
        }
    }
    return ids;
}

PvrLease *
pvr_lease_find_ibdev(GPtrArray *leases, const char *ibdev, guint port)
{
    for (guint i = 0; i < leases->len; i++) {
        PvrLease *lease = g_ptr_array_index(leases, i);

        if (lease->port == port && strcmp(lease->ibdev, ibdev) == 0) {
            return lease;
        }
    }
    return NULL;
}

PvrLease *
pvr_lease_find_holder(GPtrArray *leases, const char *ibdev, guint port, const char *device)
{
    g_autofree char *pci = device != NULL ? pvr_pci_parse_address(device) : NULL;

    for (guint i = 0; i < leases->len; i++) {
        PvrLease *lease = g_ptr_array_index(leases, i);

        if (lease->port == port && (g_strcmp0(lease->ibdev, ibdev) == 0 ||
                                    (pci != NULL && g_strcmp0(lease->device, pci) == 0))) {
            return lease;
        }
    }
    return NULL;
}

PvrLease *
pvr_lease_find(GPtrArray *leases, const char *uuid, guint id)
{
    for (guint i = 0; i < leases->len; i++) {
        PvrLease *lease = g_ptr_array_index(leases, i);

        if (lease->id == id && g_ascii_strcasecmp(lease->uuid, uuid) == 0) {
            return lease;
        }
    }
    return NULL;
}

gboolean
pvr_lease_save(PvrHost *host, const PvrLease *lease, GError **error)
{
    g_autofree char *path = pvr_lease_path(host, lease->uuid, lease->id);
    gsize len;
    g_autofree char *text = pvr_lease_to_json(lease, &len);

    return pvr_store_write(path, text, len, error);
}

gboolean
pvr_lease_set_process(PvrLease *lease, PvrHost *host, const char *state, gint64 pid,
                      GError **error)
{
    const gint64 old_pid = lease->pid;
    const guint64 old_start = lease->pid_start;
    g_autofree char *old = lease->state;

    lease->state = g_strdup(state);
    lease->pid = pid;
    lease->pid_start = pid != 0 ? pvr_proc_start_time(host, pid) : 0;
    if (!pvr_lease_save(host, lease, error)) {
        g_free(lease->state);
        lease->state = g_steal_pointer(&old);
        lease->pid = old_pid;
        lease->pid_start = old_start;
        return FALSE;
    }
    return TRUE;
}

const char *
pvr_lease_device(const PvrLease *lease)
{
    return lease->device != NULL ? lease->device : lease->ibdev;
}

static gboolean
save_lease(gpointer owner, PvrHost *host, GError **error)
{
    return pvr_lease_save(host, owner, error);
}

static gboolean
remove_lease(gpointer owner, PvrHost *host, GError **error)
{
    const PvrLease *lease = owner;
    g_autofree char *path = pvr_lease_path(host, lease->uuid, lease->id);

    return pvr_store_remove(path, error);
}

static const PvrJournalStore store = {save_lease, remove_lease, NULL, PVR_LEASE_MAX_STEPS};

PvrJournal *
pvr_lease_journal(PvrLease *lease, PvrHost *host, PvrCheckpoint checkpoint, gpointer user_data)
{
    return pvr_journal_new(host, lease->steps, &store, lease, checkpoint, user_data);
}

gboolean
pvr_lease_undo(PvrLease *lease, PvrHost *host, PvrCheckpoint checkpoint, gpointer user_data,
               GError **error)
{
    g_autoptr(PvrJournal) journal = pvr_lease_journal(lease, host, checkpoint, user_data);

    return pvr_journal_rollback(journal, error);
}
