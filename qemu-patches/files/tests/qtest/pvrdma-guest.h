/*
 * QTest testcase for pvrdma: a guest's driver, as far as tests need one
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The device is RDMA in software, or on an RDMA device of the host if there is
 * one to test with (see pvrdma_ibdev()).  Works on little endian hosts only:
 * structures go to guest memory as they are.
 */
#ifndef TESTS_QTEST_PVRDMA_GUEST_H
#define TESTS_QTEST_PVRDMA_GUEST_H

#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "libqos/malloc-pc.h"
#include "qobject/qdict.h"
#include "hw/rdma/pvrdma_abi.h"

#define PVRDMA_PAGE 4096
#define PVRDMA_SLOT 5
#define PVRDMA_RING_PAGES 4

typedef struct PvrdmaGuest {
    QTestState *qts;
    QGuestAllocator *alloc;
    QPCIBus *pcibus;
    bool shares;               /* machine and bus with another one */
    void (*settle)(QTestState *qts); /* QEMU does what is due, if it needs us */
    unsigned slot;
    QPCIDevice *dev;
    QPCIDevice *nic;           /* function 0, once it is used */
    QPCIBar nic_bar;
    uint64_t nic_buffer;       /* its only one, of four bytes; 0: it has none */
    uint64_t bars;             /* where they begin */
    QPCIBar regs;
    QPCIBar uar;
    uint64_t dsr;
    uint64_t req;
    uint64_t resp;
    uint64_t async_ring;       /* first of PVRDMA_RING_PAGES pages */
    uint64_t cq_ring;
    uint64_t msix;             /* the words that interrupts write */
    uint32_t async_head;
    uint32_t cq_head;
} PvrdmaGuest;

/* Memory behind a page directory: contiguous pages, as tests need no more */
typedef struct PvrdmaPages {
    uint64_t pdir;
    uint64_t addr;
    uint32_t n;
} PvrdmaPages;

typedef struct PvrdmaTestCq {
    uint32_t handle;
    uint32_t uar;              /* page that it is rung from; 0: the kernel's */
    uint32_t cqe;
    uint32_t head;
    PvrdmaPages mem;
} PvrdmaTestCq;

typedef struct PvrdmaTestQp {
    uint32_t handle;
    uint32_t qpn;
    uint32_t uar;
    uint32_t wrs;              /* of either queue */
    uint32_t sges;
    uint32_t sq_stride;
    uint32_t rq_stride;
    uint32_t sq_tail;
    uint32_t rq_tail;
    uint64_t sq;               /* address of its first element */
    uint64_t rq;
    PvrdmaPages mem;
} PvrdmaTestQp;

typedef struct PvrdmaTestSrq {
    uint32_t handle;
    uint32_t uar;
    uint32_t wrs;
    uint32_t sges;
    uint32_t tail;
    PvrdmaPages mem;
} PvrdmaTestSrq;

typedef struct PvrdmaTestMr {
    uint32_t handle;
    uint32_t lkey;
    uint32_t rkey;
    PvrdmaPages mem;
} PvrdmaTestMr;

/* ibdevice that the tests may use (PVRDMA_TEST_IBDEV), or NULL */
const char *pvrdma_ibdev(void);

/* Whether completions of that ibdevice are to be handled in an iothread
 * (PVRDMA_TEST_IOTHREAD) */
bool pvrdma_iothread(void);

/*
 * MAC in the first GID of that ibdevice that carries one, and its index; a
 * new string.  The test fails without one.
 */
char *pvrdma_ibdev_mac(const char *ibdev, unsigned *ret_index);

/* MAC that function 0 has in these tests; a new string */
char *pvrdma_mac(void);

/*
 * Where RAM on huge pages comes from, for tests on such RAM: "memfd", or a
 * directory of hugetlbfs (PVRDMA_TEST_HUGE); or NULL
 */
const char *pvrdma_huge(void);

/* "-machine ... -m ...": so much RAM, private unless there is an ibdevice, or
 * huge pages; a new string */
char *pvrdma_ram_args(unsigned mib);

/* "-machine ... -device vmxnet3": a machine with 128 MiB, and function 0 */
char *pvrdma_machine_args(const char *mac);

