/* SPDX-License-Identifier: MIT */
/* What the answers of a curve rest on, piece by piece: `report --explain`, and "why" in JSON. */
#ifndef REPORT_EVIDENCE_H
#define REPORT_EVIDENCE_H

#include "base/buf.h"
#include "report/report.h"

#define EVIDENCE_MAX 32

struct evidence {
	struct {
		const char *name; /* "class", "line", "ceiling", "N*", ... */
		struct buf text;  /* a sentence without its full stop */
	} piece[EVIDENCE_MAX];
	size_t nr;
};

/*
 * Of the knee: why the curve is of its class, the two asymptotes with the points that they go through,
 * what N* means, the saturation depth, 80 % of the peak, the power, a second plateau, dips, the errors,
 * and whether the target has changed. Of a knee that is withheld: why. Then each of the nr_caps caps.
 * The caller releases.
 */
void evidence_find(struct evidence *e, const struct report_curve *rc, unsigned nr_caps);
void evidence_release(struct evidence *e);

#endif
