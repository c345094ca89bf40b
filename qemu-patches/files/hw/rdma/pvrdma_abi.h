/*
 * pvrdma: what the guest sees
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Registers, commands, queue elements and their numbers as the guest's
 * vmw_pvrdma driver and rdma-core provider use them.  All fields are little
 * endian in guest memory unless marked BE; a "page" has 4096 bytes.
 * Plain C: no QEMU types, so that unit tests and fuzzers can include it.
 */
#ifndef HW_RDMA_PVRDMA_ABI_H
#define HW_RDMA_PVRDMA_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define PVRDMA_VERSION 20
#define PVRDMA_VERSION_PFN64 19
#define PVRDMA_VERSION_QPHANDLE 20

/* BAR 1 */
enum {
    PVRDMA_REG_VERSION = 0x00,
    PVRDMA_REG_DSRLOW = 0x04,
    PVRDMA_REG_DSRHIGH = 0x08,
    PVRDMA_REG_CTL = 0x0c,
    PVRDMA_REG_REQUEST = 0x10,
    PVRDMA_REG_ERR = 0x14,
    PVRDMA_REG_ICR = 0x18,
    PVRDMA_REG_IMR = 0x1c,
    PVRDMA_REG_MACL = 0x20,
    PVRDMA_REG_MACH = 0x24,
};

enum {
    PVRDMA_CTL_ACTIVATE = 0,
    PVRDMA_CTL_UNQUIESCE = 1,
    PVRDMA_CTL_RESET = 2,
};

enum {
    PVRDMA_VEC_CMD = 0,
    PVRDMA_VEC_ASYNC = 1,
    PVRDMA_VEC_CQ = 2,
    PVRDMA_NUM_VEC = 3,
};

/* Doorbells: offsets in a UAR page and bits of the value */
enum {
    PVRDMA_UAR_QP = 0,
    PVRDMA_UAR_CQ = 4,
    PVRDMA_UAR_SRQ = 8,
};
#define PVRDMA_UAR_HANDLE 0x00ffffffu
#define PVRDMA_UAR_QP_SEND (1u << 30)
#define PVRDMA_UAR_QP_RECV (1u << 31)
#define PVRDMA_UAR_CQ_ARM_SOL (1u << 29)
#define PVRDMA_UAR_CQ_ARM (1u << 30)
#define PVRDMA_UAR_CQ_POLL (1u << 31)
#define PVRDMA_UAR_SRQ_RECV (1u << 30)

typedef struct PvrdmaRingPages {
    uint32_t num_pages;        /* with the header page */
    uint32_t reserved;
    uint64_t pdir_dma;
} PvrdmaRingPages;

typedef struct PvrdmaDevCaps {
    uint64_t fw_ver;
    uint64_t node_guid;        /* BE */
    uint64_t sys_image_guid;   /* BE */
    uint64_t max_mr_size;
    uint64_t page_size_cap;
    uint64_t atomic_arg_sizes;
    uint32_t ex_comp_mask;
    uint32_t device_cap_flags2;
    uint32_t max_fa_bit_boundary;
    uint32_t log_max_atomic_inline_arg;
    uint32_t vendor_id;
    uint32_t vendor_part_id;
    uint32_t hw_ver;
    uint32_t max_qp;
    uint32_t max_qp_wr;
    uint32_t device_cap_flags;
    uint32_t max_sge;
    uint32_t max_sge_rd;
    uint32_t max_cq;
    uint32_t max_cqe;
    uint32_t max_mr;
    uint32_t max_pd;
    uint32_t max_qp_rd_atom;
    uint32_t max_ee_rd_atom;
    uint32_t max_res_rd_atom;
    uint32_t max_qp_init_rd_atom;
    uint32_t max_ee_init_rd_atom;
    uint32_t max_ee;
    uint32_t max_rdd;
    uint32_t max_mw;
    uint32_t max_raw_ipv6_qp;
    uint32_t max_raw_ethy_qp;
    uint32_t max_mcast_grp;
    uint32_t max_mcast_qp_attach;
    uint32_t max_total_mcast_qp_attach;
    uint32_t max_ah;
    uint32_t max_fmr;
    uint32_t max_map_per_fmr;
    uint32_t max_srq;
    uint32_t max_srq_wr;
    uint32_t max_srq_sge;
    uint32_t max_uar;
    uint32_t gid_tbl_len;
    uint16_t max_pkeys;
    uint8_t local_ca_ack_delay;
    uint8_t phys_port_cnt;
    uint8_t mode;
    uint8_t atomic_ops;
    uint8_t bmme_flags;
    uint8_t gid_types;
    uint32_t max_fast_reg_page_list_len;
} PvrdmaDevCaps;

