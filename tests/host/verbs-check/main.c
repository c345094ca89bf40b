/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const struct test *const suites[] = {
    message_tests, rdma_tests, completion_tests, error_tests, ud_tests,
};

static void usage(FILE *out)
{
    fputs("usage: verbs-check [-d DEVICE] [-i PORT] [-g GID-INDEX] [-p TCP-PORT] [-T TIMEOUT] [-t TEST,...]\n"
          "                   [-x TEST,...] [SERVER]\n"
          "Verifies RDMA between two ports byte by byte.  Start it without SERVER on one side\n"
          "and with the name of that machine on the other; -t (only these) and -x (all but these)\n"
          "must be the same on both.  -T: local ACK timeout of RC, 4.096 us * 2^TIMEOUT (18).\n"
          "Example: verbs-check -d rxe0 -g 1; verbs-check -d rxe0 -g 1 192.0.2.1\n"
          "Tests:", out);
    for (size_t s = 0; s < sizeof(suites) / sizeof(suites[0]); s++) {
        for (const struct test *t = suites[s]; t->name; t++) {
            fprintf(out, " %s", t->name);
        }
    }
    fputc('\n', out);
}

static bool named(const char *list, const char *name)
{
    size_t len = strlen(name);

    for (const char *p = list; (p = strstr(p, name)); p += len) {
        if ((p == list || p[-1] == ',') && (p[len] == ',' || !p[len])) {
            return true;
        }
    }
    return false;
}

static bool run_test(struct check *c, const struct test *t)
{
    bool ok;

    c->error[0] = 0;
    memset(c->buf, GUARD, BUF_SIZE);
    ok = t->run(c);
    ok = sync_verdict(c, ok);
    qp_free(c);
    printf("%s %s%s%s\n", ok ? "ok" : "FAILED", t->name, ok ? "" : ": ", ok ? "" : c->error);
    fflush(stdout);
    return ok;
}

static int run_all(struct check *c, const char *only, const char *without)
{
    unsigned ran = 0, failed = 0;

    for (size_t s = 0; s < sizeof(suites) / sizeof(suites[0]); s++) {
        for (const struct test *t = suites[s]; t->name; t++) {
            if ((!only || named(only, t->name)) && (!without || !named(without, t->name))) {
                ran++;
                failed += !run_test(c, t);
            }
        }
    }
    printf("verbs-check: %u of %u tests passed\n", ran - failed, ran);
    return ran && !failed ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct check c = { .port = 1, .timeout = 18, .sock = -1 };
    const char *tcp_port = "18515", *only = NULL, *without = NULL;
    int opt, rc = 1;

    while ((opt = getopt(argc, argv, "d:i:g:p:t:x:T:h")) != -1) {
        switch (opt) {
        case 'd': c.dev_name = optarg; break;
        case 'i': c.port = atoi(optarg); break;
        case 'g': c.gid_index = atoi(optarg); break;
        case 'p': tcp_port = optarg; break;
        case 't': only = optarg; break;
        case 'x': without = optarg; break;
        case 'T': c.timeout = atoi(optarg); break;
        case 'h': usage(stdout); return 0;
        default: usage(stderr); return 2;
        }
    }
    c.active = optind < argc;
    if (conn_open(&c) && (c.active ? tcp_connect(&c, argv[optind], tcp_port) : tcp_listen(&c, tcp_port))) {
        rc = run_all(&c, only, without);
    } else {
        fprintf(stderr, "verbs-check: %s\n", c.error);
    }
    conn_close(&c);
    return rc;
}
