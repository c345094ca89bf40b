/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include "pvr-error.h"

#define ATTR_MAX 1024
#define PORT_MAX 255        /* port numbers are 8 bits in verbs */
#define GID_INDEX_MAX 65535

static gssize
read_bounded(int dir_fd, const char *path, char *buf, gsize size)
{
    const int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    gssize got;

    if (fd < 0)
        return -1;
    do {
        got = read(fd, buf, size);
    } while (got < 0 && errno == EINTR);
    close(fd);
    return got;
}

static char *
read_attr_at(int dir_fd, const char *path)
{
    char buf[ATTR_MAX + 1];
    const gssize got = read_bounded(dir_fd, path, buf, sizeof(buf));
    char *text;

    if (got <= 0 || got > ATTR_MAX)
        return NULL;
    buf[got] = '\0';
    text = g_strstrip(g_utf8_make_valid(buf, -1));
    if (text[0] == '\0')
        g_clear_pointer(&text, g_free);
    return text;
}

char *
pvr_sysfs_read_attr(const char *path)
{
    return read_attr_at(AT_FDCWD, path);
}

char *
pvr_sysfs_read_in(const char *dir, const char *name)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);

    return pvr_sysfs_read_attr(path);
}

char *
pvr_sysfs_link_name(const char *dir, const char *name)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autofree char *target = g_file_read_link(path, NULL);

    return target != NULL ? g_path_get_basename(target) : NULL;
}

/* The names in a directory that are plain decimal numbers up to max, in order. */
static GArray *
list_numbers(const char *path, guint max)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        guint64 value;

        if (g_ascii_string_to_unsigned(name, 10, 0, max, &value, NULL)) {
            const guint number = (guint) value;

            g_array_append_val(numbers, number);
        }
    }
    return numbers;
}

static int
compare_numbers(gconstpointer a, gconstpointer b)
{
    const guint x = *(const guint *) a, y = *(const guint *) b;

    return (x > y) - (x < y);
}

static char *
read_numbered(const char *dir, const char *sub, guint number)
{
    g_autofree char *name = g_strdup_printf("%s/%u", sub, number);

    return pvr_sysfs_read_in(dir, name);
}

static PvrGidType
parse_gid_type(const char *text)
{
    if (g_strcmp0(text, "RoCE v2") == 0)
        return PVR_GID_ROCE_V2;
    /* The kernel says "IB/RoCE v1" for both; the link layer tells them apart. */
    if (g_strcmp0(text, "IB/RoCE v1") == 0)
        return PVR_GID_ROCE_V1;
    return PVR_GID_IB;
}

/* The GID of a slot; FALSE when the slot is empty or cannot be read. */
static gboolean
read_gid_slot(int gids_fd, guint index, PvrGid *ret_gid)
{
    char name[12];
    g_autofree char *text = NULL;

    g_snprintf(name, sizeof(name), "%u", index);
    text = read_attr_at(gids_fd, name);
    return text != NULL && pvr_gid_parse(text, ret_gid, NULL) && !pvr_gid_is_zero(ret_gid);
}

static PvrGidEntry *
read_gid_attrs(const char *port_dir, guint index, const PvrGid *gid, gboolean ethernet)
{
    g_autofree char *type = read_numbered(port_dir, "gid_attrs/types", index);
    PvrGidEntry *entry = g_new0(PvrGidEntry, 1);

    entry->index = index;
    entry->gid = *gid;
    entry->type = ethernet ? parse_gid_type(type) : PVR_GID_IB;
    entry->netdev = read_numbered(port_dir, "gid_attrs/ndevs", index);
    return entry;
}

static void
add_gid(PvrPort *port, const char *port_dir, guint index, const PvrGid *gid)
{
    const gboolean ethernet = g_strcmp0(port->link_layer, "Ethernet") == 0;
    PvrGidEntry *entry = read_gid_attrs(port_dir, index, gid, ethernet);

    if (port->netdev == NULL)
        port->netdev = g_strdup(entry->netdev);
    g_ptr_array_add(port->gids, entry);
}

