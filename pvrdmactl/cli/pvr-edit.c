/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-edit.h"

#include <string.h>

#include "pvr-domxml.h"
#include "pvr-error.h"
#include "pvr-undo.h"
#include "pvr-xml.h"

static gboolean
get_set(const char *xml, guint32 *ret_set, GError **error)
{
    g_autoptr(PvrDomainMeta) meta = pvr_metadata_parse_domain(xml, strlen(xml), error);

    if (meta) {
        *ret_set = pvr_undo_set(meta);
    }
    return meta != NULL;
}

/* TRUE if nobody but us has changed the domain since we recorded it. */
static gboolean
is_known(PvrHost *host, const char *uuid, guint32 set, const char *current)
{
    g_autofree char *recorded = pvr_undo_load(host, uuid, set);

    return g_strcmp0(recorded, current) == 0;
}

/* libvirt has no "define if unchanged"; this leaves the smallest gap that there can be. */
static gboolean
define_if_still(PvrVirt *virt, const char *uuid, const char *before, const char *after,
                GError **error)
{
    g_autofree char *now = pvr_virt_get_xml(virt, uuid, PVR_VIRT_CONFIG_SECURE, error);

    if (!now) {
        return FALSE;
    }
    if (!g_str_equal(now, before)) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_BUSY,
                            "somebody else has just changed the domain\ntry again");
        return FALSE;
    }
    return pvr_virt_define(virt, after, error);
}

static gboolean
is_complete(const char *xml, guint id)
{
    g_autoptr(xmlDoc) doc = pvr_xml_parse(xml, strlen(xml), NULL);
    const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    g_autoptr(PvrDomainMeta) meta = root ? pvr_metadata_parse_node(root, NULL) : NULL;
    const PvrMetaDevice *device = meta ? pvr_metadata_find(meta, id) : NULL;
    g_autoptr(PvrDomxmlDevice) found = device ? pvr_domxml_find(root, device) : NULL;

    return found && found->function0 && found->function1 && found->override;
}

/* After the definition: what libvirt made of it is the text to compare with at detach. */
static gboolean
record_result(PvrVirt *virt, PvrHost *host, const char *uuid, guint32 set, guint id,
              GError **error)
{
    g_autofree char *result = pvr_virt_get_xml(virt, uuid, PVR_VIRT_CONFIG_SECURE, error);

    if (!result) {
        return FALSE;
    }
    if (!is_complete(result, id)) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                            "libvirt dropped parts of the device, so the domain was put back");
        return FALSE;
    }
    return pvr_undo_save(host, uuid, set, result, error);
}

static gboolean
define_recorded(PvrVirt *virt, PvrHost *host, const char *uuid, const char *before,
                const char *after, guint32 set, guint id, GError **error)
{
    const guint32 new_set = set | (guint32)1 << id;

    if (!pvr_undo_forget(host, uuid, (guint32)1 << id, error) ||
        !pvr_undo_save(host, uuid, set, before, error) ||
        !pvr_undo_save(host, uuid, new_set, after, error) ||
        !define_if_still(virt, uuid, before, after, error)) {
        return FALSE;
    }
    if (!record_result(virt, host, uuid, new_set, id, error)) {
        pvr_virt_define(virt, before, NULL);
        return FALSE;
    }
    return TRUE;
}

gboolean
pvr_edit_attach(PvrVirt *virt, PvrHost *host, const char *uuid, const char *before,
                const char *after, guint id, GError **error)
{
    guint32 set = 0;

    if (!get_set(before, &set, error) ||
        (!is_known(host, uuid, set, before) && !pvr_undo_forget(host, uuid, G_MAXUINT32, error))) {
        return FALSE;
    }
    if (define_recorded(virt, host, uuid, before, after, set, id, error)) {
        return TRUE;
    }
    /* Records of a domain without our devices are of no use. */
    pvr_undo_forget(host, uuid, set ? (guint32)1 << id : G_MAXUINT32, NULL);
    return FALSE;
}

void
pvr_edit_detach_free(PvrEditDetach *plan)
{
    if (!plan) {
        return;
    }
    g_free(plan->xml);
    g_free(plan->note);
    g_free(plan);
}

PvrEditDetach *
pvr_edit_plan_detach(PvrHost *host, const char *uuid, const char *current, guint id,
                     GError **error)
{
    g_autoptr(PvrEditDetach) plan = g_new0(PvrEditDetach, 1);
    guint32 set = 0;

    if (!get_set(current, &set, error)) {
        return NULL;
    }
    /* Also when there is a record: it says what is wrong with the id or the XML. */
    plan->xml = pvr_domxml_detach(current, strlen(current), id, &plan->note, error);
    if (!plan->xml) {
        return NULL;
    }
    plan->known = is_known(host, uuid, set, current);
    if (plan->known) {
        char *former = pvr_undo_load(host, uuid, set & ~((guint32)1 << id));

        plan->exact = former != NULL;
        if (former) {
            g_free(plan->xml);
            g_clear_pointer(&plan->note, g_free);
            plan->xml = former;
        }
    }
    return g_steal_pointer(&plan);
}

/* The domain is changed; what follows only concerns later exactness. */
static gboolean
settle_records(PvrVirt *virt, PvrHost *host, const char *uuid, gboolean known, guint id,
               GError **error)
{
    g_autofree char *result = pvr_virt_get_xml(virt, uuid, PVR_VIRT_CONFIG_SECURE, error);
    guint32 set = 0;

    if (!result || !get_set(result, &set, error)) {
        return FALSE;
    }
    if (!known || set == 0) {
        return pvr_undo_forget(host, uuid, G_MAXUINT32, error);
    }
    return pvr_undo_forget(host, uuid, (guint32)1 << id, error) &&
           pvr_undo_save(host, uuid, set, result, error);
}

gboolean
pvr_edit_detach(PvrVirt *virt, PvrHost *host, const char *uuid, const char *current,
                PvrEditDetach *plan, guint id, GError **error)
{
    g_autoptr(GError) failed = NULL;

    if (!define_if_still(virt, uuid, current, plan->xml, error)) {
        return FALSE;
    }
    if (!settle_records(virt, host, uuid, plan->known, id, &failed) && !plan->note) {
        g_strdelimit(failed->message, "\n", ' ');
        plan->note = g_strdup_printf("the records of its former XML are not up to date: %s",
                                     failed->message);
    }
    return TRUE;
}
