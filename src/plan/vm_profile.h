/* SPDX-License-Identifier: MIT */
/*
 * VM profiles: what kinds of VMs there are and what each asks, a YAML file:
 *
 *   version: 1
 *   profiles:
 *     - name: web
 *       iops: 25         mean over time
 *       capacity: 40G
 *       read: 80%        of its IOPS
 *       count: 30        or share: 75%; one of the two in all profiles, neither where there is one
 */
#ifndef PLAN_VM_PROFILE_H
#define PLAN_VM_PROFILE_H

#include "base/err.h"
#include "model/sizing.h"

/*
 * Fill *p, whose shares add up to 1; it is to be released in any case. Errors are ERR_SPEC with
 * FILE:LINE:COLUMN, as those of sweep files; path is only used in messages by vm_profile_parse.
 */
int vm_profile_parse(struct vm_population *p, const char *path, const char *text, size_t len,
		     struct err *e);
int vm_profile_load(struct vm_population *p, const char *path, struct err *e);

/* One figure of a VM, in files and options alike; all refuse 0 and what makes no sense. */
int vm_parse_iops(const char *text, double *out, struct err *e);
int vm_parse_capacity(const char *text, double *out_bytes, struct err *e);
int vm_parse_read(const char *text, double *out_share, struct err *e);

#endif
