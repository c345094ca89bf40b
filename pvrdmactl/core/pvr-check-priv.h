/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the pvr-check-*.c files only. */
#pragma once

#include "pvr-check.h"
#include "pvr-domview.h"

/* pvr-check-host.c: loaded, or built in. */
gboolean pvr_check_module_present(PvrHost *host, const char *module);

/* What several devices have in common: "mlx5_0, mlx5_1 and 6 more". */
typedef struct {
    GString *names;
    guint count;
} PvrCheckNames;

void pvr_check_names_add(PvrCheckNames *names, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Never NULL; borrowed. */
const char *pvr_check_names_text(PvrCheckNames *names);
void pvr_check_names_clear(PvrCheckNames *names);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PvrCheckNames, pvr_check_names_clear)

/* Groups that pvr_check_host() calls. @ibdevs: all of the host. */
void pvr_check_rdma(PvrHost *host, guint use, const GPtrArray *ibdevs, GPtrArray *checks);
void pvr_check_bonds(PvrHost *host, guint use, const GPtrArray *ibdevs, GPtrArray *checks);
void pvr_check_pci(PvrHost *host, guint use, GPtrArray *checks);

/* One device of a domain that works through the host. */
typedef struct {
    PvrHost *host;
    const PvrDomainView *view;
    const PvrMetaDevice *device;
    gboolean running;
    GPtrArray *checks;
} PvrCheckDevice;

/* pvr-check-device.c */
void pvr_check_device(const PvrCheckDevice *ctx, const PvrIbdev *ibdev);
/* pvr-check-xml.c */
void pvr_check_xml(const char *xml, gsize len, GPtrArray *checks);