typedef struct PvrdmaDsr {
    uint32_t driver_version;
    uint32_t pad;
    uint64_t gos_info;
    uint64_t cmd_slot_dma;
    uint64_t resp_slot_dma;
    PvrdmaRingPages async_ring_pages;
    PvrdmaRingPages cq_ring_pages;
    uint64_t uar_pfn;          /* 32 bits below version 19 */
    PvrdmaDevCaps caps;
} PvrdmaDsr;

#define PVRDMA_MODE_ROCE 0
#define PVRDMA_GID_TYPE_ROCE_V2 2
#define PVRDMA_BMME_ALL 7          /* all three flags, or none */

/* Ring state at the start of an object's header page (page 0) */
enum {
    PVRDMA_RING1_TAIL = 0,     /* SQ: producer index (guest) */
    PVRDMA_RING1_HEAD = 4,     /* SQ: consumer index (device) */
    PVRDMA_RING2_TAIL = 8,     /* CQ (device), RQ, SRQ (guest), device rings */
    PVRDMA_RING2_HEAD = 12,    /* CQ (guest), RQ, SRQ (device), device rings */
};

/* Commands */
enum {
    PVRDMA_CMD_QUERY_PORT = 0,
    PVRDMA_CMD_QUERY_PKEY,
    PVRDMA_CMD_CREATE_PD,
    PVRDMA_CMD_DESTROY_PD,
    PVRDMA_CMD_CREATE_MR,
    PVRDMA_CMD_DESTROY_MR,
    PVRDMA_CMD_CREATE_CQ,
    PVRDMA_CMD_RESIZE_CQ,
    PVRDMA_CMD_DESTROY_CQ,
    PVRDMA_CMD_CREATE_QP,
    PVRDMA_CMD_MODIFY_QP,
    PVRDMA_CMD_QUERY_QP,
    PVRDMA_CMD_DESTROY_QP,
    PVRDMA_CMD_CREATE_UC,
    PVRDMA_CMD_DESTROY_UC,
    PVRDMA_CMD_CREATE_BIND,
    PVRDMA_CMD_DESTROY_BIND,
    PVRDMA_CMD_CREATE_SRQ,
    PVRDMA_CMD_MODIFY_SRQ,
    PVRDMA_CMD_QUERY_SRQ,
    PVRDMA_CMD_DESTROY_SRQ,
    PVRDMA_CMD_COUNT,
};

#define PVRDMA_ACK 0x80000000u

typedef struct PvrdmaReqHdr {
    uint64_t response;
    uint32_t cmd;
    uint32_t reserved;
} PvrdmaReqHdr;

typedef struct PvrdmaRespHdr {
    uint64_t response;
    uint32_t ack;
    uint8_t err;
    uint8_t reserved[3];
} PvrdmaRespHdr;

/* Port attributes, QP attributes */
typedef struct PvrdmaWirePort {
    uint32_t state;
    uint32_t max_mtu;
    uint32_t active_mtu;
    uint32_t gid_tbl_len;
    uint32_t port_cap_flags;
    uint32_t max_msg_sz;
    uint32_t bad_pkey_cntr;
    uint32_t qkey_viol_cntr;
    uint16_t pkey_tbl_len;
    uint16_t lid;
    uint16_t sm_lid;
    uint8_t lmc;
    uint8_t max_vl_num;
    uint8_t sm_sl;
    uint8_t subnet_timeout;
    uint8_t init_type_reply;
    uint8_t active_width;
    uint8_t active_speed;
    uint8_t phys_state;
    uint8_t reserved[2];
} PvrdmaWirePort;

typedef struct PvrdmaWireAh {
    uint8_t dgid[16];
    uint32_t flow_label;
    uint8_t sgid_index;
    uint8_t hop_limit;
    uint8_t traffic_class;
    uint8_t reserved0;
    uint16_t dlid;
    uint16_t vlan_id;
    uint8_t sl;
    uint8_t src_path_bits;
    uint8_t static_rate;
    uint8_t ah_flags;
    uint8_t port_num;
    uint8_t dmac[6];
    uint8_t reserved1;
} PvrdmaWireAh;

