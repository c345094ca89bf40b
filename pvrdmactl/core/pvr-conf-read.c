/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-conf-item.h"
#include "pvr-conf-priv.h"
#include "pvr-error.h"
#include "pvr-json-read.h"

#define MAX_VFS 65535 /* what NumVFs of the SR-IOV capability holds */

static const char *const file_keys[] = {"version", "pfs", "links", "pools", NULL};
static const char *const pf_keys[] = {"pf", "vfs", NULL};
static const char *const link_keys[] = {"name", "netdev", "pci", NULL};
static const char *const pool_keys[] = {"name", "members", "policy", NULL};
static const char *const member_keys[] = {"pci", "pf", "driver", "netdev", NULL};

static gboolean
read_pf(const PvrConfItem *item, gpointer target, GError **error)
{
    g_autoptr(PvrConfPf) pf = g_new0(PvrConfPf, 1);
    PvrConf *conf = target;
    gint64 vfs = 0;

    pf->where = pvr_conf_item_where(item, "");
    if (!pvr_conf_check_keys(item, pf_keys, error) || !pvr_conf_read_device(item, "pf", TRUE, &pf->pf, error) ||
        !pvr_conf_read_number(item, "vfs", MAX_VFS, &vfs, error)) {
        return FALSE;
    }
    pf->vfs = (guint)vfs;
    for (guint i = 0; i < conf->pfs->len; i++) {
        const PvrConfPf *other = g_ptr_array_index(conf->pfs, i);

        if (strcmp(other->pf, pf->pf) == 0) {
            return pvr_conf_fail_twice(error, item, "pf", "PF", pf->pf, other->where);
        }
    }
    g_ptr_array_add(conf->pfs, g_steal_pointer(&pf));
    return TRUE;
}

static gboolean
check_link_twice(const PvrConfItem *item, const PvrConf *conf, const PvrConfLink *link, GError **error)
{
    for (guint i = 0; i < conf->links->len; i++) {
        const PvrConfLink *other = g_ptr_array_index(conf->links, i);

        if (strcmp(other->name, link->name) == 0) {
            return pvr_conf_fail_twice(error, item, "name", "link", link->name, other->where);
        }
        if (link->netdev != NULL && g_strcmp0(other->netdev, link->netdev) == 0) {
            return pvr_conf_fail_twice(error, item, "netdev", "a link on netdev", link->netdev, other->where);
        }
        if (link->pci != NULL && g_strcmp0(other->pci, link->pci) == 0) {
            return pvr_conf_fail_twice(error, item, "pci", "a link on", link->pci, other->where);
        }
    }
    return TRUE;
}

static gboolean
read_link(const PvrConfItem *item, gpointer target, GError **error)
{
    g_autoptr(PvrConfLink) link = g_new0(PvrConfLink, 1);
    PvrConf *conf = target;

    link->where = pvr_conf_item_where(item, "");
    if (!pvr_conf_check_keys(item, link_keys, error) ||
        !pvr_conf_read_name(item, "name", TRUE, pvr_ibdev_check_name, &link->name, error) ||
        !pvr_conf_read_name(item, "netdev", FALSE, pvr_netdev_check_name, &link->netdev, error) ||
        !pvr_conf_read_pci(item, "pci", &link->pci, error)) {
        return FALSE;
    }
    if ((link->netdev == NULL) == (link->pci == NULL)) {
        return pvr_conf_fail(error, item, "", "needs either 'netdev' or 'pci'");
    }
    if (!check_link_twice(item, conf, link, error)) {
        return FALSE;
    }
    g_ptr_array_add(conf->links, g_steal_pointer(&link));
    return TRUE;
}

static gboolean
check_member(const PvrConfItem *item, const PvrConfMember *member, GError **error)
{
    const gboolean selector = member->driver != NULL || member->netdev != NULL;

    return (member->pci != NULL) + (member->pf != NULL) + selector == 1 ||
           pvr_conf_fail(error, item, "", "needs one of 'pci', 'pf', and a selector of 'driver', 'netdev'");
}

static gboolean
same_member(const PvrConfMember *a, const PvrConfMember *b)
{
    return g_strcmp0(a->pci, b->pci) == 0 && g_strcmp0(a->pf, b->pf) == 0 &&
           g_strcmp0(a->driver, b->driver) == 0 && g_strcmp0(a->netdev, b->netdev) == 0;
}

static gboolean
read_member(const PvrConfItem *item, gpointer target, GError **error)
{
    g_autoptr(PvrConfMember) member = g_new0(PvrConfMember, 1);
    PvrConfPool *pool = target;

    member->where = pvr_conf_item_where(item, "");
    if (!pvr_conf_check_keys(item, member_keys, error) || !pvr_conf_read_pci(item, "pci", &member->pci, error) ||
        !pvr_conf_read_device(item, "pf", FALSE, &member->pf, error) ||
        !pvr_conf_read_text(item, "driver", FALSE, &member->driver, error) ||
        !pvr_conf_read_text(item, "netdev", FALSE, &member->netdev, error) ||
        !check_member(item, member, error)) {
        return FALSE;
    }
    for (guint i = 0; i < pool->members->len; i++) {
        const PvrConfMember *other = g_ptr_array_index(pool->members, i);

        if (same_member(other, member)) {
            return pvr_conf_fail(error, item, "", "this member is in the pool twice\nthe first one is at %s",
                        other->where);
        }
    }
    g_ptr_array_add(pool->members, g_steal_pointer(&member));
    return TRUE;
}

