/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"
#include "cmd/columns.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct show_options {
	const char *db;
};

static const struct opt show_opts[] = {
	{"db", 0, OPT_STR, offsetof(struct show_options, db), "PATH",
	 "database (LUNSWEEP_DB, else ./lunsweep.db)"},
	{0},
};

static const struct opt_group show_groups[] = {{"Options", show_opts}, {0}};

static void add_line(struct buf *b, const char *name, const char *value)
{
	if (value && *value)
		buf_addf(b, "  %-12s %s\n", name, value);
}

/* As add_line; empties the text. */
static void add_buf_line(struct buf *b, const char *name, struct buf *value)
{
	add_line(b, name, buf_text(value));
	buf_release(value);
}

static void add_target(const struct run_info *r, struct buf *b)
{
	struct buf v = BUF_INIT;

	add_line(b, "target", r->target_label);
	add_line(b, "identity", r->target_identity);
	add_line(b, "given as", r->target_given);
	add_line(b, "resolved", r->target_resolved);
	if (r->target_size_bytes) {
		buf_addf(&v, "%" PRIu64 " bytes (", r->target_size_bytes);
		buf_add_size_human(&v, r->target_size_bytes);
		buf_addch(&v, ')');
	}
	add_buf_line(b, "size", &v);
	if (r->target_queue_limit)
		buf_addf(&v, "%" PRIu32 " I/Os", r->target_queue_limit);
	add_buf_line(b, "queue limit", &v);
}

static void add_times(const struct run_info *r, struct buf *b)
{
	struct buf v = BUF_INIT;

	buf_add_utc(&v, r->start_wall_ns);
	if (r->end_wall_ns && !r->imported) {
		buf_addstr(&v, ", ended ");
		buf_add_utc(&v, r->end_wall_ns);
	}
	add_buf_line(b, r->imported ? "imported" : "started", &v);
}

static void add_questions(const struct run_info *r, struct buf *b)
{
	struct buf v = BUF_INIT;

	add_line(b, "question", r->question);
	for (unsigned i = 0; i < r->nr_caps; i++) {
		buf_addf(&v, "%s%s ", i ? ", " : "", lat_stat_name(r->caps[i].stat));
		buf_add_duration(&v, r->caps[i].limit_ns);
	}
	add_buf_line(b, "caps", &v);
	for (enum flag f = 0; f < FLAG_NR; f++)
		if (r->accepted & FLAG_BIT(f))
			buf_addf(&v, "%s%s", v.len ? " " : "", flag_name(f));
	add_buf_line(b, "accepted", &v);
}

static void add_run(const struct run_info *r, struct buf *b)
{
	struct buf v = BUF_INIT;

	buf_addf(b, "run %" PRId64 ": %s, %s\n", r->id, r->sweep_name ? r->sweep_name : "no name",
		 run_state_name(r->state));
	add_target(r, b);
	add_times(r, b);
	buf_addf(&v, "lunsweep %s (%s)", r->tool_version ? r->tool_version : "?",
		 r->git_id ? r->git_id : "?");
	if (r->engine)
		buf_addf(&v, ", engine %s, seed %" PRIu64, r->engine, r->seed);
	add_buf_line(b, "tool", &v);
	add_line(b, "command", r->command);
	add_questions(r, b);
	for (size_t i = 0; i < r->facts.nr; i++)
		add_line(b, r->facts.v[i].name, r->facts.v[i].value);
}

/* The sweep's text, moved to the right. */
static void add_sweep(const struct run_info *r, struct buf *b)
{
	const char *s = r->sweep_text;

	if (!s || !*s)
		return;
	buf_addstr(b, "\nSweep:\n");
	while (*s) {
		size_t len = strcspn(s, "\r\n");

		buf_addstr(b, len ? "  " : "");
		buf_add(b, s, len);
		buf_addch(b, '\n');
		s += len;
		s += *s == '\r';
		s += *s == '\n';
	}
}

static const struct figures *total_of(const void *row)
{
	return &((const struct point *)row)->dir[DIR_TOTAL];
}