typedef struct PvrdmaWireQpCap {
    uint32_t max_send_wr;
    uint32_t max_recv_wr;
    uint32_t max_send_sge;
    uint32_t max_recv_sge;
    uint32_t max_inline_data;
    uint32_t reserved;
} PvrdmaWireQpCap;

typedef struct PvrdmaWireQpAttr {
    uint32_t qp_state;
    uint32_t cur_qp_state;
    uint32_t path_mtu;
    uint32_t path_mig_state;
    uint32_t qkey;
    uint32_t rq_psn;
    uint32_t sq_psn;
    uint32_t dest_qp_num;
    uint32_t qp_access_flags;
    uint16_t pkey_index;
    uint16_t alt_pkey_index;
    uint8_t en_sqd_async_notify;
    uint8_t sq_draining;
    uint8_t max_rd_atomic;
    uint8_t max_dest_rd_atomic;
    uint8_t min_rnr_timer;
    uint8_t port_num;
    uint8_t timeout;
    uint8_t retry_cnt;
    uint8_t rnr_retry;
    uint8_t alt_port_num;
    uint8_t alt_timeout;
    uint8_t reserved[5];
    PvrdmaWireQpCap cap;
    PvrdmaWireAh ah_attr;
    PvrdmaWireAh alt_ah_attr;
} PvrdmaWireQpAttr;

typedef struct PvrdmaReqQueryPort {
    PvrdmaReqHdr hdr;
    uint8_t port_num;
    uint8_t reserved[7];
} PvrdmaReqQueryPort;

typedef struct PvrdmaRespQueryPort {
    PvrdmaRespHdr hdr;
    PvrdmaWirePort attrs;
} PvrdmaRespQueryPort;

typedef struct PvrdmaReqQueryPkey {
    PvrdmaReqHdr hdr;
    uint8_t port_num;
    uint8_t index;
    uint8_t reserved[6];
} PvrdmaReqQueryPkey;

typedef struct PvrdmaRespQueryPkey {
    PvrdmaRespHdr hdr;
    uint16_t pkey;
    uint8_t reserved[6];
} PvrdmaRespQueryPkey;

/* One handle in, one handle out: PD, UC; and all destroy commands */
typedef struct PvrdmaReqHandle {
    PvrdmaReqHdr hdr;
    uint32_t handle;
    uint32_t attr_mask;        /* QUERY_QP only */
} PvrdmaReqHandle;

typedef struct PvrdmaRespHandle {
    PvrdmaRespHdr hdr;
    uint32_t handle;
    uint32_t cqe;              /* CREATE_CQ only */
} PvrdmaRespHandle;

typedef struct PvrdmaReqCreateUc {
    PvrdmaReqHdr hdr;
    uint64_t pfn;              /* 32 bits below version 19 */
} PvrdmaReqCreateUc;

typedef struct PvrdmaReqCreateMr {
    PvrdmaReqHdr hdr;
    uint64_t start;
    uint64_t length;
    uint64_t pdir_dma;
    uint32_t pd_handle;
    uint32_t access_flags;
    uint32_t flags;
    uint32_t nchunks;
} PvrdmaReqCreateMr;

#define PVRDMA_MR_FLAG_DMA 1u
#define PVRDMA_MR_FLAG_FRMR 2u

typedef struct PvrdmaRespCreateMr {
    PvrdmaRespHdr hdr;
    uint32_t mr_handle;
    uint32_t lkey;
    uint32_t rkey;
    uint32_t reserved;
} PvrdmaRespCreateMr;

typedef struct PvrdmaReqCreateCq {
    PvrdmaReqHdr hdr;
    uint64_t pdir_dma;
    uint32_t ctx_handle;
    uint32_t cqe;
    uint32_t nchunks;
    uint32_t reserved;
} PvrdmaReqCreateCq;

