/* SPDX-License-Identifier: MIT */
#include "report/point_tables.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"
#include "report/markup.h"
#include "report/quantiles.h"

#include <inttypes.h>
#include <stdlib.h>

#define TABLE_WIDTH   80
#define BYTES_PER_MIB 1048576.0
/* Of a host with more cores, so many of the busiest are shown. */
#define CORES_SHOWN 16

static const char *const titles[DIR_NR] = {"Read", "Write", "Total"};

static bool is_mixed(const struct point_view *v)
{
	return point_reads(&v->p->spec) && point_writes(&v->p->spec);
}

static void print_table(struct buf *b, struct text_style style, const struct table *t)
{
	style.width = style.width ? style.width : TABLE_WIDTH;
	text_table(b, style, 2, t);
}

static void take_count(struct table *t, double count)
{
	struct buf s = BUF_INIT;

	format_fixed(&s, count, 0);
	table_take(t, &s);
	buf_release(&s);
}

static void take_fixed(struct table *t, double value, int decimals)
{
	struct buf s = BUF_INIT;

	format_fixed(&s, value, decimals);
	table_take(t, &s);
	buf_release(&s);
}

static void take_number(struct table *t, uint32_t number)
{
	struct buf s = BUF_INIT;

	buf_addf(&s, "%" PRIu32, number);
	table_take(t, &s);
	buf_release(&s);
}

/* ---- by worker and direction ---- */

static const struct table_col worker_cols[] = {
	{"worker", true, 0}, {"bytes", false, 0},   {"I/Os", false, 0},	 {"MiB/s", false, 0},
	{"IOPS", false, 0},  {"mean ms", false, 0}, {"sd ms", false, 0},
};

static void take_worker(struct table *t, const struct measurement *m, uint32_t i, enum dir dir)
{
	struct dir_sums s = worker_sums(&m->worker[i], dir);
	double window_s = (double)m->window_ns / (double)NS_PER_S, ios = (double)s.ios;

	take_number(t, i);
	take_count(t, (double)s.bytes);
	take_count(t, ios);
	take_fixed(t, (double)s.bytes / BYTES_PER_MIB / window_s, 2);
	take_fixed(t, ios / window_s, 1);
	take_fixed(t, s.ios ? (double)s.lat_ns / ios / (double)NS_PER_MS : UNKNOWN, 3);
	take_fixed(t, worker_lat_sd_ns(&m->worker[i], dir) / (double)NS_PER_MS, 3);
}

/* From the stored figures, so that tables of others, which know no sums, have their line too. */
static void take_all(struct table *t, const struct measurement *m, const struct figures *f,
		     enum dir dir)
{
	table_add(t, "all");
	take_count(t, m->worker ? (double)measurement_sums(m, dir).bytes : UNKNOWN);
	take_count(t, f->ios);
	take_fixed(t, f->mib_s, 2);
	take_fixed(t, f->iops, 1);
	take_fixed(t, f->lat_mean_ns / (double)NS_PER_MS, 3);
	take_fixed(t, f->lat_sd_ns / (double)NS_PER_MS, 3);
}

static void add_direction(struct buf *b, const struct point_view *v, enum dir dir,
			  struct text_style style)
{
	const struct measurement *m = v->m;
	struct table t;

	table_init(&t, worker_cols, NR(worker_cols));
	for (uint32_t i = 0; m->worker && m->window_ns && i < m->spec.workers; i++)
		take_worker(&t, m, i, dir);
	take_all(&t, m, &v->p->dir[dir], dir);
	print_table(b, style, &t);
	table_release(&t);
}

void point_workers(struct buf *b, const struct point_view *v, struct text_style style)
{
	static const enum dir order[DIR_NR] = {DIR_TOTAL, DIR_READ, DIR_WRITE};

	if (!is_mixed(v)) {
		text_heading(b, style, titles[point_reads(&v->p->spec) ? DIR_READ : DIR_WRITE]);
		add_direction(b, v, DIR_TOTAL, style);
		return;
	}
	for (size_t i = 0; i < DIR_NR; i++) {
		text_heading(b, style, titles[order[i]]);
		add_direction(b, v, order[i], style);
	}
}

/* ---- CPU ---- */

static const struct table_col cpu_cols[] = {
	{"worker", true, 0},  {"iodepth", false, 0}, {"held", false, 0},       {"user", false, 0},
	{"system", false, 0}, {"waiting", false, 0}, {"submitting", false, 0},
};

static double percent_of(uint64_t ns, uint64_t window_ns)
{
	return 100 * (double)ns / (double)window_ns;
}

