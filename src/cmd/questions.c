/* SPDX-License-Identifier: MIT */
#include "cmd/questions.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static int add_cap(void *arg, const char *text, struct err *e)
{
	struct cap_list *l = arg;

	if (l->nr == RUN_MAX_CAPS)
		return err_set(e, ERR_USAGE, "there are more than %d caps", RUN_MAX_CAPS);
	return cap_parse(text, &l->v[l->nr++], e);
}

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

/* Call add for each item of comma-separated lists, as sweep options take them too. */
static int parse_lists(const struct str_list *lists, int (*add)(void *, const char *, struct err *),
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

int questions_caps(const struct str_list *lists, struct cap_list *caps, struct err *e)
{
	return parse_lists(lists, add_cap, caps, "--cap", e);
}

int questions_accept(const struct str_list *lists, flag_set *accepted, struct err *e)
{
	return parse_lists(lists, add_flag, accepted, "--accept", e);
}
