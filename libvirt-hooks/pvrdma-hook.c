/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-hook.h"
#include "pvr-system.h"

int
main(int argc, char **argv)
{
    return pvr_hook_main(argc, argv, pvr_host_new_system_at);
}
