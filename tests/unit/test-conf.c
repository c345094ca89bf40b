/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-conf.h"
#include "pvr-error.h"
#include "pvr-fake-host.h"

#define GOOD                                                                                       \
    "{\n"                                                                                          \
    "  \"version\": 1,\n"                                                                          \
    "  \"pfs\": [{\"pf\": \"3b:00.0\", \"vfs\": 8},\n"                                             \
    "            {\"pf\": \"ens1f0\", \"vfs\": 0}],\n"                                             \
    "  \"links\": [{\"name\": \"rxe0\", \"netdev\": \"eth1\"},\n"                                  \
    "              {\"name\": \"mlx5_4\", \"pci\": \"0000:01:10.0\"}],\n"                          \
    "  \"pools\": [{\"name\": \"fast\",\n"                                                         \
    "    \"members\": [\n"                                                                         \
    "      {\"pf\": \"0000:3b:00.0\"},\n"                                                          \
    "      {\"pci\": \"0000:5E:00.2\"},\n"                                                         \
    "      {\"driver\": \"mlx5*\", \"netdev\": \"ens*\"}],\n"                                      \
    "    \"policy\": [\"numa\", \"sticky\"]}]\n"                                                   \
    "}\n"

/* GOOD with @from, which is in it, replaced by @to. */
static char *
with(const char *from, const char *to)
{
    GString *text = g_string_new(GOOD);

    g_assert_cmpuint(g_string_replace(text, from, to, 1), ==, 1);
    return g_string_free(text, FALSE);
}

static void
assert_refused(const char *text, gsize len, const char *message)
{
    g_autoptr(PvrConf) conf = pvr_conf_new();
    g_autoptr(GError) error = NULL;

    g_assert_false(pvr_conf_add(conf, "F", text, len, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_CORRUPT);
    if (!g_str_has_prefix(error->message, message)) {
        g_error("'%s' does not begin with '%s'", error->message, message);
    }
}

static const struct {
    const char *from, *to, *message;
} bad_files[] = {
    {"\"version\": 1", "\"version\": 2", "F:2: version: 2 is not known"},
    {"\"version\": 1,", "", "F:1: the key 'version' is missing"},
    {"\"version\": 1", "\"version\": \"1\"", "F:2: version: not an integer"},
    {"\"version\": 1", "\"version\": 1, \"pool\": []", "F:2: pool: unknown key 'pool'\nknown here: "
                                                      "version, pfs, links, pools"},
    {"\"version\": 1", "\"version\": 1,\n\"version\": 1", "F:3: version: this key is there twice"},
    {"\"version\": 1", "\"versi\\u006fn\": 1", "F:2: a key has an escape in it"},
    {"\"version\": 1,", "\"version\": 1", "F:2:"},
    {"\"version\": 1,", "# a comment", "F: not JSON: unexpected '#' in line 2"},
    {"\"pfs\": [", "\"pfs\": [[],", "F:3: pfs[0]: not an object"},
    {"{\"pf\": \"3b:00.0\", \"vfs\": 8}", "{\"pf\": \"3b:00.0\"}", "F:3: pfs[0]: the key 'vfs' is "
                                                                  "missing"},
    {"\"vfs\": 8", "\"vfs\": 8.5", "F:3: pfs[0].vfs: not an integer"},
    {"\"vfs\": 8", "\"vfs\": -1", "F:3: pfs[0].vfs: -1 is not from 0 to 65535"},
    {"\"vfs\": 0", "\"vfs\": 65536", "F:4: pfs[1].vfs: 65536 is not from 0 to 65535"},
    {"\"vfs\": 0", "\"vfs\": null", "F:4: pfs[1].vfs: not an integer"},
    {"\"vfs\": 0", "\"vfs\": 0, \"trust\": true", "F:4: pfs[1].trust: unknown key"},
    {"\"ens1f0\"", "\"0000:3B:00.0\"", "F:4: pfs[1].pf: PF '0000:3b:00.0' is there twice\nthe first "
                                       "one is at F:3"},
    {"\"ens1f0\"", "\"\"", "F:4: pfs[1].pf: empty"},
    {"\"ens1f0\"", "\"ens 1\"", "F:4: pfs[1].pf: has a blank"},
    {"\"ens1f0\"", "{}", "F:4: pfs[1].pf: not a string"},
    {"\"name\": \"rxe0\"", "\"name\": \"a/b\"", "F:5: links[0].name: 'a/b' cannot be the name"},
    {"\"eth1\"", "\"averyveryverylongname\"", "F:5: links[0].netdev: 'averyveryverylongname' cannot"},
    {", \"netdev\": \"eth1\"", "", "F:5: links[0]: needs either 'netdev' or 'pci'"},
    {"\"netdev\": \"eth1\"", "\"netdev\": \"eth1\", \"pci\": \"01:10.0\"", "F:5: links[0]: needs either"},
    {"\"mlx5_4\"", "\"rxe0\"", "F:6: links[1].name: link 'rxe0' is there twice\nthe first one is at F:5"},
    {"\"pci\": \"0000:01:10.0\"", "\"netdev\": \"eth1\"", "F:6: links[1].netdev: a link on netdev 'eth1'"},
    {"\"0000:01:10.0\"", "\"0000:01:10.9\"", "F:6: links[1].pci: '0000:01:10.9' is no PCI address\n"
                                             "write it like"},
    {"\"fast\"", "\"-fast\"", "F:7: pools[0].name: '-fast' cannot be the name of a pool"},
    {"\"fast\"", "7", "F:7: pools[0].name: not a string"},
    {"{\"pf\": \"0000:3b:00.0\"},", "{},", "F:9: pools[0].members[0]: needs one of"},
    {"{\"pf\": \"0000:3b:00.0\"},", "{\"pf\": \"a\", \"pci\": \"3b:00.1\"},", "F:9: pools[0].members[0]: needs"},
    {"{\"pf\": \"0000:3b:00.0\"},", "{\"pci\": \"5e:00.2\"},", "F:10: pools[0].members[1]: this member "
                                                             "is in the pool twice\nthe first one is at F:9"},
    {"\"numa\"", "\"sticky\"", "F:12: pools[0].policy: not a list of"},
    {"\"numa\"", "\"random\"", "F:12: pools[0].policy: not a list of"},
    {"\"numa\"", "[]", "F:12: pools[0].policy: not a list of"},
    {"[\"numa\", \"sticky\"]", "\"numa\"", "F:12: pools[0].policy: not an array"},
};

static void
test_bad_files(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(bad_files); i++) {
        g_autofree char *text = with(bad_files[i].from, bad_files[i].to);
        assert_refused(text, strlen(text), bad_files[i].message);
    }
    assert_refused("", 0, "F: it is empty");
    assert_refused("[]", 2, "F: not a JSON object");
    assert_refused("{\"version\": 1, \"pools\": [{\"name\": \"p\", \"members\": []}]}", 55,
                   "F:1: pools[0].members: the pool 'p' has no member");
}

