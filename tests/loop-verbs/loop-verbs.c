// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An RDMA device in this process, "loop0", in the place of libibverbs: to be preloaded.
 *
 * Its QPs reach each other only, and a work request is done when it is posted.  So whatever else takes time between the
 * calls is the program's, and that is what $LOOP_VERBS_REPORT gets to know at the end: nanoseconds of the calling
 * thread from the end of one call to the begin of the next, per work request posted and per completion polled.
 *
 * As a verbs device it keeps to the rules: order, error flush (also of what is not signaled), signaling, arming.  A
 * receive that is missing is an error at once, as nobody could post it later.  The program finds the device's port where
 * it looks for it, in sysfs, by way of open().  Programs with the same file in $LOOP_VERBS_HOST have the same device,
 * and so have those without.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NAME "loop0"
#define MAX_QPS 4096
#define MAX_MRS 65536
#define MAX_WR 4096
#define MAX_SGE 16
#define MAX_CQE 65536
#define IDLE_NS 20000 // a longer pause between calls is not work

static const uint8_t own_gid[16] = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x50, 0x54, 0, 0xff, 0xfe, 0x12, 0x34, 0x56 };

typedef struct {
  struct ibv_cq ibv;
  struct ibv_wc *wc; // ring
  uint32_t size, head, tail;
  bool armed, armed_solicited;
} LoopCq;

typedef struct {
  struct ibv_mr ibv;
  uint64_t iova;
  int access;
} LoopMr;

typedef struct {
  uint64_t wr_id;
  int num_sge;
  struct ibv_sge sge[MAX_SGE];
} LoopRecv;

typedef struct {
  struct ibv_qp ibv;
  struct ibv_qp_attr attr;
  bool sig_all;
  uint32_t max_recv, head, tail;
  LoopRecv *recv; // ring
} LoopQp;

typedef struct {
  uint64_t calls, items, ns, timed; // timed: items that ns is about
} LoopCount;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ibv_device device = { .name = NAME, .dev_name = "uverbs-" NAME, .node_type = IBV_NODE_CA };
static LoopQp *qps[MAX_QPS];
static LoopMr *mrs[MAX_MRS];
static uint32_t next_qpn = 2, next_mr = 1;
static LoopCount posts, polls;
static uint64_t signaled;
static __thread uint64_t last_exit;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void count(LoopCount *c, uint64_t entered, uint64_t items) {
  uint64_t ns = last_exit ? entered - last_exit : IDLE_NS;
  c->calls++;
  c->items += items;
  if (items && ns < IDLE_NS) {
    c->ns += ns;
    c->timed += items;
  }
}

static void report_count(FILE *f, const char *name, const LoopCount *c) {
  fprintf(f, "%s: %lu in %lu calls, %.0f ns each outside of verbs\n", name, c->items, c->calls,
          c->timed ? (double)c->ns / (double)c->timed : 0.0);
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("LOOP_VERBS_REPORT");
  FILE *f = path && posts.calls ? fopen(path, "a") : NULL;
  if (!f) return;
  report_count(f, "sends", &posts);
  fprintf(f, "signaled: %lu\n", signaled);
  report_count(f, "completions", &polls);
  fclose(f);
}

// sysfs

