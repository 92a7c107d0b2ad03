/* SPDX-License-Identifier: MIT */
#include "cmd/find.h"

#include "analyze/search_curve.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a search goes on from, loaded anew before each step. */
struct known_points {
	struct point *seeds, *points;
	size_t nr_seeds, nr_points;
};

static void release(struct known_points *k)
{
	store_free_points(k->seeds, k->nr_seeds);
	store_free_points(k->points, k->nr_points);
	*k = (struct known_points){0};
}

static int load(struct store *store, int64_t run_id, struct known_points *k, struct err *e)
{
	*k = (struct known_points){0};
	if (!store_load_points(store, run_id, &k->points, &k->nr_points, e) &&
	    !store_load_seeds(store, run_id, &k->seeds, &k->nr_seeds, e))
		return 0;
	release(k);
	return -1;
}

static struct search_input input_of(const struct measure_job *job, const struct find_config *config,
				    const struct point_spec *curve, const struct known_points *k)
{
	return (struct search_input){.settings = config->settings,
				     .curve = curve,
				     .seeds = k->seeds,
				     .nr_seeds = k->nr_seeds,
				     .points = k->points,
				     .nr_points = k->nr_points,
				     .caps = job->run.caps,
				     .nr_caps = job->run.nr_caps,
				     .accepted = job->run.accepted,
				     .queue_limit = job->run.target_queue_limit};
}

/* ---- points of other runs: of each curve the valid ones of the newest run that has any, and those that it
 * began with itself ---- */

/* A number of the set-up; false where it is not known. */
static bool get_number(const struct run_info *r, const char *name, double *v)
{
	const char *text = facts_get(&r->facts, name);
	char *end;

	if (!text)
		return false;
	*v = strtod(text, &end);
	return end != text && !*end;
}

static bool is_at_least(const struct run_info *own, const struct run_info *other, const char *name)
{
	double x, y;

	return get_number(own, name, &x) && get_number(other, name, &y) && y >= x;
}

/* Whether points of the other run tell as much as those of this one: a quick look must not be the
 * answer of a careful search. A window of its longest time is as good as it gets, whatever ended it. */
static bool is_as_good(const struct run_info *own, const struct run_info *other)
{
	double want, have, longest, shortest;

	if (!is_at_least(own, other, "sweep.ramp_ns") ||
	    !is_at_least(own, other, "sweep.window_min_ns") ||
	    !get_number(own, "sweep.precision", &want) ||
	    !get_number(other, "sweep.precision", &have) ||
	    !get_number(own, "sweep.window_max_ns", &longest) ||
	    !get_number(other, "sweep.window_min_ns", &shortest))
		return false;
	return !(want > 0) || (have > 0 && have <= want) || shortest >= longest;
}

static bool same_fact(const struct run_info *a, const struct run_info *b, const char *name)
{
	const char *x = facts_get(&a->facts, name), *y = facts_get(&b->facts, name);

	return x && y && !strcmp(x, y);
}

/* Whether points of the other run measured what this one measures. */
static bool is_like(const struct run_info *own, const struct run_info *other, bool is_load)
{
	return !other->imported && !strcmp(own->target_identity, other->target_identity) &&
	       other->engine && !strcmp(own->engine, other->engine) && is_as_good(own, other) &&
	       same_fact(own, other, "sweep.spin") && same_fact(own, other, "sweep.compress") &&
	       (!is_load || same_fact(own, other, "sweep.arrivals"));
}

struct point_refs {
	struct point *v; /* borrowed contents */
	size_t nr, cap;
};

static void collect(const struct search_input *in, const struct point *p, size_t nr,
		    struct point_refs *out)
{
	for (size_t i = 0; i < nr; i++) {
		if (!search_is_of_curve(in, &p[i].spec) || !point_is_valid(&p[i], in->accepted))
			continue;
		VEC_GROW(out->v, out->nr, out->cap);
		out->v[out->nr++] = p[i];
	}
}

static void say_seed(const struct point_spec *curve, const struct run_info *other, size_t nr)
{
	struct buf b = BUF_INIT;

	buf_add_curve_name(&b, curve);
	buf_addf(&b, ": begins with %zu point%s of run %" PRId64 ", begun ", nr, nr == 1 ? "" : "s",
		 other->id);
	buf_add_utc(&b, other->start_wall_ns);
	log_info("%s; --fresh measures all anew", buf_text(&b));
	buf_release(&b);
}

