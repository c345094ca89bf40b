/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-lease.h"

#include <string.h>

#include "pvr-error.h"
#include "pvr-json-read.h"
#include "pvr-json.h"
#include "pvr-metadata.h"

#define VERSION 1
#define MAX_DOMAIN_NAME 1024
#define MAX_IBDEV 63 /* IB_DEVICE_NAME_MAX less the NUL */
#define MAX_TARGET 63
#define TARGET_PREFIX "/dev/infiniband/uverbs"

static const char *const lease_members[] = {"version", "uuid",      "domain", "id",
                                            "ibdev",   "port",      "gid",    "state",
                                            "pid",     "pid_start", "steps",  NULL};
static const char *const step_members[] = {"step", "what", "on", NULL};
static const char *const step_names[] = {
    [PVR_STEP_RXE_ADD] = "rxe-add", [PVR_STEP_SYMLINK] = "symlink"};

static void
add_step(JsonBuilder *builder, const PvrStep *step)
{
    json_builder_begin_object(builder);
    pvr_json_add_string(builder, "step", step_names[step->kind]);
    pvr_json_add_string(builder, "what", step->what);
    pvr_json_add_string(builder, "on", step->on);
    json_builder_end_object(builder);
}

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
    pvr_json_add_string(builder, "gid", gid);
    pvr_json_add_string(builder, "state", lease->state);
    pvr_json_add_int(builder, "pid", lease->pid);
    pvr_json_add_int(builder, "pid_start", (gint64)lease->pid_start);
    pvr_json_begin_array(builder, "steps");
    for (guint i = 0; i < lease->steps->len; i++) {
        add_step(builder, g_ptr_array_index(lease->steps, i));
    }
    json_builder_end_array(builder);
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

static gboolean
is_target(const char *text)
{
    gsize prefix = strlen(TARGET_PREFIX);

    return g_str_has_prefix(text, TARGET_PREFIX) && text[prefix] != '\0' &&
           strspn(text + prefix, "0123456789") == strlen(text + prefix);
}

/* An undo removes what a step names: it must be a thing that a prepare can have made. */
static gboolean
check_step(const PvrStep *step, const PvrLease *lease, GError **error)
{
    g_autofree char *link = pvr_metadata_link_path(lease->uuid, lease->id);

    if (step->kind == PVR_STEP_SYMLINK) {
        if (strcmp(step->what, link) != 0) {
            return fail(error, "what", step->what);
        }
        return is_target(step->on) || fail(error, "on", step->on);
    }
    if (strcmp(step->what, lease->ibdev) != 0) {
        return fail(error, "what", step->what);
    }
    return pvr_netdev_check_name(step->on, NULL) || fail(error, "on", step->on);
}

static gboolean
read_step(JsonNode *node, PvrLease *lease, GError **error)
{
    JsonObject *object = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
    const char *name, *what, *on;
    PvrStep step = {0};

    if (object == NULL) {
        return fail(error, "steps", "not an array of objects");
    }
    if (!pvr_json_check_members(object, step_members, error) ||
        (name = pvr_json_get_string(object, "step", 16, error)) == NULL ||
        (what = pvr_json_get_string(object, "what", 128, error)) == NULL ||
        (on = pvr_json_get_string(object, "on", MAX_TARGET, error)) == NULL) {
        return FALSE;
    }
    while (step.kind < G_N_ELEMENTS(step_names) && strcmp(step_names[step.kind], name) != 0) {
        step.kind++;
    }
    if (step.kind == G_N_ELEMENTS(step_names)) {
        return fail(error, "step", name);
    }
    step.what = (char *)what;
    step.on = (char *)on;
    if (!check_step(&step, lease, error)) {
        return FALSE;
    }
    pvr_lease_add_step(lease, step.kind, what, on);
    return TRUE;
}

static gboolean
read_steps(JsonObject *object, PvrLease *lease, GError **error)
{
    JsonArray *steps = pvr_json_get_array(object, "steps", PVR_LEASE_MAX_STEPS, error);

    if (steps == NULL) {
        return FALSE;
    }
    for (guint i = 0; i < json_array_get_length(steps); i++) {
        if (!read_step(json_array_get_element(steps, i), lease, error)) {
            return FALSE;
        }
    }
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
    if (lease == NULL || !read_process(object, lease, error) || !read_steps(object, lease, error)) {
        return NULL;
    }
    return g_steal_pointer(&lease);
}