static void take_cpu(struct table *t, const struct worker_result *w, uint64_t window_ns)
{
	take_number(t, w->iodepth);
	take_fixed(t, w->depth_mean, 2);
	take_fixed(t, percent_of(w->cpu_user_ns, window_ns), 1);
	take_fixed(t, percent_of(w->cpu_sys_ns, window_ns), 1);
	take_fixed(t, percent_of(w->cpu_wait_ns, window_ns), 1);
	take_fixed(t, percent_of(w->submit_ns, window_ns), 1);
}

static void add_worker_cpus(struct buf *b, const struct measurement *m, struct text_style style)
{
	struct worker_result all = {.depth_mean = m->depth_mean};
	struct table t;

	text_heading(b, style, "CPU of the workers, in % of one core");
	table_init(&t, cpu_cols, NR(cpu_cols));
	for (uint32_t i = 0; i < m->spec.workers; i++) {
		const struct worker_result *w = &m->worker[i];

		take_number(&t, i);
		take_cpu(&t, w, m->window_ns);
		all.iodepth += w->iodepth;
		all.cpu_user_ns += w->cpu_user_ns;
		all.cpu_sys_ns += w->cpu_sys_ns;
		all.cpu_wait_ns += w->cpu_wait_ns;
		all.submit_ns += w->submit_ns;
	}
	table_add(&t, "all");
	take_cpu(&t, &all, m->window_ns);
	print_table(b, style, &t);
	table_release(&t);
}

static uint64_t idle_ms(const struct cpu_times *c)
{
	return c->idle_ms + c->iowait_ms;
}

static uint64_t used_ms(const struct cpu_times *c)
{
	return c->user_ms + c->system_ms + c->irq_ms + c->steal_ms;
}

static double used_share(const struct cpu_times *c)
{
	uint64_t all = used_ms(c) + idle_ms(c);

	return all ? (double)used_ms(c) / (double)all : 0;
}

static int busiest_first(const void *a, const void *b)
{
	const struct cpu_times *p = a, *q = b;
	double x = used_share(p), y = used_share(q);

	if (x != y)
		return x < y ? 1 : -1;
	return (p->cpu > q->cpu) - (p->cpu < q->cpu);
}

static const struct table_col core_cols[] = {
	{"core", true, 0}, {"used", false, 0},	{"user", false, 0},   {"system", false, 0},
	{"irq", false, 0}, {"steal", false, 0}, {"iowait", false, 0}, {"idle", false, 0},
};

static void take_core(struct table *t, const struct cpu_times *c)
{
	double all = (double)(used_ms(c) + idle_ms(c));
	const uint64_t parts[] = {used_ms(c),  c->user_ms,   c->system_ms, c->irq_ms,
				  c->steal_ms, c->iowait_ms, c->idle_ms};

	for (size_t i = 0; i < NR(parts); i++)
		take_fixed(t, all > 0 ? 100 * (double)parts[i] / all : UNKNOWN, 1);
}

static void add_to(struct cpu_times *sum, const struct cpu_times *c)
{
	sum->user_ms += c->user_ms;
	sum->system_ms += c->system_ms;
	sum->irq_ms += c->irq_ms;
	sum->steal_ms += c->steal_ms;
	sum->iowait_ms += c->iowait_ms;
	sum->idle_ms += c->idle_ms;
}

static void add_cores(struct buf *b, const struct measurement *m, struct text_style style)
{
	size_t nr = m->nr_cpus, shown = nr < CORES_SHOWN ? nr : CORES_SHOWN;
	struct cpu_times *c = xcalloc(nr, sizeof(*c)), all = {0};
	struct buf s = BUF_INIT;
	struct table t;

	for (size_t i = 0; i < nr; i++) {
		c[i] = m->cpu[i];
		add_to(&all, &c[i]);
	}
	buf_addf(&s, "Cores of the host over %.1f s, in %%",
		 (double)m->counters_ns / (double)NS_PER_S);
	if (shown < nr) {
		qsort(c, nr, sizeof(*c), busiest_first);
		buf_addf(&s, "; the %zu busiest of %zu", shown, nr);
	}
	text_heading(b, style, buf_text(&s));
	table_init(&t, core_cols, NR(core_cols));
	for (size_t i = 0; i < shown; i++) {
		take_number(&t, c[i].cpu);
		take_core(&t, &c[i]);
	}
	table_add(&t, "all");
	take_core(&t, &all);
	print_table(b, style, &t);
	table_release(&t);
	buf_release(&s);
	free(c);
}

void point_cpus(struct buf *b, const struct point_view *v, struct text_style style)
{
	if (v->m->worker && v->m->window_ns)
		add_worker_cpus(b, v->m, style);
	if (v->m->nr_cpus)
		add_cores(b, v->m, style);
}

/* ---- percentiles ---- */

