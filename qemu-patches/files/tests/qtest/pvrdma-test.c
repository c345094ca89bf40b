/*
 * QTest testcase for pvrdma: what realize refuses
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Without an RDMA device on the host, everything but what is about such
 * devices runs with RDMA in software.  With one, named by the environment
 * variable PVRDMA_TEST_IBDEV, it runs on that.  With PVRDMA_TEST_HUGE, "memfd"
 * or a directory of hugetlbfs, guests have their RAM on huge pages.
 */
#include "qemu/osdep.h"
#include "qobject/qdict.h"
#include "qobject/qnum.h"
#include "qobject/qstring.h"
#include "pvrdma-guest.h"
#include "pvrdma-tests.h"

#define MAC "52:54:00:12:34:56"
#define MANY 50

/*
 * Starts QEMU, which has to give up; what it said.  A QEMU that does not is
 * stopped after a while.
 */
static char *start_fails(const char *args)
{
    g_autofree char *command = g_strdup_printf(
        "timeout 60 %s -display none -accel qtest -S %s",
        getenv("QTEST_QEMU_BINARY"), args);
    g_autofree char *out = NULL;
    g_autoptr(GError) err = NULL;
    char *text = NULL;
    int status = 0;

    g_test_message("%s", args);
    g_assert_true(g_spawn_command_line_sync(command, &out, &text, &status,
                                            &err));
    g_test_message("%s", text);
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 1);
    return text;
}

static void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        g_test_message("'%s' is not in '%s'", part, text);
        g_test_fail();
    }
}

/* @args (MAC filled in), and each of the NULL-ended parts of the message */
static void check_start_fails(const char *args, ...)
{
    g_autofree char *machine = pvrdma_machine_args(MAC);
    g_autofree char *all = g_strdup_printf("%s %s", machine, args);
    g_autofree char *text = start_fails(all);
    const char *part;
    va_list ap;

    va_start(ap, args);
    while ((part = va_arg(ap, const char *))) {
        assert_says(text, part);
    }
    va_end(ap);
}

/* Properties that have a meaning only with an RDMA device of the host */
static void test_no_backend_dev(void)
{
    check_start_fails("-device pvrdma,addr=5.1,backend-port=1", "backend-dev",
                      NULL);
    check_start_fails("-device pvrdma,addr=5.1,backend-dev=,backend-gid-idx=0",
                      "backend-dev", NULL);
    check_start_fails("-device pvrdma,addr=5.1,max-pinned=1G", "max-pinned",
                      "backend-dev", NULL);
    check_start_fails("-device pvrdma,addr=5.1,max-mappings=9",
                      "max-mappings", "backend-dev", NULL);
    check_start_fails("-object iothread,id=io -device pvrdma,addr=5.1,"
                      "iothread=io", "iothread", "backend-dev", NULL);
}

/* The message has the property, its value, and what it may be. */
static void test_bad_limits(void)
{
    check_start_fails("-device pvrdma,addr=5.1,max-qp=1", "max-qp=1 ",
                      "2 to 4096", NULL);
    check_start_fails("-device pvrdma,addr=5.1,max-qp=4097", "max-qp=4097 ",
                      "2 to 4096", NULL);
    check_start_fails("-device pvrdma,addr=5.1,max-cq=1", "max-cq=1 ",
                      "2 to 4096", NULL);
    check_start_fails("-device pvrdma,addr=5.1,max-cq=4294967295",
                      "max-cq=4294967295 ", "2 to 4096", NULL);
    check_start_fails("-device pvrdma,addr=5.1,max-mr=65537",
                      "max-mr=65537 ", "1 to 65536", NULL);
    check_start_fails("-device pvrdma,addr=5.1,max-mr-size=4095",
                      "max-mr-size=4095 ", "4096 to 1073741824", NULL);
    check_start_fails("-device pvrdma,addr=5.1,max-mr-size=2G",
                      "max-mr-size=2147483648 ", "4096 to 1073741824", NULL);
    check_start_fails("-device pvrdma,addr=5.1,max-queue-memory=64K",
                      "max-queue-memory=65536 ", "1048576 and more", NULL);
    check_start_fails("-device pvrdma,addr=5.1,max-qp=many", "max-qp", NULL);
}

