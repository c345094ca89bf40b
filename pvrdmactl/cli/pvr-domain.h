/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What attach, detach, status and list need to know of the domains of this host. */
#pragma once

#include "pvr-cmd.h"
#include "pvr-domxml.h"
#include "pvr-holder.h"
#include "pvr-virt.h"

G_BEGIN_DECLS

/*
 * The persistent domain with that name or UUID. PVR_ERROR_NOT_FOUND, or
 * PVR_ERROR_UNSUPPORTED for a transient one. Errors name the domain by ctx->subject.
 */
PvrVirtDomain *pvr_domain_find_persistent(PvrVirt *virt, const char *name_or_uuid, GError **error);

/* What all domains together say: who holds what, who has which MAC. */
typedef struct {
    GPtrArray *holders;  /* of PvrHolder; leases included */
    GPtrArray *warnings; /* of char *: domains that could not be read */
    GPtrArray *nics;     /* for pvr_survey_find_mac() */
} PvrSurvey;

/* Reads the persistent XML of every domain, the live one of transient ones. */
PvrSurvey *pvr_domain_survey(PvrVirt *virt, PvrHost *host, GError **error);
void pvr_survey_free(PvrSurvey *survey);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrSurvey, pvr_survey_free)

/* Name of a domain with that MAC which is not @except_uuid (may be NULL), or NULL. Borrowed. */
const char *pvr_survey_find_mac(const PvrSurvey *survey, const PvrMac *mac,
                                const char *except_uuid);

/* Members of a device of the metadata, into the open object. */
void pvr_domain_device_json(JsonBuilder *builder, const PvrMetaDevice *device);

/* Gives a soft device of the metadata the MAC, and GID, that the domain XML has for it. */
void pvr_domain_complete_soft(PvrMetaDevice *device, const PvrDomxmlDevice *place);

/* "notes": [...], from an array of char *. */
void pvr_domain_notes_json(JsonBuilder *builder, const GPtrArray *notes);

/* "it takes effect at the next start" and the like, if the domain is running or saved. */
void pvr_domain_effect_notes(GPtrArray *notes, const PvrVirtDomain *domain);

G_END_DECLS