static void get_seq(const void *row, struct value *v)
{
	value_int(v, ((const struct point *)row)->seq);
}

static void get_status(const void *row, struct value *v)
{
	value_text(v, point_status_name(((const struct point *)row)->status));
}

static void get_name(const void *row, struct value *v)
{
	v->kind = VALUE_TEXT;
	buf_add_point(&v->text, &((const struct point *)row)->spec);
}

static void get_iops(const void *row, struct value *v)
{
	value_real(v, total_of(row)->iops);
}

static void get_mib_s(const void *row, struct value *v)
{
	value_real(v, total_of(row)->mib_s);
}

static void get_mean(const void *row, struct value *v)
{
	value_real(v, total_of(row)->lat_mean_ns / (double)NS_PER_MS);
}

static void get_p99(const void *row, struct value *v)
{
	value_real(v, total_of(row)->lat_p99_ns / (double)NS_PER_MS);
}

static void get_util(const void *row, struct value *v)
{
	value_real(v, ((const struct point *)row)->util_pct);
}

/* Flags and the reason, whichever there are. */
static void get_remarks(const void *row, struct value *v)
{
	const struct point *p = row;

	value_flags(v, p->flags);
	if (p->reason)
		buf_addf(&v->text, "%s%s", v->text.len ? "; " : "", p->reason);
}

static const struct column point_columns[] = {
	{"seq", get_seq, 0},	{"status", get_status, 0}, {"point", get_name, 0},
	{"IOPS", get_iops, 1},	{"MiB/s", get_mib_s, 2},   {"mean ms", get_mean, 3},
	{"p99 ms", get_p99, 3}, {"util %", get_util, 1},   {"remarks", get_remarks, 0},
};

static void add_points(const struct point *points, size_t nr, struct buf *b)
{
	unsigned count[POINT_STATUS_NR] = {0};
	const char *sep = " (";

	for (size_t i = 0; i < nr; i++)
		count[points[i].status]++;
	buf_addf(b, "\nPoints: %zu", nr);
	for (enum point_status s = 0; s < POINT_STATUS_NR; s++) {
		if (!count[s])
			continue;
		buf_addf(b, "%s%u %s", sep, count[s], point_status_name(s));
		sep = ", ";
	}
	buf_addstr(b, nr ? ")\n" : "\n");
	columns_text(point_columns, NR(point_columns), points, nr, sizeof(*points), b);
}

/* One line of the tables by direction: a worker, or all of them. */
struct worker_row {
	const char *name;
	struct dir_sums sums;
	double window_s, lat_sd_ns, cpu_user_pct, cpu_sys_pct;
	struct figures known; /* for a total that was imported: figures without sums */
	bool is_imported;
};

static void row_name(const void *row, struct value *v)
{
	value_text(v, ((const struct worker_row *)row)->name);
}

static void row_bytes(const void *row, struct value *v)
{
	const struct worker_row *r = row;

	if (!r->is_imported)
		value_int(v, (int64_t)r->sums.bytes);
}

static void row_ios(const void *row, struct value *v)
{
	const struct worker_row *r = row;

	if (!r->is_imported)
		value_int(v, (int64_t)r->sums.ios);
}

static void row_mib_s(const void *row, struct value *v)
{
	const struct worker_row *r = row;

	value_real(v, r->is_imported ? r->known.mib_s
				     : (double)r->sums.bytes / 1048576.0 / r->window_s);
}

static void row_iops(const void *row, struct value *v)
{
	const struct worker_row *r = row;

	value_real(v, r->is_imported ? r->known.iops : (double)r->sums.ios / r->window_s);
}

static void row_mean(const void *row, struct value *v)
{
	const struct worker_row *r = row;
	double ns = r->is_imported ? r->known.lat_mean_ns : UNKNOWN;

	if (r->sums.ios)
		ns = (double)r->sums.lat_ns / (double)r->sums.ios;
	value_real(v, ns / (double)NS_PER_MS);
}

