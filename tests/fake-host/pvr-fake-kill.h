/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Children that die in the middle of their work, as in a crash. */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* A PvrCheckpoint: @user_data is an int that counts down; the process kills itself with SIGKILL where it is 0. */
void pvr_fake_die_at_zero(const char *where, gpointer user_data);

/* Waits for @pid. TRUE when that killed it, FALSE when it ended with 0; anything else aborts. */
gboolean pvr_fake_was_killed(pid_t pid);
