/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-sysfs-pci.h"

#include <string.h>

#include "pvr-error.h"
#include "pvr-sysfs.h"

/* Collected once, so that a listing takes time in proportion to the number of devices. */
typedef struct {
    PvrHost *host;
    const char *only;       /* NULL: all functions */
    GHashTable *netdevs;    /* PCI address -> GPtrArray of names */
    GHashTable *netdev_pci; /* netdev -> PCI address, borrowed from netdevs */
    GHashTable *ibdevs;     /* PCI address -> GPtrArray of names */
    GHashTable *vfs;        /* PF -> GHashTable: address of VF -> index */
} Index;

static void
index_clear(Index *index)
{
    g_clear_pointer(&index->netdev_pci, g_hash_table_unref);
    g_clear_pointer(&index->netdevs, g_hash_table_unref);
    g_clear_pointer(&index->ibdevs, g_hash_table_unref);
    g_clear_pointer(&index->vfs, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Index, index_clear)

/* The key that @map owns. */
static const char *
add_name(GHashTable *map, const char *address, const char *name)
{
    gpointer key, names;

    if (!g_hash_table_lookup_extended(map, address, &key, &names)) {
        key = g_strdup(address);
        names = g_ptr_array_new_with_free_func(g_free);
        g_hash_table_insert(map, key, names);
    }
    g_ptr_array_add(names, g_strdup(name));
    return key;
}

/* Address of the function that DIR/NAME/device links to; NULL when there is none, or it is on another bus. */
static char *
linked_function(const Index *index, const char *dir, const char *name)
{
    g_autofree char *link = g_build_filename(name, "device", NULL);
    g_autofree char *target = pvr_sysfs_link_name(dir, link);
    g_autofree char *address = target != NULL ? pvr_pci_parse_address(target) : NULL;

    if (address == NULL || (index->only != NULL && !g_str_equal(address, index->only)))
        return NULL;
    return g_steal_pointer(&address);
}

static void
index_netdevs(Index *index)
{
    g_autofree char *path = pvr_host_path(index->host, PVR_DIR_SYS_NET, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *address = linked_function(index, path, name);
        const char *key = address != NULL ? add_name(index->netdevs, address, name) : NULL;

        if (key != NULL)
            g_hash_table_insert(index->netdev_pci, g_strdup(name), (gpointer) key);
    }
}

/* An rxe link has no `device`, but a `parent` that names its netdev. */
static char *
function_of_ibdev(const Index *index, const char *path, const char *name)
{
    g_autofree char *dir = g_build_filename(path, name, NULL);
    char *address = linked_function(index, path, name);
    g_autofree char *parent = address == NULL ? pvr_sysfs_read_in(dir, "parent") : NULL;

    return parent != NULL ? g_strdup(g_hash_table_lookup(index->netdev_pci, parent)) : address;
}

static void
index_ibdevs(Index *index)
{
    g_autofree char *path = pvr_host_path(index->host, PVR_DIR_SYS_IB, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *address = function_of_ibdev(index, path, name);

        if (address != NULL)
            add_name(index->ibdevs, address, name);
    }
}

static void
index_init(Index *index, PvrHost *host, const char *only)
{
    index->host = host;
    index->only = only;
    index->netdevs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                           (GDestroyNotify) g_ptr_array_unref);
    index->netdev_pci = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    index->ibdevs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                          (GDestroyNotify) g_ptr_array_unref);
    index->vfs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                       (GDestroyNotify) g_hash_table_unref);
    index_netdevs(index);
    index_ibdevs(index);
}

/* The links virtfn0, virtfn1, ... of a PF: address of VF -> index. */
static GHashTable *
read_virtfns(PvrHost *host, const char *pf)
{
    GHashTable *vfs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree char *path = pvr_host_path(host, PVR_DIR_SYS_PCI, "devices", pf, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        const char *digits = g_str_has_prefix(name, "virtfn") ? name + strlen("virtfn") : "";
        guint64 number;
        char *vf;

        if (!g_ascii_string_to_unsigned(digits, 10, 0, G_MAXUINT16, &number, NULL))
            continue;
        vf = pvr_sysfs_link_name(path, name);
        if (vf != NULL)
            g_hash_table_replace(vfs, vf, GUINT_TO_POINTER((guint) number));
    }
    return vfs;
}

