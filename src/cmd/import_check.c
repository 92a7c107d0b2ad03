/* SPDX-License-Identifier: MIT */
#include "cmd/import_csv.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "cmd/import_columns.h"

#include <inttypes.h>
#include <string.h>

#define BYTES_PER_MIB 1048576.0
/* Two figures that should be equal are, within this part and the digits that were printed. */
#define TOLERANCE 0.01
/* Bytes are often printed with two digits only. */
#define BYTES_TOLERANCE 0.02

static int check_order(struct point *p, enum dir dir, struct err *e)
{
	static const enum import_field ascending[] = {
		IMPORT_LAT_MIN, IMPORT_LAT_P50,	 IMPORT_LAT_P90, IMPORT_LAT_P95,
		IMPORT_LAT_P99, IMPORT_LAT_P999, IMPORT_LAT_MAX};
	struct figures *f = &p->dir[dir];
	enum import_field last = IMPORT_FIELD_NR;
	double last_ns = 0;

	for (size_t i = 0; i < NR(ascending); i++) {
		double ns = *import_field_figure(ascending[i], f);

		if (isnan(ns))
			continue;
		if (last != IMPORT_FIELD_NR && ns < last_ns)
			return err_set(e, ERR_DATA, "%s is below %s",
				       import_field_name(ascending[i]), import_field_name(last));
		last = ascending[i];
		last_ns = ns;
	}
	if (f->lat_mean_ns < f->lat_min_ns || f->lat_mean_ns > f->lat_max_ns)
		return err_set(e, ERR_DATA, "lat_mean lies outside lat_min and lat_max");
	return 0;
}

/*
 * method.md (e): -0.01 <= 1 - X R / N <= 0.02 + Z0 / (R + Z0), Z0 = 20 us, for any X and R that
 * are printed as these.
 */
static void check_little(const struct point *p, const struct import_print *print, struct buf *out)
{
	const struct figures *f = &p->dir[DIR_TOTAL];
	const double z0_ns = 20e3;
	const double depth_ns = p->spec.iodepth * (double)NS_PER_S;
	double low_ns = f->lat_mean_ns - print->lat_quantum_ns / 2;
	double high_ns = f->lat_mean_ns + print->lat_quantum_ns / 2;
	double least = (f->iops - print->iops_quantum / 2) * low_ns / depth_ns;
	double most = (f->iops + print->iops_quantum / 2) * high_ns / depth_ns;

	if (isnan(f->lat_mean_ns) || f->iops == 0)
		return;
	if (1 - least < -0.01 || 1 - most > 0.02 + z0_ns / (high_ns + z0_ns))
		buf_addf(out,
			 "line %u: %.10g IOPS x %.6g ms are %.4g I/Os in flight, but the depth is "
			 "%" PRIu32 ": one of the three is wrong, or belongs to another row\n",
			 print->line, f->iops, f->lat_mean_ns / (double)NS_PER_MS,
			 f->iops * f->lat_mean_ns / (double)NS_PER_S, p->spec.iodepth);
}

static bool differ(double a, double b, double least)
{
	return fabs(a - b) > fmax(least, TOLERANCE * b);
}

static double computed_mib(const struct point *p)
{
	return p->dir[DIR_TOTAL].iops * (double)p->spec.bs_bytes / BYTES_PER_MIB;
}

/* What one direction does cannot be more than the total, whatever the other does. */
static void check_part(const struct point *p, enum dir dir, const struct import_print *print,
		       struct buf *out)
{
	const struct figures *f = &p->dir[dir], *t = &p->dir[DIR_TOTAL];

	if (f->iops > t->iops && differ(t->iops, f->iops, 1.5))
		buf_addf(
			out,
			"line %u: %ss alone are %.10g IOPS, but the total says %.10g: one of the two "
			"is wrong\n",
			print->line, dir_name(dir), f->iops, t->iops);
}

/* D30: a printed total that is not that of its directions is not taken. */
static void check_total(struct point *p, const struct import_print *print, struct buf *out)
{
	const struct figures *r = &p->dir[DIR_READ], *w = &p->dir[DIR_WRITE];
	struct figures *t = &p->dir[DIR_TOTAL];
	double iops = r->iops + w->iops;
	double lat_ns = (r->iops * r->lat_mean_ns + w->iops * w->lat_mean_ns) / iops;

	if (!rw_is_mixed(p->spec.rw))
		return;
	if (isnan(iops)) {
		check_part(p, DIR_READ, print, out);
		check_part(p, DIR_WRITE, print, out);
	}
	if (!isnan(iops) && differ(t->iops, iops, 1.5)) {
		buf_addf(out,
			 "line %u: reads and writes are %.10g IOPS together, but the total says "
			 "%.10g; the sum is taken\n",
			 print->line, iops, t->iops);
		t->iops = iops;
		t->mib_s = r->mib_s + w->mib_s;
	}
	if (!isnan(lat_ns) && !isnan(t->lat_mean_ns) &&
	    differ(t->lat_mean_ns, lat_ns, print->lat_quantum_ns)) {
		buf_addf(out,
			 "line %u: the mean latency of reads and writes, weighted by IOPS, is %.6g "
			 "ms, but the total says %.6g ms; the weighted one is taken\n",
			 print->line, lat_ns / (double)NS_PER_MS,
			 t->lat_mean_ns / (double)NS_PER_MS);
		t->lat_mean_ns = lat_ns;
	} else if (!isnan(lat_ns) && isnan(t->lat_mean_ns)) {
		t->lat_mean_ns = lat_ns;
	}
}

