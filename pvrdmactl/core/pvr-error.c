/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-error.h"

G_DEFINE_QUARK(pvr-error-quark, pvr_error)

int
pvr_error_exit_code(const GError *error)
{
    if (error == NULL)
        return 0;
    if (error->domain != PVR_ERROR)
        return PVR_ERROR_FAILED;
    if (error->code >= PVR_ERROR_FAILED && error->code <= PVR_ERROR_NOTHING)
        return error->code;
    return PVR_ERROR_FAILED;
}

void
pvr_set_error_errno(GError **error, PvrError code, int err, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, PVR_ERROR, code, "%s: %s", text, g_strerror(err));
}
