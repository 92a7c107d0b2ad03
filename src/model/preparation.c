/* SPDX-License-Identifier: MIT */
#include "model/preparation.h"

#include "base/clock.h"
#include "base/num.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_names[PREPARATION_STATE_NR] = {"running", "interrupted", "failed",
							      "abandoned", "finished"};

const char *preparation_state_name(enum preparation_state state)
{
	return state_names[state];
}

enum preparation_state preparation_state_find(const char *name)
{
	enum preparation_state s = 0;

	while (s < PREPARATION_STATE_NR && strcmp(state_names[s], name) != 0)
		s++;
	return s;
}

uint64_t preparation_filled_bytes(const struct preparation *p)
{
	return p->passes_done * p->span_bytes + p->pass_bytes;
}

bool preparation_same_work(const struct preparation *a, const struct preparation *b)
{
	return !strcmp(a->target_identity, b->target_identity) &&
	       a->target_size_bytes == b->target_size_bytes && a->offset_bytes == b->offset_bytes &&
	       a->span_bytes == b->span_bytes && a->passes == b->passes &&
	       a->bs_bytes == b->bs_bytes && a->iodepth == b->iodepth &&
	       a->round_ns == b->round_ns && a->max_ns == b->max_ns;
}

static void add_filled(const struct preparation *p, struct buf *b)
{
	uint64_t all = p->passes * p->span_bytes, done = preparation_filled_bytes(p);

	if (done == all)
		buf_addf(b, "every block written %" PRIu32 " time%s in order", p->passes,
			 p->passes == 1 ? "" : "s");
	else
		buf_addf(b, "%" PRIu64 " of %" PRIu64 " bytes written in order", done, all);
}

static void add_steady(const struct preparation *p, struct buf *b)
{
	struct buf bs = BUF_INIT;

	if (!p->bs_bytes)
		return;
	buf_add_size(&bs, p->bs_bytes);
	buf_addf(b, ", then random writes of %s at depth %" PRIu32 ": ", buf_text(&bs), p->iodepth);
	buf_release(&bs);
	buf_addf(b, "%s after %" PRIu32 " round%s", p->is_steady ? "steady" : "not steady",
		 p->rounds, p->rounds == 1 ? "" : "s");
	if (!isnan(p->last_iops))
		buf_addf(b, ", %.0f IOPS in the last", p->last_iops);
}

static void set_fact(struct facts *f, const char *name, struct buf *text)
{
	facts_set(f, name, buf_text(text));
	buf_release(text);
}

void preparation_facts(const struct preparation *p, struct facts *f)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s, preparation %" PRId64 ", begun ", preparation_state_name(p->state),
		 p->id);
	buf_add_utc(&b, p->start_wall_ns);
	if (p->end_wall_ns) {
		buf_addstr(&b, ", ended ");
		buf_add_utc(&b, p->end_wall_ns);
	}
	set_fact(f, "prepare.last", &b);
	buf_addf(&b, "bytes %" PRIu64 " to %" PRIu64, p->offset_bytes,
		 p->offset_bytes + p->span_bytes - 1);
	set_fact(f, "prepare.range", &b);
	add_filled(p, &b);
	add_steady(p, &b);
	set_fact(f, "prepare.how", &b);
	facts_setf(f, "prepare.tool", "%s (%s)", p->tool_version, p->git_id);
	facts_set(f, "prepare.reason", p->reason);
}

void preparation_release(struct preparation *p)
{
	char *const texts[] = {p->target_identity, p->target_label, p->target_resolved,
			       p->reason,	   p->command,	    p->tool_version,
			       p->git_id,	   p->engine,	    p->consent};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free(texts[i]);
	*p = (struct preparation){0};
}