/* What was done before the step that fails is undone; nothing may be left that
 * the sanitizers of a build with them would find. */
static void test_steps(void)
{
    check_start_fails("-only-migratable -device pvrdma,addr=5.1",
                      "pvrdma", NULL);
    check_start_fails("-cpu qemu64,-apic -device pvrdma,addr=5.1", "MSI-X",
                      NULL);
    check_start_fails("-device pvrdma,addr=5.1,x-fault-backend=query_port",
                      "cannot query", NULL);
    check_start_fails("-device pvrdma,addr=5.1,x-fault-backend=attach:ENODEV",
                      "attach", "No such device", NULL);
    check_start_fails("-device pvrdma,addr=5.1,x-fault-backend=nothing",
                      "no operation is called", "nothing", NULL);
}

static void test_no_function_0(void)
{
    const char *machine = "-machine q35 -nodefaults -m 64M";
    g_autofree char *none = g_strdup_printf("%s -device pvrdma,addr=5.1",
                                            machine);
    g_autofree char *other = g_strdup_printf(
        "%s -device pvrdma,addr=5.1 -device pci-testdev,addr=5.0,"
        "multifunction=on", machine);
    g_autofree char *text = start_fails(none), *text2 = start_fails(other);

    assert_says(text, "function 0");
    assert_says(text2, "pci-testdev");
}

static void test_two_in_a_slot(void)
{
    check_start_fails("-device pvrdma,addr=5.1 -device pvrdma,addr=5.2",
                      "another pvrdma", NULL);
}

static void test_unknown_backend_dev(void)
{
    check_start_fails("-device pvrdma,addr=5.1,backend-dev=no-such-dev",
                      "no-such-dev", "RDMA device", NULL);
    check_start_fails("-device pvrdma,addr=5.1,ibdev=no-such-dev",
                      "no-such-dev", NULL);
    check_start_fails("-device pvrdma,addr=5.1,backend-dev="
                      "x0123456789012345678901234567890123456789"
                      "0123456789012345678901234567890123456789", "x0123",
                      NULL);
}

static void test_bad_node(void)
{
    check_start_fails("-device pvrdma,addr=5.1,backend-dev=/nonexistent/u0",
                      "/nonexistent/u0", "No such file", NULL);
    check_start_fails("-device pvrdma,addr=5.1,backend-dev=/dev",
                      "not a character device", NULL);
    check_start_fails("-device pvrdma,addr=5.1,backend-dev=/dev/null",
                      "/dev/null", "RDMA device", NULL);
}

static void test_bad_properties(void)
{
    check_start_fails("-device pvrdma,addr=5.1,backend-dev=x,backend-port=300",
                      "backend-port", NULL);
    check_start_fails("-device pvrdma,addr=5.1,backend-dev=x,ibport=-1",
                      "ibport", NULL);
    check_start_fails("-device pvrdma,addr=5.1,backend-dev=x,"
                      "backend-gid-idx=many", "backend-gid-idx", NULL);
    check_start_fails("-device pvrdma,addr=5.1,backend-dev=x,colour=red",
                      "colour", NULL);
}

static void test_as_function_0(void)
{
    check_start_fails("-device pvrdma,addr=6.0,backend-dev=x", "function 0",
                      "vmxnet3", NULL);
}

static void test_viommu(void)
{
    if (!qtest_has_device("intel-iommu")) {
        g_test_skip("no intel-iommu");
        return;
    }
    check_start_fails("-device intel-iommu -device pvrdma,addr=5.1,"
                      "backend-dev=x", "vIOMMU", NULL);
}

/* Adds a device with @property, text unless @value is NULL, which fails with a
 * message that has @part */
static void check_add_fails(QTestState *qts, const char *property,
                            const char *value, int number, const char *part)
{
    QObject *it = value ? QOBJECT(qstring_from_str(value))
                        : QOBJECT(qnum_from_int(number));
    QDict *reply = qtest_qmp(
        qts, "{'execute': 'device_add', 'arguments': {"
        "'driver': 'pvrdma', 'id': 'rdma', 'bus': 'rp', 'addr': '0x0.1',"
        "%s: %p}}", property, it);
    const QDict *error = qdict_get_qdict(reply, "error");

    g_assert_nonnull(error);
    assert_says(qdict_get_str(error, "desc"), part);
    qobject_unref(reply);
}

