/*
 * pvrdma: faults on demand: the rules that say what fails when
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qapi/error.h"
#include "pvrdma.h"
#include "trace.h"

#define MAX_RULES 16
#define MAX_ERRNO 4095u
#define ANY "any"

static const struct {
    const char *name;
    int value;
} errnos[] = {
    { "EPERM", EPERM }, { "ENOENT", ENOENT }, { "EIO", EIO },
    { "EAGAIN", EAGAIN }, { "ENOMEM", ENOMEM }, { "EFAULT", EFAULT },
    { "EBUSY", EBUSY }, { "ENODEV", ENODEV }, { "EINVAL", EINVAL },
    { "ENOSPC", ENOSPC }, { "EOPNOTSUPP", EOPNOTSUPP },
    { "ETIMEDOUT", ETIMEDOUT },
};

static bool parse_name(PvrdmaFaultKind kind, const char *text,
                       PvrdmaFaultRule *rule, Error **errp)
{
    bool ok = true;

    if (!strcmp(text, ANY)) {
        rule->name = NULL;
    } else if (kind == PVRDMA_FAULT_COMMAND) {
        ok = pvrdma_cmd_exists(text, &rule->name);
    } else {
        ok = pvrdma_fault_op_exists(text, &rule->name);
    }
    if (!ok) {
        error_setg(errp, "fault rule: no %s is called '%s'",
                   kind == PVRDMA_FAULT_COMMAND ? "command" : "operation",
                   text);
    }
    return ok;
}

static bool parse_when(const char *text, PvrdmaFaultRule *rule, Error **errp)
{
    const char *end;
    unsigned n;

    if (!text) {
        rule->nth = 1;
        return true;
    }
    if (g_ascii_isdigit(*text) && !qemu_strtoui(text, &end, 10, &n) && n) {
        if (!*end) {
            rule->nth = n;
            return true;
        }
        if (!strcmp(end, "%") && n <= 100) {
            rule->percent = n;
            return true;
        }
    }
    error_setg(errp, "fault rule: '@%s' is neither @N, the N-th call from 1 "
               "on, nor @P%%, a chance of 1 to 100", text);
    return false;
}

static bool parse_errno(const char *text, PvrdmaFaultRule *rule, Error **errp)
{
    unsigned n;

    if (!text) {
        rule->err = EIO;
        return true;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(errnos); i++) {
        if (!strcmp(text, errnos[i].name)) {
            rule->err = errnos[i].value;
            return true;
        }
    }
    if (g_ascii_isdigit(*text) && !qemu_strtoui(text, NULL, 10, &n) &&
        n >= 1 && n <= MAX_ERRNO) {
        rule->err = n;
        return true;
    }
    error_setg(errp, "fault rule: '%s' is no errno: neither a number of 1 to "
               "%u nor a name like ENOMEM", text, MAX_ERRNO);
    return false;
}

static bool parse_rule(PvrdmaFaultKind kind, const char *text,
                       PvrdmaFaultRule *rule, Error **errp)
{
    g_auto(GStrv) part = g_strsplit(text, ":", 2);
    g_auto(GStrv) call = g_strsplit(part[0] ?: "", "@", 2);

    return parse_name(kind, call[0] ?: "", rule, errp) &&
           parse_when(call[0] ? call[1] : NULL, rule, errp) &&
           parse_errno(part[0] ? part[1] : NULL, rule, errp);
}

GArray *pvrdma_fault_parse(PvrdmaFaultKind kind, const char *text,
                           Error **errp)
{
    g_autoptr(GArray) rules = g_array_new(FALSE, FALSE,
                                          sizeof(PvrdmaFaultRule));
    g_auto(GStrv) part = g_strsplit(text, ";", MAX_RULES + 1);

    if (g_strv_length(part) > MAX_RULES) {
        error_setg(errp, "more than %d fault rules", MAX_RULES);
        return NULL;
    }
    for (unsigned i = 0; part[i]; i++) {
        PvrdmaFaultRule rule = { };

        if (!parse_rule(kind, part[i], &rule, errp)) {
            return NULL;
        }
        g_array_append_val(rules, rule);
    }
    return g_steal_pointer(&rules);
}

char *pvrdma_fault_print(const GArray *rules)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; rules && i < rules->len; i++) {
        const PvrdmaFaultRule *r = &g_array_index(rules, PvrdmaFaultRule, i);

        g_string_append_printf(text, "%s%s@%u%s:%d", i ? ";" : "",
                               r->name ?: ANY, r->nth ?: r->percent,
                               r->nth ? "" : "%", r->err);
    }
    return g_string_free(text, FALSE);
}

/* A rule that counts is over with the call that it meant. */
static bool is_due(PvrdmaFault *f, PvrdmaFaultRule *rule)
{
    if (rule->nth) {
        return --rule->nth == 0;
    }
    return g_rand_int_range(f->rand, 0, 100) < rule->percent;
}

int pvrdma_fault_take(PvrdmaFault *f, PvrdmaFaultKind kind, const char *name)
{
    GArray *rules = f->rules[kind];

    for (unsigned i = 0; rules && i < rules->len; i++) {
        PvrdmaFaultRule *r = &g_array_index(rules, PvrdmaFaultRule, i);
        int err = r->err;

        if ((r->name && strcmp(r->name, name)) || !is_due(f, r)) {
            continue;
        }
        trace_pvrdma_fault(name, err);
        if (!r->percent) {
            g_array_remove_index(rules, i);
        }
        return err;
    }
    return 0;
}
