/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-fake-domain.h"

#include <string.h>

#include "pvr-fake-host.h"

const PvrFakeDevice pvr_fake_rxe0 = {.backend = "rxe",
                                     .netdev = "d0",
                                     .ibdev = "rxe_d0",
                                     .mac = PVR_FAKE_MAC0,
                                     .gid = PVR_FAKE_GID0};
const PvrFakeDevice pvr_fake_rxe1 = {.backend = "rxe",
                                     .netdev = "d1",
                                     .ibdev = "rxe_d1",
                                     .mac = PVR_FAKE_MAC1,
                                     .gid = PVR_FAKE_GID1};
const PvrFakeDevice pvr_fake_soft1 = {.backend = "soft", .mac = PVR_FAKE_MAC1};

static gboolean
is_soft(const PvrFakeDevice *device)
{
    return g_str_equal(device->backend, "soft");
}

static void
add_optional(GString *xml, const char *name, const char *value)
{
    if (value != NULL) {
        g_string_append_printf(xml, " %s='%s'", name, value);
    }
}

static void
add_metadata(GString *xml, const char *uuid, const PvrFakeDevice *device, guint id)
{
    g_string_append_printf(xml, "      <pvrdma:device id='%u' backend='%s'", id, device->backend);
    if (is_soft(device)) {
        g_string_append_printf(xml, " alias='ua-pvrdma%u' controller='%u'/>\n", id, id + 4);
        return;
    }
    add_optional(xml, "netdev", device->netdev);
    g_string_append_printf(xml, " ibdev='%s' port='1' gid='%s'", device->ibdev, device->gid);
    add_optional(xml, "gid-index", device->gid_index);
    add_optional(xml, "gid-policy", device->gid_policy);
    add_optional(xml, "pci", device->pci);
    add_optional(xml, "guid", device->guid);
    g_string_append_printf(xml,
                           " mac='%s' alias='ua-pvrdma%u' controller='%u'"
                           " path='/dev/pvrdma/%s-%u'/>\n",
                           device->mac, id, id + 4, uuid, id);
}

static void
add_functions(GString *xml, const char *uuid, const PvrFakeDevice *device, guint id)
{
    g_autofree char *node =
        is_soft(device) ? g_strdup("<backend model='builtin'/>")
                        : g_strdup_printf("<backend model='random'>/dev/pvrdma/%s-%u</backend>",
                                          uuid, id);

    g_string_append_printf(xml,
                           "    <controller type='pci' index='%u' model='pcie-root-port'/>\n"
                           "    <interface type='bridge'>\n"
                           "      <mac address='%s'/>\n"
                           "      <source bridge='br0'/>\n"
                           "      <model type='vmxnet3'/>\n"
                           "      <alias name='ua-pvrdma%u-net'/>\n"
                           "      <address type='pci' domain='0x0000' bus='0x%02x' slot='0x00'"
                           " function='0x0' multifunction='on'/>\n"
                           "    </interface>\n",
                           id + 4, device->mac, id, id + 4);
    g_string_append_printf(xml,
                           "    <rng model='virtio'>\n"
                           "      %s\n"
                           "      <alias name='ua-pvrdma%u'/>\n"
                           "      <address type='pci' domain='0x0000' bus='0x%02x' slot='0x00'"
                           " function='0x1'/>\n"
                           "    </rng>\n",
                           node, id, id + 4);
}

static void
add_override(GString *xml, const char *uuid, const PvrFakeDevice *device, guint id)
{
    g_autofree char *backend =
        is_soft(device)
            ? g_strdup("")
            : g_strdup_printf("        <qemu:property name='backend-dev' type='string'"
                              " value='/dev/pvrdma/%s-%u'/>\n",
                              uuid, id);

    g_string_append_printf(xml,
                           "    <qemu:device alias='ua-pvrdma%u'>\n"
                           "      <qemu:frontend>\n"
                           "        <qemu:property name='driver' type='string' value='pvrdma'/>\n"
                           "        <qemu:property name='rng' type='remove'/>\n"
                           "%s"
                           "      </qemu:frontend>\n"
                           "    </qemu:device>\n",
                           id, backend);
}

