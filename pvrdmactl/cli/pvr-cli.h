/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "pvr-host.h"

/* Makes the host that the commands work on; root is "" unless --root was given. */
typedef PvrHost *(*PvrHostFactory)(const char *root);

/* All of main(): parses, dispatches, prints. Returns the exit status. */
int pvr_cli_main(int argc, char **argv, PvrHostFactory factory);