static int text_file(const char *text) {
  int fd = memfd_create("loop", MFD_CLOEXEC);
  if (fd >= 0 && (write(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0)) abort();
  return fd;
}

static int real_open(const char *path) {
  FILE *f = fopen(path, "re");
  int fd = f ? fcntl(fileno(f), F_DUPFD_CLOEXEC, 0) : -1;
  if (f) fclose(f);
  return fd;
}

static int sysfs_open(const char *path) {
  unsigned gid;
  if (sscanf(path, "/sys/class/infiniband/" NAME "/ports/1/gids/%u", &gid) == 1)
    return text_file(gid ? "0000:0000:0000:0000:0000:0000:0000:0000\n" : "fe80:0000:0000:0000:5054:00ff:fe12:3456\n");
  Dl_info own; // something to lock that other processes of the same "host" find, too
  const char *host = getenv("LOOP_VERBS_HOST");
  if (host) return real_open(host);
  return dladdr(own_gid, &own) ? real_open(own.dli_fname) : -1;
}

static bool is_ours(const char *path) { return !strncmp(path, "/sys/class/infiniband/" NAME "/", 28); }

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    static int (*real)(const char *, int, mode_t); \
    va_list ap; \
    va_start(ap, flags); \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0; \
    va_end(ap); \
    if (is_ours(path)) return sysfs_open(path); \
    if (!real) real = (int (*)(const char *, int, mode_t))dlsym(RTLD_NEXT, #name); \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

// Completion queues, under the lock

static void cq_notify(LoopCq *cq) {
  cq->armed = cq->armed_solicited = false;
  // non-blocking; a full pipe has news for the reader anyway
  if (write(cq->ibv.channel->refcnt, &cq, sizeof(cq)) < 0 && errno != EAGAIN) abort();
}

static void cq_push(struct ibv_cq *ibv, const struct ibv_wc *wc, bool solicited) {
  LoopCq *cq = (LoopCq *)ibv;
  if (cq->tail - cq->head == cq->size) {
    fprintf(stderr, NAME ": the program lets a CQ overflow\n");
    abort();
  }
  cq->wc[cq->tail++ % cq->size] = *wc;
  if (cq->armed || (cq->armed_solicited && (solicited || wc->status != IBV_WC_SUCCESS))) cq_notify(cq);
}

static int poll_cq(struct ibv_cq *ibv, int n, struct ibv_wc *wc) {
  uint64_t entered = now();
  LoopCq *cq = (LoopCq *)ibv;
  int done = 0;
  pthread_mutex_lock(&lock);
  for (; done < n && cq->head != cq->tail; done++) wc[done] = cq->wc[cq->head++ % cq->size];
  static __thread uint64_t before; // what this thread has worked on since its last call
  count(&polls, entered, before);
  before = (uint64_t)done;
  pthread_mutex_unlock(&lock);
  last_exit = now();
  return done;
}

static int req_notify_cq(struct ibv_cq *ibv, int solicited_only) {
  LoopCq *cq = (LoopCq *)ibv;
  pthread_mutex_lock(&lock);
  *(solicited_only ? &cq->armed_solicited : &cq->armed) = true;
  pthread_mutex_unlock(&lock);
  last_exit = now();
  return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *ctx, int cqe, void *cookie, struct ibv_comp_channel *channel, int vector) {
  (void)vector;
  LoopCq *cq = calloc(1, sizeof(*cq));
  cq->ibv = (struct ibv_cq){ .context = ctx, .channel = channel, .cq_context = cookie, .cqe = cqe };
  cq->size = (uint32_t)cqe;
  cq->wc = calloc(cq->size, sizeof(*cq->wc));
  return &cq->ibv;
}

int ibv_destroy_cq(struct ibv_cq *ibv) {
  LoopCq *cq = (LoopCq *)ibv, *other;
  pthread_mutex_lock(&lock);
  // unread events of this CQ go with it
  int fd = ibv->channel->fd, kept = 0;
  LoopCq *keep[1024];
  while (kept < 1024 && read(fd, &other, sizeof(other)) == sizeof(other))
    if (other != cq) keep[kept++] = other;
  if (kept && write(ibv->channel->refcnt, keep, (size_t)kept * sizeof(cq)) < 0) abort();
  pthread_mutex_unlock(&lock);
  free(cq->wc);
  free(cq);
  return 0;
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *ctx) {
  struct ibv_comp_channel *channel = calloc(1, sizeof(*channel));
  int fd[2];
  if (pipe2(fd, O_CLOEXEC | O_NONBLOCK)) return NULL;
  *channel = (struct ibv_comp_channel){ .context = ctx, .fd = fd[0], .refcnt = fd[1] };
  return channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel) {
  close(channel->fd);
  close(channel->refcnt);
  free(channel);
  return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **ret, void **cookie) {
  LoopCq *cq;
  ssize_t n = read(channel->fd, &cq, sizeof(cq));
  last_exit = now();
  if (n != sizeof(cq)) return -1;
  *ret = &cq->ibv;
  *cookie = cq->ibv.cq_context;
  return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned n) {
  (void)cq;
  (void)n;
}

int ibv_get_async_event(struct ibv_context *ctx, struct ibv_async_event *event) {
  uint64_t dummy;
  (void)event;
  return read(ctx->async_fd, &dummy, sizeof(dummy)) < 0 ? -1 : 0;
}

void ibv_ack_async_event(struct ibv_async_event *event) { (void)event; }

// Memory, under the lock

static uint8_t *mem(uint32_t key, uint64_t addr, uint64_t len, int access) {
  LoopMr *mr = key >> 8 < MAX_MRS ? mrs[key >> 8] : NULL;
  if (!mr || mr->ibv.lkey != key || (access & ~mr->access) || addr < mr->iova || len > mr->ibv.length ||
      addr - mr->iova > mr->ibv.length - len)
    return NULL;
  return (uint8_t *)mr->ibv.addr + (addr - mr->iova);
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned access) {
  LoopMr *mr = calloc(1, sizeof(*mr));
  pthread_mutex_lock(&lock);
  while (mrs[next_mr % MAX_MRS] || next_mr % MAX_MRS == 0) next_mr++;
  uint32_t key = (next_mr % MAX_MRS) << 8 | (next_mr / MAX_MRS & 0xff);
  mrs[next_mr++ % MAX_MRS] = mr;
  pthread_mutex_unlock(&lock);
  mr->ibv = (struct ibv_mr){ .context = pd->context, .pd = pd, .addr = addr, .length = length, .lkey = key, .rkey = key };
  mr->iova = iova;
  mr->access = (int)access;
  return &mr->ibv;
}

int ibv_dereg_mr(struct ibv_mr *mr) {
  pthread_mutex_lock(&lock);
  mrs[mr->lkey >> 8] = NULL;
  pthread_mutex_unlock(&lock);
  free(mr);
  return 0;
}

// Work requests, under the lock

static void flush_recvs(LoopQp *qp) {
  for (; qp->head != qp->tail; qp->head++) {
    struct ibv_wc wc = { .wr_id = qp->recv[qp->head % qp->max_recv].wr_id, .status = IBV_WC_WR_FLUSH_ERR,
                         .opcode = IBV_WC_RECV, .qp_num = qp->ibv.qp_num };
    cq_push(qp->ibv.recv_cq, &wc, true);
  }
}

static void qp_error(LoopQp *qp) {
  qp->ibv.state = qp->attr.qp_state = IBV_QPS_ERR;
  flush_recvs(qp);
}

// Copies between a list of SGEs and one range, either way
static enum ibv_wc_status copy(const struct ibv_sge *sge, int n, uint8_t *at, bool to_sges, uint32_t *left) {
  for (int i = 0; i < n && *left; i++) {
    uint32_t len = sge[i].length < *left ? sge[i].length : *left;
    uint8_t *own = mem(sge[i].lkey, sge[i].addr, sge[i].length, to_sges ? IBV_ACCESS_LOCAL_WRITE : 0);
    if (!own) return IBV_WC_LOC_PROT_ERR;
    memmove(to_sges ? own : at, to_sges ? at : own, len);
    at += len;
    *left -= len;
  }
  return IBV_WC_SUCCESS;
}

static uint32_t total(const struct ibv_send_wr *wr) {
  uint32_t sum = 0;
  for (int i = 0; i < wr->num_sge; i++) sum += wr->sg_list[i].length;
  return sum;
}

static enum ibv_wc_status deliver(LoopQp *from, LoopQp *to, const struct ibv_send_wr *wr, struct ibv_wc *in, uint8_t *data) {
  bool ud = from->ibv.qp_type == IBV_QPT_UD, copies = in->opcode == IBV_WC_RECV;
  if (to->head == to->tail) return ud ? IBV_WC_SUCCESS : IBV_WC_RNR_RETRY_EXC_ERR;
  LoopRecv *r = &to->recv[to->head++ % to->max_recv];
  uint32_t len = in->byte_len, left = len;
  in->wr_id = r->wr_id;
  in->qp_num = to->ibv.qp_num;
  in->src_qp = from->ibv.qp_num;
  if (wr->opcode == IBV_WR_SEND_WITH_IMM || wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM) {
    in->wc_flags |= IBV_WC_WITH_IMM;
    in->imm_data = wr->imm_data;
  }
  in->status = copies ? copy(r->sge, r->num_sge, data, true, &left) : IBV_WC_SUCCESS;
  if (copies && !in->status && left) in->status = IBV_WC_LOC_LEN_ERR;
  cq_push(to->ibv.recv_cq, in, wr->send_flags & IBV_SEND_SOLICITED);
  if (in->status && !ud) qp_error(to);
  return in->status && !ud ? IBV_WC_REM_OP_ERR : IBV_WC_SUCCESS;
}

static enum ibv_wc_status do_send(LoopQp *qp, LoopQp *to, const struct ibv_send_wr *wr) {
  uint32_t grh = qp->ibv.qp_type == IBV_QPT_UD ? 40 : 0, len = total(wr), left = len;
  struct ibv_wc in = { .opcode = IBV_WC_RECV, .byte_len = len + grh, .wc_flags = grh ? IBV_WC_GRH : 0 };
  uint8_t *data = calloc(1, len + grh + 1);
  enum ibv_wc_status status = copy(wr->sg_list, wr->num_sge, data + grh, false, &left);
  if (!status && to) status = deliver(qp, to, wr, &in, data);
  else if (!status && !grh) status = IBV_WC_RETRY_EXC_ERR;
  free(data);
  return status;
}

static enum ibv_wc_status do_rdma(LoopQp *to, const struct ibv_send_wr *wr, bool read) {
  uint32_t len = total(wr), left = len;
  int access = read ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE;
  uint8_t *remote = len ? mem(wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, len, access) : (uint8_t *)"";
  if (!to) return IBV_WC_RETRY_EXC_ERR;
  if (!remote) return IBV_WC_REM_ACCESS_ERR;
  if (read) return copy(wr->sg_list, wr->num_sge, remote, true, &left);
  for (int i = 0; i < wr->num_sge; i++) { // straight, as this is what is measured
    const uint8_t *own = mem(wr->sg_list[i].lkey, wr->sg_list[i].addr, wr->sg_list[i].length, 0);
    if (!own) return IBV_WC_LOC_PROT_ERR;
    memmove(remote, own, wr->sg_list[i].length);
    remote += wr->sg_list[i].length;
  }
  return IBV_WC_SUCCESS;
}

static enum ibv_wc_status do_atomic(LoopQp *to, const struct ibv_send_wr *wr) {
  uint64_t *word = (uint64_t *)mem(wr->wr.atomic.rkey, wr->wr.atomic.remote_addr, 8, IBV_ACCESS_REMOTE_ATOMIC), old;
  uint32_t left = 8;
  if (!to) return IBV_WC_RETRY_EXC_ERR;
  if (!word) return IBV_WC_REM_ACCESS_ERR;
  old = *word;
  if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) *word += wr->wr.atomic.compare_add;
  else if (old == wr->wr.atomic.compare_add) *word = wr->wr.atomic.swap;
  return copy(wr->sg_list, wr->num_sge, (uint8_t *)&old, true, &left);
}

static enum ibv_wc_status execute(LoopQp *qp, const struct ibv_send_wr *wr, enum ibv_wc_opcode *ret) {
  bool ud = qp->ibv.qp_type == IBV_QPT_UD;
  uint32_t qpn = ud ? wr->wr.ud.remote_qpn : qp->attr.dest_qp_num;
  LoopQp *to = qpn < MAX_QPS ? qps[qpn] : NULL;
  enum ibv_wc_status status;
  if (to && (to->ibv.state < IBV_QPS_RTR || to->ibv.state == IBV_QPS_ERR)) to = NULL;
  switch (wr->opcode) {
    case IBV_WR_RDMA_READ: *ret = IBV_WC_RDMA_READ; return do_rdma(to, wr, true);
    case IBV_WR_ATOMIC_CMP_AND_SWP: *ret = IBV_WC_COMP_SWAP; return do_atomic(to, wr);
    case IBV_WR_ATOMIC_FETCH_AND_ADD: *ret = IBV_WC_FETCH_ADD; return do_atomic(to, wr);
    case IBV_WR_RDMA_WRITE: *ret = IBV_WC_RDMA_WRITE; return do_rdma(to, wr, false);
    case IBV_WR_RDMA_WRITE_WITH_IMM:
      *ret = IBV_WC_RDMA_WRITE;
      status = do_rdma(to, wr, false);
      struct ibv_wc in = { .opcode = IBV_WC_RECV_RDMA_WITH_IMM, .byte_len = total(wr) };
      return status ? status : deliver(qp, to, wr, &in, NULL);
    default: *ret = IBV_WC_SEND; return do_send(qp, to, wr);
  }
}

static void send_one(LoopQp *qp, const struct ibv_send_wr *wr) {
  struct ibv_wc wc = { .wr_id = wr->wr_id, .qp_num = qp->ibv.qp_num, .opcode = IBV_WC_SEND };
  bool wanted = qp->sig_all || (wr->send_flags & IBV_SEND_SIGNALED);
  wc.status = qp->ibv.state == IBV_QPS_ERR ? IBV_WC_WR_FLUSH_ERR : execute(qp, wr, &wc.opcode);
  signaled += wanted;
  if (wanted || wc.status) cq_push(qp->ibv.send_cq, &wc, false);
  if (wc.status && qp->ibv.state != IBV_QPS_ERR) qp_error(qp);
}

static int post_send(struct ibv_qp *ibv, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
  uint64_t entered = now(), n = 0;
  (void)bad;
  pthread_mutex_lock(&lock);
  for (; wr; wr = wr->next, n++) send_one((LoopQp *)ibv, wr);
  count(&posts, entered, n);
  pthread_mutex_unlock(&lock);
  last_exit = now();
  return 0;
}

static int post_recv(struct ibv_qp *ibv, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
  LoopQp *qp = (LoopQp *)ibv;
  int rc = 0;
  pthread_mutex_lock(&lock);
  for (; wr && !rc; wr = rc ? wr : wr->next) {
    *bad = wr;
    if (qp->tail - qp->head == qp->max_recv || wr->num_sge > MAX_SGE) {
      rc = ENOMEM;
    } else {
      LoopRecv *r = &qp->recv[qp->tail++ % qp->max_recv];
      r->wr_id = wr->wr_id;
      r->num_sge = wr->num_sge;
      memcpy(r->sge, wr->sg_list, (size_t)wr->num_sge * sizeof(r->sge[0]));
    }
  }
  if (qp->ibv.state == IBV_QPS_ERR) flush_recvs(qp);
  pthread_mutex_unlock(&lock);
  last_exit = now();
  return rc;
}

// Queue pairs

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init) {
  LoopQp *qp = calloc(1, sizeof(*qp));
  pthread_mutex_lock(&lock);
  while (qps[next_qpn % MAX_QPS] || next_qpn % MAX_QPS < 2) next_qpn++;
  uint32_t qpn = next_qpn++ % MAX_QPS;
  qps[qpn] = qp;
  pthread_mutex_unlock(&lock);
  qp->ibv = (struct ibv_qp){ .context = pd->context, .qp_context = init->qp_context, .pd = pd, .send_cq = init->send_cq,
                             .recv_cq = init->recv_cq, .qp_num = qpn, .qp_type = init->qp_type };
  qp->sig_all = init->sq_sig_all;
  qp->max_recv = init->cap.max_recv_wr;
  qp->recv = calloc(qp->max_recv, sizeof(*qp->recv));
  return &qp->ibv;
}