char *
pvr_fake_domain_xml(const char *name, const char *uuid, const PvrFakeDevice *const *devices,
                    guint count)
{
    GString *xml = g_string_new(NULL);
    gboolean shared = FALSE;

    g_string_append_printf(
        xml,
        "<domain type='kvm' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>\n"
        "  <name>%s</name>\n  <uuid>%s</uuid>\n"
        "  <metadata>\n"
        "    <pvrdma:devices xmlns:pvrdma='urn:pvrdma:domain:1' version='1'>\n",
        name, uuid);
    for (guint i = 0; i < count; i++) {
        add_metadata(xml, uuid, devices[i], i);
        shared = shared || !is_soft(devices[i]);
    }
    g_string_append(xml, "    </pvrdma:devices>\n  </metadata>\n"
                         "  <memory unit='KiB'>262144</memory>\n");
    if (shared) {
        g_string_append(xml, "  <memoryBacking>\n    <source type='memfd'/>\n"
                             "    <access mode='shared'/>\n  </memoryBacking>\n");
    }
    g_string_append(xml, "  <os><type arch='x86_64' machine='q35'>hvm</type></os>\n"
                         "  <devices>\n    <emulator>/usr/bin/qemu-system-x86_64</emulator>\n");
    for (guint i = 0; i < count; i++) {
        add_functions(xml, uuid, devices[i], i);
    }
    g_string_append(xml, "  </devices>\n  <qemu:override>\n");
    for (guint i = 0; i < count; i++) {
        add_override(xml, uuid, devices[i], i);
    }
    g_string_append(xml, "  </qemu:override>\n</domain>\n");
    return g_string_free(xml, FALSE);
}

char *
pvr_fake_replace(const char *xml, const char *from, const char *to)
{
    GString *copy = g_string_new(xml);

    g_assert_cmpuint(g_string_replace(copy, from, to, 0), >, 0);
    return g_string_free(copy, FALSE);
}

void
pvr_fake_add_qemu(const char *root, const char *name, const char *uuid, int pid)
{
    static const char options[] = "\0-name\0guest=x\0-uuid\0";
    g_autofree char *pid_file = g_strdup_printf("run/libvirt/qemu/%s.pid", name);
    g_autofree char *pid_text = g_strdup_printf("%d", pid);
    g_autofree char *stat = g_strdup_printf("proc/%d/stat", pid);
    g_autofree char *cmdline = g_strdup_printf("%s/proc/%d/cmdline", root, pid);
    g_autofree char *fields = g_strdup_printf(
        "%d (qemu) kvm) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 %d7 0\n", pid, pid);
    g_autoptr(GString) args = g_string_new("qemu-system-x86_64");

    g_string_append_len(args, options, sizeof(options) - 1);
    g_string_append_len(args, uuid, (gssize)strlen(uuid) + 1);
    pvr_fake_write(root, pid_file, pid_text);
    pvr_fake_write(root, stat, fields);
    g_assert_true(g_file_set_contents(cmdline, args->str, (gssize)args->len, NULL));
}

void
pvr_fake_remove_qemu(const char *root, const char *name, int pid)
{
    g_autofree char *pid_file = g_strdup_printf("run/libvirt/qemu/%s.pid", name);
    g_autofree char *proc = g_strdup_printf("proc/%d", pid);

    pvr_fake_remove(root, pid_file);
    pvr_fake_remove(root, proc);
}

static gboolean
is_ignored(const char *path)
{
    return g_str_equal(path, ".fake") || g_str_equal(path, "run/pvrdma/lock") ||
           g_str_equal(path, "run/pvrdma/locks");
}

static void
add_entry(GPtrArray *lines, const char *root, const char *path)
{
    g_autofree char *full = g_build_filename(root, path, NULL);
    g_autofree char *target = g_file_read_link(full, NULL);
    g_autofree char *content = NULL;
    g_autoptr(GDir) dir = NULL;
    const char *name;

    if (is_ignored(path)) {
        return;
    }
    dir = target == NULL ? g_dir_open(full, 0, NULL) : NULL;
    if (dir != NULL) {
        while ((name = g_dir_read_name(dir)) != NULL) {
            g_autofree char *child =
                *path != '\0' ? g_build_filename(path, name, NULL) : g_strdup(name);

            add_entry(lines, root, child);
        }
        return;
    }
    if (target == NULL) {
        content = pvr_fake_read(root, path);
    }
    g_ptr_array_add(lines, g_strdup_printf("%s%s%s\n", path, target != NULL ? " -> " : ": ",
                                           target != NULL ? target : content));
}

static int
compare_lines(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char *
pvr_fake_snapshot(const char *root)
{
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

    add_entry(lines, root, "");
    g_ptr_array_sort(lines, compare_lines);
    g_ptr_array_add(lines, NULL);
    return g_strjoinv("", (char **)lines->pdata);
}
