/* SPDX-License-Identifier: MIT */
#include "model/acceptance.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const verdict_names[ACCEPTANCE_NR] = {"pass", "fail", "undecided"};

const char *acceptance_verdict_name(enum acceptance_verdict v)
{
	return verdict_names[v];
}

void buf_add_limit_name(struct buf *b, const struct limit *l)
{
	static const char *const names[] = {
		[FIGURE_IOPS] = "iops",	      [FIGURE_GUARANTEED_IOPS] = "guaranteed_iops",
		[FIGURE_MIB_S] = "mib_s",     [FIGURE_LAT] = "lat ",
		[FIGURE_LAT_MAX] = "lat max",
	};

	if (l->dir != DIR_TOTAL)
		buf_addf(b, "%s_", dir_name(l->dir));
	buf_addstr(b, names[l->figure]);
	if (l->figure == FIGURE_LAT)
		buf_addstr(b, lat_stat_name(l->stat));
}

static void add_condition(struct buf *b, enum axis axis, const struct axis_condition *c)
{
	buf_addf(b, "%s%s ", b->len ? ", " : "", axis_name(axis));
	if (c->is_none)
		buf_addstr(b, "none");
	else if (axis == AXIS_RW)
		buf_addstr(b, rw_name((enum rw_mode)c->value));
	else if (c->is_percent)
		buf_add_percent(b, (uint32_t)c->value);
	else if (axis == AXIS_BS || axis == AXIS_SPAN)
		buf_add_size(b, c->value);
	else
		buf_addf(b, "%" PRIu64, c->value);
}

void buf_add_conditions(struct buf *b, const struct requirement *r)
{
	struct buf list = BUF_INIT;

	for (enum axis a = 0; a < AXIS_NR; a++)
		if (r->at[a].is_given)
			add_condition(&list, a, &r->at[a]);
	buf_addstr(b, list.len ? buf_text(&list) : "any point");
	buf_release(&list);
}

static void class_release(struct disk_class *c)
{
	for (size_t i = 0; i < c->nr; i++)
		free(c->req[i].limit);
	free(c->req);
	free(c->name);
}

void standard_release(struct standard *s)
{
	for (size_t i = 0; i < s->nr; i++)
		class_release(&s->cls[i]);
	free(s->cls);
	free(s->name);
	*s = (struct standard){0};
}

void class_result_release(struct class_result *r)
{
	free(r->v);
	*r = (struct class_result){0};
}
