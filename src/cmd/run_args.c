/* SPDX-License-Identifier: MIT */
#include "cmd/run_args.h"

#include "base/mem.h"
#include "base/units.h"
#include "model/verdict.h"

#include <stdlib.h>
#include <string.h>

static int add_flag(void *arg, const char *name, struct err *e)
{
	enum flag flag = flag_find(name);

	if (flag == FLAG_NR)
		return err_set(e, ERR_USAGE, "there is no flag '%s' to accept", name);
	if (flag_effect(flag) == EFFECT_FAILED)
		return err_set(e, ERR_USAGE, "'%s' cannot be accepted: such a point has no figures",
			       name);
	*(flag_set *)arg |= FLAG_BIT(flag);
	return 0;
}

int cmd_parse_lists(const struct str_list *lists, int (*add)(void *, const char *, struct err *),
		    void *arg, const char *option, struct err *e)
{
	for (size_t i = 0; i < lists->nr; i++) {
		const char *s = lists->v[i];

		for (;;) {
			size_t len = strcspn(s, ",");
			char *item = xstrndup(s, len);
			int rc = add(arg, item, e);

			free(item);
			if (rc)
				return err_wrap(e, "%s '%s'", option, lists->v[i]);
			if (!s[len])
				break;
			s += len + 1;
		}
	}
	return 0;
}

int cmd_parse_accept(const struct str_list *lists, flag_set *accepted, struct err *e)
{
	return cmd_parse_lists(lists, add_flag, accepted, "--accept", e);
}

static void add_once(int64_t *ids, size_t *nr, int64_t id)
{
	for (size_t i = 0; i < *nr; i++)
		if (ids[i] == id)
			return;
	ids[(*nr)++] = id;
}

/* Each run once, in the order in which they were first named. */
static int parse_run_ids(const struct str_list *args, int64_t *ids, size_t *nr, struct err *e)
{
	*nr = 0;
	for (size_t i = 0; i < args->nr; i++) {
		uint64_t v = 0;

		if (units_parse_count(args->v[i], &v, e) || v > INT64_MAX)
			return err_set(
				e, ERR_USAGE,
				"'%s' is not the number of a run; 'lunsweep list' shows them",
				args->v[i]);
		add_once(ids, nr, (int64_t)v);
	}
	return 0;
}

int cmd_choose_runs(struct store *s, const struct str_list *args, int64_t **ids, size_t *nr,
		    struct err *e)
{
	struct run_summary *list = NULL;
	size_t nr_listed = 0;
	int rc = 0;

	*ids = xcalloc(args->nr + 1, sizeof(**ids));
	if (args->nr)
		return parse_run_ids(args, *ids, nr, e);
	if (store_list_runs(s, &list, &nr_listed, e))
		return -1;
	*nr = 1;
	if (nr_listed)
		(*ids)[0] = list[nr_listed - 1].info.id;
	else
		rc = err_set(e, ERR_DATA, "the database holds no run to report");
	store_free_list(list, nr_listed);
	return rc;
}