typedef struct PvrdmaReqCreateQp {
    PvrdmaReqHdr hdr;
    uint64_t pdir_dma;
    uint32_t pd_handle;
    uint32_t send_cq_handle;
    uint32_t recv_cq_handle;
    uint32_t srq_handle;
    uint32_t max_send_wr;
    uint32_t max_recv_wr;
    uint32_t max_send_sge;
    uint32_t max_recv_sge;
    uint32_t max_inline_data;
    uint32_t lkey;
    uint32_t access_flags;
    uint16_t total_chunks;
    uint16_t send_chunks;
    uint16_t max_atomic_arg;
    uint8_t sq_sig_all;
    uint8_t qp_type;
    uint8_t is_srq;
    uint8_t reserved[3];
} PvrdmaReqCreateQp;

typedef struct PvrdmaRespCreateQpV1 {
    PvrdmaRespHdr hdr;
    uint32_t qpn;
    uint32_t max_send_wr;
    uint32_t max_recv_wr;
    uint32_t max_send_sge;
    uint32_t max_recv_sge;
    uint32_t max_inline_data;
} PvrdmaRespCreateQpV1;

typedef struct PvrdmaRespCreateQp {
    PvrdmaRespHdr hdr;
    uint32_t qpn;
    uint32_t qp_handle;
    uint32_t max_send_wr;
    uint32_t max_recv_wr;
    uint32_t max_send_sge;
    uint32_t max_recv_sge;
    uint32_t max_inline_data;
    uint32_t reserved;
} PvrdmaRespCreateQp;

typedef struct PvrdmaReqModifyQp {
    PvrdmaReqHdr hdr;
    uint32_t qp_handle;
    uint32_t attr_mask;
    PvrdmaWireQpAttr attrs;
} PvrdmaReqModifyQp;

typedef struct PvrdmaRespQueryQp {
    PvrdmaRespHdr hdr;
    PvrdmaWireQpAttr attrs;
} PvrdmaRespQueryQp;

typedef struct PvrdmaWireSrqAttr {
    uint32_t max_wr;
    uint32_t max_sge;
    uint32_t srq_limit;
    uint32_t reserved;
} PvrdmaWireSrqAttr;

typedef struct PvrdmaReqCreateSrq {
    PvrdmaReqHdr hdr;
    uint64_t pdir_dma;
    uint32_t pd_handle;
    uint32_t nchunks;
    PvrdmaWireSrqAttr attrs;
    uint8_t srq_type;
    uint8_t reserved[7];
} PvrdmaReqCreateSrq;

typedef struct PvrdmaReqModifySrq {
    PvrdmaReqHdr hdr;
    uint32_t srq_handle;
    uint32_t attr_mask;
    PvrdmaWireSrqAttr attrs;
} PvrdmaReqModifySrq;

#define PVRDMA_SRQ_ATTR_MAX_WR (1u << 0)
#define PVRDMA_SRQ_ATTR_LIMIT (1u << 1)

typedef struct PvrdmaRespQuerySrq {
    PvrdmaRespHdr hdr;
    PvrdmaWireSrqAttr attrs;
} PvrdmaRespQuerySrq;

typedef struct PvrdmaReqCreateBind {
    PvrdmaReqHdr hdr;
    uint32_t mtu;
    uint32_t vlan;
    uint32_t index;
    uint8_t new_gid[16];
    uint8_t gid_type;
    uint8_t reserved[3];
} PvrdmaReqCreateBind;

typedef struct PvrdmaReqDestroyBind {
    PvrdmaReqHdr hdr;
    uint32_t index;
    uint8_t dest_gid[16];
    uint32_t reserved;
} PvrdmaReqDestroyBind;

/* The slots are always copied whole */
#define PVRDMA_REQ_SIZE 184
#define PVRDMA_RESP_SIZE 176

typedef union PvrdmaReq {
    PvrdmaReqHdr hdr;
    PvrdmaReqQueryPort query_port;
    PvrdmaReqQueryPkey query_pkey;
    PvrdmaReqHandle handle;
    PvrdmaReqCreateUc create_uc;
    PvrdmaReqCreateMr create_mr;
    PvrdmaReqCreateCq create_cq;
    PvrdmaReqCreateQp create_qp;
    PvrdmaReqModifyQp modify_qp;
    PvrdmaReqCreateSrq create_srq;
    PvrdmaReqModifySrq modify_srq;
    PvrdmaReqCreateBind create_bind;
    PvrdmaReqDestroyBind destroy_bind;
} PvrdmaReq;

