/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pvrdmactl on the fake host: every command, no kernel. Needs --root. */
#include "pvr-cli.h"
#include "pvr-fake-host.h"

static PvrHost *
make_fake(const char *root)
{
    if (root[0] == '\0')
        g_error("pvrdmactl-fake needs --root DIR");
    return pvr_host_new_fake(root);
}

int
main(int argc, char **argv)
{
    return pvr_cli_main(argc, argv, make_fake);
}
