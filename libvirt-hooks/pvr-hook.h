/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pvrdma-hook without its main(), so that the tests can run it on the fake host.
 *
 * Rules that libvirt sets (see pvrdma-hook(8)): it waits for the hook without a time limit, so every
 * wait here has one; a hook that fails at `started` has its guest killed; calling libvirt from here
 * blocks for ever; standard output is ignored or, at `migrate` and `restore`, taken for a new domain
 * XML: nothing is ever written there.
 */
#pragma once

#include "pvr-host.h"

typedef PvrHost *(*PvrHookHostFactory)(const char *root);

/* Returns the exit status. argv: [--root DIR] NAME OP SUBOP EXTRA, as libvirt passes it. */
int pvr_hook_main(int argc, char **argv, PvrHookHostFactory factory);