/* Take from one run what curves have no seed yet; seeded[i] becomes true for those that it has. */
static int take_seeds(struct measure_job *job, struct store *store,
		      const struct find_config *config, const struct run_info *other, bool *seeded,
		      struct err *e)
{
	struct known_points k;
	int rc = 0;

	if (load(store, other->id, &k, e))
		return -1;
	for (size_t i = 0; !rc && i < job->plan.nr - job->plan.nr_skipped; i++) {
		const struct point_spec *curve = &job->plan.v[i].spec;
		struct search_input in = input_of(job, config, curve, &k);
		struct point_refs refs = {0};

		if (seeded[i])
			continue;
		collect(&in, k.points, k.nr_points, &refs);
		collect(&in, k.seeds, k.nr_seeds, &refs);
		if (refs.nr) {
			seeded[i] = true;
			rc = store_add_seeds(store, job->run.id, refs.v, refs.nr, e);
			say_seed(curve, other, refs.nr);
		}
		free(refs.v);
	}
	release(&k);
	return rc;
}

/* The same with the run still to be loaded, if it can have any. */
static int look_into(struct measure_job *job, struct store *store, const struct find_config *config,
		     const struct run_summary *run, bool *seeded, struct err *e)
{
	struct run_info other;
	int rc = 0;

	if (run->info.id == job->run.id || !run->nr_total || run->info.imported ||
	    strcmp(run->info.target_identity, job->run.target_identity) != 0)
		return 0;
	if (store_load_run(store, run->info.id, &other, e))
		return -1;
	if (is_like(&job->run, &other, config->settings.is_load))
		rc = take_seeds(job, store, config, &other, seeded, e);
	run_info_release(&other);
	return rc;
}

static bool all_seeded(const bool *seeded, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!seeded[i])
			return false;
	return true;
}

/* Whether its searches began already: what they began with must not change. */
static int has_begun(const struct measure_job *job, struct store *store, bool *begun, struct err *e)
{
	struct known_points k;

	if (load(store, job->run.id, &k, e))
		return -1;
	*begun = k.nr_seeds > 0 || k.nr_points > job->plan.nr_skipped;
	release(&k);
	return 0;
}

static int add_seeds(struct measure_job *job, struct store *store, const struct find_config *config,
		     struct err *e)
{
	size_t nr_curves = job->plan.nr - job->plan.nr_skipped, nr;
	bool begun = config->is_fresh;
	struct run_summary *list;
	bool *seeded;
	int rc = 0;

	if (!begun && has_begun(job, store, &begun, e))
		return -1;
	if (begun)
		return 0;
	if (store_list_runs(store, &list, &nr, e))
		return -1;
	seeded = xcalloc(nr_curves + 1, sizeof(*seeded));
	/* The newest is the last. */
	for (size_t i = nr; !rc && i-- > 0 && !all_seeded(seeded, nr_curves);)
		rc = look_into(job, store, config, &list[i], seeded, e);
	free(seeded);
	store_free_list(list, nr);
	return rc;
}

/* ---- the searches ---- */

static uint32_t last_seq(const struct known_points *k)
{
	uint32_t seq = 0;

	for (size_t i = 0; i < k->nr_points; i++)
		seq = k->points[i].seq > seq ? k->points[i].seq : seq;
	return seq;
}

static const struct point *find_stored(const struct known_points *k, const struct point_spec *spec)
{
	for (size_t i = 0; i < k->nr_points; i++)
		if (!point_spec_compare(&k->points[i].spec, spec))
			return &k->points[i];
	return NULL;
}

/* A repeat of a depth or load: as it is stored, else with the number that it shall have. */
struct repeat {
	struct plan_point point;
	bool is_stored, is_final;
};

static struct repeat look_up(const struct known_points *k, const struct point_spec *spec,
			     uint32_t *seq)
{
	const struct point *stored = find_stored(k, spec);

	return (struct repeat){.point = {.spec = *spec, .seq = stored ? stored->seq : ++*seq},
			       .is_stored = stored != NULL,
			       .is_final = stored && point_status_is_final(stored->status)};
}

/* All repeats are added to the store before the first is measured: wherever the run is cut short, it
 * knows of those that are still to come. */
