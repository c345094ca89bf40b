/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-holding.h"

#include <string.h>

#include "pvr-domain.h"
#include "pvr-json.h"
#include "pvr-virt.h"

void
pvr_holding_free(PvrHolding *holding)
{
    g_ptr_array_unref(holding->holders);
    g_ptr_array_unref(holding->notes);
    g_free(holding);
}

static void
add_note(PvrHolding *holding, const char *what, const GError *failed)
{
    const int first_line = (int) strcspn(failed->message, "\n");

    g_ptr_array_add(holding->notes, g_strdup_printf("%s: %.*s", what, first_line, failed->message));
}

static PvrSurvey *
ask_libvirt(const PvrCtx *ctx, GError **error)
{
    g_autoptr(PvrVirt) virt = pvr_virt_open(ctx->uri, error);

    return virt != NULL ? pvr_domain_survey(virt, ctx->host, error) : NULL;
}

static void
take_survey(PvrHolding *holding, PvrSurvey *survey)
{
    g_ptr_array_extend_and_steal(holding->holders, g_steal_pointer(&survey->holders));
    g_ptr_array_extend_and_steal(holding->notes, g_steal_pointer(&survey->warnings));
}

/* Not the survey's leases: it may be the leases that made it fail. */
static void
take_leases(PvrHolding *holding, const PvrCtx *ctx)
{
    g_autoptr(GError) failed = NULL;

    if (!pvr_holders_add_leases(holding->holders, ctx->host, &failed))
        add_note(holding, "running domains are not known", failed);
}

PvrHolding *
pvr_holding_collect(const PvrCtx *ctx, GError **error)
{
    const gboolean silent = pvr_host_get_root(ctx->host)[0] != '\0' && ctx->uri == NULL;
    g_autoptr(PvrHolding) holding = g_new0(PvrHolding, 1);
    g_autoptr(GError) failed = NULL;
    g_autoptr(PvrSurvey) survey = silent ? NULL : ask_libvirt(ctx, &failed);

    holding->holders = pvr_holders_new();
    holding->notes = g_ptr_array_new_with_free_func(g_free);
    if (survey != NULL) {
        take_survey(holding, survey);
        return g_steal_pointer(&holding);
    }
    if (failed != NULL && ctx->uri != NULL) {
        g_propagate_error(error, g_steal_pointer(&failed));
        return NULL;
    }
    take_leases(holding, ctx);
    if (failed != NULL)
        add_note(holding, "domains that do not run are not known", failed);
    return g_steal_pointer(&holding);
}

const PvrHolder *
pvr_holding_find(const PvrHolding *holding, const PvrIbdev *ibdev, guint port)
{
    const gboolean rxe = pvr_ibdev_is_rxe(ibdev);

    return pvr_holders_find(holding->holders, ibdev->name, rxe ? NULL : ibdev->parent, port,
                            rxe ? ibdev->parent : NULL, NULL);
}

const PvrHolder *
pvr_holding_find_function(const PvrHolding *holding, const PvrPci *pci)
{
    const PvrHolder *holder =
        pvr_holders_find(holding->holders, "", pci->address, 1, NULL, NULL);

    for (guint i = 0; holder == NULL && i < pci->ibdevs->len; i++)
        holder = pvr_holders_find(holding->holders, g_ptr_array_index(pci->ibdevs, i),
                                  pci->address, 1, NULL, NULL);
    for (guint i = 0; holder == NULL && i < pci->netdevs->len; i++)
        holder = pvr_holders_find(holding->holders, "", NULL, 1,
                                  g_ptr_array_index(pci->netdevs, i), NULL);
    return holder;
}

char *
pvr_holding_cell(const PvrHolder *holder)
{
    if (holder == NULL)
        return NULL;
    return g_strconcat(holder->domain, holder->leased ? " (running)" : "", NULL);
}

void
pvr_holding_show_json(JsonBuilder *builder, const PvrHolder *holder)
{
    if (holder == NULL) {
        json_builder_set_member_name(builder, "holder");
        json_builder_add_null_value(builder);
        return;
    }
    pvr_json_begin_object(builder, "holder");
    pvr_json_add_string(builder, "domain", holder->domain);
    pvr_json_add_string(builder, "uuid", holder->uuid);
    pvr_json_add_int(builder, "id", holder->id);
    pvr_json_add_bool(builder, "running", holder->leased);
    json_builder_end_object(builder);
}
