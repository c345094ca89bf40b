/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-emulator.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-run.h"

/* An open file with @text; not a pipe, since who is gone before he has read it would end us. */
static int
input_file(const char *text)
{
    int fd = memfd_create("emulator-input", MFD_CLOEXEC);

    if (fd >= 0 && (write(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Runs @emulator with @args (not its name) and @input, if it is to have any. */
static GSubprocess *
start(PvrHost *host, const char *emulator, const char *const *args, const char *input,
      GSubprocessFlags flags, GError **error)
{
    g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new(flags);
    g_autofree char *path = g_strconcat(pvr_host_get_root(host), emulator, NULL);
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_autoptr(GError) local = NULL;
    GSubprocess *process = NULL;

    if (!g_file_test(path, G_FILE_TEST_IS_EXECUTABLE)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "there is no program '%s'\ninstall QEMU, or correct <emulator>", emulator);
        return NULL;
    }
    g_ptr_array_add(argv, path);
    for (guint i = 0; args[i] != NULL; i++) {
        g_ptr_array_add(argv, (gpointer)args[i]);
    }
    g_ptr_array_add(argv, NULL);
    if (input != NULL) {
        g_subprocess_launcher_take_stdin_fd(launcher, input_file(input));
    }
    process =
        g_subprocess_launcher_spawnv(launcher, (const char *const *)argv->pdata, &local);
    if (process == NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "cannot run '%s': %s", emulator,
                    local->message);
    }
    return process;
}

/* FALSE with an error unless it ended in time and well. @what: of the command line, for the message. */
static gboolean
check_run(const PvrRun *run, GSubprocess *process, const char *emulator, const char *what,
          guint timeout_ms, GError **error)
{
    if (g_error_matches(run->error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "'%s -device %s' did not end within %u s",
                    emulator, what, timeout_ms / 1000);
        return FALSE;
    }
    if (run->error != NULL || !g_subprocess_get_successful(process)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "'%s -device %s' failed%s%s", emulator,
                    what, run->error != NULL ? ": " : "",
                    run->error != NULL ? run->error->message : "");
        return FALSE;
    }
    return TRUE;
}

char *
pvr_emulator_ask(PvrHost *host, const char *emulator, const char *what, guint timeout_ms,
                 GError **error)
{
    const char *const args[] = {"-nodefaults", "-machine", "none", "-device", what, NULL};
    g_autoptr(GSubprocess) process =
        start(host, emulator, args, NULL,
              G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, error);
    g_auto(PvrRun) run = {0};

    if (process == NULL) {
        return NULL;
    }
    pvr_run_communicate(process, timeout_ms, &run);
    return check_run(&run, process, emulator, what, timeout_ms, error)
               ? g_steal_pointer(&run.out)
               : NULL;
}

#define SOFT_DEVICE "pvrdma,addr=5.1"

/* No CPU runs, and nothing of the host is opened, not even an option ROM. */
static const char *const soft_args[] = {
    "-nodefaults", "-display", "none", "-machine", "q35,accel=tcg:kvm", "-m", "16M", "-S",
    "-netdev", "hubport,id=net,hubid=0",
    "-device", "vmxnet3,netdev=net,addr=5.0,multifunction=on,romfile=",
    "-device", SOFT_DEVICE,
    "-monitor", "stdio", NULL,
};

/* The last thing that QEMU says of the device; NULL if it says nothing. */
static char *
complaint(const char *out)
{
    const char *begin = out != NULL ? g_strrstr(out, SOFT_DEVICE ": ") : NULL;

    if (begin == NULL) {
        return NULL;
    }
    begin += strlen(SOFT_DEVICE ": ");
    return g_strndup(begin, strcspn(begin, "\r\n"));
}

gboolean
pvr_emulator_try_soft(PvrHost *host, const char *emulator, guint timeout_ms, GError **error)
{
    g_autoptr(GSubprocess) process =
        start(host, emulator, soft_args, "quit\n",
              G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_MERGE, error);
    g_auto(PvrRun) run = {0};
    g_autofree char *why = NULL;

    if (process == NULL) {
        return FALSE;
    }
    pvr_run_communicate(process, timeout_ms, &run);
    why = complaint(run.out);
    if (why != NULL && !g_subprocess_get_successful(process)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "'%s' does not start with a soft device: %s\n"
                    "install a QEMU with this project's patches, or set <emulator> to one",
                    emulator, why);
        return FALSE;
    }
    return check_run(&run, process, emulator, SOFT_DEVICE, timeout_ms, error);
}
