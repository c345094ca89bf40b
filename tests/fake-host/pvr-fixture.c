/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fixture functions of pvr-fake-host.h as a program, for tests written in shell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pvr-fake-domain.h"
#include "pvr-fake-host.h"
#include "pvr-fake-sriov.h"

typedef struct {
    const char *name;
    int args;
    void (*run)(const char *root, char **args);
} Action;

static void
add_netdev(const char *root, char **args)
{
    pvr_fake_add_netdev(root, args[0], args[1], strcmp(args[2], "up") == 0);
}

static void
add_rxe(const char *root, char **args)
{
    pvr_fake_add_rxe(root, args[0], args[1]);
}

static void
add_hca(const char *root, char **args)
{
    pvr_fake_add_hca(root, args[0], args[1], args[2], args[3], (guint) atoi(args[4]));
}

static void
add_function(const char *root, char **args)
{
    pvr_fake_add_function(root, args[0], strcmp(args[1], "-") == 0 ? NULL : args[1]);
}

static void
make_pf(const char *root, char **args)
{
    pvr_fake_make_pf(root, args[0], (guint) atoi(args[1]), (guint) atoi(args[2]));
}

static void
make_vf(const char *root, char **args)
{
    pvr_fake_make_vf(root, args[0], args[1], (guint) atoi(args[2]));
}

static void
set_function(const char *root, char **args)
{
    pvr_fake_set_function(root, args[0], args[1]);
}

static void
rename_ibdev(const char *root, char **args)
{
    pvr_fake_rename_ibdev(root, args[0], args[1]);
}

static void
set_gid(const char *root, char **args)
{
    pvr_fake_set_gid(root, args[0], (guint) atoi(args[1]), (guint) atoi(args[2]), args[3], args[4],
                     strcmp(args[5], "-") == 0 ? NULL : args[5]);
}

static void
set_state(const char *root, char **args)
{
    pvr_fake_set_port_state(root, args[0], (guint) atoi(args[1]), args[2]);
}

static void
set_failure(const char *root, char **args)
{
    pvr_fake_set_failure(root, args[0], atoi(args[1]), args[2]);
}

static void
work_again(const char *root, char **args)
{
    pvr_fake_set_failure(root, args[0], 0, NULL);
}

static void
write_file(const char *root, char **args)
{
    pvr_fake_write(root, args[0], args[1]);
}

static void
remove_path(const char *root, char **args)
{
    pvr_fake_remove(root, args[0]);
}

static void
write_domain(const char *root, char **args)
{
    static const struct {
        const char *name;
        guint count;
        const PvrFakeDevice *devices[2];
    } kinds[] = {
        { "d0", 1, { &pvr_fake_rxe0 } },
        { "d1", 1, { &pvr_fake_rxe1 } },
        { "soft", 1, { &pvr_fake_soft1 } },
        { "d0+soft", 2, { &pvr_fake_rxe0, &pvr_fake_soft1 } },
    };
    g_autofree char *path = g_strconcat(args[0], ".xml", NULL);
    g_autofree char *xml = NULL;
    guint i = 0;

    while (strcmp(args[2], kinds[i].name) != 0) {
        i++;
        g_assert_cmpuint(i, <, G_N_ELEMENTS(kinds));
    }
    xml = pvr_fake_domain_xml(args[0], args[1], kinds[i].devices, kinds[i].count);

    pvr_fake_write(root, path, xml);
}

static void
add_qemu(const char *root, char **args)
{
    pvr_fake_add_qemu(root, args[0], args[1], atoi(args[2]));
}

static void
remove_qemu(const char *root, char **args)
{
    pvr_fake_remove_qemu(root, args[0], atoi(args[1]));
}

static void
add_pf(const char *root, char **args)
{
    static const struct {
        const char *name;
        const PvrFakePf *pf;
    } kinds[] = { { "igb", &pvr_fake_igb }, { "mlx5", &pvr_fake_mlx5 },
                  { "mlx5-ib", &pvr_fake_mlx5_ib } };
    guint i = 0;

    while (strcmp(args[0], kinds[i].name) != 0) {
        i++;
        g_assert_cmpuint(i, <, G_N_ELEMENTS(kinds));
    }
    pvr_fake_add_pf(root, kinds[i].pf);
}

static void
set_quirk(const char *root, char **args)
{
    pvr_fake_set_quirk(root, args[0], args[1], strcmp(args[2], "-") == 0 ? NULL : args[2]);
}

static const Action actions[] = {
    { "netdev", 3, add_netdev },        /* NAME MAC up|down */
    { "rxe", 2, add_rxe },              /* NAME NETDEV */
    { "hca", 5, add_hca },              /* NAME DRIVER PCI LINK_LAYER PORTS */
    { "function", 2, add_function },    /* PCI DRIVER|- */
    { "pf", 3, make_pf },               /* PCI TOTALVFS NUMVFS */
    { "vf", 3, make_vf },               /* PCI PF INDEX */
    { "on", 2, set_function },          /* NETDEV PCI */
    { "rename", 2, rename_ibdev },      /* NAME NEW_NAME */
    { "gid", 6, set_gid },              /* NAME PORT INDEX GID TYPE NETDEV|- */
    { "state", 3, set_state },          /* NAME PORT STATE */
    { "sriov", 1, add_pf },             /* igb|mlx5|mlx5-ib: see pvr-fake-sriov.h */
    { "quirk", 3, set_quirk },          /* PF-ADDRESS QUIRK VALUE|-: see there */
    { "fail", 3, set_failure },         /* OP CODE MESSAGE */
    { "unfail", 1, work_again },        /* OP */
    { "write", 2, write_file },         /* PATH CONTENT */
    { "remove", 1, remove_path },       /* PATH */
    { "domain", 3, write_domain },      /* NAME UUID d0|d1|soft|d0+soft: NAME.xml with such devices */
    { "qemu", 3, add_qemu },            /* NAME UUID PID */
    { "no-qemu", 2, remove_qemu },      /* NAME PID */
};

int
main(int argc, char **argv)
{
    for (guint i = 0; argc > 2 && i < G_N_ELEMENTS(actions); i++) {
        if (strcmp(argv[2], actions[i].name) == 0 && argc - 3 == actions[i].args) {
            actions[i].run(argv[1], argv + 3);
            return EXIT_SUCCESS;
        }
    }
    fprintf(stderr, "usage: pvr-fixture ROOT ACTION ARGS; see the table in pvr-fixture.c\n");
    return EXIT_FAILURE;
}
