/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libvirt starts, for every operation on every domain of the host. It decides whether the
 * operation is any business of ours, and only then runs the program that does the work. It needs
 * nothing but libc, because loading the libraries of that program takes several times as long as
 * everything that is done here.
 *
 * It also stands between that program and the rule that a hook which fails at `reconnect` has its
 * guest killed: whatever happens there, even a library that cannot be loaded, the answer is success.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pvr-uri.h"

#ifndef PVR_HOOK_PROGRAM /* tests set their own */
#define PVR_HOOK_PROGRAM PVR_SBINDIR "/pvrdma-hook"
#endif
#define CHUNK 65536u
#define INPUT_LIMIT ((16u << 20) + 1) /* one byte more than the program behind accepts */
#define RECONNECT_MAX_MS 10000
#define POLL_MS 2

typedef struct {
    const char *op;
    bool without_metadata; /* a lease may have to be given back although the XML is foreign */
    bool must_succeed;
} Op;

static const Op ops[] = {
    {"prepare", false, false}, {"started", false, false},  {"stopped", true, false},
    {"release", true, false},  {"reconnect", false, true},
};

typedef struct {
    char *data;
    size_t len;
} Input;

static const Op *
find_op(const char *name)
{
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        if (strcmp(ops[i].op, name) == 0) {
            return &ops[i];
        }
    }
    return NULL;
}

/* Grows by doubling; false when there is no memory. */
static bool
make_room(Input *input, size_t *size)
{
    size_t wanted = *size == 0 ? CHUNK : 2 * *size;
    char *data;

    if (*size - input->len > 0) {
        return true;
    }
    data = realloc(input->data, wanted);
    if (data == NULL) {
        return false;
    }
    input->data = data;
    *size = wanted;
    return true;
}

static bool
read_input(Input *input)
{
    size_t size = 0;
    ssize_t n = 1;

    while (input->len < INPUT_LIMIT && (n > 0 || (n < 0 && errno == EINTR))) {
        if (!make_room(input, &size)) {
            return false;
        }
        n = read(STDIN_FILENO, input->data + input->len, size - input->len);
        input->len += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* A directory with an entry that does not begin with a dot. */
static bool
have_leases(const char *root)
{
    char path[4096];
    const struct dirent *entry;
    bool found = false;
    DIR *dir;

    if ((size_t)snprintf(path, sizeof(path), "%s/run/pvrdma/leases", root) >= sizeof(path)) {
        return false;
    }
    dir = opendir(path);
    while (dir != NULL && !found && (entry = readdir(dir)) != NULL) {
        found = entry->d_name[0] != '.';
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return found;
}

/*
 * libvirt writes the URI as it is, never with character references. Text that merely contains it
 * costs the domain a proper look, nothing more.
 */
static bool
has_work(const Op *op, const Input *input, const char *root)
{
    return memmem(input->data, input->len, PVR_METADATA_URI, strlen(PVR_METADATA_URI)) != NULL ||
           (op->without_metadata && have_leases(root));
}

/* What was read becomes standard input again. */
static bool
give_back(const Input *input)
{
    int fd = memfd_create("domain-xml", MFD_CLOEXEC);
    size_t done = 0;

    while (fd >= 0 && done < input->len) {
        ssize_t n = write(fd, input->data + done, input->len - done);

        if (n < 0 && errno != EINTR) {
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return fd >= 0 && lseek(fd, 0, SEEK_SET) == 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO;
}

static int
run_program(char **argv, const Input *input)
{
    if (!give_back(input)) {
        fprintf(stderr, "pvrdma-hook: cannot pass on the domain XML: %s\n", strerror(errno));
        return 1;
    }
    execv(PVR_HOOK_PROGRAM, argv);
    fprintf(stderr, "pvrdma-hook: cannot run '%s': %s; install it again\n", PVR_HOOK_PROGRAM,
            strerror(errno));
    return 1;
}

static long
elapsed_ms(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000;
}

/* Ends the child after RECONNECT_MAX_MS: libvirt would wait for ever. */
static void
wait_child(pid_t pid)
{
    const struct timespec pause = {.tv_nsec = POLL_MS * 1000000};
    struct timespec start;

    clock_gettime(CLOCK_MONOTONIC, &start);
    while (waitpid(pid, NULL, WNOHANG) == 0) {
        if (elapsed_ms(&start) >= RECONNECT_MAX_MS) {
            fprintf(stderr, "pvrdma-hook: gave up after %d s\n", RECONNECT_MAX_MS / 1000);
            kill(pid, SIGKILL);
            waitpid(pid, NULL, 0);
            return;
        }
        nanosleep(&pause, NULL);
    }
}

static int
run_guarded(char **argv, const Input *input)
{
    pid_t parent = getpid();
    pid_t pid = fork();

    if (pid == 0) {
        /* It must not outlive us with libvirt's end of the pipes open. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(getppid() == parent ? run_program(argv, input) : 1);
    }
    if (pid > 0) {
        wait_child(pid);
    }
    return 0;
}

/* --root is for tests. No environment variable does the same: we run as root. */
int
main(int argc, char **argv)
{
    bool rooted = argc > 2 && strcmp(argv[1], "--root") == 0;
    const char *root = rooted ? argv[2] : "";
    int at = rooted ? 3 : 1;
    Input input = {0};
    const Op *op;
    int status = 0;

    if (argc - at < 2) {
        fputs("usage: 50-pvrdma DOMAIN OPERATION SUBOPERATION EXTRA < DOMAIN-XML\n"
              "libvirt runs this program; see pvrdma-hook(8)\n",
              stderr);
        return 2;
    }
    /* qemu:///session runs the same hook as the user, who cannot have anything of ours. */
    if (geteuid() != 0 && !rooted) {
        return 0;
    }
    signal(SIGPIPE, SIG_IGN);
    op = find_op(argv[at + 1]);
    if (read_input(&input) && op != NULL && has_work(op, &input, root)) {
        status = op->must_succeed ? run_guarded(argv, &input) : run_program(argv, &input);
    }
    free(input.data);
    return status;
}
