/* SPDX-License-Identifier: MIT */
#include "cmd/fail_if.h"

#include "base/mem.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_PASS    0
#define STATUS_UNKNOWN 3
#define STATUS_FAIL    4

static const struct {
	const char *name;
	enum fail_kind kind;
	bool takes_share;
} kinds[] = {
	{"worse", FAIL_WORSE, true},
	{"iops-worse", FAIL_IOPS_WORSE, true},
	{"lat-worse", FAIL_LAT_WORSE, true},
	{"different", FAIL_DIFFERENT, false},
};

static int parse_share(const char *text, double *share, struct err *e)
{
	uint32_t e4 = 0;

	if (!*text)
		return 0;
	if (units_parse_percent(text + 1, &e4, e))
		return -1;
	if (!e4)
		return err_set(e, ERR_USAGE, "'%s' must be above 0%%", text + 1);
	*share = (double)e4 / UNITS_100_PERCENT;
	return 0;
}

static int parse_condition(const char *text, struct fail_condition *c, struct err *e)
{
	size_t len = strcspn(text, ":");

	for (size_t i = 0; i < NR(kinds); i++) {
		if (strlen(kinds[i].name) != len || strncmp(kinds[i].name, text, len) != 0)
			continue;
		*c = (struct fail_condition){kinds[i].kind, COMPARE_MARGIN};
		if (text[len] && !kinds[i].takes_share)
			return err_set(e, ERR_USAGE, "'%s' takes no per cent", kinds[i].name);
		return parse_share(text + len, &c->share, e);
	}
	return err_set(e, ERR_USAGE,
		       "'%s' is no condition: use worse:5%%, iops-worse:5%%, lat-worse:5%% or "
		       "different",
		       text);
}

int fail_if_parse(const struct str_list *lists, struct fail_if *f, struct err *e)
{
	for (size_t i = 0; i < lists->nr; i++) {
		for (const char *s = lists->v[i];; s++) {
			size_t len = strcspn(s, ",");
			char *item = xstrndup(s, len);
			int rc =
				f->nr == FAIL_MAX_CONDITIONS
					? err_set(e, ERR_USAGE, "there are more than %d conditions",
						  FAIL_MAX_CONDITIONS)
					: parse_condition(item, &f->v[f->nr++], e);

			free(item);
			if (rc)
				return err_wrap(e, "--fail-if '%s'", lists->v[i]);
			s += len;
			if (!*s)
				break;
		}
	}
	return 0;
}

/* Whether the condition is about this figure at all. */
static bool looks_at(const struct fail_condition *c, const struct compare_item *item)
{
	switch (c->kind) {
	case FAIL_WORSE:
		return item->figure != COMPARE_NSTAR;
	case FAIL_IOPS_WORSE:
		return item->figure == COMPARE_IOPS || item->figure == COMPARE_CAP;
	case FAIL_LAT_WORSE:
		return item->figure == COMPARE_LAT;
	case FAIL_DIFFERENT:
		break;
	}
	return true;
}

static bool is_met(const struct fail_condition *c, const struct compare_item *item)
{
	if (!looks_at(c, item))
		return false;
	if (c->kind == FAIL_DIFFERENT)
		return item->verdict == COMPARE_DIFFERENT;
	return compare_is_worse(item, c->share);
}

struct tally {
	size_t nr, nr_met, nr_unsure, nr_judged, nr_lost, nr_open;
	const struct compare_item *worst; /* of those that meet a condition, the one with most */
};

static bool any_condition(const struct fail_if *f, const struct compare_item *item,
			  bool (*fits)(const struct fail_condition *, const struct compare_item *))
{
	for (size_t i = 0; i < f->nr; i++)
		if (fits(&f->v[i], item))
			return true;
	return false;
}

static struct tally count(const struct fail_if *f, const struct comparison *c)
{
	struct tally t = {.nr_open = c->nr_open};

	for (size_t i = 0; i < c->nr; i++) {
		const struct compare_item *item = &c->item[i];

		if (!any_condition(f, item, looks_at))
			continue;
		t.nr_lost += item->is_lost;
		/* What cannot be compared by its nature: a knee that was not reached. */
		if (isnan(item->ratio))
			continue;
		t.nr++;
		t.nr_judged += item->verdict != COMPARE_UNJUDGED;
		t.nr_unsure +=
			item->verdict == COMPARE_UNJUDGED || item->verdict == COMPARE_INCONCLUSIVE;
		if (!any_condition(f, item, is_met))
			continue;
		t.nr_met++;
		if (!t.worst || fabs(log(item->ratio)) > fabs(log(t.worst->ratio)))
			t.worst = item;
	}
	for (size_t i = 0; i < c->nr_lone; i++)
		t.nr_lost += !c->lone[i].side && c->lone[i].is_invalid;
	return t;
}

static const char *plural(size_t nr)
{
	return nr == 1 ? "" : "s";
}

/* Nothing meets a condition; what could not be judged is told, and with --strict is no pass. */
static int add_pass(const struct fail_if *f, const struct tally *t, struct buf *b)
{
	bool is_unsure = t->nr_unsure || t->nr_open;

	buf_addf(b, "not met by any of %zu figure%s", t->nr, plural(t->nr));
	if (t->nr_unsure)
		buf_addf(b, ", but %zu %s inconclusive", t->nr_unsure,
			 t->nr_unsure == 1 ? "is" : "are");
	if (t->nr_open)
		buf_addf(b, ", but %zu point%s with an offered load are not compared", t->nr_open,
			 plural(t->nr_open));
	if (is_unsure && !f->strict)
		buf_addstr(b, ", which passes without --strict");
	return is_unsure && f->strict ? STATUS_UNKNOWN : STATUS_PASS;
}

static int judge(const struct fail_if *f, const struct tally *t, struct buf *b)
{
	if (t->nr_met) {
		buf_addf(b, "met by %zu of %zu figures, most by %s of ", t->nr_met, t->nr,
			 compare_figure_name(t->worst->figure));
		if (t->worst->spec.iodepth)
			buf_add_point(b, &t->worst->spec);
		else
			buf_add_curve_name(b, &t->worst->spec);
		buf_addf(b, ": B is %.3f times A", t->worst->ratio);
		return STATUS_FAIL;
	}
	if (!t->nr_judged) {
		buf_addstr(
			b,
			"cannot be judged: there is no figure that two runs or more of A and of B "
			"have; measure three runs of each");
		return STATUS_UNKNOWN;
	}
	if (t->nr_lost) {
		buf_addf(
			b,
			"cannot be judged: %zu figure%s of A %s missing in B, whose points failed, "
			"are spoiled, or never meet the cap",
			t->nr_lost, plural(t->nr_lost), t->nr_lost == 1 ? "is" : "are");
		return STATUS_UNKNOWN;
	}
	return add_pass(f, t, b);
}

int fail_if_judge(const struct fail_if *f, const struct comparison *c, struct buf *sentence)
{
	struct tally t = count(f, c);

	return judge(f, &t, sentence);
}
