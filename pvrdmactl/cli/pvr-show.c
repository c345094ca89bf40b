/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-show.h"

#include "pvr-json.h"

char *
pvr_show_gid_mac(const PvrGidEntry *entry)
{
    PvrMac mac;

    return pvr_gid_to_mac(&entry->gid, &mac, NULL) ? pvr_mac_to_string(&mac) : NULL;
}

void
pvr_show_gid_json(JsonBuilder *builder, const PvrGidEntry *entry)
{
    g_autofree char *gid = pvr_gid_to_string(&entry->gid);
    g_autofree char *mac = pvr_show_gid_mac(entry);

    pvr_json_add_int(builder, "index", entry->index);
    pvr_json_add_string(builder, "gid", gid);
    pvr_json_add_string(builder, "type", pvr_gid_type_to_string(entry->type));
    pvr_json_add_string(builder, "netdev", entry->netdev);
    pvr_json_add_string(builder, "mac", mac);
}

void
pvr_show_gids_json(JsonBuilder *builder, const PvrPort *port)
{
    pvr_json_begin_array(builder, "gids");
    for (guint i = 0; i < port->gids->len; i++) {
        json_builder_begin_object(builder);
        pvr_show_gid_json(builder, g_ptr_array_index(port->gids, i));
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
}

void
pvr_show_port_json(JsonBuilder *builder, const PvrPort *port)
{
    pvr_json_add_int(builder, "port", port->num);
    pvr_json_add_string(builder, "state", port->state);
    pvr_json_add_string(builder, "phys_state", port->phys_state);
    pvr_json_add_string(builder, "link_layer", port->link_layer);
    pvr_json_add_string(builder, "netdev", port->netdev);
    pvr_show_gids_json(builder, port);
}

void
pvr_show_ibdev_json(JsonBuilder *builder, const PvrIbdev *ibdev)
{
    pvr_json_add_string(builder, "name", ibdev->name);
    pvr_json_add_string(builder, "driver", ibdev->driver);
    pvr_json_add_string(builder, "node_guid", ibdev->node_guid);
    pvr_json_add_string(builder, "uverbs", ibdev->uverbs);
    pvr_json_add_string(builder, "parent", ibdev->parent);
}