static void
test_good_file(void)
{
    g_autoptr(PvrConf) conf = pvr_conf_new();
    g_autoptr(PvrConf) again = pvr_conf_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL;
    g_autofree char *text_again = NULL;
    const PvrConfPool *pool;
    const PvrConfMember *member;

    g_assert_true(pvr_conf_add(conf, "F", GOOD, strlen(GOOD), &error));
    g_assert_no_error(error);
    g_assert_cmpuint(conf->pfs->len, ==, 2);
    g_assert_cmpstr(((PvrConfPf *)conf->pfs->pdata[0])->pf, ==, "0000:3b:00.0");
    g_assert_cmpuint(((PvrConfPf *)conf->pfs->pdata[0])->vfs, ==, 8);
    g_assert_cmpstr(((PvrConfLink *)conf->links->pdata[1])->pci, ==, "0000:01:10.0");
    g_assert_cmpstr(((PvrConfLink *)conf->links->pdata[1])->where, ==, "F:6");
    pool = pvr_conf_find_pool(conf, "fast", &error);
    g_assert_nonnull(pool);
    member = pool->members->pdata[1];
    g_assert_cmpstr(member->pci, ==, "0000:5e:00.2");
    g_assert_cmpuint(pool->policies, ==, 2);
    g_assert_cmpint(pool->policy[0], ==, PVR_POLICY_NUMA);
    text = pvr_conf_to_json(conf);
    g_assert_true(pvr_conf_add(again, "G", text, strlen(text), &error));
    text_again = pvr_conf_to_json(again);
    g_assert_cmpstr(text, ==, text_again);
}

