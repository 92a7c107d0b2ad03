/* SPDX-License-Identifier: MIT */
#include "analyze/infill.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

/* Beside the uncertainty, for each octave to the nearer neighbour: a curve may do what no concave
 * function does, and gaps in which all is equally uncertain are halved. */
#define SCORE_PER_OCTAVE 0.01
#define CAP_WEIGHT	 2.0
/* Where a neighbour has no figures, so that nothing is known; divided by the number of failures. */
#define SCORE_NO_NEIGHBOUR 1.0
/* Behind a fall to less than this, the peak may lie between the two. */
#define FALL 0.95
/* Writing points at least this uncertain, relative to the first, are dealt by the seed. */
#define SHUFFLE_SHARE 0.5
/* Of a knee. */
#define JUDGED_DEPTHS 3

/* The repeats of one depth, or of one rate. */
struct level {
	size_t first, nr; /* in order[] */
	size_t nr_done, nr_valid;
	double x;			       /* depth, or rate */
	double iops_sum, lat_sum[LAT_STAT_NR]; /* of the valid ones */
};

/* The points of one curve. */
struct track {
	struct level *level; /* ascending */
	size_t nr;
	unsigned group;
	bool is_open, writes;
	uint64_t hash; /* of curve and seed */
	/* The rest is made anew when is_stale. */
	bool is_stale;
	size_t pass;  /* the first repeat that is not complete, from 1; 0 when all is done */
	size_t inner; /* the best level between the ends in this repeat; nr without one */
	double score;
};

struct infill {
	struct point_spec *spec; /* of each point, as given */
	bool *is_done;
	size_t *order;	  /* points sorted by spec */
	size_t *level_of; /* of each point */
	size_t *track_of; /* of each level */
	struct level *level;
	struct track *track;
	size_t nr, nr_levels, nr_tracks;
	struct cap *caps;
	unsigned nr_caps;
	uint64_t seed;
};

static int compare_order(const void *pa, const void *pb, void *arg)
{
	const struct point_spec *spec = arg;

	return point_spec_compare(&spec[*(const size_t *)pa], &spec[*(const size_t *)pb]);
}

static double level_x(const struct point_spec *s)
{
	if (!point_is_open(s))
		return s->iodepth;
	return s->rate_ask_iops ? (double)s->rate_ask_iops : s->rate_e4;
}

static bool same_level(const struct point_spec *a, const struct point_spec *b)
{
	return point_same_curve(a, b) && a->iodepth == b->iodepth &&
	       a->rate_ask_iops == b->rate_ask_iops && a->rate_e4 == b->rate_e4;
}

static struct track track_of(const struct point_spec *spec, unsigned group, uint64_t seed)
{
	struct point_spec id = *spec;

	id.iodepth = 0;
	id.rate_ask_iops = id.rate_e4 = 0;
	id.span_e4 = 0;
	id.repeat = 0;
	return (struct track){.group = group,
			      .is_open = point_is_open(spec),
			      .writes = point_writes(spec),
			      .hash = rng_mix(rng_mix(seed) ^ point_spec_hash(&id)),
			      .is_stale = true};
}

/* Per cents of a maximum and IOPS are no one scale: each has ends and gaps of its own. */
static bool same_track(const struct point_spec *a, const struct point_spec *b)
{
	return point_same_curve(a, b) && !a->rate_e4 == !b->rate_e4;
}

/* Levels and curves of the sorted points. */
static void build(struct infill *f, const struct infill_point *points)
{
	const struct point_spec *last = NULL;

	for (size_t i = 0; i < f->nr; i++) {
		const struct point_spec *s = &f->spec[f->order[i]];
		bool is_new_track = !last || !same_track(last, s);

		if (is_new_track) {
			f->track[f->nr_tracks] = track_of(s, points[f->order[i]].group, f->seed);
			f->track[f->nr_tracks++].level = &f->level[f->nr_levels];
		}
		if (is_new_track || !same_level(last, s)) {
			f->track_of[f->nr_levels] = f->nr_tracks - 1;
			f->level[f->nr_levels++] = (struct level){.first = i, .x = level_x(s)};
			f->track[f->nr_tracks - 1].nr++;
		}
		f->level[f->nr_levels - 1].nr++;
		f->level_of[f->order[i]] = f->nr_levels - 1;
		last = s;
	}
}

struct infill *infill_new(const struct infill_point *points, size_t nr, const struct cap *caps,
			  unsigned nr_caps, uint64_t seed)
{
	struct infill *f = xcalloc(1, sizeof(*f));

	f->nr = nr;
	f->seed = seed;
	f->spec = xcalloc(nr + 1, sizeof(*f->spec));
	f->is_done = xcalloc(nr + 1, sizeof(*f->is_done));
	f->order = xcalloc(nr + 1, sizeof(*f->order));
	f->level_of = xcalloc(nr + 1, sizeof(*f->level_of));
	f->track_of = xcalloc(nr + 1, sizeof(*f->track_of));
	f->level = xcalloc(nr + 1, sizeof(*f->level));
	f->track = xcalloc(nr + 1, sizeof(*f->track));
	f->caps = xcalloc(nr_caps + 1, sizeof(*f->caps));
	f->nr_caps = nr_caps;
	if (nr_caps)
		memcpy(f->caps, caps, nr_caps * sizeof(*caps));
	for (size_t i = 0; i < nr; i++) {
		f->spec[i] = points[i].spec;
		f->order[i] = i;
	}
	qsort_r(f->order, nr, sizeof(*f->order), compare_order, f->spec);
	build(f, points);
	for (size_t i = 0; i < nr; i++)
		if (points[i].is_done)
			infill_done(f, i, points[i].iops, points[i].lat_ns);
	return f;
}