int ibv_destroy_qp(struct ibv_qp *ibv) {
  LoopQp *qp = (LoopQp *)ibv;
  pthread_mutex_lock(&lock);
  qps[ibv->qp_num] = NULL;
  pthread_mutex_unlock(&lock);
  free(qp->recv);
  free(qp);
  return 0;
}

int ibv_modify_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attr, int mask) {
  LoopQp *qp = (LoopQp *)ibv;
  pthread_mutex_lock(&lock);
  if (mask & IBV_QP_DEST_QPN) qp->attr.dest_qp_num = attr->dest_qp_num;
  if (mask & IBV_QP_SQ_PSN) qp->attr.sq_psn = attr->sq_psn;
  if (mask & IBV_QP_RQ_PSN) qp->attr.rq_psn = attr->rq_psn;
  if (mask & IBV_QP_STATE) {
    ibv->state = qp->attr.qp_state = attr->qp_state;
    if (attr->qp_state == IBV_QPS_ERR) flush_recvs(qp);
    if (attr->qp_state == IBV_QPS_RESET) qp->head = qp->tail;
  }
  pthread_mutex_unlock(&lock);
  last_exit = now();
  return 0;
}

int ibv_query_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init) {
  (void)mask;
  (void)init;
  *attr = ((LoopQp *)ibv)->attr;
  last_exit = now();
  return 0;
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr) {
  struct ibv_ah *ah = calloc(1, sizeof(*ah));
  (void)attr;
  *ah = (struct ibv_ah){ .context = pd->context, .pd = pd };
  return ah;
}

