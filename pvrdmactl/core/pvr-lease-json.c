/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-lease.h"

#include <string.h>

#include "pvr-error.h"
#include "pvr-json-read.h"
#include "pvr-json.h"
#include "pvr-metadata.h"
#include "pvr-step-priv.h"

#define VERSION 1
#define MAX_DOMAIN_NAME 1024
#define MAX_IBDEV 63 /* IB_DEVICE_NAME_MAX less the NUL */

static const char *const lease_members[] = {"version", "uuid",  "domain",    "id",
                                            "ibdev",   "port",  "device",    "gid",
                                            "state",   "pid",   "pid_start", "steps", NULL};

static JsonNode *
build(const PvrLease *lease)
{
    g_autoptr(JsonBuilder) builder = pvr_json_begin();
    g_autofree char *gid = pvr_gid_to_string(&lease->gid);

    pvr_json_add_string(builder, "uuid", lease->uuid);
    pvr_json_add_string(builder, "domain", lease->domain);
    pvr_json_add_int(builder, "id", lease->id);
    pvr_json_add_string(builder, "ibdev", lease->ibdev);
    pvr_json_add_int(builder, "port", lease->port);
    if (lease->device != NULL) {
        pvr_json_add_string(builder, "device", lease->device);
    }
    pvr_json_add_string(builder, "gid", gid);
    pvr_json_add_string(builder, "state", lease->state);
    pvr_json_add_int(builder, "pid", lease->pid);
    pvr_json_add_int(builder, "pid_start", (gint64)lease->pid_start);
    pvr_steps_add_json(builder, lease->steps);
    json_builder_end_object(builder);
    return json_builder_get_root(builder);
}

char *
pvr_lease_to_json(const PvrLease *lease, gsize *ret_len)
{
    g_autoptr(JsonNode) root = build(lease);
    g_autofree char *text = json_to_string(root, TRUE);
    char *line = g_strconcat(text, "\n", NULL);

    *ret_len = strlen(line);
    return line;
}

static gboolean
fail(GError **error, const char *member, const char *value)
{
    g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "member '%s' has the value '%.80s'", member,
                value);
    return FALSE;
}

static gboolean
is_state(const char *text)
{
    const char *const states[] = {PVR_LEASE_PREPARING, PVR_LEASE_PREPARED, PVR_LEASE_RUNNING, NULL};

    return g_strv_contains(states, text);
}

/* An undo changes what a step names: it must be a thing that a prepare of this lease can have made. */
static gboolean
check_step(const PvrStep *step, const PvrLease *lease, GError **error)
{
    g_autofree char *link = pvr_metadata_link_path(lease->uuid, lease->id);
    const char *own = NULL;

    switch (step->kind) {
    case PVR_STEP_SYMLINK:
        own = link;
        break;
    case PVR_STEP_RXE_ADD:
    case PVR_STEP_RXE_DEL:
        own = lease->ibdev;
        break;
    case PVR_STEP_NUM_VFS:
        return fail(error, "step", pvr_step_kind_to_string(step->kind));
    case PVR_STEP_NETDEV_MAC:
    case PVR_STEP_NETDEV_UP:
        return TRUE;
    default:
        own = pvr_lease_device(lease);
    }
    return strcmp(step->what, own) == 0 || fail(error, "what", step->what);
}

static gboolean
read_steps(JsonObject *object, PvrLease *lease, GError **error)
{
    g_autoptr(GPtrArray) steps = pvr_steps_from_json(object, PVR_LEASE_MAX_STEPS, error);

    for (guint i = 0; steps != NULL && i < steps->len; i++) {
        if (!check_step(g_ptr_array_index(steps, i), lease, error)) {
            return FALSE;
        }
    }
    if (steps == NULL) {
        return FALSE;
    }
    g_ptr_array_unref(lease->steps);
    lease->steps = g_steal_pointer(&steps);
    return TRUE;
}

/* Not in the files of older versions. */
static gboolean
read_device(JsonObject *object, PvrLease *lease, GError **error)
{
    const char *device;

    if (!json_object_has_member(object, "device")) {
        return TRUE;
    }
    device = pvr_json_get_string(object, "device", MAX_IBDEV, error);
    if (device == NULL) {
        return FALSE;
    }
    if (!pvr_step_is_pci(device) && !pvr_ibdev_check_name(device, NULL)) {
        return fail(error, "device", device);
    }
    lease->device = g_strdup(device);
    return TRUE;
}

static gboolean
read_process(JsonObject *object, PvrLease *lease, GError **error)
{
    const char *state = pvr_json_get_string(object, "state", 16, error);
    gint64 start;

    if (state == NULL || !pvr_json_get_int(object, "pid", 0, G_MAXINT32, &lease->pid, error) ||
        !pvr_json_get_int(object, "pid_start", 0, G_MAXINT64, &start, error)) {
        return FALSE;
    }
    if (!is_state(state)) {
        return fail(error, "state", state);
    }
    g_free(lease->state);
    lease->state = g_strdup(state);
    lease->pid_start = start;
    return TRUE;
}

/* Version first: the other members of another version may mean anything. */
static PvrLease *
read_key(JsonObject *object, GError **error)
{
    gint64 version, id, port;
    const char *uuid, *domain, *ibdev, *gid_text;
    PvrGid gid;

    if (!pvr_json_get_int(object, "version", VERSION, VERSION, &version, error) ||
        !pvr_json_check_members(object, lease_members, error) ||
        (uuid = pvr_json_get_string(object, "uuid", 36, error)) == NULL ||
        (domain = pvr_json_get_string(object, "domain", MAX_DOMAIN_NAME, error)) == NULL ||
        !pvr_json_get_int(object, "id", 0, PVR_DEVICE_MAX_ID, &id, error) ||
        (ibdev = pvr_json_get_string(object, "ibdev", MAX_IBDEV, error)) == NULL ||
        !pvr_json_get_int(object, "port", 1, 255, &port, error) ||
        (gid_text = pvr_json_get_string(object, "gid", 64, error)) == NULL) {
        return NULL;
    }
    if (!g_uuid_string_is_valid(uuid) || !pvr_ibdev_check_name(ibdev, NULL) ||
        !pvr_gid_parse(gid_text, &gid, NULL)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "its uuid, ibdev or gid is malformed");
        return NULL;
    }
    return pvr_lease_new(uuid, domain, id, ibdev, port, &gid);
}

PvrLease *
pvr_lease_from_json(const char *data, gsize len, GError **error)
{
    g_autoptr(JsonNode) root = NULL;
    g_autoptr(PvrLease) lease = NULL;
    JsonObject *object;

    if (len > PVR_LEASE_MAX_BYTES) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "longer than %d bytes",
                    PVR_LEASE_MAX_BYTES);
        return NULL;
    }
    root = pvr_json_parse_object(data, len, error);
    if (root == NULL) {
        return NULL;
    }
    object = json_node_get_object(root);
    lease = read_key(object, error);
    if (lease == NULL || !read_process(object, lease, error) ||
        !read_device(object, lease, error) || !read_steps(object, lease, error)) {
        return NULL;
    }
    return g_steal_pointer(&lease);
}