static gboolean
has_policy(const PvrConfPool *pool, PvrConfPolicy policy)
{
    for (guint i = 0; i < pool->policies; i++) {
        if (pool->policy[i] == policy) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
add_policy(const PvrConfItem *item, PvrConfPool *pool, JsonNode *node, GError **error)
{
    const char *word = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
    PvrConfPolicy policy = PVR_POLICY_STICKY;

    while (policy < PVR_POLICY_LAST && g_strcmp0(word, pvr_policy_to_string(policy)) != 0) {
        policy++;
    }
    if (policy == PVR_POLICY_LAST || has_policy(pool, policy)) {
        return pvr_conf_fail(error, item, "policy", "not a list of 'sticky', 'numa' and 'spread', each once");
    }
    pool->policy[pool->policies++] = policy;
    return TRUE;
}

static gboolean
read_policy(const PvrConfItem *item, PvrConfPool *pool, GError **error)
{
    JsonArray *words = NULL;

    if (!pvr_conf_read_array(item, "policy", FALSE, &words, error)) {
        return FALSE;
    }
    for (guint i = 0; words == NULL && i < PVR_POLICY_LAST; i++) {
        pool->policy[pool->policies++] = (PvrConfPolicy)i;
    }
    for (guint i = 0; words != NULL && i < json_array_get_length(words); i++) {
        if (!add_policy(item, pool, json_array_get_element(words, i), error)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
read_pool(const PvrConfItem *item, gpointer target, GError **error)
{
    g_autoptr(PvrConfPool) pool = g_new0(PvrConfPool, 1);
    PvrConf *conf = target;

    pool->where = pvr_conf_item_where(item, "");
    pool->members = g_ptr_array_new_with_free_func((GDestroyNotify)pvr_conf_member_free);
    if (!pvr_conf_check_keys(item, pool_keys, error) ||
        !pvr_conf_read_name(item, "name", TRUE, pvr_conf_check_pool_name, &pool->name, error) ||
        !pvr_conf_read_items(item, "members", TRUE, read_member, pool, error) ||
        !read_policy(item, pool, error)) {
        return FALSE;
    }
    if (pool->members->len == 0) {
        return pvr_conf_fail(error, item, "members", "the pool '%s' has no member", pool->name);
    }
    for (guint i = 0; i < conf->pools->len; i++) {
        const PvrConfPool *other = g_ptr_array_index(conf->pools, i);

        if (strcmp(other->name, pool->name) == 0) {
            return pvr_conf_fail_twice(error, item, "name", "pool", pool->name, other->where);
        }
    }
    g_ptr_array_add(conf->pools, g_steal_pointer(&pool));
    return TRUE;
}

/* Version first: the other keys of another version may mean anything. */
static gboolean
read_file(const PvrConfItem *item, PvrConf *conf, GError **error)
{
    gint64 version = 0;

    if (!pvr_conf_read_number(item, "version", G_MAXINT, &version, error)) {
        return FALSE;
    }
    if (version != 1) {
        return pvr_conf_fail(error, item, "version", "%" G_GINT64_FORMAT " is not known, only 1 is",
                    version);
    }
    return pvr_conf_check_keys(item, file_keys, error) &&
           pvr_conf_read_items(item, "pfs", FALSE, read_pf, conf, error) &&
           pvr_conf_read_items(item, "links", FALSE, read_link, conf, error) &&
           pvr_conf_read_items(item, "pools", FALSE, read_pool, conf, error);
}

/* json-glib says "<data>:LINE:COLUMN: text"; others have no line. */
static void
fail_syntax(GError **error, const char *name, const char *message)
{
    const char *place = strstr(message, "<data>:");

    g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "%s:%s%s", name, place != NULL ? "" : " ",
                place != NULL ? place + strlen("<data>:") : message);
}

gboolean
pvr_conf_add(PvrConf *conf, const char *name, const char *data, gsize len, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(JsonNode) root = pvr_json_parse_object(data, len, &local);
    g_autoptr(PvrJsonLines) lines = NULL;
    PvrConfItem item = {name, NULL, NULL, ""};

    if (root == NULL) {
        fail_syntax(error, name, local->message);
        return FALSE;
    }
    lines = pvr_json_lines_new(data, len, &local);
    if (lines == NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "%s:%s", name, local->message);
        return FALSE;
    }
    item.lines = lines;
    item.object = json_node_get_object(root);
    return read_file(&item, conf, error);
}
