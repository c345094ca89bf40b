/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-domain.h"

#include <string.h>

#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-xml.h"

PvrVirtDomain *
pvr_domain_find_persistent(PvrVirt *virt, const char *name_or_uuid, GError **error)
{
    g_autoptr(PvrVirtDomain) domain = pvr_virt_find(virt, name_or_uuid, error);

    if (domain && !domain->persistent) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "the domain is transient, it has no configuration to change\n"
                    "make it persistent: virsh dumpxml %s > FILE; virsh define FILE",
                    domain->name);
        return NULL;
    }
    return g_steal_pointer(&domain);
}

void
pvr_survey_free(PvrSurvey *survey)
{
    if (!survey) {
        return;
    }
    g_clear_pointer(&survey->holders, g_ptr_array_unref);
    g_clear_pointer(&survey->warnings, g_ptr_array_unref);
    g_clear_pointer(&survey->nics, g_ptr_array_unref);
    g_free(survey);
}

typedef struct {
    PvrMac mac;
    char *domain;
    char *uuid;
} Nic;

static void
nic_free(gpointer data)
{
    Nic *nic = data;

    g_free(nic->domain);
    g_free(nic->uuid);
    g_free(nic);
}

static void
survey_nics(PvrSurvey *survey, const PvrVirtDomain *domain, const xmlNode *root)
{
    g_autoptr(GArray) macs = pvr_domxml_list_macs(root);

    for (guint i = 0; i < macs->len; i++) {
        Nic *nic = g_new0(Nic, 1);

        nic->mac = g_array_index(macs, PvrMac, i);
        nic->domain = g_strdup(domain->name);
        nic->uuid = g_strdup(domain->uuid);
        g_ptr_array_add(survey->nics, nic);
    }
}

const char *
pvr_survey_find_mac(const PvrSurvey *survey, const PvrMac *mac, const char *except_uuid)
{
    for (guint i = 0; i < survey->nics->len; i++) {
        const Nic *nic = g_ptr_array_index(survey->nics, i);

        if (pvr_mac_equal(&nic->mac, mac) && g_strcmp0(nic->uuid, except_uuid) != 0) {
            return nic->domain;
        }
    }
    return NULL;
}

static void
survey_xml(PvrSurvey *survey, const PvrVirtDomain *domain, const char *xml)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(xmlDoc) doc = pvr_xml_parse(xml, strlen(xml), &error);
    const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    g_autoptr(PvrDomainMeta) meta = root ? pvr_metadata_parse_node(root, &error) : NULL;

    if (root) {
        survey_nics(survey, domain, root);
    }
    if (meta) {
        pvr_holders_add_domain(survey->holders, meta);
    } else {
        g_strdelimit(error->message, "\n", ' ');
        g_ptr_array_add(survey->warnings, g_strdup_printf("domain '%s' was left out: %s",
                                                          domain->name, error->message));
    }
}

static gboolean
survey_domain(PvrSurvey *survey, PvrVirt *virt, const PvrVirtDomain *domain, GError **error)
{
    g_autoptr(GError) failed = NULL;
    g_autofree char *xml = pvr_virt_get_xml(
        virt, domain->uuid, domain->persistent ? PVR_VIRT_CONFIG : PVR_VIRT_LIVE, &failed);

    if (xml) {
        survey_xml(survey, domain, xml);
        return TRUE;
    }
    if (g_error_matches(failed, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
        return TRUE; /* gone since it was listed */
    }
    g_propagate_error(error, g_steal_pointer(&failed));
    return FALSE;
}

PvrSurvey *
pvr_domain_survey(PvrVirt *virt, PvrHost *host, GError **error)
{
    g_autoptr(PvrSurvey) survey = g_new0(PvrSurvey, 1);
    g_autoptr(GPtrArray) domains = pvr_virt_list(virt, error);

    survey->holders = pvr_holders_new();
    survey->warnings = g_ptr_array_new_with_free_func(g_free);
    survey->nics = g_ptr_array_new_with_free_func(nic_free);
    if (!domains || !pvr_holders_add_leases(survey->holders, host, error)) {
        return NULL;
    }
    for (guint i = 0; i < domains->len; i++) {
        if (!survey_domain(survey, virt, g_ptr_array_index(domains, i), error)) {
            return NULL;
        }
    }
    return g_steal_pointer(&survey);
}

static void
add_number(JsonBuilder *builder, const char *name, gboolean known, int value)
{
    json_builder_set_member_name(builder, name);
    if (known) {
        json_builder_add_int_value(builder, value);
    } else {
        json_builder_add_null_value(builder);
    }
}

void
pvr_domain_device_json(JsonBuilder *builder, const PvrMetaDevice *device)
{
    const gboolean has_mac = pvr_mac_is_usable(&device->mac);
    g_autofree char *gid = has_mac ? pvr_gid_to_string(&device->gid) : NULL;
    g_autofree char *mac = has_mac ? pvr_mac_to_string(&device->mac) : NULL;
    g_autofree char *policy = pvr_gid_policy_to_string(device->gid_policy);

    pvr_json_add_int(builder, "id", device->id);
    pvr_json_add_string(builder, "backend", pvr_backend_to_string(device->backend));
    pvr_json_add_string(builder, "ibdev", device->ibdev);
    pvr_json_add_string(builder, "pci", device->pci);
    pvr_json_add_string(builder, "guid", device->guid);
    pvr_json_add_string(builder, "pool", device->pool);
    add_number(builder, "port", device->port > 0, (int)device->port);
    pvr_json_add_string(builder, "netdev", device->netdev);
    pvr_json_add_string(builder, "gid", gid);
    add_number(builder, "gid_index", device->gid_index >= 0, device->gid_index);
    pvr_json_add_string(builder, "gid_policy", policy);
    pvr_json_add_string(builder, "mac", mac);
    pvr_json_add_string(builder, "alias", device->alias);
    pvr_json_add_string(builder, "path", device->path);
}

void
pvr_domain_complete_soft(PvrMetaDevice *device, const PvrDomxmlDevice *place)
{
    if (device->backend == PVR_BACKEND_SOFT && place->net_mac &&
        pvr_mac_parse(place->net_mac, &device->mac, NULL)) {
        pvr_gid_from_mac(&device->mac, &device->gid);
    }
}

void
pvr_domain_notes_json(JsonBuilder *builder, const GPtrArray *notes)
{
    pvr_json_begin_array(builder, "notes");
    for (guint i = 0; i < notes->len; i++) {
        json_builder_add_string_value(builder, g_ptr_array_index(notes, i));
    }
    json_builder_end_array(builder);
}

void
pvr_domain_effect_notes(GPtrArray *notes, const PvrVirtDomain *domain)
{
    if (domain->active) {
        g_ptr_array_add(notes, g_strdup_printf("'%s' is running: this takes effect at its next "
                                               "start (a reboot of the guest is not enough)",
                                               domain->name));
    }
    if (domain->managed_save) {
        g_ptr_array_add(notes, g_strdup_printf("'%s' has a saved state, which does not know of "
                                               "this: 'virsh managedsave-remove %s' discards it",
                                               domain->name, domain->name));
    }
}
