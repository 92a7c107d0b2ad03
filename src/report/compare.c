/* SPDX-License-Identifier: MIT */
#include "report/compare.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

const char *compare_order_name(enum compare_order o)
{
	static const char *const names[] = {"mixed", "separate", "clustered", "unknown"};

	return names[o];
}

/* ---- order in time ---- */

struct begin {
	int64_t wall_ns;
	int side;
};

static int compare_begins(const void *a, const void *b)
{
	const struct begin *p = a, *q = b;

	return (p->wall_ns > q->wall_ns) - (p->wall_ns < q->wall_ns);
}

enum compare_order compare_order(const struct run_group group[2])
{
	size_t nr = 0, changes = 0, least = group[0].nr < group[1].nr ? group[0].nr : group[1].nr;
	struct begin *all = xcalloc(group[0].nr + group[1].nr + 1, sizeof(*all));
	bool is_known = least > 1;

	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < group[side].nr; i++) {
			const struct run_info *info = group[side].info[i];

			is_known &= !info->imported && info->start_wall_ns;
			all[nr++] = (struct begin){info->start_wall_ns, side};
		}
	}
	qsort(all, nr, sizeof(*all), compare_begins);
	for (size_t i = 1; i < nr; i++)
		changes += all[i].side != all[i - 1].side;
	free(all);
	if (!is_known)
		return ORDER_UNKNOWN;
	if (changes == 1)
		return ORDER_SEPARATE;
	return changes < least ? ORDER_CLUSTERED : ORDER_MIXED;
}

/* ---- set-ups ---- */

/* What a run holds outside its facts and groups may differ in. */
static const struct {
	const char *name;
	size_t offset;
} members[] = {
	{"tool", offsetof(struct run_info, tool_version)},
	{"build", offsetof(struct run_info, git_id)},
	{"engine", offsetof(struct run_info, engine)},
	{"sweep", offsetof(struct run_info, sweep_name)},
	{"sweep definition", offsetof(struct run_info, sweep_text)},
	{"target", offsetof(struct run_info, target_given)},
	{"target identity", offsetof(struct run_info, target_identity)},
	{"target label", offsetof(struct run_info, target_label)},
};

/* The text of a name in a run: a member, or a fact with this name. What an import has in place of
 * a sweep file are its figures. */
static const char *setup_text(const struct run_info *r, const char *name)
{
	if (r->imported && !strcmp(name, "sweep definition"))
		return NULL;
	for (size_t i = 0; i < NR(members); i++)
		if (!strcmp(members[i].name, name))
			return *(char *const *)(const void *)((const char *)r + members[i].offset);
	return facts_get(&r->facts, name);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Whether all runs of a group have what its first one has. */
static bool is_constant(const struct run_group *g, const char *name)
{
	for (size_t i = 1; i < g->nr; i++)
		if (!same_text(setup_text(g->info[0], name), setup_text(g->info[i], name)))
			return false;
	return true;
}

struct list {
	const struct run_group *group;
	struct setup_difference *v;
	size_t nr, cap;
};

static void compare_setup(struct list *l, const char *name)
{
	bool varies = !is_constant(&l->group[0], name) || !is_constant(&l->group[1], name);
	const char *a = setup_text(l->group[0].info[0], name);
	const char *b = setup_text(l->group[1].info[0], name);

	if (!varies && same_text(a, b))
		return;
	for (size_t i = 0; i < l->nr; i++)
		if (!strcmp(l->v[i].name, name))
			return;
	VEC_GROW(l->v, l->nr, l->cap);
	l->v[l->nr++] =
		(struct setup_difference){name, varies ? NULL : a, varies ? NULL : b, varies};
}

void compare_setups(const struct run_group group[2], struct setup_difference **out, size_t *nr)
{
	struct list l = {.group = group};

	for (size_t i = 0; i < NR(members); i++)
		compare_setup(&l, members[i].name);
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < group[side].nr; i++) {
			const struct facts *f = &group[side].info[i]->facts;

			for (size_t k = 0; k < f->nr; k++)
				compare_setup(&l, f->v[k].name);
		}
	}
	*out = l.v;
	*nr = l.nr;
}