static void row_sd(const void *row, struct value *v)
{
	value_real(v, ((const struct worker_row *)row)->lat_sd_ns / (double)NS_PER_MS);
}

static void row_user(const void *row, struct value *v)
{
	value_real(v, ((const struct worker_row *)row)->cpu_user_pct);
}

static void row_sys(const void *row, struct value *v)
{
	value_real(v, ((const struct worker_row *)row)->cpu_sys_pct);
}

/* The CPU columns stand behind the others, and in the table of the total only. */
static const struct column worker_columns[] = {
	{"worker", row_name, 0}, {"bytes", row_bytes, 0},     {"I/Os", row_ios, 0},
	{"MiB/s", row_mib_s, 2}, {"IOPS", row_iops, 1},	      {"mean ms", row_mean, 3},
	{"sd ms", row_sd, 3},	 {"CPU user %", row_user, 1}, {"CPU sys %", row_sys, 1},
};

#define NR_CPU_COLUMNS 2

static struct dir_sums worker_sums(const struct worker_result *w, enum dir dir)
{
	const struct dir_sums *r = &w->dir[DIR_READ], *s = &w->dir[DIR_WRITE];

	if (dir != DIR_TOTAL)
		return w->dir[dir];
	return (struct dir_sums){r->ios + s->ios, r->bytes + s->bytes, r->lat_ns + s->lat_ns,
				 r->slat_ns + s->slat_ns};
}

static struct worker_row worker_row(const struct measurement *m, uint32_t i, enum dir dir,
				    char name[12])
{
	const struct worker_result *w = &m->worker[i];
	double per_ns = 100 / (double)m->window_ns;

	(void)snprintf(name, 12, "%" PRIu32, i);
	return (struct worker_row){.name = name,
				   .sums = worker_sums(w, dir),
				   .window_s = (double)m->window_ns / (double)NS_PER_S,
				   .lat_sd_ns = UNKNOWN,
				   .cpu_user_pct = (double)w->cpu_user_ns * per_ns,
				   .cpu_sys_pct = (double)w->cpu_sys_ns * per_ns};
}

static struct worker_row all_row(const struct measurement *m, const struct point *p, enum dir dir)
{
	struct worker_row all = {.name = "all",
				 .sums = measurement_sums(m, dir),
				 .window_s = (double)m->window_ns / (double)NS_PER_S,
				 .lat_sd_ns = p->dir[dir].lat_sd_ns,
				 .cpu_user_pct = m->worker ? 0 : UNKNOWN,
				 .cpu_sys_pct = m->worker ? 0 : UNKNOWN,
				 .known = p->dir[dir],
				 .is_imported = !m->worker};

	for (uint32_t i = 0; m->worker && i < m->spec.workers; i++) {
		all.cpu_user_pct += 100.0 * (double)m->worker[i].cpu_user_ns / (double)m->window_ns;
		all.cpu_sys_pct += 100.0 * (double)m->worker[i].cpu_sys_ns / (double)m->window_ns;
	}
	return all;
}

static void add_direction(const struct measurement *m, const struct point *p, enum dir dir,
			  struct buf *b)
{
	static const char *const titles[DIR_NR] = {"Read", "Write", "Total"};
	uint32_t nr = m->worker ? m->spec.workers : 0;
	struct worker_row *rows = xcalloc(nr + 1, sizeof(*rows));
	char(*names)[12] = xcalloc(nr + 1, sizeof(*names));

	for (uint32_t i = 0; i < nr; i++)
		rows[i] = worker_row(m, i, dir, names[i]);
	rows[nr] = all_row(m, p, dir);
	buf_addf(b, "\n%s:\n", titles[dir]);
	columns_text(worker_columns, NR(worker_columns) - (dir == DIR_TOTAL ? 0 : NR_CPU_COLUMNS),
		     rows, nr + 1, sizeof(*rows), b);
	free(names);
	free(rows);
}

/* One line of the percentiles. */
struct quantile_row {
	const char *name;
	double ns[DIR_NR];
	char note[80];
};