int ibv_destroy_ah(struct ibv_ah *ah) {
  free(ah);
  return 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *ctx) {
  struct ibv_pd *pd = calloc(1, sizeof(*pd));
  pd->context = ctx;
  return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd) {
  free(pd);
  return 0;
}

// The device

struct ibv_device **ibv_get_device_list(int *n) {
  struct ibv_device **list = calloc(2, sizeof(*list));
  list[0] = &device;
  if (n) *n = 1;
  return list;
}

void ibv_free_device_list(struct ibv_device **list) { free(list); }

const char *ibv_get_device_name(struct ibv_device *dev) { return dev->name; }

static int query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr, size_t len) {
  const struct ibv_port_attr all = { .state = IBV_PORT_ACTIVE, .max_mtu = IBV_MTU_4096, .active_mtu = IBV_MTU_1024,
                                     .gid_tbl_len = 16, .max_msg_sz = 1u << 30, .pkey_tbl_len = 1, .phys_state = 5,
                                     .active_width = 1, .active_speed = 4, .link_layer = IBV_LINK_LAYER_ETHERNET };
  (void)ctx;
  (void)port;
  memcpy(attr, &all, len < sizeof(all) ? len : sizeof(all));
  return 0;
}

struct ibv_context *ibv_open_device(struct ibv_device *dev) {
  struct verbs_context *ctx = calloc(1, sizeof(*ctx));
  ctx->sz = sizeof(*ctx);
  ctx->query_port = query_port;
  ctx->context = (struct ibv_context){ .device = dev, .async_fd = eventfd(0, EFD_CLOEXEC), .num_comp_vectors = 1,
                                       .abi_compat = __VERBS_ABI_IS_EXTENDED };
  ctx->context.ops.poll_cq = poll_cq;
  ctx->context.ops.req_notify_cq = req_notify_cq;
  ctx->context.ops.post_send = post_send;
  ctx->context.ops.post_recv = post_recv;
  return &ctx->context;
}