/*
 * The unit of bytes that fits all rows together, where it is not the one of the column: what the
 * figures must be multiplied by, 1 where the unit is right.
 */
static double check_byte_unit(struct import_result *r)
{
	const double decimal = 1e6 / BYTES_PER_MIB;
	double printed = 0, computed = 0, ratio;
	bool says_mib = r->mib_scale == 1, says_mb = fabs(r->mib_scale - decimal) < 1e-9;

	for (size_t i = 0; i < r->nr; i++) {
		for (size_t j = 0; j < r->v[i].nr; j++) {
			if (isnan(r->v[i].print[j].mib_quantum))
				continue;
			printed += r->v[i].points[j].dir[DIR_TOTAL].mib_s;
			computed += computed_mib(&r->v[i].points[j]);
		}
	}
	ratio = computed > 0 ? printed / computed : 1;
	if (says_mb && fabs(ratio / decimal - 1) < TOLERANCE) {
		buf_addf(&r->warnings,
			 "column '%s' holds MiB/s (1048576 bytes), as IOPS x bs say: take it by "
			 "--map '%s=mib_s'\n",
			 r->mib_column, r->mib_column);
		return 1 / decimal;
	}
	if (says_mib && fabs(ratio * decimal - 1) < TOLERANCE) {
		buf_addf(&r->warnings,
			 "column '%s' holds MB/s (1000000 bytes), as IOPS x bs say: take it by "
			 "--map '%s=mb_s'\n",
			 r->mib_column, r->mib_column);
		return decimal;
	}
	return 1;
}

static void check_bytes(const struct point *p, const struct import_print *print, double factor,
			struct buf *out)
{
	double printed = p->dir[DIR_TOTAL].mib_s * factor, computed = computed_mib(p);

	if (isnan(print->mib_quantum) ||
	    fabs(printed - computed) <= print->mib_quantum * factor + BYTES_TOLERANCE * computed)
		return;
	buf_addf(out,
		 "line %u: %.10g IOPS of %" PRIu64 " bytes are %.4g MiB/s, but the table says "
		 "%.4g\n",
		 print->line, p->dir[DIR_TOTAL].iops, p->spec.bs_bytes, computed, printed);
}

static bool same_or_unknown(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool same_figures(const struct figures *a, const struct figures *b)
{
	return same_or_unknown(a->iops, b->iops) && same_or_unknown(a->mib_s, b->mib_s) &&
	       same_or_unknown(a->lat_mean_ns, b->lat_mean_ns) &&
	       same_or_unknown(a->lat_p99_ns, b->lat_p99_ns) &&
	       same_or_unknown(a->lat_max_ns, b->lat_max_ns);
}

/* IOPS alone may well be the same twice; with a latency beside them they are not. */
static bool is_copy(const struct import_table *a, const struct import_table *b)
{
	if (a->nr != b->nr)
		return false;
	for (size_t i = 0; i < a->nr; i++) {
		if (isnan(a->points[i].dir[DIR_TOTAL].lat_mean_ns) ||
		    point_spec_compare(&a->points[i].spec, &b->points[i].spec))
			return false;
		for (enum dir d = 0; d < DIR_NR; d++)
			if (!same_figures(&a->points[i].dir[d], &b->points[i].dir[d]))
				return false;
	}
	return true;
}

static void warn_of_copies(struct import_result *r)
{
	for (size_t i = 0; i < r->nr; i++)
		for (size_t j = 0; j < i; j++)
			if (is_copy(&r->v[j], &r->v[i]))
				buf_addf(&r->warnings,
					 "lines %u to %u ('%s') and %u to %u ('%s') hold identical "
					 "figures: a paste error?\n",
					 r->v[j].first_line, r->v[j].last_line, r->v[j].target,
					 r->v[i].first_line, r->v[i].last_line, r->v[i].target);
}

int import_check(struct import_result *r, struct err *e)
{
	double factor = r->assumes_bs || !r->mib_column ? UNKNOWN : check_byte_unit(r);

	for (size_t i = 0; i < r->nr; i++) {
		for (size_t j = 0; j < r->v[i].nr; j++) {
			struct point *p = &r->v[i].points[j];
			const struct import_print *print = &r->v[i].print[j];

			for (enum dir d = 0; d < DIR_NR; d++)
				if (check_order(p, d, e))
					return err_wrap(e, "line %u", print->line);
			check_total(p, print, &r->warnings);
			check_little(p, print, &r->warnings);
			if (!isnan(factor))
				check_bytes(p, print, factor, &r->warnings);
		}
	}
	warn_of_copies(r);
	return 0;
}