/* What the percentiles of a direction come from. */
struct source {
	enum dir dir;
	struct hist *hist; /* NULL where there are only figures */
	const struct figures *figures;
	bool has_marks;
};

static void take_latency(struct table *t, const struct quantile *q, struct source *from,
			 bool any_marks)
{
	bool is_few = from->hist && quantile_has_few(q, from->hist->count);
	double ns = quantile_ns(q, from->hist, from->figures);
	struct buf s = BUF_INIT;

	format_fixed(&s, ns / (double)NS_PER_MS, 3);
	/* Figures with and without a mark stand below each other. */
	if (any_marks)
		buf_addch(&s, is_few && !isnan(ns) ? '*' : ' ');
	table_take(t, &s);
	buf_release(&s);
}

static bool has_interval(const struct quantile *q, const struct source *from, size_t nr)
{
	double low, high;

	for (size_t i = 0; i < nr; i++)
		if (quantile_interval(q, from[i].figures, &low, &high))
			return true;
	return false;
}

/* Seconds need no microseconds, and three columns of them no more than 80. */
static void add_range(struct buf *b, double low_ms, double high_ms)
{
	int decimals = high_ms < 1000 ? 3 : 1;

	buf_addf(b, "%.*f-%.*f", decimals, low_ms, decimals, high_ms);
}

static void take_interval(struct table *t, const struct quantile *q, const struct source *from,
			  bool any_marks)
{
	struct buf s = BUF_INIT;
	double low, high;

	if (quantile_interval(q, from->figures, &low, &high))
		add_range(&s, low / (double)NS_PER_MS, high / (double)NS_PER_MS);
	else
		buf_addch(&s, '-');
	buf_addstr(&s, any_marks ? " " : "");
	table_take(t, &s);
	buf_release(&s);
}

static bool find_marks(struct source *from, size_t nr)
{
	bool any = false;

	for (size_t i = 0; i < nr; i++) {
		for (size_t q = 0; from[i].hist && q < NR_QUANTILES; q++)
			from[i].has_marks |= quantile_has_few(&quantiles[q], from[i].hist->count);
		any |= from[i].has_marks;
	}
	return any;
}

/* "* only 1400 reads, 600 writes, 2000 in all: fewer than 10 lie beyond" */
static void explain_marks(struct buf *b, const struct source *from, size_t nr,
			  struct text_style style)
{
	static const char *const of[DIR_NR] = {"reads", "writes", "in all"};
	const char *sep = "* only ";
	struct buf s = BUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		if (!from[i].has_marks)
			continue;
		buf_addf(&s, "%s%" PRIu64 " %s", sep, from[i].hist->count,
			 nr > 1 ? of[from[i].dir] : "samples");
		sep = ", ";
	}
	buf_addstr(&s, ": fewer than 10 lie beyond");
	text_paragraph(b, style, &s);
	buf_release(&s);
}

static void print_percentiles(struct buf *b, struct source *from, size_t nr,
			      struct text_style style)
{
	struct table_col cols[1 + DIR_NR] = {{"", true, 0}};
	bool any_marks = find_marks(from, nr);
	struct table t;

	for (size_t i = 0; i < nr; i++)
		cols[1 + i] = (struct table_col){dir_name(from[i].dir), false, 0};
	table_init(&t, cols, 1 + nr);
	for (size_t q = 0; q < NR_QUANTILES; q++) {
		table_add(&t, quantiles[q].name);
		for (size_t i = 0; i < nr; i++)
			take_latency(&t, &quantiles[q], &from[i], any_marks);
		if (!has_interval(&quantiles[q], from, nr))
			continue;
		table_add(&t, "  interval");
		for (size_t i = 0; i < nr; i++)
			take_interval(&t, &quantiles[q], &from[i], any_marks);
	}
	print_table(b, style, &t);
	table_release(&t);
	if (any_marks)
		explain_marks(b, from, nr, style);
}

void point_percentiles(struct buf *b, const struct point_view *v, struct text_style style)
{
	struct source from[DIR_NR];
	size_t nr = 0;

	for (enum dir d = DIR_READ; d < DIR_NR; d++) {
		bool is_asked =
			d == DIR_READ ? point_reads(&v->p->spec) : point_writes(&v->p->spec);

		/* Of one direction alone the total is the same again. */
		if (d == DIR_TOTAL ? !is_mixed(v) : !is_asked)
			continue;
		from[nr++] = (struct source){
			.dir = d, .hist = measurement_hist(v->m, d), .figures = &v->p->dir[d]};
	}
	text_heading(b, style, "Latency in ms");
	print_percentiles(b, from, nr, style);
	for (size_t i = 0; i < nr; i++)
		free(from[i].hist);
}