/* A machine with the device, found and enabled, MSI-X set up; no DSR yet. */
PvrdmaGuest *pvrdma_guest_new(void);
/* The same, set up */
PvrdmaGuest *pvrdma_guest_ready(void);
/* The same on a machine that was started with these arguments */
PvrdmaGuest *pvrdma_guest_start(const char *args);
/* Another device, in @slot, of the machine that @g is on; freed before it */
PvrdmaGuest *pvrdma_guest_share(PvrdmaGuest *g, unsigned slot);
void pvrdma_guest_free(PvrdmaGuest *g);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrdmaGuest, pvrdma_guest_free)

/*
 * All of guest memory is free for the next life; the only device of the machine
 * uses none of it any more.
 */
void pvrdma_guest_forget(PvrdmaGuest *g);

/* BARs and interrupts, as firmware and PCI core set them up: after a reset */
void pvrdma_guest_enable(PvrdmaGuest *g);

/* Function 0 as its driver leaves it, but for buffers; and back */
void pvrdma_nic_up(PvrdmaGuest *g, uint32_t mtu);
void pvrdma_nic_down(PvrdmaGuest *g);

/* As the driver's probe does it; checks what the device has to answer */
void pvrdma_guest_setup(PvrdmaGuest *g);
/* The steps of it: fills a DSR that is right; writes its address; reads caps */
void pvrdma_guest_fill_dsr(PvrdmaGuest *g, PvrdmaDsr *dsr);
void pvrdma_guest_write_dsr(PvrdmaGuest *g, const PvrdmaDsr *dsr);
void pvrdma_guest_map_dsr(PvrdmaGuest *g, uint64_t addr);
PvrdmaDevCaps pvrdma_guest_caps(PvrdmaGuest *g);

uint32_t pvrdma_reg_read(PvrdmaGuest *g, uint32_t reg);
void pvrdma_reg_write(PvrdmaGuest *g, uint32_t reg, uint32_t value);
void pvrdma_uar_write(PvrdmaGuest *g, uint32_t page, uint32_t off,
                      uint32_t value);

/* A new directory of these pages */
uint64_t pvrdma_pdir(PvrdmaGuest *g, const uint64_t *page, uint32_t n);
/* New zeroed pages with a directory; not freed before the machine goes */
PvrdmaPages pvrdma_pages(PvrdmaGuest *g, uint32_t n);

/* Where the vector's interrupts are written to, instead of to memory */
void pvrdma_irq_target(PvrdmaGuest *g, unsigned vector, uint64_t addr,
                       uint32_t data);
/* Whether the vector fired since the last question */
bool pvrdma_irq(PvrdmaGuest *g, unsigned vector);

/*
 * Runs a command: the value of ERR; on 0 the response, whose header was
 * checked, is in @resp.
 */
uint32_t pvrdma_cmd(PvrdmaGuest *g, uint32_t cmd, PvrdmaReq *req,
                    PvrdmaResp *resp);
/* ERR of @good with the @size bytes at @off changed to @value */
uint32_t pvrdma_cmd_spoilt(PvrdmaGuest *g, uint32_t cmd, const PvrdmaReq *good,
                           size_t off, size_t size, uint64_t value);
#define PVRDMA_SPOIL(g, cmd, good, field, value) \
    pvrdma_cmd_spoilt(g, cmd, good, offsetof(PvrdmaReq, field), \
                      sizeof((good)->field), value)
/* Commands that take no more than a handle */
uint32_t pvrdma_cmd_handle(PvrdmaGuest *g, uint32_t cmd, uint32_t handle);

/* The device's statistics; one of its counters; "used" or "limit" of a kind of
 * object */
QDict *pvrdma_stats(PvrdmaGuest *g);
uint64_t pvrdma_counter(PvrdmaGuest *g, const char *name);
/* A property that is text; what is wrong about a value, or NULL: new strings */
char *pvrdma_get(PvrdmaGuest *g, const char *property);
char *pvrdma_set(PvrdmaGuest *g, const char *property, const char *value);
uint64_t pvrdma_usage(PvrdmaGuest *g, const char *kind, const char *what);

/* These must work */
uint32_t pvrdma_pd_new(PvrdmaGuest *g, uint32_t uc);
uint32_t pvrdma_uc_new(PvrdmaGuest *g, uint32_t uar);
PvrdmaTestCq pvrdma_cq_new(PvrdmaGuest *g, uint32_t uc, uint32_t cqe);
PvrdmaTestMr pvrdma_mr_new(PvrdmaGuest *g, uint32_t pd, uint32_t pages);
PvrdmaTestQp pvrdma_qp_new(PvrdmaGuest *g, uint32_t pd, uint8_t type,
                           uint32_t send_cq, uint32_t recv_cq);
