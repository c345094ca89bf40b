/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any domain XML: attach fails with an error, or detach takes back all that it did. */
#include <libxml/parser.h>
#include <string.h>

#include "fuzz.h"
#include "pvr-domxml.h"
#include "pvr-plan.h"
#include "pvr-xml.h"

static void
drop_blanks(xmlNode *node)
{
    for (xmlNode *child = node->children, *next; child; child = next) {
        next = child->next;
        if (xmlIsBlankNode(child)) {
            xmlUnlinkNode(child);
            xmlFreeNode(child);
        } else if (child->type == XML_TEXT_NODE) {
            g_strstrip((char *)child->content);
        } else {
            drop_blanks(child);
        }
    }
}

/* Without blanks around elements, which libvirt does not keep either. */
static char *
canonical(const char *xml, gsize len)
{
    g_autoptr(xmlDoc) doc = pvr_xml_parse(xml, len, NULL);
    xmlChar *out = NULL;
    char *copy;

    g_assert_nonnull(doc);
    drop_blanks(xmlDocGetRootElement(doc));
    xmlDocDumpMemory(doc, &out, NULL);
    copy = g_strdup((const char *)out);
    xmlFree(out);
    return copy;
}

static gboolean
has_our_element(const char *xml, gsize len)
{
    return g_strstr_len(xml, (gssize)len, PVR_METADATA_URI) != NULL ||
           g_strstr_len(xml, (gssize)len, "&#") != NULL;
}

static void
check_inverse(const char *before, gsize len, const char *after, guint id)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *back = pvr_domxml_detach(after, strlen(after), id, NULL, &error);
    g_autofree char *want = NULL;
    g_autofree char *have = NULL;

    g_assert_no_error(error);
    /* What was there of ours may have been anything, down to an empty list that goes now. */
    if (has_our_element(before, len)) {
        return;
    }
    want = canonical(before, len);
    have = canonical(back, strlen(back));
    g_assert_cmpstr(have, ==, want);
}

static void
attach_and_detach(const char *xml, gsize size, const PvrMetaDevice *wanted)
{
    const PvrNetSource source = {PVR_NET_BRIDGE, "br0"};
    g_autoptr(PvrMetaDevice) device = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *after = pvr_domxml_attach(xml, size, wanted, &source, &device, &error);

    g_assert_true((after == NULL) == (error != NULL));
    g_assert_true((after == NULL) == (device == NULL));
    if (after != NULL) {
        check_inverse(xml, size, after, device->id);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const PvrMac mac = {{2, 0, 0, 0, 0, 1}};
    const PvrNetSource source = {PVR_NET_NETWORK, "default"};
    g_autoptr(PvrMetaDevice) wanted = pvr_plan_soft(&mac);

    pvr_domxml_check_soft((const char *)data, size, &source, &mac, NULL);
    attach_and_detach((const char *)data, size, wanted);
    wanted->backend = PVR_BACKEND_RXE;
    wanted->netdev = g_strdup("d0");
    wanted->ibdev = g_strdup("rxe_d0");
    wanted->port = 1;
    wanted->gid_index = 2;
    attach_and_detach((const char *)data, size, wanted);
    return 0;
}
