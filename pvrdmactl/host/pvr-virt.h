/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libvirt: finding domains, reading their XML, defining it, QEMU's monitor. Linked into
 * pvrdmactl only. Errors are PVR_ERROR, with libvirt's own text where it says
 * more than we know; libvirt prints nothing by itself.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PVR_VIRT_DEFAULT_URI "qemu:///system"

typedef struct _PvrVirt PvrVirt;

typedef struct {
    char *name;
    char *uuid; /* lower case */
    gboolean active;
    gboolean persistent;
    gboolean managed_save; /* the next start restores a saved state */
} PvrVirtDomain;

typedef enum {
    PVR_VIRT_CONFIG,        /* the persistent definition; what the next start uses */
    PVR_VIRT_CONFIG_SECURE, /* the same with passwords: only this may be defined again */
    PVR_VIRT_LIVE,          /* the running domain */
} PvrVirtXml;

/**
 * pvr_virt_open: connects to @uri; NULL means LIBVIRT_DEFAULT_URI or else
 * qemu:///system. Fails with PVR_ERROR_UNSUPPORTED if it is not the QEMU
 * driver of libvirt 9.0 or later, PVR_ERROR_PRIVILEGE if the user may not.
 */
PvrVirt *pvr_virt_open(const char *uri, GError **error);
void pvr_virt_free(PvrVirt *virt);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrVirt, pvr_virt_free)

void pvr_virt_domain_free(PvrVirtDomain *domain);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrVirtDomain, pvr_virt_domain_free)

/* By name or UUID. PVR_ERROR_NOT_FOUND if there is none. */
PvrVirtDomain *pvr_virt_find(PvrVirt *virt, const char *name_or_uuid, GError **error);

/* All domains (of PvrVirtDomain), sorted by name. */
GPtrArray *pvr_virt_list(PvrVirt *virt, GError **error);

/* The caller owns the text. PVR_ERROR_NOT_FOUND if the domain is gone meanwhile. */
char *pvr_virt_get_xml(PvrVirt *virt, const char *uuid, PvrVirtXml which, GError **error);

/* Replaces the persistent definition; a running domain is not touched. */
gboolean pvr_virt_define(PvrVirt *virt, const char *xml, GError **error);

/*
 * Sends a QMP command to the QEMU of the running domain, which libvirt marks as tainted by it. The
 * reply, also one that is a refusal; the caller owns it.
 */
char *pvr_virt_monitor(PvrVirt *virt, const char *uuid, const char *command, GError **error);

/*
 * PVR_ERROR_NOT_FOUND if there is surely no such virtual network; @ret_active:
 * FALSE if it is surely not active. A connection without network driver
 * cannot know: that is no error.
 */
gboolean pvr_virt_check_network(PvrVirt *virt, const char *name, gboolean *ret_active,
                                GError **error);

G_END_DECLS
