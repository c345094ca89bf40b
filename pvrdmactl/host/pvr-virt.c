/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-virt.h"

#include <errno.h>
#include <libvirt/libvirt-qemu.h>
#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <stdlib.h>
#include <string.h>

#include "pvr-error.h"

/* Overrides of device properties came in 8.2 and crashed before 8.5; 9.0 is what we test with. */
#define MIN_VERSION 9000000UL

struct _PvrVirt {
    virConnectPtr conn;
};

typedef virDomain Domain;
typedef virNetwork Network;

static void
domain_unref(Domain *domain)
{
    virDomainFree(domain);
}

static void
network_unref(Network *network)
{
    virNetworkFree(network);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Domain, domain_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Network, network_unref)

static void
ignore_error(void *data G_GNUC_UNUSED, virErrorPtr error G_GNUC_UNUSED)
{
}

static gboolean
is_privilege(const virError *last)
{
    switch (last->code) {
    case VIR_ERR_AUTH_FAILED:
    case VIR_ERR_AUTH_CANCELLED:
    case VIR_ERR_AUTH_UNAVAILABLE:
    case VIR_ERR_ACCESS_DENIED:
    case VIR_ERR_OPERATION_DENIED:
        return TRUE;
    case VIR_ERR_SYSTEM_ERROR: /* int1 is errno */
        return last->int1 == EACCES || last->int1 == EPERM;
    default:
        return FALSE;
    }
}

/* What libvirt said last, as one line; with @todo as second line unless a better one is known. */
static gboolean
set_virt_error(GError **error, const char *doing, const char *todo)
{
    const virError *last = virGetLastError();
    g_autofree char *text = g_strdup(last && last->message ? last->message : "unknown error");
    PvrError code = PVR_ERROR_FAILED;

    if (last && is_privilege(last)) {
        code = PVR_ERROR_PRIVILEGE;
        todo = "run it as root, or as a user whom libvirt lets manage domains";
    } else if (last && last->code == VIR_ERR_NO_DOMAIN) {
        code = PVR_ERROR_NOT_FOUND;
    }
    g_strdelimit(g_strchomp(text), "\n\r", ' ');
    g_set_error(error, PVR_ERROR, (int)code, "%s: %s%s%s", doing, text, todo ? "\n" : "",
                todo ? todo : "");
    return FALSE;
}

static gboolean
check_driver(PvrVirt *virt, GError **error)
{
    const char *type = virConnectGetType(virt->conn);
    unsigned long version = 0;

    if (g_strcmp0(type, "QEMU") != 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "the libvirt connection is to '%s', not to QEMU\n"
                    "give a QEMU connection with -c, such as " PVR_VIRT_DEFAULT_URI,
                    type ? type : "unknown");
        return FALSE;
    }
    if (virConnectGetLibVersion(virt->conn, &version) < 0) {
        return set_virt_error(error, "cannot get the version of libvirt", NULL);
    }
    if (version < MIN_VERSION) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "libvirt %lu.%lu.%lu is too old, 9.0.0 or later is needed", version / 1000000,
                    version / 1000 % 1000, version % 1000);
        return FALSE;
    }
    return TRUE;
}

PvrVirt *
pvr_virt_open(const char *uri, GError **error)
{
    g_autoptr(PvrVirt) virt = g_new0(PvrVirt, 1);
    g_autofree char *doing = NULL;

    if (!uri) {
        const char *wish = g_getenv("LIBVIRT_DEFAULT_URI");

        uri = wish && *wish ? wish : PVR_VIRT_DEFAULT_URI;
    }
    virSetErrorFunc(NULL, ignore_error);
    if (virInitialize() < 0) {
        set_virt_error(error, "cannot initialize libvirt", NULL);
        return NULL;
    }
    if (g_str_has_prefix(uri, "qemu:///embed")) {
        virEventRegisterDefaultImpl(); /* the embedded driver refuses to open without one */
    }
    virt->conn = virConnectOpenAuth(uri, virConnectAuthPtrDefault, 0);
    if (!virt->conn) {
        doing = g_strdup_printf("cannot connect to libvirt at %s", uri);
        set_virt_error(error, doing, "see that libvirtd or virtqemud is running");
        return NULL;
    }
    return check_driver(virt, error) ? g_steal_pointer(&virt) : NULL;
}

void
pvr_virt_free(PvrVirt *virt)
{
    if (!virt) {
        return;
    }
    if (virt->conn) {
        virConnectClose(virt->conn);
    }
    g_free(virt);
}

void
pvr_virt_domain_free(PvrVirtDomain *domain)
{
    if (!domain) {
        return;
    }
    g_free(domain->name);
    g_free(domain->uuid);
    g_free(domain);
}

