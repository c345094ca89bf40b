/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traps in a domain XML that have nothing to do with a single device. */
#include <string.h>

#include "pvr-check-priv.h"
#include "pvr-domxml.h"
#include "pvr-xml.h"

/*
 * QEMU makes all devices in the old syntax before those in JSON, which is what libvirt uses: such a
 * function 1 would come before its bus and before function 0.
 */
static void
check_order(const xmlNode *domain, GPtrArray *checks)
{
    const xmlNode *line = pvr_xml_child(domain, PVR_QEMU_URI, "commandline");
    const xmlNode *arg = pvr_xml_child(line, PVR_QEMU_URI, "arg");
    gboolean json = FALSE;

    for (; arg != NULL; arg = pvr_xml_next(arg, PVR_QEMU_URI, "arg")) {
        g_autofree char *value = pvr_xml_attr(arg, "value");

        if (value == NULL || strstr(value, "pvrdma") == NULL) {
            continue;
        }
        if (g_str_has_prefix(value, "pvrdma")) {
            pvr_checks_add(checks, "domain.order", PVR_CHECK_FAILED,
                           "remove the -device from <qemu:commandline>; 'pvrdmactl attach' adds one in "
                           "the right place",
                           "<qemu:commandline> has '-device %s', which QEMU makes before function 0",
                           value);
            return;
        }
        json = json || *value == '{';
    }
    if (json) {
        pvr_checks_add(checks, "domain.order", PVR_CHECK_WARNING,
                       "let 'pvrdmactl attach' add it: libvirt then knows the function and lets QEMU at "
                       "the node",
                       "<qemu:commandline> has a pvrdma device of its own");
    } else {
        pvr_checks_add(checks, "domain.order", PVR_CHECK_OK, NULL,
                       "no pvrdma device comes before its function 0");
    }
}

/* Names of properties that attach, or somebody by hand, sets for our devices and that QEMU lacks. */
static void
find_unknown(const xmlNode *front, const char *properties, PvrCheckNames *unknown)
{
    const xmlNode *property = pvr_xml_child(front, PVR_QEMU_URI, "property");

    for (; property != NULL; property = pvr_xml_next(property, PVR_QEMU_URI, "property")) {
        g_autofree char *name = pvr_xml_attr(property, "name");
        g_autofree char *line = g_strdup_printf("  %s=<", name != NULL ? name : "");

        if (name != NULL && strcmp(name, "driver") != 0 &&
            !pvr_xml_attr_is(property, "type", "remove") && strstr(properties, line) == NULL) {
            pvr_check_names_add(unknown, "%s", name);
        }
    }
}

void
pvr_check_properties(const char *emulator, const char *properties, const char *xml, gsize len,
                     GPtrArray *checks)
{
    g_autoptr(xmlDoc) doc = pvr_xml_parse(xml, len, NULL);
    const xmlNode *override =
        doc != NULL ? pvr_xml_child(xmlDocGetRootElement(doc), PVR_QEMU_URI, "override") : NULL;
    const xmlNode *device = pvr_xml_child(override, PVR_QEMU_URI, "device");
    g_auto(PvrCheckNames) unknown = {0};

    for (; device != NULL; device = pvr_xml_next(device, PVR_QEMU_URI, "device")) {
        g_autofree char *alias = pvr_xml_attr(device, "alias");

        if (alias != NULL && g_str_has_prefix(alias, "ua-pvrdma")) {
            find_unknown(pvr_xml_child(device, PVR_QEMU_URI, "frontend"), properties, &unknown);
        }
    }
    if (unknown.count > 0) {
        pvr_checks_add(checks, "emulator.properties", PVR_CHECK_FAILED,
                       "install a QEMU with the patches of this release, or set <emulator> to one",
                       "the pvrdma of '%s' has no %s", emulator, pvr_check_names_text(&unknown));
    } else {
        pvr_checks_add(checks, "emulator.properties", PVR_CHECK_OK, NULL,
                       "'%s' knows each property that the domain sets", emulator);
    }
}

/* Nothing on the host shows whether the guest does it. */
static void
add_guest_advice(GPtrArray *checks)
{
    pvr_checks_add(checks, "guest.order", PVR_CHECK_NA,
                   "in the guest: echo 'softdep vmw_pvrdma pre: vmxnet3' > "
                   "/etc/modprobe.d/vmw_pvrdma.conf",
                   "the guest has to load vmxnet3 before vmw_pvrdma");
}

void
pvr_check_xml(const char *xml, gsize len, GPtrArray *checks)
{
    g_autoptr(xmlDoc) doc = pvr_xml_parse(xml, len, NULL);

    if (doc != NULL) {
        check_order(xmlDocGetRootElement(doc), checks);
    }
    add_guest_advice(checks);
}
