/* SPDX-License-Identifier: MIT */
/* The columns that are written and read by the same list, so that the two cannot differ. */
#ifndef STORE_COLUMNS_H
#define STORE_COLUMNS_H

#include "base/buf.h"
#include "model/point.h"

#include <stddef.h>

/* A derived figure: its column in point_dir and its place in struct figures. */
struct figure_column {
	const char *name;
	size_t offset;
};

#define NR_FIGURE_COLUMNS 19

extern const struct figure_column figure_columns[NR_FIGURE_COLUMNS];

static inline double *figure_at(struct figures *f, const struct figure_column *c)
{
	return (double *)(void *)((char *)f + c->offset);
}

/* ", iops, mib_s, ..." */
void add_figure_columns(struct buf *sql);

/* The axes of a point, in the order in which put_spec binds them and get_spec reads them. */
#define SPEC_COLUMNS \
	"rw, bs_bytes, iodepth, workers, rwmixread_pct, random_pct, span_bytes, offset_bytes, " \
	"rate_ask_iops, rate_e4, repeat, is_anchor"
#define SPEC_MATCH \
	"rw = ? AND bs_bytes = ? AND iodepth = ? AND workers = ? AND rwmixread_pct = ? AND " \
	"random_pct = ? AND span_bytes = ? AND offset_bytes = ? AND rate_ask_iops = ? AND rate_e4 = ? " \
	"AND repeat = ? AND is_anchor = ?"

/* The columns of point_counter behind moment. */
#define COUNTER_COLUMNS \
	"read_ios, read_bytes, read_ms, write_ios, write_bytes, write_ms, in_flight, busy_ms, " \
	"queue_ms"

/* The columns of point_worker behind worker. */
#define WORKER_COLUMNS \
	"iodepth, read_ios, read_bytes, read_lat_sum_ns, read_slat_sum_ns, write_ios, " \
	"write_bytes, write_lat_sum_ns, write_slat_sum_ns, depth_mean, depth_max, cpu_user_ns, " \
	"cpu_sys_ns, cpu_run_ns, cpu_wait_ns, voluntary_switches, submit_ns, read_lat_sq_ns2, " \
	"write_lat_sq_ns2"

/* Those of point_cpu behind point_id. */
#define CPU_COLUMNS "cpu, user_ms, system_ms, irq_ms, steal_ms, iowait_ms, idle_ms"

#endif
