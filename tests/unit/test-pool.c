/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-error.h"
#include "pvr-fake-host.h"
#include "pvr-numa.h"
#include "pvr-pool.h"
#include "pvr-xml.h"

#define UUID "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11"

typedef struct {
    PvrFakeMachine machine;
    GPtrArray *pcis, *leases;
    PvrConf *conf;
} Fixture;

/* PF "P:00.0" with VFs "P:00.1" and "P:00.2", all with netdev and ibdevice, for P "0000:3b" and "0000:5e". */
static PvrPci *
add_function(Fixture *f, const char *address, const char *pf, guint vf, int node)
{
    PvrPci *pci = pvr_pci_new(address);
    const char number = address[5];

    pci->driver = g_strdup("mlx5_core");
    pci->pf = g_strdup(pf);
    pci->vf = vf;
    pci->numa_node = node;
    g_ptr_array_add(pci->netdevs, g_strdup_printf("ens%cv%u", number, vf));
    g_ptr_array_add(pci->ibdevs, g_strdup_printf("mlx5_%c_%u", number, vf));
    g_ptr_array_add(f->pcis, pci);
    return pci;
}

static void
set_up(Fixture *f, gconstpointer data)
{
    pvr_fake_machine_init(&f->machine);
    f->pcis = g_ptr_array_new_with_free_func((GDestroyNotify)pvr_pci_free);
    f->leases = g_ptr_array_new_with_free_func((GDestroyNotify)pvr_lease_free);
    f->conf = pvr_conf_new();
    g_clear_pointer(&add_function(f, "0000:3b:00.0", NULL, 9, 0)->pf, g_free);
    add_function(f, "0000:3b:00.1", "0000:3b:00.0", 0, 0);
    add_function(f, "0000:3b:00.2", "0000:3b:00.0", 1, 0);
    add_function(f, "0000:5e:00.0", NULL, 9, 1);
    add_function(f, "0000:5e:00.1", "0000:5e:00.0", 0, 1);
    add_function(f, "0000:5e:00.2", "0000:5e:00.0", 1, 1);
}

static void
tear_down(Fixture *f, gconstpointer data)
{
    g_ptr_array_unref(f->pcis);
    g_ptr_array_unref(f->leases);
    pvr_conf_free(f->conf);
    pvr_fake_machine_clear(&f->machine, NULL);
}

static PvrPci *
at(Fixture *f, guint index)
{
    return g_ptr_array_index(f->pcis, index);
}

static void
lease(Fixture *f, const char *ibdev, const char *domain)
{
    const PvrGid gid = {{0}};

    g_ptr_array_add(f->leases, pvr_lease_new(UUID, domain, f->leases->len, ibdev, 1, &gid));
}

static const PvrConfPool *
declare(Fixture *f, const char *members, const char *policy)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strdup_printf(
        "{\"version\": 1, \"pools\": [{\"name\": \"p\", \"members\": [%s], \"policy\": [%s]}]}", members,
        policy);

    pvr_conf_add(f->conf, "F", text, strlen(text), &error);
    g_assert_no_error(error);
    return f->conf->pools->pdata[0];
}

#define BOTH "{\"pf\": \"0000:3b:00.0\"}, {\"pf\": \"0000:5e:00.0\"}"

/* Address that is chosen, or the first line of the error. */
static void
assert_choice(Fixture *f, const PvrConfPool *pool, const PvrPoolWish *wish, int code,
              const char *expected)
{
    g_autoptr(PvrPoolView) view = pvr_pool_view_new(f->machine.host, f->pcis, f->leases);
    g_autoptr(GPtrArray) members = pvr_pool_list(pool, view);
    g_autoptr(GError) error = NULL;
    const PvrPoolMember *member = pvr_pool_choose(pool, members, wish, view, &error);

    if (code == 0) {
        g_assert_no_error(error);
        g_assert_cmpstr(member->address, ==, expected);
        return;
    }
    g_assert_null(member);
    g_assert_error(error, PVR_ERROR, code);
    *strchr(error->message, '\n') = '\0';
    g_assert_cmpstr(error->message, ==, expected);
}

static const PvrPoolWish nothing = {NULL, 0};

