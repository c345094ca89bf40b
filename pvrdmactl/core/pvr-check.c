/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-check.h"

#include <string.h>

#include "pvr-check-priv.h"
#include "pvr-metadata.h"

static void
check_free(gpointer data)
{
    PvrCheck *check = data;

    g_free(check->id);
    g_free(check->evidence);
    g_free(check->remedy);
    g_free(check);
}

GPtrArray *
pvr_checks_new(void)
{
    return g_ptr_array_new_with_free_func(check_free);
}

static void G_GNUC_PRINTF(5, 0) add_va(GPtrArray *checks, const char *id, PvrCheckState state,
                                       const char *remedy, const char *evidence, va_list args)
{
    PvrCheck *check = g_new0(PvrCheck, 1);

    check->id = g_strdup(id);
    check->state = state;
    check->evidence = g_strdup_vprintf(evidence, args);
    check->remedy = g_strdup(remedy);
    g_ptr_array_add(checks, check);
}

void
pvr_checks_add(GPtrArray *checks, const char *id, PvrCheckState state, const char *remedy,
               const char *evidence, ...)
{
    va_list args;

    va_start(args, evidence);
    add_va(checks, id, state, remedy, evidence, args);
    va_end(args);
}

void
pvr_checks_add_result(GPtrArray *checks, const char *id, PvrCheckState bad, const GError *error,
                      const char *evidence, ...)
{
    g_auto(GStrv) lines = NULL;
    va_list args;

    if (error != NULL) {
        lines = g_strsplit(error->message, "\n", 2);
        pvr_checks_add(checks, id, bad, lines[0] != NULL ? lines[1] : NULL, "%s",
                       lines[0] != NULL ? lines[0] : "unknown");
        return;
    }
    va_start(args, evidence);
    add_va(checks, id, PVR_CHECK_OK, NULL, evidence, args);
    va_end(args);
}

#define MAX_NAMES 4

void
pvr_check_names_add(PvrCheckNames *names, const char *format, ...)
{
    va_list args;

    if (names->names == NULL) {
        names->names = g_string_new(NULL);
    }
    if (names->count++ >= MAX_NAMES) {
        return;
    }
    if (names->count > 1) {
        g_string_append(names->names, ", ");
    }
    va_start(args, format);
    g_string_append_vprintf(names->names, format, args);
    va_end(args);
}

const char *
pvr_check_names_text(PvrCheckNames *names)
{
    if (names->count > MAX_NAMES) {
        g_string_append_printf(names->names, " and %u more", names->count - MAX_NAMES);
        names->count = MAX_NAMES; /* not a second time */
    }
    return names->names != NULL ? names->names->str : "";
}

void
pvr_check_names_clear(PvrCheckNames *names)
{
    if (names->names != NULL) {
        g_string_free(g_steal_pointer(&names->names), TRUE);
    }
}

guint
pvr_use_of_domain(const char *xml, gsize len)
{
    g_autoptr(PvrDomainMeta) meta = pvr_metadata_parse_domain(xml, len, NULL);
    guint use = 0;

    for (guint i = 0; meta != NULL && i < meta->devices->len; i++) {
        const PvrMetaDevice *device = g_ptr_array_index(meta->devices, i);

        use |= device->backend == PVR_BACKEND_SOFT ? PVR_USE_SOFT : PVR_USE_HOST;
    }
    return use;
}

void
pvr_checks_add_missing(GPtrArray *checks, const char *id, guint use, PvrCheckState bad,
                       const char *remedy, const char *evidence, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, evidence);
    text = g_strdup_vprintf(evidence, args);
    va_end(args);
    if ((use & PVR_USE_HOST) != 0) {
        pvr_checks_add(checks, id, bad, remedy, "%s", text);
    } else if (use == 0) {
        pvr_checks_add(checks, id, MIN(bad, PVR_CHECK_WARNING), remedy,
                       "%s (needed only for --rxe and --ibdev)", text);
    } else {
        pvr_checks_add(checks, id, PVR_CHECK_NA, NULL, "%s (not needed for soft devices)", text);
    }
}

PvrCheckState
pvr_checks_worst(const GPtrArray *checks)
{
    PvrCheckState worst = PVR_CHECK_OK;

    for (guint i = 0; i < checks->len; i++) {
        const PvrCheck *check = g_ptr_array_index(checks, i);

        worst = MAX(worst, check->state);
    }
    return worst;
}

guint
pvr_checks_count(const GPtrArray *checks, PvrCheckState state)
{
    guint count = 0;

    for (guint i = 0; i < checks->len; i++) {
        const PvrCheck *check = g_ptr_array_index(checks, i);

        count += check->state == state;
    }
    return count;
}

const char *
pvr_check_state_to_string(PvrCheckState state)
{
    static const char *const names[] = {[PVR_CHECK_OK] = "ok",
                                        [PVR_CHECK_NA] = "n/a",
                                        [PVR_CHECK_WARNING] = "warning",
                                        [PVR_CHECK_FAILED] = "failed"};

    return names[state];
}

#define NO_MODEL "install a QEMU with this project's patches, or set <emulator> to one"

/* QEMU up to 9.0 has a device of the same name, without our properties, which cannot work here. */
gboolean
pvr_check_emulator(const char *emulator, const char *models, const char *properties,
                   const GError *error, GPtrArray *checks)
{
    if (models == NULL) {
        pvr_checks_add_result(checks, "emulator.device", PVR_CHECK_FAILED, error, "unknown");
    } else if (strstr(models, "name \"pvrdma\"") == NULL) {
        pvr_checks_add(checks, "emulator.device", PVR_CHECK_FAILED, NO_MODEL,
                       "'%s' has no device model pvrdma", emulator);
    } else if (properties == NULL || strstr(properties, "backend-dev=") == NULL) {
        pvr_checks_add(checks, "emulator.device", PVR_CHECK_FAILED, NO_MODEL,
                       "'%s' has another device of the name pvrdma, the one that QEMU 9.1 removed",
                       emulator);
    } else {
        pvr_checks_add(checks, "emulator.device", PVR_CHECK_OK, NULL,
                       "'%s' has the device model pvrdma", emulator);
        return TRUE;
    }
    return FALSE;
}

void
pvr_check_emulator_soft(const char *emulator, guint use, const GError *error, GPtrArray *checks)
{
    const PvrCheckState bad = use == 0 ? PVR_CHECK_WARNING : PVR_CHECK_FAILED;

    if (use != 0 && (use & PVR_USE_SOFT) == 0) {
        pvr_checks_add(checks, "emulator.soft", PVR_CHECK_NA, NULL,
                       "the domain has no soft device");
        return;
    }
    pvr_checks_add_result(checks, "emulator.soft", bad, error, "'%s' starts with a soft device",
                          emulator);
}
