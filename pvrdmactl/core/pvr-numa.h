/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NUMA nodes of the host, as a set of bits; what is beyond node 63 is left out. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* "0-3,^2,5" as libvirt writes it; an empty set for anything that is not so. */
guint64 pvr_numa_parse(const char *text);

/* Where the guest's memory is to be, by <numatune> of the domain (an xmlNode); an empty set when nothing is said. */
guint64 pvr_numa_of_domain(gconstpointer domain);

G_END_DECLS
