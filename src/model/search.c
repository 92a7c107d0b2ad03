/* SPDX-License-Identifier: MIT */
#include "model/search.h"

#include "base/units.h"

#include <inttypes.h>
#include <string.h>

#define FACT_OVER   "find.over"
#define FACT_MAX    "find.max"
#define FACT_POINTS "find.max_points"
#define FACT_EXACT  "find.exact"

void search_settings_to_facts(const struct search_settings *s, struct facts *f)
{
	facts_set(f, FACT_OVER, s->is_load ? "rate" : "iodepth");
	facts_setf(f, FACT_MAX, "%" PRIu64, s->max);
	facts_setf(f, FACT_POINTS, "%" PRIu32, s->max_points);
	facts_set(f, FACT_EXACT, s->is_exact ? "yes" : "no");
}

static bool get_count(const struct facts *f, const char *name, uint64_t *v)
{
	const char *text = facts_get(f, name);

	return text && !units_parse_count(text, v, NULL);
}

bool search_settings_from_facts(const struct facts *f, struct search_settings *s)
{
	const char *over = facts_get(f, FACT_OVER), *exact = facts_get(f, FACT_EXACT);
	uint64_t max_points = 0;

	*s = (struct search_settings){.is_load = over && !strcmp(over, "rate"),
				      .is_exact = exact && !strcmp(exact, "yes")};
	if (!over || !get_count(f, FACT_MAX, &s->max) || !get_count(f, FACT_POINTS, &max_points) ||
	    max_points > UINT32_MAX)
		return false;
	s->max_points = (uint32_t)max_points;
	return true;
}

const char *search_stop_name(enum search_stop stop)
{
	static const char *const names[SEARCH_STOP_NR] = {
		[SEARCH_GOES_ON] = "goes-on",
		[SEARCH_BRACKET] = "bracket",
		[SEARCH_FLAT] = "flat",
		[SEARCH_AT_CAP] = "at-cap",
		[SEARCH_NOT_REACHED] = "not-reached",
		[SEARCH_NEVER] = "never",
		[SEARCH_NO_POINTS] = "no-points",
		[SEARCH_FAILED] = "failed",
	};

	return names[stop];
}

const char *search_status_name(enum search_status status)
{
	static const char *const names[SEARCH_STATUS_NR] = {
		[SEARCH_MET] = "met",
		[SEARCH_STATUS_NOT_REACHED] = "not-reached",
		[SEARCH_STATUS_NEVER] = "never",
		[SEARCH_STATUS_CLIENT] = "client-limited",
		[SEARCH_STATUS_ERRORS] = "errors",
		[SEARCH_STATUS_UNFINISHED] = "unfinished",
	};

	return names[status];
}

enum search_status search_status(const struct search_answer *a)
{
	switch (a->stop) {
	case SEARCH_FAILED:
		return SEARCH_STATUS_ERRORS;
	case SEARCH_GOES_ON:
		return SEARCH_STATUS_UNFINISHED;
	case SEARCH_NOT_REACHED:
		return a->is_client_limited ? SEARCH_STATUS_CLIENT : SEARCH_STATUS_NOT_REACHED;
	case SEARCH_NEVER:
		return a->is_client_limited ? SEARCH_STATUS_CLIENT : SEARCH_STATUS_NEVER;
	case SEARCH_NO_POINTS:
		return a->best.at && a->is_client_limited ? SEARCH_STATUS_CLIENT
							  : SEARCH_STATUS_UNFINISHED;
	case SEARCH_BRACKET:
	case SEARCH_FLAT:
	case SEARCH_AT_CAP:
	case SEARCH_STOP_NR:
		break;
	}
	return a->is_client_limited ? SEARCH_STATUS_CLIENT : SEARCH_MET;
}

bool search_is_least(const struct search_answer *a)
{
	return search_status(a) != SEARCH_MET || a->stop == SEARCH_NO_POINTS;
}
