/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-status-stats.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "pvr-domain.h"
#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-stats-show.h"
#include "pvr-stats.h"
#include "pvr-xml.h"

/* Home, and clear from there. */
#define REDRAW "\033[H\033[J"

/* One device at one time. */
typedef struct {
    char *domain, *uuid;
    int id; /* -1: not in our metadata */
    char *alias;
    JsonNode *stats;
    gint64 time; /* microseconds */
} Sample;

typedef struct {
    PvrCtx *ctx;
    PvrVirt *virt;
    const char *name;
    double interval;
    GPtrArray *before; /* of Sample; empty at first */
    GPtrArray *notes;  /* of the round */
} Watch;

/* What pvr_virt_monitor() needs. */
typedef struct {
    PvrVirt *virt;
    const char *uuid;
} Monitor;

static void
sample_free(gpointer data)
{
    Sample *sample = data;

    g_free(sample->domain);
    g_free(sample->uuid);
    g_free(sample->alias);
    json_node_unref(sample->stats);
    g_free(sample);
}

static void
watch_clear(Watch *watch)
{
    g_clear_pointer(&watch->before, g_ptr_array_unref);
    g_clear_pointer(&watch->notes, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Watch, watch_clear)

static char *
send_command(gpointer data, const char *command, GError **error)
{
    const Monitor *monitor = data;

    return pvr_virt_monitor(monitor->virt, monitor->uuid, command, error);
}

static PvrDomainMeta *
read_metadata(Watch *watch, const PvrVirtDomain *domain, GError **error)
{
    g_autofree char *xml = pvr_virt_get_xml(watch->virt, domain->uuid, PVR_VIRT_LIVE, error);
    g_autoptr(xmlDoc) doc = xml ? pvr_xml_parse(xml, strlen(xml), error) : NULL;

    return doc ? pvr_metadata_parse_node(xmlDocGetRootElement(doc), error) : NULL;
}

static int
id_of(const PvrDomainMeta *meta, const char *alias)
{
    for (guint id = 0; id < PVR_METADATA_MAX_DEVICES; id++) {
        const PvrMetaDevice *device = pvr_metadata_find(meta, id);

        if (device && g_strcmp0(device->alias, alias) == 0) {
            return (int)id;
        }
    }
    return -1;
}

static gboolean
has_devices(const PvrDomainMeta *meta)
{
    for (guint id = 0; id < PVR_METADATA_MAX_DEVICES; id++) {
        if (pvr_metadata_find(meta, id)) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
sample_device(Monitor *monitor, const PvrVirtDomain *domain, const PvrDomainMeta *meta,
              const char *alias, GPtrArray *samples, GError **error)
{
    JsonNode *stats = pvr_stats_read(send_command, monitor, alias, error);
    Sample *sample = NULL;

    if (!stats) {
        return FALSE;
    }
    sample = g_new0(Sample, 1);
    sample->domain = g_strdup(domain->name);
    sample->uuid = g_strdup(domain->uuid);
    sample->id = id_of(meta, alias);
    sample->alias = g_strdup(alias);
    sample->stats = stats;
    sample->time = g_get_monotonic_time();
    g_ptr_array_add(samples, sample);
    return TRUE;
}

/* Of all domains, only those are asked, and marked, that say they have a device. */
static gboolean
sample_domain(Watch *watch, const PvrVirtDomain *domain, GPtrArray *samples, GError **error)
{
    Monitor monitor = {watch->virt, domain->uuid};
    g_autoptr(PvrDomainMeta) meta = read_metadata(watch, domain, error);
    g_autoptr(GPtrArray) aliases = NULL;

    if (!meta) {
        return FALSE;
    }
    if (!watch->name && !has_devices(meta)) {
        return TRUE;
    }
    aliases = pvr_stats_list(send_command, &monitor, error);
    for (guint i = 0; aliases && i < aliases->len; i++) {
        if (!sample_device(&monitor, domain, meta, g_ptr_array_index(aliases, i), samples,
                           error)) {
            return FALSE;
        }
    }
    return aliases != NULL;
}

static gboolean
still_runs(Watch *watch, const char *uuid)
{
    g_autoptr(PvrVirtDomain) domain = pvr_virt_find(watch->virt, uuid, NULL);

    return domain && domain->active;
}

static gboolean
sample_all(Watch *watch, GPtrArray *samples, GError **error)
{
    g_autoptr(GPtrArray) domains = pvr_virt_list(watch->virt, error);

    for (guint i = 0; domains && i < domains->len; i++) {
        const PvrVirtDomain *domain = g_ptr_array_index(domains, i);
        g_autoptr(GError) failed = NULL;

        if (domain->active && !sample_domain(watch, domain, samples, &failed) &&
            still_runs(watch, domain->uuid)) {
            g_strdelimit(failed->message, "\n", ' ');
            g_ptr_array_add(watch->notes, g_strdup_printf("domain '%s' was left out: %s",
                                                          domain->name, failed->message));
        }
    }
    return domains != NULL;
}

static gboolean
sample_one(Watch *watch, GPtrArray *samples, GError **error)
{
    g_autoptr(PvrVirtDomain) domain = pvr_virt_find(watch->virt, watch->name, error);

    if (domain && !domain->active) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "the domain is not running\nstart it: virsh start %s", domain->name);
        return FALSE;
    }
    return domain && sample_domain(watch, domain, samples, error);
}

static const Sample *
find_before(const Watch *watch, const Sample *sample)
{
    for (guint i = 0; i < watch->before->len; i++) {
        const Sample *other = g_ptr_array_index(watch->before, i);

        if (g_str_equal(other->uuid, sample->uuid) && g_str_equal(other->alias, sample->alias)) {
            return other;
        }
    }
    return NULL;
}

static PvrStatsView
view_of(const Watch *watch, const Sample *sample)
{
    const Sample *before = find_before(watch, sample);

    return (PvrStatsView){
        .domain = sample->domain,
        .uuid = sample->uuid,
        .id = sample->id,
        .alias = sample->alias,
        .now = json_node_get_object(sample->stats),
        .before = before ? json_node_get_object(before->stats) : NULL,
        .seconds = before ? (double)(sample->time - before->time) / G_USEC_PER_SEC : 0,
        .watch = watch->interval > 0,
    };
}

static void
show_json(Watch *watch, const GPtrArray *samples)
{
    g_autoptr(JsonBuilder) builder = pvr_json_begin();

    pvr_json_begin_array(builder, "devices");
    for (guint i = 0; i < samples->len; i++) {
        const PvrStatsView view = view_of(watch, g_ptr_array_index(samples, i));

        pvr_stats_show_json(builder, &view);
    }
    json_builder_end_array(builder);
    pvr_domain_notes_json(builder, watch->notes);
    pvr_out_json(watch->ctx, builder);
}

/* On a terminal each round takes the place of the one before, elsewhere they follow each other. */
static void
show_round_heading(Watch *watch)
{
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *text = g_date_time_format(now, "%F %T");

    pvr_out(watch->ctx, "%s== %s\n", isatty(STDOUT_FILENO) ? REDRAW : "", text);
}

static void
show_text(Watch *watch, const GPtrArray *samples)
{
    if (watch->interval > 0) {
        show_round_heading(watch);
    }
    for (guint i = 0; i < samples->len; i++) {
        const PvrStatsView view = view_of(watch, g_ptr_array_index(samples, i));

        pvr_out(watch->ctx, "%s", i ? "\n" : "");
        pvr_stats_show_text(watch->ctx, &view);
    }
    if (!samples->len && watch->name) {
        pvr_out(watch->ctx, "'%s' runs without an RDMA device\n", watch->name);
    } else if (!samples->len) {
        pvr_out(watch->ctx, "no running domain has an RDMA device\n");
    }
    for (guint i = 0; i < watch->notes->len; i++) {
        pvr_out(watch->ctx, "note: %s\n", (const char *)g_ptr_array_index(watch->notes, i));
    }
}

/* Asks and shows; @ret_count: devices that there are. */
static gboolean
run_round(Watch *watch, guint *ret_count, GError **error)
{
    g_autoptr(GPtrArray) samples = g_ptr_array_new_with_free_func(sample_free);

    g_ptr_array_set_size(watch->notes, 0);
    if (watch->name ? !sample_one(watch, samples, error) : !sample_all(watch, samples, error)) {
        return FALSE;
    }
    if (watch->ctx->json) {
        show_json(watch, samples);
    } else {
        show_text(watch, samples);
    }
    *ret_count = samples->len;
    g_ptr_array_unref(watch->before);
    watch->before = g_steal_pointer(&samples);
    return TRUE;
}

/* TRUE if SIGINT, which is blocked, came meanwhile. */
static gboolean
wait_for_signal(const sigset_t *signals, double seconds)
{
    const struct timespec time = {
        .tv_sec = (time_t)seconds,
        .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9),
    };

    return sigtimedwait(signals, NULL, &time) == SIGINT;
}