/* Pages of address space that QEMU has */
static uint64_t address_space(QTestState *qts)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/statm",
                                            (int)qtest_pid(qts));
    g_autofree char *text = NULL;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return g_ascii_strtoull(text, NULL, 10);
}

/*
 * QMP reports the same, in the message itself, and nothing stays behind,
 * whichever step it is that fails: the device open or not, its limits known or
 * not.
 */
static void test_hotplug_fails(void)
{
    QTestState *qts = qtest_init(
        "-machine q35 -nodefaults -device pcie-root-port,id=rp,chassis=1");
    uint64_t before = 0;

    for (int i = 0; i < 3 * MANY; i++) {
        if (i == MANY) {
            before = address_space(qts);
        }
        check_add_fails(qts, "backend-dev", "no-such-dev", 0, "no-such-dev");
        check_add_fails(qts, "x-fault-backend", "query_port", 0,
                        "cannot query");
        check_add_fails(qts, "max-qp", NULL, 1, "2 to ");
    }
    g_assert_cmpuint(address_space(qts), <, before + MANY);
    qtest_quit(qts);
}

/* The device did not stay as a migration blocker either. */
static void test_no_blocker_left(void)
{
    QTestState *qts = qtest_init(
        "-machine q35 -nodefaults -device pcie-root-port,id=rp,chassis=1");
    QDict *reply = qtest_qmp(
        qts, "{'execute': 'device_add', 'arguments': {"
        "'driver': 'pvrdma', 'id': 'rdma', 'bus': 'rp', 'addr': '0x0.1',"
        "'backend-dev': 'no-such-dev'}}");

    g_assert_true(qdict_haskey(reply, "error"));
    qobject_unref(reply);
    reply = qtest_qmp(qts, "{'execute': 'query-migrate'}");
    g_assert_false(qdict_haskey(qdict_get_qdict(reply, "return"),
                                "blocked-reasons"));
    qobject_unref(reply);
    qtest_quit(qts);
}

/* From here on with an RDMA device */

/* A new string: @format with the ibdevice for each '@' */
static char *with_ibdev(const char *format)
{
    g_auto(GStrv) part = g_strsplit(format, "@", 0);

    return g_strjoinv(pvrdma_ibdev(), part);
}

static void check_ibdev_fails(const char *machine, const char *device,
                              const char *part, const char *other)
{
    g_autofree char *dev = with_ibdev(device);
    g_autofree char *args = g_strdup_printf("%s %s", machine, dev);
    g_autofree char *text = start_fails(args);

    assert_says(text, part);
    if (other) {
        assert_says(text, other);
    }
}

static void test_private_ram(void)
{
    const char *dev =
        "-device vmxnet3,addr=5.0,multifunction=on,romfile=,mac=" MAC
        " -device pvrdma,addr=5.1,backend-dev=@";

    check_ibdev_fails("-machine q35 -nodefaults -m 64M", dev, "private",
                      "<memoryBacking>");
    check_ibdev_fails("-machine q35,memory-backend=ram -nodefaults "
                      "-object memory-backend-ram,id=ram,size=64M -m 64M", dev,
                      "private", "<memoryBacking>");
}

static void test_function_0(void)
{
    const char *machine = "-machine q35,memory-backend=ram -nodefaults "
        "-object memory-backend-memfd,id=ram,size=64M,share=on -m 64M";

    check_ibdev_fails(machine, "-device pvrdma,addr=5.1,backend-dev=@",
                      "function 0", "vmxnet3");
    check_ibdev_fails(machine, "-device pci-testdev,addr=5.0,multifunction=on "
                      "-device pvrdma,addr=5.1,backend-dev=@",
                      "pci-testdev", "vmxnet3");
    /* also when it comes later */
    check_ibdev_fails(machine, "-device pvrdma,addr=5.1,backend-dev=@ -device "
                      "pci-testdev,addr=5.0,multifunction=on", "pci-testdev",
                      "vmxnet3");
}