typedef union PvrdmaResp {
    PvrdmaRespHdr hdr;
    PvrdmaRespQueryPort query_port;
    PvrdmaRespQueryPkey query_pkey;
    PvrdmaRespHandle handle;
    PvrdmaRespCreateMr create_mr;
    PvrdmaRespCreateQpV1 create_qp_v1;
    PvrdmaRespCreateQp create_qp;
    PvrdmaRespQueryQp query_qp;
    PvrdmaRespQuerySrq query_srq;
} PvrdmaResp;

/* Work requests */
typedef struct PvrdmaWireSge {
    uint64_t addr;
    uint32_t length;
    uint32_t lkey;
} PvrdmaWireSge;

typedef struct PvrdmaWireAv {
    uint32_t port_pd;          /* PD handle | port << 24 */
    uint32_t sl_tclass_flowlabel;
    uint8_t dgid[16];
    uint8_t src_path_bits;
    uint8_t gid_index;
    uint8_t stat_rate;
    uint8_t hop_limit;
    uint8_t dmac[6];
    uint8_t reserved[6];
} PvrdmaWireAv;

typedef struct PvrdmaWireRecvWr {
    uint64_t wr_id;
    uint32_t num_sge;
    uint32_t total_len;
} PvrdmaWireRecvWr;

typedef struct PvrdmaWireSendWr {
    uint64_t wr_id;
    uint32_t num_sge;
    uint32_t total_len;
    uint32_t opcode;
    uint32_t send_flags;
    uint32_t ex;               /* BE immediate, or rkey to invalidate */
    uint32_t reserved;
    union {
        struct {
            uint64_t remote_addr;
            uint32_t rkey;
            uint32_t reserved;
        } rdma;
        struct {
            uint64_t remote_addr;
            uint64_t compare_add;
            uint64_t swap;
            uint32_t rkey;
            uint32_t reserved;
        } atomic;
        struct {
            uint64_t iova_start;
            uint64_t pl_pdir_dma;
            uint32_t page_shift;
            uint32_t page_list_len;
            uint32_t length;
            uint32_t access_flags;
            uint32_t rkey;
            uint32_t reserved;
        } fast_reg;
        struct {
            uint32_t remote_qpn;
            uint32_t remote_qkey;
            PvrdmaWireAv av;
        } ud;
        uint8_t raw[48];
    } wr;
} PvrdmaWireSendWr;

enum {
    PVRDMA_WR_RDMA_WRITE = 0,
    PVRDMA_WR_RDMA_WRITE_WITH_IMM = 1,
    PVRDMA_WR_SEND = 2,
    PVRDMA_WR_SEND_WITH_IMM = 3,
    PVRDMA_WR_RDMA_READ = 4,
    PVRDMA_WR_ATOMIC_CMP_AND_SWP = 5,
    PVRDMA_WR_ATOMIC_FETCH_AND_ADD = 6,
    PVRDMA_WR_SEND_WITH_INV = 8,
    PVRDMA_WR_LOCAL_INV = 10,
    PVRDMA_WR_FAST_REG_MR = 11,
};

#define PVRDMA_SEND_FENCE 0x01u
#define PVRDMA_SEND_SIGNALED 0x02u
#define PVRDMA_SEND_SOLICITED 0x04u

/* Completions */
typedef struct PvrdmaWireCqe {
    uint64_t wr_id;
    uint64_t qp;
    uint32_t opcode;
    uint32_t status;
    uint32_t byte_len;
    uint32_t imm_data;         /* BE, or the key that was invalidated */
    uint32_t src_qp;
    uint32_t wc_flags;
    uint32_t vendor_err;
    uint16_t pkey_index;
    uint16_t slid;
    uint8_t sl;
    uint8_t dlid_path_bits;
    uint8_t port_num;
    uint8_t smac[6];
    uint8_t network_hdr_type;
    uint8_t reserved2[6];
} PvrdmaWireCqe;

enum {
    PVRDMA_WC_OP_SEND = 0,
    PVRDMA_WC_OP_RDMA_WRITE = 1,
    PVRDMA_WC_OP_RDMA_READ = 2,
    PVRDMA_WC_OP_COMP_SWAP = 3,
    PVRDMA_WC_OP_FETCH_ADD = 4,
    PVRDMA_WC_OP_LOCAL_INV = 7,
    PVRDMA_WC_OP_FAST_REG_MR = 8,
    PVRDMA_WC_OP_RECV = 128,
    PVRDMA_WC_OP_RECV_RDMA_WITH_IMM = 129,
};

