/*
 * pvrdma: faults on demand: the properties, and what happens at once
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/main-loop.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "pvrdma.h"

static void port_set(PvrdmaDev *dev, bool down)
{
    PvrdmaFault *f = dev->fault;

    if (!dev->be || f->port_down == down) {
        return;
    }
    f->port_down = down;
    pvrdma_fault_interpose(f, dev->be);
    dev->be->ops->query_port(dev->be, &dev->port);
    pvrdma_event(dev, down ? PVRDMA_EVENT_PORT_ERR
                           : PVRDMA_EVENT_PORT_ACTIVE, 1);
}

static void port_timer(void *opaque)
{
    PvrdmaDev *dev = opaque;

    pvrdma_enter(dev);
    port_set(dev, false);
    pvrdma_leave(dev);
}

static void irq_timer(void *opaque)
{
    PvrdmaDev *dev = opaque;

    if (dev->irq_bh) {
        qemu_bh_schedule(dev->irq_bh);
    }
}

static PvrdmaFault *get_fault(PvrdmaDev *dev)
{
    if (!dev->fault) {
        dev->fault = g_new0(PvrdmaFault, 1);
        dev->fault->rand = g_rand_new_with_seed(0);
        dev->fault->irq_timer = timer_new_ms(QEMU_CLOCK_REALTIME, irq_timer,
                                             dev);
        dev->fault->port_timer = timer_new_ms(QEMU_CLOCK_REALTIME, port_timer,
                                              dev);
    }
    return dev->fault;
}

void pvrdma_fault_free(PvrdmaDev *dev)
{
    PvrdmaFault *f = dev->fault;

    if (!f) {
        return;
    }
    for (unsigned i = 0; i < PVRDMA_FAULT_KINDS; i++) {
        g_clear_pointer(&f->rules[i], g_array_unref);
    }
    g_rand_free(f->rand);
    timer_free(f->irq_timer);
    timer_free(f->port_timer);
    g_clear_pointer(&dev->fault, g_free);
}

void pvrdma_fault_start(PvrdmaDev *dev)
{
    if (dev->fault) {
        pvrdma_fault_interpose(dev->fault, dev->be);
    }
}

void pvrdma_fault_stop(PvrdmaDev *dev)
{
    PvrdmaFault *f = dev->fault;

    if (f) {
        f->port_down = false;
        timer_del(f->port_timer);
        timer_del(f->irq_timer);
        pvrdma_fault_remove(f, dev->be);
    }
}

int pvrdma_fault_command(PvrdmaDev *dev, const char *name)
{
    return dev->fault ? pvrdma_fault_take(dev->fault, PVRDMA_FAULT_COMMAND,
                                          name) : 0;
}

bool pvrdma_fault_delays_irq(PvrdmaDev *dev)
{
    PvrdmaFault *f = dev->fault;

    if (!f || !f->irq_delay) {
        return false;
    }
    if (!timer_pending(f->irq_timer)) {
        timer_mod(f->irq_timer, qemu_clock_get_ms(QEMU_CLOCK_REALTIME) +
                                f->irq_delay);
    }
    return true;
}

void pvrdma_fault_qp_ready(PvrdmaQp *qp)
{
    PvrdmaFault *f = qp->dev->fault;

    if (f && f->qp_nth && --f->qp_nth == 0) {
        pvrdma_qp_fatal(qp);
    }
}

/* Setters */

static bool set_rules(PvrdmaDev *dev, PvrdmaFaultKind kind, const char *text,
                      Error **errp)
{
    GArray *rules = pvrdma_fault_parse(kind, text, errp);
    PvrdmaFault *f;

    if (!rules) {
        return false;
    }
    f = get_fault(dev);
    if (f->rules[kind]) {
        g_array_unref(f->rules[kind]);
    }
    f->rules[kind] = rules;
    if (dev->be) {
        pvrdma_fault_interpose(f, dev->be);
    }
    return true;
}

static bool parse_number(const char *name, const char *text, uint32_t *ret,
                         Error **errp)
{
    unsigned n;

    if (!g_ascii_isdigit(*text) || qemu_strtoui(text, NULL, 10, &n) < 0) {
        error_setg(errp, "%s: '%s' is not a number", name, text);
        return false;
    }
    *ret = n;
    return true;
}

static bool set_qp(PvrdmaDev *dev, const char *text, Error **errp)
{
    uint32_t n;
    PvrdmaQp *qp;

    if (!parse_number("x-fault-qp", text + (*text == '@'), &n, errp)) {
        return false;
    }
    if (*text == '@') {
        get_fault(dev)->qp_nth = n;
        return true;
    }
    qp = dev->be ? pvrdma_table_get(&dev->qps, n) : NULL;
    if (!qp) {
        error_setg(errp, "x-fault-qp: there is no QP %u", n);
        return false;
    }
    pvrdma_qp_fatal(qp);
    return true;
}