/* Locally administered, so that no NIC has it by chance */
static void test_wrong_mac(void)
{
    g_autofree char *machine = pvrdma_machine_args("0a:de:ad:be:ef:01");

    check_ibdev_fails(machine, "-device pvrdma,addr=5.1,backend-dev=@",
                      "0a:de:ad:be:ef:01",
                      "fe80:0000:0000:0000:08de:adff:febe:ef01");
}

static void test_wrong_gid_index(void)
{
    unsigned index;
    g_autofree char *mac = pvrdma_ibdev_mac(pvrdma_ibdev(), &index);
    g_autofree char *machine = pvrdma_machine_args(mac);
    g_autofree char *fits = g_strdup_printf("backend-gid-idx=%u would fit",
                                            index);

    check_ibdev_fails(machine, "-device pvrdma,addr=5.1,backend-dev=@,"
                      "backend-gid-idx=250", mac, fits);
}

static void test_wrong_port(void)
{
    g_autofree char *machine = pvrdma_machine_args(MAC);

    check_ibdev_fails(machine, "-device pvrdma,addr=5.1,backend-dev=@,"
                      "backend-port=9", "port 9", NULL);
}

static void test_bad_host_limits(void)
{
    g_autofree char *mac = pvrdma_mac();
    g_autofree char *machine = pvrdma_machine_args(mac);

    check_ibdev_fails(machine, "-device pvrdma,addr=5.1,backend-dev=@,"
                      "max-mappings=1", "max-mappings=1 ", "2 to ");
    check_ibdev_fails(machine, "-device pvrdma,addr=5.1,backend-dev=@,"
                      "max-mappings=1000000000", "max-mappings=1000000000 ",
                      "2 to ");
    check_ibdev_fails(machine, "-device pvrdma,addr=5.1,backend-dev=@,"
                      "max-pinned=1", "max-pinned=1 ", "4096 and more");
    check_ibdev_fails(machine, "-device pvrdma,addr=5.1,backend-dev=@,"
                      "max-qp=60000", "max-qp=60000 ", pvrdma_ibdev());
}

static void test_host_steps(void)
{
    g_autofree char *mac = pvrdma_mac();
    g_autofree char *machine = pvrdma_machine_args(mac);

    check_ibdev_fails(machine, "-device pvrdma,addr=5.1,backend-dev=@,"
                      "x-fault-backend=query_port:EIO", "cannot query",
                      "Input/output error");
    check_ibdev_fails(machine, "-device pvrdma,addr=5.1,backend-dev=@,"
                      "x-fault-backend=gid_find:ENOENT;gid_find:ENOENT",
                      pvrdma_ibdev(), "GID");
}

static void test_two_devices(void)
{
    unsigned index;
    g_autofree char *mac = pvrdma_ibdev_mac(pvrdma_ibdev(), &index);
    g_autofree char *machine = pvrdma_machine_args(mac);
    g_autofree char *more = g_strdup_printf(
        "%s -device vmxnet3,addr=6.0,multifunction=on,romfile=,mac=%s",
        machine, mac);
    g_autoptr(PvrdmaGuest) g = NULL;

    check_ibdev_fails(more, "-device pvrdma,addr=5.1,backend-dev=@ "
                      "-device pvrdma,addr=6.1,backend-dev=@", "in use",
                      pvrdma_ibdev());
    /* and of another process */
    g = pvrdma_guest_new();
    check_ibdev_fails(machine, "-device pvrdma,addr=5.1,backend-dev=@",
                      "in use", pvrdma_ibdev());
}

static void test_migration_blocked(void)
{
    g_autoptr(PvrdmaGuest) g = pvrdma_guest_new();
    QDict *reply = qtest_qmp(g->qts, "{'execute': 'migrate', 'arguments': "
                             "{'uri': 'exec:cat >/dev/null'}}");
    const QDict *error = qdict_get_qdict(reply, "error");

    g_assert_nonnull(error);
    assert_says(qdict_get_str(error, "desc"), "rdma");
    assert_says(qdict_get_str(error, "desc"), "detach");
    qobject_unref(reply);
}