static void quantile_name(const void *row, struct value *v)
{
	value_text(v, ((const struct quantile_row *)row)->name);
}

static void quantile_ms(const struct quantile_row *r, enum dir dir, struct value *v)
{
	value_real(v, r->ns[dir] / (double)NS_PER_MS);
}

static void quantile_read(const void *row, struct value *v)
{
	quantile_ms(row, DIR_READ, v);
}

static void quantile_write(const void *row, struct value *v)
{
	quantile_ms(row, DIR_WRITE, v);
}

static void quantile_total(const void *row, struct value *v)
{
	quantile_ms(row, DIR_TOTAL, v);
}

static void quantile_note(const void *row, struct value *v)
{
	v->kind = VALUE_TEXT;
	buf_addstr(&v->text, ((const struct quantile_row *)row)->note);
}

static const struct column quantile_columns[] = {
	{"latency ms", quantile_name, 0}, {"read", quantile_read, 3}, {"write", quantile_write, 3},
	{"total", quantile_total, 3},	  {"note", quantile_note, 0},
};

/* As DiskSpd prints them. offset is that of the stored figure, or 0 (which is no latency). */
static const struct {
	const char *name;
	double q;
	size_t offset;
} quantiles[] = {
	{"min", 0, offsetof(struct figures, lat_min_ns)},
	{"25 %", 0.25, 0},
	{"50 %", 0.5, offsetof(struct figures, lat_p50_ns)},
	{"75 %", 0.75, 0},
	{"90 %", 0.9, offsetof(struct figures, lat_p90_ns)},
	{"95 %", 0.95, offsetof(struct figures, lat_p95_ns)},
	{"99 %", 0.99, offsetof(struct figures, lat_p99_ns)},
	{"99.9 %", 0.999, offsetof(struct figures, lat_p999_ns)},
	{"4 nines", 0.9999, 0},
	{"5 nines", 0.99999, 0},
	{"6 nines", 0.999999, 0},
	{"7 nines", 0.9999999, 0},
	{"8 nines", 0.99999999, 0},
	{"9 nines", 0.999999999, 0},
	{"max", 1, offsetof(struct figures, lat_max_ns)},
};

/* The number of samples below which a percentile rests on fewer than 10 values beyond it. */
static double samples_needed(double q)
{
	return q > 0 && q < 1 ? 10 / (1 - q) : 0;
}

static double quantile_ns(size_t i, const struct hist *h, const struct figures *f)
{
	if (h)
		return hist_quantile(h, quantiles[i].q);
	if (!quantiles[i].offset)
		return UNKNOWN;
	return *(const double *)(const void *)((const char *)f + quantiles[i].offset);
}

static void fill_quantiles(struct quantile_row *r, size_t i, struct hist *const h[DIR_NR],
			   const struct point *p)
{
	r->name = quantiles[i].name;
	for (enum dir d = 0; d < DIR_NR; d++) {
		size_t len = strlen(r->note);

		r->ns[d] = quantile_ns(i, h[d], &p->dir[d]);
		/* Total repeats the only direction of a point that is not mixed. */
		if (!h[d] || (d == DIR_TOTAL && !(h[DIR_READ] && h[DIR_WRITE])))
			continue;
		/* 1 - q is not exact: ten samples in a thousand are enough for 99 %. */
		if ((double)h[d]->count < samples_needed(quantiles[i].q) * (1 - 1e-6))
			(void)snprintf(r->note + len, sizeof(r->note) - len,
				       "%s%s: only %" PRIu64 " samples", len ? ", " : "",
				       dir_name(d), h[d]->count);
	}
}