static void
test_find_pool(void)
{
    g_autoptr(PvrConf) conf = pvr_conf_new();
    g_autoptr(GError) error = NULL;

    g_assert_null(pvr_conf_find_pool(conf, "fast", &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_assert_nonnull(strstr(error->message, "\ndeclare it in /etc/pvrdma/NAME.json"));
    g_clear_error(&error);
    g_assert_true(pvr_conf_add(conf, "F", GOOD, strlen(GOOD), NULL));
    g_assert_null(pvr_conf_find_pool(conf, "slow", &error));
    g_assert_nonnull(strstr(error->message, "\nthere are: fast"));
}

/* Also that the policy has an order of its own when nothing is said. */
static void
test_directory(PvrFakeMachine *machine, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrConf) conf = pvr_conf_load(machine->host, &error);
    g_autoptr(PvrConf) two = NULL;
    g_autoptr(PvrConf) doubled = NULL;

    g_assert_no_error(error);
    g_assert_cmpuint(conf->pools->len, ==, 0);
    pvr_fake_write(machine->root, "etc/pvrdma/b.json", GOOD);
    pvr_fake_write(machine->root, "etc/pvrdma/.c.json", "{");
    pvr_fake_write(machine->root, "etc/pvrdma/a.json~", "{");
    pvr_fake_write(machine->root, "etc/pvrdma/a.json",
                   "{\"version\": 1, \"pools\": [{\"name\": \"slow\", \"members\": "
                   "[{\"pf\": \"ens2\"}]}]}");
    two = pvr_conf_load(machine->host, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(two->pools->len, ==, 2);
    g_assert_cmpuint(pvr_conf_find_pool(two, "slow", NULL)->policies, ==, PVR_POLICY_LAST);
    pvr_fake_write(machine->root, "etc/pvrdma/c.json", GOOD);
    doubled = pvr_conf_load(machine->host, &error);
    g_assert_null(doubled);
    g_assert_error(error, PVR_ERROR, PVR_ERROR_CORRUPT);
    g_assert_nonnull(strstr(error->message, "etc/pvrdma/c.json:3: pfs[0].pf: PF '0000:3b:00.0'"));
    g_assert_nonnull(strstr(error->message, "etc/pvrdma/b.json:3"));
}

static void
assert_load_fails(PvrFakeMachine *machine, const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrConf) conf = pvr_conf_load(machine->host, &error);

    g_assert_null(conf);
    g_assert_error(error, PVR_ERROR, PVR_ERROR_CORRUPT);
    g_assert_nonnull(strstr(error->message, text));
}

/* Nonsense of 10 MB, and of just less than is read at all; neither takes time. */
static void
test_nonsense(PvrFakeMachine *machine, gconstpointer data)
{
    const gint64 start = g_get_monotonic_time();
    static const char *const fillings[] = {"[", "{\"a\":", "\"", "\\", "\xff", "1,", "\n", "{}"};
    const gsize sizes[] = {10u << 20, PVR_CONF_MAX_BYTES - 8};

    for (guint i = 0; i < G_N_ELEMENTS(sizes) * G_N_ELEMENTS(fillings); i++) {
        const char *filling = fillings[i / 2];
        g_autoptr(GString) text = g_string_sized_new(sizes[i % 2] + 16);

        while (text->len < sizes[i % 2]) {
            g_string_append(text, filling);
        }
        pvr_fake_write(machine->root, "etc/pvrdma/x.json", text->str);
        assert_load_fails(machine, "etc/pvrdma/x.json");
    }
    g_assert_cmpint(g_get_monotonic_time() - start, <, 30 * G_TIME_SPAN_SECOND);
}

static void
test_not_a_file(PvrFakeMachine *machine, gconstpointer data)
{
    pvr_fake_write(machine->root, "etc/pvrdma/x.json/y", "");
    assert_load_fails(machine, "is not a regular file");
}

static void
set_up(PvrFakeMachine *machine, gconstpointer data)
{
    pvr_fake_machine_init(machine);
}

#define ADD(path, function)                                                                        \
    g_test_add(path, PvrFakeMachine, NULL, set_up, function, pvr_fake_machine_clear)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/conf/bad-files", test_bad_files);
    g_test_add_func("/conf/good-file", test_good_file);
    g_test_add_func("/conf/find-pool", test_find_pool);
    ADD("/conf/directory", test_directory);
    ADD("/conf/nonsense", test_nonsense);
    ADD("/conf/not-a-file", test_not_a_file);
    return g_test_run();
}
