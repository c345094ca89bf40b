/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bonds: which RDMA device goes with them. */
#include <string.h>

#include "pvr-check-priv.h"
#include "pvr-store.h"

#define MAX_ATTR 4096

/* What the report says of all bonds; the worst case decides. */
typedef struct {
    PvrCheckNames use, split, none;
    char *rxe_on; /* a bond with Soft-RoCE on one of its slaves */
} Bonds;

static void
bonds_clear(Bonds *bonds)
{
    pvr_check_names_clear(&bonds->use);
    pvr_check_names_clear(&bonds->split);
    pvr_check_names_clear(&bonds->none);
    g_clear_pointer(&bonds->rxe_on, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Bonds, bonds_clear)

static gboolean
is_on(const PvrIbdev *ibdev, const char *netdev)
{
    for (guint i = 0; i < ibdev->ports->len; i++) {
        const PvrPort *port = g_ptr_array_index(ibdev->ports, i);

        if (g_strcmp0(port->netdev, netdev) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

static const PvrIbdev *
find_on(const GPtrArray *ibdevs, const char *netdev)
{
    for (guint i = 0; ibdevs != NULL && i < ibdevs->len; i++) {
        if (is_on(g_ptr_array_index(ibdevs, i), netdev)) {
            return g_ptr_array_index(ibdevs, i);
        }
    }
    return NULL;
}

static void
look_at(const GPtrArray *ibdevs, const char *bond, char **slaves, Bonds *bonds)
{
    const PvrIbdev *whole = find_on(ibdevs, bond);
    g_auto(PvrCheckNames) parts = {0};

    for (guint i = 0; whole == NULL && slaves[i] != NULL; i++) {
        const PvrIbdev *part = find_on(ibdevs, slaves[i]);

        if (part != NULL) {
            pvr_check_names_add(&parts, "%s on %s", part->name, slaves[i]);
        }
        if (part != NULL && pvr_ibdev_is_rxe(part) && bonds->rxe_on == NULL) {
            bonds->rxe_on = g_strdup(bond);
        }
    }
    if (whole != NULL) {
        pvr_check_names_add(&bonds->use, "%s for %s", whole->name, bond);
    } else if (parts.count > 0) {
        pvr_check_names_add(&bonds->split, "%s has %s", bond, pvr_check_names_text(&parts));
    } else {
        pvr_check_names_add(&bonds->none, "%s", bond);
    }
}

static void
report(guint use, Bonds *bonds, GPtrArray *checks)
{
    if (bonds->split.count > 0) {
        g_autofree char *remedy =
            bonds->rxe_on != NULL
                ? g_strdup_printf("make the link on the bond: pvrdmactl rxe add %s", bonds->rxe_on)
                : g_strdup("make the bond before the RDMA driver loads, so that it offers one device "
                           "for the bond (mlx5: LAG); or take the slave out of the bond");

        pvr_checks_add_missing(checks, "rdma.bonds", use, PVR_CHECK_WARNING, remedy,
                               "RDMA does not fail over with the bond: %s",
                               pvr_check_names_text(&bonds->split));
    } else if (bonds->use.count > 0) {
        pvr_checks_add(checks, "rdma.bonds", PVR_CHECK_OK, NULL, "use %s",
                       pvr_check_names_text(&bonds->use));
    } else if (bonds->none.count > 0) {
        pvr_checks_add(checks, "rdma.bonds", PVR_CHECK_NA, NULL, "no RDMA device is on %s",
                       pvr_check_names_text(&bonds->none));
    } else {
        pvr_checks_add(checks, "rdma.bonds", PVR_CHECK_NA, NULL, "there is no bond");
    }
}

void
pvr_check_bonds(PvrHost *host, guint use, const GPtrArray *ibdevs, GPtrArray *checks)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_SYS_NET, "bonding_masters", NULL);
    gsize len = 0;
    g_autofree char *masters = pvr_store_read(path, MAX_ATTR, &len, NULL);
    g_auto(GStrv) names = g_strsplit_set(masters != NULL ? masters : "", " \n", -1);
    g_auto(Bonds) bonds = {0};

    for (guint i = 0; names[i] != NULL; i++) {
        g_autofree char *file =
            pvr_host_path(host, PVR_DIR_SYS_NET, names[i], "bonding/slaves", NULL);
        g_autofree char *slaves = *names[i] != '\0' ? pvr_store_read(file, MAX_ATTR, &len, NULL)
                                                    : NULL;
        g_auto(GStrv) list = g_strsplit_set(slaves != NULL ? slaves : "", " \n", -1);

        if (slaves != NULL) {
            look_at(ibdevs, names[i], list, &bonds);
        }
    }
    report(use, &bonds, checks);
}