void infill_free(struct infill *f)
{
	if (!f)
		return;
	free(f->spec);
	free(f->is_done);
	free(f->order);
	free(f->level_of);
	free(f->track_of);
	free(f->level);
	free(f->track);
	free(f->caps);
	free(f);
}

void infill_done(struct infill *f, size_t point, double iops, const double *lat_ns)
{
	struct level *l = &f->level[f->level_of[point]];

	f->track[f->track_of[f->level_of[point]]].is_stale = true;
	f->is_done[point] = true;
	l->nr_done++;
	if (!(iops > 0))
		return;
	l->nr_valid++;
	l->iops_sum += iops;
	for (enum lat_stat s = 0; s < LAT_STAT_NR; s++)
		l->lat_sum[s] += lat_ns ? lat_ns[s] : UNKNOWN;
}

static double level_iops(const struct level *l)
{
	return l->iops_sum / (double)l->nr_valid;
}

static double level_lat(const struct level *l, enum lat_stat s)
{
	return l->lat_sum[s] / (double)l->nr_valid;
}

/* Whether the level has what this repeat can give. */
static bool is_known(const struct level *l, size_t pass)
{
	return l->nr_done >= pass || l->nr_done == l->nr;
}

/* The nearest levels with figures around one that has none. */
struct gap {
	const struct level *before, *a, *b, *after; /* NULL where there is none */
};

static double on_line(const struct level *p, const struct level *q, double x)
{
	double slope = (level_iops(q) - level_iops(p)) / (q->x - p->x);

	return level_iops(p) + slope * (x - p->x);
}

/* How far apart the highest and the lowest IOPS are that the neighbours leave open. */
static double iops_uncertainty(const struct gap *g, double x)
{
	double iops_a = level_iops(g->a), iops_b = level_iops(g->b);
	double high = iops_a * x / g->a->x, low = on_line(g->a, g->b, x);

	if (iops_b >= FALL * iops_a)
		high = fmin(high, fmax(iops_a, iops_b));
	if (g->before)
		high = fmin(high, on_line(g->before, g->a, x));
	if (g->after)
		high = fmin(high, on_line(g->b, g->after, x));
	return high > low ? log(high / low) : 0;
}

static bool has_cap(const struct infill *f, const struct gap *g)
{
	for (unsigned i = 0; i < f->nr_caps; i++) {
		double limit = (double)f->caps[i].limit_ns;

		if (level_lat(g->a, f->caps[i].stat) <= limit &&
		    level_lat(g->b, f->caps[i].stat) > limit)
			return true;
	}
	return false;
}

/* The latency of a response curve rises with the load; halves of a gap are equal in load. */
static double load_score(const struct gap *g, double x)
{
	double rise = fabs(log(level_lat(g->b, LAT_MEAN) / level_lat(g->a, LAT_MEAN)));
	double middle = fmin(x - g->a->x, g->b->x - x) / (g->b->x - g->a->x);

	return (isfinite(rise) ? rise : 0) + SCORE_PER_OCTAVE * middle;
}

static double depth_score(const struct gap *g, double x)
{
	double octaves = fmin(log2(x / g->a->x), log2(g->b->x / x));

	return iops_uncertainty(g, x) + SCORE_PER_OCTAVE * octaves;
}

static double score(const struct infill *f, const struct track *t, const struct gap *g, double x)
{
	if (!g->a || !g->b)
		return SCORE_NO_NEIGHBOUR;
	return (has_cap(f, g) ? CAP_WEIGHT : 1) *
	       (t->is_open ? load_score(g, x) : depth_score(g, x));
}

static size_t first_pass(const struct track *t)
{
	size_t pass = 0;

	for (size_t i = 0; i < t->nr; i++)
		if (t->level[i].nr_done < t->level[i].nr && (!pass || t->level[i].nr_done < pass))
			pass = t->level[i].nr_done + 1;
	return pass;
}

static const struct level *next_usable(const struct track *t, size_t i)
{
	while (i < t->nr && !(is_known(&t->level[i], t->pass) && t->level[i].nr_valid))
		i++;
	return i < t->nr ? &t->level[i] : NULL;
}

static double nr_failed(const struct track *t)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->nr; i++)
		nr += t->level[i].nr_done && !t->level[i].nr_valid;
	return (double)nr;
}