static int add_repeats(struct measure_job *job, struct store *store, const struct repeat *r,
		       size_t nr, struct err *e)
{
	struct planned_point *fresh = xcalloc(nr, sizeof(*fresh));
	size_t nr_fresh = 0;
	int rc = 0;

	for (size_t i = 0; i < nr; i++)
		if (!r[i].is_stored)
			fresh[nr_fresh++] = (struct planned_point){.spec = r[i].point.spec,
								   .seq = r[i].point.seq};
	if (nr_fresh)
		rc = store_add_points(store, job->run.id, fresh, nr_fresh, e);
	free(fresh);
	return rc;
}

/* Measure the repeats of a depth or load that are not done. */
static int measure_step(struct measure_job *job, struct store *store, struct measure *m,
			const struct known_points *k, struct point_spec spec, struct err *e)
{
	size_t nr = job->sweep->repeats;
	struct repeat *r = xcalloc(nr, sizeof(*r));
	uint32_t seq = last_seq(k);
	int rc;

	for (size_t i = 0; i < nr; i++) {
		spec.repeat = (uint32_t)i + 1;
		r[i] = look_up(k, &spec, &seq);
	}
	rc = add_repeats(job, store, r, nr, e);
	for (size_t i = 0; !rc && i < nr && measure_may_go_on(m); i++)
		if (!r[i].is_final)
			rc = measure_one(m, &r[i].point, e);
	free(r);
	return rc;
}

/* One curve until all its caps are answered; *is_done says whether they are. */
static int search(struct measure_job *job, struct store *store, struct measure *m,
		  const struct find_config *config, const struct point_spec *curve, bool *is_done,
		  struct err *e)
{
	struct search_answer answer[RUN_MAX_CAPS];
	int rc = 0;

	for (*is_done = false; !rc && !*is_done && measure_may_go_on(m);) {
		struct known_points k;
		struct search_input in;
		uint64_t next;

		if (load(store, job->run.id, &k, e))
			return -1;
		in = input_of(job, config, curve, &k);
		search_curve(&in, answer, &next);
		*is_done = !next;
		if (next)
			rc = measure_step(job, store, m, &k, search_spec(&in, next), e);
		release(&k);
	}
	return rc;
}

static int search_all(struct measure_job *job, struct store *store, struct measure *m,
		      const struct find_config *config, bool *is_complete, struct err *e)
{
	*is_complete = true;
	for (size_t i = 0; i < job->plan.nr - job->plan.nr_skipped; i++) {
		bool is_done = false;

		if (measure_may_go_on(m) &&
		    search(job, store, m, config, &job->plan.v[i].spec, &is_done, e))
			return -1;
		*is_complete &= is_done;
	}
	return 0;
}

static int count_points(struct measure_job *job, struct store *store, struct err *e)
{
	struct known_points k;

	if (load(store, job->run.id, &k, e))
		return -1;
	job->nr_points = (unsigned)k.nr_points;
	job->nr_valid = 0;
	for (size_t i = 0; i < k.nr_points; i++)
		job->nr_valid += point_is_valid(&k.points[i], job->run.accepted);
	release(&k);
	return 0;
}

/* The share of a worker in the most that may be in flight. */
static uint32_t largest_share(const struct measure_job *job, const struct find_config *config)
{
	uint32_t largest = 1;

	for (size_t i = 0; i < job->plan.nr - job->plan.nr_skipped; i++) {
		const struct point_spec *s = &job->plan.v[i].spec;
		uint64_t depth = config->settings.is_load ? s->iodepth : config->settings.max;
		uint32_t share = (uint32_t)((depth + s->workers - 1) / s->workers);

		largest = share > largest ? share : largest;
	}
	return largest;
}

int find_run(struct measure_job *job, struct store *store, const struct find_config *config,
	     struct err *e)
{
	bool is_complete = false;
	struct measure *m;
	int rc;

	if (add_seeds(job, store, config, e) ||
	    measure_open(job, store, largest_share(job, config), &m, e))
		return -1;
	rc = search_all(job, measure_store(m), m, config, &is_complete, e);
	if (count_points(job, measure_store(m), rc ? NULL : e))
		rc = -1;
	if (measure_close(m, !rc && is_complete, rc ? NULL : e))
		rc = -1;
	return rc;
}
