/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-sriov.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-sysfs.h"

/* 0 or errno. sysfs takes a value in one write, and its answer is that of the driver. */
static int
write_attr(const char *path, const char *value)
{
    const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    const gssize size = (gssize) strlen(value);
    gssize got;
    int err;

    if (fd < 0)
        return errno;
    got = write(fd, value, (gsize) size);
    err = got == size ? 0 : got < 0 ? errno : EIO;
    close(fd);
    return err;
}

static gboolean
is_forbidden(int err)
{
    return err == EACCES || err == EPERM || err == EROFS;
}

static void
set_forbidden(int err, const char *what, const char *pci, GError **error)
{
    if (err == EROFS)
        g_set_error(error, PVR_ERROR, PVR_ERROR_PRIVILEGE, "cannot %s %s: /sys is read-only\n"
                    "run it on the host itself, not in a container", what, pci);
    else
        g_set_error(error, PVR_ERROR, PVR_ERROR_PRIVILEGE, "no permission to %s %s\nrun it as root",
                    what, pci);
}

/* ---- number of VFs ---- */

void
pvr_sriov_set_num_error(int err, const char *pf, guint number, GError **error)
{
    if (is_forbidden(err))
        set_forbidden(err, "change the VFs of", pf, error);
    else if (err == EBUSY)
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY, "%s refuses to have %u VFs now\n"
                    "it has VFs already, which have to be removed first, or they are in use", pf,
                    number);
    else if (err == ENOENT)
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "the driver of %s makes no VFs\nbind a driver with SR-IOV to it", pf);
    else if (err == ERANGE)
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "%s cannot have %u VFs\nask for fewer", pf, number);
    else if (err == ENOSPC)
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "%s has no resources left for %u VFs\n"
                    "ask for fewer, or take queues away from the PF ('ethtool -L')", pf, number);
    else if (err == ENOMEM)
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "the firmware left no memory window or bus numbers for %u VFs of %s\n"
                    "enable SR-IOV in the firmware set-up, or boot with 'pci=realloc,assign-busses'",
                    number, pf);
    else
        pvr_set_error_errno(error, PVR_ERROR_FAILED, err, "%s cannot have %u VFs", pf, number);
}

static gboolean
check_total(PvrHost *host, const char *pf, guint number, GError **error)
{
    g_autofree char *dir = pvr_host_path(host, PVR_DIR_SYS_PCI, "devices", pf, NULL);
    g_autofree char *path = g_build_filename(dir, "sriov_totalvfs", NULL);
    g_autofree char *text = pvr_sysfs_read_attr(path);
    const guint64 total = text != NULL ? g_ascii_strtoull(text, NULL, 10) : 0;

    if (!g_file_test(dir, G_FILE_TEST_IS_DIR))
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no PCI device %s\n"
                    "'lspci -D' shows the addresses", pf);
    else if (text == NULL)
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED, "%s has no SR-IOV\n"
                    "if the card can do it, enable it in its firmware and in the host's", pf);
    else if (number > total)
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "the firmware of %s allows %" G_GUINT64_FORMAT " VFs, not %u\n"
                    "ask for fewer, or raise it with the vendor's tool (mlxconfig NUM_OF_VFS=, "
                    "niccli, ...) and reboot", pf, total, number);
    return text != NULL && number <= total;
}

/* Some drivers take the number, make fewer VFs, and report success. */
static gboolean
check_result(const char *path, const char *pf, guint number, GError **error)
{
    g_autofree char *text = pvr_sysfs_read_attr(path);
    const guint64 got = text != NULL ? g_ascii_strtoull(text, NULL, 10) : 0;

    if (got == number)
        return TRUE;
    if (got == 0)
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "the driver of %s took the number %u and made no VFs\n"
                    "set the PF's link up first; 'dmesg' may say more", pf, number);
    else
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "the driver of %s made %" G_GUINT64_FORMAT " VFs, not %u\n'dmesg' may say why",
                    pf, got, number);
    return FALSE;
}

gboolean
pvr_sriov_set_num_vfs(PvrHost *host, const char *pf, guint number, GError **error)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_SYS_PCI, "devices", pf, "sriov_numvfs",
                                          NULL);
    g_autofree char *value = g_strdup_printf("%u", number);
    int err;

    if (!check_total(host, pf, number, error))
        return FALSE;
    err = write_attr(path, value);
    if (err != 0) {
        pvr_sriov_set_num_error(err, pf, number, error);
        return FALSE;
    }
    return check_result(path, pf, number, error);
}

/* ---- drivers ---- */

void
pvr_sriov_set_bind_error(int err, gboolean bind, const char *pci, const char *driver,
                         GError **error)
{
    if (is_forbidden(err))
        set_forbidden(err, bind ? "bind a driver to" : "take the driver off", pci, error);
    else if (err == EBUSY)
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY, "%s has another driver, or is in use",
                    pci);
    else if (err == ENODEV && bind)
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "driver %s does not want %s\n"
                    "it is for other devices, or the device does not answer; 'dmesg' may say more",
                    driver, pci);
    else if (err == ENODEV || err == ENOENT)
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "%s or its driver is gone", pci);
    else if (bind)
        pvr_set_error_errno(error, PVR_ERROR_FAILED, err, "driver %s fails on %s", driver, pci);
    else
        pvr_set_error_errno(error, PVR_ERROR_FAILED, err, "cannot take the driver off %s", pci);
}

static gboolean
check_device(PvrHost *host, const char *pci, GError **error)
{
    g_autofree char *dir = pvr_host_path(host, PVR_DIR_SYS_PCI, "devices", pci, NULL);

    if (g_file_test(dir, G_FILE_TEST_IS_DIR))
        return TRUE;
    g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no PCI device %s\n"
                "'lspci -D' shows the addresses", pci);
    return FALSE;
}

gboolean
pvr_sriov_bind(PvrHost *host, const char *pci, const char *driver, GError **error)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_SYS_PCI, "drivers", driver, "bind", NULL);
    int err;

    if (!check_device(host, pci, error))
        return FALSE;
    err = write_attr(path, pci);
    if (err == ENOENT)
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no driver '%s'\n'modprobe %s' loads it",
                    driver, driver);
    else if (err != 0)
        pvr_sriov_set_bind_error(err, TRUE, pci, driver, error);
    return err == 0;
}

gboolean
pvr_sriov_unbind(PvrHost *host, const char *pci, GError **error)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_SYS_PCI, "devices", pci, "driver", "unbind",
                                          NULL);
    int err;

    if (!check_device(host, pci, error))
        return FALSE;
    err = write_attr(path, pci);
    if (err == ENOENT)
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no driver is bound to %s", pci);
    else if (err != 0)
        pvr_sriov_set_bind_error(err, FALSE, pci, NULL, error);
    return err == 0;
}
