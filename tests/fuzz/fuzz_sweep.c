/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a sweep file: they are refused with a place or make a sweep, whose stored text
 * reads back to an equal one and whose plan keeps to the target.
 */
#include "fuzz.h"

#include "plan/plan.h"
#include "plan/sweep.h"

#define FUZZ_TARGET_BYTES (1ULL << 40)

static void check_text(struct sweep *s)
{
	struct buf text = BUF_INIT;
	struct sweep back;
	struct err e = {0};

	free(s->text);
	s->text = NULL;
	sweep_text(s, &text);
	sweep_init(&back);
	require(!sweep_parse(&back, "back.yaml", buf_text(&text), text.len, &e));
	require(!sweep_finish(&back, &e));
	require(sweep_key(&back) == sweep_key(s));
	require(!strcmp(back.name, s->name));
	sweep_release(&back);
	buf_release(&text);
}

static void check_plan(const struct sweep *s)
{
	struct target_info t = {.size_bytes = FUZZ_TARGET_BYTES, .logical_block_bytes = 4096};
	struct plan_totals totals;
	struct err e = {0};
	struct plan p;

	if (plan_make(s, &t, 1, &p, &e)) {
		require(e.msg[0] != '\0');
		return;
	}
	for (size_t i = 0; i < p.nr; i++) {
		const struct point_spec *spec = &p.v[i].spec;

		require(p.v[i].seq == i + 1);
		require(spec->offset_bytes <= t.size_bytes);
		require(spec->span_bytes <= t.size_bytes - spec->offset_bytes);
		require(p.v[i].skip_reason || spec->span_bytes % spec->bs_bytes == 0);
	}
	plan_estimate(&p, s, 1000, &totals);
	require(totals.time_min_ns <= totals.time_max_ns);
	require(totals.write_region_bytes <= t.size_bytes);
	plan_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = {0};
	struct sweep s;

	sweep_init(&s);
	if (sweep_parse(&s, "fuzz.yaml", (const char *)data, size, &e)) {
		require(!strncmp(e.msg, "fuzz.yaml:", strlen("fuzz.yaml:")));
	} else if (sweep_finish(&s, &e)) {
		require(e.msg[0] != '\0');
	} else {
		check_text(&s);
		check_plan(&s);
	}
	sweep_release(&s);
	return 0;
}