static void
test_members(Fixture *f, gconstpointer data)
{
    const PvrConfPool *pool =
        declare(f,
                "{\"pci\": \"5e:00.2\"}, {\"pf\": \"ens5v9\"}, {\"pf\": \"nothere\"}, "
                "{\"driver\": \"mlx5*\", \"netdev\": \"ens3v?\"}, {\"driver\": \"bnxt*\"}, "
                "{\"netdev\": \"ens3v1\"}",
                "");
    static const char *const expected[] = {"0000:5e:00.2", "0000:5e:00.1", "nothere", "0000:3b:00.1",
                                           "0000:3b:00.2"};
    g_autoptr(PvrPoolView) view = pvr_pool_view_new(f->machine.host, f->pcis, f->leases);
    g_autoptr(GPtrArray) members = pvr_pool_list(pool, view);

    g_assert_cmpuint(members->len, ==, G_N_ELEMENTS(expected));
    for (guint i = 0; i < members->len; i++) {
        const PvrPoolMember *member = g_ptr_array_index(members, i);

        g_assert_cmpstr(member->address, ==, expected[i]);
        g_assert_cmpint(member->state, ==, i == 2 ? PVR_MEMBER_GONE : PVR_MEMBER_FREE);
    }
}

static void
test_empty(Fixture *f, gconstpointer data)
{
    assert_choice(f, declare(f, "{\"driver\": \"irdma\"}", ""), &nothing, PVR_ERROR_NOT_FOUND,
                  "the pool 'p' is empty: no VF of this host fits its members");
}

static void
test_gone(Fixture *f, gconstpointer data)
{
    assert_choice(f, declare(f, "{\"pci\": \"0000:77:00.1\"}, {\"pf\": \"ens9\"}", ""), &nothing,
                  PVR_ERROR_NOT_FOUND,
                  "the pool 'p' has no free member: 0000:77:00.1 is not there any more; ens9 is not "
                  "there any more");
}

static void
test_all_leased(Fixture *f, gconstpointer data)
{
    lease(f, "mlx5_3_0", "vm1");
    lease(f, "mlx5_3_1", "vm2");
    assert_choice(f, declare(f, "{\"pf\": \"0000:3b:00.0\"}", ""), &nothing, PVR_ERROR_BUSY,
                  "all members of the pool 'p' are leased (2, by 'vm1', 'vm2')");
}

/* Each kind of member that cannot be had, told apart. */
static void
test_none_free(Fixture *f, gconstpointer data)
{
    const PvrConfPool *pool = declare(f, BOTH ", {\"pci\": \"77:00.1\"}, {\"pci\": \"3b:00.0\"}", "");

    lease(f, "mlx5_3_0", "vm1");
    pvr_fake_write(f->machine.root, "sys/class/infiniband_verbs/uverbs3/ibdev", "mlx5_3_1\n");
    pvr_fake_link(f->machine.root, "proc/1234/fd/7", "/dev/infiniband/uverbs3");
    pvr_fake_link(f->machine.root, "proc/1234/fd/8", "/dev/infiniband/uverbs99");
    pvr_fake_write(f->machine.root, "proc/1234/comm", "ib_send_bw\n");
    at(f, 4)->netdev_elsewhere = TRUE;
    g_ptr_array_set_size(at(f, 5)->ibdevs, 0);
    assert_choice(f, pool, &nothing, PVR_ERROR_BUSY,
                  "the pool 'p' has no free member: 0000:3b:00.2 is in use by process 1234 "
                  "(ib_send_bw); 0000:5e:00.1 has its netdev in another network "
                  "namespace; 0000:5e:00.2 has no RDMA device; 0000:77:00.1 is not there any more; "
                  "and 2 more");
    g_clear_pointer(&at(f, 4)->driver, g_free);
    at(f, 4)->driver = g_strdup("vfio-pci");
    g_clear_pointer(&at(f, 5)->driver, g_free);
    pvr_fake_remove(f->machine.root, "proc/1234/comm");
    assert_choice(f, pool, &nothing, PVR_ERROR_BUSY,
                  "the pool 'p' has no free member: 0000:3b:00.2 is in use by process 1234; "
                  "0000:5e:00.1 is bound to vfio-pci: given away as a whole; 0000:5e:00.2 has no "
                  "driver bound to it; 0000:77:00.1 is not there any more; and 2 more");
}