enum {
    PVRDMA_WC_SUCCESS = 0,
    PVRDMA_WC_LOC_LEN_ERR = 1,
    PVRDMA_WC_LOC_QP_OP_ERR = 2,
    PVRDMA_WC_LOC_PROT_ERR = 4,
    PVRDMA_WC_WR_FLUSH_ERR = 5,
    PVRDMA_WC_MW_BIND_ERR = 6,
    PVRDMA_WC_REM_INV_REQ_ERR = 9,
    PVRDMA_WC_REM_ACCESS_ERR = 10,
    PVRDMA_WC_RETRY_EXC_ERR = 12,
    PVRDMA_WC_RNR_RETRY_EXC_ERR = 13,
    PVRDMA_WC_FATAL_ERR = 19,
    PVRDMA_WC_GENERAL_ERR = 21,
};

#define PVRDMA_WC_FLAG_GRH 0x01u
#define PVRDMA_WC_FLAG_IMM 0x02u
#define PVRDMA_WC_FLAG_INV 0x04u
#define PVRDMA_WC_FLAG_NETWORK 0x40u

enum {                         /* network_hdr_type, valid with the flag */
    PVRDMA_NETWORK_IPV4 = 1,
    PVRDMA_NETWORK_IPV6 = 2,
};

/* Async events */
typedef struct PvrdmaWireEvent {
    uint32_t type;
    uint32_t info;
} PvrdmaWireEvent;

enum {
    PVRDMA_EVENT_CQ_ERR = 0,
    PVRDMA_EVENT_QP_FATAL = 1,
    PVRDMA_EVENT_QP_REQ_ERR = 2,
    PVRDMA_EVENT_QP_ACCESS_ERR = 3,
    PVRDMA_EVENT_COMM_EST = 4,
    PVRDMA_EVENT_SQ_DRAINED = 5,
    PVRDMA_EVENT_DEVICE_FATAL = 8,
    PVRDMA_EVENT_PORT_ACTIVE = 9,
    PVRDMA_EVENT_PORT_ERR = 10,
    PVRDMA_EVENT_LID_CHANGE = 11,
    PVRDMA_EVENT_PKEY_CHANGE = 12,
    PVRDMA_EVENT_SM_CHANGE = 13,
    PVRDMA_EVENT_SRQ_ERR = 14,
    PVRDMA_EVENT_SRQ_LIMIT_REACHED = 15,
    PVRDMA_EVENT_QP_LAST_WQE_REACHED = 16,
    PVRDMA_EVENT_CLIENT_REREGISTER = 17,
    PVRDMA_EVENT_GID_CHANGE = 18,
};

enum {
    PVRDMA_QPT_GSI = 1,
    PVRDMA_QPT_RC = 2,
    PVRDMA_QPT_UD = 4,
};

enum {
    PVRDMA_QPS_RESET = 0,
    PVRDMA_QPS_INIT,
    PVRDMA_QPS_RTR,
    PVRDMA_QPS_RTS,
    PVRDMA_QPS_SQD,
    PVRDMA_QPS_SQE,
    PVRDMA_QPS_ERR,
    PVRDMA_QPS_COUNT,
};

enum {
    PVRDMA_PORT_DOWN = 1,
    PVRDMA_PORT_ACTIVE = 4,
};

#define PVRDMA_ACCESS_LOCAL_WRITE 0x1u
#define PVRDMA_ACCESS_REMOTE_WRITE 0x2u
#define PVRDMA_ACCESS_REMOTE_READ 0x4u
#define PVRDMA_ACCESS_REMOTE_ATOMIC 0x8u
#define PVRDMA_ACCESS_MASK 0xfu