/* Management software looks at types, by making one that leads nowhere. */
static void test_introspection(void)
{
    const char *types[] = { "pvrdma", "filter-pvrdma" };
    QTestState *qts = qtest_init("-machine none");

    for (unsigned i = 0; i < ARRAY_SIZE(types); i++) {
        qtest_qmp_assert_success(qts, "{'execute': 'qom-list-properties', "
                                 "'arguments': {'typename': %s}}", types[i]);
    }
    qtest_qmp_assert_success(qts, "{'execute': 'device-list-properties', "
                             "'arguments': {'typename': 'pvrdma'}}");
    qtest_quit(qts);
}

static void add_realize_tests(void)
{
    qtest_add_func("/pvrdma/realize/introspection", test_introspection);
    qtest_add_func("/pvrdma/realize/no-function-0", test_no_function_0);
    qtest_add_func("/pvrdma/realize/two-in-a-slot", test_two_in_a_slot);
    qtest_add_func("/pvrdma/realize/no-backend-dev", test_no_backend_dev);
    qtest_add_func("/pvrdma/realize/unknown-backend-dev",
                   test_unknown_backend_dev);
    qtest_add_func("/pvrdma/realize/bad-node", test_bad_node);
    qtest_add_func("/pvrdma/realize/bad-properties", test_bad_properties);
    qtest_add_func("/pvrdma/realize/bad-limits", test_bad_limits);
    qtest_add_func("/pvrdma/realize/steps", test_steps);
    qtest_add_func("/pvrdma/realize/as-function-0", test_as_function_0);
    qtest_add_func("/pvrdma/realize/viommu", test_viommu);
    qtest_add_func("/pvrdma/realize/hotplug", test_hotplug_fails);
    qtest_add_func("/pvrdma/realize/no-blocker-left", test_no_blocker_left);
}

static void add_ibdev_tests(void)
{
    qtest_add_func("/pvrdma/ibdev/private-ram", test_private_ram);
    qtest_add_func("/pvrdma/ibdev/function-0", test_function_0);
    qtest_add_func("/pvrdma/ibdev/wrong-mac", test_wrong_mac);
    qtest_add_func("/pvrdma/ibdev/wrong-gid-index", test_wrong_gid_index);
    qtest_add_func("/pvrdma/ibdev/wrong-port", test_wrong_port);
    qtest_add_func("/pvrdma/ibdev/bad-limits", test_bad_host_limits);
    qtest_add_func("/pvrdma/ibdev/steps", test_host_steps);
    qtest_add_func("/pvrdma/ibdev/two-devices", test_two_devices);
}

static void add_soft_tests(void)
{
    pvrdma_add_soft_tests();
    pvrdma_add_srq_tests();
    pvrdma_add_mem_tests();
    pvrdma_add_ud_tests();
    pvrdma_add_wire_tests();
    pvrdma_add_net_tests();
    pvrdma_add_hotplug_tests();
    pvrdma_add_abi_tests();
    pvrdma_add_rule_system_tests();
    pvrdma_add_rule_data_tests();
    pvrdma_add_rule_create_tests();
    pvrdma_add_rule_cmd_tests();
    pvrdma_add_rule_cve_tests();
    pvrdma_add_race_tests();
    pvrdma_add_ring_tests();
    pvrdma_add_step_tests();
    pvrdma_add_handle_tests();
    pvrdma_add_args_tests();
    pvrdma_add_replay_tests();
}

static void add_guest_tests(void)
{
    qtest_add_func("/pvrdma/life/migration-blocked", test_migration_blocked);
    pvrdma_add_life_tests();
    pvrdma_add_cmd_tests();
    pvrdma_add_qp_tests();
    pvrdma_add_data_tests();
    pvrdma_add_soak_tests();
    pvrdma_add_stats_tests();
    pvrdma_add_limits_tests();
    pvrdma_add_fault_tests();
    pvrdma_add_batch_tests();
    pvrdma_add_mr_tests();
    if (!pvrdma_ibdev()) {
        add_soft_tests();
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (!qtest_has_device("pvrdma") || !qtest_has_device("vmxnet3") ||
        !qtest_has_machine("q35")) {
        return 0;
    }
    add_realize_tests();
    if (pvrdma_ibdev()) {
        add_ibdev_tests();
    }
    if (!HOST_BIG_ENDIAN) {
        add_guest_tests();
    }
    return g_test_run();
}