static void
test_policy(Fixture *f, gconstpointer data)
{
    const PvrPoolWish sticky = {"0000:3b:00.2", 0};
    const PvrPoolWish node1 = {NULL, 1 << 1};
    const PvrPoolWish both = {"0000:3b:00.2", 1 << 1};
    PvrConfPool *pool = (PvrConfPool *)declare(f, BOTH, "");

    assert_choice(f, pool, &both, 0, "0000:3b:00.1");
    pool->policies = 1;
    pool->policy[0] = PVR_POLICY_STICKY;
    assert_choice(f, pool, &sticky, 0, "0000:3b:00.2");
    assert_choice(f, pool, &nothing, 0, "0000:3b:00.1");
    pool->policy[0] = PVR_POLICY_NUMA;
    assert_choice(f, pool, &node1, 0, "0000:5e:00.1");
    assert_choice(f, pool, &sticky, 0, "0000:3b:00.1");
    at(f, 1)->numa_node = at(f, 2)->numa_node = -1;
    at(f, 4)->numa_node = at(f, 5)->numa_node = 0;
    assert_choice(f, pool, &node1, 0, "0000:3b:00.1");
    at(f, 4)->numa_node = at(f, 5)->numa_node = 1;
    pool->policies = 2;
    pool->policy[1] = PVR_POLICY_STICKY;
    assert_choice(f, pool, &both, 0, "0000:5e:00.1");
    pool->policy[0] = PVR_POLICY_SPREAD;
    lease(f, "mlx5_3_0", "vm1");
    assert_choice(f, pool, &both, 0, "0000:5e:00.1");
    lease(f, "mlx5_5_0", "vm2");
    assert_choice(f, pool, &both, 0, "0000:3b:00.2");
    assert_choice(f, pool, &nothing, 0, "0000:3b:00.2");
}

static void
test_memory(Fixture *f, gconstpointer data)
{
    PvrHost *host = f->machine.host;
    g_autoptr(GError) error = NULL;
    g_autofree char *none = pvr_pool_recall(host, UUID, 0);
    g_autofree char *address = NULL;
    g_autofree char *damaged = NULL;
    g_autofree char *forgotten = NULL;

    g_assert_null(none);
    g_assert_true(pvr_pool_remember(host, UUID, 0, "0000:3b:00.2", &error));
    address = pvr_pool_recall(host, UUID, 0);
    g_assert_cmpstr(address, ==, "0000:3b:00.2");
    pvr_fake_write(f->machine.root, "var/lib/pvrdma/pools/" UUID "-0", "../../x\n");
    damaged = pvr_pool_recall(host, UUID, 0);
    g_assert_null(damaged);
    g_assert_true(pvr_pool_remember(host, UUID, 0, "0000:3b:00.2", &error));
    g_assert_true(pvr_pool_forget(host, UUID, 0, &error));
    forgotten = pvr_pool_recall(host, UUID, 0);
    g_assert_null(forgotten);
    pvr_fake_write(f->machine.root, "var/lib/pvrdma/pools/x", "");
    pvr_fake_remove(f->machine.root, "var/lib/pvrdma/pools");
    pvr_fake_write(f->machine.root, "var/lib/pvrdma/pools", "");
    g_assert_false(pvr_pool_remember(host, UUID, 0, "0000:3b:00.2", &error));
    g_assert_nonnull(error);
}

static guint64
nodes_of(const char *tune)
{
    g_autofree char *xml = g_strdup_printf("<domain>%s</domain>", tune);
    g_autoptr(xmlDoc) doc = pvr_xml_parse(xml, strlen(xml), NULL);

    return pvr_numa_of_domain(xmlDocGetRootElement(doc));
}

static void
test_numa(void)
{
    g_assert_cmphex(pvr_numa_parse("0"), ==, 1);
    g_assert_cmphex(pvr_numa_parse("0-3,^2,5"), ==, 0x2b);
    g_assert_cmphex(pvr_numa_parse("62-70"), ==, G_GUINT64_CONSTANT(3) << 62);
    g_assert_cmphex(pvr_numa_parse("70"), ==, 0);
    g_assert_cmphex(pvr_numa_parse(""), ==, 0);
    g_assert_cmphex(pvr_numa_parse("1,x"), ==, 0);
    g_assert_cmphex(pvr_numa_parse("3-1"), ==, 0);
    g_assert_cmphex(pvr_numa_parse("1-2-3"), ==, 0);
    g_assert_cmphex(nodes_of(""), ==, 0);
    g_assert_cmphex(nodes_of("<numatune><memory placement='auto'/></numatune>"), ==, 0);
    g_assert_cmphex(nodes_of("<numatune><memory mode='strict' nodeset='1'/>"
                             "<memnode cellid='0' nodeset='2'/><memnode cellid='1' nodeset='3'/>"
                             "</numatune>"),
                    ==, 0xe);
}

#define ADD(path, function) g_test_add(path, Fixture, NULL, set_up, function, tear_down)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("/pool/members", test_members);
    ADD("/pool/empty", test_empty);
    ADD("/pool/gone", test_gone);
    ADD("/pool/all-leased", test_all_leased);
    ADD("/pool/none-free", test_none_free);
    ADD("/pool/policy", test_policy);
    ADD("/pool/memory", test_memory);
    g_test_add_func("/pool/numa", test_numa);
    return g_test_run();
}