static void add_quantiles(const struct measurement *m, const struct point *p, struct buf *b)
{
	struct quantile_row rows[NR(quantiles)] = {0};
	struct hist *h[DIR_NR] = {m->lat[DIR_READ], m->lat[DIR_WRITE], NULL};

	if (h[DIR_READ] || h[DIR_WRITE]) {
		h[DIR_TOTAL] = xmalloc(sizeof(*h[DIR_TOTAL]));
		hist_init(h[DIR_TOTAL]);
		for (enum dir d = DIR_READ; d <= DIR_WRITE; d++)
			if (h[d])
				hist_merge(h[DIR_TOTAL], h[d]);
	}
	for (size_t i = 0; i < NR(quantiles); i++)
		fill_quantiles(&rows[i], i, h, p);
	buf_addch(b, '\n');
	columns_text(quantile_columns, NR(quantile_columns), rows, NR(rows), sizeof(*rows), b);
	free(h[DIR_TOTAL]);
}

/* The 95 % interval of a percentile. */
static void add_percentile(struct buf *v, const char *name, double low_ns, double high_ns)
{
	if (isnan(low_ns))
		return;
	buf_addf(v, "%s%s %.3f to %.3f ms", v->len ? ", " : "", name, low_ns / (double)NS_PER_MS,
		 high_ns / (double)NS_PER_MS);
}

static void add_latency_parts(const struct figures *f, struct buf *b)
{
	struct buf v = BUF_INIT;

	if (!isnan(f->slat_mean_ns))
		buf_addf(&v, "%.3f ms in the submit call (slat)",
			 f->slat_mean_ns / (double)NS_PER_MS);
	/* Of an offered load the rest began before the call. */
	if (!isnan(f->clat_mean_ns))
		buf_addf(&v, ", %.3f ms after it (clat)", f->clat_mean_ns / (double)NS_PER_MS);
	add_buf_line(b, "latency", &v);
	if (!isnan(f->iops_se_rel))
		buf_addf(&v, "IOPS +- %.2f %%, mean latency +- %.2f %% (95 %%)",
			 195.9964 * f->iops_se_rel, 195.9964 * f->lat_se_rel);
	add_percentile(&v, "p95", f->lat_p95_lo_ns, f->lat_p95_hi_ns);
	add_percentile(&v, "p99", f->lat_p99_lo_ns, f->lat_p99_hi_ns);
	add_buf_line(b, "precision", &v);
}

static void add_how_it_went(const struct measurement *m, const struct point *p, struct buf *b)
{
	struct buf v = BUF_INIT;

	add_line(b, "status", point_status_name(p->status));
	add_line(b, "reason", p->reason);
	add_line(b, "origin", p->imported ? "imported" : "measured");
	if (p->start_wall_ns) {
		buf_add_utc(&v, p->start_wall_ns);
		if (!isnan(p->window_s))
			buf_addf(&v, ", %.3f s after a ramp of %.3f s, drain %.3f s", p->window_s,
				 p->ramp_s, p->drain_s);
	}
	add_buf_line(b, "measured", &v);
	buf_addf(&v, "asked %" PRIu32, p->spec.iodepth);
	if (!isnan(p->depth_mean))
		buf_addf(&v, ", mean %.2f, max %.0f", p->depth_mean, p->depth_max);
	add_buf_line(b, "depth", &v);
	if (point_is_open(&p->spec))
		buf_addf(&v,
			 "rate %.1f IOPS, %" PRIu64 " starts due, %" PRIu64
			 " left to submit at the end",
			 p->rate_iops, m->arrivals, m->backlog);
	add_buf_line(b, "offered", &v);
	if (!isnan(p->late_p50_ns))
		buf_addf(&v,
			 "submitted %.3f ms after the intended start (50 %%), %.3f ms (99 %%), "
			 "%.3f ms at most",
			 p->late_p50_ns / (double)NS_PER_MS, p->late_p99_ns / (double)NS_PER_MS,
			 p->late_max_ns / (double)NS_PER_MS);
	add_buf_line(b, "late", &v);
	if (!isnan(m->little_rel))
		buf_addf(&v, "sum of latencies and number in flight differ by %.3f %%",
			 100 * m->little_rel);
	add_buf_line(b, "little", &v);
	add_latency_parts(&p->dir[DIR_TOTAL], b);
	if (!isnan(p->cpu_pct))
		buf_addf(&v, "%.1f %% of a core", p->cpu_pct);
	add_buf_line(b, "CPU", &v);
	if (!isnan(p->util_pct))
		buf_addf(&v, "%.1f %% of the time", p->util_pct);
	add_buf_line(b, "device busy", &v);
	if (m->nr_errors)
		buf_addf(&v, "%" PRIu64 ", the first at byte %" PRIu64 ": %s", m->nr_errors,
			 m->err_offset, strerror(m->err_errno));
	add_buf_line(b, "errors", &v);
}

