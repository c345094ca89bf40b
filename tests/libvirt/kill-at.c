/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a program and kills it just before its Nth change of a directory (rename, unlink, rmdir):
 * each of these makes a step of ours or of libvirt final.
 *   kill-at N PROGRAM ARGS...
 * Exit status: 99 if it was killed, else the program's.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* PTRACE_GET_SYSCALL_INFO needs Linux 5.3. */
#define KILLED 99
#define BROKEN 98

static int
is_step(unsigned long long nr)
{
    switch (nr) {
#ifdef SYS_rename
    case SYS_rename:
    case SYS_unlink:
    case SYS_rmdir:
#endif
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_unlinkat:
        return 1;
    default:
        return 0;
    }
}

static void
run_traced(char **argv)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) {
        perror("kill-at: ptrace");
        _exit(BROKEN);
    }
    execv(argv[0], argv);
    perror(argv[0]);
    _exit(BROKEN);
}

/* TRUE if the stop is the entry of a call that counts. */
static int
at_step(pid_t pid, int status)
{
    struct __ptrace_syscall_info info;

    memset(&info, 0, sizeof info);
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
        return 0;
    }
    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof info, &info) < 0) {
        perror("kill-at: PTRACE_GET_SYSCALL_INFO");
        exit(BROKEN);
    }
    return info.op == PTRACE_SYSCALL_INFO_ENTRY && is_step(info.entry.nr);
}

int
main(int argc, char **argv)
{
    long left = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    long deliver = 0;
    int status = 0;
    pid_t pid;

    if (left < 1) {
        fprintf(stderr, "usage: kill-at N PROGRAM ARGS...\n");
        return BROKEN;
    }
    pid = fork();
    if (pid == 0) {
        run_traced(argv + 2);
    }
    waitpid(pid, &status, 0); /* the exec */
    if (ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))) {
        return BROKEN;
    }
    while (WIFSTOPPED(status)) {
        if (at_step(pid, status) && --left == 0) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return KILLED;
        }
        deliver = WSTOPSIG(status) == SIGTRAP || WSTOPSIG(status) == (SIGTRAP | 0x80)
                      ? 0
                      : WSTOPSIG(status);
        if (ptrace(PTRACE_SYSCALL, pid, NULL, (void *)deliver) < 0 ||
            waitpid(pid, &status, 0) < 0) {
            return BROKEN;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : BROKEN;
}
