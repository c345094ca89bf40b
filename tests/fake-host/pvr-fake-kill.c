/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-fake-kill.h"

#include <signal.h>
#include <sys/wait.h>

void
pvr_fake_die_at_zero(const char *where, gpointer user_data)
{
    int *left = user_data;

    if ((*left)-- == 0) {
        raise(SIGKILL);
    }
}

gboolean
pvr_fake_was_killed(pid_t pid)
{
    int status;

    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    if (WIFSIGNALED(status)) {
        g_assert_cmpint(WTERMSIG(status), ==, SIGKILL);
        return TRUE;
    }
    g_assert_cmpint(WEXITSTATUS(status), ==, 0);
    return FALSE;
}