static void add_layer(const char *title, const struct dev_counters *x, const struct dev_counters *y,
		      uint64_t ns, struct buf *b)
{
	if (!x->is_known || !y->is_known)
		return;
	buf_addf(b,
		 "\n%s over %.3f s:\n"
		 "  reads  %" PRIu64 " I/Os, %" PRIu64 " bytes, %" PRIu64 " ms\n"
		 "  writes %" PRIu64 " I/Os, %" PRIu64 " bytes, %" PRIu64 " ms\n"
		 "  busy   %" PRIu64 " ms; I/Os times waiting %" PRIu64 " ms\n",
		 title, (double)ns / (double)NS_PER_S, y->read_ios - x->read_ios,
		 y->read_bytes - x->read_bytes, y->read_ms - x->read_ms,
		 y->write_ios - x->write_ios, y->write_bytes - x->write_bytes,
		 y->write_ms - x->write_ms, y->busy_ms - x->busy_ms, y->queue_ms - x->queue_ms);
}

static void add_counters(const struct measurement *m, struct buf *b)
{
	add_layer("Device counters", &m->before, &m->after, m->counters_ns, b);
	add_layer("Counters of the device at the bottom", &m->bottom_before, &m->bottom_after,
		  m->counters_ns, b);
}

static void add_series(const struct measurement *m, struct buf *b)
{
	uint64_t low = UINT64_MAX, high = 0;
	double per_s;

	if (!m->nr_intervals || !m->interval_ns)
		return;
	for (size_t i = 0; i < m->nr_intervals; i++) {
		uint64_t ios = (uint64_t)m->series[i].ios[0] + m->series[i].ios[1];

		low = ios < low ? ios : low;
		high = ios > high ? ios : high;
	}
	per_s = (double)NS_PER_S / (double)m->interval_ns;
	buf_addf(b, "\nSeries: %zu intervals of ", m->nr_intervals);
	buf_add_duration(b, m->interval_ns);
	buf_addf(b, ", from %.1f to %.1f IOPS\n", (double)low * per_s, (double)high * per_s);
}

static void add_verdicts(const struct measurement *m, struct buf *b)
{
	static const char *const effects[] = {
		[EFFECT_FAILED] = "failed",
		[EFFECT_SPOILED] = "spoiled",
		[EFFECT_LOWER_BOUND] = "a lower bound",
		[EFFECT_NOTED] = "noted",
	};

	if (m->flags)
		buf_addstr(b, "\nVerdicts:\n");
	for (enum flag f = 0; f < FLAG_NR; f++) {
		if (!(m->flags & FLAG_BIT(f)))
			continue;
		buf_addf(b, "  %s (%s): %s\n", flag_name(f), effects[flag_effect(f)],
			 flag_meaning(f));
		if (m->flag_detail[f])
			buf_addf(b, "    here: %s\n", m->flag_detail[f]);
	}
}

static void add_point(const struct run_info *r, const struct measurement *m, const struct point *p,
		      struct buf *b)
{
	buf_addf(b, "run %" PRId64 ", point %" PRIu32 ": ", r->id, p->seq);
	buf_add_point(b, &p->spec);
	buf_addstr(b, "\n");
	add_how_it_went(m, p, b);
	add_verdicts(m, b);
	if (isnan(p->dir[DIR_TOTAL].iops))
		return;
	add_direction(m, p, DIR_TOTAL, b);
	if (point_reads(&p->spec))
		add_direction(m, p, DIR_READ, b);
	if (point_writes(&p->spec))
		add_direction(m, p, DIR_WRITE, b);
	add_quantiles(m, p, b);
	add_counters(m, b);
	add_series(m, b);
}