/* rxe has 1024 slots: opening them relative to the directory halves the time. */
static void
read_gids(PvrPort *port, const char *port_dir)
{
    g_autofree char *gids_dir = g_build_filename(port_dir, "gids", NULL);
    g_autoptr(GArray) indices = list_numbers(gids_dir, GID_INDEX_MAX);
    const int gids_fd = open(gids_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (gids_fd < 0)
        return;
    g_array_sort(indices, compare_numbers);
    if (indices->len != 0)
        port->gid_slots = g_array_index(indices, guint, indices->len - 1) + 1;
    for (guint i = 0; i < indices->len; i++) {
        const guint index = g_array_index(indices, guint, i);
        PvrGid gid;

        if (read_gid_slot(gids_fd, index, &gid))
            add_gid(port, port_dir, index, &gid);
    }
    close(gids_fd);
}

/* "4: ACTIVE" -> "ACTIVE" */
static char *
read_state(const char *port_dir, const char *name)
{
    g_autofree char *text = pvr_sysfs_read_in(port_dir, name);
    const char *word = text != NULL ? strstr(text, ": ") : NULL;

    return g_strdup(word != NULL ? word + 2 : "UNKNOWN");
}

/* The words of rdma(8) for the numbers of the InfiniBand specification, 14.2.5.6 (PortPhysicalState). */
static char *
read_phys_state(const char *port_dir)
{
    static const char *const words[] = {
        [1] = "SLEEP", [2] = "POLLING", [3] = "DISABLED", [4] = "PORT_CONFIGURATION_TRAINING",
        [5] = "LINK_UP", [6] = "LINK_ERROR_RECOVERY", [7] = "PHY_TEST",
    };
    g_autofree char *text = pvr_sysfs_read_in(port_dir, "phys_state");
    const guint64 number = text != NULL ? g_ascii_strtoull(text, NULL, 10) : 0;

    if (number < 1 || number >= G_N_ELEMENTS(words))
        return g_strdup("UNKNOWN");
    return g_strdup(words[number]);
}

static PvrPort *
read_port(const char *ports_dir, guint num)
{
    g_autofree char *port_dir = g_strdup_printf("%s/%u", ports_dir, num);
    PvrPort *port = pvr_port_new(num);

    port->state = read_state(port_dir, "state");
    port->phys_state = read_phys_state(port_dir);
    port->link_layer = pvr_sysfs_read_in(port_dir, "link_layer");
    if (port->link_layer == NULL)
        port->link_layer = g_strdup("UNKNOWN");
    read_gids(port, port_dir);
    return port;
}

static void
read_ports(PvrIbdev *ibdev, const char *ibdev_dir)
{
    g_autofree char *ports_dir = g_build_filename(ibdev_dir, "ports", NULL);
    g_autoptr(GArray) numbers = list_numbers(ports_dir, PORT_MAX);

    g_array_sort(numbers, compare_numbers);
    for (guint i = 0; i < numbers->len; i++)
        g_ptr_array_add(ibdev->ports, read_port(ports_dir, g_array_index(numbers, guint, i)));
}

/*
 * A hardware device has a `device` link. rxe has none, but a `parent` attribute that names its
 * netdev; other software devices have neither.
 */
static void
read_driver(PvrIbdev *ibdev, const char *ibdev_dir)
{
    ibdev->parent = pvr_sysfs_link_name(ibdev_dir, "device");
    if (ibdev->parent != NULL) {
        ibdev->driver = pvr_sysfs_link_name(ibdev_dir, "device/driver");
    } else {
        ibdev->parent = pvr_sysfs_read_in(ibdev_dir, "parent");
        if (ibdev->parent != NULL)
            ibdev->driver = g_strdup("rxe");
    }
    if (ibdev->driver == NULL)
        ibdev->driver = g_strdup("unknown");
}

/* An rxe port without any GID still belongs to the parent. */
static void
fill_port_netdevs(PvrIbdev *ibdev)
{
    if (!pvr_ibdev_is_rxe(ibdev))
        return;
    for (guint i = 0; i < ibdev->ports->len; i++) {
        PvrPort *port = g_ptr_array_index(ibdev->ports, i);

        if (port->netdev == NULL)
            port->netdev = g_strdup(ibdev->parent);
    }
}

static gboolean
passes(const PvrIbdevFilter *filter, const PvrIbdev *ibdev)
{
    return filter->rxe_netdev == NULL ||
           (pvr_ibdev_is_rxe(ibdev) && g_str_equal(ibdev->parent, filter->rxe_netdev));
}

static PvrIbdev *
read_ibdev(PvrHost *host, const char *name, const PvrIbdevFilter *filter, GHashTable *uverbs)
{
    g_autofree char *dir = pvr_host_path(host, PVR_DIR_SYS_IB, name, NULL);
    g_autoptr(PvrIbdev) ibdev = pvr_ibdev_new(name);

    read_driver(ibdev, dir);
    if (!passes(filter, ibdev))
        return NULL;
    ibdev->node_guid = pvr_sysfs_read_in(dir, "node_guid");
    ibdev->uverbs = g_strdup(g_hash_table_lookup(uverbs, name));
    if (!filter->no_ports)
        read_ports(ibdev, dir);
    fill_port_netdevs(ibdev);
    /* Gone while we read it. */
    if (!g_file_test(dir, G_FILE_TEST_IS_DIR))
        return NULL;
    return g_steal_pointer(&ibdev);
}

/* ibdevice name -> uverbs name */
static GHashTable *
read_uverbs(PvrHost *host)
{
    GHashTable *map = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autofree char *path = pvr_host_path(host, PVR_DIR_SYS_VERBS, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *uverbs_dir = g_build_filename(path, name, NULL);
        char *ibdev = g_str_has_prefix(name, "uverbs") ? pvr_sysfs_read_in(uverbs_dir, "ibdev") : NULL;

        if (ibdev != NULL)
            g_hash_table_replace(map, ibdev, g_strdup(name));
    }
    return map;
}

GPtrArray *
pvr_sysfs_list_ibdevs(PvrHost *host, const PvrIbdevFilter *filter, GError **error)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_SYS_IB, NULL);
    g_autoptr(GPtrArray) ibdevs =
        g_ptr_array_new_with_free_func((GDestroyNotify) pvr_ibdev_free);
    g_autoptr(GHashTable) uverbs = NULL;
    g_autoptr(GError) local = NULL;
    g_autoptr(GDir) dir = g_dir_open(path, 0, &local);
    const char *name;

    if (dir == NULL && !g_error_matches(local, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "cannot list RDMA devices: %s",
                    local->message);
        return NULL;
    }
    uverbs = read_uverbs(host);
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        PvrIbdev *ibdev = NULL;

        if (filter->name == NULL || g_str_equal(filter->name, name))
            ibdev = read_ibdev(host, name, filter, uverbs);
        if (ibdev != NULL)
            g_ptr_array_add(ibdevs, ibdev);
    }
    return g_steal_pointer(&ibdevs);
}

static guint64
read_number_in(const char *dir, const char *name)
{
    g_autofree char *text = pvr_sysfs_read_in(dir, name);

    return text != NULL ? g_ascii_strtoull(text, NULL, 0) : 0;
}

PvrNetdev *
pvr_sysfs_get_netdev(PvrHost *host, const char *name, GError **error)
{
    g_autofree char *dir = pvr_host_path(host, PVR_DIR_SYS_NET, name, NULL);
    g_autofree char *address = pvr_sysfs_read_in(dir, "address");
    PvrNetdev *netdev;

    if (!g_file_test(dir, G_FILE_TEST_IS_DIR)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no network device '%s'\n"
                    "'ip link' shows the names", name);
        return NULL;
    }
    netdev = g_new0(PvrNetdev, 1);
    netdev->name = g_strdup(name);
    if (address != NULL)
        pvr_mac_parse(address, &netdev->mac, NULL);
    netdev->mtu = (guint) read_number_in(dir, "mtu");
    netdev->up = (read_number_in(dir, "flags") & IFF_UP) != 0;
    /* Reading `carrier` of a device that is down fails with EINVAL: no carrier. */
    netdev->carrier = read_number_in(dir, "carrier") == 1;
    return netdev;
}
