/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "pvr-cmd.h"

/* Help of one command. */
void pvr_help_command(GString *out, const PvrCommand *command, const GOptionEntry *common);

/* The list of all commands whose name starts with the word `group`; NULL = all, with general text. */
void pvr_help_commands(GString *out, const char *group, const GOptionEntry *common);
