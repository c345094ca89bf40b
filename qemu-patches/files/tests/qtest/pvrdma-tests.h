/*
 * QTest testcase for pvrdma: its parts
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_QTEST_PVRDMA_TESTS_H
#define TESTS_QTEST_PVRDMA_TESTS_H

void pvrdma_add_life_tests(void);
void pvrdma_add_cmd_tests(void);
void pvrdma_add_qp_tests(void);
void pvrdma_add_data_tests(void);
void pvrdma_add_soak_tests(void);
void pvrdma_add_stats_tests(void);
void pvrdma_add_limits_tests(void);
void pvrdma_add_fault_tests(void);
void pvrdma_add_batch_tests(void);
void pvrdma_add_mr_tests(void);
/* Not with an RDMA device of the host */
void pvrdma_add_soft_tests(void);
void pvrdma_add_srq_tests(void);
void pvrdma_add_mem_tests(void);
void pvrdma_add_ud_tests(void);
void pvrdma_add_wire_tests(void);
void pvrdma_add_net_tests(void);
void pvrdma_add_hotplug_tests(void);
void pvrdma_add_replay_tests(void);
void pvrdma_add_args_tests(void);
void pvrdma_add_handle_tests(void);
void pvrdma_add_step_tests(void);
void pvrdma_add_ring_tests(void);
void pvrdma_add_race_tests(void);
void pvrdma_add_rule_cve_tests(void);
void pvrdma_add_rule_cmd_tests(void);
void pvrdma_add_rule_create_tests(void);
void pvrdma_add_rule_data_tests(void);
void pvrdma_add_rule_system_tests(void);
void pvrdma_add_abi_tests(void);

#endif