/* Bits of a QP attribute mask */
#define PVRDMA_QP_ATTR_STATE (1u << 0)
#define PVRDMA_QP_ATTR_CUR_STATE (1u << 1)
#define PVRDMA_QP_ATTR_EN_SQD_ASYNC_NOTIFY (1u << 2)
#define PVRDMA_QP_ATTR_ACCESS_FLAGS (1u << 3)
#define PVRDMA_QP_ATTR_PKEY_INDEX (1u << 4)
#define PVRDMA_QP_ATTR_PORT (1u << 5)
#define PVRDMA_QP_ATTR_QKEY (1u << 6)
#define PVRDMA_QP_ATTR_AV (1u << 7)
#define PVRDMA_QP_ATTR_PATH_MTU (1u << 8)
#define PVRDMA_QP_ATTR_TIMEOUT (1u << 9)
#define PVRDMA_QP_ATTR_RETRY_CNT (1u << 10)
#define PVRDMA_QP_ATTR_RNR_RETRY (1u << 11)
#define PVRDMA_QP_ATTR_RQ_PSN (1u << 12)
#define PVRDMA_QP_ATTR_MAX_QP_RD_ATOMIC (1u << 13)
#define PVRDMA_QP_ATTR_ALT_PATH (1u << 14)
#define PVRDMA_QP_ATTR_MIN_RNR_TIMER (1u << 15)
#define PVRDMA_QP_ATTR_SQ_PSN (1u << 16)
#define PVRDMA_QP_ATTR_MAX_DEST_RD_ATOMIC (1u << 17)
#define PVRDMA_QP_ATTR_PATH_MIG_STATE (1u << 18)
#define PVRDMA_QP_ATTR_CAP (1u << 19)
#define PVRDMA_QP_ATTR_DEST_QPN (1u << 20)

