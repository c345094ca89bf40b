/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Alone in a file because the hook's front, which is made of libc only, looks for it too. */
#pragma once

#define PVR_METADATA_URI "urn:pvrdma:domain:1"