static guint
find_vf(Index *index, const char *pf, const char *vf)
{
    GHashTable *vfs = g_hash_table_lookup(index->vfs, pf);

    if (vfs == NULL) {
        vfs = read_virtfns(index->host, pf);
        g_hash_table_insert(index->vfs, g_strdup(pf), vfs);
    }
    return GPOINTER_TO_UINT(g_hash_table_lookup(vfs, vf));
}

static guint
read_uint(const char *dir, const char *name)
{
    g_autofree char *text = pvr_sysfs_read_in(dir, name);

    return text != NULL ? (guint) g_ascii_strtoull(text, NULL, 0) : 0;
}

static int
read_numa_node(const char *dir)
{
    g_autofree char *text = pvr_sysfs_read_in(dir, "numa_node");
    const gint64 node = text != NULL ? g_ascii_strtoll(text, NULL, 10) : -1;

    return node >= 0 && node <= G_MAXINT ? (int) node : -1;
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

static void
take_names(GPtrArray *names, GHashTable *map, const char *address)
{
    GPtrArray *found = g_hash_table_lookup(map, address);

    for (guint i = 0; found != NULL && i < found->len; i++)
        g_ptr_array_add(names, g_strdup(g_ptr_array_index(found, i)));
    g_ptr_array_sort(names, compare_names);
}

static void
read_carried(PvrPci *pci, const Index *index, const char *dir)
{
    take_names(pci->netdevs, index->netdevs, pci->address);
    take_names(pci->ibdevs, index->ibdevs, pci->address);
    if (pci->netdevs->len == 0 && pci->driver != NULL) {
        /* The kernel keeps the directory, and hides what is in it from other network namespaces. */
        g_autofree char *net = g_build_filename(dir, "net", NULL);

        pci->netdev_elsewhere = g_file_test(net, G_FILE_TEST_IS_DIR);
    }
    if (pci->ibdevs->len != 0) {
        g_autofree char *ibdev = pvr_host_path(index->host, PVR_DIR_SYS_IB,
                                               g_ptr_array_index(pci->ibdevs, 0), NULL);

        pci->node_guid = pvr_sysfs_read_in(ibdev, "node_guid");
    }
}

static gboolean
is_of_interest(const PvrPci *pci)
{
    return pci->vfs_max != 0 || pci->pf != NULL || pci->netdevs->len != 0 ||
           pci->netdev_elsewhere || pci->ibdevs->len != 0;
}

/* NULL when it has nothing to do with us, or is gone. */
static PvrPci *
read_function(Index *index, const char *address)
{
    g_autofree char *dir = pvr_host_path(index->host, PVR_DIR_SYS_PCI, "devices", address, NULL);
    g_autoptr(PvrPci) pci = pvr_pci_new(address);

    pci->vfs_max = read_uint(dir, "sriov_totalvfs");
    pci->pf = pvr_sysfs_link_name(dir, "physfn");
    pci->driver = pvr_sysfs_link_name(dir, "driver");
    read_carried(pci, index, dir);
    if (!is_of_interest(pci) || !g_file_test(dir, G_FILE_TEST_IS_DIR))
        return NULL;
    pci->vfs = pci->vfs_max != 0 ? read_uint(dir, "sriov_numvfs") : 0;
    pci->vf = pci->pf != NULL ? find_vf(index, pci->pf, address) : 0;
    pci->vendor = read_uint(dir, "vendor");
    pci->device = read_uint(dir, "device");
    pci->numa_node = read_numa_node(dir);
    return g_steal_pointer(&pci);
}

static void
add_function(GPtrArray *functions, Index *index, const char *address)
{
    PvrPci *pci = read_function(index, address);

    if (pci != NULL)
        g_ptr_array_add(functions, pci);
}

GPtrArray *
pvr_sysfs_list_pci(PvrHost *host, const char *address, GError **error)
{
    g_autoptr(GPtrArray) functions = g_ptr_array_new_with_free_func((GDestroyNotify) pvr_pci_free);
    g_autofree char *path = pvr_host_path(host, PVR_DIR_SYS_PCI, "devices", NULL);
    g_autoptr(GError) local = NULL;
    g_autoptr(GDir) dir = g_dir_open(path, 0, &local);
    g_auto(Index) index = { NULL };
    const char *name;

    if (dir == NULL && !g_error_matches(local, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "cannot list PCI functions: %s",
                    local->message);
        return NULL;
    }
    index_init(&index, host, address);
    if (address != NULL) {
        add_function(functions, &index, address);
        return g_steal_pointer(&functions);
    }
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL)
        add_function(functions, &index, name);
    return g_steal_pointer(&functions);
}
