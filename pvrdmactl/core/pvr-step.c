/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-step.h"

#include <string.h>

#include "pvr-device-lock.h"
#include "pvr-error.h"
#include "pvr-json-read.h"
#include "pvr-json.h"
#include "pvr-step-priv.h"

#define MAX_TEXT 128

static const struct {
    const char *name;
    const PvrStepClass *class;
} kinds[PVR_STEP_LAST] = {
    [PVR_STEP_RXE_ADD] = {"rxe-add", &pvr_step_rxe_add},
    [PVR_STEP_SYMLINK] = {"symlink", &pvr_step_symlink},
    [PVR_STEP_RXE_DEL] = {"rxe-del", &pvr_step_rxe_del},
    [PVR_STEP_NUM_VFS] = {"num-vfs", &pvr_step_num_vfs},
    [PVR_STEP_UNBIND] = {"unbind", &pvr_step_unbind},
    [PVR_STEP_BIND] = {"bind", &pvr_step_bind},
    [PVR_STEP_VF_MAC] = {"vf-mac", &pvr_step_vf_mac},
    [PVR_STEP_VF_GUID] = {"vf-guid", &pvr_step_vf_guid},
    [PVR_STEP_VF_ATTR] = {"vf-attr", &pvr_step_vf_attr},
    [PVR_STEP_NETDEV_MAC] = {"netdev-mac", &pvr_step_netdev_mac},
    [PVR_STEP_NETDEV_UP] = {"netdev-up", &pvr_step_netdev_up},
};

static const char *const plain_members[] = {"step", "what", "on", NULL};
static const char *const all_members[] = {"step", "what", "on", "was", NULL};

PvrStep *
pvr_step_new(PvrStepKind kind, const char *what, const char *on, const char *was)
{
    PvrStep *step = g_new0(PvrStep, 1);

    step->kind = kind;
    step->what = g_strdup(what);
    step->on = g_strdup(on);
    step->was = g_strdup(was);
    return step;
}

PvrStep *
pvr_step_copy(const PvrStep *step)
{
    return pvr_step_new(step->kind, step->what, step->on, step->was);
}

void
pvr_step_free(PvrStep *step)
{
    if (step != NULL) {
        g_free(step->what);
        g_free(step->on);
        g_free(step->was);
        g_free(step);
    }
}

GPtrArray *
pvr_steps_new(void)
{
    return g_ptr_array_new_with_free_func((GDestroyNotify)pvr_step_free);
}

const char *
pvr_step_kind_to_string(PvrStepKind kind)
{
    return kinds[kind].name;
}

char *
pvr_step_to_string(const PvrStep *step)
{
    const char *name = kinds[step->kind].name;

    return step->was != NULL
               ? g_strdup_printf("%s %s: %s (was %s)", name, step->what, step->on, step->was)
               : g_strdup_printf("%s %s: %s", name, step->what, step->on);
}

gboolean
pvr_step_check(const PvrStep *step, GError **error)
{
    const PvrStepClass *class = kinds[step->kind].class;

    if ((step->was != NULL) == class->has_was && class->check(step)) {
        return TRUE;
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT,
                "step %s: 'what', 'on' or 'was' is malformed: '%.80s', '%.80s', '%.80s'",
                kinds[step->kind].name, step->what, step->on,
                step->was != NULL ? step->was : "");
    return FALSE;
}

gboolean
pvr_step_do(const PvrStep *step, PvrHost *host, GError **error)
{
    return kinds[step->kind].class->make(step, host, error);
}

gboolean
pvr_step_undo(const PvrStep *step, PvrHost *host, GError **error)
{
    return kinds[step->kind].class->undo(step, host, error);
}

gboolean
pvr_step_is_pci(const char *text)
{
    g_autofree char *address = pvr_pci_parse_address(text);

    return g_strcmp0(address, text) == 0;
}