static const struct point *find_seq(const struct point *points, size_t nr, uint32_t seq)
{
	for (size_t i = 0; i < nr; i++)
		if (points[i].seq == seq)
			return &points[i];
	return NULL;
}

static int show_point(struct store *s, const struct run_info *r, const struct point *points,
		      size_t nr, uint32_t seq, struct buf *b, struct err *e)
{
	const struct point *p = find_seq(points, nr, seq);
	struct measurement m;

	if (!p)
		return err_set(e, ERR_USAGE,
			       "run %" PRId64 " has no point %" PRIu32 "; 'lunsweep show %" PRId64
			       "' shows all",
			       r->id, seq, r->id);
	if (store_load_measurement(s, r->id, seq, &m, e))
		return -1;
	add_point(r, &m, p, b);
	measurement_release(&m);
	return 0;
}

/* seq 0 shows the run. */
static int show(struct store *s, int64_t run_id, uint32_t seq, struct buf *b, struct err *e)
{
	struct point *points = NULL;
	struct run_info r;
	size_t nr = 0;
	int rc;

	if (store_load_run(s, run_id, &r, e))
		return -1;
	rc = store_load_points(s, run_id, &points, &nr, e);
	if (!rc && seq)
		rc = show_point(s, &r, points, nr, seq, b, e);
	if (!rc && !seq) {
		add_run(&r, b);
		add_sweep(&r, b);
		add_points(points, nr, b);
	}
	store_free_points(points, nr);
	run_info_release(&r);
	return rc;
}

static int parse_numbers(const struct str_list *args, int64_t *run_id, uint32_t *seq, struct err *e)
{
	uint64_t run = 0, point = 0;

	if (args->nr < 1 || args->nr > 2)
		return err_set(e, ERR_USAGE,
			       "show takes the number of a run, and perhaps of one of "
			       "its points; 'lunsweep list' shows all runs");
	if (units_parse_count(args->v[0], &run, e))
		return err_wrap(e, "run");
	if (args->nr == 2 && units_parse_count(args->v[1], &point, e))
		return err_wrap(e, "point");
	if (args->nr == 2 && (!point || point > UINT32_MAX))
		return err_set(e, ERR_USAGE, "point: '%s' is out of range", args->v[1]);
	*run_id = (int64_t)run;
	*seq = (uint32_t)point;
	return 0;
}

static int show_from(const char *path, const struct str_list *args, struct buf *b, struct err *e)
{
	struct store *s = NULL;
	int64_t run_id = 0;
	uint32_t seq = 0;
	int rc;

	if (parse_numbers(args, &run_id, &seq, e) || store_open(&s, path, STORE_READ, e))
		return -1;
	rc = show(s, run_id, seq, b, e);
	store_close(s);
	return rc;
}

static int run_show(int argc, char **argv)
{
	struct show_options o = {0};
	struct str_list args = {0};
	struct buf b = BUF_INIT;
	struct err e = {0};
	int status = 2;

	if (!cmd_parse(&cmd_show, argc, argv, &o, &args)) {
		if (show_from(cmd_db_path(o.db), &args, &b, &e))
			status = cmd_fail(&e);
		else
			status = cmd_print(&b);
	}
	buf_release(&b);
	str_list_release(&args);
	return status;
}

const struct cmd cmd_show = {
	.name = "show",
	.args = "RUN [POINT]",
	.summary = "show a run, or one of its points in full",
	.about =
		"For a run: the target, the command, everything known about the set-up, the sweep\n"
		"and a line per point. For a point (its seq): depth, latency by worker and\n"
		"direction, percentiles, CPU, the device's counters, and what each verdict means.\n"
		"A percentile with fewer than 10 samples beyond it is marked. It works while the\n"
		"run goes on.\n\n"
		"Examples:\n"
		"  lunsweep show 3\n"
		"  lunsweep show 3 17\n",
	.groups = show_groups,
	.run = run_show,
};