int ibv_close_device(struct ibv_context *ctx) {
  close(ctx->async_fd);
  free(verbs_get_ctx(ctx));
  return 0;
}

int ibv_query_device(struct ibv_context *ctx, struct ibv_device_attr *attr) {
  (void)ctx;
  *attr = (struct ibv_device_attr){ .fw_ver = "1", .max_mr_size = UINT64_MAX, .max_qp = MAX_QPS, .max_qp_wr = MAX_WR,
                                    .max_sge = MAX_SGE, .max_sge_rd = MAX_SGE, .max_cq = 4096, .max_cqe = MAX_CQE,
                                    .max_mr = MAX_MRS, .max_pd = 4096, .max_qp_rd_atom = 16, .max_qp_init_rd_atom = 16,
                                    .atomic_cap = IBV_ATOMIC_HCA, .max_ah = 65536, .phys_port_cnt = 1 };
  return 0;
}

int _ibv_query_gid_ex(struct ibv_context *ctx, uint32_t port, uint32_t index, struct ibv_gid_entry *entry, uint32_t flags,
                      size_t size) {
  (void)ctx;
  (void)flags;
  (void)size;
  if (index) return ENODATA;
  *entry = (struct ibv_gid_entry){ .gid_index = 0, .port_num = port, .gid_type = IBV_GID_TYPE_ROCE_V2 };
  memcpy(entry->gid.raw, own_gid, sizeof(own_gid));
  return 0;
}

ssize_t _ibv_query_gid_table(struct ibv_context *ctx, struct ibv_gid_entry *entries, size_t max, uint32_t flags, size_t size) {
  return max ? (_ibv_query_gid_ex(ctx, 1, 0, entries, flags, size), 1) : 0;
}