static gboolean
watch_on(Watch *watch, const sigset_t *signals, GError **error)
{
    g_autoptr(GError) failed = NULL;
    guint count = watch->before->len;

    while (count) {
        if (!pvr_out_flush(watch->ctx, error)) {
            return FALSE;
        }
        if (wait_for_signal(signals, watch->interval)) {
            return TRUE;
        }
        if (!run_round(watch, &count, &failed)) {
            if (!watch->name || still_runs(watch, watch->name)) {
                g_propagate_error(error, g_steal_pointer(&failed));
                return FALSE;
            }
            return TRUE; /* it has stopped */
        }
    }
    return TRUE;
}

gboolean
pvr_status_stats(PvrCtx *ctx, PvrVirt *virt, const char *name, double interval, GError **error)
{
    g_auto(Watch) watch = {
        .ctx = ctx,
        .virt = virt,
        .name = name,
        .interval = interval,
        .before = g_ptr_array_new_with_free_func(sample_free),
        .notes = g_ptr_array_new_with_free_func(g_free),
    };
    sigset_t signals;
    guint count;
    gboolean done;

    if (interval <= 0) {
        return run_round(&watch, &count, error);
    }
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    done = run_round(&watch, &count, error) && watch_on(&watch, &signals, error);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    return done;
}