static void refresh(const struct infill *f, struct track *t)
{
	struct gap g = {0};
	double failed = nr_failed(t);

	t->is_stale = false;
	t->pass = first_pass(t);
	t->inner = t->nr;
	t->score = -1;
	for (size_t i = 0; t->pass && i + 1 < t->nr; i++) {
		const struct level *l = &t->level[i];
		double s;

		if (is_known(l, t->pass)) {
			if (l->nr_valid) {
				g.before = g.a;
				g.a = l;
			}
			continue;
		}
		if (!i)
			continue;
		if (!g.b || g.b <= l) {
			g.b = next_usable(t, i + 1);
			g.after = g.b ? next_usable(t, (size_t)(g.b - t->level) + 1) : NULL;
		}
		s = score(f, t, &g, l->x);
		if (!g.a || !g.b)
			s /= 1 + failed;
		if (s > t->score) {
			t->score = s;
			t->inner = i;
		}
	}
}

/* An end of the curve that this repeat does not have; nr without one. */
static size_t missing_end(const struct track *t, size_t pass)
{
	if (!is_known(&t->level[0], pass))
		return 0;
	return is_known(&t->level[t->nr - 1], pass) ? t->nr : t->nr - 1;
}

/* The first repeat of the level that is not done. */
static size_t point_at(const struct infill *f, const struct level *l)
{
	for (size_t i = l->first; i < l->first + l->nr; i++)
		if (!f->is_done[f->order[i]])
			return f->order[i];
	return INFILL_NONE;
}

static size_t group_pass(const struct infill *f, unsigned group)
{
	size_t pass = 0;

	for (size_t i = 0; i < f->nr_tracks; i++) {
		struct track *t = &f->track[i];

		if (t->group != group)
			continue;
		if (t->is_stale)
			refresh(f, t);
		if (t->pass && (!pass || t->pass < pass))
			pass = t->pass;
	}
	return pass;
}

/* The end to measure next: the curves in their order, those that write in the order of their hashes and
 * from either end. */
static size_t next_end(const struct infill *f, unsigned group, size_t pass)
{
	const struct track *best = NULL;
	size_t end = 0;

	for (size_t i = 0; i < f->nr_tracks; i++) {
		const struct track *t = &f->track[i];

		if (t->group != group || t->pass != pass || missing_end(t, pass) == t->nr)
			continue;
		if (!best || (t->writes && best->writes && t->hash < best->hash))
			best = t;
	}
	if (!best)
		return INFILL_NONE;
	end = missing_end(best, pass);
	if (!end && best->writes && (rng_mix(best->hash ^ pass) & 1) &&
	    !is_known(&best->level[best->nr - 1], pass))
		end = best->nr - 1;
	return point_at(f, &best->level[end]);
}

static uint64_t inner_hash(const struct track *t)
{
	return rng_mix(t->hash ^ (t->inner + 1) ^ (uint64_t)t->pass << 32);
}

static size_t next_inner(const struct infill *f, unsigned group, size_t pass)
{
	const struct track *best = NULL;
	double top;

	for (size_t i = 0; i < f->nr_tracks; i++) {
		const struct track *t = &f->track[i];

		if (t->group == group && t->pass == pass && t->inner < t->nr &&
		    (!best || t->score > best->score))
			best = t;
	}
	if (!best)
		return INFILL_NONE;
	top = best->score;
	for (size_t i = 0; best->writes && i < f->nr_tracks; i++) {
		const struct track *t = &f->track[i];

		if (t->group == group && t->pass == pass && t->inner < t->nr && t->writes &&
		    t->score >= SHUFFLE_SHARE * top && inner_hash(t) < inner_hash(best))
			best = t;
	}
	return point_at(f, &best->level[best->inner]);
}

size_t infill_next(struct infill *f, unsigned group, bool *is_end)
{
	size_t pass = group_pass(f, group);
	size_t next = pass ? next_end(f, group, pass) : INFILL_NONE;

	*is_end = next != INFILL_NONE;
	if (!*is_end && pass)
		next = next_inner(f, group, pass);
	return next;
}

static size_t known_depths(const struct infill *f, const struct track *t, size_t as_if_done)
{
	size_t extra = as_if_done == INFILL_NONE ? f->nr_levels : f->level_of[as_if_done], nr = 0;

	for (size_t i = 0; i < t->nr; i++)
		nr += t->level[i].nr_done || &t->level[i] == &f->level[extra];
	return nr;
}

void infill_count(const struct infill *f, unsigned group, size_t as_if_done,
		  struct infill_left *out)
{
	*out = (struct infill_left){0};
	for (size_t i = 0; i < f->nr_tracks; i++) {
		const struct track *t = &f->track[i];
		size_t pass = first_pass(t);

		if (t->group != group)
			continue;
		for (size_t k = 0; k < t->nr; k++)
			out->nr_points += t->level[k].nr - t->level[k].nr_done;
		if (pass) {
			out->nr_ends += !is_known(&t->level[0], pass);
			out->nr_ends += t->nr > 1 && !is_known(&t->level[t->nr - 1], pass);
		}
		if (!t->is_open && known_depths(f, t, as_if_done) >= JUDGED_DEPTHS) {
			out->nr_judged++;
			out->nr_judged_writing += t->writes;
		}
	}
}