static bool set_cq(PvrdmaDev *dev, const char *text, Error **errp)
{
    uint32_t n;
    PvrdmaCq *cq;

    if (!parse_number("x-fault-cq", text, &n, errp)) {
        return false;
    }
    cq = dev->be ? pvrdma_table_get(&dev->cqs, n) : NULL;
    if (!cq) {
        error_setg(errp, "x-fault-cq: there is no CQ %u", n);
        return false;
    }
    pvrdma_cq_host_error(dev, cq);
    return true;
}

/* How long the port is down, in milliseconds */
static bool set_port(PvrdmaDev *dev, const char *text, Error **errp)
{
    uint32_t ms;

    if (!parse_number("x-fault-port", text, &ms, errp)) {
        return false;
    }
    if (!dev->be) {
        error_setg(errp, "x-fault-port: there is no port yet");
        return false;
    }
    timer_mod(get_fault(dev)->port_timer,
              qemu_clock_get_ms(QEMU_CLOCK_REALTIME) + ms);
    port_set(dev, true);
    return true;
}

static bool set_irq_delay(PvrdmaDev *dev, const char *text, Error **errp)
{
    uint32_t ms;

    if (!parse_number("x-fault-irq-delay", text, &ms, errp)) {
        return false;
    }
    get_fault(dev)->irq_delay = ms;
    return true;
}

static bool set_seed(PvrdmaDev *dev, const char *text, Error **errp)
{
    uint32_t seed;

    if (!parse_number("x-fault-seed", text, &seed, errp)) {
        return false;
    }
    get_fault(dev)->seed = seed;
    g_rand_set_seed(dev->fault->rand, seed);
    return true;
}

static bool set_command(PvrdmaDev *dev, const char *text, Error **errp)
{
    return set_rules(dev, PVRDMA_FAULT_COMMAND, text, errp);
}

static bool set_backend(PvrdmaDev *dev, const char *text, Error **errp)
{
    return set_rules(dev, PVRDMA_FAULT_BACKEND, text, errp);
}

/* Getters: what is still to come; a new string */

static char *get_command(const PvrdmaFault *f)
{
    return pvrdma_fault_print(f->rules[PVRDMA_FAULT_COMMAND]);
}

static char *get_backend(const PvrdmaFault *f)
{
    return pvrdma_fault_print(f->rules[PVRDMA_FAULT_BACKEND]);
}

static char *get_qp(const PvrdmaFault *f)
{
    return f->qp_nth ? g_strdup_printf("@%u", f->qp_nth) : g_strdup("");
}

static char *get_port(const PvrdmaFault *f)
{
    return g_strdup(f->port_down ? "down" : "");
}

static char *get_irq_delay(const PvrdmaFault *f)
{
    return g_strdup_printf("%u", f->irq_delay);
}

static char *get_seed(const PvrdmaFault *f)
{
    return g_strdup_printf("%u", f->seed);
}

typedef struct FaultProperty {
    const char *name;
    bool (*set)(PvrdmaDev *dev, const char *text, Error **errp);
    char *(*get)(const PvrdmaFault *f); /* or NULL: nothing is to come */
    const char *description;
} FaultProperty;

static const FaultProperty properties[] = {
    { "x-fault-command", set_command, get_command,
      "Commands that fail: NAME[@N|@P%][:ERRNO][;...], NAME may be any" },
    { "x-fault-backend", set_backend, get_backend,
      "Backend operations that fail, in the same way" },
    { "x-fault-qp", set_qp, get_qp,
      "Breaks the QP with this handle now, or the @N-th to reach RTS" },
    { "x-fault-cq", set_cq, NULL, "Breaks the CQ with this handle now" },
    { "x-fault-port", set_port, get_port,
      "Takes the port down for so many milliseconds" },
    { "x-fault-irq-delay", set_irq_delay, get_irq_delay,
      "Milliseconds that interrupts are late" },
    { "x-fault-seed", set_seed, get_seed, "Of the chances that rules have" },
};

static void property_set(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    const FaultProperty *property = opaque;
    PvrdmaDev *dev = PVRDMA(obj);
    g_autofree char *text = NULL;

    if (!visit_type_str(v, name, &text, errp)) {
        return;
    }
    pvrdma_enter(dev);
    property->set(dev, text, errp);
    pvrdma_leave(dev);
    if (dev->be) {
        pvrdma_progress(dev);
    }
}

static void property_get(Object *obj, Visitor *v, const char *name,
                         void *opaque, Error **errp)
{
    const FaultProperty *property = opaque;
    PvrdmaDev *dev = PVRDMA(obj);
    char *text = NULL;

    pvrdma_enter(dev);
    if (dev->fault && property->get) {
        text = property->get(dev->fault);
    }
    pvrdma_leave(dev);
    text = text ?: g_strdup("");
    visit_type_str(v, name, &text, errp);
    g_free(text);
}

void pvrdma_fault_class_init(ObjectClass *klass)
{
    for (unsigned i = 0; i < ARRAY_SIZE(properties); i++) {
        object_class_property_add(klass, properties[i].name, "str",
                                  property_get, property_set, NULL,
                                  (void *)&properties[i]);
        object_class_property_set_description(klass, properties[i].name,
                                              properties[i].description);
    }
}
