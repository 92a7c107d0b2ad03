/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "base/mem.h"

#include <stddef.h>
#include <string.h>

/* What a run holds outside its facts and two runs may differ in. */
static const struct {
	const char *name;
	size_t offset;
} members[] = {
	{"tool", offsetof(struct run_info, tool_version)},
	{"build", offsetof(struct run_info, git_id)},
	{"engine", offsetof(struct run_info, engine)},
	{"sweep", offsetof(struct run_info, sweep_name)},
	{"target", offsetof(struct run_info, target_given)},
	{"target identity", offsetof(struct run_info, target_identity)},
};

struct list {
	struct report_difference *v;
	size_t nr, cap;
};

static void compare(struct list *l, int64_t run_id, const char *name, const char *from,
		    const char *to)
{
	if (from == to || (from && to && !strcmp(from, to)))
		return;
	VEC_GROW(l->v, l->nr, l->cap);
	l->v[l->nr++] = (struct report_difference){run_id, name, from, to};
}

static const char *member(const struct run_info *r, size_t i)
{
	return *(char *const *)(const void *)((const char *)r + members[i].offset);
}

static void compare_runs(struct list *l, const struct run_info *a, const struct run_info *b)
{
	for (size_t i = 0; i < NR(members); i++)
		compare(l, b->id, members[i].name, member(a, i), member(b, i));
	for (size_t i = 0; i < a->facts.nr; i++)
		compare(l, b->id, a->facts.v[i].name, a->facts.v[i].value,
			facts_get(&b->facts, a->facts.v[i].name));
	for (size_t i = 0; i < b->facts.nr; i++)
		if (!facts_get(&a->facts, b->facts.v[i].name))
			compare(l, b->id, b->facts.v[i].name, NULL, b->facts.v[i].value);
}

void report_differences(const struct report *r, struct report_difference **out, size_t *nr)
{
	struct list l = {0};

	for (size_t i = 1; i < r->nr_runs; i++)
		compare_runs(&l, r->runs[0].info, r->runs[i].info);
	*out = l.v;
	*nr = l.nr;
}

size_t report_left_out(const struct report_run *run)
{
	const char *given = facts_get(&run->info->facts, FACT_LEFT_OUT);
	size_t nr = 0;

	if (!given || !strcmp(given, "0") || run->info->state != RUN_INTERRUPTED)
		return 0;
	for (size_t i = 0; i < run->nr_points; i++)
		nr += !point_status_is_final(run->points[i].status);
	return nr;
}
