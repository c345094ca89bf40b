/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-conf.h"

#include "pvr-json.h"

/* Keys that are not given are left out: null would not be read. */
static void
add_given(JsonBuilder *builder, const char *key, const char *value)
{
    if (value != NULL) {
        pvr_json_add_string(builder, key, value);
    }
}

static void
add_pf(JsonBuilder *builder, gconstpointer item)
{
    const PvrConfPf *pf = item;

    add_given(builder, "pf", pf->pf);
    pvr_json_add_int(builder, "vfs", pf->vfs);
}

static void
add_link(JsonBuilder *builder, gconstpointer item)
{
    const PvrConfLink *link = item;

    add_given(builder, "name", link->name);
    add_given(builder, "netdev", link->netdev);
    add_given(builder, "pci", link->pci);
}

static void
add_member(JsonBuilder *builder, gconstpointer item)
{
    const PvrConfMember *member = item;

    add_given(builder, "pci", member->pci);
    add_given(builder, "pf", member->pf);
    add_given(builder, "driver", member->driver);
    add_given(builder, "netdev", member->netdev);
}

static void
add_items(JsonBuilder *builder, const char *key, const GPtrArray *items,
          void (*add)(JsonBuilder *builder, gconstpointer item))
{
    pvr_json_begin_array(builder, key);
    for (guint i = 0; i < items->len; i++) {
        json_builder_begin_object(builder);
        add(builder, g_ptr_array_index(items, i));
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

static void
add_pool(JsonBuilder *builder, gconstpointer item)
{
    const PvrConfPool *pool = item;

    add_given(builder, "name", pool->name);
    add_items(builder, "members", pool->members, add_member);
    pvr_json_begin_array(builder, "policy");
    for (guint i = 0; i < pool->policies; i++) {
        json_builder_add_string_value(builder, pvr_policy_to_string(pool->policy[i]));
    }
    json_builder_end_array(builder);
}

char *
pvr_conf_to_json(const PvrConf *conf)
{
    g_autoptr(JsonBuilder) builder = pvr_json_begin();

    add_items(builder, "pfs", conf->pfs, add_pf);
    add_items(builder, "links", conf->links, add_link);
    if (conf->pools->len > 0) {
        add_items(builder, "pools", conf->pools, add_pool);
    }
    return pvr_json_end(builder);
}