gboolean
pvr_step_is_gone(GError *local, GError **error)
{
    if (g_error_matches(local, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
        g_error_free(local);
        return TRUE;
    }
    g_propagate_error(error, local);
    return FALSE;
}

char *
pvr_step_device(const PvrStep *step, PvrHost *host)
{
    switch (step->kind) {
    case PVR_STEP_SYMLINK:
        return NULL;
    case PVR_STEP_RXE_ADD:
    case PVR_STEP_RXE_DEL:
        return g_str_has_prefix(step->on, PVR_STEP_PCI_PREFIX)
                   ? g_strdup(step->on + strlen(PVR_STEP_PCI_PREFIX))
                   : pvr_device_key_of_netdev(host, step->on);
    case PVR_STEP_NETDEV_UP:
        return g_str_has_prefix(step->what, PVR_STEP_PCI_PREFIX)
                   ? g_strdup(step->what + strlen(PVR_STEP_PCI_PREFIX))
                   : pvr_device_key_of_netdev(host, step->what);
    case PVR_STEP_NETDEV_MAC:
        return pvr_device_key_of_netdev(host, step->what);
    default:
        return g_strdup(step->what);
    }
}

void
pvr_step_add_json(JsonBuilder *builder, const PvrStep *step)
{
    json_builder_begin_object(builder);
    pvr_json_add_string(builder, "step", kinds[step->kind].name);
    pvr_json_add_string(builder, "what", step->what);
    pvr_json_add_string(builder, "on", step->on);
    if (step->was != NULL) {
        pvr_json_add_string(builder, "was", step->was);
    }
    json_builder_end_object(builder);
}

static gboolean
find_kind(const char *name, PvrStepKind *ret_kind, GError **error)
{
    for (guint i = 0; i < PVR_STEP_LAST; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            *ret_kind = i;
            return TRUE;
        }
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "member 'step' has the value '%.40s'", name);
    return FALSE;
}

PvrStep *
pvr_step_from_json(JsonNode *node, GError **error)
{
    JsonObject *object = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
    g_autoptr(PvrStep) step = NULL;
    const char *name, *what, *on, *was = NULL;
    PvrStepKind kind;

    if (object == NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "'steps' is not an array of objects");
        return NULL;
    }
    if ((name = pvr_json_get_string(object, "step", 16, error)) == NULL ||
        !find_kind(name, &kind, error) ||
        !pvr_json_check_members(object, kinds[kind].class->has_was ? all_members : plain_members,
                                error) ||
        (what = pvr_json_get_string(object, "what", MAX_TEXT, error)) == NULL ||
        (on = pvr_json_get_string(object, "on", MAX_TEXT, error)) == NULL) {
        return NULL;
    }
    if (kinds[kind].class->has_was &&
        (was = pvr_json_get_string(object, "was", MAX_TEXT, error)) == NULL) {
        return NULL;
    }
    step = pvr_step_new(kind, what, on, was);
    return pvr_step_check(step, error) ? g_steal_pointer(&step) : NULL;
}

void
pvr_steps_add_json(JsonBuilder *builder, const GPtrArray *steps)
{
    pvr_json_begin_array(builder, "steps");
    for (guint i = 0; i < steps->len; i++) {
        pvr_step_add_json(builder, g_ptr_array_index(steps, i));
    }
    json_builder_end_array(builder);
}

GPtrArray *
pvr_steps_from_json(JsonObject *object, guint max, GError **error)
{
    JsonArray *array = pvr_json_get_array(object, "steps", max, error);
    g_autoptr(GPtrArray) steps = pvr_steps_new();

    if (array == NULL) {
        return NULL;
    }
    for (guint i = 0; i < json_array_get_length(array); i++) {
        PvrStep *step = pvr_step_from_json(json_array_get_element(array, i), error);

        if (step == NULL) {
            return NULL;
        }
        g_ptr_array_add(steps, step);
    }
    return g_steal_pointer(&steps);
}