#define PVRDMA_ABI_SIZE(type, size) \
    static_assert(sizeof(type) == (size), #type " has a wrong size")
#define PVRDMA_ABI_AT(type, field, at) \
    static_assert(offsetof(type, field) == (at), #type "." #field " moved")

PVRDMA_ABI_SIZE(PvrdmaRingPages, 16);
PVRDMA_ABI_SIZE(PvrdmaDevCaps, 208);
PVRDMA_ABI_AT(PvrdmaDevCaps, max_mr_size, 24);
PVRDMA_ABI_AT(PvrdmaDevCaps, vendor_id, 64);
PVRDMA_ABI_AT(PvrdmaDevCaps, max_qp, 76);
PVRDMA_ABI_AT(PvrdmaDevCaps, max_sge, 88);
PVRDMA_ABI_AT(PvrdmaDevCaps, max_cqe, 100);
PVRDMA_ABI_AT(PvrdmaDevCaps, max_qp_rd_atom, 112);
PVRDMA_ABI_AT(PvrdmaDevCaps, max_qp_init_rd_atom, 124);
PVRDMA_ABI_AT(PvrdmaDevCaps, max_ah, 164);
PVRDMA_ABI_AT(PvrdmaDevCaps, max_srq, 176);
PVRDMA_ABI_AT(PvrdmaDevCaps, max_uar, 188);
PVRDMA_ABI_AT(PvrdmaDevCaps, max_pkeys, 196);
PVRDMA_ABI_AT(PvrdmaDevCaps, phys_port_cnt, 199);
PVRDMA_ABI_AT(PvrdmaDevCaps, gid_types, 203);
PVRDMA_ABI_AT(PvrdmaDevCaps, max_fast_reg_page_list_len, 204);
PVRDMA_ABI_SIZE(PvrdmaDsr, 280);
PVRDMA_ABI_AT(PvrdmaDsr, cmd_slot_dma, 16);
PVRDMA_ABI_AT(PvrdmaDsr, async_ring_pages, 32);
PVRDMA_ABI_AT(PvrdmaDsr, cq_ring_pages, 48);
PVRDMA_ABI_AT(PvrdmaDsr, uar_pfn, 64);
PVRDMA_ABI_AT(PvrdmaDsr, caps, 72);
PVRDMA_ABI_SIZE(PvrdmaReqHdr, 16);
PVRDMA_ABI_SIZE(PvrdmaRespHdr, 16);
PVRDMA_ABI_SIZE(PvrdmaWirePort, 48);
PVRDMA_ABI_AT(PvrdmaWirePort, pkey_tbl_len, 32);
PVRDMA_ABI_AT(PvrdmaWirePort, active_width, 43);
PVRDMA_ABI_AT(PvrdmaWirePort, phys_state, 45);
PVRDMA_ABI_SIZE(PvrdmaWireAh, 40);
PVRDMA_ABI_AT(PvrdmaWireAh, sl, 28);
PVRDMA_ABI_AT(PvrdmaWireAh, dmac, 33);
PVRDMA_ABI_SIZE(PvrdmaWireQpCap, 24);
PVRDMA_ABI_SIZE(PvrdmaWireQpAttr, 160);
PVRDMA_ABI_AT(PvrdmaWireQpAttr, pkey_index, 36);
PVRDMA_ABI_AT(PvrdmaWireQpAttr, min_rnr_timer, 44);
PVRDMA_ABI_AT(PvrdmaWireQpAttr, cap, 56);
PVRDMA_ABI_AT(PvrdmaWireQpAttr, ah_attr, 80);
PVRDMA_ABI_SIZE(PvrdmaReqQueryPort, 24);
PVRDMA_ABI_SIZE(PvrdmaRespQueryPort, 64);
PVRDMA_ABI_SIZE(PvrdmaReqQueryPkey, 24);
PVRDMA_ABI_SIZE(PvrdmaRespQueryPkey, 24);
PVRDMA_ABI_SIZE(PvrdmaReqHandle, 24);
PVRDMA_ABI_SIZE(PvrdmaRespHandle, 24);
PVRDMA_ABI_SIZE(PvrdmaReqCreateUc, 24);
PVRDMA_ABI_SIZE(PvrdmaReqCreateMr, 56);
PVRDMA_ABI_SIZE(PvrdmaRespCreateMr, 32);
PVRDMA_ABI_SIZE(PvrdmaReqCreateCq, 40);
PVRDMA_ABI_SIZE(PvrdmaReqCreateQp, 80);
PVRDMA_ABI_AT(PvrdmaReqCreateQp, total_chunks, 68);
PVRDMA_ABI_AT(PvrdmaReqCreateQp, qp_type, 75);
PVRDMA_ABI_SIZE(PvrdmaRespCreateQpV1, 40);
PVRDMA_ABI_SIZE(PvrdmaRespCreateQp, 48);
PVRDMA_ABI_SIZE(PvrdmaReqModifyQp, PVRDMA_REQ_SIZE);
PVRDMA_ABI_AT(PvrdmaReqModifyQp, attrs, 24);
PVRDMA_ABI_SIZE(PvrdmaRespQueryQp, PVRDMA_RESP_SIZE);
PVRDMA_ABI_SIZE(PvrdmaReqCreateSrq, 56);
PVRDMA_ABI_AT(PvrdmaReqCreateSrq, srq_type, 48);
PVRDMA_ABI_SIZE(PvrdmaReqModifySrq, 40);
PVRDMA_ABI_SIZE(PvrdmaRespQuerySrq, 32);
PVRDMA_ABI_SIZE(PvrdmaReqCreateBind, 48);
PVRDMA_ABI_AT(PvrdmaReqCreateBind, new_gid, 28);
PVRDMA_ABI_SIZE(PvrdmaReqDestroyBind, 40);
PVRDMA_ABI_AT(PvrdmaReqDestroyBind, dest_gid, 20);
PVRDMA_ABI_SIZE(PvrdmaReq, PVRDMA_REQ_SIZE);
PVRDMA_ABI_SIZE(PvrdmaResp, PVRDMA_RESP_SIZE);
PVRDMA_ABI_SIZE(PvrdmaWireSge, 16);
PVRDMA_ABI_SIZE(PvrdmaWireAv, 40);
PVRDMA_ABI_AT(PvrdmaWireAv, gid_index, 25);
PVRDMA_ABI_AT(PvrdmaWireAv, dmac, 28);
PVRDMA_ABI_SIZE(PvrdmaWireRecvWr, 16);
PVRDMA_ABI_SIZE(PvrdmaWireSendWr, 80);
PVRDMA_ABI_AT(PvrdmaWireSendWr, wr, 32);
PVRDMA_ABI_AT(PvrdmaWireSendWr, wr.atomic.rkey, 56);
PVRDMA_ABI_AT(PvrdmaWireSendWr, wr.fast_reg.rkey, 64);
PVRDMA_ABI_AT(PvrdmaWireSendWr, wr.ud.av, 40);
PVRDMA_ABI_SIZE(PvrdmaWireCqe, 64);
PVRDMA_ABI_AT(PvrdmaWireCqe, pkey_index, 44);
PVRDMA_ABI_AT(PvrdmaWireCqe, network_hdr_type, 57);
PVRDMA_ABI_SIZE(PvrdmaWireEvent, 8);

#endif
