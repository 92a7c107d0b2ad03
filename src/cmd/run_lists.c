/* SPDX-License-Identifier: MIT */
#include "cmd/run_lists.h"

#include "base/mem.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add_once(struct run_list *l, int64_t id)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->id[i] == id)
			return;
	VEC_GROW(l->id, l->nr, l->cap);
	l->id[l->nr++] = id;
}

static int parse_id(const char *text, int64_t *id, struct err *e)
{
	uint64_t v = 0;

	if (units_parse_count(text, &v, e) || !v || v > INT64_MAX)
		return err_set(e, ERR_USAGE,
			       "'%s' is not the number of a run; 'lunsweep list' shows them", text);
	*id = (int64_t)v;
	return 0;
}

/* "4" or "4..6"; text is taken apart. */
static int add_range(struct run_list *l, char *text, struct err *e)
{
	char *dots = strstr(text, "..");
	int64_t from = 0, to = 0;

	if (dots)
		*dots = '\0';
	if (parse_id(text, &from, e) || parse_id(dots ? dots + 2 : text, &to, e))
		return -1;
	if (to < from || to - from >= RUN_LIST_MAX)
		return err_set(e, ERR_USAGE,
			       "%" PRId64 "..%" PRId64 " is no range of up to %d runs", from, to,
			       RUN_LIST_MAX);
	for (int64_t id = from; id <= to; id++)
		add_once(l, id);
	return 0;
}

int run_list_add(struct run_list *l, const char *text, struct err *e)
{
	for (const char *s = text;; s++) {
		size_t len = strcspn(s, ",");
		char *item = xstrndup(s, len);
		int rc = add_range(l, item, e);

		free(item);
		if (rc)
			return -1;
		s += len;
		if (!*s)
			return 0;
	}
}

void run_list_release(struct run_list *l)
{
	free(l->id);
	*l = (struct run_list){0};
}

static int add_newest(struct run_list *l, struct store *s, struct err *e)
{
	int64_t id;

	if (store_newest_run(s, &id, e))
		return -1;
	if (!id)
		return err_set(e, ERR_DATA, "the database holds no run to report");
	add_once(l, id);
	return 0;
}

int run_list_choose(struct run_list *l, struct store *s, const struct str_list *args, struct err *e)
{
	if (!args->nr)
		return add_newest(l, s, e);
	for (size_t i = 0; i < args->nr; i++)
		if (run_list_add(l, args->v[i], e))
			return -1;
	return 0;
}
