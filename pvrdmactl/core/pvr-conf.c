/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-conf-priv.h"

#include <string.h>

#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-store.h"

#define SUFFIX ".json"
#define MAX_FILES 256
#define MAX_POOL_NAME 63

/* In the order of PvrConfPolicy. */
static const char *const policy_names[PVR_POLICY_LAST] = {"sticky", "numa", "spread"};

const char *
pvr_policy_to_string(PvrConfPolicy policy)
{
    return policy_names[policy];
}

void
pvr_conf_link_free(PvrConfLink *link)
{
    g_free(link->where);
    g_free(link->name);
    g_free(link->netdev);
    g_free(link->pci);
    g_free(link);
}

void
pvr_conf_pf_free(PvrConfPf *pf)
{
    g_free(pf->where);
    g_free(pf->pf);
    g_free(pf);
}

void
pvr_conf_member_free(PvrConfMember *member)
{
    g_free(member->where);
    g_free(member->pci);
    g_free(member->pf);
    g_free(member->driver);
    g_free(member->netdev);
    g_free(member);
}

void
pvr_conf_pool_free(PvrConfPool *pool)
{
    g_free(pool->where);
    g_free(pool->name);
    g_ptr_array_unref(pool->members);
    g_free(pool);
}

PvrConf *
pvr_conf_new(void)
{
    PvrConf *conf = g_new0(PvrConf, 1);

    conf->pfs = g_ptr_array_new_with_free_func((GDestroyNotify)pvr_conf_pf_free);
    conf->links = g_ptr_array_new_with_free_func((GDestroyNotify)pvr_conf_link_free);
    conf->pools = g_ptr_array_new_with_free_func((GDestroyNotify)pvr_conf_pool_free);
    return conf;
}

void
pvr_conf_free(PvrConf *conf)
{
    g_ptr_array_unref(conf->pfs);
    g_ptr_array_unref(conf->links);
    g_ptr_array_unref(conf->pools);
    g_free(conf);
}

gboolean
pvr_conf_check_pool_name(const char *name, GError **error)
{
    gboolean ok = g_ascii_isalnum(name[0]) && strlen(name) <= MAX_POOL_NAME;

    for (const char *c = name; ok && *c != '\0'; c++) {
        ok = g_ascii_isalnum(*c) || strchr("-_.", *c) != NULL;
    }
    if (!ok) {
        g_autofree char *shown = g_strndup(name, 2 * MAX_POOL_NAME);
        g_autofree char *safe = g_strescape(shown, NULL);

        g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE,
                    "'%s' cannot be the name of a pool\n"
                    "use at most %d letters, digits, '-', '_' and '.', a letter or digit first",
                    safe, MAX_POOL_NAME);
    }
    return ok;
}

const PvrConfPool *
pvr_conf_find_pool(const PvrConf *conf, const char *name, GError **error)
{
    g_autoptr(GString) names = g_string_new(NULL);

    for (guint i = 0; i < conf->pools->len; i++) {
        const PvrConfPool *pool = g_ptr_array_index(conf->pools, i);

        if (strcmp(pool->name, name) == 0) {
            return pool;
        }
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", pool->name);
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                "no pool '%s' is declared\n%s%s", name,
                names->len > 0 ? "there are: " : "declare it in /etc/pvrdma/NAME.json, see pvrdma.conf(5)",
                names->str);
    return NULL;
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* No directory means no files. As run-parts(8) does, what an editor leaves is no file of ours. */
static GPtrArray *
list_files(PvrHost *host, GError **error)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_CONF, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) local = NULL;
    g_autoptr(GDir) dir = g_dir_open(path, 0, &local);
    const char *name;

    if (dir == NULL && !g_error_matches(local, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "cannot list '%s': %s", path,
                    local->message);
        return NULL;
    }
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        if (g_str_has_suffix(name, SUFFIX) && name[0] != '.') {
            g_ptr_array_add(names, g_strdup(name));
        }
        if (names->len > MAX_FILES) {
            g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "'%s' has more than %d files", path,
                        MAX_FILES);
            return NULL;
        }
    }
    g_ptr_array_sort(names, compare_names);
    return g_steal_pointer(&names);
}

static gboolean
load_file(PvrConf *conf, const char *path, GError **error)
{
    g_autoptr(GError) local = NULL;
    gsize len = 0;
    g_autofree char *data = pvr_store_read(path, PVR_CONF_MAX_BYTES, &len, &local);

    if (data != NULL) {
        return pvr_conf_add(conf, path, data, len, error);
    }
    if (g_error_matches(local, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
        return TRUE; /* removed since the directory was read */
    }
    g_propagate_error(error, g_steal_pointer(&local));
    return FALSE;
}

PvrConf *
pvr_conf_load(PvrHost *host, GError **error)
{
    g_autoptr(PvrConf) conf = pvr_conf_new();
    g_autoptr(GPtrArray) names = list_files(host, error);

    for (guint i = 0; names != NULL && i < names->len; i++) {
        g_autofree char *path =
            pvr_host_path(host, PVR_DIR_CONF, g_ptr_array_index(names, i), NULL);

        if (!load_file(conf, path, error)) {
            return NULL;
        }
    }
    return names != NULL ? g_steal_pointer(&conf) : NULL;
}