PvrdmaTestSrq pvrdma_srq_new(PvrdmaGuest *g, uint32_t pd, uint32_t wrs);
PvrdmaTestQp pvrdma_qp_new_srq(PvrdmaGuest *g, uint32_t pd, uint8_t type,
                               uint32_t send_cq, uint32_t recv_cq,
                               uint32_t srq);
/* The GID that belongs to function 0's MAC */
void pvrdma_own_gid(uint8_t gid[16]);
void pvrdma_gid_of_mac(const uint8_t mac[6], uint8_t gid[16]);
void pvrdma_bind_gid(PvrdmaGuest *g, uint32_t index);
void pvrdma_bind(PvrdmaGuest *g, uint32_t index, const uint8_t gid[16]);

/* What the functions above send: right, and yours to spoil */
PvrdmaReq pvrdma_req_srq(uint32_t pd, uint32_t wrs, uint32_t sges,
                         const PvrdmaPages *mem);
PvrdmaReq pvrdma_req_mr(uint32_t pd, const PvrdmaPages *mem);
PvrdmaReq pvrdma_req_cq(uint32_t uc, uint32_t cqe, const PvrdmaPages *mem);
PvrdmaReq pvrdma_req_qp(uint32_t pd, uint8_t type, uint32_t send_cq,
                        uint32_t recv_cq, uint32_t wrs, uint32_t sges,
                        const PvrdmaPages *mem);
PvrdmaReq pvrdma_req_uc(PvrdmaGuest *g, uint32_t uar);

/* 0, or an errno, from whichever place MODIFY_QP reports it in */
uint32_t pvrdma_qp_modify(PvrdmaGuest *g, uint32_t qp, uint32_t mask,
                          const PvrdmaWireQpAttr *attr);
uint32_t pvrdma_qp_to(PvrdmaGuest *g, uint32_t qp, uint32_t state);
PvrdmaWireQpAttr pvrdma_qp_query(PvrdmaGuest *g, uint32_t qp);
/* RESET to INIT */
void pvrdma_qp_init(PvrdmaGuest *g, uint32_t qp, uint8_t type);
/* RESET to RTS; RC: connected to the QP number @dest behind our own GID */
void pvrdma_qp_connect(PvrdmaGuest *g, uint32_t qp, uint8_t type,
                       uint32_t dest);
void pvrdma_qp_connect_to(PvrdmaGuest *g, uint32_t qp, uint8_t type,
                          uint32_t dest, const PvrdmaWireAh *av);

/* Into the ring, without a doorbell; and that */
void pvrdma_put_send(PvrdmaGuest *g, PvrdmaTestQp *qp,
                     const PvrdmaWireSendWr *wr, const PvrdmaWireSge *sge);
void pvrdma_ring_send(PvrdmaGuest *g, const PvrdmaTestQp *qp);
void pvrdma_post_send(PvrdmaGuest *g, PvrdmaTestQp *qp,
                      const PvrdmaWireSendWr *wr, const PvrdmaWireSge *sge);
void pvrdma_post_recv(PvrdmaGuest *g, PvrdmaTestQp *qp,
                      const PvrdmaWireRecvWr *wr, const PvrdmaWireSge *sge);
void pvrdma_post_srq(PvrdmaGuest *g, PvrdmaTestSrq *srq,
                     const PvrdmaWireRecvWr *wr, const PvrdmaWireSge *sge);
/* The next completion; waits for it for up to ten seconds, or fails */
PvrdmaWireCqe pvrdma_cqe_wait(PvrdmaGuest *g, PvrdmaTestCq *cq);
/* None comes for a while */
void pvrdma_cqe_none(PvrdmaGuest *g, PvrdmaTestCq *cq);
/* The same with the async event ring */
PvrdmaWireEvent pvrdma_event_wait(PvrdmaGuest *g);
bool pvrdma_event_get(PvrdmaGuest *g, PvrdmaWireEvent *ret);
void pvrdma_event_expect(PvrdmaGuest *g, uint32_t type, uint32_t info);
void pvrdma_event_none(PvrdmaGuest *g);
/* CQ handle from the notification ring */
bool pvrdma_notification_get(PvrdmaGuest *g, uint32_t *ret);

#endif
