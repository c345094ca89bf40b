/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-limit.h"

#include <errno.h>
#include <sys/resource.h>

#include "pvr-error.h"
#include "pvr-host.h"

static void
set_memlock_error(int err, pid_t pid, GError **error)
{
    if (err == ESRCH)
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no process %d", (int) pid);
    else if (err == EPERM)
        g_set_error(error, PVR_ERROR, PVR_ERROR_PRIVILEGE,
                    "no permission to change the memlock limit of process %d\n"
                    "run it as root (it needs CAP_SYS_RESOURCE)", (int) pid);
    else
        pvr_set_error_errno(error, PVR_ERROR_FAILED, err,
                            "cannot change the memlock limit of process %d", (int) pid);
}

gboolean
pvr_limit_set_memlock(pid_t pid, guint64 bytes_or_max, GError **error)
{
    const rlim_t value = bytes_or_max == PVR_MEMLOCK_MAX ? RLIM_INFINITY : bytes_or_max;
    const struct rlimit limit = { value, value };

    /* To prlimit() 0 is the caller, which nobody means. */
    if (pid <= 0) {
        set_memlock_error(ESRCH, pid, error);
        return FALSE;
    }
    if (prlimit(pid, RLIMIT_MEMLOCK, &limit, NULL) != 0) {
        set_memlock_error(errno, pid, error);
        return FALSE;
    }
    return TRUE;
}