/* NULL if the domain vanishes meanwhile. */
static PvrVirtDomain *
describe(Domain *dom)
{
    g_autoptr(PvrVirtDomain) domain = g_new0(PvrVirtDomain, 1);
    char uuid[VIR_UUID_STRING_BUFLEN] = "";
    int active = virDomainIsActive(dom);
    int persistent = virDomainIsPersistent(dom);

    if (active < 0 || persistent < 0 || virDomainGetUUIDString(dom, uuid) < 0) {
        return NULL;
    }
    domain->name = g_strdup(virDomainGetName(dom));
    domain->uuid = g_ascii_strdown(uuid, -1);
    domain->active = active > 0;
    domain->persistent = persistent > 0;
    domain->managed_save = virDomainHasManagedSaveImage(dom, 0) > 0;
    return g_steal_pointer(&domain);
}

static Domain *
lookup(PvrVirt *virt, const char *name_or_uuid)
{
    Domain *dom = virDomainLookupByName(virt->conn, name_or_uuid);

    if (!dom && g_uuid_string_is_valid(name_or_uuid)) {
        dom = virDomainLookupByUUIDString(virt->conn, name_or_uuid);
    }
    return dom;
}

PvrVirtDomain *
pvr_virt_find(PvrVirt *virt, const char *name_or_uuid, GError **error)
{
    g_autoptr(Domain) dom = lookup(virt, name_or_uuid);
    PvrVirtDomain *domain = dom ? describe(dom) : NULL;
    const virError *last = virGetLastError();

    if (domain) {
        return domain;
    }
    if (last && last->code == VIR_ERR_NO_DOMAIN) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "no such domain\n'virsh list --all' shows the domains");
    } else {
        set_virt_error(error, "cannot look up the domain", NULL);
    }
    return NULL;
}

static gint
compare_names(gconstpointer a, gconstpointer b)
{
    const PvrVirtDomain *x = *(PvrVirtDomain *const *)a;
    const PvrVirtDomain *y = *(PvrVirtDomain *const *)b;

    return g_strcmp0(x->name, y->name);
}

GPtrArray *
pvr_virt_list(PvrVirt *virt, GError **error)
{
    GPtrArray *domains = NULL;
    virDomainPtr *all = NULL;
    int count = virConnectListAllDomains(virt->conn, &all, 0);

    if (count < 0) {
        set_virt_error(error, "cannot list the domains", NULL);
        return NULL;
    }
    domains = g_ptr_array_new_with_free_func((GDestroyNotify)pvr_virt_domain_free);
    for (int i = 0; i < count; i++) {
        PvrVirtDomain *domain = describe(all[i]);

        if (domain) {
            g_ptr_array_add(domains, domain);
        }
        virDomainFree(all[i]);
    }
    free(all);
    g_ptr_array_sort(domains, compare_names);
    return domains;
}

char *
pvr_virt_get_xml(PvrVirt *virt, const char *uuid, PvrVirtXml which, GError **error)
{
    g_autoptr(Domain) dom = virDomainLookupByUUIDString(virt->conn, uuid);
    unsigned flags = which == PVR_VIRT_LIVE ? 0 : VIR_DOMAIN_XML_INACTIVE;
    char *xml = NULL;
    char *copy = NULL;

    if (which == PVR_VIRT_CONFIG_SECURE) {
        flags |= VIR_DOMAIN_XML_SECURE;
    }
    xml = dom ? virDomainGetXMLDesc(dom, flags) : NULL;
    if (!xml) {
        set_virt_error(error, "cannot read the domain's XML", NULL);
        return NULL;
    }
    copy = g_strdup(xml);
    free(xml);
    return copy;
}

gboolean
pvr_virt_define(PvrVirt *virt, const char *xml, GError **error)
{
    g_autoptr(Domain) dom = virDomainDefineXMLFlags(virt->conn, xml, 0);

    return dom ? TRUE : set_virt_error(error, "libvirt does not take the changed domain", NULL);
}

char *
pvr_virt_monitor(PvrVirt *virt, const char *uuid, const char *command, GError **error)
{
    g_autoptr(Domain) dom = virDomainLookupByUUIDString(virt->conn, uuid);
    char *reply = NULL;
    char *copy = NULL;

    if (!dom || virDomainQemuMonitorCommand(dom, command, &reply, 0) < 0) {
        set_virt_error(error, "cannot ask the domain's QEMU", NULL);
        return NULL;
    }
    copy = g_strdup(reply);
    free(reply);
    return copy;
}

static void
fail_network(const char *name, GError **error)
{
    /* The one that libvirt brings along only has to be put in. */
    const char *make = g_str_equal(name, "default")
                           ? "virsh net-define /usr/share/libvirt/networks/default.xml && "
                             "virsh net-start default"
                           : "'virsh net-list --all' shows them";

    g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                "no virtual network '%s'\n%s; or give --network, --bridge or --direct", name, make);
}

gboolean
pvr_virt_check_network(PvrVirt *virt, const char *name, gboolean *ret_active, GError **error)
{
    g_autoptr(Network) network = virNetworkLookupByName(virt->conn, name);
    const virError *last = network ? NULL : virGetLastError();

    if (last && last->code == VIR_ERR_NO_NETWORK) {
        fail_network(name, error);
        return FALSE;
    }
    *ret_active = !network || virNetworkIsActive(network) != 0;
    return TRUE;
}
