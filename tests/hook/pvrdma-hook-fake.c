/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hook on the fake host. Needs --root. */
#include "pvr-fake-host.h"
#include "pvr-hook.h"

static PvrHost *
make_fake(const char *root)
{
    if (root[0] == '\0') {
        g_error("pvrdma-hook-fake needs --root DIR");
    }
    return pvr_host_new_fake(root);
}

int
main(int argc, char **argv)
{
    return pvr_hook_main(argc, argv, make_fake);
}
